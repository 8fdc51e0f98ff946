/* The settings of a kubelet whose process or unit was found. */
#pragma once

#include "node/kubelet/kubelet.h"

/* Fills what the program's version (unless its text is there), the unit's files, the configuration file and its drop-ins say: all
   that the caller has not filled. Wants pid, program, unit, layout, arguments and rootless; without a process, program and
   arguments come from the unit. Failures are those of kubelet_find. */
bool kubelet_read(struct kubelet *kubelet, struct arena *arena, struct error *error);
