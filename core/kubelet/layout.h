/* Who laid the node out, and what crigate leaves to that program or to people. */
#pragma once

#include "core/kubelet/kubelet.h"

/* Whether the kubelet is built into, or started by, a program that alone has the endpoints in its own configuration. */
bool layout_is_outer(enum kubelet_layout layout);

/* Why crigate must not edit this node's files, in words; NULL: it may. */
const char *layout_obstacle(const struct kubelet *kubelet);

/* What to do by hand to point the kubelet to the endpoint, in one line. NULL: no memory. */
const char *layout_instruction(const struct kubelet *kubelet, const char *endpoint, struct arena *arena);
