/* The environment file of cri-dockerd's unit: the kubelet's options that its built-in dockershim goes by. Pure. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "core/map/shim.h"
#include "node/systemd/flags.h"

/* The text of the file, in the arena, with cri-dockerd's path and the options that both know. --network-plugin is always there,
   since cri-dockerd has a different default than the kubelet (seen in 0.4.3 and in kubelet 1.22). `hairpin_mode` is that of the
   configuration file, "" if nothing sets it; a flag wins. FAILED_PRECONDITION: a value has characters that mean something to a
   shell or to systemd, or nothing takes the place of what it asks for (kubenet). */
bool docker_environment_text(const char *program, const struct kubelet_flags *flags, const char *hairpin_mode,
                             struct arena *arena, struct bytes *text, struct error *error);
