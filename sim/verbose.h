/* What verbose statuses of pods and containers have under `info`, as --verbose-info sets. */
#pragma once

#include "sim/simulation.h"

/* Adds it to a PodSandboxStatusResponse or ContainerStatusResponse. */
void put_pod_info(const struct simulation *simulation, const struct pod *pod, struct json_object *response);
void put_container_info(const struct simulation *simulation, const struct container *container, struct json_object *response);
