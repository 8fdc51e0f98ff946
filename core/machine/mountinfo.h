/* The mounts that this process sees, as the kernel lists them in /proc/self/mountinfo. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct mount {
    dev_t device;           /* st_dev of files there; major 0: no block device, or a filesystem over several */
    const char *root;       /* the directory of the filesystem that is mounted; "/" for the whole */
    const char *mountpoint; /* where, seen from this process's root */
    const char *type;       /* of the filesystem: "ext4" */
    const char *source;     /* "/dev/sda1", "overlay", … */
};

/* Strings live as long as this. */
struct mountinfo {
    char *text;
    struct mount *mounts; /* in the kernel's order: what is mounted over something comes after it */
    size_t count;
};

/* Reads a file of that form. Lines of another form are left out. false when it cannot be read or memory is short; errno has the
 * reason. */
bool mountinfo_read(struct mountinfo *info, const char *path);

/* The same for a text, which is written into and must outlive the answer; mountinfo_clear does not free it. */
bool mountinfo_parse(struct mountinfo *info, char *text);

void mountinfo_clear(struct mountinfo *info);

/* The mount that a path is on: the last one among those with the longest mount point that holds it. `path` is absolute and free
   of symbolic links. NULL when there is none. */
const struct mount *mountinfo_of_path(const struct mountinfo *info, const char *path);
