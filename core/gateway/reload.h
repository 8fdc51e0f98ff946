/* Generations: the first one, and those that a reload of the map puts in its place. Worker's thread. */
#pragma once

#include "core/gateway/gateway.h"

/* Puts the first map in force and starts connecting to its runtimes. Takes over the map, also when it fails. false: no memory. */
bool gateway_first_generation(struct gateway *gateway, struct runtime_map *map);

/* Puts another map in force, which is taken over; running calls finish under the old one. It has passed daemon_can_apply_map.
   FAILED_PRECONDITION, with the old map still in force: a runtime that still owns pods would go, or its ids change. Worker's
   thread. */
bool gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error);

/* Pods that a runtime is known to hold. */
size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime);
