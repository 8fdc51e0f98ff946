/* Who laid the node out, and what crigate leaves to that program or to people. */
#pragma once

#include "node/kubelet/kubelet.h"

/* "kubeadm", "k3s", … */
const char *layout_name(enum kubelet_layout layout);

/* The endpoint of the runtime that the node's owner starts by itself, such as the containerd of k3s; NULL: none. */
const char *layout_own_endpoint(const struct kubelet *kubelet);

/* Fills the layout, unless the unit's name has said it already, and the files of kubeadm. Wants what the kubelet's
   process, its unit and its command line say. Paths are looked up below `root`, which is "" on a node. */
void layout_recognise(struct kubelet *kubelet, const char *root, struct arena *arena);

/* Whether the kubelet is built into, or started by, a program that alone has the endpoints in its own configuration. */
bool layout_is_outer(enum kubelet_layout layout);

/* Whether its owner writes that file again by itself. NULL, no file, is none. */
bool layout_writes(enum kubelet_layout layout, const char *path);

/* Whether the endpoint that is set now may have been set in a way other than its owner's, and so may not last: where both ways
   lead to one place, it is not visible which it was. */
bool layout_is_doubtful(const struct kubelet *kubelet);

/* Why crigate must not edit this node's files, in words; NULL: it may. */
const char *layout_obstacle(const struct kubelet *kubelet);

/* What to know about an edit of this owner's files; NULL: nothing. */
const char *layout_warning(const struct kubelet *kubelet, const char *endpoint, struct arena *arena);

/* What to do by hand to point the kubelet to the endpoint, in one line. NULL: out of memory. */
const char *layout_instruction(const struct kubelet *kubelet, const char *endpoint, struct arena *arena);
