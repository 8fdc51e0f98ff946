/* The folders above a file of the node: made where they are missing, removed again, synced. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"

/* How many folders above the path are missing. */
unsigned node_folders_missing(const char *path);

/* Makes the nearest `count` folders above the path, with mode 0755 whatever the umask, the uppermost first; each is synced. It is
   not an error if one exists by now. */
bool node_folders_make(const char *path, unsigned count, struct error *error);

/* Removes the nearest `count` folders above the path, the nearest first, up to one that is not empty. It is not an error if one
   does not exist. */
bool node_folders_remove(const char *path, unsigned count, struct error *error);

/* Whether two paths are one file, even if that is not there: their folders are one, and their last parts are equal. */
bool node_path_is_same(const char *one, const char *other);

/* Waits until the names in the folder of that path are on the disk. */
bool node_folder_sync(const char *path, struct error *error);
