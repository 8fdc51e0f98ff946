/* Docker's side of a connection. */
#pragma once

#include "docker/proxy/relay.h"

/* Looks at what has arrived of answers, and passes it on, or what is wrong with it. Returns whether anything changed. */
bool answer_advance(struct relay *relay);
