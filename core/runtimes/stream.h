/* The runtime's side of a streaming call: one request, then messages, which are read one by one. Messages that are not read stay
   with the runtime, except for what the transport buffers. */
#pragma once

#include <grpc/grpc.h>

#include "core/runtimes/runtime.h"
#include "core/transport/exchange.h"

/* Both run on the worker's thread. */
struct upstream_stream_callbacks {
    /* A message that was requested with upstream_stream_next. The upstream stream owns it, and frees it when this returns. */
    void (*message)(void *state, grpc_byte_buffer *message);
    /* The stream has ended with stream->exchange.status; nothing follows, and the upstream stream may be released. */
    void (*ended)(void *state);
};

/* How to open a stream. Everything is needed only until upstream_stream_start returns. */
struct upstream_stream_request {
    struct runtime *runtime;
    const char *path;        /* a string that is never freed, from the behaviour table */
    grpc_slice request;      /* borrowed */
    grpc_metadata *metadata; /* goes with the request */
    size_t metadata_count;
    gpr_timespec deadline; /* of the whole stream */
    int64_t budget;        /* milliseconds that each message may take after it was requested; 0: no limit */
    bool background;       /* the gateway's own: no caller waits for it */
    bool patient;          /* after this time, the runtime counts as hanging (runtime_hangs), and the stream continues */
};

/* What becomes of the messages. */
enum upstream_stream_state {
    STREAM_OPEN,        /* more may come */
    STREAM_ENDED,       /* the runtime has sent the last one */
    STREAM_CUT_SHORT,   /* cancelled here: what still comes is thrown away, and the status is never OK */
    STREAM_OVER_BUDGET, /* the same, because the runtime was too slow */
    STREAM_COMPRESSED,  /* the same, because a message was compressed */
};

/* Zero-initialised. Must stay in place until `ended` has run. */
struct upstream_stream {
    struct runtime *runtime;
    const char *method; /* the last part of the path */
    const struct upstream_stream_callbacks *callbacks;
    void *state;
    int64_t budget;
    bool background;
    bool patient;
    int64_t asked; /* for the last message, clock_ns() */
    uint64_t messages;

    struct exchange exchange;
    unsigned pending; /* batches that have not ended */
    enum upstream_stream_state reading;
    struct timer patience;
    struct completion received;
    struct completion closed;
};

/* Opens the stream. No message is read before it is requested. false: the transport refused; `ended` is not called, and there is
   nothing to release. */
bool upstream_stream_start(struct upstream_stream *stream, const struct upstream_stream_request *call,
                           const struct upstream_stream_callbacks *callbacks, void *state);

/* Requests the next message, after `message` has run for the one before. Leads to `message` or `ended`. */
void upstream_stream_next(struct upstream_stream *stream);

/* Cancels the stream: leads to `ended`, unless that has run. May be called at any time until upstream_stream_release. */
void upstream_stream_cancel(struct upstream_stream *stream);

/* After `ended`: the reason, if the gateway knows more than the status: a lost connection, a runtime that was replaced, that
   exceeded its budget or that compresses. The runtime's state is then updated. false, with `error` unchanged: the status is the
   runtime's own. */
bool upstream_stream_explain(const struct upstream_stream *stream, const char *method, struct error *error);

/* After `ended`; frees what the upstream stream holds. */
void upstream_stream_release(struct upstream_stream *stream);
