/* Calls a hook of a plugin, for tests.

   usage: hook_call SOCKET METHOD [JSON] | hook_call SOCKET METHOD hex:BYTES | hook_call SOCKET METHOD none

   METHOD is the name of a hook, or the path of any method. The request is JSON, bytes as hex digits, or no message at all. Prints
   each message of the answer as JSON, or as hex digits if it is no such message. Exits with the status code of the call, after
   its text on stderr. HOOK_CALL_TIMEOUT: milliseconds (20000). */
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/appendix.h"
#include "sim/common/grpc_server.h"
#include "sim/hooks/schema.h"
#include "translate/json/json.h"

#define REQUEST_CAP ((size_t)1 << 28)
#define EXIT_USAGE 64

/* false: reported on stderr. */
static bool encode_request(const struct hook *hook, const char *text, grpc_slice *request)
{
    struct appendix hex;
    struct error error = {0};
    struct bytes bytes = {0};
    if (strncmp(text, "hex:", 4) == 0) {
        *request = grpc_empty_slice();
        return !text[4] || (appendix_parse("request", text + 4, &hex) && (*request = appendix_add(*request, &hex), true));
    }
    struct arena *arena = arena_new(REQUEST_CAP);
    struct json_object *json = json_from_text(bytes_of_string(text), &error);
    bool good = hook && json && json_to_message(hook->request, json, false, arena, &bytes, &error);
    if (good) {
        *request = grpc_slice_from_copied_buffer((const char *)bytes.data, bytes.len);
    } else {
        fprintf(stderr, "hook_call: %s: %s\n", text, hook ? error.message : "only hooks take JSON");
    }
    json_object_put(json);
    arena_unref(arena);
    return good;
}

static void print_answer(const struct hook *hook, grpc_byte_buffer *buffer)
{
    grpc_slice slice = sim_slice_of_buffer(buffer);
    struct bytes bytes = sim_bytes_of_slice(&slice);
    struct error error = {0};
    struct json_object *json = hook ? json_from_message(hook->response, bytes, JSON_EXACT, &error) : NULL;
    if (json) {
        puts(json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE));
    } else {
        for (size_t i = 0; i < bytes.len; i++) {
            printf("%02x", bytes.data[i]);
        }
        puts("");
    }
    json_object_put(json);
    grpc_slice_unref(slice);
}

static void run(grpc_call *call, grpc_completion_queue *queue, const grpc_op *operations, size_t count)
{
    if (grpc_call_start_batch(call, operations, count, call, NULL) != GRPC_CALL_OK) {
        abort();
    }
    grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
}

/* `request` is NULL for no message. */
static void send_request(grpc_call *call, grpc_completion_queue *queue, const grpc_slice *request)
{
    grpc_byte_buffer *buffer = request ? grpc_raw_byte_buffer_create((grpc_slice *)request, 1) : NULL;
    grpc_metadata_array headers;
    grpc_metadata_array_init(&headers);
    grpc_op operations[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}, {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT}};
    operations[2].op = GRPC_OP_RECV_INITIAL_METADATA;
    operations[2].data.recv_initial_metadata.recv_initial_metadata = &headers;
    operations[3].op = GRPC_OP_SEND_MESSAGE;
    operations[3].data.send_message.send_message = buffer;
    run(call, queue, operations, request ? 4 : 3);
    grpc_metadata_array_destroy(&headers);
    grpc_byte_buffer_destroy(buffer);
}

static void print_answers(grpc_call *call, grpc_completion_queue *queue, const struct hook *hook)
{
    for (;;) {
        grpc_byte_buffer *buffer = NULL;
        grpc_op receive = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &buffer};
        run(call, queue, &receive, 1);
        if (!buffer) {
            return;
        }
        print_answer(hook, buffer);
        grpc_byte_buffer_destroy(buffer);
    }
}

/* The status code of the call, whose text goes to stderr. */
static int finish(grpc_call *call, grpc_completion_queue *queue)
{
    grpc_metadata_array trailers;
    grpc_metadata_array_init(&trailers);
    grpc_status_code code = GRPC_STATUS_UNKNOWN;
    grpc_slice details = grpc_empty_slice();
    grpc_op status = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT};
    status.data.recv_status_on_client.trailing_metadata = &trailers;
    status.data.recv_status_on_client.status = &code;
    status.data.recv_status_on_client.status_details = &details;
    run(call, queue, &status, 1);
    struct bytes text = sim_bytes_of_slice(&details);
    fprintf(stderr, "%.*s\n", (int)text.len, (const char *)text.data);
    grpc_slice_unref(details);
    grpc_metadata_array_destroy(&trailers);
    return (int)code;
}

static int make_call(grpc_channel *channel, grpc_completion_queue *queue, const char *path, const struct hook *hook,
                     const grpc_slice *request)
{
    const char *timeout = getenv("HOOK_CALL_TIMEOUT");
    gpr_timespec deadline = sim_from_now(timeout ? atoi(timeout) : 20000);
    grpc_slice method = grpc_slice_from_copied_string(path);
    grpc_call *call = grpc_channel_create_call(channel, NULL, GRPC_PROPAGATE_DEFAULTS, queue, method, NULL, deadline, NULL);
    grpc_slice_unref(method);
    send_request(call, queue, request);
    print_answers(call, queue, hook);
    int code = finish(call, queue);
    grpc_call_unref(call);
    return code;
}

static int call_plugin(const char *socket, const char *path, const struct hook *hook, const grpc_slice *request)
{
    static char max_receive[] = GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH;
    grpc_arg argument = {GRPC_ARG_INTEGER, max_receive, {.integer = -1}};
    grpc_channel_args arguments = {1, &argument};
    char address[256];
    snprintf(address, sizeof address, "unix:%s", socket);
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    grpc_channel *channel = grpc_channel_create(address, credentials, &arguments);
    grpc_completion_queue *queue = grpc_completion_queue_create_for_next(NULL);
    int code = make_call(channel, queue, path, hook, request);
    grpc_channel_destroy(channel);
    grpc_channel_credentials_release(credentials);
    sim_queue_destroy(queue);
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fprintf(stderr, "usage: hook_call SOCKET METHOD [JSON | hex:BYTES | none]\n");
        return EXIT_USAGE;
    }
    grpc_init();
    struct hook_schema *schema = hook_schema_new();
    const struct hook *hook = hook_by_name(schema, bytes_of_string(argv[2]));
    const char *text = argc == 4 ? argv[3] : "{}";
    bool none = strcmp(text, "none") == 0;
    grpc_slice request = grpc_empty_slice();
    int status = EXIT_USAGE;
    if (none || encode_request(hook, text, &request)) {
        status = call_plugin(argv[1], hook ? hook->path : argv[2], hook, none ? NULL : &request);
    }
    grpc_slice_unref(request);
    hook_schema_free(schema);
    grpc_shutdown();
    return status;
}
