/* The environment of a container in the forms in which runtimes report it. For rebuild.c. */
#pragma once

#include "base/bytes/arena.h"

/* The variables as the field `envs` of a ContainerConfig, encoded in the arena: of `config`, a ContainerConfig in containerd's
   JSON, or else of the process in `specification`, an OCI specification. Both may be empty. false: neither has them, or there is
   no memory. A variable of an unexpected form is left out. */
bool rebuild_environment(struct bytes config, struct bytes specification, struct arena *arena, struct bytes *environment);
