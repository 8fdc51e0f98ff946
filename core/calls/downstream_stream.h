/* The caller's side of a streaming call: messages leave one after the other, as fast as the caller takes them.

   Whoever produces the messages looks at downstream_has_room before it takes the next one from a runtime, and goes on when `room`
   is called: so a slow caller slows the runtime, and what waits here stays within its bounds. A message's memory is let go as
   soon as it has left, so nothing of a message may lie in the call's own arena, which lives until the stream's end: it is a slice
   of its own, or of an arena that was made for it. */
#pragma once

#include <grpc/grpc.h>

#include "core/calls/reply.h"

/* What the producer hears. All run on the worker's thread. */
struct downstream_callbacks {
    /* There is room again, after downstream_has_room had said no. */
    void (*room)(void *state);
    /* The caller has left: what is put from now on goes nowhere. downstream_end or downstream_fail is still to be called, once
       everything that was begun for the stream is over. Perhaps called before downstream_start returns. */
    void (*gone)(void *state);
    /* The gateway stops. A stream without an end of its own fails now with UNAVAILABLE, so that the caller asks whoever serves
       next. NULL: the stream ends by itself. Perhaps called before downstream_start returns. */
    void (*stopping)(void *state);
};

/* What may wait for the caller. More is taken, but downstream_has_room says no. */
struct downstream_bounds {
    size_t messages;
    size_t bytes;
    unsigned patience; /* milliseconds for which a caller may take nothing of what waits; then it is cut off. 0: for ever */
};

struct downstream_message;

/* Zero-initialised, in the memory of the call. Only downstream_stream.c writes it. */
struct downstream_stream {
    struct call *call;
    const struct downstream_callbacks *listener;
    void *state;
    struct downstream_bounds bounds;

    struct downstream_message *first, *last; /* the first one may be on its way */
    size_t messages;                         /* that wait or are on their way */
    size_t bytes;
    uint64_t sent;      /* messages that have left */
    uint64_t sent_then; /* when patience was looked at */
    bool started;       /* the initial metadata is sent */
    bool sending;       /* a batch is under way */
    bool on_its_way;    /* with the first message in it */
    bool refused;       /* downstream_has_room said no */
    bool gone;          /* the caller has left, or was cut off */
    bool ended;         /* by the producer */
    bool status_sent;   /* or about to be */
    struct completion sending_ended;
    struct timer patience;

    grpc_status_code code;
    grpc_slice details;
    grpc_metadata_array trailing;
};

/* Begins the answer to a streaming call; from now on the downstream stream replies to it, and holds it until it has ended. The
   listener must outlive the call. false, with RESOURCE_EXHAUSTED when as many calls stream as limits.streams allows and
   UNAVAILABLE when the gateway stops and the stream has no end: nothing has begun, and the call is still to be replied to. */
bool downstream_start(struct downstream_stream *downstream, struct call *call, const struct downstream_bounds *bounds,
                      const struct downstream_callbacks *listener, void *state, struct error *error);

/* Sends the initial metadata now rather than with the first message: it tells the caller that the stream stands. */
void downstream_open(struct downstream_stream *downstream);

/* Whether the producer should go on. When not, `room` is called once there is. */
bool downstream_has_room(struct downstream_stream *downstream);

/* Adds a message and takes over the reference: to one slice, or to a buffer. */
void downstream_put(struct downstream_stream *downstream, grpc_slice message);
void downstream_put_buffer(struct downstream_stream *downstream, grpc_byte_buffer *message);

/* Ends the stream with the code, details and trailing metadata of the reply. The metadata must live as long as the call. With OK,
   all messages leave first; with a failure, those that have not left never do. To be called once, this or downstream_fail; the
   call may be gone when it returns. */
void downstream_end(struct downstream_stream *downstream, const struct reply *reply);

/* Ends the stream with a failure of the gateway's own; "crigate: " is put in front. */
void downstream_fail(struct downstream_stream *downstream, const struct error *error);

/* The caller has left; the gateway stops. */
void downstream_caller_gone(struct downstream_stream *downstream);
void downstream_stop(struct downstream_stream *downstream);
