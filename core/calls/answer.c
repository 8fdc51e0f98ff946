#include "answer.h"

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "core/calls/log.h"
#include "core/calls/reply.h"
#include "core/transport/c_core.h"
#include "core/upstream/missing.h"
#include "translate/lists/merge.h"
#include "translate/schema/peek.h"

/* Adds the slices of one upstream call's answer. */
static size_t add_slices(const struct upstream_call *upstream, grpc_slice *slices, size_t count)
{
    switch (upstream->form) {
    case ANSWER_RESPONSE:
        slices[count++] =
            transport_slice(upstream->response, upstream->trimmed ? upstream->seen.request->arena : upstream->arena);
        break;
    case ANSWER_PARTS:
        for (size_t i = 0; i < upstream->part_count; i++) {
            slices[count++] = grpc_slice_ref(upstream->parts[i]);
        }
        break;
    case ANSWER_AS_RECEIVED:
        for (size_t i = 0; i < upstream->exchange.message->data.raw.slice_buffer.count; i++) {
            slices[count++] = grpc_slice_ref(upstream->exchange.message->data.raw.slice_buffer.slices[i]);
        }
        break;
    }
    return count;
}

static size_t slice_count(const struct upstream_call *upstream)
{
    return upstream->form == ANSWER_PARTS         ? upstream->part_count
           : upstream->form == ANSWER_AS_RECEIVED ? upstream->exchange.message->data.raw.slice_buffer.count
                                                  : 1;
}

/* The state of the other runtimes, for the verbose `info` of a Status. */
static struct bytes describe_runtime(const struct call *call, const struct runtime *runtime)
{
    char key[160];
    snprintf(key, sizeof key, "crigate.runtime.%s", runtime->entry->name);
    struct json_object *state = json_object_new_object();
    json_add(state, "state", json_object_new_string(runtime_state_name(runtime->state)));
    json_add(state, "endpoint", json_object_new_string(runtime->entry->endpoint));
    if (runtime->state == RUNTIME_READY) {
        json_add(state, "dialect", json_object_new_string(dialects[runtime->dialect].name));
        json_add(state, "runtimeName", json_object_new_string(runtime->version_name));
        json_add(state, "runtimeVersion", json_object_new_string(runtime->version));
    } else {
        struct error reason = {0};
        runtime_ready(runtime, &reason);
        json_add(state, "reason", json_object_new_string(reason.message));
    }
    size_t size = 0;
    const char *text = json_print(state, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    struct bytes entry = response_info_entry(call->request.method, call->request.caller, bytes_of_string(key),
                                             bytes_of(text, size), call->request.arena);
    json_object_put(state);
    return entry;
}

static size_t add_states(struct call *call, grpc_slice *slices, size_t count)
{
    for (size_t i = 0; i < call->request.generation->map->runtime_count; i++) {
        struct bytes entry = describe_runtime(call, call->request.generation->runtimes[i]);
        if (entry.len > 0) {
            slices[count++] = transport_slice(entry, call->request.arena);
        }
    }
    return count;
}

static void reply_with_failure(struct call *call, const struct upstream_call *upstream)
{
    if (upstream->error.code != STATUS_OK) {
        call_fail(call, &upstream->error);
        return;
    }
    struct reply reply = {
        .initial = upstream->exchange.initial,
        .trailing = upstream->exchange.trailing,
        .code = upstream->seen.status,
        .details = upstream->exchange.details,
    };
    call_log_reply(call, (enum status_code)upstream->seen.status, transport_slice_bytes(&upstream->exchange.details), NULL);
    call_reply(call, &reply);
}

static void fail_for_memory(struct call *call)
{
    call_refuse(call, STATUS_RESOURCE_EXHAUSTED, "the answer exceeds the memory limit of a call");
}

/* Replies with the answers of the upstream calls in sequence; metadata is that of `leader`. */
static void reply_with(struct call *call, struct upstream_call *leader, struct upstream_call *const *parts, size_t part_count)
{
    bool with_states = call->request.method->merge == MERGE_STATUS &&
                       peek_bool(call->request.method, call->request.caller, PEEK_VERBOSE, call->request.bytes);
    size_t room = with_states ? call->request.generation->map->runtime_count : 0;
    for (size_t i = 0; i < part_count; i++) {
        room += slice_count(parts[i]);
    }
    grpc_slice *slices = arena_alloc(call->request.arena, (room + 1) * sizeof *slices);
    if (!slices) {
        fail_for_memory(call);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < part_count; i++) {
        count = add_slices(parts[i], slices, count);
    }
    if (with_states) {
        count = add_states(call, slices, count);
    }
    struct reply reply = {
        .message = grpc_raw_byte_buffer_create(slices, count),
        .initial = leader ? leader->exchange.initial : (grpc_metadata_array){0},
        .trailing = leader ? leader->exchange.trailing : (grpc_metadata_array){0},
        .code = GRPC_STATUS_OK,
        .details = grpc_empty_slice(),
    };
    for (size_t i = 0; i < count; i++) {
        grpc_slice_unref(slices[i]);
    }
    call_log_reply(call, STATUS_OK, (struct bytes){0}, reply.message);
    call_reply(call, &reply);
    grpc_byte_buffer_destroy(reply.message);
}

/* Chooses one of several answers that are not merged (an image that is searched everywhere by its digest): the first that is not
   empty. If there is none, a failure counts more than an empty answer: unknown is not absent. */
static void answer_with_first(struct call *call)
{
    struct upstream_call *choice = &call->upstream_calls[0];
    for (size_t i = 0; i < call->route.count; i++) {
        struct upstream_call *upstream = &call->upstream_calls[i];
        if (upstream_succeeded(upstream) && upstream->response.len > 0) {
            reply_with(call, upstream, &upstream, 1);
            return;
        }
        if (upstream_succeeded(choice) && !upstream_succeeded(upstream)) {
            choice = upstream;
        }
    }
    if (upstream_succeeded(choice)) {
        reply_with(call, choice, &choice, 1);
    } else {
        reply_with_failure(call, choice);
    }
}

/* The upstream call whose failure fails the call: the primary's, as without a gateway, or that of a runtime for which crigate
   cannot answer and which must not be left out. NULL if there is none. */
static struct upstream_call *decisive_failure(struct call *call)
{
    for (size_t i = 0; i < call->route.count; i++) {
        struct upstream_call *upstream = &call->upstream_calls[i];
        if (!upstream_succeeded(upstream) && !upstream->omitted) {
            return upstream;
        }
    }
    return NULL;
}

/* Whether a handler, as callers name it, leads to that runtime. */
static bool serves(void *state, size_t runtime, struct bytes handler)
{
    const struct runtime_map *map = state;
    size_t taker;
    return route_of_handler(map, handler, &taker) && taker == runtime;
}

/* The handlers that the map says lead to that runtime: those that it lists, and the default one. */
static bool handler_at(void *state, size_t runtime, size_t index, struct bytes *handler)
{
    const struct runtime_map *map = state;
    const struct runtime_entry *entry = &map->runtimes[runtime];
    size_t unnamed = runtime == map->default_runtime ? 1 : 0;
    if (index < unnamed) {
        *handler = (struct bytes){0};
        return true;
    }
    if (index - unnamed >= entry->handler_count) {
        return false;
    }
    *handler = bytes_of_string(entry->handlers[index - unnamed].name);
    return true;
}

/* Makes the answers one valid answer, where joining them is not enough (the column `merge`). */
static bool trim(struct call *call, struct upstream_call *const *upstream_calls, size_t count)
{
    struct merge_part *parts = arena_alloc(call->request.arena, count * sizeof *parts);
    for (size_t i = 0; parts && i < count; i++) {
        parts[i] = (struct merge_part){.response = upstream_calls[i]->response, .runtime = upstream_calls[i]->seen.position};
    }
    const struct merging merging = {.method = call->request.method,
                                    .dialect = call->request.caller,
                                    .arena = call->request.arena,
                                    .serves = serves,
                                    .handler_at = handler_at,
                                    .state = call->request.generation->map};
    bool done = parts && merge_trim(&merging, parts, count);
    for (size_t i = 0; done && i < count; i++) {
        upstream_calls[i]->response = parts[i].response;
        upstream_calls[i]->trimmed = parts[i].changed;
        upstream_calls[i]->form = parts[i].changed ? ANSWER_RESPONSE : upstream_calls[i]->form;
    }
    return done;
}

/* The other runtimes' answers are too long to be merged: they are left out. */
static void note_too_much(struct upstream_call *const *upstream_calls, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        upstream_calls[i]->omitted = true;
        upstream_calls[i]->stale = false;
        error_set(&upstream_calls[i]->error, STATUS_RESOURCE_EXHAUSTED,
                  "the answers of the runtimes exceed the memory limit of a call");
        missing_note(upstream_calls[i]);
    }
}

static void answer_with_all(struct call *call)
{
    struct upstream_call *leader = &call->upstream_calls[0];
    for (size_t i = 0; i < call->route.count; i++) {
        missing_note(&call->upstream_calls[i]);
    }
    struct upstream_call *failed = decisive_failure(call);
    if (failed) {
        reply_with_failure(call, failed);
        return;
    }
    struct upstream_call **parts = arena_alloc(call->request.arena, call->route.count * sizeof *parts);
    if (!parts) {
        fail_for_memory(call);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < call->route.count; i++) {
        if (i == 0 || (call->request.method->merge != MERGE_PRIMARY && upstream_succeeded(&call->upstream_calls[i]))) {
            parts[count++] = &call->upstream_calls[i];
        }
    }
    bool trimmed = trim(call, parts, count);
    if (!trimmed && call->request.method->merge == MERGE_CONCAT) {
        fail_for_memory(call); /* never a list without the others' items */
        return;
    }
    if (!trimmed) {
        note_too_much(parts, count);
        count = 1;
    }
    reply_with(call, leader, parts, count);
}

static void answer_with_one(struct call *call, struct upstream_call *only)
{
    if (upstream_succeeded(only)) {
        missing_note(only);
        reply_with(call, only, &only, 1);
    } else if (only->omitted) {
        missing_note(only);
        reply_with(call, NULL, NULL, 0);
    } else {
        reply_with_failure(call, only);
    }
}

void answer_call(struct call *call)
{
    if (call->route.count == 0) {
        reply_with(call, NULL, NULL, 0);
    } else if (call->route.count == 1) {
        answer_with_one(call, &call->upstream_calls[0]);
    } else if (call->request.method->merge == MERGE_NONE) {
        answer_with_first(call);
    } else {
        answer_with_all(call);
    }
}
