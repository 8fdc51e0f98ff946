#include "daemon.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/process/control/socket.h"
#include "core/process/control/worker_query.h"
#include "core/process/file_watch.h"
#include "core/process/listener.h"
#include "core/process/poll_thread.h"
#include "core/process/service_manager.h"
#include "core/process/state_lock.h"
#include "core/process/takeover/server.h"
#include "core/process/takeover/client.h"

/* How long a takeover waits for the primary's first answer. */
#define SETTLE_MS 5000

struct doors {
    struct doors_calls calls;
    const struct runtime_map *map; /* for a takeover: until that has ended, no other map comes into force */
    char *state_folder;
    int state_lock; /* -1: not owned (yet, or any more) */
    struct doorkeeper *doorkeeper;
    struct listener *listener; /* NULL: not taken over yet */
    struct control *control;   /* likewise */
    struct file_watch *files;
    struct takeover *takeover;    /* until it has ended */
    struct takeover *predecessor; /* and then, until the other process is quiet */
    struct handover handover;
    struct watch signals;
    struct watch settled;
    struct watch quiet;
    struct watch retry; /* of a reload that was put off */
    struct worker *worker;
    grpc_server *server;

    uint64_t watchdog;  /* microseconds within which the service manager wants to hear of this process; 0: it does not */
    bool ready;         /* the service manager knows */
    bool stopping;      /* calls.stop was called */
    bool left;          /* another process has taken over */
    bool reload_wanted; /* as soon as the takeover has ended */
    int pending_signal; /* arrived while a handover is under way; 0: none */
    struct json_object *last_words; /* of the reload that was refused last; NULL: the newest map is in force */
};

/* ---- reload ---- */

static void tell_service_manager(const struct doors *doors, enum reload outcome)
{
    if (doors->ready) {
        service_manager_ready();
        service_manager_status("%s", outcome == RELOAD_DONE ? "serving" : "serving; the newest runtime map was refused");
    }
}

/* Keeps for `crigate status` why the map was not reloaded, and has what was put off tried again. */
static void take_outcome(struct doors *doors, enum reload outcome, struct json_object *words)
{
    json_object_put(doors->last_words);
    doors->last_words = outcome == RELOAD_DONE ? NULL : json_object_get(words);
    doors->retry.due = 0;
    if (outcome == RELOAD_PUT_OFF) {
        watch_arm(&doors->retry, RELOAD_AGAIN_MS);
    }
}

/* What there is to say is the caller's. */
static bool reload(struct doors *doors, struct json_object **words)
{
    if (doors->ready) {
        service_manager_reloading();
    }
    enum reload outcome = reload_run(doors->calls.reload, doors->calls.state, words);
    reload_log(outcome, *words);
    take_outcome(doors, outcome, *words);
    tell_service_manager(doors, outcome);
    return outcome == RELOAD_DONE;
}

static bool may_reload(const struct doors *doors)
{
    return doors->listener && !doors->takeover && !doors->left && !doors->stopping;
}

static void on_reload_wanted(void *state)
{
    struct doors *doors = state;
    if (may_reload(doors)) {
        struct json_object *words;
        reload(doors, &words);
        json_object_put(words);
    } else {
        doors->reload_wanted = doors->takeover != NULL;
    }
}

/* That it was put off is told already. */
static void on_retry(struct watch *watch, short happened)
{
    (void)happened;
    struct doors *doors = watch_owner(watch, struct doors, retry);
    struct json_object *words;
    if (doors->handover.with) {
        watch_arm(watch, RELOAD_AGAIN_MS); /* what the other process is to know is written down */
        return;
    }
    if (!may_reload(doors)) {
        return;
    }
    enum reload outcome = reload_run(doors->calls.reload, doors->calls.state, &words);
    if (outcome != RELOAD_PUT_OFF) {
        reload_log(outcome, words);
        tell_service_manager(doors, outcome);
    }
    take_outcome(doors, outcome, words);
    json_object_put(words);
}

static void answer_reload(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    struct doors *doors = state;
    if (!may_reload(doors)) {
        struct error error;
        error_set(&error, STATUS_UNAVAILABLE, "crigate is stopping");
        control_refuse(connection, &error);
        return;
    }
    struct json_object *words;
    struct json_object *answer = json_object_new_object();
    json_object_object_add(answer, "reloaded", json_object_new_boolean(reload(doors, &words)));
    json_object_object_add(answer, "messages", words);
    control_answer(connection, answer);
}

/* ---- questions that the worker answers ---- */

static void answer_status(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    struct doors *doors = state;
    struct error error;
    struct json_object *answer = question_ask(&doors->calls, "", doors->worker, &error);
    if (!answer) {
        control_refuse(connection, &error);
        return;
    }
    json_object_object_add(answer, "pid", json_object_new_int64(getpid()));
    if (doors->last_words) {
        json_object_object_add(answer, "refusedMap", json_object_get(doors->last_words));
    }
    control_answer(connection, answer);
}

static void answer_owner(struct control_connection *connection, const char *argument, void *state)
{
    const struct doors *doors = state;
    struct error error;
    struct json_object *answer = NULL;
    if (!*argument) {
        error_set(&error, STATUS_INVALID_ARGUMENT, "whose owner? An id is missing");
    } else {
        answer = question_ask(&doors->calls, argument, doors->worker, &error);
    }
    if (answer) {
        control_answer(connection, answer);
    } else {
        control_refuse(connection, &error);
    }
}

/* ---- handing over ---- */

static void stop(struct doors *doors, int signal)
{
    doors->stopping = true;
    if (doors->listener) {
        listener_pause(doors->listener);
    }
    if (doors->listener && !doors->left && !doors->takeover) {
        listening_socket_stop(listener_socket(doors->listener));
    }
    if (!doors->left && !doors->takeover) {
        service_manager_stopping();
    }
    doors->calls.stop(doors->calls.state, signal);
}

static void answer_takeover(struct control_connection *connection, const char *argument, void *state)
{
    struct doors *doors = state;
    struct error error = {0};
    if (doors->stopping || doors->left) {
        error_set(&error, STATUS_FAILED_PRECONDITION, "the running crigate is stopping");
    } else if (doors->predecessor) {
        error_set(&error, STATUS_FAILED_PRECONDITION,
                  "the process before the running crigate is still making pods or containers; try again when it has ended");
    }
    if (error.code != STATUS_OK) {
        control_refuse(connection, &error);
        return;
    }
    handover_begin(&doors->handover, connection, argument);
}

static void answer_serving(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    handover_finish(&((struct doors *)state)->handover, connection);
}

static bool before_handover(void *state, struct error *error)
{
    const struct doors *doors = state;
    return doors->calls.before_handover(doors->calls.state, error);
}

static void on_quiet(struct watch *watch, short happened)
{
    (void)happened;
    struct doors *doors = watch_owner(watch, struct doors, quiet);
    doorkeeper_remove(doors->doorkeeper, watch);
    handover_quiet(&doors->handover);
}

static void release_state(struct doors *doors)
{
    if (doors->state_lock >= 0) {
        close(doors->state_lock);
        doors->state_lock = -1;
    }
}

/* A signal that arrived meanwhile counts now: had it counted at once, it could have left the socket without an owner. */
static void on_handover_ended(void *state, bool left)
{
    struct doors *doors = state;
    if (left) {
        doors->left = true;
        control_leave(doors->control);
        release_state(doors);
        doorkeeper_add(doors->doorkeeper, &doors->quiet);
        doors->calls.handed_over(doors->calls.state);
    }
    if (doors->pending_signal != 0) {
        stop(doors, doors->pending_signal);
    }
}

/* ---- the control socket ---- */

static const struct control_request requests[] = {
    {"status", answer_status},     {"owner", answer_owner},     {"reload", answer_reload},
    {"takeover", answer_takeover}, {"serving", answer_serving}, {0},
};

static bool own_state(struct doors *doors, struct error *error)
{
    if (mkdir(doors->state_folder, 0755) != 0 && errno != EEXIST) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot make the folder %s: %s", doors->state_folder, strerror(errno));
    }
    doors->state_lock = state_lock_take(doors->state_folder, error);
    return doors->state_lock >= 0;
}

static bool open_control(struct doors *doors, struct error *error)
{
    doors->handover = (struct handover){.listener = doors->listener,
                                        .state_lock = doors->state_lock,
                                        .watchdog = doors->watchdog,
                                        .before = before_handover,
                                        .ended = on_handover_ended,
                                        .state = doors};
    doors->control = control_open(doors->state_folder, requests, doors, doors->doorkeeper, error);
    return doors->control != NULL;
}

/* ---- taking over ---- */

static void on_predecessor_quiet(void *state)
{
    struct doors *doors = state;
    takeover_close(doors->predecessor);
    doors->predecessor = NULL;
    doors->calls.predecessor_quiet(doors->calls.state);
}

/* The lock that was handed over, or, where the other one was of a version without, one of our own. */
static void take_over_state(struct doors *doors, struct takeover *takeover)
{
    struct error error = {0};
    int lock = takeover_take_state_lock(takeover);
    if (lock >= 0 && state_lock_adopt(doors->state_folder, lock)) {
        doors->state_lock = lock;
        state_lock_sign(lock);
        return;
    }
    if (lock >= 0) {
        close(lock);
    }
    if (!own_state(doors, &error)) {
        log_line(LOG_SERIOUS, "the state folder is not locked: %s", error.message);
    }
}

static void on_taken_over(void *state, const struct error *failure)
{
    struct doors *doors = state;
    struct error error = {0};
    struct takeover *takeover = doors->takeover;
    doors->takeover = NULL;
    if (failure) {
        takeover_close(takeover);
        listener_pause(doors->listener);
        listening_socket_leave(listener_socket(doors->listener));
    } else {
        listener_socket(doors->listener)->shared = false;
        doors->watchdog = takeover_watchdog(takeover);
        take_over_state(doors, takeover);
        if (!open_control(doors, &error)) {
            log_line(LOG_SERIOUS, "%s; crigate status and takeovers will not work", error.message);
        }
        service_manager_took_over();
        doors->ready = true;
    }
    doors->calls.took_over(doors->calls.state, doors->watchdog, failure);
    if (!failure) {
        doors->predecessor = takeover;
        takeover_wait(takeover, doors->doorkeeper, on_predecessor_quiet, doors);
    }
    if (!failure && doors->reload_wanted) {
        on_reload_wanted(doors);
    }
}

static void take_over(struct doors *doors)
{
    struct error error = {0};
    doors->listener = takeover_ask(doors->takeover, doors->map, &error);
    if (!doors->listener) {
        takeover_close(doors->takeover);
        doors->takeover = NULL;
        doors->calls.took_over(doors->calls.state, 0, &error);
        return;
    }
    listener_serve(doors->listener, doors->doorkeeper, doors->server);
    takeover_confirm(doors->takeover, doors->doorkeeper, on_taken_over, doors);
}

/* ---- events ---- */

static void on_settled(struct watch *watch, short happened)
{
    (void)happened;
    struct doors *doors = watch_owner(watch, struct doors, settled);
    doorkeeper_remove(doors->doorkeeper, watch);
    if (doors->stopping) {
        return;
    }
    if (doors->takeover) {
        take_over(doors);
    } else {
        doors->ready = true;
        service_manager_ready();
    }
}

static void on_signal(struct watch *watch, short happened)
{
    (void)happened;
    struct doors *doors = watch_owner(watch, struct doors, signals);
    struct signalfd_siginfo info;
    if (read(watch->fd, &info, sizeof info) != sizeof info) {
        return;
    }
    int signal = (int)info.ssi_signo;
    if (signal == SIGHUP) {
        on_reload_wanted(doors);
    } else if (doors->handover.with) {
        doors->pending_signal = signal;
    } else if (!doors->stopping) {
        stop(doors, signal);
    }
}

/* ---- start and end ---- */

static bool open_descriptors(struct doors *doors, struct error *error)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    doors->signals = (struct watch){.fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK), .events = POLLIN, .run = on_signal};
    doors->settled = (struct watch){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN, .run = on_settled};
    doors->quiet = (struct watch){.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .events = POLLIN, .run = on_quiet};
    return (doors->signals.fd >= 0 && doors->settled.fd >= 0 && doors->quiet.fd >= 0) ||
           error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot wait for signals: %s", strerror(errno));
}

static bool open_all(struct doors *doors, bool take_over, struct error *error)
{
    doors->state_folder = strdup(doors->map->state);
    doors->doorkeeper = doorkeeper_new(error);
    if (!doors->state_folder || !doors->doorkeeper || !open_descriptors(doors, error)) {
        return false;
    }
    if (take_over) {
        doors->takeover = takeover_connect(doors->state_folder, error);
        return doors->takeover != NULL;
    }
    doors->listener = listener_open(doors->map, error);
    return doors->listener && own_state(doors, error);
}

struct doors *doors_open(const struct runtime_map *map, bool take_over, const struct doors_calls *calls, struct error *error)
{
    struct doors *doors = calloc(1, sizeof *doors);
    if (!doors) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    doors->calls = *calls;
    doors->map = map;
    doors->watchdog = take_over ? 0 : service_manager_watchdog();
    doors->state_lock = doors->signals.fd = doors->settled.fd = doors->quiet.fd = -1;
    doors->retry = (struct watch){.fd = -1, .run = on_retry};
    if (open_all(doors, take_over, error)) {
        return doors;
    }
    doors_close(doors);
    return NULL;
}

bool doors_start(struct doors *doors, grpc_server *server, struct worker *worker, struct error *error)
{
    doors->server = server;
    doors->worker = worker;
    if (doors->takeover) {
        watch_arm(&doors->settled, SETTLE_MS);
    } else {
        if (!open_control(doors, error)) {
            return false;
        }
        listener_serve(doors->listener, doors->doorkeeper, server);
    }
    doors->files =
        file_watch_open(doors->map->file, doors->map->drop_in_folder, doors->doorkeeper, on_reload_wanted, doors, error);
    if (!doors->files) {
        return false;
    }
    doorkeeper_add(doors->doorkeeper, &doors->signals);
    doorkeeper_add(doors->doorkeeper, &doors->settled);
    doorkeeper_add(doors->doorkeeper, &doors->retry);
    return doorkeeper_start(doors->doorkeeper, error);
}

void doors_settled(struct doors *doors)
{
    eventfd_write(doors->settled.fd, 1);
}

void doors_quiet(struct doors *doors)
{
    eventfd_write(doors->quiet.fd, 1);
}

bool doors_can_use(const struct doors *doors, const struct runtime_map *map, struct error *error)
{
    const char *path = listener_socket(doors->listener)->path;
    if (strcmp(path, map->listen.path) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "listen: cannot change from unix://%s to unix://%s without a restart",
                         path, map->listen.path);
    }
    return strcmp(doors->state_folder, map->state) == 0 ||
           error_set(error, STATUS_FAILED_PRECONDITION, "state: cannot change from %s to %s without a restart",
                     doors->state_folder, map->state);
}

bool doors_use(struct doors *doors, const struct runtime_map *map, struct error *error)
{
    return listener_use(doors->listener, map, error);
}

void doors_send_away(void *state)
{
    listener_send_away(((struct doors *)state)->listener);
}

void doors_hang_up(struct doors *doors)
{
    if (doors->listener) {
        listener_hang_up(doors->listener);
    }
}

static void close_descriptor(const struct watch *watch)
{
    if (watch->fd >= 0) {
        close(watch->fd);
    }
}

void doors_close(struct doors *doors)
{
    if (!doors) {
        return;
    }
    if (doors->doorkeeper) {
        doorkeeper_stop(doors->doorkeeper);
    }
    doors->stopping = true;
    doors->pending_signal = 0;
    takeover_close(doors->takeover);
    takeover_close(doors->predecessor);
    file_watch_close(doors->files);
    control_close(doors->control);
    listener_close(doors->listener);
    close_descriptor(&doors->signals);
    close_descriptor(&doors->settled);
    close_descriptor(&doors->quiet);
    doorkeeper_close(doors->doorkeeper);
    release_state(doors);
    json_object_put(doors->last_words);
    free(doors->state_folder);
    free(doors);
}
