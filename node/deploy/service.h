/* crigate's units as an installation needs them, and as they were before. */
#pragma once

#include <stdbool.h>

#include "node/journal/journal.h"

#define SERVICE_UNIT "crigate.service"
#define SERVICE_SOCKET "crigate.socket"

/* Enables and starts crigate.service, so that it listens at `endpoint`. crigate.socket, if there is one, comes with it when it
   makes just that socket; otherwise it is switched off, since crigate refuses a socket of another address. A service that runs
   already is restarted if `restart`. First the journal gets what systemd says of both. */
bool service_start(struct journal *journal, const char *endpoint, bool restart, struct error *error);

/* Waits until crigate answers at its control socket and its primary is ready, at most `timeout` milliseconds. */
bool service_wait(const char *control, unsigned timeout, struct error *error);

/* Stops and disables what was not active or enabled before, as the journal has it; nothing if it has nothing of it. */
bool service_stop(const struct journal *journal, struct error *error);

/* Starts and enables again what was active or enabled before. A service that ran before is restarted: its map was a different
   one. */
bool service_resume(const struct journal *journal, struct error *error);
