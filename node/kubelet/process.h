/* What /proc shows of a process. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/bytes/arena.h"

struct process {
    pid_t pid;
    pid_t parent;
    uid_t uid;           /* 0 only if all of its uids are: another user's process that runs a set-user-ID program is not root's */
    const char *program; /* path of the executable, without the kernel's mark for one that was deleted */
    const char *const *arguments;
    size_t argument_count;
    const char *unit;          /* the system service whose cgroup it is in; NULL without one */
    bool other_user_namespace; /* than this process; the same below */
    bool other_mount_namespace;
    bool other_pid_namespace;
    bool other_root; /* its root folder is a different one */
    bool other_etc;  /* what it sees as /etc is a different folder, or cannot be looked at */
};

/* Reads a process; strings live in the arena. false: it is not there (any more), it has no executable, it became another program
   meanwhile, or memory is short. */
bool process_read(pid_t pid, struct arena *arena, struct process *process);

/* Whether there is such a process, which has not ended. */
bool process_is_there(pid_t pid);

/* All processes that this one sees, in an array in the arena. NULL: out of memory, or no /proc. */
const pid_t *process_list(struct arena *arena, size_t *count);

/* The service in the text of /proc/PID/cgroup: the last part of systemd's path that ends in ".service"; NULL without one, and for
   services of users. Pure. */
const char *process_unit_of_cgroup(struct bytes text, struct arena *arena);
