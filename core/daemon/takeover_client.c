#include "core/daemon/takeover_client.h"

#include <errno.h>
#include <json-c/json.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>

#include "base/json/read.h"
#include "base/system/descriptor.h"
#include "core/control/client.h"
#include "core/transport/peer.h"

/* For the answer that gives the socket up; longer than the other process waits for ours. */
#define CONFIRM_MS 10000
/* For the other process to be gone when it closed the connection without an answer. */
#define DEATH_MS 1000

/* The socket and its lock. The lock of the state folder is the third, memory the fourth; a crigate that knows of none does not
   send it. */
#define FEWEST_DESCRIPTORS 2
#define WITH_MEMORY 4

#define PATH_SIZE 4096

struct takeover_client {
    enum takeover_client_state state;
    int connection;
    int state_lock; /* as it was handed over; -1: it was not, or has been taken */
    int memory;     /* likewise */
    int metrics;    /* likewise */
    int process;    /* a pidfd of the running process; -1: unknown */
    uint64_t watchdog;
    struct log_change log_change; /* until 0: none */
    struct watch watch;
    struct poll_thread *poll_thread; /* while `watch` is added to it */
    void (*changed)(void *owner, const struct error *error);
    void *owner;
};

/* ---- connecting ---- */

static bool connect_to(struct takeover_client *takeover, const char *folder, struct error *error)
{
    char path[PATH_SIZE];
    struct peer peer;
    snprintf(path, sizeof path, "%s/" CONTROL_SOCKET_NAME, folder);
    takeover->connection = control_connect(path, CONTROL_LONG_PATIENCE, error);
    if (takeover->connection < 0) {
        return false;
    }
    if (!peer_of(takeover->connection, &peer) || !peer_is_owner(&peer)) {
        return error_set(error, STATUS_PERMISSION_DENIED, "the process that listens at %s belongs to another user", path);
    }
    takeover->process = peer.pid > 0 ? pidfd_open(peer.pid, 0) : -1;
    return true;
}

struct takeover_client *takeover_client_connect(const char *folder, struct error *error)
{
    struct takeover_client *takeover = malloc(sizeof *takeover);
    if (!takeover) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    *takeover = (struct takeover_client){.connection = -1, .state_lock = -1, .memory = -1, .metrics = -1, .process = -1};
    if (connect_to(takeover, folder, error)) {
        return takeover;
    }
    takeover_client_close(takeover);
    return NULL;
}

/* ---- asking ---- */

static struct listener *adopt(struct takeover_client *takeover, const struct runtime_map *map, struct control_reply *reply,
                              struct json_object *answer, struct error *error)
{
    int64_t watchdog = json_object_get_int64(json_member(answer, CONTROL_WATCHDOG));
    if (reply->descriptor_count < FEWEST_DESCRIPTORS) {
        error_set(error, STATUS_INTERNAL, "the running crigate answered without its socket: %.200s", reply->line);
        return NULL;
    }
    if (watchdog > 0) {
        takeover->watchdog = (uint64_t)watchdog;
    }
    struct json_object *change = json_member(answer, CONTROL_LOG_CHANGE);
    struct error unusable; /* of a later version: it is left out */
    if (change && !log_change_from_json(change, &takeover->log_change, &unusable)) {
        takeover->log_change = (struct log_change){0};
    }
    takeover->state_lock = reply->descriptor_count > FEWEST_DESCRIPTORS ? reply->descriptors[FEWEST_DESCRIPTORS] : -1;
    takeover->memory = reply->descriptor_count >= WITH_MEMORY ? reply->descriptors[WITH_MEMORY - 1] : -1;
    reply->descriptor_count = 0; /* that one is ours now, and the others are the listener's */
    return listener_adopt(&map->listen, reply->descriptors[0], reply->descriptors[1], control_flag(answer, CONTROL_ACTIVATED),
                          error);
}

/* Only another version refuses this; then that process and this one take turns with the address. */
static void ask_for_metrics(struct takeover_client *takeover)
{
    struct control_reply reply = {0};
    if (control_send(takeover->connection, CONTROL_METRICS_SOCKET, NULL) && control_receive(takeover->connection, &reply, NULL) &&
        reply.descriptor_count == 1) {
        takeover->metrics = reply.descriptors[0];
        reply.descriptor_count = 0;
    }
    control_reply_release(&reply);
}

struct listener *takeover_client_ask(struct takeover_client *takeover, const struct runtime_map *map, struct error *error)
{
    char line[CONTROL_LINE_SIZE];
    struct control_reply reply = {0};
    struct listener *listener = NULL;
    snprintf(line, sizeof line, CONTROL_TAKEOVER " %d %s", CONTROL_TAKEOVER_VERSION, map->listen.path);
    if (control_send(takeover->connection, line, error) && control_receive(takeover->connection, &reply, error)) {
        struct json_object *answer = control_parse(reply.line, error);
        listener = answer ? adopt(takeover, map, &reply, answer, error) : NULL;
        json_object_put(answer);
    }
    control_reply_release(&reply);
    takeover->state = listener ? TAKEOVER_CLIENT_BESIDE : TAKEOVER_CLIENT_FAILED;
    if (listener) {
        ask_for_metrics(takeover);
    }
    return listener;
}

struct listener *takeover_client_ask_for(struct takeover_client *takeover, const struct map_socket *entry)
{
    char line[CONTROL_LINE_SIZE];
    struct control_reply reply = {0};
    struct listener *listener = NULL;
    struct error error;
    snprintf(line, sizeof line, CONTROL_SOCKET " %s", entry->path);
    if (control_send(takeover->connection, line, &error) && control_receive(takeover->connection, &reply, &error) &&
        reply.descriptor_count == FEWEST_DESCRIPTORS) {
        struct json_object *answer = control_parse(reply.line, &error);
        reply.descriptor_count = 0;
        listener =
            listener_adopt(entry, reply.descriptors[0], reply.descriptors[1], control_flag(answer, CONTROL_ACTIVATED), &error);
        json_object_put(answer);
    }
    control_reply_release(&reply);
    return listener;
}

int takeover_client_take_state_lock(struct takeover_client *takeover)
{
    int lock = takeover->state_lock;
    takeover->state_lock = -1;
    return lock;
}

int takeover_client_take_memory(struct takeover_client *takeover)
{
    int memory = takeover->memory;
    takeover->memory = -1;
    return memory;
}

int takeover_client_take_metrics(struct takeover_client *takeover)
{
    int metrics = takeover->metrics;
    takeover->metrics = -1;
    return metrics;
}

uint64_t takeover_client_watchdog(const struct takeover_client *takeover)
{
    return takeover->watchdog;
}

const struct log_change *takeover_client_log_change(const struct takeover_client *takeover)
{
    return &takeover->log_change;
}

/* ---- confirming ---- */

/* Without an answer the other process is either dead, and this process the only owner, or it lives and keeps serving. */
static bool has_died(const struct takeover_client *takeover)
{
    struct pollfd wait = {.fd = takeover->process, .events = POLLIN};
    return takeover->process >= 0 && poll(&wait, 1, DEATH_MS) == 1;
}

/* Whether the answer gives the socket up. false with the reason why not. That it does is seen without memory: the other process
   does not take the socket back. */
static bool gives_up(const char *line, struct error *error)
{
    if (strstr(line, "\"" CONTROL_LEAVING "\":true")) {
        return true;
    }
    struct json_object *answer = control_parse(line, error);
    if (answer) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s", line);
    }
    json_object_put(answer);
    return error_wrap(error, "the running crigate keeps serving");
}

static bool is_ours(struct takeover_client *takeover, short happened, struct error *error)
{
    struct control_reply reply = {0};
    bool ours;
    if (happened == 0) {
        error_set(error, STATUS_DEADLINE_EXCEEDED, "the running crigate does not answer");
        ours = has_died(takeover);
    } else if (control_receive(takeover->connection, &reply, error)) {
        ours = gives_up(reply.line, error);
    } else {
        ours = has_died(takeover);
    }
    control_reply_release(&reply);
    return ours;
}

/* The other process ends its side when it is drained. What it sends before that does not matter. */
static bool is_at_its_end(const struct takeover_client *takeover)
{
    char text[CONTROL_LINE_SIZE];
    ssize_t size = recv(takeover->connection, text, sizeof text, MSG_DONTWAIT);
    return size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR);
}

static void change(struct takeover_client *takeover, enum takeover_client_state next, const struct error *error)
{
    takeover->state = next;
    if (next != TAKEOVER_CLIENT_OWNER) {
        poll_thread_remove(takeover->poll_thread, &takeover->watch);
        takeover->poll_thread = NULL;
    }
    takeover->changed(takeover->owner, error); /* which may free it */
}

static void on_event(struct watch *watch, short happened)
{
    struct takeover_client *takeover = watch_owner(watch, struct takeover_client, watch);
    struct error error = {0};
    if (takeover->state == TAKEOVER_CLIENT_CONFIRMING) {
        bool ours = is_ours(takeover, happened, &error);
        watch->due = 0;
        change(takeover, ours ? TAKEOVER_CLIENT_OWNER : TAKEOVER_CLIENT_FAILED, ours ? NULL : &error);
    } else if (is_at_its_end(takeover)) {
        change(takeover, TAKEOVER_CLIENT_ALONE, NULL);
    }
}

void takeover_client_confirm(struct takeover_client *takeover, struct poll_thread *poll_thread,
                             void (*changed)(void *owner, const struct error *error), void *owner)
{
    takeover->state = TAKEOVER_CLIENT_CONFIRMING;
    takeover->changed = changed;
    takeover->owner = owner;
    takeover->poll_thread = poll_thread;
    takeover->watch = (struct watch){.fd = takeover->connection, .events = POLLIN, .run = on_event};
    watch_arm(&takeover->watch, CONFIRM_MS);
    poll_thread_add(poll_thread, &takeover->watch);
    struct error error;
    control_send(takeover->connection, CONTROL_SERVING, &error); /* if that fails, there is no answer either */
}

void takeover_client_taken(struct takeover_client *takeover)
{
    struct error error;
    control_send(takeover->connection, CONTROL_TAKEN, &error); /* it may have ended */
}

enum takeover_client_state takeover_client_state(const struct takeover_client *takeover)
{
    return takeover->state;
}

void takeover_client_close(struct takeover_client *takeover)
{
    if (!takeover) {
        return;
    }
    if (takeover->poll_thread) {
        poll_thread_remove(takeover->poll_thread, &takeover->watch);
    }
    descriptor_close(&takeover->connection);
    descriptor_close(&takeover->state_lock);
    descriptor_close(&takeover->memory);
    descriptor_close(&takeover->metrics);
    descriptor_close(&takeover->process);
    free(takeover);
}
