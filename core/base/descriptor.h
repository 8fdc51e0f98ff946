/* File descriptors. */
#pragma once

#include <stdbool.h>

/* Closes it, unless it is -1, and makes it -1. */
void descriptor_close(int *descriptor);

/* Whether it is the file of that path, and has the lock (flock) on it; takes the lock if nobody has it. */
bool descriptor_locks(int descriptor, const char *path);

/* Whether it is a Unix stream socket that listens at that path. */
bool descriptor_listens(int descriptor, const char *path);

/* Closes a local variable's descriptor at the end of its scope. */
#define DESCRIPTOR_CLEANUP __attribute__((cleanup(descriptor_close)))
