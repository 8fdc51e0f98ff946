#include "sim/server.h"

#include <errno.h>
#include <grpc/grpc.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/call.h"
#include "sim/common/journal_line.h"
#include "sim/events.h"
#include "sim/journal.h"

struct running {
    struct calls calls;
    struct listener listeners[2];
};

static bool listen_on(struct calls *calls, struct listener *listener, const char *path, const struct options *options,
                      struct error *error)
{
    if (!served_socket_bind(&listener->socket, &calls->served, path, error)) {
        return false;
    }
    if (options->mode_set && chmod(path, options->mode) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "%s: cannot set the mode: %s", path, strerror(errno));
    }
    served_socket_start(&listener->socket, &calls->served);
    return true;
}

static bool listen_on_all(struct running *running, const struct options *options, struct error *error)
{
    const char *image_path = options->image_listen;
    running->listeners[0] = (struct listener){.offered = {[SERVICE_RUNTIME] = true, [SERVICE_IMAGE] = !image_path}};
    running->listeners[1] = (struct listener){.offered = {[SERVICE_IMAGE] = true}};
    if (!listen_on(&running->calls, &running->listeners[0], options->listen, options, error) ||
        (image_path && !listen_on(&running->calls, &running->listeners[1], image_path, options, error))) {
        return false;
    }
    printf("crisim: listening on unix://%s%s%s\n", options->listen, image_path ? " and unix://" : "",
           image_path ? image_path : "");
    fflush(stdout);
    return true;
}

static void serve(struct calls *calls, struct wishes *wishes)
{
    while (!wishes->stop) {
        served_calls_step(&calls->served, events_next(calls->events));
        events_make_up(calls->events, journal_clock());
        if (atomic_exchange(&wishes->drop, false)) {
            calls_drop_subscribers(calls);
        }
    }
}

bool server_run(struct cri_service *service, FILE *journal, FILE *event_journal, struct wishes *wishes, struct error *error)
{
    grpc_init();
    struct running running = {.calls = {.service = service, .journal = journal, .wishes = wishes}};
    served_calls_begin(&running.calls.served, &call_steps);
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
        serve(&running.calls, wishes);
    }
    service->simulation.on_event = NULL;
    served_calls_end(&running.calls.served);
    events_clear(&events);
    cache_clear(&service->cache);
    grpc_shutdown();
    return listening;
}
