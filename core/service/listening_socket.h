/* The socket that this process owns: bound by itself, passed by the service manager, or taken over from another process. One
   process at a time owns it, by a lock file beside it. */
#pragma once

#include <sys/types.h>
#include <sys/un.h>

#include "base/bytes/error.h"
#include "core/map/map.h"

struct listening_socket {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    int fd;         /* listens, does not block; -1: not owned */
    int lock;       /* holds the lock; handed over with the socket */
    bool activated; /* made by the service manager: its file must not be changed or removed */
    bool shared;    /* another process may still be the owner; the file is not removed */
    dev_t device;   /* of the socket's file, to check that it is still ours */
    ino_t inode;    /* 0: the file cannot be seen from here */
};

/* Takes that one of the `passed` sockets of the service manager (see passed.h). With 0, binds one with the mode and group of the
   entry, and replaces a stale one. FAILED_PRECONDITION: another process owns it, or it is none of those that were passed. */
bool listening_socket_open(struct listening_socket *socket, const struct map_socket *entry, int passed, struct error *error);

/* Checks and takes descriptors that another process handed over. Closes them when they are not the socket and its lock. */
bool listening_socket_adopt(struct listening_socket *socket, const struct map_socket *entry, int fd, int lock, bool activated,
                            struct error *error);

/* Gives the socket's file the mode and group of another map of the same address, unless the service manager made it, or it is no
   longer there. */
bool listening_socket_apply_map(const struct listening_socket *socket, const struct map_socket *entry, struct error *error);

/* Whether the socket's path still leads to it: nobody has removed or replaced its file. */
bool listening_socket_has_file(const struct listening_socket *socket);

/* Closes the socket, which another process has taken over, and leaves its file. */
void listening_socket_release(struct listening_socket *socket);

/* Refuses new connections at once, instead of letting them wait. Keeps the lock, so that no other process serves before this one
   has ended. */
void listening_socket_stop(struct listening_socket *socket);

/* Closes the socket and its lock, and removes its file if that is ours. */
void listening_socket_close(struct listening_socket *socket);
