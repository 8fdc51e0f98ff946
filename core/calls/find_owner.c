#include "find_owner.h"

#include <json-c/json.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/transport/query.h"
#include "translate/json/json.h"
#include "translate/lists/item.h"

/* One runtime that is asked. */
struct question {
    struct owner_search *search;
    struct runtime *runtime;
    struct query *query; /* while it is under way */
    int64_t began;
};

/* Lives in the call's arena. */
struct owner_search {
    struct call *call;
    find_owner_done *done;
    const struct method *list;
    size_t unanswered;
    struct error failure; /* of a runtime that could not be asked */
    struct question questions[];
};

/* Whether the call can go to the runtime in that slot: a reload during the search may have brought it. */
static bool is_within_reach(const struct call *call, unsigned slot)
{
    size_t i = 0;
    while (i < call->request.generation->map->runtime_count && call->request.generation->runtimes[i]->slot != slot) {
        i++;
    }
    return i < call->request.generation->map->runtime_count;
}

/* Whether a reload has brought another map. It may name a runtime that holds the id, and is still to be asked what it holds. */
static bool is_replaced(const struct generation *generation)
{
    return generation->next;
}

/* What the search has come to, if that is an error. */
static void judge(const struct owner_search *search, enum id_answer known, unsigned slot, struct error *error)
{
    const struct route *route = &search->call->route;
    int length = (int)(route->id.len < 128 ? route->id.len : 128);
    const char *id = (const char *)route->id.data;
    if (known == ID_DISPUTED) {
        error_set(error, STATUS_FAILED_PRECONDITION, "two runtimes claim %.*s; neither is asked", length, id);
    } else if (known == ID_SEVERAL) {
        error_set(error, STATUS_INVALID_ARGUMENT, "several ids begin with %.*s: give more characters of the id", length, id);
    } else if (known == ID_HELD ? !is_within_reach(search->call, slot) : is_replaced(search->call->request.generation)) {
        error_set(error, STATUS_UNAVAILABLE, "the runtime map was reloaded during the search for %.*s; retry", length, id);
    }
}

static void answered(struct owner_search *search)
{
    if (--search->unanswered > 0) {
        return;
    }
    struct error error = {0};
    unsigned slot = 0;
    struct call *call = search->call;
    const struct route *route = &call->route;
    call->search = NULL;
    if (call->request.cancelled) {
        error_set(&error, STATUS_CANCELLED, "the caller is gone");
        search->done(call, false, &error);
        return;
    }
    enum id_answer known = id_index_find(call->server->knowledge->index, route->kind, route->id, &slot);
    /* A runtime that holds it settles the matter, whatever other runtime is unavailable. With a beginning, that one could hold
       another id that begins with it. */
    bool whole = known != ID_UNKNOWN;
    if (!whole) {
        known = id_index_find_beginning(call->server->knowledge->index, route->kind, route->id, &slot);
        call->request.beginning = known == ID_HELD ? route->id : (struct bytes){0};
        call->beginning_slot = slot;
        error = known == ID_UNKNOWN || known == ID_HELD ? search->failure : error;
    }
    if (error.code == STATUS_OK) {
        judge(search, known, slot, &error);
    }
    search->done(call, known == ID_HELD, &error);
}

/* Learns the ids of a list that begin as the one that is looked for: a filter by id finds longer ones, too. */
static void take_list(struct question *question, struct bytes list)
{
    const struct call *call = question->search->call;
    const struct route *route = &call->route;
    enum dialect dialect = runtime_answer_dialect(question->runtime);
    struct list_items items = list_items_of(route->kind, dialect, list);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        struct error error = {0};
        bool learned = !bytes_start_with(item.id, route->id) ||
                       id_index_learn(call->server->knowledge->index, route->kind, item.id, question->runtime->slot, &error);
        if (!learned && bytes_equal(item.id, route->id)) {
            log_line(LOG_SERIOUS, "runtime %s: %s", question->runtime->entry->name, error.message);
        }
    }
}

static void on_listed(void *state, const struct error *error, struct bytes answer)
{
    struct question *question = state;
    struct owner_search *search = question->search;
    question->query = NULL;
    if (error->code == STATUS_OK && question->runtime->replaced) {
        error_set(&search->failure, STATUS_UNAVAILABLE, "runtime %s was replaced by a reload; retry",
                  question->runtime->entry->name);
    } else if (error->code == STATUS_OK) {
        take_list(question, answer);
    } else {
        if (error->code == STATUS_DEADLINE_EXCEEDED) {
            runtime_hangs(question->runtime, question->began, question->search->list->name);
        }
        enum status_code code = error->code == STATUS_RESOURCE_EXHAUSTED ? error->code : STATUS_UNAVAILABLE;
        error_set(&search->failure, code, "runtime %s, which could hold %.*s, cannot be queried: %s",
                  question->runtime->entry->name, BYTES_SHOWN(search->call->route.id, 128), error->message);
    }
    answered(search);
}

/* The list request with a filter by that id. */
static bool encode_filter(const struct owner_search *search, enum dialect dialect, struct bytes *request)
{
    const struct route *route = &search->call->route;
    struct json_object *id = json_object_new_string_len((const char *)route->id.data, (int)route->id.len);
    struct json_object *filter = json_object_new_object();
    struct json_object *json = json_object_new_object();
    struct error error;
    bool done = id && json_add(filter, "id", json_object_get(id)) && json_add(json, "filter", json_object_get(filter)) &&
                json_to_message(search->list->in[dialect].request, json, false, search->call->request.arena, request, &error);
    json_object_put(id);
    json_object_put(filter);
    json_object_put(json);
    return done;
}

static void ask(struct question *question)
{
    struct owner_search *search = question->search;
    struct runtime *runtime = question->runtime;
    struct error error = {0};
    struct bytes request;
    if (!runtime_ready(runtime, &error)) {
        on_listed(question, &error, (struct bytes){0});
        return;
    }
    if (encode_filter(search, runtime->dialect, &request)) {
        question->query = query_start(&runtime->connection.channel, search->list->in[runtime->dialect].path, request,
                                      runtime->entry->budget, on_listed, question);
    }
    if (!question->query) {
        error_no_memory(&error);
        on_listed(question, &error, (struct bytes){0});
    }
}

void find_owner_start(struct call *call, find_owner_done *done)
{
    const struct route *route = &call->route;
    struct owner_search *search = arena_zalloc(call->request.arena, sizeof *search + route->count * sizeof search->questions[0]);
    if (!search || call->request.cancelled) {
        struct error error;
        error_no_memory(&error);
        if (call->request.cancelled) {
            error_set(&error, STATUS_CANCELLED, "the caller is gone");
        }
        done(call, false, &error);
        return;
    }
    search->call = call;
    search->done = done;
    search->list = method_by_name(route->kind == ID_POD ? "ListPodSandbox" : "ListContainers");
    search->unanswered = route->count + 1;
    call->search = search;
    for (size_t i = 0; i < route->count; i++) {
        search->questions[i] = (struct question){
            .search = search, .runtime = call->request.generation->runtimes[route->targets[i]], .began = clock_ns()};
        ask(&search->questions[i]);
    }
    answered(search);
}

void find_owner_cancel(struct call *call)
{
    struct owner_search *search = call->search;
    for (size_t i = 0; search && i < call->route.count; i++) {
        if (search->questions[i].query) {
            query_cut_short(search->questions[i].query);
        }
    }
}
