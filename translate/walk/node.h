/* What translation needs to know of the node that it runs on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/arena.h"

/* The usage of a filesystem. */
struct filesystem_usage {
    int64_t taken_at; /* nanoseconds since 1970 */
    uint64_t used_bytes;
    uint64_t inodes_used;
};

/* The cgroups in which a container may be, and what was found there. */
struct container_memory {
    const char *const *cgroups; /* paths below the hierarchy's root, the likelier ones first */
    size_t count;
    bool known;           /* one of them is there, and was read */
    uint64_t working_set; /* bytes that it uses, without page cache that was not used lately */
};

/* An interface to the node, so that translate/ stays pure. Each function may return an empty answer: the node does not know.
   Answers are in the arena. */
struct node {
    void *state;
    struct bytes (*mountpoint_of_uuid)(void *state, struct bytes uuid, struct arena *arena);
    struct bytes (*uuid_of_directory)(void *state, struct bytes directory, struct arena *arena);
    /* The usage of the filesystem of a directory, given by its absolute path; false: unknown. */
    bool (*usage_of_directory)(void *state, struct bytes directory, struct filesystem_usage *usage);
    /* Fills in the memory of containers, as far as it is known. NULL: of none. */
    void (*memory_of_containers)(void *state, struct container_memory *containers, size_t count);
};
