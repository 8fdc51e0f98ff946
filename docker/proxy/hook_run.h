/* The hooks of a connection's request: its body is held, plugins are called, and what is sent to Docker is reframed. */
#pragma once

#include "docker/proxy/relay.h"

/* Begins with a request whose head was read, and is the first of what has arrived. false: no hook is called for it. Else the
   state of the request is REQUEST_HOOK_BODY or REQUEST_HOOKS, and later REQUEST_FRAMED; or it was refused. */
bool hook_run_begin(struct relay *relay);

/* In REQUEST_HOOK_BODY: takes what has arrived of the body. Returns whether anything changed. */
bool hook_run_take_body(struct relay *relay);
