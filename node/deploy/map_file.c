#include "node/deploy/map_file.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/unix_socket.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/deploy/shipped.h"
#include "node/files/node_folder.h"

/* ---- the text ---- */

/* Quoted as in JSON, which YAML reads the same way. */
static void print_pair(const char *key, const char *value, FILE *out)
{
    struct json_object *text = json_object_new_string(value);
    fprintf(out, "%s: %s\n", key, json_object_to_json_string_ext(text, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(text);
}

static void print_runtime(const struct wanted_runtime *runtime, bool primary, FILE *out)
{
    fprintf(out, "  # %s\n",
            primary ? "The kubelet's own runtime speaks for the node. Its pods, containers and images keep their names."
                    : "Its ids and images begin with its name.");
    print_pair("  - name", runtime->name, out);
    print_pair("    endpoint", runtime->endpoint, out);
    if (runtime->image_endpoint) {
        print_pair("    image_endpoint", runtime->image_endpoint, out);
    }
    fputs(primary ? "    primary: true\n" : "", out);
}

static void print_map(const struct wanted_map *wanted, FILE *out)
{
    fputs("# The runtime map of crigate: which container runtimes this node has. Written by `crigate install`.\n"
          "# Each key is explained in crigate.yaml(5); `crigate --check-config " RUNTIME_MAP_DEFAULT_PATH "` checks this file.\n"
          "listen:\n",
          out);
    print_pair("  address", wanted->listen, out);
    if (wanted->callers) {
        fputs("  # Without it, containers of this kubelet would see an unmasked /proc.\n", out);
        print_pair("  callers", wanted->callers, out);
    }
    fputs("runtimes:\n", out);
    for (size_t i = 0; i < wanted->runtime_count; i++) {
        print_runtime(&wanted->runtimes[i], i == 0, out);
    }
}

static bool first_problem(const struct runtime_map_problems *problems, struct error *error)
{
    const struct runtime_map_problem *problem = runtime_map_problems_first(problems);
    if (!problem) {
        return error_out_of_memory(error);
    }
    const char *file = problem->file ? problem->file : "the runtime map";
    return problem->line > 0 ? error_set(error, STATUS_INVALID_ARGUMENT, "%s:%u: %s", file, problem->line, problem->message)
                             : error_set(error, STATUS_INVALID_ARGUMENT, "%s: %s", file, problem->message);
}

/* Loads a map; NULL with its first mistake. */
static struct runtime_map *load(struct runtime_map_source *source, struct error *error)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load_from(source, &problems);
    if (!map) {
        first_problem(&problems, error);
    }
    runtime_map_problems_clear(&problems);
    return map;
}

bool map_file_text(const struct wanted_map *wanted, struct arena *arena, struct bytes *text, struct error *error)
{
    char *written = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&written, &size);
    if (!out) {
        return error_out_of_memory(error);
    }
    print_map(wanted, out);
    bool complete = fclose(out) == 0;
    /* A NUL follows, which does not count. */
    const char *copy = complete ? arena_string(arena, bytes_of(written, size)) : NULL;
    free(written);
    if (!copy) {
        return error_out_of_memory(error);
    }
    *text = bytes_of(copy, size);
    struct runtime_map *map = load(&(struct runtime_map_source){.path = "the runtime map", .text = copy}, error);
    bool good = map && map_file_fits(map, wanted, error);
    runtime_map_free(map);
    return good;
}

/* ---- what is there ---- */

bool same_socket(const char *one, const char *other)
{
    struct stat a, b;
    const char *path = unix_socket_path(docker_endpoint_to_ask(one)),
               *other_path = unix_socket_path(docker_endpoint_to_ask(other));
    return node_path_is_same(path, other_path) ||
           (stat(path, &a) == 0 && stat(other_path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

static bool differs(struct error *why, const char *text, const char *value)
{
    return error_set(why, STATUS_FAILED_PRECONDITION, text, value);
}

static bool has_runtime(const struct runtime_map *map, const struct wanted_runtime *wanted)
{
    bool found = false;
    for (size_t i = 0; i < map->runtime_count; i++) {
        found = found || same_socket(map->runtimes[i].endpoint, wanted->endpoint);
    }
    return found;
}

bool map_file_fits(const struct runtime_map *map, const struct wanted_map *wanted, struct error *why)
{
    const struct runtime_entry *primary = &map->runtimes[map->primary];
    const struct wanted_runtime *wants = &wanted->runtimes[0];
    if (strcmp(map->listen.address, wanted->listen) != 0) {
        return differs(why, "it does not listen at %s", wanted->listen);
    }
    if (!same_socket(primary->endpoint, wants->endpoint)) {
        return differs(why, "its primary is not the kubelet's runtime, %s", wants->endpoint);
    }
    if (!same_socket(primary->image_endpoint, wants->image_endpoint ? wants->image_endpoint : wants->endpoint)) {
        return differs(why, "its primary does not have the kubelet's image endpoint, %s",
                       wants->image_endpoint ? wants->image_endpoint : wants->endpoint);
    }
    if (!primary->plain_ids) {
        return differs(why, "the ids of its primary %s are prefixed: the kubelet would not recognise its pods", primary->name);
    }
    if (wanted->callers && (!map->listen.callers || strcmp(map->listen.callers, wanted->callers) != 0)) {
        return differs(why, "it lacks listen.callers: \"%s\", without which containers would see an unmasked /proc",
                       wanted->callers);
    }
    for (size_t i = 1; i < wanted->runtime_count; i++) {
        if (!has_runtime(map, &wanted->runtimes[i])) {
            return differs(why, "it has no runtime at %s", wanted->runtimes[i].endpoint);
        }
    }
    return true;
}

bool map_file_check(const struct wanted_map *wanted, struct error *error)
{
    struct runtime_map *map = load(&(struct runtime_map_source){.path = RUNTIME_MAP_DEFAULT_PATH}, error);
    bool fits = map && map_file_fits(map, wanted, error);
    if (map && !fits) {
        error_wrap(error, "%s", map->file_count > 1 ? RUNTIME_MAP_DEFAULT_PATH " with its drop-ins" : RUNTIME_MAP_DEFAULT_PATH);
    }
    runtime_map_free(map);
    return fits;
}

bool map_file_plan(const struct wanted_map *wanted, bool replace, struct arena *arena, struct map_plan *plan, struct error *error)
{
    *plan = (struct map_plan){.decision = MAP_WRITE};
    struct node_file *before = &plan->file.before;
    if (!node_file_check_owner(RUNTIME_MAP_DEFAULT_PATH, error) ||
        !node_file_read(RUNTIME_MAP_DEFAULT_PATH, arena, before, error)) {
        return false;
    }
    if (before->present && map_file_check(wanted, &plan->why)) {
        plan->decision = MAP_FITS;
        return true;
    }
    if (before->present && !replace && !bytes_equal(before->text, shipped_map)) {
        plan->decision = MAP_DIFFERS;
    }
    if (plan->decision == MAP_WRITE && !node_file_check_links(before, error)) {
        return false;
    }
    plan->file.mode = 0644;
    plan->file.why = "the runtime map";
    return map_file_text(wanted, arena, &plan->file.after, error);
}
