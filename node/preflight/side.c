#include "node/preflight/side.h"

#include <stdio.h>

#include "base/bytes/shown.h"
#include "base/json/read.h"
#include "core/map/map.h"
#include "core/map/socket.h"
#include "node/preflight/ask.h"
#include "node/preflight/socket.h"
#include "translate/json/json.h"

/* In JSON, an answer takes much more. A node with 500 images lists them in 200 KiB. */
#define LARGEST_ANSWER ((size_t)8 << 20)
#define SCRATCH (2 * LARGEST_ANSWER)

const char *side_endpoint(const char *wish, struct arena *arena, struct error *error)
{
    const char *known = runtimes_usual_path(wish);
    const char *path = known ? known : socket_path(docker_endpoint_to_ask(wish));
    if (!path) {
        error_set(error, STATUS_INVALID_ARGUMENT, "%s is neither a socket nor a runtime that crigate knows",
                  shown_text(bytes_of_string(wish), arena));
        return NULL;
    }
    const char *endpoint = socket_endpoint(path, arena);
    if (!endpoint) {
        error_out_of_memory(error);
    }
    return endpoint;
}

/* The list of that name in the answer, which the caller owns; an empty one if the answer has none. NULL with an error. */
static struct json_object *ask_list(const struct side *side, const char *name, const char *list, unsigned timeout,
                                    struct error *error)
{
    const struct method *method = method_by_name(name);
    enum dialect dialect;
    struct bytes answer;
    struct json_object *json = NULL, *found = NULL;
    if (!runtime_found_dialect(&side->found, &dialect) || !method->in[dialect].path) {
        error_set(error, STATUS_UNIMPLEMENTED, "it does not have %s", name);
        return NULL;
    }
    const struct ask question = {
        .endpoint = side->endpoint, .dialect = dialect, .method = method, .timeout = timeout, .largest = LARGEST_ANSWER};
    struct arena *scratch = arena_new(SCRATCH);
    if (!scratch) {
        error_out_of_memory(error);
    } else if (ask(&question, scratch, &answer, error)) {
        json = json_from_message(method->in[dialect].response, answer, JSON_EXACT, error);
    }
    arena_unref(scratch);
    if (!json) {
        error_wrap(error, "%s of %s", name, side->endpoint);
        return NULL;
    }
    found = json_member(json, list);
    found = found ? json_object_get(found) : json_object_new_array();
    json_object_put(json);
    return found;
}

bool side_ask(const char *endpoint, unsigned timeout, struct arena *arena, struct side *side, struct error *error)
{
    struct error missing = {0};
    *side = (struct side){.endpoint = endpoint};
    runtime_ask(endpoint, timeout, arena, &side->found);
    if (!side->found.answers) {
        return error_set(error, STATUS_UNAVAILABLE, "%s does not answer: %s", endpoint,
                         side->found.why_not ? side->found.why_not : "it is not a runtime");
    }
    side->images = ask_list(side, "ListImages", "images", timeout, error);
    side->containers = side->images ? ask_list(side, "ListContainers", "containers", timeout, error) : NULL;
    if (!side->containers) {
        return false;
    }
    side->filesystems = ask_list(side, "ImageFsInfo", "imageFilesystems", timeout, &missing);
    side->no_filesystems = side->filesystems ? NULL : shown_text(bytes_of_string(missing.message), arena);
    return true;
}

void side_release(struct side *side)
{
    json_object_put(side->images);
    json_object_put(side->containers);
    json_object_put(side->filesystems);
}
