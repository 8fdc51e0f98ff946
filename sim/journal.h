/* What the journal says of the runtime itself, besides its calls. */
#pragma once

#include <stdio.h>

#include "sim/simulation.h"

/* Appends a line with the runtime's content at the start: {"restored": {"pods": [{"id": ID, "metadata": {...}}...], "containers":
   [{"id": ID, "podSandboxId": ID}...]}}. */
void journal_write_restored(FILE *journal, const struct simulation *simulation);
