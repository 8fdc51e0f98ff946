/* A caller that opens many streams on one connection and reads none of them.
 *
 * usage: unread_streams unix:///SOCKET METHOD COUNT
 *
 * Prints a line for each stream that ends with a failure, "CODE DETAILS", and stays until SIGTERM. */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>

struct stream {
    grpc_call *call;
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_status_code code;
    grpc_slice details;
};

/* Never comes to an end while messages wait to be read. */
static void start(grpc_call *call, const grpc_op *ops, size_t count, void *tag)
{
    if (grpc_call_start_batch(call, ops, count, tag, NULL) != GRPC_CALL_OK) {
        abort();
    }
}

static void open_stream(struct stream *stream, grpc_channel *channel, grpc_completion_queue *queue, const char *path)
{
    stream->call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue, grpc_slice_from_copied_string(path),
                                            NULL, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    grpc_metadata_array_init(&stream->initial);
    grpc_metadata_array_init(&stream->trailing);
    grpc_slice empty = grpc_empty_slice();
    grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&empty, 1);
    grpc_op open[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &stream->initial},
    };
    grpc_op close = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                     .data.recv_status_on_client = {
                         .trailing_metadata = &stream->trailing, .status = &stream->code, .status_details = &stream->details}};
    start(stream->call, open, 4, NULL);
    start(stream->call, &close, 1, stream);
    grpc_byte_buffer_destroy(request);
}

int main(int argc, char **argv)
{
    size_t count = argc == 4 ? (size_t)strtoul(argv[3], NULL, 10) : 0;
    if (count == 0) {
        fputs("usage: unread_streams unix:///SOCKET METHOD COUNT\n", stderr);
        return 2;
    }
    grpc_init();
    grpc_completion_queue *queue = grpc_completion_queue_create_for_next(NULL);
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    /* Otherwise the window of a stream grows with what comes, read or not. */
    grpc_arg probe = {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_HTTP2_BDP_PROBE, .value.integer = 0};
    grpc_channel_args arguments = {.num_args = 1, .args = &probe};
    grpc_channel *channel = grpc_channel_create(argv[1], credentials, &arguments);
    struct stream *streams = calloc(count, sizeof *streams);
    for (size_t i = 0; streams && i < count; i++) {
        open_stream(&streams[i], channel, queue, argv[2]);
    }
    for (;;) {
        grpc_event event = grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        const struct stream *stream = event.tag;
        if (stream && stream->code != GRPC_STATUS_OK) {
            printf("%d %.*s\n", (int)stream->code, (int)GRPC_SLICE_LENGTH(stream->details),
                   (const char *)GRPC_SLICE_START_PTR(stream->details));
            fflush(stdout);
        }
    }
}
