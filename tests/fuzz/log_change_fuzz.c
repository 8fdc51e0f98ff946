/* Any bytes as the argument of a request to change the level of the log: what is taken is within its bounds, and survives being
   written, as at a takeover. And any JSON as messages from which the ids of a pod are learned. */
#include <string.h>

#include "base/log/change.h"
#include "fuzz.h"
#include "translate/json/json.h"

#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)

static void check_change(struct json_object *json)
{
    struct error error;
    struct log_change change, again;
    if (!log_change_from_json(json, &change, &error)) {
        must(error.code == STATUS_INVALID_ARGUMENT);
        return;
    }
    must(change.level >= 0 && change.level <= 5 && change.until > 0);
    must(change.pod[0] == '\0' || change.runtime[0] == '\0');
    must(memchr(change.pod, '\0', sizeof change.pod) && memchr(change.runtime, '\0', sizeof change.runtime));
    struct json_object *written = log_change_to_json(&change);
    struct json_object *left;
    must(json_object_object_get_ex(written, "milliseconds", &left) && json_object_get_int64(left) <= DAY_MS);
    if (json_object_get_int64(left) > 0) { /* it may be over by now */
        must(log_change_from_json(written, &again, &error));
        must(again.level == change.level && strcmp(again.pod, change.pod) == 0 && strcmp(again.runtime, change.runtime) == 0);
    }
    json_object_put(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    struct json_object *json = json_from_text(bytes_of(data, size), &error);
    if (json) {
        check_change(json);
        log_change_set(&(struct log_change){.level = 3, .pod = "pod"});
        log_change_learn_pod(json, json);
        log_change_pod_is_in(json);
        log_change_set(NULL);
        must(!log_change_pod_is_in(json)); /* nothing of it is left */
        json_object_put(json);
    }
    return 0;
}
