#include "node/bypass/find.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/system/unix_socket.h"
#include "core/control/crigate_status.h"
#include "core/control/protocol.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/files/node_folder.h"
#include "node/preflight/socket.h"

/* Milliseconds for each question to a runtime. */
#define PATIENCE_MS 3000

#define PATH_SIZE (sizeof((struct bypass_record *)0)->link)

static const char *copy_of(const char *text, struct arena *arena)
{
    const char *copy = text ? arena_string(arena, bytes_of_string(text)) : NULL;
    return copy ? copy : "";
}

/* ---- the map ---- */

static void note_map_problem(const struct runtime_map_problems *problems, struct bypass_facts *facts, struct arena *arena)
{
    const struct runtime_map_problem *first = runtime_map_problems_first(problems);
    facts->map_problem = first ? copy_of(first->message, arena) : "it cannot be read";
}

/* The entry of the requested runtime; NULL: there is none. */
static const struct runtime_entry *entry_of(const struct runtime_map *map, const char *runtime)
{
    if (!runtime) {
        return &map->runtimes[map->primary];
    }
    for (size_t i = 0; i < map->runtime_count; i++) {
        const char *path = socket_path(runtime), *endpoint = socket_path(docker_endpoint_to_ask(map->runtimes[i].endpoint));
        if (path ? endpoint && node_path_is_same(path, endpoint) : strcmp(map->runtimes[i].name, runtime) == 0) {
            return &map->runtimes[i];
        }
    }
    return NULL;
}

static void read_entry(const struct runtime_map *map, const struct runtime_entry *entry, struct bypass_facts *facts,
                       struct arena *arena)
{
    facts->in_map = entry != NULL;
    facts->hooks = map->hooks.on;
    facts->callers = map->listen.callers ? copy_of(map->listen.callers, arena) : NULL;
    if (entry) {
        facts->plain_ids = entry->plain_ids;
        facts->images_elsewhere = strcmp(entry->image_endpoint, entry->endpoint) != 0;
    }
}

/* ---- link and target ---- */

static bool choose_target(const struct bypass_wish *wish, const struct bypass_record *record, const struct runtime_entry *entry,
                          struct bypass_facts *facts, struct arena *arena, struct error *error)
{
    const char *path = wish->runtime ? socket_path(wish->runtime) : NULL;
    if (!path && !wish->runtime && record && record->readable) {
        path = record->target;
    } else if (!path && entry) {
        path = socket_path(docker_endpoint_to_ask(entry->endpoint));
    }
    facts->target = path ? copy_of(path, arena) : NULL;
    if (path && strlen(path) < PATH_SIZE) {
        return true;
    }
    if (facts->map_problem) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the runtime map cannot be read (%s): name the runtime's socket, as in --runtime "
                         "/run/containerd/containerd.sock",
                         facts->map_problem);
    }
    return error_set(error, STATUS_INVALID_ARGUMENT, "%s is neither a runtime of the map nor a socket",
                     wish->runtime ? wish->runtime : "the primary");
}

static bool choose_link(const struct bypass_record *record, const struct runtime_map *map, struct bypass_facts *facts,
                        struct arena *arena, struct error *error)
{
    if (record && record->readable) {
        facts->link = copy_of(record->link, arena);
    } else if (map) {
        facts->link = copy_of(map->listen.path, arena);
    } else {
        facts->link = facts->kubelet_path;
    }
    if (!facts->link || strlen(facts->link) >= PATH_SIZE) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "cannot determine which socket the kubelet uses: no runtime map can be read, and no kubelet was found");
    }
    if (node_path_is_same(facts->link, facts->target)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s is crigate's own socket; name the runtime's", facts->target);
    }
    return true;
}

/* ---- other runtimes ---- */

static void ask_other(const struct runtime_entry *entry, const char *control, struct bypass_other *other, struct arena *arena)
{
    struct runtime_found direct = {0};
    runtime_ask(docker_endpoint_to_ask(entry->endpoint), PATIENCE_MS, arena, &direct);
    *other = (struct bypass_other){copy_of(entry->name, arena), direct.counted, direct.pods};
    if (!other->counted) {
        struct json_object *status = crigate_status(control, NULL);
        int64_t pods = status ? crigate_status_pods_of(status, entry->endpoint) : -1;
        json_object_put(status);
        other->counted = pods >= 0;
        other->pods = pods >= 0 ? (size_t)pods : 0;
    }
}

static void ask_others(const struct runtime_map *map, const struct runtime_entry *entry, struct bypass_found *found,
                       struct arena *arena)
{
    char control[PATH_MAX];
    snprintf(control, sizeof control, "%s/" CONTROL_SOCKET_NAME, map->state);
    for (size_t i = 0; i < map->runtime_count && found->facts.other_count < BYPASS_OTHERS_MOST; i++) {
        if (&map->runtimes[i] != entry) {
            ask_other(&map->runtimes[i], control, &found->others[found->facts.other_count++], arena);
        }
    }
    found->facts.others = found->others;
}

/* ---- the whole ---- */

static void find_kubelet(struct bypass_found *found, struct arena *arena)
{
    struct kubelet_search search = {0};
    struct bypass_facts *facts = &found->facts;
    if (!kubelet_find(&search, arena, &found->kubelet, &found->kubelet_error)) {
        facts->kubelet_problem = found->kubelet_error.message;
        return;
    }
    facts->kubelet = &found->kubelet;
    facts->kubelet_path = socket_path(found->kubelet.runtime_endpoint.value);
    found->healthz = found->kubelet.healthz_address;
}

static bool find(const struct bypass_wish *wish, const struct bypass_record *record, const struct runtime_map *map,
                 const struct runtime_map_problems *problems, struct arena *arena, struct bypass_found *found,
                 struct error *error)
{
    char endpoint[PATH_SIZE + sizeof SOCKET_SCHEME];
    struct bypass_facts *facts = &found->facts;
    const struct runtime_entry *entry = map ? entry_of(map, wish->runtime) : NULL;
    if (!choose_target(wish, record, entry, facts, arena, error) || !choose_link(record, map, facts, arena, error)) {
        return false;
    }
    if (map) {
        entry = entry_of(map, facts->target);
        read_entry(map, entry, facts, arena);
        ask_others(map, entry, found, arena);
    }
    found->state = copy_of(runtime_map_state(map, problems), arena);
    facts->kubelet_elsewhere = facts->kubelet_path && !node_path_is_same(facts->kubelet_path, facts->link);
    snprintf(endpoint, sizeof endpoint, SOCKET_SCHEME "%s", facts->target);
    runtime_ask(copy_of(endpoint, arena), PATIENCE_MS, arena, &found->direct);
    facts->direct = &found->direct;
    return true;
}

bool bypass_find(const struct bypass_wish *wish, const struct bypass_record *record, struct arena *arena,
                 struct bypass_found *found, struct error *error)
{
    struct runtime_map_problems problems = {0};
    *found = (struct bypass_found){0};
    struct runtime_map *map = runtime_map_load(wish->config, &problems);
    if (!map) {
        note_map_problem(&problems, &found->facts, arena);
    }
    find_kubelet(found, arena);
    bool good = find(wish, record, map, &problems, arena, found, error);
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    return good;
}
