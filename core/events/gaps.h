/* Detects what a runtime's stream of events lacks, and holds the events that must wait until the gap is filled. It learns from
   the events: CRI-O 1.36, for example, reports neither created and deleted pods nor the statuses of their containers. For one
   thread; no clock, no I/O. */
#pragma once

#include "core/events/table.h"

/* The largest number of waiting events; at that number, stop reading. */
#define EVENT_GAPS_MOST 1024

/* Zero-initialised: nothing is known. */
struct event_gaps {
    bool heard;               /* of anything */
    bool tells_made;          /* the stream itself has reported that a pod was created */
    bool tells_removed;       /* the same for a deleted pod */
    bool lacks_statuses;      /* an event of a container had no container's status */
    struct event_tale *tales; /* events that wait, in the order of arrival */
    size_t count;
    size_t room;
};

void event_gaps_clear(struct event_gaps *gaps);

/* Learns from an event. `stages`, as from event_table_untold, are the steps that it shows to have happened. `stands`: the stream
   existed then, so it should have reported all of them. true: the event shows that steps or statuses are missing. */
bool event_gaps_learn(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event, unsigned stages,
                      bool stands);

/* Whether crigate must also compare lists: the stream has not yet shown that it reports created and deleted pods. */
bool event_gaps_need_lists(const struct event_gaps *gaps);

/* Whether the event lacks statuses that kubelets need: it has none, and this runtime leaves them out even for pods that have
   containers. */
bool event_gaps_incomplete(const struct event_gaps *gaps, const struct container_event *event);

/* Queues an event; its content is copied. false: out of memory. */
bool event_gaps_keep(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event);

/* Removes the first `count` waiting events. */
void event_gaps_drop(struct event_gaps *gaps, size_t count);
