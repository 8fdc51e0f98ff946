/* The life of a connection. */
#pragma once

#include "docker/proxy/relay.h"

/* Serves a caller on that socket, which it owns from now on, whatever becomes of it. */
void life_begin(struct proxy *proxy, int fd);

/* Ends it at once if nothing is under way, else when that has ended. */
void life_drain(struct relay *relay);

/* Ends the connection that has had nothing under way for longest. false: none has had that for long enough. */
bool life_make_room(struct proxy *proxy);

/* Ends it at once. */
void life_end(struct relay *relay);
