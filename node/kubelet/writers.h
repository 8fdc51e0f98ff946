/* Services that may write a file of the kubelet's again, such as at each boot. Only reads. */
#pragma once

#include "base/bytes/arena.h"

/* The name of a systemd service, other than `unit`, whose command lines name the file, or start a script that does. NULL: none
   is found. Folders are looked up below `root`, which is "" on a node. Lives in the arena. */
const char *writer_of(const char *path, const char *unit, const char *root, struct arena *arena);
