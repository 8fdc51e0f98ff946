/* The arguments of `crigate call`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/options/options.h"
#include "core/transport/grpc_client.h"
#include "translate/schema/schema.h"

#define CALL_COMMAND_MAX_METADATA 64

extern const struct command_line call_command_line;

struct call_command_options {
    bool help;     /* only show how to use it */
    bool list;     /* only list the methods of the dialect */
    bool template; /* only print an example of the request */
    bool compact;  /* the response on one line */
    bool raw;      /* the response's bytes as received */
    bool no_message;
    enum dialect api;
    const char *endpoint;
    const char *raw_request; /* file with the request's bytes, or NULL */
    const char *method;
    const char *request; /* JSON, "-", "@FILE", or NULL */
    unsigned timeout;    /* milliseconds; 0: none */
    size_t max_message;  /* bytes */
    struct client_metadata metadata[CALL_COMMAND_MAX_METADATA];
    size_t metadata_count;
};

/* Reads the arguments. false after it has printed on stderr what is wrong. The options borrow from argv. */
bool call_command_options_read(struct call_command_options *options, int argc, char **argv);
