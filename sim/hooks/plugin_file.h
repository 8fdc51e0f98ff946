/* The file by which a plugin makes itself known, as a real koordlet writes it. */
#pragma once

#include "sim/hooks/options.h"

/* Writes it into the folder of --write-file, in place: readers may see a part of it, as they do of a real plugin's. false:
   UNAVAILABLE. */
bool plugin_file_write(const struct hook_options *options, struct error *error);
