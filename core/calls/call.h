/* One call from its arrival to its reply: its data and its lifetime. */
#pragma once

#include <grpc/grpc.h>
#include <sys/queue.h>

#include "base/bytes/error.h"
#include "core/calls/server.h"
#include "core/runtimes/pull_queue.h"
#include "core/runtimes/request.h"
#include "core/runtimes/route.h"
#include "core/transport/peer.h"
#include "core/upstream/call.h"

/* The state of a call. */
enum call_state {
    CALL_ARRIVING,        /* waiting for a caller */
    CALL_RECEIVING,       /* waiting for the request's message */
    CALL_PARKED,          /* waiting for the primary, in its start-up grace, or for a first look at others */
    CALL_WAITING_TO_PULL, /* waiting until fewer pulls are under way */
    CALL_FINDING_OWNER,   /* waiting for runtimes to say whether they hold the request's id */
    CALL_ASKING,          /* waiting for runtimes */
    CALL_STREAMING,       /* a stream, between two messages */
    CALL_REPLYING,        /* waiting for the reply, or a message of a stream, to be sent */
};

struct call {
    struct call_server *server;
    struct request request;
    LIST_ENTRY(call) flight; /* in server->in_flight */
    uint64_t id;             /* among the calls of this process, the first is 1; a later call has a higher one */
    enum call_state state;
    unsigned holds; /* what has not ended yet; the call is freed when nothing holds it */

    grpc_call *server_call;
    struct caller *caller; /* over whose connection it came; NULL: not known */
    const char *program;   /* the caller's, for the audit file, in the arena; NULL: not looked up, or not to be seen from here */
    grpc_call_details details;
    bool begin_logged; /* with the request */
    bool came_back;    /* it has passed through this process before */
    bool is_of_health; /* and not of CRI */
    bool is_apart;     /* it came on another socket than the first */
    struct completion arrived;
    struct completion message_received;
    struct completion caller_gone;
    struct completion replied;
    LIST_ENTRY(call) park; /* in server->parked */

    struct route route;
    bool nobody_holds_id;        /* a search has shown that */
    struct pull pull;            /* among those of its runtime */
    struct owner_search *search; /* of find_owner.h, while it is under way */
    unsigned beginning_slot;     /* the runtime that has the only id that begins with request.beginning */
    struct upstream_owner upstream_owner;
    struct upstream_call *upstream_calls; /* one a target */
    size_t unanswered;                    /* upstream calls that have not ended */
    struct downstream_stream *downstream; /* while the reply is a stream; NULL otherwise */
    uint64_t messages_sent;               /* of that stream; or about to be cancelled */
    struct list_stream *list_stream;
    int64_t started;        /* clock_ns() */
    bool counted;           /* among those that have ended */
    int64_t replying_since; /* the same; in CALL_REPLYING, unless it streams */
    bool given_up;          /* cancelled, because memory is short */
    size_t unread;          /* bytes of the answer, in that state, unless it was cancelled */
};

/* A call that has not arrived yet, with one hold on it. NULL: out of memory. */
struct call *call_new(struct call_server *server);

/* Parts from what has arrived, which gets no reply, so that the struct can take another call. */
void call_clear(struct call *call);

/* The call has arrived: it is counted, and runs under the generation in force. */
void call_enlist(struct call *call);

/* The call goes on under another generation. */
void call_move_on(struct call *call, struct generation *generation);

/* The socket that its caller has connected to, as the generation's map has it. NULL: it is not known, or has gone from that map.
 */
const struct map_socket *call_socket(const struct call *call);

/* Who makes the call, as long as the call lasts; NULL: not known. */
const struct peer *call_caller(const struct call *call);

/* Counts a call that ends with its code and duration, under the one runtime that it went to; once, whatever comes later. */
void call_count(struct call *call, enum status_code code);

/* Keeps the call alive for an operation that ends later, and releases it. The last call_drop frees the call. */
void call_hold(struct call *call);
void call_drop(struct call *call);

/* Starts a batch of the server's side, and holds the call until `completion` has run, which must drop it. false: it did not
   start. */
bool call_start_batch(struct call *call, const grpc_op *ops, size_t count, struct completion *completion);

/* An arena for data that is freed before the call, under the same cap as the call's own; NULL when out of memory. */
struct arena *call_new_arena(const struct call *call);
