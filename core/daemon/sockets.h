/* The process as a Unix service: the socket for callers, the control socket, signals and the service manager; who owns the socket
   while one process takes over from another. All of them run on the poll thread. */
#pragma once

#include "core/daemon/daemon.h"

/* Opens the sockets; another process cannot do so afterwards. With `take_over`, connects to the running process instead, whose
   socket is taken over later. The rest of the daemon is zero, except its `source`. SIGTERM, SIGINT, SIGHUP and SIGUSR1 must be
   blocked in all threads. The map is used until a takeover has ended. */
bool sockets_open(struct daemon *daemon, const struct runtime_map *map, bool take_over, struct error *error);

/* Their part in reports: state is the daemon, on the poll thread. */
extern const struct control_report sockets_reports[];

/* Accepts callers. With a takeover: once daemon.gateway_ready was written to, or after a few seconds. All else of the daemon has
   begun. */
bool sockets_start(struct daemon *daemon, struct error *error);

/* Closes them, even after sockets_open failed. After the worker has ended. */
void sockets_close(struct daemon *daemon);
