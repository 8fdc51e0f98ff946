#include "node/deploy/service.h"

#include <string.h>

#include "base/system/clock.h"
#include "base/system/interrupt.h"
#include "core/control/crigate_status.h"
#include "node/deploy/before.h"
#include "node/deploy/facts.h"
#include "node/deploy/unit_file.h"
#include "node/systemd/systemd.h"

/* Milliseconds. A start ends when the primary has answered or the start-up grace is over; a stop lets running calls end. */
#define START_TIMEOUT 60000
#define STOP_TIMEOUT 60000
#define OTHER_TIMEOUT 30000
#define BETWEEN_LOOKS 250

#define LOOK_MEMORY ((size_t)4 << 20)

/* Whether the socket unit would make that socket, and only its file determines this. */
static bool fits(const struct systemd_unit *socket, const char *endpoint, struct arena *arena)
{
    struct node_file file;
    struct error error;
    return socket->loaded && !systemd_state_is(socket->enabled, "masked") && socket->drop_in_count == 0 && socket->fragment &&
           node_file_read(socket->fragment, arena, &file, &error) && file.present && unit_file_listens(file.text, endpoint);
}

/* Enables the socket unit with the service, or disables it. */
static bool arrange_socket(const struct systemd_unit *socket, bool service_active, bool fitting, struct error *error)
{
    if (fitting) {
        /* systemd starts no socket unit whose service runs already; it does at the next boot. */
        return systemd_do("enable", SERVICE_SOCKET, OTHER_TIMEOUT, error) &&
               (service_active || systemd_state_is(socket->active, "active") ||
                systemd_do("start", SERVICE_SOCKET, OTHER_TIMEOUT, error));
    }
    return (!systemd_state_is(socket->enabled, "enabled") || systemd_do("disable", SERVICE_SOCKET, OTHER_TIMEOUT, error)) &&
           (!systemd_state_is(socket->active, "active") || systemd_do("stop", SERVICE_SOCKET, OTHER_TIMEOUT, error));
}

static bool start(struct journal *journal, const char *endpoint, bool restart, struct arena *arena, struct error *error)
{
    struct systemd_unit service, socket;
    if (!systemd_do("daemon-reload", NULL, OTHER_TIMEOUT, error) || !systemd_show(SERVICE_UNIT, arena, &service, error) ||
        !systemd_show(SERVICE_SOCKET, arena, &socket, error)) {
        return false;
    }
    if (!service.loaded || systemd_state_is(service.enabled, "masked")) {
        return error_set(error, STATUS_FAILED_PRECONDITION, SERVICE_UNIT " is %s", service.loaded ? "masked" : "missing");
    }
    if (!unit_before_record(journal, &service, FACT_UNIT_ENABLED, FACT_UNIT_ACTIVE, error) ||
        !unit_before_record(journal, &socket, FACT_SOCKET_ENABLED, FACT_SOCKET_ACTIVE, error)) {
        return false;
    }
    bool active = systemd_state_is(service.active, "active");
    bool again = restart && active;
    if (socket.loaded && !systemd_state_is(socket.enabled, "masked") &&
        !arrange_socket(&socket, active, fits(&socket, endpoint, arena), error)) {
        return false;
    }
    return systemd_do("enable", SERVICE_UNIT, OTHER_TIMEOUT, error) &&
           systemd_do(again ? "restart" : "start", SERVICE_UNIT, START_TIMEOUT + (again ? STOP_TIMEOUT : 0), error);
}

bool service_start(struct journal *journal, const char *endpoint, bool restart, struct error *error)
{
    struct arena *arena = arena_new(LOOK_MEMORY);
    bool started = arena ? start(journal, endpoint, restart, arena, error) : error_out_of_memory(error);
    arena_unref(arena);
    return started;
}

bool service_wait(const char *control, unsigned timeout, struct error *error)
{
    struct error missing = {0};
    int64_t end = clock_ms() + timeout;
    do {
        struct json_object *status = crigate_status(control, &missing);
        bool ready = status && crigate_status_primary_ready(status, &missing);
        json_object_put(status);
        if (ready) {
            return true;
        }
        if (!interrupt_sleep(BETWEEN_LOOKS)) {
            return error_set(error, STATUS_CANCELLED, "%s", interrupt_seen());
        }
    } while (clock_ms() < end);
    return error_set(error, STATUS_DEADLINE_EXCEEDED, "crigate is not ready after %u s: %s", timeout / 1000, missing.message);
}

bool service_stop(const struct journal *journal, struct error *error)
{
    struct arena *arena = arena_new(LOOK_MEMORY);
    /* The socket first: otherwise, a caller that connects in between starts the service again. */
    bool stopped = arena ? unit_before_stop(SERVICE_SOCKET, journal_fact(journal, FACT_SOCKET_ENABLED),
                                            journal_fact(journal, FACT_SOCKET_ACTIVE), arena, error) &&
                               unit_before_stop(SERVICE_UNIT, journal_fact(journal, FACT_UNIT_ENABLED),
                                                journal_fact(journal, FACT_UNIT_ACTIVE), arena, error)
                         : error_out_of_memory(error);
    arena_unref(arena);
    return stopped;
}

/* systemd starts no socket unit whose service runs already. */
static bool resume_socket(const struct journal *journal, struct arena *arena, struct error *error)
{
    struct systemd_unit socket;
    bool enabled = systemd_state_is(journal_fact(journal, FACT_SOCKET_ENABLED), "enabled");
    if (!enabled && !systemd_state_is(journal_fact(journal, FACT_SOCKET_ACTIVE), "active")) {
        return true;
    }
    if (!systemd_show(SERVICE_SOCKET, arena, &socket, error)) {
        return false;
    }
    bool starts = socket.loaded && !systemd_state_is(socket.active, "active") &&
                  systemd_state_is(journal_fact(journal, FACT_SOCKET_ACTIVE), "active");
    return (!enabled || systemd_state_is(socket.enabled, "enabled") ||
            systemd_do("enable", SERVICE_SOCKET, OTHER_TIMEOUT, error)) &&
           (!starts ||
            (systemd_do("stop", SERVICE_UNIT, STOP_TIMEOUT, error) && systemd_do("start", SERVICE_SOCKET, OTHER_TIMEOUT, error)));
}

bool service_resume(const struct journal *journal, struct error *error)
{
    struct arena *arena = arena_new(LOOK_MEMORY);
    bool ran = systemd_state_is(journal_fact(journal, FACT_UNIT_ACTIVE), "active");
    bool resumed = arena ? resume_socket(journal, arena, error) &&
                               (!ran || systemd_do("restart", SERVICE_UNIT, START_TIMEOUT + STOP_TIMEOUT, error))
                         : error_out_of_memory(error);
    arena_unref(arena);
    return resumed;
}
