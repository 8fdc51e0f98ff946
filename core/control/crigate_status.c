#include "core/control/crigate_status.h"

#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "core/control/client.h"

/* A member of an object, NULL for anything unexpected. */
static const char *text_member(struct json_object *object, const char *name)
{
    struct json_object *value = json_member(object, name);
    return json_object_is_type(value, json_type_string) ? json_object_get_string(value) : "";
}

static int64_t number_member(struct json_object *object, const char *name)
{
    struct json_object *value = json_member(object, name);
    return json_object_is_type(value, json_type_int) ? json_object_get_int64(value) : -1;
}

struct json_object *crigate_status(const char *control, struct error *error)
{
    return control_ask(control, CONTROL_STATUS, error);
}

bool crigate_status_primary_ready(struct json_object *status, struct error *error)
{
    struct json_object *runtimes = json_member(status, "runtimes");
    for (size_t i = 0; i < json_count(runtimes); i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        /* More may follow behind a comma. */
        if (strncmp(text_member(runtime, "role"), "primary", strlen("primary")) == 0) {
            const char *state = text_member(runtime, "state");
            return strcmp(state, "ready") == 0 ||
                   error_set(error, STATUS_UNAVAILABLE, "its primary %s is %s%s%s", text_member(runtime, "name"), state,
                             *text_member(runtime, "note") ? ": " : "", text_member(runtime, "note"));
        }
    }
    return error_set(error, STATUS_UNAVAILABLE, "it names no primary");
}

int64_t crigate_status_calls_of(struct json_object *status, pid_t pid)
{
    int64_t calls = 0;
    struct json_object *callers = json_member(status, "callers");
    for (size_t i = 0; i < json_count(callers); i++) {
        struct json_object *caller = json_object_array_get_idx(callers, i);
        int64_t more = number_member(caller, "calls");
        if (number_member(caller, "pid") == pid && more > 0) {
            calls += more;
        }
    }
    return calls;
}

int64_t crigate_status_pods_of(struct json_object *status, const char *endpoint)
{
    struct json_object *runtimes = json_member(status, "runtimes");
    for (size_t i = 0; i < json_count(runtimes); i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        if (strcmp(text_member(runtime, "endpoint"), endpoint) == 0) {
            int64_t pods = number_member(runtime, "pods");
            /* Without a list, ever, none is known, which does not mean that there is none. */
            return pods == 0 && !json_member(runtime, "lastKnownAgeMilliseconds") ? -1 : pods;
        }
    }
    return -1;
}

size_t crigate_status_runtime_count(struct json_object *status)
{
    return json_count(json_member(status, "runtimes"));
}

const char *crigate_status_endpoint(struct json_object *status, size_t index, const char **name)
{
    struct json_object *runtime = json_object_array_get_idx(json_member(status, "runtimes"), index);
    *name = text_member(runtime, "name");
    return text_member(runtime, "endpoint");
}

struct json_object *crigate_status_peers(struct json_object *status)
{
    struct json_object *peers = json_object_new_array();
    struct json_object *runtimes = json_member(status, "runtimes");
    for (size_t i = 0; i < json_count(runtimes); i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        struct json_object *images = json_member_of(runtime, "images", json_type_object);
        json_append(peers, json_object_get(runtime));
        if (images) {
            json_append(peers, json_object_get(images));
        }
    }
    return peers;
}
