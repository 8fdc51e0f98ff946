/* A caller that keeps one connection, as a kubelet does: it calls a method of the runtime service over and over, with an empty
 * request, a call after the other, at a given rate.
 *
 * usage: steady_caller unix:///SOCKET CALLS_A_SECOND [METHOD [DEADLINE_MS]]
 *
 * METHOD is Version unless said, and each call has 30 seconds.
 *
 * It ends on SIGTERM, with a line of JSON: the number of calls, how many failed (and how the first one did), and the longest
 * time, in milliseconds, from a call's start to its end. Exit status 0, whatever came of the calls. */
#include <grpc/support/time.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "one_call.h"

#define NANOSECONDS_A_SECOND 1000000000LL

/* Any thread may take a signal, those of C core as well. */
static atomic_bool ended;

struct caller {
    struct call_target target;
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
    struct one_call call = {0};
    gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(caller->deadline, GPR_TIMESPAN));
    one_call_start(&call, &caller->target, deadline, NULL);
    grpc_completion_queue_next(caller->target.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    bool good = call.code == GRPC_STATUS_OK && call.answer;
    if (!good && caller->failed == 0) {
        snprintf(caller->first_failure, sizeof caller->first_failure, "%d %.*s", (int)call.code,
                 (int)GRPC_SLICE_LENGTH(call.details), (const char *)GRPC_SLICE_START_PTR(call.details));
    }
    one_call_release(&call);
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
    char path[128];
    snprintf(path, sizeof path, "/runtime.v1.RuntimeService/%s", argc >= 4 ? argv[3] : "Version");
    struct caller caller = {.target.path = path, .deadline = deadline};
    call_target_open(&caller.target, argv[1]);
    call_until_ended(&caller, NANOSECONDS_A_SECOND / rate);
    printf("{\"calls\":%lu,\"failed\":%lu,\"longest_ms\":%.1f,\"first_failure\":\"%s\"}\n", caller.calls, caller.failed,
           caller.longest, caller.first_failure);
    call_target_close(&caller.target);
    return 0;
}
