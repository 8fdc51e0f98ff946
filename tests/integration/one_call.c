#include "one_call.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc_security.h>
#include <json-c/json.h>
#include <stdlib.h>

#include "base/bytes/error.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

bool call_target_read(struct call_target *target, const char *name, const char *json, struct arena *arena)
{
    struct error error = {0};
    const struct method *method = method_by_name(name);
    struct json_object *object = json_tokener_parse(json);
    bool done =
        method && object && json_to_message(method->in[DIALECT_MODEL].request, object, false, arena, &target->request, &error);
    target->path = done ? method->in[DIALECT_MODEL].path : NULL;
    json_object_put(object);
    return done;
}

void call_target_open(struct call_target *target, const char *endpoint)
{
    grpc_init();
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    target->queue = grpc_completion_queue_create_for_next(NULL);
    target->channel = grpc_channel_create(endpoint, credentials, NULL);
    grpc_channel_credentials_release(credentials);
}

void call_target_close(struct call_target *target)
{
    grpc_channel_destroy(target->channel);
    grpc_completion_queue_shutdown(target->queue);
    grpc_completion_queue_destroy(target->queue);
    grpc_shutdown();
}

void one_call_start(struct one_call *call, const struct call_target *target, gpr_timespec deadline, grpc_metadata *metadata)
{
    grpc_slice path = grpc_slice_from_copied_string(target->path);
    call->call =
        grpc_channel_create_call(target->channel, NULL, GRPC_PROPAGATE_DEFAULTS, target->queue, path, NULL, deadline, NULL);
    grpc_slice_unref(path);
    grpc_metadata_array_init(&call->initial);
    grpc_metadata_array_init(&call->trailing);
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)target->request.data, target->request.len);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA,
         .flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY,
         .data.send_initial_metadata = {.count = metadata ? 1 : 0, .metadata = metadata}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &call->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->answer},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &call->trailing,
                                        .status = &call->code,
                                        .status_details = &call->details}},
    };
    if (grpc_call_start_batch(call->call, ops, sizeof ops / sizeof ops[0], call, NULL) != GRPC_CALL_OK) {
        abort();
    }
    grpc_byte_buffer_destroy(message);
    grpc_slice_unref(slice);
}

void one_call_release(struct one_call *call)
{
    grpc_call_unref(call->call);
    grpc_metadata_array_destroy(&call->initial);
    grpc_metadata_array_destroy(&call->trailing);
    grpc_byte_buffer_destroy(call->answer);
    grpc_slice_unref(call->details);
}
