/* A subscription to one runtime's events. It outlives whoever made it until it has ended. Lives on the worker's thread. */
#pragma once

#include "core/runtimes/runtime.h"
#include "translate/bytes/arena.h"
#include "translate/schema/method.h"

struct event_stream;

/* How one ended. */
struct event_stream_end {
    bool explained; /* the connection or the runtime was lost, which is told elsewhere; else the status is the runtime's own word
                     */
    enum status_code status;
    struct bytes details;
    bool at_once; /* soon, and without a message */
};

struct event_stream_listener {
    /* Whether the next message may be read. When not, event_stream_go_on is called later. */
    bool (*may_read)(void *state);
    /* A message. The bytes and the arena are valid during the call only. */
    void (*message)(void *state, struct bytes message, struct arena *arena);
    /* There was one, for which there is no memory. */
    void (*lost)(void *state);
    /* It has ended, and is gone when this returns. */
    void (*ended)(void *state, const struct event_stream_end *end);
};

/* The RPC. */
const struct method *event_stream_method(void);

/* Subscribes, to messages of at most so many bytes. NULL: no memory, or the transport refused; nobody is called then. */
struct event_stream *event_stream_open(struct runtime *runtime, size_t message_size, const struct event_stream_listener *listener,
                                       void *state);

/* Messages may be read again. */
void event_stream_go_on(struct event_stream *stream);

/* Nobody wants it any more, and nobody is called. */
void event_stream_cancel(struct event_stream *stream);
