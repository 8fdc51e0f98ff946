/* Asks a runtime for the facts of a pod or container, as the gateway does for hooks.
 *
 * usage: lookup_talk MAP pod|container ID MILLISECONDS [cancel]
 *
 * The runtime is the first of the runtime map. It waits until the runtime is ready, asks, and prints a line of JSON: `code` and
 * `message` of the error, and what was found: `podId`, `containerId`, `handler`, `pod` and `container` (configurations as JSON),
 * `environment` (whether it is known), `parentChanged`, `missing`. With `cancel` it cancels the lookup at once, and prints
 * `{"cancelled":true}` after a while in which no answer may come. Exit status 0; 1 if it could not ask. */
#include <grpc/grpc.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hooks/lookup.h"
#include "core/loop/worker.h"
#include "core/map/load.h"
#include "translate/json/json.h"

#define LONG_ENOUGH_MS 500

struct talk {
    struct worker worker;
    struct runtime *runtime;
    enum id_kind kind;
    struct bytes id;
    int64_t milliseconds;
    bool cancels;
    bool asked;
    int status;
    struct timer end;
};

static void finish(struct talk *talk)
{
    runtime_unref(talk->runtime);
    worker_close(&talk->worker);
}

static void put_text(struct json_object *line, const char *key, struct bytes text)
{
    json_object_object_add(line, key, json_object_new_string_len((const char *)text.data, (int)text.len));
}

static void put_facts(struct json_object *line, const char *key, const char *type, struct bytes facts)
{
    struct error error = {0};
    struct json_object *json = json_from_message(schema_message_by_name(DIALECT_MODEL, type), facts, JSON_EXACT, &error);
    json_object_object_add(line, key, json);
}

static void put_container(struct json_object *line, const struct lookup_result *result)
{
    struct arena *arena = arena_new((size_t)16 << 20);
    const struct bytes parts[] = {result->container.facts, result->container.environment};
    put_facts(line, "container", "ContainerConfig", arena_join(arena, parts, 2));
    arena_unref(arena);
    put_text(line, "containerId", result->container_id);
    put_text(line, "containersPod", result->container.pod_id);
    json_object_object_add(line, "environment", json_object_new_boolean(result->container.has_environment));
}

static void on_done(void *state, const struct lookup_result *result)
{
    struct talk *talk = state;
    struct json_object *line = json_object_new_object();
    put_text(line, "code", bytes_of_string(status_code_name(result->error.code)));
    put_text(line, "message", bytes_of_string(result->error.message));
    if (result->error.code == STATUS_OK) {
        put_text(line, "podId", result->pod_id);
        put_text(line, "handler", result->pod.handler);
        put_facts(line, "pod", "PodSandboxConfig", result->pod.facts);
        json_object_object_add(line, "parentChanged", json_object_new_boolean(result->pod.parent_changed));
        if (talk->kind == ID_CONTAINER) {
            put_container(line, result);
        }
    }
    if (result->missing) {
        put_text(line, "missing", bytes_of_string(result->missing));
    }
    puts(json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
    json_object_put(line);
    talk->status = talk->cancels ? 1 : 0;
    finish(talk);
}

static void on_end(struct completion *completion, bool ok)
{
    struct talk *talk = completion_owner(completion, struct talk, end.completion);
    (void)ok;
    puts("{\"cancelled\":true}");
    talk->status = 0;
    finish(talk);
}

static void on_changed(void *state, struct runtime *runtime)
{
    struct talk *talk = state;
    if (runtime->state != RUNTIME_READY || talk->asked) {
        return;
    }
    talk->asked = true;
    struct lookup *lookup = lookup_start(runtime, talk->kind, talk->id, talk->milliseconds, on_done, talk);
    if (!lookup) {
        fputs("lookup_talk: it could not ask\n", stderr);
        finish(talk);
    } else if (talk->cancels) {
        lookup_cancel(lookup);
        worker_arm(&talk->worker, &talk->end, LONG_ENOUGH_MS);
    }
}

static void on_let_go(void *state)
{
    (void)state;
}

static struct runtime_task *list_nothing(void *state, struct runtime *runtime, runtime_lists_done *done)
{
    (void)state;
    (void)runtime;
    (void)done;
    return NULL;
}

static int run(struct talk *talk, const struct runtime_map *map)
{
    const struct runtime_callbacks callbacks = {
        .state = talk, .changed = on_changed, .let_go = on_let_go, .list_all = list_nothing};
    grpc_init();
    worker_init(&talk->worker);
    talk->runtime = runtime_new(&map->runtimes[0], 0, &talk->worker, (size_t)64 << 20, &callbacks);
    if (talk->runtime) {
        talk->runtime->list_items = map->limits.list_items;
        worker_run(&talk->worker);
    }
    grpc_shutdown();
    return talk->status;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6) {
        fputs("usage: lookup_talk MAP pod|container ID MILLISECONDS [cancel]\n", stderr);
        return 1;
    }
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(argv[1], &problems);
    struct talk talk = {
        .kind = strcmp(argv[2], "pod") == 0 ? ID_POD : ID_CONTAINER,
        .id = bytes_of_string(argv[3]),
        .milliseconds = strtol(argv[4], NULL, 10),
        .cancels = argc == 6,
        .status = 1,
        .end.completion.run = on_end,
    };
    int status = map ? run(&talk, map) : 1;
    runtime_map_free(map);
    runtime_map_problems_clear(&problems);
    return status;
}
