/* A caller that makes many calls at once, on one connection.
 *
 * usage: crowd unix:///SOCKET METHOD JSON COUNT MILLISECONDS
 *
 * All calls are CRI v1's and have the same request and that deadline. Prints "all calls are under way" as soon as they are, and
 * at the end a line for each status code that calls ended with, "NUMBER CODE". */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define MOST_CODES 17

struct caller {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    const char *path;
    struct bytes request;
    gpr_timespec deadline;
    unsigned long ended[MOST_CODES];
    size_t left;
};

struct one_call {
    grpc_call *call;
    grpc_metadata_array initial;
    grpc_metadata_array trailing;
    grpc_byte_buffer *answer;
    grpc_status_code code;
    grpc_slice details;
};

static void start(struct caller *caller, struct one_call *one)
{
    one->call = grpc_channel_create_call(caller->channel, NULL, GRPC_PROPAGATE_DEFAULTS, caller->queue,
                                         grpc_slice_from_static_string(caller->path), NULL, caller->deadline, NULL);
    grpc_metadata_array_init(&one->initial);
    grpc_metadata_array_init(&one->trailing);
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)caller->request.data, caller->request.len);
    grpc_byte_buffer *message = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = message},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &one->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &one->answer},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &one->trailing,
                                        .status = &one->code,
                                        .status_details = &one->details}},
    };
    if (grpc_call_start_batch(one->call, ops, sizeof ops / sizeof ops[0], one, NULL) != GRPC_CALL_OK) {
        abort();
    }
    grpc_byte_buffer_destroy(message);
    grpc_slice_unref(slice);
}

/* Waits for calls to end, until the deadline; the queue's work is done meanwhile. */
static void collect(struct caller *caller, gpr_timespec deadline)
{
    while (caller->left > 0) {
        grpc_event event = grpc_completion_queue_next(caller->queue, deadline, NULL);
        if (event.type != GRPC_OP_COMPLETE) {
            return;
        }
        struct one_call *one = event.tag;
        caller->ended[one->code < MOST_CODES ? one->code : GRPC_STATUS_UNKNOWN]++;
        caller->left--;
        grpc_call_unref(one->call);
        grpc_metadata_array_destroy(&one->initial);
        grpc_metadata_array_destroy(&one->trailing);
        grpc_byte_buffer_destroy(one->answer);
        grpc_slice_unref(one->details);
    }
}

static bool encode(const char *name, const char *text, struct arena *arena, struct caller *caller)
{
    struct error error = {0};
    const struct method *method = method_by_name(name);
    struct json_object *json = json_tokener_parse(text);
    bool done =
        method && json && json_to_message(method->in[DIALECT_MODEL].request, json, false, arena, &caller->request, &error);
    caller->path = done ? method->in[DIALECT_MODEL].path : NULL;
    json_object_put(json);
    return done;
}

int main(int argc, char **argv)
{
    struct caller caller = {0};
    size_t count = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
    struct arena *arena = arena_new((size_t)1024 * 1024);
    if (count == 0 || !encode(argv[2], argv[3], arena, &caller)) {
        fputs("usage: crowd unix:///SOCKET METHOD JSON COUNT MILLISECONDS\n", stderr);
        return 2;
    }
    grpc_init();
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    caller.queue = grpc_completion_queue_create_for_next(NULL);
    caller.channel = grpc_channel_create(argv[1], credentials, NULL);
    caller.deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(strtol(argv[5], NULL, 10), GPR_TIMESPAN));
    caller.left = count;
    struct one_call *calls = calloc(count, sizeof *calls);
    for (size_t i = 0; calls && i < count; i++) {
        start(&caller, &calls[i]);
        collect(&caller, gpr_inf_past(GPR_CLOCK_MONOTONIC));
    }
    puts("all calls are under way");
    fflush(stdout);
    collect(&caller, gpr_inf_future(GPR_CLOCK_MONOTONIC));
    for (size_t code = 0; code < MOST_CODES; code++) {
        if (caller.ended[code] > 0) {
            printf("%lu %s\n", caller.ended[code], status_code_name((enum status_code)code));
        }
    }
    grpc_channel_destroy(caller.channel);
    grpc_channel_credentials_release(credentials);
    grpc_completion_queue_shutdown(caller.queue);
    grpc_completion_queue_destroy(caller.queue);
    grpc_shutdown();
    free(calls);
    arena_unref(arena);
    return EXIT_SUCCESS;
}
