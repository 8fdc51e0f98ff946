/* The unit that speaks CRI for Docker instead of a kubelet's built-in dockershim, in an installation. */
#pragma once

#include <stdbool.h>

#include "core/map/shim.h"
#include "node/journal/journal.h"

/* Records in the journal what systemd says of the unit, enables it and starts it; one that runs is restarted, because its options
   may have changed. */
bool docker_unit_start(struct journal *journal, struct error *error);

/* Waits until it answers at DOCKER_SHIM_ENDPOINT, at most `timeout` milliseconds. CANCELLED: a signal arrived. */
bool docker_unit_wait(unsigned timeout, struct error *error);

/* Stops and disables what was not active or enabled before; nothing if the journal has no such unit. */
bool docker_unit_stop(const struct journal *journal, struct error *error);

/* Restarts it, if it ran before with other options. */
bool docker_unit_resume(const struct journal *journal, struct error *error);
