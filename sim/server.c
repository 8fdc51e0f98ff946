#include "sim/server.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/time.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/call.h"
#include "sim/events.h"
#include "sim/journal.h"

#define MAX_REQUEST (256 * 1024 * 1024)
#define MAX_METADATA (1024 * 1024)

/* How often, in milliseconds, an idle server checks whether it must stop. */
#define STOP_INTERVAL 100

struct running {
    struct calls calls;
    struct listener listeners[2];
    size_t listener_count;
};

/* The library would silently replace the socket of a running server. */
static bool check_path(const char *path, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s: longer than the %zu bytes that a socket's path may have", path,
                         sizeof address.sun_path - 1);
    }
    strcpy(address.sun_path, path);
    int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool live = probe >= 0 && connect(probe, (struct sockaddr *)&address, sizeof address) == 0;
    if (probe >= 0) {
        close(probe);
    }
    return !live || error_set(error, STATUS_ALREADY_EXISTS, "%s: somebody is listening there", path);
}

static grpc_server *new_server(void)
{
    static char max_receive[] = GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH;
    static char max_send[] = GRPC_ARG_MAX_SEND_MESSAGE_LENGTH;
    static char max_metadata[] = GRPC_ARG_MAX_METADATA_SIZE;
    static char ping_strikes[] = GRPC_ARG_HTTP2_MAX_PING_STRIKES;
    static char compression[] = GRPC_ARG_ENABLE_PER_MESSAGE_COMPRESSION;
    static char channelz[] = GRPC_ARG_ENABLE_CHANNELZ;
    static char bdp_probe[] = GRPC_ARG_HTTP2_BDP_PROBE;
    grpc_arg arguments[] = {
        {GRPC_ARG_INTEGER, max_receive, {.integer = MAX_REQUEST}},
        {GRPC_ARG_INTEGER, max_send, {.integer = -1}},
        {GRPC_ARG_INTEGER, max_metadata, {.integer = MAX_METADATA}},
        {GRPC_ARG_INTEGER, ping_strikes, {.integer = 0}},
        {GRPC_ARG_INTEGER, compression, {.integer = 0}},
        {GRPC_ARG_INTEGER, channelz, {.integer = 0}},
        {GRPC_ARG_INTEGER, bdp_probe, {.integer = 0}},
    };
    grpc_channel_args all = {sizeof arguments / sizeof *arguments, arguments};
    return grpc_server_create(&all, NULL);
}

static bool listen_on(struct running *running, const char *path, bool runtime, bool image, const struct options *options,
                      struct error *error)
{
    if (!check_path(path, error)) {
        return false;
    }
    struct listener *listener = &running->listeners[running->listener_count++];
    *listener = (struct listener){.server = new_server()};
    listener->offered[SERVICE_RUNTIME] = runtime;
    listener->offered[SERVICE_IMAGE] = image;
    grpc_server_register_completion_queue(listener->server, running->calls.queue, NULL);
    char address[sizeof(struct sockaddr_un) + sizeof "unix:"];
    snprintf(address, sizeof address, "unix:%s", path);
    grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
    int port = grpc_server_add_http2_port(listener->server, address, credentials);
    grpc_server_credentials_release(credentials);
    if (port == 0) {
        return error_set(error, STATUS_UNAVAILABLE, "%s: cannot listen there", path);
    }
    listener->path = path;
    if (options->mode_set && chmod(path, options->mode) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "%s: cannot set the mode: %s", path, strerror(errno));
    }
    grpc_server_start(listener->server);
    call_await(&running->calls, listener);
    return true;
}

static bool listen_on_all(struct running *running, const struct options *options, struct error *error)
{
    const char *image_path = options->image_listen;
    if (!listen_on(running, options->listen, true, image_path == NULL, options, error) ||
        (image_path && !listen_on(running, image_path, false, true, options, error))) {
        return false;
    }
    printf("crisim: listening on unix://%s%s%s\n", options->listen, image_path ? " and unix://" : "",
           image_path ? image_path : "");
    fflush(stdout);
    return true;
}

static gpr_timespec from_now(int64_t milliseconds)
{
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis(milliseconds, GPR_TIMESPAN));
}

static void serve(struct running *running, struct wishes *wishes)
{
    struct calls *calls = &running->calls;
    while (!wishes->stop) {
        gpr_timespec until = events_next(calls->events, calls_next_timer(calls, from_now(STOP_INTERVAL)));
        grpc_event event = grpc_completion_queue_next(calls->queue, until, NULL);
        if (event.type == GRPC_OP_COMPLETE) {
            call_event(event.tag, event.success);
        }
        gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
        calls_run_timers(calls, now);
        events_make_up(calls->events, now.tv_sec * GPR_NS_PER_SEC + now.tv_nsec);
        if (atomic_exchange(&wishes->drop, false)) {
            calls_drop_subscribers(calls);
        }
    }
}

/* Ends every call, then the servers. */
static void shut_down(struct running *running)
{
    struct calls *calls = &running->calls;
    size_t servers = 0;
    for (size_t i = 0; i < running->listener_count; i++) {
        struct listener *listener = &running->listeners[i];
        grpc_server_shutdown_and_notify(listener->server, calls->queue, &listener->stopped);
        grpc_server_cancel_all_calls(listener->server);
        servers++;
    }
    calls_drop_timers(calls);
    while (servers > 0 || calls->alive > 0) {
        grpc_event event = grpc_completion_queue_next(calls->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        servers -= ((struct operation *)event.tag)->call == NULL;
        call_event(event.tag, event.success);
        calls_drop_timers(calls);
    }
    for (size_t i = 0; i < running->listener_count; i++) {
        grpc_server_destroy(running->listeners[i].server);
        if (running->listeners[i].path) {
            unlink(running->listeners[i].path);
        }
    }
    grpc_completion_queue_shutdown(calls->queue);
    while (grpc_completion_queue_next(calls->queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL).type != GRPC_QUEUE_SHUTDOWN) {
    }
    grpc_completion_queue_destroy(calls->queue);
}

bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error)
{
    grpc_init();
    struct running running = {.calls = {.service = service, .journal = journal, .late = &wishes->late}};
    running.calls.queue = grpc_completion_queue_create_for_next(NULL);
    struct events events;
    events_init(&events, &running.calls, event_journal);
    running.calls.events = &events;
    service->simulation.on_event = events_take;
    service->simulation.event_state = &events;
    bool listening = listen_on_all(&running, service->options, error);
    if (listening) {
        if (journal && service->options->state) {
            journal_write_restored(journal, &service->simulation);
        }
        serve(&running, wishes);
    }
    service->simulation.on_event = NULL;
    shut_down(&running);
    events_clear(&events);
    cache_clear(&service->cache);
    grpc_shutdown();
    return listening;
}
