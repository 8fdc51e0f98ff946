/* The calls and sockets of a simulated server: what is the same whatever is served, from a call's arrival to its last byte. One
   thread and one completion queue; a call that waits or hangs blocks no other. */
#pragma once

#include <grpc/grpc.h>
#include <json-c/json.h>

#include "base/bytes/error.h"
#include "translate/schema/schema.h"

struct served_call;

/* What a server does at the steps of a call. */
struct served_steps {
    size_t call_size; /* of the server's own struct, which begins with a struct served_call; it is cleared memory */
    /* The call has arrived. Whether its request is wanted; else the server has refused it. */
    bool (*arrived)(struct served_call *call);
    /* Its request is in `request`, if it has one (has_request). */
    void (*received)(struct served_call *call);
    /* What served_call_send was given is sent, or failed if the call is over by now. */
    void (*sent)(struct served_call *call);
    /* It was answered, its caller has disconnected, or its deadline has passed. */
    void (*closed)(struct served_call *call);
    /* Releases what the server's own struct has, before the call is freed. */
    void (*clear)(struct served_call *call);
};

/* An operation; its address is the tag on the completion queue. */
struct operation {
    void (*done)(struct served_call *call, bool good);
    struct served_call *call; /* NULL: it belongs to no call */
};

/* A socket with its server. */
struct served_socket {
    grpc_server *server;
    const char *path;         /* once it is bound */
    struct operation stopped; /* tag of its shutdown; no call belongs to it */
    struct served_socket *next;
};

/* What all calls of a process share. A server's own struct begins with it. */
struct served_calls {
    const struct served_steps *steps;
    grpc_completion_queue *queue;
    struct served_socket *sockets;
    struct served_call *timers; /* delayed calls, the earliest first */
    size_t alive;
};

struct served_call {
    struct served_calls *all;
    struct served_socket *socket;
    grpc_call *grpc_call;
    grpc_call_details details;
    grpc_metadata_array metadata;
    int64_t received_at; /* nanoseconds of the monotonic clock */
    int64_t timeout;     /* milliseconds that the caller gave, negative without a deadline */
    struct operation arrived, closed, received, sent;
    unsigned references; /* pending operations, including the timer */

    grpc_byte_buffer *request_buffer;
    grpc_slice request; /* empty until it was read */
    bool has_request;
    bool headers_sent;
    bool status_sent;
    bool over;       /* finished, or the caller has gone */
    bool unanswered; /* has a request, but is not in the journal yet, or only as pending */
    int cancelled;

    struct served_call *next_timer;
    gpr_timespec due;
    void (*on_time)(struct served_call *call);
};

/* Begins without a socket. Call served_calls_end at the end. */
void served_calls_begin(struct served_calls *all, const struct served_steps *steps);

/* Binds the cleared socket to the path, which is borrowed. false: as sim_server_bind. */
bool served_socket_bind(struct served_socket *socket, struct served_calls *all, const char *path, struct error *error);

/* Accepts calls. */
void served_socket_start(struct served_socket *socket, struct served_calls *all);

/* Waits until `latest`, or a fraction of a second, for an event; handles it, and continues the delayed calls that are due. */
void served_calls_step(struct served_calls *all, gpr_timespec latest);

/* Ends every call, delayed ones without an answer, then the servers, and removes the sockets. */
void served_calls_end(struct served_calls *all);

/* The path of the call's method, borrowed. */
struct bytes served_call_method(const struct served_call *call);

/* Sends the headers with the first batch, a message, and the status; NULL: without that. false: the library refuses. */
bool served_call_send(struct served_call *call, grpc_slice *message, enum status_code code, const grpc_slice *details);

/* Calls `on_time` then, unless the timers are dropped. */
void served_call_start_timer(struct served_call *call, unsigned milliseconds, void (*on_time)(struct served_call *call));

/* Adds what each line of a journal says of a call; the schema is that of its request, NULL if that is not known. */
void served_call_describe(const struct served_call *call, struct json_object *line, const struct schema_message *schema,
                          const char *code, const char *message);
