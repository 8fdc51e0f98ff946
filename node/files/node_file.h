/* Configuration files of the node: read whole, and replaced in one step, so that no other process ever sees half of one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"
#include "node/files/attributes.h"

/* No configuration file of a node is bigger. */
#define NODE_FILE_LARGEST ((size_t)1 << 20)

struct node_file {
    const char *path;   /* absolute */
    bool present;       /* false: there was no such file; the rest is empty */
    struct bytes text;  /* followed by a NUL that does not count */
    struct stat status; /* of the file that was read */
};

/* Reads a regular file; the path and the text live in the arena. A missing file, or a missing folder on the way to it, is not an
   error. Opened without following a symbolic link at the end of the path. Otherwise false: FAILED_PRECONDITION if it is a link or
   not a regular file, RESOURCE_EXHAUSTED if it is too big, or the system's error. */
bool node_file_read(const char *path, struct arena *arena, struct node_file *file, struct error *error);

/* Whether only root could have written or replaced the file: the file, if it is there, and each folder above it belong to root,
   and neither group nor others may write to them. Links among the folders are followed as the kernel does, and what they lead to
   is checked as well. PERMISSION_DENIED with the path and its owner or mode. */
bool node_file_check_owner(const char *path, struct error *error);

/* Whether the path is the file's only name. FAILED_PRECONDITION: it has others, which an edit would separate from it. */
bool node_file_check_links(const struct node_file *file, struct error *error);

/* Replaces the file that was read by another text. The new file is written beside it with the same owner, mode and extended
   attributes (SELinux' label among them), synced, and renamed over it; the folder is synced. FAILED_PRECONDITION if another file,
   or other content, is at the path by now; the rest is what the system said (a full disk, a read-only file system, an immutable
   file), with the file unchanged and nothing left beside it; only when
   the folder could not be synced, the file is replaced already. Makes a file that was not there with `mode`, and missing folders
   above it with 0755. */
bool node_file_replace(const struct node_file *file, struct bytes text, mode_t mode, struct error *error);

/* The same, with this owner, mode, time of the last change, and exactly these extended attributes. On a full disk, the text is
   written into the file itself, if its blocks hold it. */
bool node_file_restore(const struct node_file *file, struct bytes text, const struct stat *status,
                       const struct file_attributes *attributes, struct error *error);

/* Removes the file that was read, under the same conditions. Folders stay. */
bool node_file_remove(const struct node_file *file, struct error *error);

/* Reads the extended attributes of the file that was read, into the arena; a missing file has none. FAILED_PRECONDITION if
   another file is at the path by now. */
bool node_file_attributes(const struct node_file *file, struct arena *arena, struct file_attributes *attributes,
                          struct error *error);

/* Removes what a process that was killed while it replaced the file left beside it. It is not an error if there is none. */
bool node_file_remove_draft(const char *path, struct error *error);
