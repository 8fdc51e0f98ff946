/* The socket on which metrics are served: opened, taken over, closed. */
#pragma once

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "base/bytes/error.h"

/* Where to listen. Plain data. */
struct metrics_address {
    struct sockaddr_storage address; /* of a Unix socket, or of TCP over IPv4 or IPv6 */
    socklen_t length;                /* 0: nowhere */
    mode_t mode;                     /* of a Unix socket's file */
    gid_t group;                     /* likewise; (gid_t)-1: as it is */
};

struct metrics_endpoint {
    struct metrics_address at;
    int fd;       /* -1: not open */
    dev_t device; /* of a Unix socket's file, to check that it is still ours */
    ino_t inode;
};

/* "unix:///run/x.sock", "127.0.0.1:9464" or "[::1]:9464", for people. */
struct metrics_address_text {
    char text[sizeof(struct sockaddr_storage) + 16];
};
struct metrics_address_text metrics_address_text(const struct metrics_address *at);

bool metrics_address_equal(const struct metrics_address *a, const struct metrics_address *b);

/* Listens there, and replaces the file of a Unix socket on which no program listens. Nobody can connect before mode and group are
   set. UNAVAILABLE, or FAILED_PRECONDITION when another program has the address; the endpoint is closed then. */
bool metrics_endpoint_open(struct metrics_endpoint *endpoint, const struct metrics_address *at, struct error *error);

/* Takes a socket from another process, if it listens at that address; closes it otherwise. */
bool metrics_endpoint_adopt(struct metrics_endpoint *endpoint, const struct metrics_address *at, int fd);

/* Gives a Unix socket's file another mode and group. */
bool metrics_endpoint_set_mode(const struct metrics_endpoint *endpoint, const struct metrics_address *at, struct error *error);

/* Closes it; and, unless another process has it as well, removes a Unix socket's file that is still ours. Nothing if it is not
   open. */
void metrics_endpoint_close(struct metrics_endpoint *endpoint, bool shared);
