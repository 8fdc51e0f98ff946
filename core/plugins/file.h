/* Reads the text of one file that names a plugin, in the form of Koordinator's runtime proxy: a JSON object with the keys
   `remote-endpoint`, `failure-policy` and `runtime-hooks`; and `timeout`, which that proxy does not know. */
#pragma once

#include "core/map/problems.h"
#include "core/plugins/list.h"

/* Bytes; a larger file is a mistake. */
#define PLUGIN_FILE_SIZE ((size_t)64 << 10)

/* A file, and where what is read of it goes. */
struct plugin_file {
    struct bytes text; /* of any bytes */
    unsigned number;   /* of the places of its problems */
    struct arena *memory;
    struct runtime_map_problems *problems;
};

/* Reads all but the name into `plugin`, which has the defaults. Adds all mistakes, not only the first. false: there was one, and
   `plugin` is of no use. Warnings leave it good: an unknown key, policy or hook, no hook at all. */
bool plugin_file_read(const struct plugin_file *file, struct plugin_settings *plugin);

/* The names of the hooks that it wants, for people, separated by ", "; "no hook". */
struct plugin_hooks_text {
    char text[256];
};
struct plugin_hooks_text plugin_hooks_text(uint32_t stages);
