/* The socket that this process owns: bound by itself, passed by the service manager, or taken over from the process before. One
   process at a time owns it, by a lock file beside it. */
#ifndef CRIGATE_SOCKETS_LISTENING_SOCKET_H
#define CRIGATE_SOCKETS_LISTENING_SOCKET_H

#include <sys/types.h>
#include <sys/un.h>

#include "core/map/map.h"
#include "translate/error.h"

struct listening_socket {
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    int fd;         /* listens, does not block; -1: not owned (any more) */
    int lock;       /* holds the lock, which goes along with the descriptor to another process */
    bool activated; /* the service manager's: its file is not ours to change or to remove */
    bool shared;    /* another process may still be the owner; the file is not removed */
    dev_t device;   /* of the socket's file, to tell whether it is still ours */
    ino_t inode;
};

/* Takes the socket that the service manager passes, if any; else binds one with the mode and group that the map says, in place of
   a stale one. FAILED_PRECONDITION: another process owns it, or what is passed is another socket than the map's. */
bool listening_socket_open(struct listening_socket *socket, const struct runtime_map *map, struct error *error);

/* Takes descriptors that another process handed over, after a look at what they are. They are closed when they won't do. */
bool listening_socket_adopt(struct listening_socket *socket, const struct runtime_map *map, int fd, int lock, bool activated,
                            struct error *error);

/* Gives the socket's file the mode and group of another map of the same address. Those that the service manager made stay. */
bool listening_socket_apply_map(const struct listening_socket *socket, const struct runtime_map *map, struct error *error);

/* Lets go of the socket, which another process has taken over. */
void listening_socket_release(struct listening_socket *socket);

/* Nobody connects any more: who tries is told at once instead of waiting. The lock stays, so that no other process comes before
   this one has ended. */
void listening_socket_stop(struct listening_socket *socket);

/* Lets go of it, and removes its file if that is ours. */
void listening_socket_close(struct listening_socket *socket);

#endif
