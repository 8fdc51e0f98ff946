#include "tests/bench/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>
#include <json-c/json.h>

#include "base/bytes/arena.h"
#include "tests/bench/process.h"
#include "translate/json/json.h"
#include "translate/schema/method.h"

#define CONNECTIONS 256
#define REQUEST_MEMORY ((size_t)16 * 1024 * 1024)
#define REQUEST_FILE_SIZE ((size_t)1024 * 1024) /* at most */
/* A number of two bytes, so that requests are of one size. */
#define FIRST_ATTEMPT 200
#define PREPARE_SECONDS 20
/* Calls a caller makes in a block before its latencies count: the process behind was asleep while others were measured. */
#define WARM_UP_CALLS 2
/* Kubelet gives its calls a deadline of minutes, so every call here has one too: it costs a timer at each hop. */
#define CALL_DEADLINE_SECONDS 120

struct connection {
    const struct target *target;
    const struct instance *instance;
    grpc_channel *channel;
    grpc_channel *before; /* to what is called before each call; NULL: nothing */
};

/* One call in flight. */
struct flight {
    const struct request *request;
    bool before; /* the call before it is under way */
    grpc_call *call;
    grpc_byte_buffer *sent;
    grpc_metadata_array initial_metadata;
    grpc_byte_buffer *response;
    grpc_metadata_array trailing_metadata;
    grpc_status_code status;
    grpc_slice details;
    uint64_t started; /* nanoseconds */
};

struct load {
    grpc_completion_queue *queue;
    const char *samples;
    struct arena *arena; /* of the requests */
    unsigned requests;   /* made so far */
    struct connection connections[CONNECTIONS];
    size_t connection_count;
};

struct load *load_open(const char *samples)
{
    struct load *load = calloc(1, sizeof *load);
    if (load) {
        grpc_init();
        load->queue = grpc_completion_queue_create_for_next(NULL);
        load->samples = samples;
        load->arena = arena_new(REQUEST_MEMORY);
    }
    return load;
}

static void disconnect(struct connection *connection)
{
    grpc_channel_destroy(connection->channel);
    if (connection->before) {
        grpc_channel_destroy(connection->before);
    }
}

void load_close(struct load *load)
{
    for (size_t i = 0; i < load->connection_count; i++) {
        disconnect(&load->connections[i]);
    }
    grpc_completion_queue_shutdown(load->queue);
    while (grpc_completion_queue_next(load->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN) {
    }
    grpc_completion_queue_destroy(load->queue);
    grpc_shutdown();
    arena_unref(load->arena);
    free(load);
}

static grpc_arg integer(const char *key, int value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = (char *)key, .value.integer = value};
}

struct connection *load_connect(struct load *load, const struct target *target, size_t instance)
{
    if (load->connection_count == CONNECTIONS) {
        return NULL;
    }
    /* A lean client: less of its own cost in the figures. The backoff is short because targets are still starting. */
    grpc_arg list[] = {
        integer("grpc.enable_retries", 0),
        integer("grpc.enable_channelz", 0),
        integer("grpc.http2.bdp_probe", 0),
        integer("grpc.http2.lookahead_bytes", 1 << 20),
        integer("grpc.max_receive_message_length", -1),
        integer("grpc.initial_reconnect_backoff_ms", 100),
        integer("grpc.min_reconnect_backoff_ms", 100),
        integer("grpc.max_reconnect_backoff_ms", 200),
    };
    grpc_channel_args args = {.num_args = sizeof list / sizeof list[0], .args = list};
    struct connection *connection = &load->connections[load->connection_count++];
    connection->target = target;
    connection->instance = &target->instances[instance];
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    connection->channel = grpc_channel_create(connection->instance->address, credentials, &args);
    connection->before = target->before.path[0] ? grpc_channel_create(target->before.address, credentials, &args) : NULL;
    grpc_channel_credentials_release(credentials);
    return connection;
}

static void flight_call(struct load *load, struct flight *flight, const struct request *request, bool before, uint64_t started)
{
    const struct connection *connection = request->connection;
    struct bytes message = before ? request->before : request->bytes;
    *flight = (struct flight){.request = request, .before = before, .started = started};
    grpc_metadata_array_init(&flight->initial_metadata);
    grpc_metadata_array_init(&flight->trailing_metadata);
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(CALL_DEADLINE_SECONDS, GPR_TIMESPAN));
    /* Copies: C core's header compression remembers a path for longer than the call lasts. */
    grpc_slice method = grpc_slice_from_copied_string(before ? connection->target->before.path : request->method);
    flight->call = grpc_channel_create_call(before ? connection->before : connection->channel, NULL, GRPC_PROPAGATE_DEFAULTS,
                                            load->queue, method, NULL, deadline, NULL);
    grpc_slice_unref(method);
    grpc_slice bytes = grpc_slice_from_copied_buffer((const char *)message.data, message.len);
    flight->sent = grpc_raw_byte_buffer_create(&bytes, 1);
    grpc_slice_unref(bytes);
    grpc_op ops[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = flight->sent},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &flight->initial_metadata},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &flight->response},
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
         .data.recv_status_on_client = {.trailing_metadata = &flight->trailing_metadata,
                                        .status = &flight->status,
                                        .status_details = &flight->details}},
    };
    if (grpc_call_start_batch(flight->call, ops, sizeof ops / sizeof ops[0], flight, NULL) != GRPC_CALL_OK) {
        fputs("bench: C core refused a batch\n", stderr);
        exit(1);
    }
}

static void flight_free(struct flight *flight)
{
    grpc_call_unref(flight->call);
    grpc_byte_buffer_destroy(flight->sent);
    grpc_byte_buffer_destroy(flight->response);
    grpc_metadata_array_destroy(&flight->initial_metadata);
    grpc_metadata_array_destroy(&flight->trailing_metadata);
    grpc_slice_unref(flight->details);
}

static void flight_start(struct load *load, struct flight *flight, const struct request *request)
{
    flight_call(load, flight, request, request->connection->before != NULL, process_clock());
}

/* The next that has ended. If the call before it failed, it has that one's status. */
static struct flight *flight_wait(struct load *load)
{
    for (;;) {
        struct flight *flight = grpc_completion_queue_next(load->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).tag;
        if (!flight->before || flight->status != GRPC_STATUS_OK) {
            return flight;
        }
        const struct request *request = flight->request;
        uint64_t started = flight->started;
        flight_free(flight);
        flight_call(load, flight, request, false, started);
    }
}

/* The slice is the caller's to unref. Empty without a response. */
static grpc_slice response_bytes(const struct flight *flight)
{
    grpc_byte_buffer_reader reader;
    if (!flight->response || !grpc_byte_buffer_reader_init(&reader, flight->response)) {
        return grpc_empty_slice();
    }
    grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
    grpc_byte_buffer_reader_destroy(&reader);
    return all;
}

static void print_failure(const struct flight *flight, const char *what)
{
    const struct connection *connection = flight->request->connection;
    fprintf(stderr, "bench: %s %s at %s: %s (code %d): %.*s\n", connection->target->name, flight->request->method,
            connection->instance->address, what, (int)flight->status, (int)GRPC_SLICE_LENGTH(flight->details),
            (const char *)GRPC_SLICE_START_PTR(flight->details));
}

/* One call, waited for. False when it failed; told on stderr only if `loud`. */
static bool send_once(struct load *load, const struct request *request, bool loud, grpc_slice *response)
{
    struct flight flight;
    flight_start(load, &flight, request);
    flight_wait(load);
    bool good = flight.status == GRPC_STATUS_OK && flight.response;
    if (good) {
        *response = response_bytes(&flight);
    } else if (loud) {
        print_failure(&flight, "failed");
    }
    flight_free(&flight);
    return good;
}

static bool call_until_answered(struct load *load, const struct request *request, grpc_slice *response)
{
    uint64_t give_up = process_clock() + PREPARE_SECONDS * UINT64_C(1000000000);
    while (!send_once(load, request, process_clock() > give_up, response)) {
        if (process_clock() > give_up) {
            return false;
        }
        usleep(50000);
    }
    return true;
}

static void request_init(struct request *request, struct connection *connection, const char *rpc)
{
    const struct target *target = connection->target;
    const struct method *method = method_by_name(rpc);
    const char *service = method && method->service == SERVICE_IMAGE ? "ImageService" : "RuntimeService";
    *request = (struct request){.connection = connection};
    if (target->request_file[0]) {
        snprintf(request->method, sizeof request->method, "%s", target->package);
    } else {
        snprintf(request->method, sizeof request->method, "/%s.%s/%s", target->package, service, rpc);
    }
}

/* The answer's message as JSON, which the caller puts; NULL after a message on stderr. */
static struct json_object *decoded(const struct request *request, grpc_slice response)
{
    enum dialect dialect;
    struct error error;
    const struct method *method = method_find(bytes_of_string(request->method), &dialect);
    struct bytes bytes = bytes_of(GRPC_SLICE_START_PTR(response), GRPC_SLICE_LENGTH(response));
    struct json_object *json = method ? json_from_message(method->in[dialect].response, bytes, JSON_EXACT, &error) : NULL;
    if (!json) {
        fprintf(stderr, "bench: %s: its answer cannot be read\n", request->method);
    }
    return json;
}

static size_t count_containers(const struct request *request, grpc_slice list)
{
    struct json_object *json = decoded(request, list), *containers;
    size_t count = json && json_object_object_get_ex(json, "containers", &containers) ? json_object_array_length(containers) : 0;
    json_object_put(json);
    return count;
}

static bool encode(struct arena *arena, struct request *request, struct json_object *json)
{
    enum dialect dialect;
    struct error error;
    const struct method *method = method_find(bytes_of_string(request->method), &dialect);
    if (!method || !json_to_message(method->in[dialect].request, json, true, arena, &request->bytes, &error)) {
        fprintf(stderr, "bench: %s: %s\n", request->method, method ? error.message : "no such RPC");
        return false;
    }
    return true;
}

/* The first container of the list, as JSON that the caller puts; NULL after a message on stderr. */
static struct json_object *first_container(struct load *load, const struct request *request)
{
    struct request list_request;
    request_init(&list_request, request->connection, "ListContainers");
    grpc_slice list;
    if (!call_until_answered(load, &list_request, &list)) {
        return NULL;
    }
    struct json_object *json = decoded(&list_request, list), *containers, *first = NULL;
    if (json && json_object_object_get_ex(json, "containers", &containers)) {
        first = json_object_get(json_object_array_get_idx(containers, 0));
    }
    if (!first) {
        fprintf(stderr, "bench: %s lists no container\n", request->connection->target->name);
    }
    json_object_put(json);
    grpc_slice_unref(list);
    return first;
}

static void share(struct json_object *to, const char *to_key, struct json_object *from, const char *from_key)
{
    json_object_object_add(to, to_key, json_object_get(json_object_object_get(from, from_key)));
}

static bool fill_container_status(struct load *load, struct request *request)
{
    struct json_object *container = first_container(load, request);
    struct json_object *json = json_object_new_object();
    share(json, "containerId", container, "id");
    bool good = container && encode(load->arena, request, json);
    json_object_put(json);
    json_object_put(container);
    return good;
}

/* The sample, in a pod and with an image of the runtime, as an attempt of its own: names of containers are taken once. */
static bool fill_create_container(struct load *load, struct request *request)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/create_container.json", load->samples);
    struct json_object *container = first_container(load, request), *json = json_object_from_file(path);
    if (!json) {
        fprintf(stderr, "bench: %s\n", json_util_get_last_err());
    }
    bool good = container && json;
    if (good) {
        struct json_object *config = json_object_object_get(json, "config");
        share(json, "podSandboxId", container, "podSandboxId");
        share(json_object_object_get(config, "image"), "image", container, "imageRef");
        json_object_object_add(json_object_object_get(config, "metadata"), "attempt",
                               json_object_new_int64(FIRST_ATTEMPT + load->requests++));
        good = encode(load->arena, request, json);
    }
    json_object_put(json);
    json_object_put(container);
    return good;
}

static bool read_message(struct load *load, const char *path, struct bytes *message)
{
    uint8_t *bytes = arena_alloc(load->arena, REQUEST_FILE_SIZE);
    FILE *file = fopen(path, "rb");
    if (!file || !bytes) {
        perror(path);
        return false;
    }
    *message = bytes_of(bytes, fread(bytes, 1, REQUEST_FILE_SIZE, file));
    fclose(file);
    return message->len > 0;
}

static const struct {
    const char *rpc;
    bool (*fill)(struct load *load, struct request *request);
} fillers[] = {{"ContainerStatus", fill_container_status}, {"CreateContainer", fill_create_container}};

bool load_prepare(struct load *load, struct connection *connection, const char *rpc, size_t containers, struct request *request)
{
    const struct target *target = connection->target;
    bool from_file = target->request_file[0];
    request_init(request, connection, rpc);
    if ((from_file && !read_message(load, target->request_file, &request->bytes)) ||
        (connection->before && !read_message(load, target->before.request_file, &request->before))) {
        return false;
    }
    for (size_t i = 0; !from_file && i < sizeof fillers / sizeof fillers[0]; i++) {
        if (strcmp(fillers[i].rpc, rpc) == 0 && !fillers[i].fill(load, request)) {
            return false;
        }
    }
    grpc_slice response;
    if (!call_until_answered(load, request, &response)) {
        return false;
    }
    request->response_size = GRPC_SLICE_LENGTH(response);
    size_t listed = !from_file && strcmp(rpc, "ListContainers") == 0 ? count_containers(request, response) : containers;
    grpc_slice_unref(response);
    if (listed != containers || request->response_size == 0) {
        fprintf(stderr, "bench: %s answers %s with %zu bytes and %zu containers of %zu\n", connection->target->name, rpc,
                request->response_size, listed, containers);
        return false;
    }
    return true;
}

struct json_object *load_call(struct load *load, struct connection *connection, const char *rpc, struct json_object *json)
{
    struct request request;
    struct json_object *answer = NULL;
    grpc_slice response;
    struct arena *arena = arena_new(REQUEST_MEMORY);
    request_init(&request, connection, rpc);
    if (arena && encode(arena, &request, json) && send_once(load, &request, true, &response)) {
        answer = decoded(&request, response);
        grpc_slice_unref(response);
    }
    arena_unref(arena);
    json_object_put(json);
    return answer;
}

bool load_answers(struct load *load, struct connection *connection)
{
    struct request request;
    grpc_slice response;
    request_init(&request, connection, "Version");
    bool answered = call_until_answered(load, &request, &response);
    if (answered) {
        grpc_slice_unref(response);
    }
    return answered;
}

void load_disconnect(struct load *load)
{
    disconnect(&load->connections[--load->connection_count]);
}

bool block_reserve(struct block *block, size_t latencies)
{
    if (latencies <= block->capacity) {
        return true;
    }
    size_t capacity = latencies * 2 + 1024;
    double *grown = reallocarray(block->latencies, capacity, sizeof *grown);
    if (!grown) {
        return false;
    }
    block->latencies = grown;
    block->capacity = capacity;
    return true;
}

static bool add_latency(struct block *block, double microseconds)
{
    if (!block_reserve(block, block->latency_count + 1)) {
        return false;
    }
    block->latencies[block->latency_count++] = microseconds;
    return true;
}

static bool check_answer(const struct flight *flight)
{
    if (flight->status != GRPC_STATUS_OK || !flight->response) {
        print_failure(flight, "failed");
        return false;
    }
    if (grpc_byte_buffer_length(flight->response) != flight->request->response_size) {
        print_failure(flight, "answered with another length than before");
        return false;
    }
    return true;
}

struct block_run {
    struct load *load;
    const struct request *requests;
    size_t request_count;
    size_t started;
    size_t in_flight;
    struct flight flights[PLAN_CALLERS];
};

static void start_next(struct block_run *run, struct flight *flight)
{
    const struct request *request = &run->requests[run->started++ % run->request_count];
    run->in_flight++;
    flight_start(run->load, flight, request);
}

bool load_block(struct load *load, const struct request *requests, size_t request_count, size_t callers, struct block_end end,
                struct block *block)
{
    struct block_run run = {.load = load, .requests = requests, .request_count = request_count};
    uint64_t start = process_clock(), now = start;
    uint64_t stop = end.seconds > 0 ? start + (uint64_t)(end.seconds * 1e9) : UINT64_MAX;
    size_t most_calls = end.calls > 0 ? end.calls : SIZE_MAX, warm_up = callers * WARM_UP_CALLS, in_time = 0;
    bool good = true;

    block->latency_count = block->calls = 0;
    for (size_t i = 0; i < callers; i++) {
        start_next(&run, &run.flights[i]);
    }
    while (run.in_flight > 0) {
        struct flight *flight = flight_wait(load);
        now = process_clock();
        run.in_flight--;
        block->calls++;
        in_time += now <= stop;
        good = good && check_answer(flight) &&
               (block->calls <= warm_up || add_latency(block, (double)(now - flight->started) / 1e3));
        flight_free(flight);
        if (good && run.started < most_calls && (now < stop || run.started < warm_up + callers)) {
            start_next(&run, flight);
        }
    }
    double seconds = (double)((now < stop ? now : stop) - start) / 1e9;
    block->calls_per_second = (double)in_time / seconds;
    return good;
}

void block_free(struct block *block)
{
    free(block->latencies);
    *block = (struct block){0};
}
