/* Strings put together. */
#pragma once

#include <stddef.h>

#include "base/bytes/arena.h"

/* The strings up to the first NULL in one, in the arena. NULL: out of memory. */
const char *join_strings(struct arena *arena, ...) __attribute__((sentinel));
