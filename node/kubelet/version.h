/* The release of a kubelet. */
#pragma once

#include "node/kubelet/kubelet.h"

/* Runs `PROGRAM --version`, or `PROGRAM kubelet --version` for one such as hyperkube, if only root can have written the program;
   asks nothing else of it, and no script in the second way. 0.0.0 if that is not so, or it does not answer within 10 s. The text
   lives in the arena. */
struct kubelet_version kubelet_version_ask(const char *program, bool is_multiple, struct arena *arena);

/* The first word like "v1.31.4" in a text: "Kubernetes v1.31.4", "k3s version v1.30.4+k3s1 (98262b5d)". Pure. */
struct kubelet_version kubelet_version_of(struct bytes text, struct arena *arena);
