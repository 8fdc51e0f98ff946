/* What the running crigate says in its status about its runtimes and callers. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/bytes/error.h"

/* Asks the crigate whose control socket that is. The caller owns the answer. NULL: it does not answer. */
struct json_object *crigate_status(const char *control, struct error *error);

/* Whether its primary is ready; otherwise the error has its name and state. */
bool crigate_status_primary_ready(struct json_object *status, struct error *error);

/* How many calls a process has made over the connections that it has now. */
int64_t crigate_status_calls_of(struct json_object *status, pid_t pid);

/* How many pods the runtime at that endpoint is known to hold; -1: it has no such runtime, or that is not known, as of one that
   has not answered since the node was booted. */
int64_t crigate_status_pods_of(struct json_object *status, const char *endpoint);

/* How many runtimes it serves; 0 also if `status` is NULL. */
size_t crigate_status_runtime_count(struct json_object *status);

/* The endpoint of one of them, and its name; both live as long as the status, and are "" if it does not say. */
const char *crigate_status_endpoint(struct json_object *status, size_t index, const char **name);

/* A new array of the runtimes, each followed by its image service if that is a peer of its own. The elements are shared. */
struct json_object *crigate_status_peers(struct json_object *status);
