#include "sim/hooks/server.h"

#include <grpc/grpc.h>
#include <grpc/support/time.h>

#include "sim/hooks/call.h"
#include "sim/hooks/plugin_file.h"

static bool start(struct served_socket *socket, struct hook_calls *calls, struct error *error)
{
    const struct hook_options *options = calls->options;
    if (!served_socket_bind(socket, &calls->served, options->listen, error)) {
        return false;
    }
    served_socket_start(socket, &calls->served);
    if (options->write_file && !plugin_file_write(options, error)) {
        return false;
    }
    printf("hooksim: listening on unix://%s\n", options->listen);
    fflush(stdout);
    return true;
}

bool hook_server_run(struct hook_options *options, FILE *journal, const struct wishes *wishes, struct error *error)
{
    grpc_init();
    struct hook_calls calls = {.options = options, .journal = journal, .wishes = wishes};
    struct served_socket socket = {0};
    served_calls_begin(&calls.served, &hook_call_steps);
    bool started = start(&socket, &calls, error);
    while (started && !wishes->stop) {
        served_calls_step(&calls.served, gpr_inf_future(GPR_CLOCK_MONOTONIC));
    }
    served_calls_end(&calls.served);
    grpc_shutdown();
    return started;
}
