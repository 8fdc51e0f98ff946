/* The caller's side of the bench: calls on C core, one thread and one completion queue for all targets, so that what the
   client itself costs is the same for each of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "tests/bench/plan.h"
#include "tests/bench/process.h"

struct load;
struct json_object;

/* A connection to one instance of a target. */
struct connection;

/* What one RPC sends and must get, on one connection: made by load_prepare. */
struct request {
    struct connection *connection;
    char method[160];     /* "/runtime.v1.RuntimeService/Version" */
    struct bytes bytes;   /* the request message; lives until load_close */
    struct bytes before;  /* that of the call before it, if the target has one */
    size_t response_size; /* of the first answer; every later one must be as long */
    size_t outside;       /* its number at an outside caller, see caller.h */
};

/* What a block of calls took. */
struct block {
    double *latencies; /* microseconds, in order of completion, without those of the block's warm-up */
    size_t latency_count;
    size_t capacity;
    size_t calls;              /* all of them, warm-up included */
    double calls_per_second;   /* answered within the block's time */
    struct process_usage used; /* processor time of the instance's process; filled in by the caller that wants it */
};

/* Makes room for that many latencies. False when out of memory. */
bool block_reserve(struct block *block, size_t latencies);

/* Ends the block at whichever comes first. Zero: no such end. */
struct block_end {
    double seconds;
    size_t calls;
};

/* `samples` is the folder of create_container.json. */
struct load *load_open(const char *samples);

void load_close(struct load *load);

/* Does not wait for the process. The connection lives until load_close. NULL when there are too many. */
struct connection *load_connect(struct load *load, const struct target *target, size_t instance);

/* Makes the request for an RPC (one of those of struct rpc), calls it until it is answered well or 20 seconds
   have passed, and checks the answer: a list must have `containers` elements. False after a message on stderr. */
bool load_prepare(struct load *load, struct connection *connection, const char *rpc, size_t containers, struct request *request);

/* Calls with `callers` calls in flight, turn by turn through the requests, which are all on one connection. Overwrites the block
   but keeps its buffer. False after a message on stderr, when any call failed; none is in flight any more then. */
bool load_block(struct load *load, const struct request *requests, size_t request_count, size_t callers, struct block_end end,
                struct block *block);

/* One call of an RPC, with a request as JSON, which this function puts. Returns the answer as JSON, which the caller puts; NULL
   after a message on stderr, when it failed. */
struct json_object *load_call(struct load *load, struct connection *connection, const char *rpc, struct json_object *json);

/* Whether one call is answered well; it may take as long as calls of load_prepare. */
bool load_answers(struct load *load, struct connection *connection);

/* Ends the connection of the last load_connect. */
void load_disconnect(struct load *load);

void block_free(struct block *block);
