/* Collects the messages of a stream into one: a list that is too long for one message arrives as a stream of parts. */
#pragma once

#include "core/runtimes/stream.h"

/* Must stay in place until collect_release. */
struct collect {
    struct upstream_stream stream;
    size_t limit; /* for the messages, and for what keeps them */
    void (*ended)(struct collect *collect);
    grpc_slice *slices;
    size_t count;
    size_t room;
    size_t size; /* counted against the limit */
    bool too_long;
};

/* Use these as the callbacks of `stream`, with the struct as their state. `ended` runs when the stream has ended. */
extern const struct upstream_stream_callbacks collect_callbacks;

/* After `ended`: all messages joined; the caller destroys them. */
grpc_byte_buffer *collect_message(const struct collect *collect);

/* After `ended`; frees what was collected, and releases the stream. */
void collect_release(struct collect *collect);
