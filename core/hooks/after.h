/* Hooks after an answer: they run when the caller has it, one after another for each pod, in the order of the pod's calls. */
#pragma once

#include "core/hooks/hooks.h"

/* Copies the facts and calls the stage's plugins, when those of earlier calls of that pod have ended. What cannot wait any more,
   as too many do, is counted and logged. */
void after_add(struct hooks *hooks, const struct runtime *runtime, struct hook_stage stage, const struct hook_facts *facts);

/* How many of them run or wait; and how many of these a plugin works on. */
size_t after_pending(const struct hooks *hooks);
size_t after_running(const struct hooks *hooks);

/* Ends them all: what waits is not called, and no answer is waited for. */
void after_cancel(struct hooks *hooks);
