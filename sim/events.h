/* Sends the simulated runtime's life-cycle events to callers of GetContainerEvents, and writes them to a journal of their own. */
#pragma once

#include "sim/call.h"

/* Events are held back until their call has been handled and its state is stored: anything that gets an event, or reads it in the
   journal, can rely on it even if the program is killed at any moment. */
struct events {
    struct calls *calls;
    FILE *journal; /* or NULL */
    struct json_object *waiting;
    struct json_object *kept; /* for late listeners; or NULL */
    struct flood *flood;      /* or NULL */
};

/* `journal` may be NULL. Writes the initial content of the runtime into it: {"id": ID, "pod": ID, "held": TYPE}, with the type of
   the last event of each pod and container, and {"start": true} at the end. */
void events_init(struct events *events, struct calls *calls, FILE *journal);

/* For the simulation. */
void events_take(void *state, enum event_type type, const struct pod *pod, const struct container *container);

/* Writes {"id": ID, "pod": ID, "type": TYPE} for each event that was held back, and sends it. Events that the runtime does not
   send are only written. */
void events_flush(struct events *events);

/* Makes up as many events as are due according to the options, as long as there is a listener. */
void events_make_up(struct events *events, int64_t now);

/* The time when the next made-up event is due. */
gpr_timespec events_next(const struct events *events);

/* Writes {"made_up": COUNT} if there were any. */
void events_clear(struct events *events);
