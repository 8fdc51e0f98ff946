#include "core/daemon/daemon.h"

#include <errno.h>
#include <poll.h>
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
#include "core/daemon/log_level.h"
#include "core/daemon/takeover_client.h"
#include "core/daemon/takeover_server.h"
#include "core/loop/poll_thread.h"
#include "core/service/file_watch.h"
#include "core/service/folder_watch.h"
#include "core/service/listener.h"
#include "core/service/manager.h"

/* How long a takeover waits for the primary's first answer. */
#define READY_MS 5000

struct daemon {
    struct daemon_callbacks callbacks;
    const struct runtime_map *map; /* for a takeover: until that has ended, no other map comes into force */
    char *state_folder;
    int state_lock; /* -1: not owned (yet, or any more) */
    struct poll_thread *poll_thread;
    struct listener *listener; /* NULL: not taken over yet */
    struct control *control;   /* likewise */
    struct file_watch *files;
    struct folder_watch *plugins;           /* NULL: hooks are off */
    struct takeover_client *takeover;       /* from another process, until that makes nothing more; NULL: none */
    struct takeover_server takeover_server; /* by another process */
    struct watch signals;
    struct watch gateway_ready;
    struct watch gateway_drained;
    struct reloader reloader;
    struct log_level_state log_level;
    const struct control_reporter *reporters;
    struct callers *callers;

    uint64_t watchdog;  /* the service manager's interval in microseconds; 0: none */
    bool stopping;      /* callbacks.stop was called */
    bool closing;       /* nothing is called back any more */
    bool reload_wanted; /* once it is clear who owns the socket */
    int pending_signal; /* likewise; 0: none */
};

static void refuse(struct control_connection *connection, enum status_code code, const char *why)
{
    struct error error;
    error_set(&error, code, "%s", why);
    control_refuse(connection, &error);
}

/* ---- who owns the socket ---- */

static bool is_taking_over(const struct daemon *daemon)
{
    return daemon->takeover && takeover_client_state(daemon->takeover) < TAKEOVER_CLIENT_OWNER;
}

static bool is_handing_over(const struct daemon *daemon)
{
    return daemon->takeover_server.state == TAKEOVER_SERVER_OFFERED;
}

static bool has_handed_over(const struct daemon *daemon)
{
    return takeover_server_has_handed_over(&daemon->takeover_server);
}

/* ---- reload ---- */

static bool may_reload(const struct daemon *daemon)
{
    return daemon->listener && !is_taking_over(daemon) && !is_handing_over(daemon) && !has_handed_over(daemon) &&
           !daemon->stopping;
}

static void on_reload_wanted(void *state)
{
    struct daemon *daemon = state;
    if (may_reload(daemon)) {
        struct json_object *messages;
        reload_run(&daemon->reloader, false, &messages);
        json_object_put(messages);
    } else {
        daemon->reload_wanted = is_taking_over(daemon) || is_handing_over(daemon);
    }
}

static void on_files_changed(void *state, bool seen)
{
    const struct daemon *daemon = state;
    if (seen || daemon->callbacks.map_has_changed(daemon->callbacks.state)) {
        on_reload_wanted(state);
    }
}

static void on_retry(struct watch *watch, short happened)
{
    (void)happened;
    struct daemon *daemon = watch_owner(watch, struct daemon, reloader.retry);
    struct json_object *messages;
    if (is_handing_over(daemon)) {
        watch_arm(watch, RELOAD_AGAIN_MS);
    } else if (may_reload(daemon)) {
        reload_run(&daemon->reloader, true, &messages);
        json_object_put(messages);
    }
}

static void run_reload(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    struct daemon *daemon = state;
    if (!may_reload(daemon)) {
        refuse(connection, STATUS_UNAVAILABLE,
               is_handing_over(daemon) ? "another process is about to take over; try again in a moment" : "crigate is stopping");
        return;
    }
    struct json_object *messages;
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_RELOADED, json_object_new_boolean(reload_run(&daemon->reloader, false, &messages)));
    json_add(answer, CONTROL_MESSAGES, messages);
    control_answer(connection, answer);
}

/* ---- plugins ---- */

static void on_plugins_changed(void *state)
{
    const struct daemon *daemon = state;
    if (!daemon->stopping) {
        daemon->callbacks.plugins_changed(daemon->callbacks.state);
    }
}

/* Watches the folder of the map, if it has hooks. */
static bool watch_plugins(struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    const char *path = map->hooks.on ? map->hooks.folder : NULL;
    if (path && daemon->plugins && strcmp(path, folder_watch_path(daemon->plugins)) == 0) {
        return true;
    }
    folder_watch_close(daemon->plugins);
    daemon->plugins = path ? folder_watch_open(path, daemon->poll_thread, on_plugins_changed, daemon, error) : NULL;
    return !path || daemon->plugins;
}

/* ---- reports ---- */

/* Connections that were made before go on, so nothing else shows that the socket is unreachable. */
static bool describe_status(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    (void)error;
    const struct daemon *daemon = state;
    const struct listening_socket *socket = daemon->listener ? listener_socket(daemon->listener) : NULL;
    if (socket && socket->fd >= 0 && !listening_socket_has_file(socket)) {
        char text[sizeof socket->path + 64];
        snprintf(text, sizeof text, "%s was removed or replaced; restart crigate", socket->path);
        json_add(answer, CONTROL_UNREACHABLE, json_object_new_string(text));
    }
    if (daemon->reloader.refusal) {
        json_add(answer, CONTROL_REFUSED_MAP, json_object_get(daemon->reloader.refusal));
    }
    return true;
}

const struct control_report daemon_reports[] = {{CONTROL_STATUS, describe_status}, {0}};

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
    bool owner = !has_handed_over(daemon) && !is_taking_over(daemon);
    if (daemon->listener && owner) {
        listening_socket_stop(listener_socket(daemon->listener));
    }
    if (owner) {
        service_manager_stopping();
    }
    daemon->callbacks.stop(daemon->callbacks.state, signal);
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
    int socket = daemon->callbacks.lend_metrics(daemon->callbacks.state);
    if (!control_answer_with(connection, json_object_new_object(), &socket, socket >= 0 ? 1 : 0, &error)) {
        control_refuse(connection, &error);
    }
    descriptor_close(&socket);
}

static bool before_takeover(void *state, int *memory, struct error *error)
{
    const struct daemon *daemon = state;
    return daemon->callbacks.before_takeover(daemon->callbacks.state, memory, error);
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
    } else if (daemon->reload_wanted && may_reload(daemon)) {
        on_reload_wanted(daemon);
    }
    daemon->reload_wanted = false; /* the other process reads the map by itself */
}

static void leave(struct daemon *daemon)
{
    control_stop_accepting(daemon->control);
    descriptor_close(&daemon->state_lock);
    poll_thread_add(daemon->poll_thread, &daemon->gateway_drained);
    daemon->callbacks.handed_over(daemon->callbacks.state);
}

static void on_handover_changed(void *owner, enum takeover_server_state before)
{
    struct daemon *daemon = owner;
    if (daemon->closing) {
        return;
    }
    switch (daemon->takeover_server.state) {
    case TAKEOVER_SERVER_SERVES:
        daemon->callbacks.takeover_failed(daemon->callbacks.state);
        go_on(daemon);
        break;
    case TAKEOVER_SERVER_HANDED_OVER:
        leave(daemon);
        go_on(daemon);
        break;
    case TAKEOVER_SERVER_TAKEN:
        daemon->callbacks.successor_has_all(daemon->callbacks.state);
        break;
    case TAKEOVER_SERVER_LOST:
        daemon->callbacks.successor_lost(daemon->callbacks.state, before == TAKEOVER_SERVER_HANDED_OVER);
        break;
    case TAKEOVER_SERVER_OFFERED:
    case TAKEOVER_SERVER_DRAINED:
        break;
    }
}

/* ---- the control socket ---- */

static const struct control_request requests[] = {
    {CONTROL_RELOAD, run_reload},
    {CONTROL_TAKEOVER, run_takeover},
    {CONTROL_SERVING, run_serving},
    {CONTROL_TAKEN, run_taken},
    {CONTROL_METRICS_SOCKET, run_metrics_socket},
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
                                                       .watchdog = daemon->watchdog,
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
    daemon->callbacks.took_over(daemon->callbacks.state, 0, -1, error);
}

static void become_owner(struct daemon *daemon)
{
    struct error error = {0};
    struct takeover_client *takeover = daemon->takeover;
    listener_socket(daemon->listener)->shared = false;
    daemon->watchdog = takeover_client_watchdog(takeover);
    if (takeover_client_log_change(takeover)->until > 0) {
        log_level_set(&daemon->log_level, takeover_client_log_change(takeover));
    }
    take_over_state_lock(daemon, takeover);
    if (!open_control(daemon, &error)) {
        log_line(LOG_SERIOUS, "%s; crigate status and takeovers will not work", error.message);
    }
    service_manager_took_over();
    daemon->reloader.notify = true;
    daemon->callbacks.took_over(daemon->callbacks.state, daemon->watchdog, takeover_client_take_metrics(takeover), NULL);
    go_on(daemon);
}

static void on_takeover_changed(void *owner, const struct error *error)
{
    struct daemon *daemon = owner;
    switch (takeover_client_state(daemon->takeover)) {
    case TAKEOVER_CLIENT_OWNER:
        become_owner(daemon);
        break;
    case TAKEOVER_CLIENT_ALONE:
        if (daemon->callbacks.predecessor_drained(daemon->callbacks.state)) {
            takeover_client_taken(daemon->takeover);
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
    daemon->callbacks.about_to_serve(daemon->callbacks.state, takeover_client_take_memory(daemon->takeover));
    listener_serve(daemon->listener, daemon->poll_thread, daemon->callers);
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
        on_reload_wanted(daemon);
    } else if (signal == SIGUSR1) {
        audit_rotate();
    } else if (is_handing_over(daemon)) {
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
    daemon->listener = listener_open(daemon->map, error);
    return daemon->listener && lock_state(daemon, error);
}

struct daemon *daemon_open(const struct runtime_map *map, bool take_over, const struct daemon_callbacks *callbacks,
                           struct error *error)
{
    struct daemon *daemon = calloc(1, sizeof *daemon);
    if (!daemon) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    daemon->callbacks = *callbacks;
    daemon->map = map;
    daemon->watchdog = take_over ? 0 : service_manager_watchdog();
    daemon->state_lock = -1;
    daemon->signals = (struct watch){.fd = -1, .events = POLLIN, .run = on_signal};
    daemon->gateway_ready = (struct watch){.fd = -1, .events = POLLIN, .run = on_gateway_ready};
    daemon->gateway_drained = (struct watch){.fd = -1, .events = POLLIN, .run = on_gateway_drained};
    log_level_init(&daemon->log_level);
    daemon->reloader =
        (struct reloader){.run = callbacks->reload, .state = callbacks->state, .retry = {.fd = -1, .run = on_retry}};
    if (open_all(daemon, take_over, error)) {
        return daemon;
    }
    daemon_close(daemon);
    return NULL;
}

static bool watch_files(struct daemon *daemon, struct error *error)
{
    const struct runtime_map *map = daemon->map;
    if (!map->drop_in_folder) {
        return true; /* it is in no file */
    }
    daemon->files = file_watch_open(map->file, map->drop_in_folder, daemon->poll_thread, on_files_changed, daemon, error);
    return daemon->files != NULL;
}

bool daemon_start(struct daemon *daemon, struct callers *callers, const struct control_reporter *reporters, struct error *error)
{
    daemon->callers = callers;
    daemon->reporters = reporters;
    if (daemon->takeover) {
        watch_arm(&daemon->gateway_ready, READY_MS);
    } else {
        if (!open_control(daemon, error)) {
            return false;
        }
        listener_serve(daemon->listener, daemon->poll_thread, callers);
    }
    if (!watch_files(daemon, error) || !watch_plugins(daemon, daemon->map, error)) {
        return false;
    }
    poll_thread_add(daemon->poll_thread, &daemon->signals);
    poll_thread_add(daemon->poll_thread, &daemon->gateway_ready);
    poll_thread_add(daemon->poll_thread, &daemon->reloader.retry);
    poll_thread_add(daemon->poll_thread, &daemon->log_level.expiry);
    return poll_thread_start(daemon->poll_thread, error);
}

void daemon_gateway_ready(struct daemon *daemon)
{
    eventfd_write(daemon->gateway_ready.fd, 1);
}

void daemon_gateway_drained(struct daemon *daemon)
{
    eventfd_write(daemon->gateway_drained.fd, 1);
}

bool daemon_can_apply_map(const struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    const char *path = listener_socket(daemon->listener)->path;
    if (strcmp(path, map->listen.path) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "listen: cannot change from unix://%s to unix://%s without a restart",
                         path, map->listen.path);
    }
    return strcmp(daemon->state_folder, map->state) == 0 ||
           error_set(error, STATUS_FAILED_PRECONDITION, "state: cannot change from %s to %s without a restart",
                     daemon->state_folder, map->state);
}

bool daemon_apply_map(struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    bool watched = watch_plugins(daemon, map, error);
    return listener_apply_map(daemon->listener, map, error) && watched;
}

void daemon_close(struct daemon *daemon)
{
    if (!daemon) {
        return;
    }
    if (daemon->poll_thread) {
        poll_thread_stop(daemon->poll_thread);
    }
    daemon->stopping = daemon->closing = true;
    takeover_client_close(daemon->takeover);
    file_watch_close(daemon->files);
    folder_watch_close(daemon->plugins);
    control_close(daemon->control);
    listener_close(daemon->listener);
    descriptor_close(&daemon->signals.fd);
    descriptor_close(&daemon->gateway_ready.fd);
    descriptor_close(&daemon->gateway_drained.fd);
    poll_thread_close(daemon->poll_thread);
    descriptor_close(&daemon->state_lock);
    json_object_put(daemon->reloader.warned);
    json_object_put(daemon->reloader.refusal);
    free(daemon->state_folder);
    free(daemon);
}
