#include "probe.h"

#include <grpc/byte_buffer.h>
#include <grpc/slice.h>
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "core/transport.h"
#include "translate/json.h"
#include "translate/method.h"

#define PROBE_TIMEOUT_SECONDS 5
#define PROBE_MEMORY ((size_t)256 * 1024)

/* Runtimes of the time of an older dialect, which shares its package with a newer one. An RPC that a runtime lacks would prove
   too little: containerd 1.3 to 1.5 lack RPCs of the newest dialect and yet understand its fields. */
static const struct {
    const char *name;
    unsigned major, minor; /* the last release of that time */
    enum dialect dialect;
} runtimes_of_old[] = {
    {"containerd", 1, 2, DIALECT_V1_12},
    {"cri-containerd", 1, 2, DIALECT_V1_12},
    {"cri-o", 1, 12, DIALECT_V1_12},
};

/* Reads "1.6" off "1.6.20" or "v1.6.20". */
static bool read_release(const char *version, unsigned long *major, unsigned long *minor)
{
    char *end;
    const char *start = version + strspn(version, "vV");
    *major = strtoul(start, &end, 10);
    if (end == start || *end != '.') {
        return false;
    }
    start = end + 1;
    *minor = strtoul(start, &end, 10);
    return end != start;
}

enum dialect probe_dialect_of(enum dialect answered, const char *name, const char *version)
{
    unsigned long major, minor;
    if (!read_release(version, &major, &minor)) {
        return answered;
    }
    for (size_t i = 0; i < sizeof runtimes_of_old / sizeof runtimes_of_old[0]; i++) {
        bool that_old =
            major < runtimes_of_old[i].major || (major == runtimes_of_old[i].major && minor <= runtimes_of_old[i].minor);
        if (dialects[runtimes_of_old[i].dialect].caller == answered && strcasecmp(name, runtimes_of_old[i].name) == 0 &&
            that_old) {
            return runtimes_of_old[i].dialect;
        }
    }
    return answered;
}

struct probe {
    const struct runtime_entry *entry;
    grpc_channel *channel;
    grpc_completion_queue *queue;
    probe_done *done; /* NULL after a cancellation */
    void *state;
    const struct method *version;
    struct arena *arena;
    struct bytes request;
    enum dialect asking;

    struct event answered;
    grpc_call *call;
    grpc_metadata_array initial, trailing;
    grpc_byte_buffer *message;
    grpc_status_code status;
    grpc_slice details;
};

static void release_call(struct probe *probe)
{
    if (probe->call) {
        grpc_call_unref(probe->call);
        grpc_metadata_array_destroy(&probe->initial);
        grpc_metadata_array_destroy(&probe->trailing);
        grpc_byte_buffer_destroy(probe->message);
        grpc_slice_unref(probe->details);
        probe->call = NULL;
        probe->message = NULL;
    }
}

static void finish(struct probe *probe, const struct probe_result *result)
{
    if (probe->done) {
        probe->done(probe->state, result);
    }
    release_call(probe);
    arena_unref(probe->arena);
    free(probe);
}

static void fail(struct probe *probe, enum status_code code, bool unsuitable, const char *text)
{
    struct probe_result result = {.unsuitable = unsuitable};
    error_set(&result.error, code, "%s", text);
    finish(probe, &result);
}

/* Calls Version in the package whose turn it is. false: the transport refused. */
static bool ask(struct probe *probe)
{
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(PROBE_TIMEOUT_SECONDS, GPR_TIMESPAN));
    grpc_slice path = grpc_slice_from_static_string(probe->version->in[probe->asking].path);
    probe->call =
        grpc_channel_create_call(probe->channel, NULL, GRPC_PROPAGATE_DEFAULTS, probe->queue, path, NULL, deadline, NULL);
    grpc_metadata_array_init(&probe->initial);
    grpc_metadata_array_init(&probe->trailing);
    probe->details = grpc_empty_slice();
    grpc_slice slice = grpc_slice_from_copied_buffer((const char *)probe->request.data, probe->request.len);
    grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = request},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &probe->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &probe->message},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &probe->trailing,
                                        .status = &probe->status,
                                        .status_details = &probe->details}},
    };
    grpc_call_error started = grpc_call_start_batch(probe->call, ops, sizeof ops / sizeof ops[0], &probe->answered, NULL);
    grpc_byte_buffer_destroy(request);
    return started == GRPC_CALL_OK;
}

/* The package to ask after this one; false when there is none. */
static bool next_package(struct probe *probe)
{
    if (probe->entry->api_set) {
        return false;
    }
    while (probe->asking > 0) {
        probe->asking--;
        if (dialects[probe->asking].caller == probe->asking) {
            return true;
        }
    }
    return false;
}

static void copy_text(struct json_object *answer, const char *key, char *text, size_t size)
{
    struct json_object *value;
    if (json_object_object_get_ex(answer, key, &value)) {
        snprintf(text, size, "%s", json_object_get_string(value));
    }
}

static void succeed(struct probe *probe)
{
    struct probe_result result = {.found = true, .dialect = probe->asking};
    struct bytes bytes;
    struct error error = {0};
    struct json_object *answer = NULL;
    if (transport_bytes(probe->message, probe->arena, &bytes)) {
        answer = json_from_message(probe->version->in[probe->asking].response, bytes, JSON_EXACT, &error);
    }
    if (!answer) {
        fail(probe, STATUS_INTERNAL, false, "its answer to Version is no such message");
        return;
    }
    copy_text(answer, "runtimeName", result.name, sizeof result.name);
    copy_text(answer, "runtimeVersion", result.version, sizeof result.version);
    json_object_put(answer);
    result.dialect = probe->entry->api_set ? probe->entry->api : probe_dialect_of(probe->asking, result.name, result.version);
    finish(probe, &result);
}

static void on_answered(struct event *event, bool ok)
{
    (void)ok;
    struct probe *probe = event_owner(event, struct probe, answered);
    if (probe->done && probe->status == GRPC_STATUS_OK) {
        succeed(probe);
        return;
    }
    char text[256];
    struct bytes details = transport_slice_bytes(&probe->details);
    snprintf(text, sizeof text, "Version answered %s: %.*s", status_code_name((enum status_code)probe->status),
             (int)(details.len < 160 ? details.len : 160), (const char *)details.data);
    bool unimplemented = probe->status == GRPC_STATUS_UNIMPLEMENTED;
    if (probe->done && unimplemented && next_package(probe)) {
        release_call(probe);
        if (!ask(probe)) {
            fail(probe, STATUS_INTERNAL, false, "the transport refused the probe");
        }
        return;
    }
    fail(probe, (enum status_code)probe->status, unimplemented, text);
}

struct probe *probe_start(const struct runtime_entry *entry, grpc_channel *channel, grpc_completion_queue *queue,
                          probe_done *done, void *state)
{
    struct probe *probe = calloc(1, sizeof *probe);
    if (!probe) {
        return NULL;
    }
    *probe = (struct probe){
        .entry = entry,
        .channel = channel,
        .queue = queue,
        .done = done,
        .state = state,
        .version = method_by_name("Version"),
        .arena = arena_new(PROBE_MEMORY),
        .asking = entry->api_set ? entry->api : DIALECT_MODEL,
        .answered.run = on_answered,
    };
    struct json_object *request = json_object_new_object();
    json_object_object_add(request, "version", json_object_new_string("0.1.0"));
    struct error error;
    bool encoded = probe->arena && json_to_message(probe->version->in[probe->asking].request, request, false, probe->arena,
                                                   &probe->request, &error);
    json_object_put(request);
    if (!encoded || !ask(probe)) {
        release_call(probe);
        arena_unref(probe->arena);
        free(probe);
        return NULL;
    }
    return probe;
}

void probe_cancel(struct probe *probe)
{
    probe->done = NULL;
    if (probe->call) {
        grpc_call_cancel(probe->call, NULL);
    }
}
