/* Koordinator's protocol for hooks: package runtime.v1alpha1, service RuntimeHookService (apis/hook_v1alpha1). */
#pragma once

#include "translate/hooks/protocol.h"

extern const struct hook_protocol koordinator_protocol;

/* The stage that a plugin's file calls by this name ("PreRunPodSandbox"), as a bit; 0 for a name that the file may have but that
   is never called ("PreRemoveRunPodSandbox"). false: no such name. */
bool koordinator_stage_by_name(struct bytes name, uint32_t *stage);
