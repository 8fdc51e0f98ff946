/* Which known name a mistyped one most likely means. */
#pragma once

#include <stddef.h>

/* What nearest_name has found so far. */
struct nearest {
    const char *typed;
    const char *name; /* NULL: none is near */
    size_t distance;
};

/* Begins the search. `typed` must live as long as it. */
struct nearest nearest_begin(const char *typed);

/* Takes another known name into the search. It is near if few letters must be changed, added or removed: one in three, and one
   more. Names of more than 64 letters are never near. Of two that are as near, the first is kept. */
void nearest_add(struct nearest *nearest, const char *name);
