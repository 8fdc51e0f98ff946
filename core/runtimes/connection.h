/* The connection to a runtime, or to its image service. It is tried forever. */
#pragma once

#include "base/bytes/error.h"
#include "core/map/map.h"
#include "core/map/socket.h"
#include "core/transport/channel.h"

struct connection;

/* They run on the worker's thread. */
struct connection_callbacks {
    /* `docker` leads to a different socket than before, or to the first one: whether it may. If not, the error says why, and the
       socket before is the only one that is connected to. */
    bool (*may_move)(struct connection *connection, const struct docker_candidate *to, struct error *error);
    void (*changed)(struct connection *connection); /* the state of connection->channel has changed */
    void (*closed)(struct connection *connection);  /* once, after connection_close: nothing points to the struct any more */
};

struct connection {
    struct channel channel;
    const struct connection_callbacks *callbacks;
    bool to_docker;                        /* the endpoint is DOCKER_ENDPOINT, resolved before each connection */
    const struct docker_candidate *docker; /* where that leads, or led last; NULL: not known yet, or the endpoint is an address */
    struct error docker_stays;             /* why it is not elsewhere, as logged; STATUS_OK: it need not be */
    char docker_failure[ERROR_MESSAGE_SIZE]; /* why there is no socket, as connection_failure returns it */
    struct completion closing_begun;
    unsigned closing; /* parts that have not ended yet, after connection_close; 0 before */
};

/* Starts connecting to the endpoint of the entry, for messages of up to `message_size` bytes. The worker must outlive the
   connection. */
void connection_open(struct connection *connection, const struct runtime_entry *entry, size_t message_size, struct worker *worker,
                     const struct connection_callbacks *callbacks);

/* `docker` led there for a process before, or still does: so it continues there. For a new connection, or one for which that may
   have changed. */
void connection_was_at(struct connection *connection, const struct docker_candidate *place);

/* Whether it is there at this moment. */
bool connection_is_up(const struct connection *connection);

/* Why the last attempt to connect failed, to be put after "nothing answers at ENDPOINT": ": there is no such socket", or empty if
   there is no better word than that. For `docker`, ": " and what to do. */
const char *connection_failure(const struct connection *connection);

/* Ends the connection; calls in flight fail. Leads to `closed` later. */
void connection_close(struct connection *connection);
