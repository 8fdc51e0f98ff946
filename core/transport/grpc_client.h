/* One gRPC call to a server on a Unix socket, synchronously. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

struct client_metadata {
    struct bytes key;
    struct bytes value; /* of a "-bin" key the bytes themselves */
};

struct client_request {
    const char *endpoint; /* "unix:///run/containerd/containerd.sock" */
    const char *path;     /* "/runtime.v1.RuntimeService/Version" */
    unsigned timeout;     /* milliseconds; 0: wait forever */
    size_t max_message;   /* bytes; a bigger response ends the call */
    const struct client_metadata *metadata;
    size_t metadata_count;
    bool no_message; /* end the request without sending `message` */
    struct bytes message;
    /* Called for each message of the response; the bytes live until it returns. false cancels the call. */
    bool (*on_message)(void *state, struct bytes message);
    void *state;
};

/* How a call ended. */
struct client_status {
    enum status_code code;
    char *message; /* the caller's to free; NULL when there is none */
};

/* Whether key and value are valid metadata: keys in lower case, values printable unless the key ends in "-bin". */
bool client_metadata_is_legal(const struct client_metadata *metadata);

/* Makes the call and waits for its end. */
struct client_status client_run(const struct client_request *request);
