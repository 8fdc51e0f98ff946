/* What the simulated runtime tells of its life-cycle events: to those who called GetContainerEvents, and to a journal of its own.
 */
#pragma once

#include "sim/call.h"

/* Events wait until the call that made them has been handled and its state is kept: who is told of something, or reads of it in
   the journal, can rely on it although the program is killed at any moment. */
struct events {
    struct calls *calls;
    FILE *journal; /* or NULL */
    struct json_object *waiting;
    struct json_object *kept; /* for those who come late; or NULL */
    struct flood *flood;      /* or NULL */
};

/* `journal` may be NULL. Writes into it what the runtime holds as it starts: {"id": ID, "pod": ID, "held": TYPE}, with the type
   of the last event that each pod and container has had, and {"start": true} at the end of
   them. */
void events_init(struct events *events, struct calls *calls, FILE *journal);

/* For the simulation. */
void events_take(void *state, enum event_type type, const struct pod *pod, const struct container *container);

/* Writes {"id": ID, "pod": ID, "type": TYPE} for each event that waits, and sends it. Of those that the runtime does not tell,
   it only writes. */
void events_flush(struct events *events);

/* Makes up as many events as the options ask for by now, as long as somebody takes them. */
void events_make_up(struct events *events, int64_t now);

/* When there is something to make up next; not later than `latest`. */
gpr_timespec events_next(const struct events *events, gpr_timespec latest);

/* Writes {"made_up": COUNT} if there were any. */
void events_clear(struct events *events);
