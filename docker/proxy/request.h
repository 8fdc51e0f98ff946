/* The caller's side of a connection. */
#pragma once

#include "docker/proxy/relay.h"

/* Looks at what has arrived of requests, and passes it on, or refuses it. Returns whether anything changed. */
bool request_advance(struct relay *relay);
