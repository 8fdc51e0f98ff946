/* A subscription to one runtime's events. After event_stream_cancel, it lives on until its call has ended. Used on the worker's
   thread only. */
#pragma once

#include "base/bytes/arena.h"
#include "core/runtimes/runtime.h"
#include "translate/schema/method.h"

struct event_stream;

/* How one ended. */
struct event_stream_end {
    bool explained; /* the connection or the runtime was lost, which is logged elsewhere; else the status is the runtime's own */
    enum status_code status;
    struct bytes details;
    bool at_once; /* it ended soon, and without a message */
};

struct event_stream_listener {
    /* Whether the next message may be read. If not, event_stream_go_on is called later. */
    bool (*may_read)(void *state);
    /* A message. The bytes and the arena are valid during the call only. */
    void (*message)(void *state, struct bytes message, struct arena *arena);
    /* A message arrived, but memory is short. */
    void (*lost)(void *state);
    /* It has ended; it is freed when this returns. */
    void (*ended)(void *state, const struct event_stream_end *end);
};

/* The RPC GetContainerEvents. */
const struct method *event_stream_method(void);

/* Subscribes, with a limit for the size of a message. NULL: out of memory, or the transport refused; there are no callbacks then.
 */
struct event_stream *event_stream_open(struct runtime *runtime, size_t message_size, const struct event_stream_listener *listener,
                                       void *state);

/* Call this when messages may be read again. */
void event_stream_go_on(struct event_stream *stream);

/* Ends the subscription, without further callbacks. */
void event_stream_cancel(struct event_stream *stream);
