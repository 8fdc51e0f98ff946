/* A caller of grpc.health.v1.Health.
 *
 * usage: health_caller unix:///SOCKET METHOD [SERVICE | --bytes HEX]
 *
 * Prints a line of JSON for each message, {"service": status}, with the number of the status; an empty object is a message with
 * no status. Ends with the call, or on SIGTERM, with {"code": number, "details": text}. Exit status 0, whatever came; 64 for
 * wrong arguments. */
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "translate/bytes/wire.h"

static atomic_bool ended;

static void on_signal(int number)
{
    (void)number;
    ended = true;
}

static grpc_byte_buffer *request_of(const char *service)
{
    size_t len = strlen(service);
    uint8_t bytes[256] = {1 << 3 | WIRE_LENGTH, (uint8_t)len};
    memcpy(bytes + 2, service, len);
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)bytes, len + 2);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

static grpc_byte_buffer *request_of_hex(const char *hex)
{
    char bytes[128];
    size_t len = 0;
    for (unsigned value; len < sizeof bytes && sscanf(hex, "%2x", &value) == 1; hex += 2) {
        bytes[len++] = (char)value;
    }
    grpc_slice slice = grpc_slice_from_copied_buffer(bytes, len);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    return buffer;
}

/* Adds the status of a HealthCheckResponse. */
static void add_status(struct json_object *object, struct bytes name, struct bytes response)
{
    struct wire_field status;
    char key[128];
    snprintf(key, sizeof key, "%.*s", BYTES_SHOWN(name, 100));
    if (wire_last_field(response, 1, WIRE_VARINT, &status)) {
        json_add(object, key, json_object_new_int64((int64_t)status.value));
    }
}

static void print(struct json_object *object)
{
    puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN));
    fflush(stdout);
    json_object_put(object);
}

static void print_message(grpc_byte_buffer *message, const char *service, bool is_list)
{
    struct json_object *object = json_object_new_object();
    grpc_byte_buffer_reader buffer;
    grpc_byte_buffer_reader_init(&buffer, message);
    grpc_slice whole = grpc_byte_buffer_reader_readall(&buffer);
    struct bytes bytes = bytes_of(GRPC_SLICE_START_PTR(whole), GRPC_SLICE_LENGTH(whole));
    struct wire_reader reader = wire_reader_of(bytes);
    struct wire_field entry;
    if (!is_list) {
        add_status(object, bytes_of_string(service), bytes);
    }
    while (is_list && reader.at < reader.end && wire_read_field(&reader, &entry)) {
        add_status(object, wire_last_payload(entry.payload, 1), wire_last_payload(entry.payload, 2));
    }
    print(object);
    grpc_slice_unref(whole);
    grpc_byte_buffer_reader_destroy(&buffer);
    grpc_byte_buffer_destroy(message);
}

/* Starts the operations and waits for them, or for SIGTERM, which cancels the call. */
static void run(grpc_call *call, grpc_completion_queue *queue, const grpc_op *ops, size_t count, void *tag)
{
    bool cancelled = false;
    if (grpc_call_start_batch(call, ops, count, tag, NULL) != GRPC_CALL_OK) {
        abort();
    }
    for (;;) {
        gpr_timespec turn = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(50, GPR_TIMESPAN));
        grpc_event event = grpc_completion_queue_next(queue, turn, NULL);
        if (event.type == GRPC_OP_COMPLETE && event.tag == tag) {
            return;
        }
        if (ended && !cancelled) {
            cancelled = true;
            grpc_call_cancel(call, NULL);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 5) {
        fputs("usage: health_caller unix:///SOCKET METHOD [SERVICE | --bytes HEX]\n", stderr);
        return 64;
    }
    const char *service = argc == 4 ? argv[3] : "";
    char path[128];
    snprintf(path, sizeof path, "/grpc.health.v1.Health/%s", argv[2]);
    signal(SIGTERM, on_signal);
    grpc_init();
    grpc_completion_queue *queue = grpc_completion_queue_create_for_next(NULL);
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel = grpc_channel_create(argv[1], credentials, NULL);
    grpc_channel_credentials_release(credentials);
    grpc_slice method = grpc_slice_from_copied_string(path);
    grpc_call *call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue, method, NULL,
                                               gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    grpc_byte_buffer *request = argc == 5 ? request_of_hex(argv[4]) : request_of(service);
    const grpc_op begin[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
    };
    run(call, queue, begin, 3, call);
    grpc_byte_buffer_destroy(request);
    grpc_metadata_array initial, trailing;
    grpc_metadata_array_init(&initial);
    grpc_metadata_array_init(&trailing);
    run(call, queue,
        &(grpc_op){.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &initial}, 1, call);
    for (grpc_byte_buffer *message = NULL;;) {
        run(call, queue, &(grpc_op){.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &message}, 1, call);
        if (!message) {
            break;
        }
        print_message(message, service, strcmp(argv[2], "List") == 0);
    }
    grpc_status_code code;
    grpc_slice details;
    run(call, queue,
        &(grpc_op){.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                   .data.recv_status_on_client = {.trailing_metadata = &trailing, .status = &code, .status_details = &details}},
        1, call);
    struct json_object *end = json_object_new_object();
    json_add(end, "code", json_object_new_int((int)code));
    json_add(end, "details",
             json_object_new_string_len((const char *)GRPC_SLICE_START_PTR(details), (int)GRPC_SLICE_LENGTH(details)));
    print(end);
    grpc_slice_unref(details);
    grpc_metadata_array_destroy(&initial);
    grpc_metadata_array_destroy(&trailing);
    grpc_slice_unref(method);
    grpc_call_unref(call);
    grpc_channel_destroy(channel);
    grpc_completion_queue_shutdown(queue);
    grpc_completion_queue_destroy(queue);
    grpc_shutdown();
    return 0;
}
