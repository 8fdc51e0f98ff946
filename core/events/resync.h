/* Finds what was missed of a runtime's events: asks for all containers and pods, holds them against what was told, and composes
   the events in between with the statuses that kubelets want in them. */
#pragma once

#include "core/events/table.h"
#include "core/runtimes/runtime.h"
#include "translate/walk/node.h"

struct event_resync;

/* All run on the worker's thread. */
struct event_resync_listener {
    /* Whether events can be taken now. When not, event_resync_go_on is called later. */
    bool (*has_room)(void *state);
    /* Something happened; the stages that it implies are to be told. The parts have the runtime's own ids, and all but stage and
       time; they and the arena are valid during the call only. */
    void (*tell)(void *state, const struct event_tale *tale, unsigned stages, const struct container_event_parts *parts,
                 struct arena *arena);
    /* It is over, and gone: with an error when a list could not be had. */
    void (*done)(void *state, const struct error *error);
};

struct event_resync_settings {
    struct runtime *runtime;
    struct event_table *table;
    const struct node *node;
    size_t message_size;
    bool silent; /* what lists show counts as told: nobody listened before */
    /* What was heard of before, to be told with what lists show; copied. */
    const struct event_tale *heard;
    size_t heard_count;
};

/* Starts it; runtime and table must outlive it. NULL: no memory. */
struct event_resync *event_resync_start(const struct event_resync_settings *settings,
                                        const struct event_resync_listener *listener, void *state);

/* For a runtime that cannot be asked: what was last seen of it counts as told, as it is what lists show meanwhile. false: nothing
   is known, or there is no memory. `taken_at` is when it was seen, in the store's time. */
bool event_resync_from_known(struct event_table *table, struct last_known *known, size_t message_size, int64_t *taken_at);

/* For a runtime that leaves the map: tells at once, without asking it, what of its pods is gone by what is known of it, `heard`
   included, whether there is room or not. Nothing is told where it is not known that it holds no pods. `done` is not called. */
void event_resync_last_look(const struct event_resync_settings *settings, const struct event_resync_listener *listener,
                            void *state);

/* There is room again. */
void event_resync_go_on(struct event_resync *catch_up);

/* Ends it early; nobody is called any more. What was not told yet is found by the next one. */
void event_resync_cancel(struct event_resync *catch_up);
