#include "core/service/listener.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log/log.h"
#include "core/loop/acceptor.h"
#include "core/service/process_limits.h"
#include "core/transport/callers.h"
#include "core/transport/peer.h"

struct listener {
    struct listening_socket socket;
    struct peer_rules rules; /* with copies of the lists */
    struct log_limit refusals;
    struct log_limit surplus; /* beyond limits.connections */
    size_t max_connections;
    struct acceptor acceptor;
    struct poll_thread *poll_thread; /* while it serves */
    struct callers *callers;
    struct caller_socket *caller_socket; /* likewise */
};

/* ---- who may call ---- */

static void free_rules(struct peer_rules *rules)
{
    free((void *)rules->uids);
    free((void *)rules->gids);
    *rules = (struct peer_rules){.group = (gid_t)-1};
}

static void *copy_of(const void *data, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    if (copy && size > 0) {
        memcpy(copy, data, size);
    }
    return copy;
}

static bool copy_rules(struct listener *listener, const struct map_socket *entry, struct error *error)
{
    struct peer_rules rules = {
        .group = entry->gid,
        .uids = copy_of(entry->uids, entry->uid_count * sizeof *entry->uids),
        .uid_count = entry->uid_count,
        .gids = copy_of(entry->gids, entry->gid_count * sizeof *entry->gids),
        .gid_count = entry->gid_count,
    };
    if (!rules.uids || !rules.gids) {
        free_rules(&rules);
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    free_rules(&listener->rules);
    listener->rules = rules;
    return true;
}

/* ---- accepting ---- */

static void admit(struct acceptor *acceptor, int connection)
{
    struct listener *listener = watch_owner(acceptor, struct listener, acceptor);
    struct peer peer = {.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
    if (!peer_of(connection, &peer) || !peer_may_call(connection, &peer, &listener->rules)) {
        peer_log_refusal(&listener->refusals, &peer, listener->socket.path);
        close(connection);
        return;
    }
    if (!callers_admit(listener->callers, connection, &peer, listener->caller_socket, listener->max_connections)) {
        peer_log_surplus(&listener->surplus, &peer, listener->socket.path, listener->max_connections);
        close(connection);
    }
}

bool listener_serve(struct listener *listener, struct poll_thread *poll_thread, struct callers *callers, struct error *error)
{
    listener->caller_socket = callers_socket(callers, listener->socket.path);
    if (!listener->caller_socket) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    listener->poll_thread = poll_thread;
    listener->callers = callers;
    acceptor_begin(&listener->acceptor, listener->socket.fd, poll_thread, admit);
    return true;
}

void listener_pause(struct listener *listener)
{
    if (listener->poll_thread) {
        poll_thread_remove(listener->poll_thread, &listener->acceptor.watch);
        listener->poll_thread = NULL;
    }
}

/* ---- start and end ---- */

static struct listener *listener_new(const struct map_socket *entry, struct error *error)
{
    struct listener *listener = calloc(1, sizeof *listener);
    if (!listener) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    listener->socket.fd = listener->socket.lock = -1;
    listener->max_connections = descriptors_for_connections(entry->limits.connections, entry->parts);
    if (copy_rules(listener, entry, error)) {
        return listener;
    }
    listener_close(listener);
    return NULL;
}

struct listener *listener_open(const struct map_socket *entry, int passed, struct error *error)
{
    struct listener *listener = listener_new(entry, error);
    if (listener && listening_socket_open(&listener->socket, entry, passed, error)) {
        return listener;
    }
    listener_close(listener);
    return NULL;
}

struct listener *listener_adopt(const struct map_socket *entry, int fd, int lock, bool activated, struct error *error)
{
    struct listener *listener = listener_new(entry, error);
    if (!listener) {
        close(fd);
        close(lock);
        return NULL;
    }
    if (listening_socket_adopt(&listener->socket, entry, fd, lock, activated, error)) {
        return listener;
    }
    listener_close(listener);
    return NULL;
}

bool listener_apply_map(struct listener *listener, const struct map_socket *entry, struct error *error)
{
    listener->max_connections = descriptors_for_connections(entry->limits.connections, entry->parts);
    return listening_socket_apply_map(&listener->socket, entry, error) && copy_rules(listener, entry, error);
}

struct listening_socket *listener_socket(struct listener *listener)
{
    return &listener->socket;
}

void listener_close(struct listener *listener)
{
    if (listener) {
        listener_pause(listener);
        listening_socket_close(&listener->socket);
        free_rules(&listener->rules);
        free(listener);
    }
}
