/* Other programs of the node, run without a shell. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

struct run_result {
    int status;            /* as of waitpid */
    struct bytes out;      /* standard output, in the arena, followed by a NUL; at most 1 MiB */
    const char *complaint; /* the last line of standard error, "" without one */
};

/* Runs a program from PATH (the usual system folders, not the caller's PATH) with standard input empty and the environment
   reduced to PATH, LANG=C and SYSTEMD_* settings that make output plain. `timeout` is in milliseconds: then it is killed with its
   children, and the result is DEADLINE_EXCEEDED. NOT_FOUND: there is no such program. A program that fails does not count as a
   failure here. */
bool run_program(const char *const *arguments, unsigned timeout, struct arena *arena, struct run_result *result,
                 struct error *error);

/* The path of the program that run_program would run for that name: the name itself if it is a path. false: there is none. */
bool run_find_program(const char *name, char *path, size_t size);

/* From now on systemctl does not ask itself whether it runs in a chroot, where it would do nothing: it would compare its root
   with that of process 1, and take another mount namespace with the same files for one. To be called once, with one thread. */
void run_outside_chroot(void);
