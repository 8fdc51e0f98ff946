/* Finds missed events of a runtime: lists all its containers and pods, compares them with what was reported, and composes the
   missing events, with the statuses that kubelets need. */
#pragma once

#include "core/events/table.h"
#include "core/runtimes/runtime.h"
#include "translate/walk/node.h"

struct event_resync;

/* All run on the worker's thread. */
struct event_resync_listener {
    /* Whether events can be accepted now. If not, event_resync_go_on is called later. */
    bool (*has_room)(void *state);
    /* Something happened; report the stages that it implies. The parts have the runtime's own ids, and everything but stage and
       time; they and the arena are valid during the call only. */
    void (*tell)(void *state, const struct event_tale *tale, unsigned stages, const struct container_event_parts *parts,
                 struct arena *arena);
    /* It has ended and freed itself: with an error if a list failed. */
    void (*done)(void *state, const struct error *error);
};

struct event_resync_settings {
    struct runtime *runtime;
    struct event_table *table;
    const struct node *node;
    size_t message_size;
    bool silent; /* treat what lists show as reported: nobody listened before */
    /* Steps that were seen before, and must be reported together with what the lists show; copied. */
    const struct event_tale *heard;
    size_t heard_count;
};

/* Starts it; runtime and table must outlive it. NULL: out of memory. */
struct event_resync *event_resync_start(const struct event_resync_settings *settings,
                                        const struct event_resync_listener *listener, void *state);

/* For a runtime that cannot be queried: treats what was last seen of it as reported, because lists show the same meanwhile.
   false: nothing is known, or memory is short. `taken_at` is the time when it was seen, in the store's clock. */
bool event_resync_from_known(struct event_table *table, struct last_known *known, size_t message_size, int64_t *taken_at);

/* For a runtime that is removed from the map: reports at once, without asking it, the end of its pods as far as known, including
   `heard`, even if there is no room. Reports nothing unless it is known which pods it holds. `done` is not called. */
void event_resync_last_look(const struct event_resync_settings *settings, const struct event_resync_listener *listener,
                            void *state);

/* Call this when there is room again. */
void event_resync_go_on(struct event_resync *resync);

/* Ends it early, without further callbacks. The next resync finds what was not reported. */
void event_resync_cancel(struct event_resync *resync);
