/* What is asked over the control socket and only the worker can answer. */
#ifndef CRIGATE_PROCESS_WORKER_QUERY_H
#define CRIGATE_PROCESS_WORKER_QUERY_H

#include <json-c/json.h>

#include "core/base/worker.h"
#include "core/process/daemon.h"
#include "translate/error.h"

/* Has the worker describe the owner of an id (at most CONTROL_LINE_SIZE - 1 bytes of it), or everything if the id is "", and
   waits for it some seconds: on another thread than the worker's. The answer is the caller's. NULL with an error: the worker has
   ended or is stuck, or there is no memory. */
struct json_object *worker_query_ask(const struct daemon_callbacks *calls, const char *id, struct worker *worker,
                                     struct error *error);

#endif
