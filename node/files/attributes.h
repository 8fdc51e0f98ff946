/* What a file has besides its content and its name: owner, mode, times and extended attributes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* An arena for the attributes of one file needs no more. */
#define FILE_ATTRIBUTES_LARGEST ((size_t)1 << 22)

struct file_attribute {
    const char *name; /* "security.selinux", "system.posix_acl_access", "user.note", … */
    struct bytes value;
};

struct file_attributes {
    const struct file_attribute *items;
    size_t count;
};

/* Reads the extended attributes of an open file; they live in the arena. What the kernel computes from the content
   (security.ima, security.evm) is left out, and a file system without attributes has none. `path` is for messages. */
bool file_attributes_read(int file, const char *path, struct arena *arena, struct file_attributes *attributes,
                          struct error *error);

/* Gives an open file the owner and mode of `status`, and exactly these extended attributes. */
bool file_attributes_give(int file, const char *path, const struct stat *status, const struct file_attributes *attributes,
                          struct error *error);
