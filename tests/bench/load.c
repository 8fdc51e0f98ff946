#include "tests/bench/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/slice.h>

#define CONNECTIONS 128
#define PREPARE_SECONDS 20
/* Calls a caller makes in a block before its latencies count: the process behind was asleep while others were measured. */
#define WARM_UP_CALLS 2
/* Kubelet gives its calls a deadline of minutes, so every call here has one too: it costs a timer at each hop. */
#define CALL_DEADLINE_SECONDS 120

struct connection {
    const struct target *target;
    const struct instance *instance;
    grpc_channel *channel;
};

/* One call in flight. */
struct flight {
    const struct request *request;
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
    struct connection connections[CONNECTIONS];
    size_t connection_count;
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

struct load *load_open(void)
{
    struct load *load = calloc(1, sizeof *load);
    if (load) {
        grpc_init();
        load->queue = grpc_completion_queue_create_for_next(NULL);
    }
    return load;
}

void load_close(struct load *load)
{
    for (size_t i = 0; i < load->connection_count; i++) {
        grpc_channel_destroy(load->connections[i].channel);
    }
    grpc_completion_queue_shutdown(load->queue);
    while (grpc_completion_queue_next(load->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN) {
    }
    grpc_completion_queue_destroy(load->queue);
    grpc_shutdown();
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
    grpc_channel_credentials_release(credentials);
    return connection;
}

static void flight_start(struct load *load, struct flight *flight, const struct request *request)
{
    *flight = (struct flight){.request = request, .started = clock_ns(CLOCK_MONOTONIC)};
    grpc_metadata_array_init(&flight->initial_metadata);
    grpc_metadata_array_init(&flight->trailing_metadata);
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_seconds(CALL_DEADLINE_SECONDS, GPR_TIMESPAN));
    /* Copies: C core's header compression remembers a path for longer than the call lasts. */
    grpc_slice method = grpc_slice_from_copied_string(request->method);
    flight->call = grpc_channel_create_call(request->connection->channel, NULL, GRPC_PROPAGATE_DEFAULTS, load->queue, method,
                                            NULL, deadline, NULL);
    grpc_slice_unref(method);
    grpc_slice bytes = grpc_slice_from_copied_buffer(request->bytes, request->size);
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

static struct flight *flight_wait(struct load *load)
{
    return grpc_completion_queue_next(load->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).tag;
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
static bool call_once(struct load *load, const struct request *request, bool loud, grpc_slice *response)
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
    uint64_t give_up = clock_ns(CLOCK_MONOTONIC) + PREPARE_SECONDS * UINT64_C(1000000000);
    while (!call_once(load, request, clock_ns(CLOCK_MONOTONIC) > give_up, response)) {
        if (clock_ns(CLOCK_MONOTONIC) > give_up) {
            return false;
        }
        usleep(50000);
    }
    return true;
}

/* The next field of a message whose fields are all length-delimited, as those of lists and the first of a container are.
   False at the end, and where the bytes are no such thing. */
static bool next_field(const uint8_t **at, const uint8_t *end, const uint8_t **value, size_t *size)
{
    if (*at >= end || (*(*at)++ & 7) != 2) {
        return false;
    }
    size_t length = 0;
    unsigned shift = 0;
    do {
        if (*at >= end || shift > 28) {
            return false;
        }
        length |= (size_t)(**at & 127) << shift;
        shift += 7;
    } while (*(*at)++ & 128);
    if (length > (size_t)(end - *at)) {
        return false;
    }
    *value = *at;
    *size = length;
    *at += length;
    return true;
}

static size_t count_containers(grpc_slice list)
{
    const uint8_t *at = GRPC_SLICE_START_PTR(list), *end = at + GRPC_SLICE_LENGTH(list), *value;
    size_t count = 0, size;
    while (next_field(&at, end, &value, &size)) {
        count++;
    }
    return count;
}

static void request_init(struct request *request, struct connection *connection, const char *rpc)
{
    *request = (struct request){.connection = connection};
    snprintf(request->method, sizeof request->method, "/%s.RuntimeService/%s", connection->target->package, rpc);
}

/* ContainerStatusRequest and its only field that matters, with an id from the list. */
static bool fill_container_status(struct load *load, struct request *request)
{
    struct request list_request;
    request_init(&list_request, request->connection, "ListContainers");
    grpc_slice list;
    if (!call_until_answered(load, &list_request, &list)) {
        return false;
    }
    const uint8_t *at = GRPC_SLICE_START_PTR(list), *container, *id;
    size_t size;
    bool good = next_field(&at, at + GRPC_SLICE_LENGTH(list), &container, &size) &&
                next_field(&container, container + size, &id, &size) && size > 0 && size < 128;
    if (good) {
        request->bytes[0] = 1 << 3 | 2;
        request->bytes[1] = (char)size;
        memcpy(request->bytes + 2, id, size);
        request->size = size + 2;
    } else {
        fprintf(stderr, "bench: %s lists no container\n", request->connection->target->name);
    }
    grpc_slice_unref(list);
    return good;
}

bool load_prepare(struct load *load, struct connection *connection, const char *rpc, size_t containers, struct request *request)
{
    request_init(request, connection, rpc);
    if (strcmp(rpc, "ContainerStatus") == 0 && !fill_container_status(load, request)) {
        return false;
    }
    grpc_slice response;
    if (!call_until_answered(load, request, &response)) {
        return false;
    }
    request->response_size = GRPC_SLICE_LENGTH(response);
    size_t listed = strcmp(rpc, "ListContainers") == 0 ? count_containers(response) : containers;
    grpc_slice_unref(response);
    if (listed != containers || request->response_size == 0) {
        fprintf(stderr, "bench: %s answers %s with %zu bytes and %zu containers of %zu\n", connection->target->name, rpc,
                request->response_size, listed, containers);
        return false;
    }
    return true;
}

static bool add_latency(struct block *block, double microseconds)
{
    if (block->latency_count == block->capacity) {
        size_t capacity = block->capacity * 2 + 1024;
        double *grown = reallocarray(block->latencies, capacity, sizeof *grown);
        if (!grown) {
            return false;
        }
        block->latencies = grown;
        block->capacity = capacity;
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

/* The processor time of a process so far, all its threads; 0 where the system does not tell. */
static uint64_t process_time_ns(pid_t pid)
{
    clockid_t clock;
    return clock_getcpuclockid(pid, &clock) == 0 ? clock_ns(clock) : 0;
}

struct block_run {
    struct load *load;
    const struct request *requests;
    size_t request_count;
    size_t started;
    size_t in_flight;
    struct flight flights[LOAD_CALLERS];
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
    pid_t pid = requests[0].connection->instance->pid;
    uint64_t cpu_start = process_time_ns(pid), start = clock_ns(CLOCK_MONOTONIC), now = start;
    uint64_t stop = end.seconds > 0 ? start + (uint64_t)(end.seconds * 1e9) : UINT64_MAX;
    size_t most_calls = end.calls > 0 ? end.calls : SIZE_MAX, warm_up = callers * WARM_UP_CALLS, in_time = 0;
    bool good = true;

    block->latency_count = block->calls = 0;
    for (size_t i = 0; i < callers; i++) {
        start_next(&run, &run.flights[i]);
    }
    while (run.in_flight > 0) {
        struct flight *flight = flight_wait(load);
        now = clock_ns(CLOCK_MONOTONIC);
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
    block->cpu_seconds = (double)(process_time_ns(pid) - cpu_start) / 1e9;
    return good;
}

void block_free(struct block *block)
{
    free(block->latencies);
    *block = (struct block){0};
}
