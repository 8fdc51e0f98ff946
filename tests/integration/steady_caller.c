/* A caller that keeps one connection, as a kubelet does: it calls a method of the runtime service over and over, with an empty
 * request, a call after the other, at a given rate.
 *
 * usage: steady_caller unix:///SOCKET CALLS_A_SECOND [METHOD [DEADLINE_MS]]
 *
 * METHOD is Version unless said, and each call has 30 seconds.
 *
 * It ends on SIGTERM, with a line of JSON: the number of calls, how many failed (and how the first one did), and the longest
 * time, in milliseconds, from a call's start to its end. Exit status 0, whatever came of the calls. */
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NANOSECONDS_A_SECOND 1000000000LL

/* Any thread may take a signal, those of C core as well. */
static atomic_bool ended;

struct caller {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    char path[128];
    long deadline; /* milliseconds from the start of a call */
    unsigned long calls;
    unsigned long failed;
    double longest; /* milliseconds */
    char first_failure[256];
};

static void on_signal(int signal)
{
    (void)signal;
    ended = true;
}

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS_A_SECOND + time.tv_nsec;
}

/* Whether the call ended well. */
static bool call(struct caller *caller)
{
    grpc_slice path = grpc_slice_from_static_string(caller->path);
    gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(caller->deadline, GPR_TIMESPAN));
    grpc_call *call =
        grpc_channel_create_call(caller->channel, NULL, GRPC_PROPAGATE_DEFAULTS, caller->queue, path, NULL, deadline, NULL);
    grpc_slice empty = grpc_empty_slice();
    grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&empty, 1), *response = NULL;
    grpc_metadata_array initial, trailing;
    grpc_metadata_array_init(&initial);
    grpc_metadata_array_init(&trailing);
    grpc_status_code code;
    grpc_slice details = grpc_empty_slice();
    grpc_op ops[6] = {{.op = GRPC_OP_SEND_INITIAL_METADATA, .flags = GRPC_INITIAL_METADATA_WAIT_FOR_READY},
                      {.op = GRPC_OP_SEND_MESSAGE},
                      {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
                      {.op = GRPC_OP_RECV_INITIAL_METADATA},
                      {.op = GRPC_OP_RECV_MESSAGE},
                      {.op = GRPC_OP_RECV_STATUS_ON_CLIENT}};
    ops[1].data.send_message.send_message = request;
    ops[3].data.recv_initial_metadata.recv_initial_metadata = &initial;
    ops[4].data.recv_message.recv_message = &response;
    ops[5].data.recv_status_on_client.trailing_metadata = &trailing;
    ops[5].data.recv_status_on_client.status = &code;
    ops[5].data.recv_status_on_client.status_details = &details;
    if (grpc_call_start_batch(call, ops, 6, call, NULL) != GRPC_CALL_OK) {
        abort();
    }
    grpc_completion_queue_pluck(caller->queue, call, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    bool good = code == GRPC_STATUS_OK && response;
    if (!good && caller->failed == 0) {
        snprintf(caller->first_failure, sizeof caller->first_failure, "%d %.*s", (int)code, (int)GRPC_SLICE_LENGTH(details),
                 (const char *)GRPC_SLICE_START_PTR(details));
    }
    grpc_slice_unref(details);
    grpc_metadata_array_destroy(&initial);
    grpc_metadata_array_destroy(&trailing);
    grpc_byte_buffer_destroy(request);
    grpc_byte_buffer_destroy(response);
    grpc_call_unref(call);
    return good;
}

static void call_until_ended(struct caller *caller, long long interval)
{
    long long next = now();
    while (!ended) {
        long long began = now();
        caller->failed += call(caller) ? 0 : 1;
        caller->calls++;
        double took = (double)(now() - began) / 1e6;
        caller->longest = took > caller->longest ? took : caller->longest;
        next += interval;
        long long left = next - now();
        if (left > 0) {
            struct timespec pause = {.tv_sec = left / NANOSECONDS_A_SECOND, .tv_nsec = left % NANOSECONDS_A_SECOND};
            nanosleep(&pause, NULL);
        } else {
            next = now();
        }
    }
}

int main(int argc, char **argv)
{
    long rate = argc >= 3 && argc <= 5 ? strtol(argv[2], NULL, 10) : 0;
    long deadline = argc == 5 ? strtol(argv[4], NULL, 10) : 30000;
    if (rate <= 0 || deadline <= 0) {
        fprintf(stderr, "usage: steady_caller unix:///SOCKET CALLS_A_SECOND [METHOD [DEADLINE_MS]]\n");
        return 64;
    }
    signal(SIGTERM, on_signal);
    grpc_init();
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    struct caller caller = {
        .channel = grpc_channel_create(argv[1], credentials, NULL),
        .queue = grpc_completion_queue_create_for_pluck(NULL),
        .deadline = deadline,
    };
    snprintf(caller.path, sizeof caller.path, "/runtime.v1.RuntimeService/%s", argc >= 4 ? argv[3] : "Version");
    grpc_channel_credentials_release(credentials);
    call_until_ended(&caller, NANOSECONDS_A_SECOND / rate);
    printf("{\"calls\":%lu,\"failed\":%lu,\"longest_ms\":%.1f,\"first_failure\":\"%s\"}\n", caller.calls, caller.failed,
           caller.longest, caller.first_failure);
    grpc_channel_destroy(caller.channel);
    grpc_completion_queue_shutdown(caller.queue);
    grpc_completion_queue_destroy(caller.queue);
    grpc_shutdown();
    return 0;
}
