/* Verbose statuses of a hostile runtime: whatever they contain, the facts are messages that can be read, or there is an error
   with a text; and JSON is read as a parser that builds a tree reads it. Input: a byte (even: a pod, odd: a container), a status
   behind two bytes of length, and what is under `info`. */
#include <string.h>

#include "tests/fuzz/fuzz.h"
#include "translate/convert/convert.h"
#include "translate/json/json.h"
#include "translate/rebuild/rebuild.h"

static bool is_readable(const char *type, struct bytes bytes)
{
    struct error error = {0};
    struct json_object *json = json_from_message(schema_message_by_name(DIALECT_MODEL, type), bytes, JSON_EXACT, &error);
    bool readable = json || error.code == STATUS_RESOURCE_EXHAUSTED;
    json_object_put(json);
    return readable;
}

static struct bytes with_info(struct bytes status, const char *method, struct bytes text, struct arena *arena)
{
    struct bytes entry = response_info_entry(method_by_name(method), DIALECT_MODEL, bytes_of_string("info"), text, arena);
    const struct bytes parts[] = {status, entry};
    return arena_join(arena, parts, 2);
}

static void check_error(const struct error *error)
{
    must(error->code == STATUS_INTERNAL || error->code == STATUS_RESOURCE_EXHAUSTED);
    must(error->message[0] != '\0');
}

static bool has_control_character(struct bytes text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < ' ') {
            return true;
        }
    }
    return false;
}

/* The other parser's opinion of a text without escapes. It accepts control characters in strings, which JSON does not. */
static void check_pod_id(struct bytes text, struct bytes pod_id)
{
    struct error error;
    struct json_object *value = NULL;
    struct bytes expected = {0};
    if (text.len == 0 || memchr(text.data, '\\', text.len)) {
        return;
    }
    struct json_object *json = json_from_text(text, &error);
    if (json && json_object_object_get_ex(json, "sandboxID", &value) && json_object_is_type(value, json_type_string)) {
        expected = bytes_of(json_object_get_string(value), (size_t)json_object_get_string_len(value));
    }
    must(!json || bytes_equal(pod_id, has_control_character(expected) ? (struct bytes){0} : expected));
    json_object_put(json);
}

static void rebuild_one_pod(struct bytes status, struct bytes text, struct arena *arena)
{
    struct rebuilt_pod pod;
    struct error error = {0};
    struct bytes response = with_info(status, "PodSandboxStatus", text, arena);
    if (!response.data || !rebuild_pod(response, arena, &pod, &error)) {
        must(!response.data || error.code != STATUS_OK);
        if (response.data) {
            check_error(&error);
        }
        return;
    }
    must(pod.id.len > 0);
    must(is_readable("PodSandboxConfig", pod.facts) || !is_readable("PodSandboxStatusResponse", status));
    rebuild_missing_text(pod.missing);
}

static void rebuild_one_container(struct bytes status, struct bytes text, struct arena *arena)
{
    struct rebuilt_container container;
    struct error error = {0};
    struct bytes response = with_info(status, "ContainerStatus", text, arena);
    if (!response.data || !rebuild_container(response, arena, &container, &error)) {
        must(!response.data || error.code != STATUS_OK);
        if (response.data) {
            check_error(&error);
        }
        return;
    }
    must(container.id.len > 0);
    must(is_readable("ContainerConfig", container.environment));
    must(is_readable("ContainerConfig", container.facts) || !is_readable("ContainerStatusResponse", status));
    must(container.environment.len == 0 || (container.missing & REBUILD_NO_ENVIRONMENT) == 0);
    check_pod_id(text, container.pod_id);
    rebuild_missing_text(container.missing);
}

void fuzz_try(struct bytes bytes, struct arena *arena)
{
    if (bytes.len == 0) {
        return;
    }
    bool pod = (bytes.data[0] & 1) == 0;
    bytes = bytes_after(bytes, 1);
    struct bytes status = fuzz_take_piece(&bytes);
    (pod ? rebuild_one_pod : rebuild_one_container)(status, bytes, arena);
}
