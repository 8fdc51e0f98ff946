/* File descriptors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Closes it, unless it is -1, and makes it -1. */
void descriptor_close(int *descriptor);

/* Waits until one of the events of poll is there, or clock_ms() comes to `until`. 0, or an errno: ETIMEDOUT. */
int descriptor_wait(int descriptor, short events, int64_t until);

/* Whether it is the file of that path, and has the lock (flock) on it; takes the lock if no process has it. */
bool descriptor_locks(int descriptor, const char *path);

/* Whether it is a Unix stream socket that listens at that path. */
bool descriptor_listens(int descriptor, const char *path);

/* Binds a Unix socket to that path, with mode 0600 whatever the umask is, which other threads may use at the same moment. false
   with errno; ENAMETOOLONG if the path is too long for a socket. */
bool descriptor_bind(int descriptor, const char *path);

/* Whether no program uses the file of a Unix socket, so that it may be removed; even if the file is gone. Never blocks. false
   with errno: EADDRINUSE if a program has the socket, of any type, even if its queue is full; else why that is unknown. */
bool descriptor_is_stale(const char *path);

/* Closes a local variable's descriptor at the end of its scope. */
#define DESCRIPTOR_CLEANUP __attribute__((cleanup(descriptor_close)))
