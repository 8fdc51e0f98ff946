#include "stale_answer.h"

#include <string.h>

#include "core/calls/call.h"
#include "core/memory/learn.h"
#include "core/runtimes/name_map.h"
#include "core/upstream/list_answer.h"
#include "translate/list_filter.h"

/* Converts what was seen, in the dialect of that time, for the caller, and adds it to the answer. */
static bool add_piece(struct upstream_call *upstream, const struct last_known_piece *piece)
{
    const struct call *call = upstream->call;
    struct name_map names;
    upstream_names_of_response(upstream, &names);
    struct conversion conversion = {
        .method = call->request.method,
        .from = dialects[piece->dialect].caller,
        .to = call->request.caller,
        .arena = upstream->arena,
        .names = &names.names,
        .node = call->request.node,
        .merged = call->request.several,
    };
    struct bytes converted;
    struct error error = {0};
    if (!convert_response(&conversion, piece->response, &converted, &error)) {
        learn_log_failure(upstream->runtime, &error);
        return false;
    }
    runtime_note_losses(upstream->runtime, &conversion.report, false);
    struct bytes before = upstream->response;
    uint8_t *whole = arena_alloc(upstream->arena, before.len + converted.len);
    if (!whole) {
        return false;
    }
    if (before.len > 0) {
        memcpy(whole, before.data, before.len);
    }
    if (converted.len > 0) {
        memcpy(whole + before.len, converted.data, converted.len);
    }
    upstream->response = bytes_of(whole, before.len + converted.len);
    return true;
}

/* The request in the model's dialect, with the runtime's own names: to filter with. */
static bool request_of_runtime(const struct upstream_call *upstream, struct bytes *request, struct error *error)
{
    const struct call *call = upstream->call;
    struct name_map names;
    name_map_for_request(&names, call->request.generation->map, upstream->position);
    struct conversion conversion = {.method = call->request.method,
                                    .from = call->request.caller,
                                    .to = DIALECT_MODEL,
                                    .arena = upstream->arena,
                                    .names = &names.names};
    return convert_request(&conversion, call->request.bytes, request, error);
}

static bool answer_list(struct upstream_call *upstream, enum id_kind kind)
{
    struct error error = {0};
    struct bytes request;
    struct list_filter filter = {0};
    struct last_known_list list;
    struct arena *arena = upstream->arena;
    if (upstream->runtime->in_doubt[kind] != 0 || !request_of_runtime(upstream, &request, &error) ||
        !list_filter_read(&filter, kind, DIALECT_MODEL, request, arena, &error) ||
        !last_known_list(upstream->runtime->last_known, kind, &filter, arena, &list, &error)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (!add_piece(upstream, &list.pieces[i])) {
            return false;
        }
    }
    return true;
}

static bool answer_status(struct upstream_call *upstream, enum id_kind kind)
{
    int64_t taken_at;
    struct last_known_piece status;
    return last_known_status(upstream->runtime->last_known, kind, learn_local_id(upstream, kind), &status, &taken_at) &&
           add_piece(upstream, &status);
}

static bool is_list(const struct method *method)
{
    return method->remember == REMEMBER_POD_LIST || method->remember == REMEMBER_CONTAINER_LIST;
}

static bool stale_answer(struct upstream_call *upstream)
{
    const struct method *method = upstream->call->request.method;
    enum id_kind kind = learn_kind(method->remember);
    upstream->response = (struct bytes){0};
    upstream->as_received = false;
    list_answer_release(upstream);
    return is_list(method) ? answer_list(upstream, kind) : answer_status(upstream, kind);
}

bool stale_answer_could_be_given(const struct upstream_call *upstream)
{
    const struct method *method = upstream->call->request.method;
    struct last_known *known = upstream->runtime->last_known;
    enum id_kind kind = learn_kind(method->remember);
    int64_t taken_at;
    struct last_known_piece status;
    if (method->away != AWAY_KNOWN ||
        upstream->call->request.generation->map->runtimes[upstream->position].when_away != WHEN_AWAY_LAST_KNOWN) {
        return false;
    }
    return is_list(method) ? upstream->runtime->in_doubt[kind] == 0 && last_known_taken_at(known, kind, &taken_at)
                           : last_known_status(known, kind, learn_local_id(upstream, kind), &status, &taken_at);
}

/* Whether no list was ever seen, of neither kind, and nothing says that there is anything: a runtime that has not come since the
   node started holds nothing, and one that never could list does not take the others with it. One that has told of its pods is
   there, and may have containers. */
static bool was_never_seen(const struct runtime *runtime)
{
    bool never = true;
    for (size_t kind = 0; kind < ID_KIND_COUNT; kind++) {
        int64_t taken_at;
        never = never && runtime->in_doubt[kind] == 0 &&
                !last_known_taken_at(runtime->last_known, (enum id_kind)kind, &taken_at) &&
                !last_known_gave_up(runtime->last_known, (enum id_kind)kind);
    }
    return never;
}

void stale_answer_give(struct upstream_call *upstream)
{
    const struct method *method = upstream->call->request.method;
    const struct generation *generation = upstream->call->request.generation;
    const struct runtime_entry *entry = &generation->map->runtimes[upstream->position];
    bool is_primary = upstream->position == generation->map->primary;
    bool several = upstream->call->request.several && !is_primary;
    bool could_not_be_asked = upstream->error.code == STATUS_UNAVAILABLE;
    if (method->away == AWAY_FAIL || (!could_not_be_asked && !several)) {
        return;
    }
    if (upstream->runtime->leads_back) {
        upstream->omitted = several; /* it holds nothing but what the others tell of */
        return;
    }
    if (method->away == AWAY_OMIT || entry->when_away == WHEN_AWAY_OMIT) {
        /* A filter may have it asked alone: then the list is what the others would add to it, nothing. */
        upstream->omitted = several || (method->route == ROUTE_ALL && !is_primary);
        return;
    }
    if (entry->when_away != WHEN_AWAY_LAST_KNOWN) {
        return;
    }
    upstream->stale = stale_answer(upstream);
    if (!upstream->stale && upstream->runtime->in_doubt[learn_kind(method->remember)] != 0 && could_not_be_asked) {
        struct error why = upstream->error;
        error_set(&upstream->error, why.code,
                  "%s; it may hold something that was not seen, so what was last seen does not stand for it", why.message);
    }
    upstream->omitted = !upstream->stale && several && was_never_seen(upstream->runtime);
}
