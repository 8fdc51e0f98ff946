/* What the control socket is asked and only the worker can answer. */
#pragma once

#include <json-c/json.h>

#include "base/bytes/error.h"
#include "core/loop/worker.h"

/* What is asked for. */
enum worker_query {
    WORKER_QUERY_STATUS, /* the gateway and its runtimes */
    WORKER_QUERY_OWNER,  /* the owner of an id */
    WORKER_QUERY_HOOKS,  /* the plugins */
    WORKER_QUERY_CALLS,  /* the calls in flight: of one runtime, or all */
};

/* Describes it. `id` is "" unless the owner of one is asked for; for calls, the name of a runtime or "". Called on the worker's
   thread. Whoever asked owns the object. NULL: no memory. */
typedef struct json_object *worker_query_describe(void *state, enum worker_query what, const char *id);

/* Has the worker call `describe` with the state, what is asked and the id (at most CONTROL_LINE_SIZE - 1 bytes of it), and waits
   some seconds for the result. Not on the worker's thread. The caller owns the object. NULL with an error: the worker has ended
   or is stuck, or memory is short. */
struct json_object *worker_query_ask(worker_query_describe *describe, void *state, enum worker_query what, const char *id,
                                     struct worker *worker, struct error *error);
