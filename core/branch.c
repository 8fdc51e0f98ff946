#include "branch.h"

#include <grpc/byte_buffer.h>
#include <grpc/support/time.h>
#include <string.h>

#include "core/call.h"
#include "core/name_map.h"
#include "core/transport.h"

bool branch_succeeded(const struct branch *branch)
{
    return !branch->omitted && branch->error.code == STATUS_OK && branch->status == GRPC_STATUS_OK;
}

/* A server that stopped knowing the service was replaced by another version behind our back. */
static bool service_is_gone(const struct branch *branch)
{
    return branch->status == GRPC_STATUS_UNIMPLEMENTED &&
           bytes_start_with(transport_slice_bytes(&branch->details), bytes_of_string("unknown service"));
}

/* C core says UNAVAILABLE both for a lost connection and for a runtime that answers so; the connection's state tells. */
static bool connection_is_lost(const struct branch *branch)
{
    grpc_channel *channel = runtime_channel(branch->runtime, branch->call->method->service);
    return branch->status == GRPC_STATUS_UNAVAILABLE &&
           grpc_channel_check_connectivity_state(channel, 0) != GRPC_CHANNEL_READY;
}

static void convert_answer(struct branch *branch)
{
    struct call *call = branch->call;
    struct bytes received;
    if (!transport_bytes(branch->message, call->arena, &received)) {
        error_set(&branch->error, STATUS_RESOURCE_EXHAUSTED, "the answer of runtime %s takes more memory than one call may use",
                  branch->runtime->entry->name);
        return;
    }
    struct name_map names;
    name_map_for_response(&names, call->gateway->map, branch->runtime->index);
    struct conversion conversion = {
        .method = call->method,
        .from = dialects[branch->runtime->dialect].caller, /* a package is always read with its newest schema */
        .to = call->caller,
        .arena = call->arena,
        .names = &names.names,
        .node = node_filesystems_node(call->gateway->filesystems),
        /* The primary's failure fails the call anyway; nobody else's may. */
        .merged = call->route.count > 1 && branch->runtime->index != call->gateway->map->primary,
    };
    if (!convert_response(&conversion, received, &branch->response, &branch->error)) {
        error_wrap(&branch->error, "the answer of runtime %s cannot be read", branch->runtime->entry->name);
        return;
    }
    branch->as_received = branch->response.data == received.data && branch->response.len == received.len;
}

static void on_ended(struct event *event, bool ok)
{
    (void)ok;
    struct branch *branch = event_owner(event, struct branch, ended);
    if (branch->status == GRPC_STATUS_OK) {
        convert_answer(branch);
    } else if (service_is_gone(branch)) {
        runtime_suspect(branch->runtime);
        error_set(&branch->error, STATUS_UNAVAILABLE, "runtime %s was replaced by another version; it is being probed",
                  branch->runtime->entry->name);
    } else if (connection_is_lost(branch)) {
        error_set(&branch->error, STATUS_UNAVAILABLE, "the connection to runtime %s at %s was lost during the call",
                  branch->runtime->entry->name, branch->runtime->entry->endpoint);
    }
    call_branch_ended(branch->call);
}

static gpr_timespec deadline_of(const struct call *call, int64_t budget)
{
    gpr_timespec deadline = call->details.deadline;
    if (budget == 0) {
        return deadline;
    }
    gpr_timespec own = gpr_time_add(gpr_now(deadline.clock_type), gpr_time_from_millis(budget, GPR_TIMESPAN));
    return gpr_time_min(deadline, own);
}

static void call_runtime(struct branch *branch, const char *path, struct bytes request, int64_t budget)
{
    struct call *call = branch->call;
    grpc_slice method = grpc_slice_from_static_string(path);
    branch->upstream =
        grpc_channel_create_call(runtime_channel(branch->runtime, call->method->service), call->server_call,
                                 GRPC_PROPAGATE_DEFAULTS, call->gateway->worker.queue, method, NULL, deadline_of(call, budget), NULL);
    grpc_metadata_array_init(&branch->initial);
    grpc_metadata_array_init(&branch->trailing);
    branch->details = grpc_empty_slice();
    branch->ended.run = on_ended;
    grpc_slice slice = transport_slice(request, call->arena);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .data.send_initial_metadata = {.count = call->forwardable, .metadata = call->metadata.metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &branch->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &branch->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &branch->trailing,
                                        .status = &branch->status,
                                        .status_details = &branch->details}},
    };
    grpc_call_error started = grpc_call_start_batch(branch->upstream, ops, sizeof ops / sizeof ops[0], &branch->ended, NULL);
    grpc_byte_buffer_destroy(message);
    if (started != GRPC_CALL_OK) {
        error_set(&branch->error, STATUS_INTERNAL, "the transport refused the call to runtime %s", branch->runtime->entry->name);
        call_branch_ended(call);
    }
}

/* Whether the runtime can be called at all; otherwise the reason is in branch->error. */
static bool can_be_called(struct branch *branch, bool optional)
{
    struct runtime *runtime = branch->runtime;
    if (!runtime_ready(runtime, &branch->error)) {
        return false;
    }
    if (branch->call->method->in[runtime->dialect].path) {
        return true;
    }
    branch->omitted = optional && branch->call->method->lacking == LACKING_OMIT;
    return error_set(&branch->error, STATUS_UNIMPLEMENTED, "runtime %s speaks %s, which has no %s", runtime->entry->name,
                     dialects[runtime->dialect].name, branch->call->method->name);
}

void branch_start(struct branch *branch, struct call *call, struct runtime *runtime, bool optional, int64_t budget)
{
    *branch = (struct branch){.call = call, .runtime = runtime};
    if (!can_be_called(branch, optional)) {
        call_branch_ended(call);
        return;
    }
    struct name_map names;
    name_map_for_request(&names, call->gateway->map, runtime->index);
    struct conversion conversion = {
        .method = call->method,
        .from = call->caller,
        .to = runtime->dialect,
        .arena = call->arena,
        .names = &names.names,
        .node = node_filesystems_node(call->gateway->filesystems),
        .caller_lacks_masked_paths = call->gateway->map->listen.callers_lack_masked_paths,
    };
    struct bytes request;
    if (!convert_request(&conversion, call->request, &request, &branch->error)) {
        call_branch_ended(call);
        return;
    }
    branch->report = conversion.report;
    call_runtime(branch, call->method->in[runtime->dialect].path, request, budget);
}

void branch_release(struct branch *branch)
{
    if (branch->upstream) {
        grpc_call_unref(branch->upstream);
        grpc_metadata_array_destroy(&branch->initial);
        grpc_metadata_array_destroy(&branch->trailing);
        grpc_byte_buffer_destroy(branch->message);
        grpc_slice_unref(branch->details);
    }
}
