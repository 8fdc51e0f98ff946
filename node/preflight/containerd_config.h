/* What matters in containerd's configuration files, of versions 1 to 3. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"

/* The line, from 1, of the entry in the list `disabled_plugins` that switches CRI off; 0 if there is none, or if the text is not
   TOML as far as it was read. The list may span lines. Pure. */
unsigned containerd_config_disables_cri(struct bytes text);

/* The same in a file and those that it imports, by patterns and relative paths, and that these import: containerd puts their
   lists together. `path` gets the path of the one with the entry, which lives in the arena. 0 also if a file cannot be read. */
unsigned containerd_config_search(const char *file, struct arena *arena, const char **path);
