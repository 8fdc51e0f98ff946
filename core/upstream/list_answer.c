#include "list_answer.h"

#include <grpc/slice.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/buffer.h"
#include "core/knowledge/learn.h"
#include "core/map/owner.h"
#include "core/runtimes/failure.h"
#include "core/runtimes/name_map.h"
#include "core/transport/c_core.h"
#include "translate/lists/item.h"

bool list_answer_suits(const struct upstream_call *upstream)
{
    const struct request *request = upstream->seen.request;
    return request->method->merge == MERGE_CONCAT && !request->stream;
}

static const grpc_slice_buffer *slices_of(const struct upstream_call *upstream)
{
    return &upstream->exchange.message->data.raw.slice_buffer;
}

static bool out_of_memory(struct upstream_call *upstream)
{
    return error_set(&upstream->error, STATUS_RESOURCE_EXHAUSTED, "it exceeds the memory limit of a call");
}

/* The message as it is in memory: in one piece, if it was put into one. */
static bool lay_out(struct upstream_call *upstream, struct pieces *message)
{
    if (upstream->seen.is_whole) {
        *message = pieces_of(&upstream->seen.received);
        return true;
    }
    return upstream_message_pieces(upstream, message) || out_of_memory(upstream);
}

/* A slice of the message, and how much of the message is before it. */
struct slice_place {
    size_t slice;
    size_t begin;
};

/* The part of the message's slices that is a run, which begins at `offset` of the message; `place` moves on to there. A run that
   was copied is not such a part: it is in the arena. */
static grpc_slice slice_of_run(struct upstream_call *upstream, struct bytes run, size_t offset, struct slice_place *place)
{
    const grpc_slice_buffer *slices = slices_of(upstream);
    while (place->slice < slices->count) {
        const grpc_slice *slice = &slices->slices[place->slice];
        struct bytes bytes = transport_slice_bytes(slice);
        size_t from = offset - place->begin;
        if (from < bytes.len) {
            return run.data == bytes.data + from ? grpc_slice_sub(*slice, from, from + run.len)
                                                 : transport_slice(run, upstream->arena);
        }
        place->begin += bytes.len;
        place->slice++;
    }
    return transport_slice(run, upstream->arena);
}

static struct converted_list *converted_of(const struct upstream_call *upstream)
{
    return &upstream->seen.runtime->converted_lists[learn_kind(upstream->seen.request->method->remember)];
}

/* Takes the message apart, and finds out whether it repeats the last known list. */
static bool read_runs(struct upstream_call *upstream, struct pieces message, const struct last_known_repetition *repetition)
{
    struct arena *arena = upstream->arena;
    struct bytes run, *each = arena_alloc(arena, pieces_most_runs(message) * sizeof *each);
    if (!each) {
        return out_of_memory(upstream);
    }
    struct pieces_runs runs = pieces_runs_of(message, arena);
    upstream->seen.digest = (struct list_digest){0};
    upstream->seen.digested = repetition->number > 0;
    upstream->seen.runs = (struct pieces){.each = each};
    while (pieces_next_run(&runs, &run, &upstream->error)) {
        if (run.len == 0) {
            upstream->seen.repeats = repetition->number > 0 && list_digest_equal(&upstream->seen.digest, &repetition->digest);
            return true;
        }
        if (runs.fields > upstream->seen.runtime->list_items) {
            return runtime_refuse_list(upstream->seen.runtime, &upstream->error);
        }
        if (repetition->number > 0) {
            list_digest_add(&upstream->seen.digest, &repetition->digester, run);
        }
        each[upstream->seen.runs.count++] = run;
    }
    return false;
}

static bool convert_run(struct upstream_call *upstream, size_t index, struct conversion *conversion, struct bytes *converted)
{
    conversion->before = (struct pieces){.each = upstream->seen.runs.each, .count = index};
    return convert_response(conversion, upstream->seen.runs.each[index], converted, &upstream->error);
}

/* Converts run after run in place. */
static bool convert_in_place(struct upstream_call *upstream, struct conversion *conversion)
{
    struct slice_place place = {0};
    size_t offset = 0;
    upstream->form = ANSWER_PARTS;
    upstream->parts = arena_alloc(upstream->arena, upstream->seen.runs.count * sizeof *upstream->parts);
    if (!upstream->parts) {
        return out_of_memory(upstream);
    }
    for (size_t i = 0; i < upstream->seen.runs.count; i++) {
        struct bytes run = upstream->seen.runs.each[i], converted;
        if (!convert_run(upstream, i, conversion, &converted)) {
            return false;
        }
        bool unchanged = converted.data == run.data && converted.len == run.len;
        if (converted.len > 0) {
            upstream->parts[upstream->part_count++] =
                unchanged ? slice_of_run(upstream, run, offset, &place) : transport_slice(converted, upstream->arena);
        }
        offset += run.len;
    }
    return true;
}

/* Answers with one slice, and takes over its reference. */
static bool answer_with(struct upstream_call *upstream, grpc_slice slice)
{
    upstream->form = ANSWER_PARTS;
    upstream->parts = arena_alloc(upstream->arena, sizeof *upstream->parts);
    if (!upstream->parts) {
        grpc_slice_unref(slice);
        return out_of_memory(upstream);
    }
    if (GRPC_SLICE_LENGTH(slice) > 0) {
        upstream->parts[upstream->part_count++] = slice;
    } else {
        grpc_slice_unref(slice);
    }
    return true;
}

static bool convert_into(struct buffer *list, struct upstream_call *upstream, struct conversion *conversion)
{
    for (size_t i = 0; i < upstream->seen.runs.count; i++) {
        struct bytes converted;
        if (!convert_run(upstream, i, conversion, &converted)) {
            return false;
        }
        if (!buffer_append(list, converted, SIZE_MAX)) {
            return out_of_memory(upstream);
        }
        if (converted.data != upstream->seen.runs.each[i].data) {
            arena_trim(upstream->arena, (void *)(uintptr_t)converted.data, converted.len, 0); /* it would be there twice */
        }
    }
    return true;
}

/* Prefixes make names a little longer. */
#define ROOM_FOR(length) ((length) + (length) / 16 + 512)

/* Converts run after run into one piece of memory, which is kept as the converted list as well. */
static bool convert_to_keep(struct upstream_call *upstream, struct conversion *conversion, const struct converted_list_key *key)
{
    struct buffer list = {0};
    if (!buffer_reserve(&list, ROOM_FOR(pieces_length(upstream->seen.runs)), SIZE_MAX)) {
        return out_of_memory(upstream);
    }
    if (!convert_into(&list, upstream, conversion)) {
        buffer_clear(&list);
        return false;
    }
    uint8_t *shrunk = realloc(list.data, list.len > 0 ? list.len : 1);
    grpc_slice answer = grpc_slice_new(shrunk ? shrunk : list.data, list.len, free);
    converted_list_keep(converted_of(upstream), key, answer, &conversion->report);
    return answer_with(upstream, answer);
}

static struct converted_list_key key_of(const struct upstream_call *upstream, const struct last_known_repetition *repetition)
{
    return (struct converted_list_key){.list = repetition->number,
                                       .generation = upstream->seen.request->generation->number,
                                       .to = upstream->seen.request->caller};
}

/* The result for a list that repeats one is kept for the next time; any other result will not be used again. A filtered list
   changes neither. */
static bool take_conversion(struct upstream_call *upstream, const struct last_known_repetition *repetition,
                            struct conversion *conversion)
{
    const struct converted_list_key key = key_of(upstream, repetition);
    if (upstream->seen.repeats && converted_list_suits(converted_of(upstream), &key)) {
        upstream_note_losses(upstream, &converted_of(upstream)->report);
        return answer_with(upstream, grpc_slice_ref(converted_of(upstream)->answer));
    }
    if (repetition->number > 0) {
        converted_list_clear(converted_of(upstream));
    }
    bool kept = upstream->seen.repeats && pieces_length(upstream->seen.runs) <= CONVERTED_LIST_LONGEST;
    bool converted = kept ? convert_to_keep(upstream, conversion, &key) : convert_in_place(upstream, conversion);
    upstream_note_losses(upstream, &conversion->report);
    return converted;
}

static bool is_of_another(const struct upstream_call *upstream, struct bytes id)
{
    size_t owner;
    struct bytes local;
    bool plain = id.len == 0 || !memchr(id.data, ID_SEPARATOR[0], id.len); /* as nearly all are */
    return !plain && owner_by_prefix(upstream->seen.request->generation->map, id, &owner, &local) &&
           owner != upstream->seen.position;
}

/* Every prefix ends with one. Nearly all lists have none, and need no further look. */
static bool has_separator(struct bytes list)
{
    const uint8_t *at = list.data, *end = list.data + list.len;
    while (at && at < end && (at = memchr(at, ID_SEPARATOR[0], (size_t)(end - at))) != NULL) {
        if (end - at >= 2 && at[1] == ID_SEPARATOR[1]) {
            return true;
        }
        at++;
    }
    return false;
}

bool list_answer_claims(const struct upstream_call *upstream, struct bytes list)
{
    if (!has_separator(list)) {
        return false;
    }
    enum id_kind kind = learn_kind(upstream->seen.request->method->remember);
    struct list_items items = list_items_of(kind, runtime_answer_dialect(upstream->seen.runtime), list);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (is_of_another(upstream, item.id) || is_of_another(upstream, item.pod_sandbox_id)) {
            return true;
        }
    }
    return false;
}

static bool runs_claim(const struct upstream_call *upstream)
{
    for (size_t i = 0; i < upstream->seen.runs.count; i++) {
        if (list_answer_claims(upstream, upstream->seen.runs.each[i])) {
            return true;
        }
    }
    return false;
}

/* Names in other lists than the primary's are checked anyway. A list that repeats one that was examined is not examined again. */
static bool is_suspect(const struct upstream_call *upstream, const struct last_known_repetition *repetition)
{
    if (!upstream->seen.request->several || observation_is_one_of_several(&upstream->seen) ||
        !learn_is_list(upstream->seen.request->method)) {
        return false;
    }
    const struct converted_list_key key = key_of(upstream, repetition);
    if (upstream->seen.repeats && converted_list_examined(converted_of(upstream), &key)) {
        return false;
    }
    bool claims = runs_claim(upstream);
    if (upstream->seen.repeats && !claims) {
        converted_list_note_examined(converted_of(upstream), &key);
    }
    return claims;
}

static bool take_runs(struct upstream_call *upstream, const struct last_known_repetition *repetition)
{
    struct name_map names;
    struct conversion conversion;
    upstream->suspect = is_suspect(upstream, repetition);
    upstream_conversion(upstream, &names, &conversion);
    if (convert_passes_response(&conversion)) {
        upstream->form = ANSWER_AS_RECEIVED;
        return true;
    }
    return take_conversion(upstream, repetition, &conversion);
}

bool list_answer_take(struct upstream_call *upstream)
{
    struct pieces message;
    const struct last_known_repetition repetition = learn_repetition(&upstream->seen);
    bool taken = lay_out(upstream, &message) && read_runs(upstream, message, &repetition) && take_runs(upstream, &repetition);
    return taken || error_wrap(&upstream->error, "the answer of runtime %s cannot be read", upstream->seen.runtime->entry->name);
}

/* ---- the last known list ---- */

static struct converted_list_key known_key_of(const struct upstream_call *upstream)
{
    return (struct converted_list_key){.edition = last_known_edition(upstream->seen.runtime->known.last_known),
                                       .generation = upstream->seen.request->generation->number,
                                       .to = upstream->seen.request->caller};
}

/* In one piece as well, for a stream. Keeps upstream->error, which is the runtime's failure. */
static bool answer_with_known(struct upstream_call *upstream, grpc_slice list)
{
    struct error failure = upstream->error;
    bool answered = answer_with(upstream, list);
    upstream->error = failure;
    if (upstream->part_count > 0) {
        upstream->response = transport_slice_bytes(&upstream->parts[0]);
    }
    return answered;
}

bool list_answer_repeat_known(struct upstream_call *upstream)
{
    const struct converted_list_key key = known_key_of(upstream);
    const struct converted_list *converted = converted_of(upstream);
    if (!converted_list_suits(converted, &key) || !answer_with_known(upstream, grpc_slice_ref(converted->answer))) {
        return false;
    }
    upstream_note_losses(upstream, &converted->report);
    return true;
}

bool list_answer_keep_known(struct upstream_call *upstream, const struct report *report)
{
    const struct converted_list_key key = known_key_of(upstream);
    struct error failure = upstream->error;
    grpc_slice list = grpc_slice_from_copied_buffer((const char *)upstream->response.data, upstream->response.len);
    converted_list_keep(converted_of(upstream), &key, list, report);
    bool renewed = upstream_renew_arena(upstream);
    upstream->error = failure;
    if (!renewed) {
        grpc_slice_unref(list);
    }
    return renewed && answer_with_known(upstream, list);
}
