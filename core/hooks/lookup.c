#include "lookup.h"

#include <stdlib.h>

#include "base/json/build.h"
#include "base/system/clock.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/list_query.h"
#include "translate/convert/convert.h"
#include "translate/hooks/facts.h"
#include "translate/json/json.h"
#include "translate/lists/item.h"
#include "translate/rebuild/rebuild.h"

/* Two answers, each converted, and what is decoded of their `info`. */
#define LOOKUP_MEMORY ((size_t)64 << 20)

struct lookup {
    struct runtime *runtime; /* referenced */
    enum dialect dialect;    /* in which it is asked */
    enum id_kind wanted;
    int64_t until;     /* clock_ns() */
    lookup_done *done; /* NULL after a cancellation */
    void *state;
    struct arena *arena;

    /* What is being asked for now: a container or its pod. */
    enum id_kind kind;
    struct bytes id;
    const struct method *method;
    struct query *query;        /* while a status, or the place of a container, is asked for */
    struct list_query *listing; /* while it is asked whether there is such a thing at all */
    bool failing;               /* the failure is being explained, which may cancel the lookup */
    struct error failure;

    struct rebuilt_container container;
    struct lookup_result result;
};

static void release(struct lookup *lookup)
{
    runtime_unref(lookup->runtime);
    arena_unref(lookup->arena);
    free(lookup);
}

static void finish(struct lookup *lookup)
{
    lookup->done(lookup->state, &lookup->result);
    release(lookup);
}

static void fail(struct lookup *lookup, const struct error *error)
{
    lookup->result.error = *error;
    error_wrap(&lookup->result.error, "%s of runtime %s", lookup->method->name, lookup->runtime->entry->name);
    finish(lookup);
}

static void fail_with(struct lookup *lookup, enum status_code code, const char *text)
{
    struct error error;
    error_set(&error, code, "%s", text);
    fail(lookup, &error);
}

static int64_t time_left(const struct lookup *lookup)
{
    return (lookup->until - clock_ns()) / NANOSECONDS_A_MILLISECOND;
}

/* ---- questions ---- */

/* {"KEY": "ID"}. */
static struct json_object *object_of(const char *key, struct bytes id)
{
    struct json_object *object = json_object_new_object();
    json_add(object, key, json_object_new_string_len((const char *)id.data, (int)id.len));
    return object;
}

/* Takes over the request. false: no memory, or the id is not text. */
static bool ask(struct lookup *lookup, const char *name, struct json_object *request, query_done *done)
{
    const struct method *method = method_by_name(name);
    struct error ignored;
    struct bytes bytes;
    lookup->method = method;
    bool encoded = json_to_message(method->in[lookup->dialect].request, request, false, lookup->arena, &bytes, &ignored);
    json_object_put(request);
    if (!encoded) {
        return false;
    }
    lookup->query = query_start(&lookup->runtime->connection.channel, method->in[lookup->dialect].path, bytes, time_left(lookup),
                                done, lookup);
    return lookup->query != NULL;
}

static void on_status(void *state, const struct error *error, struct bytes answer);

static bool ask_status(struct lookup *lookup, enum id_kind kind, struct bytes id)
{
    lookup->kind = kind;
    lookup->id = id;
    struct json_object *request = object_of(kind == ID_POD ? "podSandboxId" : "containerId", id);
    json_add(request, "verbose", json_object_new_boolean(true));
    return ask(lookup, kind == ID_POD ? "PodSandboxStatus" : "ContainerStatus", request, on_status);
}

/* Asks for the next thing, if there is time. */
static void go_on(struct lookup *lookup, bool (*next)(struct lookup *lookup))
{
    if (time_left(lookup) <= 0) {
        fail_with(lookup, STATUS_DEADLINE_EXCEEDED, "no time left");
    } else if (!next(lookup)) {
        fail_with(lookup, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
}

/* ---- failures ---- */

/* Some runtimes accept the beginning of an id, and shortened ids are found by it. */
static bool find_item(enum id_kind kind, enum dialect dialect, struct bytes list, struct bytes id, struct list_item *found,
                      bool *malformed)
{
    struct list_items items = list_items_of(kind, dialect, list);
    bool there = false;
    while (!there && list_items_next(&items, found)) {
        there = bytes_start_with(found->id, id);
    }
    *malformed = !there && items.malformed;
    return there;
}

static void on_all(void *state, const struct error *error, struct bytes answer)
{
    struct lookup *lookup = state;
    struct list_item item;
    bool malformed;
    lookup->listing = NULL;
    if (error->code == STATUS_OK &&
        !find_item(lookup->kind, dialects[lookup->dialect].caller, answer, lookup->id, &item, &malformed) && !malformed) {
        lookup->failure.code = STATUS_NOT_FOUND;
    }
    fail(lookup, &lookup->failure);
}

/* A failure with the code UNKNOWN means NOT_FOUND, if the complete list lacks the thing; some runtimes fail for a filter by an id
   that does not exist, too. */
static bool ask_all(struct lookup *lookup)
{
    const struct method *method = method_by_name(lookup->kind == ID_POD ? "ListPodSandbox" : "ListContainers");
    lookup->listing = list_query_start(lookup->runtime, method, time_left(lookup), on_all, lookup);
    return lookup->listing != NULL;
}

static void take_failure(struct lookup *lookup, const struct error *error)
{
    struct bytes text = bytes_of_string(error->message);
    lookup->failure = *error;
    lookup->failing = true;
    runtime_explain(lookup->runtime, (grpc_status_code)error->code, text, &lookup->failure);
    lookup->failing = false;
    if (!lookup->done) {
        release(lookup);
    } else if (lookup->failure.code == STATUS_UNKNOWN) {
        go_on(lookup, ask_all);
    } else {
        fail(lookup, &lookup->failure);
    }
}

/* ---- answers ---- */

static bool convert(struct lookup *lookup, struct bytes answer, struct bytes *model, struct error *error)
{
    struct bytes converted;
    struct conversion conversion = {
        .method = lookup->method,
        .from = dialects[lookup->dialect].caller,
        .to = DIALECT_MODEL,
        .arena = lookup->arena,
        .merged = true,
    };
    if (!convert_response(&conversion, answer, &converted, error)) {
        error->code = error->code == STATUS_ABORTED ? STATUS_INTERNAL : error->code;
        return false;
    }
    *model = converted.data == answer.data ? arena_copy(lookup->arena, converted) : converted;
    return model->data || error_no_memory(error);
}

static void take_pod(struct lookup *lookup, struct bytes model)
{
    struct rebuilt_pod pod;
    struct error error;
    struct lookup_result *result = &lookup->result;
    unsigned missing = lookup->container.missing;
    if (!rebuild_pod(model, lookup->arena, &pod, &error)) {
        fail(lookup, &error);
        return;
    }
    result->pod_id = pod.id;
    result->pod = (struct known_pod){
        .handler = pod.handler,
        .facts = pod.facts,
        .parent_changed = hook_facts_cgroup_parent(pod.facts).len > 0,
    };
    if (lookup->wanted == ID_CONTAINER) {
        result->container_id = lookup->container.id;
        result->container = (struct known_container){
            .pod_id = pod.id,
            .facts = lookup->container.facts,
            .environment = lookup->container.environment,
            .has_environment = !(missing & REBUILD_NO_ENVIRONMENT),
        };
        missing |= pod.missing & REBUILD_NO_PARENT;
    } else {
        missing = pod.missing;
    }
    result->missing = rebuild_missing_text(missing);
    finish(lookup);
}

static bool ask_pod(struct lookup *lookup)
{
    return ask_status(lookup, ID_POD, lookup->container.pod_id);
}

static void on_place(void *state, const struct error *error, struct bytes answer)
{
    struct lookup *lookup = state;
    struct list_item item;
    bool malformed;
    lookup->query = NULL;
    if (error->code != STATUS_OK) {
        take_failure(lookup, error);
    } else if (!find_item(ID_CONTAINER, dialects[lookup->dialect].caller, answer, lookup->container.id, &item, &malformed)) {
        fail_with(lookup, malformed ? STATUS_INTERNAL : STATUS_NOT_FOUND,
                  malformed ? "the answer is malformed" : "it does not list the container");
    } else if (item.pod_sandbox_id.len == 0) {
        fail_with(lookup, STATUS_INTERNAL, "the container that it lists has no pod");
    } else {
        lookup->container.pod_id = arena_copy(lookup->arena, item.pod_sandbox_id);
        go_on(lookup, ask_pod);
    }
}

static bool ask_place(struct lookup *lookup)
{
    struct json_object *request = json_object_new_object();
    json_add(request, "filter", object_of("id", lookup->container.id));
    return ask(lookup, "ListContainers", request, on_place);
}

static void take_container(struct lookup *lookup, struct bytes model)
{
    struct error error;
    if (!rebuild_container(model, lookup->arena, &lookup->container, &error)) {
        fail(lookup, &error);
    } else {
        go_on(lookup, lookup->container.pod_id.len > 0 ? ask_pod : ask_place);
    }
}

static void on_status(void *state, const struct error *error, struct bytes answer)
{
    struct lookup *lookup = state;
    struct error refusal = {0};
    struct bytes model;
    lookup->query = NULL;
    if (error->code != STATUS_OK) {
        take_failure(lookup, error);
    } else if (!convert(lookup, answer, &model, &refusal)) {
        fail(lookup, &refusal);
    } else if (lookup->kind == ID_CONTAINER) {
        take_container(lookup, model);
    } else {
        take_pod(lookup, model);
    }
}

/* ---- start and end ---- */

struct lookup *lookup_start(struct runtime *runtime, enum id_kind kind, struct bytes id, int64_t milliseconds, lookup_done *done,
                            void *state)
{
    struct error ignored;
    if (!runtime_takes_calls(runtime, &ignored)) {
        return NULL;
    }
    struct lookup *lookup = calloc(1, sizeof *lookup);
    if (!lookup) {
        return NULL;
    }
    *lookup = (struct lookup){
        .runtime = runtime_ref(runtime),
        .dialect = runtime->dialect,
        .wanted = kind,
        .until = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND,
        .done = done,
        .state = state,
        .arena = arena_new(LOOKUP_MEMORY),
    };
    struct bytes copy = lookup->arena ? arena_copy(lookup->arena, id) : (struct bytes){0};
    if (!copy.data || !ask_status(lookup, kind, copy)) {
        release(lookup);
        return NULL;
    }
    return lookup;
}

void lookup_cancel(struct lookup *lookup)
{
    if (lookup->failing) {
        lookup->done = NULL;
        return;
    }
    if (lookup->query) {
        query_cancel(lookup->query);
    }
    if (lookup->listing) {
        list_query_cancel(lookup->listing);
    }
    release(lookup);
}
