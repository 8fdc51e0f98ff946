#include "core/daemon/sockets.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/audit.h"
#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/control/control.h"
#include "core/control/state_lock.h"
#include "core/daemon/more_sockets.h"
#include "core/daemon/reload.h"
#include "core/gateway/stop.h"
#include "core/gateway/takeover.h"
#include "core/service/listener.h"
#include "core/service/passed.h"

/* How long a takeover waits for the primary's first answer. */
#define READY_MS 5000
/* For what has to be done, but not waited for. */
#define AT_ONCE_MS 1
/* While the process before waits for this one to serve. */
#define TAKE_MS 1000

static void refuse(struct control_connection *connection, enum status_code code, const char *why)
{
    struct error error;
    error_set(&error, code, "%s", why);
    control_refuse(connection, &error);
}

static bool has_handed_over(const struct daemon *daemon)
{
    return takeover_server_has_handed_over(&daemon->takeover_server);
}

/* ---- reports ---- */

static bool is_unreachable(struct listener *listener)
{
    const struct listening_socket *socket = listener ? listener_socket(listener) : NULL;
    return socket && socket->fd >= 0 && !listening_socket_has_file(socket);
}

static const struct listening_socket *unreachable_socket(const struct daemon *daemon)
{
    if (is_unreachable(daemon->listener)) {
        return listener_socket(daemon->listener);
    }
    for (size_t i = 0; i < daemon->more_count; i++) {
        if (is_unreachable(daemon->more[i].listener)) {
            return listener_socket(daemon->more[i].listener);
        }
    }
    return NULL;
}

/* Connections that were made before go on, so nothing else shows that the socket is unreachable. */
static bool describe_status(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    (void)error;
    const struct daemon *daemon = state;
    const struct listening_socket *socket = unreachable_socket(daemon);
    if (socket) {
        char text[sizeof socket->path + 64];
        snprintf(text, sizeof text, "%s was removed or replaced; restart crigate", socket->path);
        json_add(answer, CONTROL_UNREACHABLE, json_object_new_string(text));
    }
    if (daemon->reloader.refusal) {
        json_add(answer, CONTROL_REFUSED_MAP, json_object_get(daemon->reloader.refusal));
    }
    return true;
}

const struct control_report sockets_reports[] = {{CONTROL_STATUS, describe_status}, {0}};

/* ---- the log ---- */

static void run_log(struct control_connection *connection, const char *argument, void *state)
{
    struct daemon *daemon = state;
    log_level_answer(&daemon->log_level, connection, argument, daemon->reporters);
}

/* ---- handing over ---- */

static void stop(struct daemon *daemon, int signal)
{
    daemon->stopping = true;
    if (daemon->listener) {
        listener_pause(daemon->listener);
    }
    bool owner = !has_handed_over(daemon) && !daemon_is_taking_over(daemon);
    if (daemon->listener && owner) {
        listening_socket_stop(listener_socket(daemon->listener));
    }
    more_sockets_stop(daemon, owner);
    if (owner) {
        service_manager_stopping();
    }
    log_notice("signal: %s", strsignal(signal));
    gateway_stop(&daemon->gateway, true);
}

static void run_takeover(struct control_connection *connection, const char *argument, void *state)
{
    struct daemon *daemon = state;
    if (daemon->stopping || has_handed_over(daemon)) {
        refuse(connection, STATUS_FAILED_PRECONDITION, "the running crigate is stopping");
    } else if (daemon->takeover) {
        refuse(connection, STATUS_FAILED_PRECONDITION,
               "the process before the running crigate is still creating pods or containers; try again when it has ended");
    } else {
        takeover_server_begin(&daemon->takeover_server, connection, argument);
    }
}

static void run_serving(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    takeover_server_finish(&((struct daemon *)state)->takeover_server, connection);
}

static void run_taken(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    takeover_server_taken(&((struct daemon *)state)->takeover_server, connection);
}

static void run_metrics_socket(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    const struct daemon *daemon = state;
    struct error error;
    int socket = exposition_lend(&daemon->exposition);
    if (!control_answer_with(connection, json_object_new_object(), &socket, socket >= 0 ? 1 : 0, &error)) {
        control_refuse(connection, &error);
    }
    descriptor_close(&socket);
}

static void run_socket(struct control_connection *connection, const char *argument, void *state)
{
    more_sockets_lend(state, connection, argument);
}

static bool before_takeover(void *owner, int *memory, struct error *error)
{
    struct daemon *daemon = owner;
    struct error ignored = {0};
    bool good = to_gateway(&daemon->gateway, gateway_lend, WORKER_PATIENCE_MS, error);
    *memory = good ? daemon->gateway.handover : -1;
    if (!good) { /* it may come late */
        to_gateway(&daemon->gateway, gateway_take_back, AT_ONCE_MS, &ignored);
    }
    return good;
}

static void on_gateway_drained(struct watch *watch, short happened)
{
    (void)happened;
    struct daemon *daemon = watch_owner(watch, struct daemon, gateway_drained);
    poll_thread_remove(daemon->poll_thread, watch);
    takeover_server_drained(&daemon->takeover_server);
}

/* What arrived meanwhile counts now. At once, a signal could have left the socket without an owner, and a reload could have
   changed what the other process already reads. */
static void go_on(struct daemon *daemon)
{
    if (daemon->pending_signal != 0) {
        stop(daemon, daemon->pending_signal);
    }
    reload_if_wanted(daemon);
}

static void take_back(struct daemon *daemon)
{
    struct error error = {0};
    bool done = to_gateway(&daemon->gateway, gateway_take_back, WORKER_PATIENCE_MS, &error);
    if (!done && error.code != STATUS_UNAVAILABLE) { /* a worker that has ended needs nothing any more */
        log_line(LOG_SERIOUS, "cannot yet take back what was lent to the other process: %s", error.message);
    }
}

static void leave(struct daemon *daemon)
{
    control_stop_accepting(daemon->control);
    more_sockets_leave(daemon);
    descriptor_close(&daemon->state_lock);
    poll_thread_add(daemon->poll_thread, &daemon->gateway_drained);
    atomic_store(&daemon->is_main, false);
    watchdog_stop(&daemon->watchdog);
    exposition_hand_over(&daemon->exposition);
    drain_begin(&daemon->drain, &daemon->gateway);
}

/* `early`: before this process made its last pod. */
static void lose_successor(struct daemon *daemon, bool early)
{
    struct error error = {0};
    if (early) {
        log_line(LOG_SERIOUS, "the process that took over has ended; this one is still finishing its calls");
    }
    bool done = to_gateway(&daemon->gateway, gateway_successor_lost, WORKER_PATIENCE_MS, &error);
    if (!done && error.code != STATUS_UNAVAILABLE) { /* a worker that has ended has written it by then */
        log_line(LOG_SERIOUS, "cannot save what plugins need to know about pods being created: %s", error.message);
    }
}

static void on_handover_changed(void *owner, enum takeover_server_state before)
{
    struct daemon *daemon = owner;
    struct error ignored = {0};
    if (daemon->closing) {
        return;
    }
    switch (daemon->takeover_server.state) {
    case TAKEOVER_SERVER_SERVES:
        more_sockets_take_back(daemon);
        take_back(daemon);
        go_on(daemon);
        break;
    case TAKEOVER_SERVER_HANDED_OVER:
        leave(daemon);
        go_on(daemon);
        break;
    case TAKEOVER_SERVER_TAKEN:
        /* Else this process writes again what that one has. */
        to_gateway(&daemon->gateway, gateway_successor_has_all, WORKER_PATIENCE_MS, &ignored);
        break;
    case TAKEOVER_SERVER_LOST:
        lose_successor(daemon, before == TAKEOVER_SERVER_HANDED_OVER);
        break;
    case TAKEOVER_SERVER_OFFERED:
    case TAKEOVER_SERVER_DRAINED:
        break;
    }
}

/* ---- the control socket ---- */

static const struct control_request requests[] = {
    {CONTROL_RELOAD, reload_answer},
    {CONTROL_TAKEOVER, run_takeover},
    {CONTROL_SERVING, run_serving},
    {CONTROL_TAKEN, run_taken},
    {CONTROL_METRICS_SOCKET, run_metrics_socket},
    {CONTROL_SOCKET, run_socket},
    {CONTROL_LOG, run_log},
    {0},
};

static bool lock_state(struct daemon *daemon, struct error *error)
{
    /* Others pass through it to the socket, whatever the umask. */
    bool made = mkdir(daemon->state_folder, 0755) == 0 && chmod(daemon->state_folder, 0755) == 0;
    if (!made && errno != EEXIST) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot create the folder %s: %s", daemon->state_folder, strerror(errno));
    }
    daemon->state_lock = state_lock_take(daemon->state_folder, error);
    return daemon->state_lock >= 0;
}

static bool open_control(struct daemon *daemon, struct error *error)
{
    daemon->takeover_server = (struct takeover_server){.listener = daemon->listener,
                                                       .state_lock = daemon->state_lock,
                                                       .watchdog = daemon->watchdog_interval,
                                                       .prepare = before_takeover,
                                                       .changed = on_handover_changed,
                                                       .owner = daemon};
    daemon->control = control_open(daemon->state_folder, requests, daemon, daemon->reporters, daemon->poll_thread, error);
    return daemon->control != NULL;
}

/* ---- taking over ---- */

/* The lock that was handed over; a new one if the other process is of a version without it. */
static void take_over_state_lock(struct daemon *daemon, struct takeover_client *takeover)
{
    struct error error = {0};
    int lock = takeover_client_take_state_lock(takeover);
    if (lock >= 0 && state_lock_adopt(daemon->state_folder, lock)) {
        daemon->state_lock = lock;
        state_lock_write_pid(lock);
        return;
    }
    descriptor_close(&lock);
    if (!lock_state(daemon, &error)) {
        log_line(LOG_SERIOUS, "the state folder is not locked: %s", error.message);
    }
}

static void end_takeover(struct daemon *daemon)
{
    takeover_client_close(daemon->takeover);
    daemon->takeover = NULL;
}

static void give_up(struct daemon *daemon, const struct error *error)
{
    end_takeover(daemon);
    if (daemon->listener) {
        listener_pause(daemon->listener);
        listening_socket_release(listener_socket(daemon->listener));
    }
    more_sockets_give_up(daemon);
    log_line(LOG_SERIOUS, "cannot take over: %s", error->message);
    daemon->failed = true;
    gateway_stop(&daemon->gateway, true);
}

static void become_owner(struct daemon *daemon)
{
    struct error error = {0};
    struct takeover_client *takeover = daemon->takeover;
    listener_socket(daemon->listener)->shared = false;
    if (!listener_apply_map(daemon->listener, &daemon->map->listen, &error)) {
        log_line(LOG_SERIOUS, "%s", error.message);
    }
    more_sockets_own(daemon);
    daemon->watchdog_interval = takeover_client_watchdog(takeover);
    if (takeover_client_log_change(takeover)->until > 0) {
        log_level_set(&daemon->log_level, takeover_client_log_change(takeover));
    }
    take_over_state_lock(daemon, takeover);
    if (!open_control(daemon, &error)) {
        log_line(LOG_SERIOUS, "%s; crigate status and takeovers will not work", error.message);
    }
    service_manager_took_over();
    daemon->reloader.notify = true;
    exposition_take_over(&daemon->exposition, takeover_client_take_metrics(takeover));
    watchdog_begin(&daemon->watchdog, daemon->watchdog_interval);
    log_notice("taken over: this process now serves the socket");
    atomic_store(&daemon->is_main, true);
    to_gateway(&daemon->gateway, reload_show_state, RELOAD_SHOW_MS, &error);
    if (!to_gateway(&daemon->gateway, gateway_take_part, WORKER_PATIENCE_MS, &error)) {
        log_line(LOG_SERIOUS, "ignoring the state of the previous process: %s", error.message);
    }
    go_on(daemon);
}

static void on_takeover_changed(void *owner, const struct error *error)
{
    struct daemon *daemon = owner;
    struct error failure = {0};
    switch (takeover_client_state(daemon->takeover)) {
    case TAKEOVER_CLIENT_OWNER:
        become_owner(daemon);
        break;
    case TAKEOVER_CLIENT_ALONE:
        if (to_gateway(&daemon->gateway, gateway_predecessor_drained, WORKER_PATIENCE_MS, &failure)) {
            takeover_client_taken(daemon->takeover);
        } else {
            log_line(LOG_SERIOUS, "cannot handle the end of the previous process: %s", failure.message);
        }
        end_takeover(daemon);
        break;
    case TAKEOVER_CLIENT_FAILED:
        give_up(daemon, error);
        break;
    case TAKEOVER_CLIENT_CONNECTED:
    case TAKEOVER_CLIENT_BESIDE:
    case TAKEOVER_CLIENT_CONFIRMING:
        break;
    }
}

static void take_over(struct daemon *daemon)
{
    struct error error = {0};
    daemon->listener = takeover_client_ask(daemon->takeover, daemon->map, &error);
    if (!daemon->listener) {
        give_up(daemon, &error);
        return;
    }
    daemon->gateway.handover = takeover_client_take_memory(daemon->takeover);
    if (!to_gateway(&daemon->gateway, gateway_take_memory, TAKE_MS, &error)) {
        log_line(LOG_SERIOUS, "cannot yet take the pod data for plugins from the previous process: %s", error.message);
    }
    if (!listener_serve(daemon->listener, daemon->poll_thread, &daemon->gateway.server.callers, &error)) {
        give_up(daemon, &error);
        return;
    }
    more_sockets_take(daemon);
    takeover_client_confirm(daemon->takeover, daemon->poll_thread, on_takeover_changed, daemon);
}

/* ---- events ---- */

static void on_gateway_ready(struct watch *watch, short happened)
{
    (void)happened;
    struct daemon *daemon = watch_owner(watch, struct daemon, gateway_ready);
    poll_thread_remove(daemon->poll_thread, watch);
    if (daemon->stopping) {
        return;
    }
    if (daemon->takeover) {
        take_over(daemon);
    } else {
        daemon->reloader.notify = true;
        service_manager_ready();
    }
}

static void on_signal(struct watch *watch, short happened)
{
    (void)happened;
    struct daemon *daemon = watch_owner(watch, struct daemon, signals);
    struct signalfd_siginfo info;
    if (read(watch->fd, &info, sizeof info) != sizeof info) {
        return;
    }
    int signal = (int)info.ssi_signo;
    if (signal == SIGHUP) {
        reload_now(daemon);
    } else if (signal == SIGUSR1) {
        audit_rotate();
    } else if (daemon_is_handing_over(daemon)) {
        daemon->pending_signal = signal;
    } else if (!daemon->stopping) {
        stop(daemon, signal);
    }
}

/* ---- start and end ---- */

static bool open_descriptors(struct daemon *daemon, struct error *error)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGUSR1);
    daemon->signals.fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    daemon->gateway_ready.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    daemon->gateway_drained.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return (daemon->signals.fd >= 0 && daemon->gateway_ready.fd >= 0 && daemon->gateway_drained.fd >= 0) ||
           error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot wait for signals: %s", strerror(errno));
}

static bool open_listeners(struct daemon *daemon, struct error *error)
{
    int passed = passed_take(), kept[1 + MAP_MOST_SOCKETS];
    size_t count = 0;
    daemon->listener = listener_open(&daemon->map->listen, passed, error);
    if (!daemon->listener || !more_sockets_open(daemon, daemon->map, passed, error)) {
        return false;
    }
    kept[count++] = listener_socket(daemon->listener)->fd;
    for (size_t i = 0; i < daemon->more_count; i++) {
        kept[count++] = listener_socket(daemon->more[i].listener)->fd;
    }
    passed_close_others(passed, kept, count);
    return true;
}

static bool open_all(struct daemon *daemon, bool take_over, struct error *error)
{
    daemon->state_folder = strdup(daemon->map->state);
    daemon->poll_thread = poll_thread_new(error);
    if (!daemon->state_folder || !daemon->poll_thread || !open_descriptors(daemon, error)) {
        return false;
    }
    if (take_over) {
        daemon->takeover = takeover_client_connect(daemon->state_folder, error);
        return daemon->takeover != NULL;
    }
    return open_listeners(daemon, error) && lock_state(daemon, error);
}

bool sockets_open(struct daemon *daemon, const struct runtime_map *map, bool take_over, struct error *error)
{
    daemon->map = map;
    daemon->watchdog_interval = take_over ? 0 : service_manager_watchdog();
    daemon->state_lock = -1;
    daemon->signals = (struct watch){.fd = -1, .events = POLLIN, .run = on_signal};
    daemon->gateway_ready = (struct watch){.fd = -1, .events = POLLIN, .run = on_gateway_ready};
    daemon->gateway_drained = (struct watch){.fd = -1, .events = POLLIN, .run = on_gateway_drained};
    log_level_init(&daemon->log_level);
    return open_all(daemon, take_over, error);
}

bool sockets_start(struct daemon *daemon, struct error *error)
{
    if (daemon->takeover) {
        watch_arm(&daemon->gateway_ready, READY_MS);
    } else {
        if (!open_control(daemon, error)) {
            return false;
        }
        if (!listener_serve(daemon->listener, daemon->poll_thread, &daemon->gateway.server.callers, error) ||
            !more_sockets_serve(daemon, error)) {
            return false;
        }
    }
    if (!reload_watch(daemon, error)) {
        return false;
    }
    poll_thread_add(daemon->poll_thread, &daemon->signals);
    poll_thread_add(daemon->poll_thread, &daemon->gateway_ready);
    poll_thread_add(daemon->poll_thread, &daemon->log_level.expiry);
    return poll_thread_start(daemon->poll_thread, error);
}

void sockets_close(struct daemon *daemon)
{
    if (daemon->poll_thread) {
        poll_thread_stop(daemon->poll_thread);
    }
    daemon->stopping = daemon->closing = true;
    takeover_client_close(daemon->takeover);
    file_watch_close(daemon->files);
    folder_watch_close(daemon->plugin_folder);
    control_close(daemon->control);
    listener_close(daemon->listener);
    more_sockets_truncate(daemon, 0);
    callers_free(&daemon->gateway.server.callers);
    descriptor_close(&daemon->signals.fd);
    descriptor_close(&daemon->gateway_ready.fd);
    descriptor_close(&daemon->gateway_drained.fd);
    poll_thread_close(daemon->poll_thread);
    descriptor_close(&daemon->state_lock);
    json_object_put(daemon->reloader.warned);
    json_object_put(daemon->reloader.refusal);
    free(daemon->state_folder);
}
