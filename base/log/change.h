/* A temporary level of the log: for all lines, or for the calls of one pod or one runtime. Safe from any thread. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

#define LOG_CHANGE_NAME 128 /* of a runtime's name or a pod's UID, with its end */

struct log_change {
    int level;
    char runtime[LOG_CHANGE_NAME]; /* only calls to the runtime of that name; "": all */
    char pod[LOG_CHANGE_NAME];     /* only calls for the pod with that UID, or for its containers; "": all. Not both */
    int64_t until;                 /* clock_ns() */
};

/* Puts a change in force, instead of an earlier one; NULL: the level of the settings is in force again. Nothing else ends it: the
   caller waits for `until`. */
void log_change_set(const struct log_change *change);

/* The one in force; false: none. */
bool log_change_get(struct log_change *change);

/* Whether the one in force is for some calls only. Cheap. */
bool log_change_is_narrow(void);

/* {"level": 3, "milliseconds": 600000, "runtime": "main", "pod": "..."}: how long it stays in force, with one of the last two
   members or none. The caller owns it. */
struct json_object *log_change_to_json(const struct log_change *change);

/* The opposite; what is wrong with the object is the error. */
bool log_change_from_json(struct json_object *json, struct log_change *change, struct error *error);

/* ---- which calls are a pod's ---- */

/* Whether the bytes of a message have the pod's UID or such an id anywhere. If not, the message is not about the pod, and need
   not be taken apart: lists of a full node are long. */
bool log_change_pod_may_be_in(struct bytes message);

/* Whether a message is about the pod of the change in force: whether one of its texts is the pod's UID or an id that was seen
   with it. On the worker's thread only, like the others. */
bool log_change_pod_is_in(struct json_object *message);

/* Learns ids from a request and its answer (NULL: none): that of each object of the answer that is about the pod; and, if the
   request is, what the answer calls an id of a pod or container. Likewise. */
void log_change_learn_pod(struct json_object *request, struct json_object *response);
