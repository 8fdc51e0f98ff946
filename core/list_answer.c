#include "list_answer.h"

#include <grpc/slice.h>

#include "core/call.h"
#include "core/name_map.h"
#include "core/remember.h"
#include "core/transport.h"

bool list_answer_suits(const struct branch *branch)
{
    const struct call *call = branch->call;
    return call->method->merge == MERGE_CONCAT && !call->list_stream;
}

static const grpc_slice_buffer *slices_of(const struct branch *branch)
{
    return &branch->message->data.raw.slice_buffer;
}

/* The message as it lies in memory: in one piece, if somebody wanted it to be. */
static bool lay_out(struct branch *branch, struct pieces *message)
{
    const grpc_slice_buffer *slices = slices_of(branch);
    if (branch->is_whole) {
        *message = pieces_of(&branch->received);
        return true;
    }
    struct bytes *each = arena_alloc(branch->call->arena, slices->count * sizeof *each);
    for (size_t i = 0; each && i < slices->count; i++) {
        each[i] = transport_slice_bytes(&slices->slices[i]);
    }
    *message = (struct pieces){.each = each, .count = slices->count};
    return each || error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "it takes more memory than one call may use");
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
                                                 : transport_slice(run, branch->call->arena);
        }
        place->begin += bytes.len;
        place->slice++;
    }
    return transport_slice(run, branch->call->arena);
}

/* What becomes of a run, as a part of the answer. */
static bool convert_run(struct branch *branch, struct conversion *conversion, struct bytes run, size_t offset,
                        struct slice_place *place)
{
    struct bytes converted;
    if (!convert_response(conversion, run, &converted, &branch->error)) {
        return false;
    }
    bool unchanged = converted.data == run.data && converted.len == run.len;
    if (converted.len > 0) {
        branch->parts[branch->part_count++] =
            unchanged ? slice_of_run(branch, run, offset, place) : transport_slice(converted, branch->call->arena);
    }
    return true;
}

/* A message that is held against what is known already. */
struct comparison {
    struct bytes known; /* what is left of it to compare */
    size_t piece;       /* so many pieces of the message are compared */
    bool same;
};

/* Compares the next pieces, up to one. It is what is read of them next, in one go: what is done with them then finds them at
 * hand. */
static void compare_up_to(struct comparison *comparison, struct pieces message, size_t piece)
{
    for (; comparison->same && comparison->piece <= piece && comparison->piece < message.count; comparison->piece++) {
        struct bytes next = message.each[comparison->piece];
        comparison->same = bytes_start_with(comparison->known, next);
        comparison->known = bytes_after(comparison->known, comparison->same ? next.len : 0);
    }
}

/* Takes run after run through all that is to be done with it, while it is at hand. `known` is what the list would be if it said
   nothing new; a `conversion` of NULL leaves the bytes as they are. */
static bool take_runs(struct branch *branch, struct pieces message, struct bytes known, struct conversion *conversion)
{
    struct arena *arena = branch->call->arena;
    size_t most = pieces_most_runs(message), offset = 0;
    struct bytes run, *each = arena_alloc(arena, most * sizeof *each);
    branch->parts = conversion ? arena_alloc(arena, most * sizeof *branch->parts) : NULL;
    if (!each || (conversion && !branch->parts)) {
        return error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "it takes more memory than one call may use");
    }
    struct pieces_runs runs = pieces_runs_of(message, arena);
    struct slice_place place = {0};
    branch->runs = (struct pieces){.each = each};
    struct comparison comparison = {.known = known, .same = known.len > 0};
    compare_up_to(&comparison, message, 0);
    while (pieces_next_run(&runs, &run, &branch->error)) {
        if (run.len == 0) {
            branch->repeats = comparison.same && comparison.known.len == 0;
            return true;
        }
        compare_up_to(&comparison, message, runs.piece);
        if (conversion) {
            conversion->before = branch->runs;
            if (!convert_run(branch, conversion, run, offset, &place)) {
                return false;
            }
        }
        each[branch->runs.count++] = run;
        offset += run.len;
    }
    return false;
}

/* ---- answers that repeat ---- */

static struct list_rendition *rendition_of(const struct branch *branch)
{
    return &branch->runtime->renditions[remember_kind(branch->call->method->remember)];
}

static struct list_rendition_key key_of(const struct branch *branch, const struct last_known_bytes *known)
{
    return (struct list_rendition_key){
        .list = known->number, .generation = branch->call->generation->number, .to = branch->call->caller};
}

/* Answers with what the same list became before. */
static bool take_rendition(struct branch *branch, struct pieces message, const struct last_known_bytes *known)
{
    const struct list_rendition *rendition = rendition_of(branch);
    const struct list_rendition_key key = key_of(branch, known);
    if (known->bytes.len == 0 || !list_rendition_suits(rendition, &key) || !pieces_equal(message, known->bytes)) {
        return false;
    }
    branch->parts = arena_alloc(branch->call->arena, sizeof *branch->parts);
    if (!branch->parts) {
        return false;
    }
    branch->parts[branch->part_count++] = grpc_slice_ref(rendition->answer);
    branch->repeats = true;
    branch_note_losses(branch, &rendition->report);
    return true;
}

/* What a list became that repeats one is kept for the next time; what another became is of no use any more. A filter's answer
   says nothing of either. */
static void keep_rendition(struct branch *branch, const struct last_known_bytes *known, const struct report *report)
{
    if (branch->repeats) {
        const struct list_rendition_key key = key_of(branch, known);
        list_rendition_keep(rendition_of(branch), &key, branch->parts, branch->part_count, report);
    } else if (known->bytes.len > 0) {
        list_rendition_clear(rendition_of(branch));
    }
}

/* ---- all ---- */

static bool convert(struct branch *branch, struct pieces message, struct last_known_bytes known, struct conversion *conversion)
{
    if (!take_runs(branch, message, known.bytes, conversion)) {
        return false;
    }
    keep_rendition(branch, &known, &conversion->report);
    branch_note_losses(branch, &conversion->report);
    return true;
}

bool list_answer_take(struct branch *branch)
{
    struct pieces message;
    struct name_map names;
    struct conversion conversion;
    branch_names_of_response(branch, &names);
    branch_conversion(branch, &names, &conversion);
    struct last_known_bytes known = remember_known_list(branch);
    bool taken = lay_out(branch, &message);
    branch->as_received = convert_passes_response(&conversion);
    if (branch->as_received) {
        taken = taken && take_runs(branch, message, known.bytes, NULL);
    } else {
        taken = taken && (take_rendition(branch, message, &known) || convert(branch, message, known, &conversion));
    }
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
