#include "list_answer.h"

#include <grpc/slice.h>
#include <stdlib.h>
#include <string.h>

#include "core/calls/call.h"
#include "core/map/owner.h"
#include "core/memory/learn.h"
#include "core/runtimes/name_map.h"
#include "core/transport/c_core.h"
#include "translate/list_item.h"

/* A tag and a length. */
#define SHORTEST_ITEM 2

bool list_answer_suits(const struct branch *branch)
{
    const struct call *call = branch->call;
    return call->method->merge == MERGE_CONCAT && !call->list_stream;
}

static const grpc_slice_buffer *slices_of(const struct branch *branch)
{
    return &branch->message->data.raw.slice_buffer;
}

/* As the transport has it. false: no memory. */
static bool slices_as_pieces(const struct branch *branch, struct pieces *message)
{
    const grpc_slice_buffer *slices = slices_of(branch);
    struct bytes *each = arena_alloc(branch->arena, slices->count * sizeof *each);
    for (size_t i = 0; each && i < slices->count; i++) {
        each[i] = transport_slice_bytes(&slices->slices[i]);
    }
    *message = (struct pieces){.each = each, .count = slices->count};
    return each != NULL;
}

/* The message as it lies in memory: in one piece, if somebody wanted it to be. */
static bool lay_out(struct branch *branch, struct pieces *message)
{
    if (branch->is_whole) {
        *message = pieces_of(&branch->received);
        return true;
    }
    return slices_as_pieces(branch, message) ||
           error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "it takes more memory than one call may use");
}

bool list_answer_is_too_long(const struct branch *branch)
{
    size_t most = branch->runtime->list_items;
    bool may_be = branch->call->method->merge == MERGE_CONCAT && grpc_byte_buffer_length(branch->message) / SHORTEST_ITEM > most;
    struct pieces message;
    return may_be && (!slices_as_pieces(branch, &message) || pieces_has_more_fields(message, most));
}

/* A slice of the message, and how much of the message is before it. */
struct slice_place {
    size_t slice;
    size_t begin;
};

/* The part of the message's slices that a run is which begins at `offset` of the message; `place` moves on to where that is. What
   was copied before has none: it is in the arena. */
static grpc_slice slice_of_run(struct branch *branch, struct bytes run, size_t offset, struct slice_place *place)
{
    const grpc_slice_buffer *slices = slices_of(branch);
    while (place->slice < slices->count) {
        const grpc_slice *slice = &slices->slices[place->slice];
        struct bytes bytes = transport_slice_bytes(slice);
        size_t from = offset - place->begin;
        if (from < bytes.len) {
            return run.data == bytes.data + from ? grpc_slice_sub(*slice, from, from + run.len)
                                                 : transport_slice(run, branch->arena);
        }
        place->begin += bytes.len;
        place->slice++;
    }
    return transport_slice(run, branch->arena);
}

static bool out_of_memory(struct branch *branch)
{
    return error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "it takes more memory than one call may use");
}

static struct list_rendition *rendition_of(const struct branch *branch)
{
    return &branch->runtime->renditions[remember_kind(branch->call->method->remember)];
}

/* Takes the message apart, and finds out whether it says the same again. */
static bool read_runs(struct branch *branch, struct pieces message, const struct last_known_repetition *repetition)
{
    struct arena *arena = branch->arena;
    struct bytes run, *each = arena_alloc(arena, pieces_most_runs(message) * sizeof *each);
    if (!each) {
        return out_of_memory(branch);
    }
    struct pieces_runs runs = pieces_runs_of(message, arena);
    struct list_digest digest = {0};
    branch->runs = (struct pieces){.each = each};
    while (pieces_next_run(&runs, &run, &branch->error)) {
        if (run.len == 0) {
            branch->repeats = repetition->number > 0 && list_digest_equal(&digest, &repetition->digest);
            return true;
        }
        if (runs.fields > branch->runtime->list_items) {
            return runtime_refuse_list(branch->runtime, &branch->error);
        }
        if (repetition->number > 0) {
            list_digest_add(&digest, &repetition->digester, run);
        }
        each[branch->runs.count++] = run;
    }
    return false;
}

static bool convert_run(struct branch *branch, size_t index, struct conversion *conversion, struct bytes *converted)
{
    conversion->before = (struct pieces){.each = branch->runs.each, .count = index};
    return convert_response(conversion, branch->runs.each[index], converted, &branch->error);
}

/* Converts run after run, each where it lies. */
static bool convert_in_place(struct branch *branch, struct conversion *conversion)
{
    struct slice_place place = {0};
    size_t offset = 0;
    branch->parts = arena_alloc(branch->arena, branch->runs.count * sizeof *branch->parts);
    if (!branch->parts) {
        return out_of_memory(branch);
    }
    for (size_t i = 0; i < branch->runs.count; i++) {
        struct bytes run = branch->runs.each[i], converted;
        if (!convert_run(branch, i, conversion, &converted)) {
            return false;
        }
        bool unchanged = converted.data == run.data && converted.len == run.len;
        if (converted.len > 0) {
            branch->parts[branch->part_count++] =
                unchanged ? slice_of_run(branch, run, offset, &place) : transport_slice(converted, branch->arena);
        }
        offset += run.len;
    }
    return true;
}

/* Answers with one slice, whose reference it takes over. */
static bool answer_with(struct branch *branch, grpc_slice slice)
{
    branch->parts = arena_alloc(branch->arena, sizeof *branch->parts);
    if (!branch->parts) {
        grpc_slice_unref(slice);
        return out_of_memory(branch);
    }
    if (GRPC_SLICE_LENGTH(slice) > 0) {
        branch->parts[branch->part_count++] = slice;
    } else {
        grpc_slice_unref(slice);
    }
    return true;
}

/* Bytes that outlive the call, as they grow. */
struct growing {
    uint8_t *data;
    size_t len;
    size_t capacity;
};

static bool append(struct growing *growing, struct bytes bytes)
{
    if (bytes.len > growing->capacity - growing->len) {
        size_t capacity = growing->capacity + growing->capacity / 4 + bytes.len;
        uint8_t *data = realloc(growing->data, capacity);
        if (!data) {
            return false;
        }
        growing->data = data;
        growing->capacity = capacity;
    }
    if (bytes.len > 0) {
        memcpy(growing->data + growing->len, bytes.data, bytes.len);
        growing->len += bytes.len;
    }
    return true;
}

static bool convert_into(struct growing *growing, struct branch *branch, struct conversion *conversion)
{
    for (size_t i = 0; i < branch->runs.count; i++) {
        struct bytes converted;
        if (!convert_run(branch, i, conversion, &converted)) {
            return false;
        }
        if (!append(growing, converted)) {
            return out_of_memory(branch);
        }
        if (converted.data != branch->runs.each[i].data) {
            arena_trim(branch->arena, (void *)(uintptr_t)converted.data, converted.len, 0); /* it would be there twice */
        }
    }
    return true;
}

/* Names get a little longer. */
#define ROOM_FOR(length) ((length) + (length) / 16 + 512)

/* Converts run after run into one piece of memory, which is kept as the rendition as well. */
static bool convert_to_keep(struct branch *branch, struct conversion *conversion, const struct list_rendition_key *key)
{
    struct growing growing = {0};
    growing.capacity = ROOM_FOR(pieces_length(branch->runs));
    growing.data = malloc(growing.capacity);
    if (!growing.data) {
        return out_of_memory(branch);
    }
    if (!convert_into(&growing, branch, conversion)) {
        free(growing.data);
        return false;
    }
    uint8_t *shrunk = realloc(growing.data, growing.len > 0 ? growing.len : 1);
    grpc_slice answer = grpc_slice_new(shrunk ? shrunk : growing.data, growing.len, free);
    list_rendition_keep(rendition_of(branch), key, answer, &conversion->report);
    return answer_with(branch, answer);
}

static struct list_rendition_key key_of(const struct branch *branch, const struct last_known_repetition *repetition)
{
    return (struct list_rendition_key){
        .list = repetition->number, .generation = branch->call->generation->number, .to = branch->call->caller};
}

/* What a list became that repeats one is kept for the next time; what another became is of no use any more. A filter's answer
   says nothing of either. */
static bool take_conversion(struct branch *branch, const struct last_known_repetition *repetition, struct conversion *conversion)
{
    const struct list_rendition_key key = key_of(branch, repetition);
    if (branch->repeats && list_rendition_suits(rendition_of(branch), &key)) {
        branch_note_losses(branch, &rendition_of(branch)->report);
        return answer_with(branch, grpc_slice_ref(rendition_of(branch)->answer));
    }
    if (repetition->number > 0) {
        list_rendition_clear(rendition_of(branch));
    }
    bool kept = branch->repeats && pieces_length(branch->runs) <= LIST_RENDITION_LONGEST;
    bool converted = kept ? convert_to_keep(branch, conversion, &key) : convert_in_place(branch, conversion);
    branch_note_losses(branch, &conversion->report);
    return converted;
}

bool list_answer_is_scanned(const struct branch *branch)
{
    enum remember remember = branch->call->method->remember;
    return remember == REMEMBER_POD_LIST || remember == REMEMBER_CONTAINER_LIST;
}

static bool is_of_another(const struct branch *branch, struct bytes id)
{
    size_t owner;
    struct bytes local;
    bool plain = id.len == 0 || !memchr(id.data, ID_SEPARATOR[0], id.len); /* as nearly all are */
    return !plain && owner_by_prefix(branch->call->generation->map, id, &owner, &local) && owner != branch->position;
}

/* What no prefix is without. Of lists that have none anywhere, which is nearly all, nothing more need be read. */
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

bool list_answer_claims(const struct branch *branch, struct bytes list)
{
    if (!has_separator(list)) {
        return false;
    }
    enum id_kind kind = remember_kind(branch->call->method->remember);
    struct list_items items = list_items_of(kind, dialects[branch->runtime->dialect].caller, list);
    struct list_item item;
    while (list_items_next(&items, &item)) {
        if (is_of_another(branch, item.id) || is_of_another(branch, item.pod_sandbox_id)) {
            return true;
        }
    }
    return false;
}

static bool runs_claim(const struct branch *branch)
{
    for (size_t i = 0; i < branch->runs.count; i++) {
        if (list_answer_claims(branch, branch->runs.each[i])) {
            return true;
        }
    }
    return false;
}

/* Only the primary's lists are not looked at anyway. What is the same list again need not be looked at again. */
static bool is_suspect(const struct branch *branch, const struct last_known_repetition *repetition)
{
    if (branch->call->route.count <= 1 || branch_is_one_of_several(branch) || !list_answer_is_scanned(branch)) {
        return false;
    }
    const struct list_rendition_key key = key_of(branch, repetition);
    if (branch->repeats && list_rendition_examined(rendition_of(branch), &key)) {
        return false;
    }
    bool claims = runs_claim(branch);
    if (branch->repeats && !claims) {
        list_rendition_note_examined(rendition_of(branch), &key);
    }
    return claims;
}

static bool take_runs(struct branch *branch, const struct last_known_repetition *repetition)
{
    struct name_map names;
    struct conversion conversion;
    branch->suspect = is_suspect(branch, repetition);
    branch_names_of_response(branch, &names);
    branch_conversion(branch, &names, &conversion);
    branch->as_received = convert_passes_response(&conversion);
    return branch->as_received || take_conversion(branch, repetition, &conversion);
}

bool list_answer_take(struct branch *branch)
{
    struct pieces message;
    const struct last_known_repetition repetition = remember_repetition(branch);
    bool taken = lay_out(branch, &message) && read_runs(branch, message, &repetition) && take_runs(branch, &repetition);
    return taken || error_wrap(&branch->error, "the answer of runtime %s cannot be read", branch->runtime->entry->name);
}

void list_answer_release(struct branch *branch)
{
    for (size_t i = 0; i < branch->part_count; i++) {
        grpc_slice_unref(branch->parts[i]);
    }
    branch->part_count = 0;
    branch->parts = NULL;
}
