/* Resources of pods and containers in the forms in which runtimes report them. For rebuild.c. */
#pragma once

#include "base/bytes/arena.h"
#include "model/api.pb-c.h"

/* Each reads one form into `resources`: what is there and not 0 or empty replaces what was there, lists and maps as a whole. What
   has an unexpected type, or a number that does not fit, is ignored. Texts are in the arena, lists, too. false: there is
   nothing of that form; nothing changes. */

/* A LinuxContainerResources in containerd's JSON: names as in the .proto file, numbers as numbers. */
bool rebuild_resources_of_config(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources);

/* An OCI specification: `linux.resources`, and `process.oomScoreAdj`. */
bool rebuild_resources_of_specification(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources);

/* An encoded LinuxContainerResources of the model's dialect. */
bool rebuild_resources_of_message(struct bytes message, struct arena *arena, Model__LinuxContainerResources *resources);
