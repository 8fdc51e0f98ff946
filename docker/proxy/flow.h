/* One direction of a connection: bytes from one socket to another, through a buffer of bounded size. What has come waits in the
   buffer until it is passed on, or dropped. So a socket that takes bytes slowly keeps the other from sending more. */
#pragma once

#include <event2/event.h>
#include <event2/event_struct.h>

#include "base/system/buffer.h"

/* How much waits in a buffer at most: more than the largest head. */
#define FLOW_LARGEST ((size_t)128 * 1024)

/* One of both sockets. libevent reports each change of it once (EV_ET), so what it was is remembered. Zero-initialised except for
   `fd`, which is -1: not connected. */
struct flow_end {
    int fd;
    struct event reads;
    struct event writes; /* pending after a write that was cut short */
    bool readable;       /* a read may give something */
    bool writable;       /* a write may take something */
    bool closing;        /* the other side sends no more, once all is read */
    bool gone;           /* the other side neither sends nor takes any more */
};

/* Zero-initialised except for its ends: nothing has arrived. */
struct flow {
    struct flow_end *from;
    struct flow_end *to;
    struct buffer own; /* bytes of ours, sent before those in `data` */
    size_t own_sent;
    uint8_t *data; /* NULL: nothing waits */
    size_t capacity;
    size_t begin;  /* sent up to here */
    size_t passed; /* may be sent up to here */
    size_t end;    /* come up to here */
    bool ended;    /* no more will come */
    bool shut;     /* that was passed on */
    bool dead;     /* `to` takes no more; what waits was dropped */
};

/* Watches the socket; `run` is called with `state` for each change. false: out of memory. */
bool flow_end_open(struct flow_end *end, int fd, struct event_base *base, event_callback_fn run, void *state);

/* Notes what libevent has reported. */
void flow_end_note(struct flow_end *end, short happened);

/* Closes the socket; the end is as it was before. */
void flow_end_close(struct flow_end *end);

/* Reads once, if there is something to read and room for it. Returns whether anything changed. */
bool flow_fill(struct flow *flow);

/* Sends what may be sent, as far as the socket takes it. Returns whether anything changed. */
bool flow_drain(struct flow *flow);

/* What has come and was not passed on yet. Valid until the next call of any of these functions. */
static inline struct bytes flow_unread(const struct flow *flow)
{
    return bytes_of(flow->data ? flow->data + flow->passed : NULL, flow->end - flow->passed);
}

/* Has the first bytes of that sent. */
static inline void flow_pass(struct flow *flow, size_t count)
{
    flow->passed += count;
}

/* Has them dropped. Only while all that was passed on was sent. */
void flow_drop(struct flow *flow, size_t count);

/* Sends bytes of ours next, which it takes out of the buffer. Only while all that was passed on was sent. */
void flow_insert(struct flow *flow, struct buffer *bytes);

/* Sends bytes of ours behind what was passed on. Only while nothing else has arrived. false: out of memory. */
bool flow_add(struct flow *flow, struct bytes bytes);

/* Drops what has arrived and was not passed on, and all that comes later. */
void flow_cut(struct flow *flow);

/* Whether all that may be sent was sent. */
static inline bool flow_is_drained(const struct flow *flow)
{
    return flow->begin == flow->passed && flow->own_sent == flow->own.len;
}

/* Gives the memory back if nothing is in it. */
void flow_rest(struct flow *flow);

/* Drops all, as if nothing had come. */
void flow_clear(struct flow *flow);
