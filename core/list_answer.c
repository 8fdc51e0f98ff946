#include "list_answer.h"

#include <grpc/slice.h>

#include "core/call.h"
#include "core/name_map.h"
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

/* Converts run after run. */
static bool convert_runs(struct branch *branch, struct conversion *conversion)
{
    struct slice_place place = {0};
    size_t offset = 0;
    branch->parts = arena_alloc(branch->call->arena, branch->runs.count * sizeof *branch->parts);
    if (!branch->parts) {
        return error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "it takes more memory than one call may use");
    }
    for (size_t i = 0; i < branch->runs.count; i++) {
        struct bytes run = branch->runs.each[i], converted;
        conversion->before = (struct pieces){.each = branch->runs.each, .count = i};
        if (!convert_response(conversion, run, &converted, &branch->error)) {
            return false;
        }
        bool unchanged = converted.data == run.data && converted.len == run.len;
        if (converted.len > 0) {
            branch->parts[branch->part_count++] =
                unchanged ? slice_of_run(branch, run, offset, &place) : transport_slice(converted, branch->call->arena);
        }
        offset += run.len;
    }
    return true;
}

bool list_answer_take(struct branch *branch)
{
    struct pieces message;
    struct name_map names;
    struct conversion conversion;
    branch_names_of_response(branch, &names);
    branch_conversion(branch, &names, &conversion);
    bool taken = lay_out(branch, &message) && pieces_align(message, branch->call->arena, &branch->runs, &branch->error);
    if (taken && convert_passes_response(&conversion)) {
        branch->as_received = true;
        return true;
    }
    if (!taken || !convert_runs(branch, &conversion)) {
        return error_wrap(&branch->error, "the answer of runtime %s cannot be read", branch->runtime->entry->name);
    }
    branch_note_losses(branch, &conversion.report);
    return true;
}

void list_answer_release(struct branch *branch)
{
    for (size_t i = 0; i < branch->part_count; i++) {
        grpc_slice_unref(branch->parts[i]);
    }
    branch->part_count = 0;
    branch->parts = NULL;
}
