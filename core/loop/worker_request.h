/* A request to the worker: another thread has something done on the worker's thread, and waits for it, but not forever, because
 * the worker may be stuck. */
#pragma once

#include <pthread.h>

#include "base/bytes/error.h"
#include "core/loop/worker.h"

enum worker_request_state {
    WORKER_REQUEST_WAITS,
    WORKER_REQUEST_RUN,
    WORKER_REQUEST_REFUSED, /* the worker was closed before its turn came */
};

/* Embedded in a struct on the heap that holds all that the request needs, and its result: its sender may have given up by
 * the time that it is done. */
struct worker_request {
    void (*run)(struct worker_request *request);  /* on the worker's thread */
    void (*free)(struct worker_request *request); /* when both sides have dropped it, on either thread */
    struct completion completion;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct worker *worker;
    enum worker_request_state state;
    unsigned holders;
};

/* Sets up all but the surrounding struct; the caller holds it from now on. */
void worker_request_init(struct worker_request *request, void (*run)(struct worker_request *request),
                         void (*free)(struct worker_request *request));

/* Sends it, once, and waits until it was run. UNAVAILABLE: the worker has been closed, and it will not run; DEADLINE_EXCEEDED: it
   was not run in time, and may be later. */
bool worker_request_send(struct worker_request *request, struct worker *worker, unsigned milliseconds, struct error *error);

/* Drops the holder's share: the last one frees it. */
void worker_request_drop(struct worker_request *request);
