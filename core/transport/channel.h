/* Calls to a socket. Reconnects forever: immediately if the last connection lasted for a second, else with a back-off of 0.1 to 1
   s. A connection counts once the peer has sent its SETTINGS, for which it has five seconds. If the peer asks for another
   connection (GOAWAY), the next call begins a new one, and calls in progress end on the old one.

   C core ends what it has to send only when the socket has taken it, even after the call was cancelled, and a runtime that does
   not read takes nothing. What is received ends by deadline and cancellation anyway: so that is all that a call, its budget and
   its memory depend on. So a call's request leaves in a batch of its own, which nobody waits for. What has not left yet is
   counted here, and refers to nothing but slices. Only a small request for which the socket always has room leaves in one batch
   with what is received, which costs less. */
#pragma once

#include <grpc/grpc.h>
#include <sys/un.h>

#include "core/loop/worker.h"
#include "core/transport/upstream_connection.h"

struct exchange;

enum channel_state {
    CHANNEL_CONNECTING, /* for the first time, or since the connection was lost */
    CHANNEL_UP,
    CHANNEL_FAILED, /* the last attempt to connect failed; the next one follows */
};

LIST_HEAD(upstream_connections, upstream_connection);

/* Zero-initialised. Only channel.c writes it. */
struct channel {
    struct worker *worker;
    char path[sizeof((struct sockaddr_un *)NULL)->sun_path + 1]; /* one that is too long stays so, and fails */
    size_t message_size;
    enum channel_state state;
    int error;                              /* FAILED: errno of the attempt */
    struct upstream_connection *connection; /* for new calls; NULL: none */
    struct upstream_connections all;        /* with those on which calls end */
    grpc_channel *absent;                   /* whose calls fail at once; NULL: not needed yet */
    int64_t connected;                      /* clock_ns(), when `connection` was */
    int64_t wait;                           /* milliseconds before the next attempt, if this one fails */
    unsigned live;                          /* connections that have not hung up */
    struct timer timer;                     /* for the next attempt, for SETTINGS, or to leave after GOAWAY */
    char why[UPSTREAM_WHY_SIZE];            /* see channel_ended_here */
    unsigned unsent;                        /* requests that the socket has not taken yet */
    uint64_t taken;                         /* requests that it has taken, from the beginning */
    struct completion sent;
    int (*connect)(struct channel *channel);  /* see channel_connect_by; NULL: to `path` */
    void (*changed)(struct channel *channel); /* `state` or `error` has; NULL: nobody wants to know */
    void (*drained)(struct channel *channel); /* once, after channel_close */
    bool closed;
};

/* Begins to connect to "unix:///path", for messages of up to `message_size` bytes. Both callbacks run on the worker's thread, and
   `changed` may be NULL. `drained` is called once after channel_close, when nothing points to the struct any more; until then it
   must live. */
void channel_open(struct channel *channel, const char *endpoint, size_t message_size, struct worker *worker,
                  void (*changed)(struct channel *channel), void (*drained)(struct channel *channel));

/* From now on, `connect` makes each connection: it returns a connected socket that does not block, or -1 with the reason in
   errno. It runs on the worker's thread, after `changed` for the connection before, and says by channel_lead_to where the socket
   leads. */
void channel_connect_by(struct channel *channel, int (*connect)(struct channel *channel));

/* The address by which the peer is named from now on, and connected to unless there is a function for that. */
void channel_lead_to(struct channel *channel, const char *endpoint);

/* Whether the connection is there at this moment. Unlike `state`, this is true no longer as soon as a call can have failed
   because the connection has ended. */
bool channel_is_up(const struct channel *channel);

/* Whether a connection was ended by crigate since the last query; `why` is what the peer did. */
bool channel_ended_here(struct channel *channel, char *why, size_t size);

/* Why the last attempt to connect failed, to be put behind "nothing answers at ENDPOINT": ": there is no such socket", or empty
   if there is no better word than that. */
const char *channel_failure(const struct channel *channel);

/* Begins a call to the method of that path. Without a connection, the call fails at once with UNAVAILABLE. `parent`: a server's
   call that passes its cancellation on, or NULL. */
void channel_call(struct channel *channel, struct exchange *exchange, grpc_call *parent, grpc_slice path, gpr_timespec deadline);

/* Sends the request of such a call, before anything of it is received: the metadata, the message and the end of the request. The
   arguments may be freed when it returns. false: the transport refused, and the call is cancelled. */
bool channel_send(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                  grpc_byte_buffer *message);

#define CHANNEL_SEND_OPS 3

/* The same for a call that receives everything in one batch: if the request leaves at once anyway, it writes the operations that
   send it to `ops`, and returns how many there are: they must be the first of that batch, started before anything else is done.
   Otherwise it does as channel_send and returns 0. */
size_t channel_send_with(struct channel *channel, grpc_call *call, grpc_metadata *metadata, size_t metadata_count,
                         grpc_byte_buffer *message, grpc_op ops[CHANNEL_SEND_OPS]);

/* Hangs up on a peer that does not read. What is to be sent to it fails, what has arrived can still be read, and the channel
   connects again. */
void channel_hang_up(struct channel *channel);

/* Ends the connection; calls in flight fail. A peer that does not read is hung up on, because C core would wait for it. Leads to
   `drained`, perhaps before it returns. */
void channel_close(struct channel *channel);
