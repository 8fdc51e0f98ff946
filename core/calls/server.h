/* What all calls share: the server, the calls in flight, and the data for answers. */
#pragma once

#include <grpc/grpc.h>
#include <sys/queue.h>

#include "base/log/log.h"
#include "base/log/repeats.h"
#include "core/knowledge/knowledge.h"
#include "core/loop/memory_trim.h"
#include "core/loop/worker.h"
#include "core/metrics/rpc.h"
#include "core/runtimes/generation.h"
#include "core/transport/callers.h"
#include "translate/walk/node.h"

struct call;
struct hooks;
struct health_watch;
struct pull_queue;
LIST_HEAD(call_list, call);

/* Callbacks to the owner of the server. All run on the worker's thread. */
struct call_server_callbacks {
    void *state;
    /* A call has ended and is no longer counted in `calls`, or the last caller has hung up. */
    void (*ended)(void *state);
    /* The server accepts no more calls: it is stopping. */
    void (*refused)(void *state);
    /* Answers a call of GetContainerEvents whose request has arrived. */
    void (*listen)(void *state, struct call *call);
};

/* For memory_limit.h. */
struct memory_looks {
    int statm;      /* /proc/self/statm; -1: it cannot be read, and nothing is limited */
    bool full;      /* at the last check */
    int64_t looked; /* clock_ns() */
    int64_t made_room;
    int64_t trimmed;
    struct log_limit full_logged; /* that memory is full */
    struct timer again;           /* armed while much is taken */
};

/* Zero-initialised, except the first seven. */
struct call_server {
    struct worker *worker;
    struct knowledge *knowledge;
    struct hooks *hooks;
    const struct node *node; /* for translation */
    struct call_server_callbacks callbacks;
    bool primary_may_come; /* calls to the primary wait for it instead of failing, in its start-up grace */
    bool others_may_come;  /* calls wait until each runtime that they go to is known to be there or not */

    struct generation *generation; /* for new calls; borrowed. NULL: not yet, or no longer */
    grpc_server *grpc;
    void (*unanswered)(struct call *call); /* a call ends without a reply: it is counted and logged */
    void (*leave)(struct call *call);      /* a call is about to be freed: another pull may go on */
    void (*go_on)(struct call *call);      /* a pull that has waited */
    unsigned expected;                     /* calls that C core is to deliver and has not */
    unsigned calls;                        /* in flight */
    uint64_t arrived;                      /* calls since the start: the id of the last one */
    unsigned calls_apart;                  /* of them, those on sockets besides the first, which have limits of their own */
    unsigned streams;                      /* of the others, those whose reply is a stream */
    struct call_list in_flight;            /* newest first */
    struct call_list parked;               /* calls that wait for one of the two reasons above */
    struct call_list unparked;             /* that have waited, and go on one after another */
    struct turn unpark;                    /* of the next of them */
    TAILQ_HEAD(, pull_queue) due_pulls;    /* of pulls.h: those with room for one that waits */
    struct turn pull;                      /* of the next of them */
    TAILQ_HEAD(, health_watch) watches;    /* of health.h; those that know the newest answer last */
    unsigned watch_count, watches_untold;
    struct turn telling;         /* the next of these */
    bool stopping;               /* no new streams without an end of their own */
    struct rpc_counters of_none; /* calls that have ended: for no runtime, or for an RPC that crigate does not know */
    struct rpc_counters of_several;
    struct repeats refusals; /* for the log */
    struct callers callers;
    struct memory_looks memory;
    struct timer idle_callers; /* armed until the next look at idle connections */
    struct memory_trim trim;
};
