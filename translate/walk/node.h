/* What translation asks of the node that it runs on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "translate/bytes/arena.h"

/* How full a filesystem is. */
struct filesystem_usage {
    int64_t taken_at; /* nanoseconds since 1970 */
    uint64_t used_bytes;
    uint64_t inodes_used;
};

/* What translation needs to know of the node, behind an interface so that translate/ stays pure. Each may answer empty: "the
   node does not say". The answer lives in the arena. */
struct node {
    void *state;
    struct bytes (*mountpoint_of_uuid)(void *state, struct bytes uuid, struct arena *arena);
    struct bytes (*uuid_of_directory)(void *state, struct bytes directory, struct arena *arena);
    /* Of the filesystem that holds an absolute path's directory; false: it does not say. */
    bool (*usage_of_directory)(void *state, struct bytes directory, struct filesystem_usage *usage);
};
