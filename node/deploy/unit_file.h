/* crigate.service and crigate-docker.service, where no package has installed them. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "core/map/shim.h"
#include "node/kubelet/plan.h"

/* Where an operator's units are. */
#define UNIT_FILE_PATH "/etc/systemd/system/crigate.service"
#define DOCKER_UNIT_FILE_PATH "/etc/systemd/system/" DOCKER_SHIM_UNIT

/* The shipped unit with `program`, an absolute path, in place of /usr/bin/crigate. In the arena. INVALID_ARGUMENT for a path with
   characters that mean something to systemd. */
bool unit_file_text(const char *program, struct arena *arena, struct bytes *text, struct error *error);

/* Plans the unit for the program that is running. PERMISSION_DENIED if users other than root could replace that program. */
bool unit_file_plan(struct arena *arena, struct planned_file *file, struct error *error);

/* Plans crigate-docker.service, which names no program of crigate's. */
bool unit_file_plan_docker(struct arena *arena, struct planned_file *file, struct error *error);

/* Whether the text of a socket unit creates that socket ("unix:///run/crigate/crigate.sock") and no other. */
bool unit_file_listens(struct bytes text, const char *endpoint);
