#include "core/install/pods_held.h"

#include "core/commands/output.h"
#include "core/deploy/map_file.h"
#include "core/install/progress.h"
#include "core/map/load.h"
#include "core/preflight/ask.h"
#include "core/preflight/runtime_found.h"
#include "core/vitals/crigate_status.h"
#include "translate/json/json.h"

#define ASK_TIMEOUT 5000

/* So many are named. */
#define PODS_SHOWN 20

/* The pods of a runtime by namespace and name, as far as it says. */
static void print_pods(const struct runtime_entry *runtime, enum dialect dialect, struct arena *arena)
{
    const struct method *method = method_by_name("ListPodSandbox");
    struct bytes answer;
    struct json_object *items = NULL;
    const struct ask list = {
        .endpoint = runtime->endpoint, .dialect = dialect, .method = method, .timeout = ASK_TIMEOUT, .largest = ASK_LARGEST_LIST};
    struct json_object *json =
        ask(&list, arena, &answer, NULL) ? json_from_message(method->in[dialect].response, answer, JSON_LOG, NULL) : NULL;
    if (json && json_object_object_get_ex(json, "items", &items) && json_object_is_type(items, json_type_array)) {
        size_t count = json_object_array_length(items);
        for (size_t i = 0; i < count && i < PODS_SHOWN; i++) {
            struct json_object *pod = json_object_array_get_idx(items, i), *metadata = NULL;
            json_object_object_get_ex(pod, "metadata", &metadata);
            progress_problem("  %s/%s (%s)", command_text_member(metadata, "namespace"), command_text_member(metadata, "name"),
                             command_text_member(pod, "id"));
        }
        if (count > PODS_SHOWN) {
            progress_problem("  and %zu more", count - PODS_SHOWN);
        }
    }
    json_object_put(json);
}

/* What crigate knows of a runtime that does not answer. */
static bool known_to_hold(const struct runtime_entry *runtime, const char *control)
{
    struct json_object *status = crigate_status(control, NULL);
    int64_t pods = status ? crigate_status_pods_of(status, runtime->endpoint) : -1;
    json_object_put(status);
    if (pods == 0) {
        return false;
    }
    if (pods > 0) {
        progress_problem("runtime %s does not list its pods; it held %lld when it last did", runtime->name, (long long)pods);
    } else {
        progress_problem("runtime %s does not list its pods, so it may hold some", runtime->name);
    }
    return true;
}

static bool holds(const struct runtime_entry *runtime, const char *control, struct arena *arena)
{
    struct runtime_found found = {.name = runtime->name};
    runtime_ask(runtime->endpoint, ASK_TIMEOUT, arena, &found);
    enum dialect dialect;
    if (!runtime_found_dialect(&found, &dialect) || (found.pods == 0 && !found.counted)) {
        return known_to_hold(runtime, control);
    }
    if (found.pods == 0) {
        return false;
    }
    progress_problem("runtime %s holds %zu pods, which the kubelet would not see any more:", runtime->name, found.pods);
    print_pods(runtime, dialect, arena);
    return true;
}

bool pods_held_by_others(const char *stays, const char *control, struct arena *arena)
{
    bool held = false;
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    for (size_t i = 0; map && i < map->runtime_count; i++) {
        if (!same_socket(map->runtimes[i].endpoint, stays)) {
            held = holds(&map->runtimes[i], control, arena) || held;
        }
    }
    runtime_map_free(map);
    return held;
}

bool pods_have_plain_ids(const char *stays)
{
    bool plain = true;
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    for (size_t i = 0; map && i < map->runtime_count; i++) {
        plain = plain && (map->runtimes[i].plain_ids || !same_socket(map->runtimes[i].endpoint, stays));
    }
    runtime_map_free(map);
    return plain;
}
