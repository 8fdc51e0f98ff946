/* One gRPC call to a server on a Unix socket, waited for until it ends. */
#ifndef CRIGATE_CORE_CALL_CLIENT_H
#define CRIGATE_CORE_CALL_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#include "translate/bytes.h"
#include "translate/error.h"

struct call_metadata {
    struct bytes key;
    struct bytes value; /* of a "-bin" key the bytes themselves */
};

struct call_client {
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    const char *path;     /* "/runtime.v1.RuntimeService/Version" */
    unsigned timeout;     /* milliseconds; 0: wait for ever */
    size_t max_message;   /* bytes; a bigger response ends the call */
    const struct call_metadata *metadata;
    size_t metadata_count;
    bool no_message; /* end the request without sending one */
    struct bytes request;
    /* Called for each message of the response; the bytes live until it returns. false cancels the call. */
    bool (*on_message)(void *state, struct bytes message);
    void *state;
};

/* How a call ended. */
struct call_status {
    enum status_code code;
    char *message; /* the caller's to free; NULL when there is none */
};

/* Whether key and value may travel as metadata: keys in lower case, values printable unless the key ends in "-bin". */
bool call_metadata_is_legal(const struct call_metadata *metadata);

/* Makes the call and waits for its end. */
struct call_status call_client_run(const struct call_client *client);

#endif
