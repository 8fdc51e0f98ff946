/* The caller's side of a streaming call: sends messages one after another, as fast as the caller reads them.

   The producer checks downstream_has_room before it reads the next message from a runtime, and continues when `room` is called:
   so a slow caller slows the runtime, and the waiting messages stay within their limit. A message is freed as soon as it is sent.
   So no part of a message may be in the call's own arena, which lives until the stream's end: it must be a slice, or in an arena
   of its own. */
#pragma once

#include <grpc/grpc.h>

#include "core/calls/reply.h"

/* Callbacks to the producer. All run on the worker's thread. */
struct downstream_callbacks {
    /* There is room again, after downstream_has_room was false. */
    void (*room)(void *state);
    /* The caller has disconnected: further messages are dropped. Call downstream_end or downstream_fail once all operations for
       the stream have ended. May be called before downstream_start returns. */
    void (*gone)(void *state);
    /* The gateway stops. A stream without an end of its own must now fail with UNAVAILABLE, so that the caller connects to the
       next process. NULL: the stream ends by itself. May be called before downstream_start returns. */
    void (*stopping)(void *state);
};

/* The limit for waiting messages. More are accepted, but downstream_has_room returns false. */
struct downstream_bounds {
    size_t messages;
    size_t bytes;
    unsigned patience; /* milliseconds after which a caller that reads none of the waiting messages is disconnected. 0: never */
};

struct downstream_message;

/* Zero-initialised, in the memory of the call. Only downstream_stream.c writes it. */
struct downstream_stream {
    struct call *call;
    const struct downstream_callbacks *listener;
    void *state;
    struct downstream_bounds bounds;
    unsigned *streams; /* counts those with which it shares a limit */

    struct downstream_message *first, *last; /* the first one may be on its way */
    size_t messages;                         /* messages that wait or are being sent */
    size_t bytes;
    uint64_t sent;      /* messages that were sent */
    uint64_t sent_then; /* when patience was last checked */
    bool started;       /* the initial metadata is sent */
    bool sending;       /* a batch is under way */
    bool on_its_way;    /* with the first message in it */
    bool refused;       /* downstream_has_room has returned false */
    bool gone;          /* the caller has disconnected, or was disconnected */
    bool ended;         /* by the producer */
    bool status_sent;   /* or about to be */
    struct completion sending_ended;
    struct timer patience;

    grpc_status_code code;
    grpc_slice details;
    grpc_metadata_array trailing;
};

/* Begins the answer to a streaming call; from now on the downstream stream replies to it, and holds it until it has ended. The
   listener must outlive the call. false: RESOURCE_EXHAUSTED if as many calls stream as limits.streams allows; UNAVAILABLE if the
   gateway stops and the stream has no end. Nothing has begun then, and the caller must still reply to the call. */
bool downstream_start(struct downstream_stream *downstream, struct call *call, const struct downstream_bounds *bounds,
                      const struct downstream_callbacks *listener, void *state, struct error *error);

/* Sends the initial metadata now, not with the first message: it shows the caller that the stream is open. */
void downstream_open(struct downstream_stream *downstream);

/* Whether the producer should continue. If not, `room` is called once there is room. */
bool downstream_has_room(struct downstream_stream *downstream);

/* Adds a message and takes over the reference: to one slice, or to a buffer. */
void downstream_put(struct downstream_stream *downstream, grpc_slice message);
void downstream_put_buffer(struct downstream_stream *downstream, grpc_byte_buffer *buffer);

/* Ends the stream with code, details and trailing metadata of the reply. The metadata must live as long as the call. With OK, all
   messages are sent first; with a failure, waiting messages are dropped. Call this, or downstream_fail, once; the call may be
   freed when it returns. */
void downstream_end(struct downstream_stream *downstream, const struct reply *reply);

/* Ends the stream with a failure of the gateway's own, whose message gets the prefix "crigate: ". */
void downstream_fail(struct downstream_stream *downstream, const struct error *error);

/* Call these when the caller has disconnected, and when the gateway stops. */
void downstream_caller_gone(struct downstream_stream *downstream);
void downstream_stop(struct downstream_stream *downstream);
