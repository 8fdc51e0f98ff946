/* An errand: something that another thread has done on the worker's thread and waits for, but not for ever, because the worker
   may be stuck. */
#ifndef CRIGATE_BASE_WORKER_REQUEST_H
#define CRIGATE_BASE_WORKER_REQUEST_H

#include <pthread.h>

#include "core/base/worker.h"
#include "translate/error.h"

/* Embedded in a struct on the heap that holds all that the errand needs and all that comes of it: whoever sent it may have given
   up by the time that it is done. */
struct errand {
    void (*run)(struct errand *errand);  /* on the worker's thread */
    void (*free)(struct errand *errand); /* when both sides have dropped it, on either thread */
    struct event event;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    unsigned holders;
};

/* Sets up all but the surrounding struct; the caller holds it from now on. */
void errand_init(struct errand *errand, void (*run)(struct errand *errand), void (*free)(struct errand *errand));

/* Sends it, once, and waits until it was run. UNAVAILABLE: the worker has ended; DEADLINE_EXCEEDED: it was not run in time, and
   may be later. */
bool errand_send(struct errand *errand, struct worker *worker, unsigned milliseconds, struct error *error);

/* Lets go of it. */
void errand_drop(struct errand *errand);

#endif
