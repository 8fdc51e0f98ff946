/* One runtime's events, for all listeners: from its own stream, or from periodic comparisons of its lists if it does not stream,
   or from both if its stream leaves out steps. Whatever happens to the runtime, each step in the life of a pod or container is
   reported once. Used on the worker's thread only.

       not ready ──ready──> LEARNING ──lists──> STREAMING ──does not stream──> COMPARING
           ^                    │                   │ ended: again after a while     │
           └──── not ready ─────┴───────────────────┴────────────────────────────────┘

   LEARNING happens only the first time: after that, the reported steps are known. STREAMING begins with a comparison of lists, to
   find what was missed. */
#pragma once

#include "core/runtimes/runtime.h"
#include "translate/walk/node.h"

struct event_source;

/* Settings that a reload may change. */
struct event_source_settings {
    const struct node *node;
    size_t message_size;
    bool compose;               /* events of a runtime that does not stream */
    const char *without_stream; /* what callers get of its events, for the log */
    unsigned interval;          /* milliseconds between its lists */
};

struct event_source_listener {
    void *state;
    struct event_source_settings (*settings)(void *state);
    /* Whether more events can be accepted now. If not, event_source_go_on is called later. */
    bool (*has_room)(void *state);
    /* An event with the runtime's own ids, in that dialect. The bytes live as long as the arena. false: they are not an event. */
    bool (*tell)(void *state, struct runtime *runtime, enum dialect dialect, struct bytes event, struct arena *arena,
                 struct error *error);
    /* The result of event_source_may_stream has changed. Do not free the source here, nor in `tell`. */
    void (*changed)(void *state);
};

/* Begins as soon as the runtime is ready, and holds a reference to the runtime. The listener must outlive the source. NULL: out
   of memory. */
struct event_source *event_source_new(struct runtime *runtime, const struct event_source_listener *listener);

/* Frees it, and ends its subscription. */
void event_source_free(struct event_source *source);

struct runtime *event_source_runtime(const struct event_source *source);

/* Call this before the runtime is removed from the map: reports the end of what it held, as far as known. */
void event_source_last_look(struct event_source *source);

/* Call this when the runtime has become ready, or is no longer ready. */
void event_source_runtime_changed(struct event_source *source);

/* Call this when the settings have changed. */
void event_source_reconsider(struct event_source *source);

/* Call this when there is room again. */
void event_source_go_on(struct event_source *source);

/* Whether the runtime streams events, or may do so as far as is known. */
bool event_source_may_stream(const struct event_source *source);
