#include "core/daemon/takeover_server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/change.h"
#include "base/log/log.h"
#include "base/system/clock.h"

/* How long the other process may take from the descriptors to serving. Less than it waits for our answer, so that it does not
   give up on a process that then hands over. */
#define PATIENCE_MS 5000

static void change(struct takeover_server *takeover_server, enum takeover_server_state next)
{
    enum takeover_server_state before = takeover_server->state;
    takeover_server->state = next;
    takeover_server->changed(takeover_server->owner, before);
}

/* The other process hung up, has ended, or is late. */
static void on_gone(void *state)
{
    struct takeover_server *takeover_server = state;
    takeover_server->other = NULL;
    switch (takeover_server->state) {
    case TAKEOVER_SERVER_OFFERED:
        log_line(LOG_SERIOUS, "the takeover failed: the other process did not become ready; this one keeps serving");
        change(takeover_server, TAKEOVER_SERVER_SERVES);
        break;
    case TAKEOVER_SERVER_HANDED_OVER:
    case TAKEOVER_SERVER_DRAINED:
        change(takeover_server, TAKEOVER_SERVER_LOST);
        break;
    case TAKEOVER_SERVER_SERVES:
    case TAKEOVER_SERVER_TAKEN:
    case TAKEOVER_SERVER_LOST:
        break;
    }
}

static bool check_request(const struct takeover_server *takeover_server, const char *argument, struct error *error)
{
    struct listening_socket *socket = listener_socket(takeover_server->listener);
    char *end;
    unsigned long version = strtoul(argument, &end, 10);
    if (version != CONTROL_TAKEOVER_VERSION) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the running crigate " CRIGATE_VERSION
                         " speaks takeover version %d, not %lu; stop it and start the new one",
                         CONTROL_TAKEOVER_VERSION, version);
    }
    const char *path = *end == ' ' ? end + 1 : end;
    if (strcmp(path, socket->path) != 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate listens on unix://%s, not on unix://%.108s",
                         socket->path, path);
    }
    if (takeover_server->state == TAKEOVER_SERVER_OFFERED) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate is already handing over to process %ld",
                         (long)control_peer(takeover_server->other)->pid);
    }
    return takeover_server->state == TAKEOVER_SERVER_SERVES && socket->fd >= 0 && !socket->shared
               ? true
               : error_set(error, STATUS_FAILED_PRECONDITION, "the running crigate does not own its socket");
}

static struct json_object *describe_offer(const struct takeover_server *takeover_server)
{
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_TAKEOVER, json_object_new_int(CONTROL_TAKEOVER_VERSION));
    json_add(answer, "version", json_object_new_string(CRIGATE_VERSION));
    json_add(answer, CONTROL_ACTIVATED, json_object_new_boolean(listener_socket(takeover_server->listener)->activated));
    json_add(answer, CONTROL_WATCHDOG, json_object_new_int64((int64_t)takeover_server->watchdog));
    struct log_change change;
    if (log_change_get(&change)) {
        json_add(answer, CONTROL_LOG_CHANGE, log_change_to_json(&change));
    }
    return answer;
}

/* The other process knows each descriptor by its place. In that of a lock of the state folder that this process does not have,
   it gets a different one, which it sees is not that, and then locks the folder itself. */
static bool send_offer(const struct takeover_server *takeover_server, struct control_connection *connection, int memory,
                       struct error *error)
{
    const struct listening_socket *socket = listener_socket(takeover_server->listener);
    int state_lock = takeover_server->state_lock >= 0 ? takeover_server->state_lock : socket->lock;
    const int descriptors[] = {socket->fd, socket->lock, state_lock, memory};
    return control_answer_with(connection, describe_offer(takeover_server), descriptors, memory >= 0 ? 4 : 3, error);
}

void takeover_server_begin(struct takeover_server *takeover_server, struct control_connection *connection, const char *argument)
{
    struct error error = {0};
    int memory = -1;
    if (!check_request(takeover_server, argument, &error) || !takeover_server->prepare(takeover_server->owner, &memory, &error)) {
        log_line(LOG_SERIOUS, "process %ld may not take over: %s", (long)control_peer(connection)->pid, error.message);
        control_refuse(connection, &error);
        return;
    }
    if (!send_offer(takeover_server, connection, memory, &error)) {
        log_line(LOG_SERIOUS, "process %ld may not take over: %s", (long)control_peer(connection)->pid, error.message);
        control_refuse(connection, &error);
        takeover_server->changed(takeover_server->owner, TAKEOVER_SERVER_OFFERED); /* what was prepared is taken back */
        return;
    }
    log_notice("handing over to process %ld", (long)control_peer(connection)->pid);
    takeover_server->state = TAKEOVER_SERVER_OFFERED;
    takeover_server->other = connection;
    takeover_server->deadline = clock_ns() + PATIENCE_MS * NANOSECONDS_A_MILLISECOND;
    control_on_close(connection, PATIENCE_MS, on_gone, takeover_server);
}

bool takeover_server_is_offered_to(const struct takeover_server *takeover_server, const struct control_connection *connection)
{
    return takeover_server->state == TAKEOVER_SERVER_OFFERED && takeover_server->other == connection;
}

/* The other process may have ended, or this one may have been stopped for a while, since the request was sent. */
static bool check_finish(const struct takeover_server *takeover_server, const struct control_connection *connection,
                         struct error *error)
{
    if (!takeover_server_is_offered_to(takeover_server, connection)) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "nothing was handed over on this connection");
    }
    if (clock_ns() > takeover_server->deadline || !control_is_connected(connection)) {
        return error_set(error, STATUS_DEADLINE_EXCEEDED, "too late");
    }
    return true;
}

void takeover_server_finish(struct takeover_server *takeover_server, struct control_connection *connection)
{
    struct error error;
    if (!check_finish(takeover_server, connection, &error)) {
        control_refuse(connection, &error);
        return;
    }
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_LEAVING, json_object_new_boolean(true));
    if (!control_answer(connection, answer)) {
        return; /* the other process is told that there is no memory, and ends */
    }
    log_notice("process %ld has taken over; this one exits when its calls have ended", (long)control_peer(connection)->pid);
    control_on_close(connection, 0, on_gone, takeover_server);
    listener_pause(takeover_server->listener);
    listening_socket_release(listener_socket(takeover_server->listener));
    change(takeover_server, TAKEOVER_SERVER_HANDED_OVER);
}

void takeover_server_drained(struct takeover_server *takeover_server)
{
    if (takeover_server->state == TAKEOVER_SERVER_HANDED_OVER) {
        change(takeover_server, TAKEOVER_SERVER_DRAINED);
        control_say_no_more(takeover_server->other);
    }
}

void takeover_server_taken(struct takeover_server *takeover_server, struct control_connection *connection)
{
    if (takeover_server->state == TAKEOVER_SERVER_DRAINED && takeover_server->other == connection) {
        change(takeover_server, TAKEOVER_SERVER_TAKEN);
    }
    control_answer(connection, json_object_new_object());
}
