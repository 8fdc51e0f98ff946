/* limits.memory: how much of the node's memory the process may use.

   The kernel's number of resident bytes counts, which includes C core's buffers, arenas and fragments of the heap. It is read
   when calls arrive and end, at most once a millisecond, and also in between while much memory is used. At five eighths of the
   limit, environments that are known for plugins are forgotten, free memory is given back to the system, and replies that their
   callers do not read are cancelled, the largest first. At six eighths, new calls are refused, and lists and statuses whose
   answer is there. At seven eighths, lists and statuses that runtimes have not answered are cancelled. The rest is a reserve for
   the time between two reads. */
#pragma once

#include "core/calls/call.h"

/* Starts and stops watching. The state is server->memory, which only memory_limit.c uses. */
void memory_limit_begin(struct call_server *server);
void memory_limit_end(struct call_server *server);

/* Calls in flight of those that limits.calls counts. */
static inline unsigned memory_limit_calls(const struct call_server *server)
{
    return server->calls - server->calls_apart;
}

/* Why a call that has just arrived must be refused with RESOURCE_EXHAUSTED; NULL: it may begin. */
const char *memory_limit_refuses(struct call_server *server);

/* The message of a call that is refused because of limits.calls. */
#define TOO_MANY_CALLS "too many calls at once; raise limits.calls in the runtime map"

/* Why a call that would arrive now would be refused, by either limit; NULL: it would not. */
const char *memory_limit_refuses_next(struct call_server *server);

/* Whether a call that has begun may go on to its answer. false: RESOURCE_EXHAUSTED, at six eighths, unless it changes something.
 */
bool memory_limit_allows(struct call *call, struct error *error);

/* A reply of this many bytes is about to be sent. */
void memory_limit_replying(struct call *call, size_t bytes);

/* Too many calls are in flight: ends the connections of callers that have not read their reply for a second. */
void memory_limit_make_room(struct call_server *server);
