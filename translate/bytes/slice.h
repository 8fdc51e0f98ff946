/* Slices: systemd's groups of processes, whose place in the tree of cgroups follows from their names. */
#pragma once

#include "base/bytes/arena.h"

/* The path of a slice by its name, as systemd nests them: "a-b.slice" is "/a.slice/a-b.slice". NUL-terminated, in the arena.
   Other texts stay what they are. NULL: out of memory. */
char *slice_path(struct bytes name, struct arena *arena);

/* Whether it is the usual name of a slice, and not a path. */
bool slice_is_name(struct bytes name);
