#include "sim/server.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/call.h"
#include "sim/common/grpc_server.h"
#include "sim/events.h"
#include "sim/journal.h"

/* How often, in milliseconds, an idle server checks whether it must stop. */
#define STOP_INTERVAL 100

struct running {
    struct calls calls;
    struct listener listeners[2];
    size_t listener_count;
};

static bool listen_on(struct running *running, const char *path, bool runtime, bool image, const struct options *options,
                      struct error *error)
{
    struct listener *listener = &running->listeners[running->listener_count++];
    *listener = (struct listener){.server = sim_server_new()};
    listener->offered[SERVICE_RUNTIME] = runtime;
    listener->offered[SERVICE_IMAGE] = image;
    grpc_server_register_completion_queue(listener->server, running->calls.served.queue, NULL);
    if (!sim_server_bind(listener->server, path, error)) {
        return false;
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

static void serve(struct running *running, struct wishes *wishes)
{
    struct calls *calls = &running->calls;
    while (!wishes->stop) {
        gpr_timespec until = events_next(calls->events, served_calls_next_timer(&calls->served, sim_from_now(STOP_INTERVAL)));
        grpc_event event = grpc_completion_queue_next(calls->served.queue, until, NULL);
        if (event.type == GRPC_OP_COMPLETE) {
            served_call_event(event.tag, event.success);
        }
        gpr_timespec now = gpr_now(GPR_CLOCK_MONOTONIC);
        served_calls_run_timers(&calls->served, now);
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
        grpc_server_shutdown_and_notify(listener->server, calls->served.queue, &listener->stopped);
        grpc_server_cancel_all_calls(listener->server);
        servers++;
    }
    served_calls_drop_timers(&calls->served);
    while (servers > 0 || calls->served.alive > 0) {
        grpc_event event = grpc_completion_queue_next(calls->served.queue, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
        servers -= ((struct operation *)event.tag)->call == NULL;
        served_call_event(event.tag, event.success);
        served_calls_drop_timers(&calls->served);
    }
    for (size_t i = 0; i < running->listener_count; i++) {
        grpc_server_destroy(running->listeners[i].server);
        if (running->listeners[i].path) {
            unlink(running->listeners[i].path);
        }
    }
    sim_queue_destroy(calls->served.queue);
}

bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error)
{
    grpc_init();
    struct running running = {
        .calls = {.served.steps = &call_steps, .service = service, .journal = journal, .late = &wishes->late}};
    running.calls.served.queue = grpc_completion_queue_create_for_next(NULL);
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
