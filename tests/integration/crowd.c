/* A caller that makes many calls at once, on one connection.
 *
 * usage: crowd unix:///SOCKET METHOD JSON COUNT MILLISECONDS
 *
 * With "invented" for METHOD, each call has a method of its own that no CRI has, half of them in a service of CRI. Other calls
 * are CRI v1's. All have the same request and that deadline. Prints "all calls are under way" as soon as they are, and
 * at the end a line for each status code that calls ended with, "NUMBER CODE". */
#include <grpc/support/time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes/error.h"
#include "one_call.h"

#define MOST_CODES 17

struct caller {
    struct call_target target;
    unsigned long ended[MOST_CODES];
    size_t left;
};

/* Waits for calls to end, until the deadline; the queue's work is done meanwhile. */
static void collect(struct caller *caller, gpr_timespec deadline)
{
    while (caller->left > 0) {
        grpc_event event = grpc_completion_queue_next(caller->target.queue, deadline, NULL);
        if (event.type != GRPC_OP_COMPLETE) {
            return;
        }
        struct one_call *one = event.tag;
        caller->ended[one->code < MOST_CODES ? one->code : GRPC_STATUS_UNKNOWN]++;
        caller->left--;
        one_call_release(one);
    }
}

/* Begins the call of that number, to a method of its own. */
static void start_invented(struct one_call *call, const struct call_target *target, gpr_timespec deadline, size_t number)
{
    char path[64];
    snprintf(path, sizeof path, "/%s/Invented%zu", number % 2 == 0 ? "runtime.v1.RuntimeService" : "other.Service", number);
    struct call_target invented = *target;
    invented.path = path;
    one_call_start(call, &invented, deadline, NULL);
}

int main(int argc, char **argv)
{
    struct caller caller = {0};
    size_t count = argc == 6 ? strtoul(argv[4], NULL, 10) : 0;
    struct arena *arena = arena_new((size_t)1024 * 1024);
    bool invented = argc == 6 && strcmp(argv[2], "invented") == 0;
    if (count == 0 || (!invented && !call_target_read(&caller.target, argv[2], argv[3], arena))) {
        fputs("usage: crowd unix:///SOCKET METHOD JSON COUNT MILLISECONDS\n", stderr);
        return 2;
    }
    call_target_open(&caller.target, argv[1]);
    gpr_timespec deadline =
        gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(strtol(argv[5], NULL, 10), GPR_TIMESPAN));
    caller.left = count;
    struct one_call *calls = calloc(count, sizeof *calls);
    for (size_t i = 0; calls && i < count; i++) {
        if (invented) {
            start_invented(&calls[i], &caller.target, deadline, i);
        } else {
            one_call_start(&calls[i], &caller.target, deadline, NULL);
        }
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
    call_target_close(&caller.target);
    free(calls);
    arena_unref(arena);
    return EXIT_SUCCESS;
}
