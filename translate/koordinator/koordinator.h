/* Koordinator's protocol for hooks: package runtime.v1alpha1, service RuntimeHookService (apis/hook_v1alpha1). */
#pragma once

#include "translate/hooks/protocol.h"

/* A request has all that is known, the attempt of pod and container, and the pod's overhead and resources. The metadata is always
   there, empty if it is not known. An answer about a pod has labels, annotations and linux.cgroup_parent, one about a container
   its annotations, envs and linux.resources (there, even if empty, exactly if the answer has them), and linux.cgroup_parent of
   the pod. The resources of an answer about a pod are checked and ignored. */
extern const struct hook_protocol koordinator_protocol;

/* The stage that a plugin's file calls by this name ("PreRunPodSandbox"), as a bit; 0 for a name that the file may have but that
   is never called ("PreRemoveRunPodSandbox"). false: no such name. */
bool koordinator_stage_by_name(struct bytes name, uint32_t *stage);
