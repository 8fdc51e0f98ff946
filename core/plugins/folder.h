/* The folder with the files that name plugins. */
#pragma once

#include "core/map/problems.h"
#include "core/plugins/list.h"

/* Files of a folder; more are a mistake. */
#define PLUGIN_FOLDER_MOST 64

/* Reads all files *.json but hidden ones, in byte order of their names. A plugin without a timeout of its own gets that
   one, in milliseconds.

   A file that has a mistake, or cannot be read, keeps what `before` (may be NULL) says of it. One that is gone, a link without a
   target, anything but a file, or one that others than root and this process's user may write, is not used. The same holds for
   the folder and all in it; a folder that does not exist has no files. What of that is a mistake gets into `problems`, which it
   initialises; the caller frees them with runtime_map_problems_clear.

   NULL: out of memory. The list keeps nothing of `before`. */
struct plugin_list *plugin_folder_read(const char *path, unsigned timeout, const struct plugin_list *before,
                                       struct runtime_map_problems *problems);

/* Makes the folder, and those above that are missing, with mode 0755, if this process may. */
void plugin_folder_make(const char *path);

/* The plugin of that name; NULL if the list (may be NULL) has none. */
const struct plugin_settings *plugin_list_find(const struct plugin_list *list, const char *name);
