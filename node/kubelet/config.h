/* A key in a configuration of a file and drop-ins: the kubelet's, or that of a program that has a kubelet built in. */
#pragma once

#include "node/kubelet/kubelet.h"

/* Where a program has its configuration: the file is read first, then its drop-ins, and the last one that has a key counts. */
struct config_files {
    const char *file;   /* NULL without */
    const char *folder; /* of the drop-ins; NULL without */
    const char *suffix; /* of the drop-ins' names: ".conf" */
};

/* The paths of the drop-ins in the order in which they apply: all files of the folder and the folders in it whose names end as
   they should, in lexical order. A missing folder has none. false: out of memory. */
bool config_drop_ins(const struct config_files *files, struct arena *arena, const char ***paths, size_t *count,
                     struct error *error);

/* Finds the key. An empty text counts as no value, as it does for a kubelet. `setting` stays as it is if neither has it.
   INVALID_ARGUMENT for a file with mistakes, and what node_file_read reports. */
bool config_find(const struct config_files *files, const char *key, struct arena *arena, struct kubelet_setting *setting,
                 struct error *error);
