/* limits.memory: what the process may take of the node's memory.

   What counts is what the kernel says is resident, not a sum of our own: C core's buffers, arenas, fragments of the heap, all of
   it. It is looked at when calls come and go, at most once in a millisecond, and while much is taken also in between. With
   five eighths of the limit taken, free memory goes back to the system, and answers that their callers do not read are given up,
   the largest first. With six, new calls are refused. With seven, lists and statuses that are still waited for are given up. The
   rest is for what comes between two looks. */
#ifndef CRIGATE_CALLS_MEMORY_LIMIT_H
#define CRIGATE_CALLS_MEMORY_LIMIT_H

#include "core/calls/call.h"

/* Looks begin and end. What they need is in server->memory, which only memory_limit.c uses. */
void memory_limit_begin(struct call_server *server);
void memory_limit_end(struct call_server *server);

/* Whether a call that has come may begin; else the text to refuse it with, as RESOURCE_EXHAUSTED. */
const char *memory_limit_refuses(struct call_server *server);

/* A call is about to be answered with so many bytes. */
void memory_limit_replying(struct call *call, size_t bytes);

/* More calls than limits.calls are in flight: ends the connections of callers that have not read an answer for a second. */
void memory_limit_make_room(struct call_server *server);

#endif
