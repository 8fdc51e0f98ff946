/* limits.memory: what the process may take of the node's memory.

   What counts is what the kernel says is resident, not a sum of our own: C core's buffers, arenas, fragments of the heap, all of
   it. It is looked at when calls come and go, at most once in a millisecond, and while much is taken also in between. With
   five eighths of the limit taken, free memory goes back to the system, and answers that their callers do not read are given up,
   the largest first. With six, new calls are refused. With seven, lists and statuses that are still waited for are given up. The
   rest is for what comes between two looks. */
#ifndef CRIGATE_CALLS_MEMORY_LIMIT_H
#define CRIGATE_CALLS_MEMORY_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/worker.h"

struct call;
struct gateway;

/* In the gateway. Zero-initialised: not begun. */
struct memory_limit {
    int statm;      /* /proc/self/statm; -1: it cannot be read, and nothing is limited */
    bool full;      /* at the last look */
    int64_t looked; /* worker_now() */
    int64_t made_room;
    int64_t trimmed;
    int64_t told;       /* when the log was told last that it is full */
    struct timer again; /* armed while much is taken */
};

void memory_limit_begin(struct gateway *gateway);
void memory_limit_end(struct gateway *gateway);

/* Whether a call that has come may begin; else the text to refuse it with, as RESOURCE_EXHAUSTED. */
const char *memory_limit_refuses(struct gateway *gateway);

/* A call is about to be answered with so many bytes. */
void memory_limit_replying(struct call *call, size_t bytes);

/* More calls than limits.calls are in flight: ends the connections of callers that have not read an answer for a second. */
void memory_limit_make_room(struct gateway *gateway);

#endif
