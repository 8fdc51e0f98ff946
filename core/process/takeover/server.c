#include "predecessor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/log.h"
#include "core/base/worker.h"

/* How long the other process may take from the descriptors to serving. Less than it waits for our last word, so that it never
   gives up on one that then leaves. */
#define PATIENCE_MS 5000
#define NANOSECONDS_A_MILLISECOND 1000000LL

static void on_closed(void *state)
{
    struct handover *handover = state;
    handover->with = NULL;
    log_line(LOG_SERIOUS, "handing over came to nothing: the other process did not get ready; this one goes on");
    handover->ended(handover->state, false);
}

static bool check_request(const struct handover *handover, const char *argument, struct error *error)
{
    struct listening_socket *socket = listener_socket(handover->listener);
    char *end;
    unsigned long version = strtoul(argument, &end, 10);
    if (version != HANDOVER_VERSION) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the running crigate " CRIGATE_VERSION
                         " hands over by version %d, not %.20s; stop it and start the new one",
                         HANDOVER_VERSION, argument);
    }
    const char *path = *end == ' ' ? end + 1 : end;
    if (strcmp(path, socket->path) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate listens on unix://%s, not on unix://%.108s",
                         socket->path, path);
    }
    if (handover->with) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate is handing over to process %ld already",
                         (long)control_peer(handover->with)->pid);
    }
    return socket->fd >= 0 && !socket->shared
               ? true
               : error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate does not own its socket");
}

void handover_begin(struct handover *handover, struct control_connection *connection, const char *argument)
{
    struct error error = {0};
    if (!check_request(handover, argument, &error) || !handover->before(handover->state, &error)) {
        log_line(LOG_SERIOUS, "process %ld may not take over: %s", (long)control_peer(connection)->pid, error.message);
        control_refuse(connection, &error);
        return;
    }
    struct listening_socket *socket = listener_socket(handover->listener);
    struct json_object *answer = json_object_new_object();
    json_object_object_add(answer, "takeover", json_object_new_int(HANDOVER_VERSION));
    json_object_object_add(answer, "version", json_object_new_string(CRIGATE_VERSION));
    json_object_object_add(answer, "activated", json_object_new_boolean(socket->activated));
    json_object_object_add(answer, "watchdog", json_object_new_int64((int64_t)handover->watchdog));
    log_line(LOG_SERIOUS, "handing over to process %ld", (long)control_peer(connection)->pid);
    handover->with = connection;
    handover->deadline = worker_now() + PATIENCE_MS * NANOSECONDS_A_MILLISECOND;
    control_expect(connection, PATIENCE_MS, on_closed, handover);
    control_answer_with(connection, answer, (const int[]){socket->fd, socket->lock, handover->state_lock}, 3);
}

/* The other process may have ended, or this one been stopped for a while, since it was written that it serves. */
static bool check_finish(const struct handover *handover, const struct control_connection *connection, struct error *error)
{
    if (handover->with != connection) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "nothing was handed over here");
    }
    if (worker_now() > handover->deadline || !control_is_there(connection)) {
        return error_set(error, STATUS_DEADLINE_EXCEEDED, "too late");
    }
    return true;
}

static void on_successor_gone(void *state)
{
    ((struct handover *)state)->successor = NULL;
}

void handover_finish(struct handover *handover, struct control_connection *connection)
{
    struct error error;
    if (!check_finish(handover, connection, &error)) {
        control_refuse(connection, &error);
        return;
    }
    log_line(LOG_SERIOUS, "process %ld has taken over; this one ends when its calls have ended",
             (long)control_peer(connection)->pid);
    handover->with = NULL;
    handover->successor = connection;
    control_keep(connection, on_successor_gone, handover);
    listener_pause(handover->listener);
    listening_socket_leave(listener_socket(handover->listener));
    struct json_object *answer = json_object_new_object();
    json_object_object_add(answer, "leaving", json_object_new_boolean(true));
    control_answer(connection, answer);
    handover->ended(handover->state, true);
}

void handover_quiet(struct handover *handover)
{
    if (handover->successor) {
        control_hang_up(handover->successor);
    }
}
