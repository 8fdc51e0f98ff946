/* The protocol in which a service reports to its service manager: datagrams of lines NAME=VALUE, to the Unix socket that the
   variable NOTIFY_SOCKET names, and the variables WATCHDOG_USEC and WATCHDOG_PID. sd_notify(3) and sd_watchdog_enabled(3) of
   systemd document it, for programs without its library, too. Safe from any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The socket that a value of NOTIFY_SOCKET names: an absolute path, or '@' and an abstract name. false for anything else: a name
   too long for a Unix socket, an empty one, sockets of other families ("vsock:"). */
bool notify_address(const char *text, struct sockaddr_un *address, socklen_t *size);

/* Sends one message, lines without a newline at the end; without NOTIFY_SOCKET, nothing. While the socket's queue is full, waits
   for the service manager to read, for a few seconds at most. A message that cannot be sent is lost; the first one is logged, and
   so is a NOTIFY_SOCKET that notify_address refuses. */
void notify_send(const char *message);

/* The same without waiting. false: the queue is full, and the message was not sent, which is not logged. */
bool notify_try(const char *message);

/* The interval in microseconds within which the service manager wants a sign of life from this process; 0: none. Values that make
   no sense count as none, and are logged the first time. */
uint64_t notify_watchdog(void);
