/* One runtime's events, for all who listen: its own stream where it has one, otherwise, or where that leaves out steps, what
   lists show from time to time. Whatever happens to the runtime, each step in the life of a pod or container is told once. Lives
   on the worker's thread.

       not ready ──ready──> LEARNING ──lists──> STREAMING ──does not stream──> COMPARING
           ^                    │                   │ ended: again after a while     │
           └──── not ready ─────┴───────────────────┴────────────────────────────────┘

   After the first time, LEARNING is left out: what was told is known. STREAMING begins with a look at the lists for what was
   missed since. */
#pragma once

#include "core/runtimes/runtime.h"
#include "translate/walk/node.h"

struct event_source;

/* What may change with a reload. */
struct event_source_settings {
    const struct node *node;
    size_t message_size;
    bool compose;      /* events of a runtime that does not stream */
    unsigned interval; /* milliseconds between its lists */
};

struct event_source_listener {
    void *state;
    struct event_source_settings (*settings)(void *state);
    /* Whether more can be told now. When not, event_source_go_on is called later. */
    bool (*has_room)(void *state);
    /* An event with the runtime's own ids, in that dialect. The bytes live as long as the arena. false: they are no event. */
    bool (*tell)(void *state, struct runtime *runtime, enum dialect dialect, struct bytes event, struct arena *arena,
                 struct error *error);
    /* event_source_may_stream has another answer. The watch must not be freed from here, nor from `tell`. */
    void (*changed)(void *state);
};

/* Begins as soon as the runtime is ready, which it keeps a reference to. The listener must outlive the watch. NULL: no memory. */
struct event_source *event_source_new(struct runtime *runtime, const struct event_source_listener *listener);

/* Ends the subscription too. */
void event_source_free(struct event_source *watch);

struct runtime *event_source_runtime(const struct event_source *watch);

/* The runtime is about to leave the map: tells what is known to have become of what it held. */
void event_source_last_look(struct event_source *watch);

/* The runtime became ready, or stopped being so. */
void event_source_runtime_changed(struct event_source *watch);

/* The settings have changed. */
void event_source_reconsider(struct event_source *watch);

/* There is room again. */
void event_source_go_on(struct event_source *watch);

/* Whether the runtime streams events, or may as far as is known. */
bool event_source_may_stream(const struct event_source *watch);
