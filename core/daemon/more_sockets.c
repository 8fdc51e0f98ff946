#include "core/daemon/more_sockets.h"

#include <string.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "core/service/passed.h"

static const char *path_of(const struct more_socket *more)
{
    return listener_socket(more->listener)->path;
}

static struct more_socket *find(struct daemon *daemon, const char *path)
{
    for (size_t i = 0; i < daemon->more_count; i++) {
        if (strcmp(path_of(&daemon->more[i]), path) == 0) {
            return &daemon->more[i];
        }
    }
    return NULL;
}

static void add(struct daemon *daemon, struct listener *listener)
{
    daemon->more[daemon->more_count++] = (struct more_socket){.listener = listener};
}

static void close_last(struct daemon *daemon)
{
    listener_close(daemon->more[--daemon->more_count].listener);
}

/* Unless it is open. */
static bool open_one(struct daemon *daemon, const struct map_socket *entry, int passed, struct error *error)
{
    if (find(daemon, entry->path)) {
        return true;
    }
    struct listener *listener = listener_open(entry, passed_has(passed, entry->path) ? passed : 0, error);
    if (listener) {
        add(daemon, listener);
    }
    return listener != NULL;
}

bool more_sockets_open(struct daemon *daemon, const struct runtime_map *map, int passed, struct error *error)
{
    size_t before = daemon->more_count;
    for (size_t i = 0; i < map->more_socket_count; i++) {
        if (!open_one(daemon, &map->more_sockets[i], passed, error)) {
            more_sockets_truncate(daemon, before);
            return false;
        }
    }
    return true;
}

void more_sockets_truncate(struct daemon *daemon, size_t count)
{
    while (daemon->more_count > count) {
        close_last(daemon);
    }
}

bool more_sockets_serve(struct daemon *daemon, struct error *error)
{
    for (size_t i = 0; i < daemon->more_count; i++) {
        struct more_socket *more = &daemon->more[i];
        if (!more->serves && !listener_serve(more->listener, daemon->poll_thread, &daemon->gateway.server.callers, error)) {
            return false;
        }
        more->serves = true;
    }
    return true;
}

bool more_sockets_apply_map(struct daemon *daemon, const struct runtime_map *map, struct error *error)
{
    struct error ignored;
    bool good = true;
    for (size_t i = daemon->more_count; i > 0; i--) {
        struct more_socket *more = &daemon->more[i - 1];
        const struct map_socket *entry = runtime_map_socket(map, path_of(more));
        if (entry) {
            good = listener_apply_map(more->listener, entry, error) && good;
        } else {
            struct more_socket removed = *more;
            *more = daemon->more[--daemon->more_count];
            listener_close(removed.listener);
        }
    }
    return more_sockets_serve(daemon, good ? error : &ignored) && good;
}

struct listener *more_sockets_find(struct daemon *daemon, const char *path)
{
    struct more_socket *more = find(daemon, path);
    return more ? more->listener : NULL;
}

/* ---- takeovers ---- */

void more_sockets_take(struct daemon *daemon)
{
    struct error error;
    for (size_t i = 0; i < daemon->map->more_socket_count; i++) {
        struct listener *listener = takeover_client_ask_for(daemon->takeover, &daemon->map->more_sockets[i]);
        if (listener) {
            add(daemon, listener);
        }
    }
    if (!more_sockets_serve(daemon, &error)) {
        log_line(LOG_SERIOUS, "%s; callers of that socket are not served", error.message);
    }
}

void more_sockets_own(struct daemon *daemon)
{
    const struct runtime_map *map = daemon->map;
    struct error error;
    for (size_t i = 0; i < daemon->more_count; i++) {
        listener_socket(daemon->more[i].listener)->shared = false;
    }
    for (size_t i = 0; i < map->more_socket_count; i++) {
        if (!open_one(daemon, &map->more_sockets[i], 0, &error)) {
            log_line(LOG_SERIOUS, "%s; callers of that socket are not served", error.message);
        }
    }
    if (!more_sockets_apply_map(daemon, map, &error)) {
        log_line(LOG_SERIOUS, "%s", error.message);
    }
}

void more_sockets_lend(struct daemon *daemon, struct control_connection *connection, const char *path)
{
    struct error error;
    struct more_socket *more = find(daemon, path);
    if (!takeover_server_is_offered_to(&daemon->takeover_server, connection) || !more) {
        error_set(&error, STATUS_FAILED_PRECONDITION, "the running crigate does not hand over unix://%.108s", path);
        control_refuse(connection, &error);
        return;
    }
    const struct listening_socket *socket = listener_socket(more->listener);
    const int descriptors[] = {socket->fd, socket->lock};
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_ACTIVATED, json_object_new_boolean(socket->activated));
    more->lent = control_answer_with(connection, answer, descriptors, 2, &error);
    if (!more->lent) {
        control_refuse(connection, &error);
    }
}

void more_sockets_take_back(struct daemon *daemon)
{
    for (size_t i = 0; i < daemon->more_count; i++) {
        daemon->more[i].lent = false;
    }
}

static void leave(struct daemon *daemon, bool all_are_lent)
{
    while (daemon->more_count > 0) {
        struct more_socket *last = &daemon->more[daemon->more_count - 1];
        listener_pause(last->listener);
        if (all_are_lent || last->lent) {
            listening_socket_release(listener_socket(last->listener));
        }
        close_last(daemon);
    }
}

void more_sockets_leave(struct daemon *daemon)
{
    leave(daemon, false);
}

void more_sockets_give_up(struct daemon *daemon)
{
    leave(daemon, true);
}

/* ---- the end ---- */

void more_sockets_stop(struct daemon *daemon, bool owner)
{
    for (size_t i = 0; i < daemon->more_count; i++) {
        listener_pause(daemon->more[i].listener);
        if (owner) {
            listening_socket_stop(listener_socket(daemon->more[i].listener));
        }
    }
}
