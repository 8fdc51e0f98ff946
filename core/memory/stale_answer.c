#include "stale_answer.h"

#include <string.h>

#include "core/calls/call.h"
#include "core/memory/learn.h"
#include "core/runtimes/name_map.h"
#include "core/upstream/list_answer.h"
#include "translate/list_filter.h"

/* Converts what was seen, in the dialect of that time, for the caller, and adds it to the answer. */
static bool add_piece(struct branch *branch, const struct last_known_piece *piece)
{
    const struct call *call = branch->call;
    struct name_map names;
    branch_names_of_response(branch, &names);
    struct conversion conversion = {
        .method = call->method,
        .from = dialects[piece->dialect].caller,
        .to = call->caller,
        .arena = branch->arena,
        .names = &names.names,
        .node = node_filesystems_node(call->gateway->filesystems),
        .merged = call->route.count > 1,
    };
    struct bytes converted;
    struct error error = {0};
    if (!convert_response(&conversion, piece->response, &converted, &error)) {
        remember_complain(branch->runtime, &error);
        return false;
    }
    runtime_note_losses(branch->runtime, &conversion.report, false);
    struct bytes before = branch->response;
    uint8_t *whole = arena_alloc(branch->arena, before.len + converted.len);
    if (!whole) {
        return false;
    }
    if (before.len > 0) {
        memcpy(whole, before.data, before.len);
    }
    if (converted.len > 0) {
        memcpy(whole + before.len, converted.data, converted.len);
    }
    branch->response = bytes_of(whole, before.len + converted.len);
    return true;
}

/* The request in the model's dialect, with the runtime's own names: to filter with. */
static bool request_of_runtime(const struct branch *branch, struct bytes *request, struct error *error)
{
    const struct call *call = branch->call;
    struct name_map names;
    name_map_for_request(&names, call->generation->map, branch->position);
    struct conversion conversion = {
        .method = call->method, .from = call->caller, .to = DIALECT_MODEL, .arena = branch->arena, .names = &names.names};
    return convert_request(&conversion, call->request, request, error);
}

static bool recall_list(struct branch *branch, enum id_kind kind)
{
    struct error error = {0};
    struct bytes request;
    struct list_filter filter = {0};
    struct last_known_list list;
    struct arena *arena = branch->arena;
    if (branch->runtime->in_doubt[kind] != 0 || !request_of_runtime(branch, &request, &error) ||
        !list_filter_read(&filter, kind, DIALECT_MODEL, request, arena, &error) ||
        !last_known_list(branch->runtime->last_known, kind, &filter, arena, &list, &error)) {
        return false;
    }
    for (size_t i = 0; i < list.count; i++) {
        if (!add_piece(branch, &list.pieces[i])) {
            return false;
        }
    }
    return true;
}

static bool recall_status(struct branch *branch, enum id_kind kind)
{
    int64_t taken_at;
    struct last_known_piece status;
    return last_known_status(branch->runtime->last_known, kind, remember_local_id(branch, kind), &status, &taken_at) &&
           add_piece(branch, &status);
}

static bool is_list(const struct method *method)
{
    return method->remember == REMEMBER_POD_LIST || method->remember == REMEMBER_CONTAINER_LIST;
}

static bool recall(struct branch *branch)
{
    const struct method *method = branch->call->method;
    enum id_kind kind = remember_kind(method->remember);
    branch->response = (struct bytes){0};
    branch->as_received = false;
    list_answer_release(branch);
    return is_list(method) ? recall_list(branch, kind) : recall_status(branch, kind);
}

bool recall_could_answer(const struct branch *branch)
{
    const struct method *method = branch->call->method;
    struct last_known *known = branch->runtime->last_known;
    enum id_kind kind = remember_kind(method->remember);
    int64_t taken_at;
    struct last_known_piece status;
    if (method->away != AWAY_KNOWN ||
        branch->call->generation->map->runtimes[branch->position].when_away != WHEN_AWAY_LAST_KNOWN) {
        return false;
    }
    return is_list(method) ? branch->runtime->in_doubt[kind] == 0 && last_known_taken_at(known, kind, &taken_at)
                           : last_known_status(known, kind, remember_local_id(branch, kind), &status, &taken_at);
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

void recall_answer(struct branch *branch)
{
    const struct method *method = branch->call->method;
    const struct generation *generation = branch->call->generation;
    const struct runtime_entry *entry = &generation->map->runtimes[branch->position];
    bool is_primary = branch->position == generation->map->primary;
    bool several = branch->call->route.count > 1 && !is_primary;
    bool could_not_be_asked = branch->error.code == STATUS_UNAVAILABLE;
    if (method->away == AWAY_FAIL || (!could_not_be_asked && !several)) {
        return;
    }
    if (branch->runtime->leads_back) {
        branch->omitted = several; /* it holds nothing but what the others tell of */
        return;
    }
    if (method->away == AWAY_OMIT || entry->when_away == WHEN_AWAY_OMIT) {
        /* A filter may have it asked alone: then the list is what the others would add to it, nothing. */
        branch->omitted = several || (method->route == ROUTE_ALL && !is_primary);
        return;
    }
    if (entry->when_away != WHEN_AWAY_LAST_KNOWN) {
        return;
    }
    branch->recalled = recall(branch);
    if (!branch->recalled && branch->runtime->in_doubt[remember_kind(method->remember)] != 0 && could_not_be_asked) {
        struct error why = branch->error;
        error_set(&branch->error, why.code,
                  "%s; it may hold something that was not seen, so what was last seen does not stand for it", why.message);
    }
    branch->omitted = !branch->recalled && several && was_never_seen(branch->runtime);
}
