/* The names of other processes, and their states. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* Writes the name of the program that a process of this PID namespace runs: the last part of its executable's path, or, where
   that may not be read, what the process calls itself (proc(5), comm). "" if there is no such process, or it cannot be seen.
   Bytes that are not printable ASCII become "?". */
void process_name(pid_t pid, char *name, size_t size);

/* The state of a process as the kernel has it (proc(5), stat): 'R' runs, 'S' sleeps, 'D' waits for a disk, 'T' is stopped, 't' is
   held by a debugger, 'Z' has ended. 0: there is no such process, or it cannot be seen. */
char process_state(pid_t pid);
