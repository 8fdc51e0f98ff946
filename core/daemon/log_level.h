/* Temporarily changes the level of the log, for `crigate log`, and ends the change in time. On the poll thread. */
#pragma once

#include "base/log/change.h"
#include "core/control/control.h"
#include "core/loop/poll_thread.h"

/* Zero-initialised except for the watch; see log_level_init. */
struct log_level_state {
    struct watch expiry;
};

/* The owner adds the watch to its poll thread. */
void log_level_init(struct log_level_state *log_level);

/* Puts a change in force and ends it in time; NULL: the level at the start is in force at once. */
void log_level_set(struct log_level_state *log_level, const struct log_change *change);

/* Answers a request: its argument is an object of log_change_to_json, "default" for the level that the process was started with,
   or "" to change nothing. A change is logged, with its peer. The answer is {"level": N, "change": {...}}: the level at the
   start, and the change in force, if there is one. Refused: INVALID_ARGUMENT; NOT_FOUND for a runtime that is not in the
   map, by what the reporters tell. */
void log_level_answer(struct log_level_state *log_level, struct control_connection *connection, const char *argument,
                      const struct control_reporter *reporters);
