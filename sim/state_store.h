/* Stores the simulation's content in a file: a runtime that is killed and started again still has its pods, as real ones do. */
#pragma once

#include "sim/simulation.h"

/* Writes all of it, atomically: readers see the old state or the new one. */
bool state_store_save(const struct simulation *simulation, const char *path, struct error *error);

/* Fills an empty simulation. Without a file it stays empty, which is not an error. */
bool state_store_load(struct simulation *simulation, const char *path, struct error *error);
