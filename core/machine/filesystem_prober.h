/* The prober looks at folders for a thread that must not block. A look at a folder of a network filesystem whose server is gone
 * can block forever. So each look is made on a thread of its own. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "translate/walk/node.h"

/* What is seen of a folder. */
struct folder {
    char path[PATH_MAX]; /* free of symbolic links */
    bool has_usage;      /* false: it is not a folder, or its filesystem does not report it */
    struct filesystem_usage usage;
};

/* Looks at a path and fills in all of `folder`; false when nothing is there. May block forever. */
typedef bool filesystem_probe(const char *path, struct folder *folder);

struct filesystem_prober;

/* How many paths are remembered, and how many looks can be under way: while all of them hang, no other path is looked at. */
#define FILESYSTEM_PROBER_FOLDERS 8

/* NULL when memory is short. To be used from one thread. */
struct filesystem_prober *filesystem_prober_new(filesystem_probe *probe);

/* Looks that are still under way end when they can, and then free their memory. NULL is allowed. */
void filesystem_prober_free(struct filesystem_prober *prober);

/* What is at an absolute path of less than PATH_MAX bytes, at most one second old. It waits for a tenth of a second, and not at
 * all while the look before has not come back. Without an answer in time it is what was seen in the last minute. false: nothing
 * is there, or nothing is known. */
bool filesystem_prober_probe(struct filesystem_prober *prober, const char *path, struct folder *folder);
