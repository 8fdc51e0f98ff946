/* The asking side of the control socket. */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/bytes/error.h"
#include "core/control/protocol.h"

/* An answer as received. */
struct control_reply {
    char *line; /* without its end */
    int descriptors[CONTROL_DESCRIPTORS];
    size_t descriptor_count; /* set it to 0 to keep them from control_reply_release */
    bool cut_off;            /* more were sent, for which this process had no room */
};

/* For how many seconds an answer is waited for. A reload reads files, and before a takeover a process writes down its state. */
#define CONTROL_PATIENCE 5
#define CONTROL_LONG_PATIENCE 15

/* Connects to the control socket at that path. Sending and receiving wait for `patience` seconds at most, and so does connecting,
   but not for more than CONTROL_PATIENCE. The caller closes the descriptor. -1 with PERMISSION_DENIED: this user may not
   connect; UNAVAILABLE: no program listens there; DEADLINE_EXCEEDED: the process does not answer, and the message has its number
   and state, and what to do. */
int control_connect(const char *path, int patience, struct error *error);

/* Sends a request, given without the end of its line. false with UNAVAILABLE, or with DEADLINE_EXCEEDED as above. */
bool control_send(int connection, const char *line, struct error *error);

/* Waits for an answer. The caller releases it, even after false: UNAVAILABLE, or DEADLINE_EXCEEDED as above. */
bool control_receive(int connection, struct control_reply *reply, struct error *error);

/* Frees the line and closes the descriptors. */
void control_reply_release(struct control_reply *reply);

/* The object in an answer, which the caller owns. NULL: the error is that of a refusal, or INTERNAL when the line is not JSON
   object. */
struct json_object *control_parse(const char *line, struct error *error);

/* Whether an answer has that member and it is true. */
bool control_flag(struct json_object *answer, const char *name);

/* One request over a connection of its own; the result is that of control_parse. NULL with UNAVAILABLE: no answer arrived, which
   is clear after CONTROL_PATIENCE seconds, with a reload after CONTROL_LONG_PATIENCE. */
struct json_object *control_ask(const char *path, const char *line, struct error *error);

/* The same. `peer` gets the process that created the socket, as it is numbered here; 0: it lives outside of this PID namespace.
   If that is the PID that it reports (CONTROL_PID), both number processes the same way. */
struct json_object *control_ask_peer(const char *path, const char *line, pid_t *peer, struct error *error);
