/* A worker: a completion queue, its timers, and the loop that runs what has ended. Everything of a call happens on one worker. */
#pragma once

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdint.h>

#include "core/base/completion.h"

/* Embedded in whatever waits for time to pass. Zero-initialised but for `completion`, it is not armed. */
struct timer {
    struct completion completion; /* run with ok = true when due */
    struct timer *next;
    int64_t due; /* CLOCK_MONOTONIC, nanoseconds */
    bool armed;
};

struct worker {
    grpc_completion_queue *queue;
    struct timer *timers;   /* armed ones, the next due first */
    grpc_channel *doorbell; /* never connects; see worker_post */
    pthread_mutex_t lock;   /* of the doorbell, which other threads use */
    bool closed;
    bool abandoned;
};

void worker_init(struct worker *worker);

/* Runs a completion on the worker's thread soon; `ok` means nothing then. Safe from any thread as long as the struct lives; false
 * after worker_close: the completion will not run. */
bool worker_post(struct worker *worker, struct completion *completion);

/* Ends the loop once all that is pending has ended. */
void worker_close(struct worker *worker);

/* Runs events and timers until worker_close, and then until nothing is pending. false: worker_abandon came first. */
bool worker_run(struct worker *worker);

/* Ends the loop at once. What is pending stays so, and the transport points to it: nothing may be freed. On the worker's
   thread. */
void worker_abandon(struct worker *worker);

/* Arms a timer, anew if it was. */
void worker_arm(struct worker *worker, struct timer *timer, int64_t milliseconds);

void worker_disarm(struct worker *worker, struct timer *timer);
