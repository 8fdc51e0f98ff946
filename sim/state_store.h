/* What the simulation holds, in a file: a runtime that is killed and started again still has its pods, as real ones do. */
#pragma once

#include "sim/simulation.h"

/* Writes all of it, in one step: whoever reads sees the old state or the new one. */
bool state_store_save(const struct simulation *simulation, const char *path, struct error *error);

/* Fills an empty simulation. Without a file it stays empty, and that is no error. */
bool state_store_load(struct simulation *simulation, const char *path, struct error *error);
