/* The six functions that fair_reading.c defines in the system's place, as they are without it: with the system's own parameters,
   results and errno.

   They go to the kernel by its numbers, so that one object file works in a static program, in which no second function of a name
   can be, and in a dynamic one. Unlike the system's they are no points where a thread can be cancelled: no thread of these
   programs ever is. Sanitizers have functions of their own in the same places, to see what is read and written: with these, the
   next definition after the program's is called. */
#pragma once

#include <stddef.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

/* Each one's name, result, parameters, and the call of the kernel. */
#define SYSTEM_CALLS(EACH)                                                                                                       \
    EACH(recvmsg, ssize_t, (int fd, struct msghdr *message, int flags), (SYS_recvmsg, fd, message, flags))                       \
    EACH(sendmsg, ssize_t, (int fd, const struct msghdr *message, int flags), (SYS_sendmsg, fd, message, flags))                 \
    EACH(epoll_ctl, int, (int epoll, int operation, int fd, struct epoll_event *event),                                          \
         (SYS_epoll_ctl, epoll, operation, fd, event))                                                                           \
    EACH(epoll_wait, int, (int epoll, struct epoll_event *events, int most, int milliseconds),                                   \
         (SYS_epoll_pwait, epoll, events, most, milliseconds, NULL, (size_t)0))                                                  \
    EACH(shutdown, int, (int fd, int how), (SYS_shutdown, fd, how))                                                              \
    EACH(close, int, (int fd), (SYS_close, fd))

#ifdef CRIGATE_SANITIZED

/* Whom the rest of the program calls: with the address and undefined-behaviour sanitizers theirs, with the thread sanitizer the
   kernel, but for `close`: that a descriptor is closed, the sanitizer must know. */
#define SYSTEM_CALL(name, result, parameters, by_kernel) extern result(*system_##name) parameters;

/* Finds them. It runs before main; a library that opens or closes something before that calls it itself. */
void system_calls_find(void);

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer must not see what C core does with descriptors and their bytes, because it does not see the order in which
   C core's threads do it. It must see what this program does: own code, by the address that a function returns to, goes to these.
 */
#define NEXT_CALL(name, result, parameters, by_kernel) extern result(*next_##name) parameters;
SYSTEM_CALLS(NEXT_CALL)
#undef NEXT_CALL
#endif

#else

#define SYSTEM_CALL(name, result, parameters, by_kernel) result system_##name parameters;

#define system_calls_find() ((void)0)

#endif

SYSTEM_CALLS(SYSTEM_CALL)
#undef SYSTEM_CALL
