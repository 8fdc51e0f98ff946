/* The endpoints that k3s and RKE2 give to the kubelet in them: their own flags and files count, and the kubelet's do not. */
#pragma once

#include "node/kubelet/kubelet.h"
#include "node/systemd/unit_command.h"

/* Fills the endpoints, and own_endpoint. `unit` is the command line that the unit's files make, or NULL. Failures are those of
   kubelet_find. */
bool outer_read(struct kubelet *kubelet, const struct unit_command *unit, struct arena *arena, struct error *error);
