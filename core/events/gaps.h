/* What a runtime's stream of events is found to lack, and the events that have to wait until what they lack is filled in. Which
   runtime lacks what is learned from what comes: CRI-O 1.36 tells neither that pods are made and removed nor what becomes of
   their containers' statuses. For one thread; no clock, no I/O. */
#pragma once

#include "core/events/table.h"

/* So many events wait at most; beyond, no more should be read. */
#define EVENT_GAPS_MOST 1024

/* Zero-initialised: nothing is known. */
struct event_gaps {
    bool heard;               /* of anything */
    bool tells_made;          /* the stream has told by itself that a pod was created */
    bool tells_removed;       /* and that one was deleted */
    bool lacks_statuses;      /* an event of a container said no container's status */
    struct event_tale *tales; /* of events that wait, in the order in which they came */
    size_t count;
    size_t room;
};

void event_gaps_clear(struct event_gaps *gaps);

/* Learns from an event that came. `stages`, as of event_table_untold, is what it shows to have happened, and `stands` says that
   the stream would have told all of that. true: it shows that steps or statuses are lacking. */
bool event_gaps_learn(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event, unsigned stages,
                      bool stands);

/* Whether lists have to be looked at besides: the stream has not shown that it tells of pods that come and go. */
bool event_gaps_need_lists(const struct event_gaps *gaps);

/* Whether the event lacks statuses that kubelets want in it: it has none, and those of this runtime cannot be relied on to say so
   only of pods without containers. */
bool event_gaps_incomplete(const struct event_gaps *gaps, const struct container_event *event);

/* Has an event wait; what it says is copied. false: no memory. */
bool event_gaps_keep(struct event_gaps *gaps, enum id_kind kind, const struct container_event *event);

/* The first so many need not wait any more. */
void event_gaps_drop(struct event_gaps *gaps, size_t count);
