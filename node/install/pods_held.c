#include "node/install/pods_held.h"

#include <sys/stat.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "core/control/crigate_status.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/deploy/map_file.h"
#include "node/install/progress.h"
#include "node/preflight/ask.h"
#include "node/preflight/runtime_found.h"
#include "translate/json/json.h"

#define ASK_TIMEOUT 5000

/* So many are named. */
#define PODS_SHOWN 20

/* `why` gets the first mistake of one that cannot be loaded. */
static struct runtime_map *load_map(struct error *why)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(RUNTIME_MAP_DEFAULT_PATH, &problems);
    if (!map) {
        const struct runtime_map_problem *first = runtime_map_problems_first(&problems);
        error_set(why, STATUS_FAILED_PRECONDITION, "%s", first ? first->message : "it cannot be read");
    }
    runtime_map_problems_clear(&problems);
    return map;
}

/* The pods of a runtime by namespace and name, as far as it says. */
static void print_pods(const char *endpoint, enum dialect dialect, struct arena *arena)
{
    const struct method *method = method_by_name("ListPodSandbox");
    struct bytes answer;
    const struct ask list = {
        .endpoint = endpoint, .dialect = dialect, .method = method, .timeout = ASK_TIMEOUT, .largest = ASK_LARGEST_LIST};
    struct json_object *json =
        ask(&list, arena, &answer, NULL) ? json_from_message(method->in[dialect].response, answer, JSON_LOG, NULL) : NULL;
    struct json_object *items = json_member_of(json, "items", json_type_array);
    if (items) {
        size_t count = json_count(items);
        for (size_t i = 0; i < count && i < PODS_SHOWN; i++) {
            struct json_object *pod = json_object_array_get_idx(items, i), *metadata = json_member(pod, "metadata");
            progress_problem("  %s/%s (%s)", command_text_member(metadata, "namespace"), command_text_member(metadata, "name"),
                             command_text_member(pod, "id"));
        }
        if (count > PODS_SHOWN) {
            progress_problem("  and %zu more", count - PODS_SHOWN);
        }
    }
    json_object_put(json);
}

/* A runtime besides the one that stays. */
struct other {
    const char *name, *endpoint;
};

/* What crigate knows about a runtime that does not answer. `status` is NULL if crigate does not answer either. */
static bool known_to_hold(const struct other *runtime, struct json_object *status)
{
    int64_t pods = status ? crigate_status_pods_of(status, runtime->endpoint) : -1;
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

static bool holds(const struct other *runtime, struct json_object *status, struct arena *arena)
{
    struct runtime_found found = {.name = runtime->name};
    const char *endpoint = docker_endpoint_to_ask(runtime->endpoint);
    runtime_ask(endpoint, ASK_TIMEOUT, arena, &found);
    enum dialect dialect;
    if (!runtime_found_dialect(&found, &dialect) || (found.pods == 0 && !found.counted)) {
        return known_to_hold(runtime, status);
    }
    if (found.pods == 0) {
        return false;
    }
    progress_problem("runtime %s holds %zu pods, which the kubelet would no longer see:", runtime->name, found.pods);
    print_pods(endpoint, dialect, arena);
    return true;
}

static bool is_in_map(const struct runtime_map *map, const char *endpoint)
{
    for (size_t i = 0; map && i < map->runtime_count; i++) {
        if (same_socket(map->runtimes[i].endpoint, endpoint)) {
            return true;
        }
    }
    return false;
}

/* The running crigate serves by the last map that was good: the one on the disk may be edited since, or gone. */
static bool running_holds(const struct runtime_map *map, struct json_object *status, const char *stays, struct arena *arena)
{
    bool held = false;
    for (size_t i = 0; i < crigate_status_runtime_count(status); i++) {
        struct other runtime;
        runtime.endpoint = crigate_status_endpoint(status, i, &runtime.name);
        if (!same_socket(runtime.endpoint, stays) && !is_in_map(map, runtime.endpoint)) {
            held = holds(&runtime, status, arena) || held;
        }
    }
    return held;
}

static bool is_there(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0;
}

bool pods_held_by_others(const char *stays, const char *control, struct arena *arena)
{
    bool held = false;
    struct error why = {0};
    struct runtime_map *map = load_map(&why);
    struct json_object *status = crigate_status(control, NULL);
    if (!map && !status && is_there(RUNTIME_MAP_DEFAULT_PATH)) {
        progress_problem(RUNTIME_MAP_DEFAULT_PATH
                         " has errors, and crigate does not answer, so it is unknown whether another runtime holds pods: %s",
                         why.message);
        held = true;
    }
    for (size_t i = 0; map && i < map->runtime_count; i++) {
        const struct other runtime = {map->runtimes[i].name, map->runtimes[i].endpoint};
        if (!same_socket(runtime.endpoint, stays)) {
            held = holds(&runtime, status, arena) || held;
        }
    }
    held = running_holds(map, status, stays, arena) || held;
    json_object_put(status);
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
