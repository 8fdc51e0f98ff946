/* A worker: a completion queue, its timers, and the loop that runs what has ended. Everything of a call happens on one worker. */
#pragma once

#include <grpc/grpc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/queue.h>

#include "core/loop/completion.h"

/* Embedded in whatever waits for time to pass. Zero-initialised except for `completion`, it is not armed. */
struct timer {
    struct completion completion; /* run with ok = true when due */
    TAILQ_ENTRY(timer) place;
    int64_t due; /* CLOCK_MONOTONIC, nanoseconds */
    bool armed;
};

/* Embedded in whatever waits for its turn: work of which one event can cause as much as there are calls. Zero-initialised except
   for `completion`, it does not wait. */
struct turn {
    struct completion completion; /* run with ok = true */
    TAILQ_ENTRY(turn) place;
    bool waits;
};

/* So many turns are taken at once; then it is the turn of the events that arrived meanwhile, and of the timers. */
#define WORKER_TURNS 4

struct worker {
    grpc_completion_queue *queue;
    TAILQ_HEAD(timer_list, timer) timers; /* armed ones, the next due first */
    TAILQ_HEAD(, turn) turns;             /* those that wait, the oldest first */
    grpc_channel *doorbell;               /* never connects; see worker_post */
    pthread_mutex_t lock;                 /* of the doorbell, which other threads use */
    int64_t ahead;                        /* of C core's clock, before clock_ns(), in seconds */
    unsigned watches;                     /* sockets that have not hung up, see hang_up.h */
    bool closed;
    bool abandoned;
};

void worker_init(struct worker *worker);

/* Runs a completion on the worker's thread soon; `ok` means nothing then. Safe from any thread as long as the struct lives; false
 * after worker_close: the completion will not run. */
bool worker_post(struct worker *worker, struct completion *completion);

/* Ends the loop once all that is pending has ended, and all sockets that are watched for it have hung up (hang_up.h). */
void worker_close(struct worker *worker);

/* Runs events and timers until worker_close, and then until nothing is pending. false: worker_abandon came first. */
bool worker_run(struct worker *worker);

/* Ends the loop at once. What is pending stays so, and the transport points to it: nothing may be freed. On the worker's
   thread. */
void worker_abandon(struct worker *worker);

/* Arms a timer, or arms it again. */
void worker_arm(struct worker *worker, struct timer *timer, int64_t milliseconds);

void worker_disarm(struct worker *worker, struct timer *timer);

/* Runs the turn soon, but never before this returns, and after those that wait already. What it frees or sends has an effect
   before many others run. It must not wait yet. */
void worker_wait_turn(struct worker *worker, struct turn *turn);

/* ---- for hang_up.c ---- */

/* As worker_post, even after worker_close while there are watches. One thread. */
void worker_post_hang_up(struct worker *worker, struct completion *completion);

/* One of `watches` is over, and what it has led to is done. On the worker's thread. */
void worker_end_watch(struct worker *worker);
