/* A key in the kubelet's configuration, from its file and the drop-ins of its folder. */
#pragma once

#include "core/kubelet/kubelet.h"

/* The paths of the drop-ins in the order in which they apply: all files of the folder and the folders in it whose names end in
   ".conf", in lexical order. A missing folder has none. false: no memory. */
bool kubelet_config_drop_ins(const char *folder, struct arena *arena, const char ***paths, size_t *count, struct error *error);

/* Finds the key. `setting` stays as it is if neither has it. INVALID_ARGUMENT for a file with mistakes, and what node_file_read
   reports. */
bool kubelet_config_find(const struct kubelet *kubelet, const char *key, struct arena *arena, struct kubelet_setting *setting,
                         struct error *error);
