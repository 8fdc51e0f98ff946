/* A call on a simulated server, from its arrival to its last byte: what is the same whatever is served. A server's own call
   begins with a struct served_call, so that a pointer to the one is a pointer to the other. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/error.h"

struct served_call;

/* What a server does at the end of each operation of a call; not good: it failed. */
typedef void served_step(struct served_call *call, bool good);

struct served_steps {
    served_step *arrived;
    served_step *received; /* the request, in request_buffer */
    served_step *sent;
    served_step *closed;                     /* it was answered, its caller has disconnected, or its deadline has passed */
    void (*clear)(struct served_call *call); /* releases what the server's own call has, before the call is freed */
};

/* What all calls of a server share. */
struct served_calls {
    const struct served_steps *steps;
    grpc_completion_queue *queue;
    struct served_call *timers; /* delayed calls, the earliest first */
    size_t alive;
};

/* An operation; its address is the tag on the completion queue. */
struct operation {
    served_step *done;
    struct served_call *call; /* NULL: it belongs to no call */
};

struct served_call {
    struct served_calls *all;
    grpc_call *grpc_call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    struct operation arrived, closed, received, sent;
    unsigned references; /* pending operations, including the timer */

    grpc_byte_buffer *request_buffer;
    grpc_slice request; /* empty until it was read */
    bool headers_sent;
    bool status_sent;
    bool over;       /* finished, or the caller has gone */
    bool unanswered; /* not in the journal yet, or only as pending */
    int cancelled;

    struct served_call *next_timer;
    gpr_timespec due;
    void (*on_time)(struct served_call *call);
};

/* Asks for the next call of the server. `call` is cleared memory from malloc, which goes over. */
void served_call_await(struct served_call *call, struct served_calls *all, grpc_server *server);

/* Waits for the end of a call that has arrived; or for its request. */
void served_call_watch(struct served_call *call);
void served_call_receive(struct served_call *call);

/* Sends the headers with the first batch, a message, and the status; NULL: without that. false: the library refuses. */
bool served_call_send(struct served_call *call, grpc_slice *message, enum status_code code, const grpc_slice *details);

/* Calls `on_time` then, unless the timers are dropped. */
void served_call_start_timer(struct served_call *call, unsigned milliseconds, void (*on_time)(struct served_call *call));

/* An event of the completion queue. */
void served_call_event(void *tag, bool good);

/* Continues the delayed calls that are due. */
void served_calls_run_timers(struct served_calls *all, gpr_timespec now);

/* The time when the next one is due, but not later than `latest`. */
gpr_timespec served_calls_next_timer(const struct served_calls *all, gpr_timespec latest);

/* Drops the delayed calls without an answer, at the end. */
void served_calls_drop_timers(struct served_calls *all);
