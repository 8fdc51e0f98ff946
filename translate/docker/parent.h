/* Cgroup parents as Docker has them: a path, or with systemd's driver the last part of one, the name of a slice. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"

/* As a path: "kubepods-burstable.slice" is "/kubepods.slice/kubepods-burstable.slice". false: RESOURCE_EXHAUSTED. */
bool docker_parent_path(struct bytes text, struct arena *arena, struct bytes *path, struct error *error);

/* In the form that Docker has now. false: INVALID_ARGUMENT if it has a slice, and the path is none that a slice can have;
   RESOURCE_EXHAUSTED. */
bool docker_parent_text(struct bytes path, struct bytes now, struct arena *arena, struct bytes *text, struct error *error);
