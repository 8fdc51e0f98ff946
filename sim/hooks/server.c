#include "sim/hooks/server.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <unistd.h>

#include "sim/common/grpc_server.h"
#include "sim/hooks/call.h"
#include "sim/hooks/plugin_file.h"

/* How often, in milliseconds, an idle server checks whether it must stop. */
#define STOP_INTERVAL 100

static bool start(struct hook_calls *calls, struct error *error)
{
    const struct hook_options *options = calls->options;
    grpc_server_start(calls->server);
    hook_call_await(calls);
    if (options->write_file && !plugin_file_write(options, error)) {
        return false;
    }
    printf("hooksim: listening on unix://%s\n", options->listen);
    fflush(stdout);
    return true;
}

static void serve(struct hook_calls *calls, const struct hook_wishes *wishes)
{
    while (!wishes->stop) {
        gpr_timespec until = served_calls_next_timer(&calls->served, sim_from_now(STOP_INTERVAL));
        grpc_event event = grpc_completion_queue_next(calls->served.queue, until, NULL);
        if (event.type == GRPC_OP_COMPLETE) {
            served_call_event(event.tag, event.success);
        }
        served_calls_run_timers(&calls->served, gpr_now(GPR_CLOCK_MONOTONIC));
    }
}

/* Ends every call, then the server. The server itself is the tag of its shutdown. */
static void shut_down(struct hook_calls *calls)
{
    grpc_server_shutdown_and_notify(calls->server, calls->served.queue, calls->server);
    grpc_server_cancel_all_calls(calls->server);
    bool stopped = false;
    while (!stopped || calls->served.alive > 0) {
        served_calls_drop_timers(&calls->served);
        grpc_event event = grpc_completion_queue_next(calls->served.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        if (event.tag == calls->server) {
            stopped = true;
        } else {
            served_call_event(event.tag, event.success);
        }
    }
    grpc_server_destroy(calls->server);
    sim_queue_destroy(calls->served.queue);
}

bool hook_server_run(struct hook_options *options, FILE *journal, struct hook_wishes *wishes, struct error *error)
{
    grpc_init();
    struct hook_calls calls = {.served.steps = &hook_call_steps, .options = options, .journal = journal, .late = &wishes->late};
    calls.served.queue = grpc_completion_queue_create_for_next(NULL);
    calls.server = sim_server_new();
    grpc_server_register_completion_queue(calls.server, calls.served.queue, NULL);
    bool bound = sim_server_bind(calls.server, options->listen, error);
    bool started = bound && start(&calls, error);
    if (started) {
        serve(&calls, wishes);
    }
    shut_down(&calls);
    if (bound) {
        unlink(options->listen);
    }
    grpc_shutdown();
    return started;
}
