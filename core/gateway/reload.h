/* Generations: the first one, and the next ones after reloads of the map. Worker's thread. */
#pragma once

#include "core/gateway/gateway.h"

/* Brings the first map into force and starts connecting to its runtimes. Takes over the map, even if it fails. false: out of
 * memory.
 */
bool gateway_first_generation(struct gateway *gateway, struct runtime_map *map);

/* Brings another map into force and takes it over; running calls finish under the old one. Both must have the same addresses and
   state folder. FAILED_PRECONDITION, with the old map still in force: a runtime that still owns pods would be removed, or its ids
   would change. Worker's thread. */
bool gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error);

/* The number of pods that a runtime is known to hold. */
size_t gateway_pods_of(const struct gateway *gateway, struct runtime *runtime);
