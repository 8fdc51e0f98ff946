/* Paths with the patterns of a shell in them, as systemd's EnvironmentFile= and containerd's imports have them. (The C library's
   glob() looks up users, which a static program cannot.) */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/arena.h"

/* Whether the path has "*", "?" or "[" in it. */
bool path_is_pattern(const char *path);

/* The files that an absolute path with patterns leads to, in the order of their names (as bytes), at most `most`; hidden ones
   only where the pattern has their dot. A path without patterns is the only one, whether it is there or not. Strings live in the
   arena. false: out of memory. */
bool path_pattern_expand(const char *pattern, size_t most, struct arena *arena, const char **paths, size_t *count);
