/* What dockershim has written down about its pods. */
#pragma once

#include "base/bytes/arena.h"

/* Names ("default/web, kube-system/ingress and 3 more") the pods with host ports that dockershim, up to Kubernetes 1.23, has set
   up by CNI: those with port mappings, outside of the host's network, of the checkpoints in the folder. "" if there are none, or
   the folder cannot be read. Files that are not checkpoints are left out. The text lives in the arena, and cannot control a
   terminal. NULL: out of memory. */
const char *checkpoints_with_ports(const char *folder, struct arena *arena);
