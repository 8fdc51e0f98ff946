/* The serving side of the control socket: lines in, JSON out, for `crigate status` and for a process that takes over. Open to
   root and the user of this process. What can be asked is handed in by the daemon. Size, number and time are bounded. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>

#include "base/bytes/error.h"
#include "core/control/protocol.h"
#include "core/control/report.h"
#include "core/loop/poll_thread.h"
#include "core/transport/peer.h"

#define CONTROL_CONNECTIONS 8 /* at a time; one more ends the one that has been silent for the longest time */
#define CONTROL_IDLE_MS 30000 /* that a connection may be silent, or leave an answer unread */

struct control;
struct control_connection;

/* A request by its name. */
struct control_request {
    const char *name;
    /* Runs on the poll thread; `argument` is the rest of the line after one space, or "". Must answer or refuse. */
    void (*run)(struct control_connection *connection, const char *argument, void *state);
};

/* Makes the socket in the folder, and replaces an older one: the caller owns the lock of the folder. `requests` ends with a NULL
   name; other requests are for reports. Both lists must live as long as the socket. The caller ends it with control_close. */
struct control *control_open(const char *folder, const struct control_request *requests, void *state,
                             const struct control_reporter *reporters, struct poll_thread *poll_thread, struct error *error);

/* Answers a request with one line; takes over the caller's reference. false: not enough memory for it, or for a part of it, so
   that the answer is that refusal, or the end of the connection. */
bool control_answer(struct control_connection *connection, struct json_object *answer);

/* The same with CONTROL_DESCRIPTORS descriptors at most, which stay the caller's. Either all of them go along, in that order, or
   nothing is answered: false with RESOURCE_EXHAUSTED, and the request must be answered or refused in another way. */
bool control_answer_with(struct control_connection *connection, struct json_object *answer, const int *descriptors, size_t count,
                         struct error *error);

/* {"error": MESSAGE, "code": "NOT_FOUND"} */
void control_refuse(struct control_connection *connection, const struct error *error);

/* The process that asks. */
const struct peer *control_peer(const struct control_connection *connection);

/* Whether the other side has not closed the connection yet. */
bool control_is_connected(const struct control_connection *connection);

/* Calls `closed` when the connection ends. It is closed when nothing comes for this many milliseconds; 0: it stays open. */
void control_on_close(struct control_connection *connection, unsigned milliseconds, void (*closed)(void *state), void *state);

/* The other side sees the end of what comes from here; what it sends still arrives, and is not answered. Not while one of its
   requests runs. */
void control_say_no_more(struct control_connection *connection);

/* Accepts no new connections, because another process does. Existing ones stay, and the socket's file too. */
void control_stop_accepting(struct control *control);

/* Ends all connections, and removes the socket if it is still ours. NULL is allowed. */
void control_close(struct control *control);
