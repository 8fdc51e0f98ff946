/* A systemd unit that an installation starts, and as it was before. */
#pragma once

#include <stdbool.h>

#include "node/journal/journal.h"
#include "node/systemd/systemd.h"

/* Records under these names what systemd says of the unit: once, since a second attempt would find what the first has made. */
bool unit_before_record(struct journal *journal, const struct systemd_unit *unit, const char *enabled_fact,
                        const char *active_fact, struct error *error);

/* Stops and disables a unit that was not active or not enabled before. NULL, not recorded, is not an error: nothing is done. */
bool unit_before_stop(const char *unit, const char *enabled, const char *active, struct arena *arena, struct error *error);
