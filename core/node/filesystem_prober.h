/* The prober looks at folders for a thread that nothing may hold up: whoever looks at a folder of a network filesystem whose
   server is gone stays there, for ever if it must be. So each look is made on a thread of its own. */
#ifndef CRIGATE_NODE_FILESYSTEM_PROBER_H
#define CRIGATE_NODE_FILESYSTEM_PROBER_H

#include <limits.h>
#include <stdbool.h>

#include "translate/convert.h"

/* What is seen of a folder. */
struct folder {
    char path[PATH_MAX]; /* free of symbolic links */
    bool has_usage;      /* false: it is no folder, or its filesystem does not say */
    struct filesystem_usage usage;
};

/* Looks at a path and fills in all of `folder`; false when nothing is there. May take for ever. */
typedef bool filesystem_probe(const char *path, struct folder *folder);

struct filesystem_prober;

/* So many paths are remembered, and so many looks are under way at the most: while all of them hang, nothing new is looked at. */
#define FILESYSTEM_PROBER_FOLDERS 8

/* NULL when memory is short. To be used from one thread. */
struct filesystem_prober *filesystem_prober_new(filesystem_probe *probe);

/* Looks that are still under way are let go of, and end when they can. NULL is allowed. */
void filesystem_prober_free(struct filesystem_prober *prober);

/* What is to be seen at an absolute path of less than PATH_MAX bytes, as of the last second. It waits for that for a tenth of a
   second; and not at all where the look before has not come back. Then what was seen in the last minute has to do. false: nothing
   is there, or nothing is known. */
bool filesystem_prober_probe(struct filesystem_prober *prober, const char *path, struct folder *folder);

#endif
