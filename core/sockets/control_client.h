/* One question to the running process, by its control socket. */
#ifndef CRIGATE_SOCKETS_CONTROL_CLIENT_H
#define CRIGATE_SOCKETS_CONTROL_CLIENT_H

#include <json-c/json.h>

#include "translate/error.h"

/* Sends the line, without its end, to the control socket of that path and waits for the answer, at most for a while. NULL: nobody
   answers; what is said is no JSON object; or it is a refusal ({"error": ...}), whose text and code are the error's then.
   UNAVAILABLE: nobody answers. The answer is the caller's. */
struct json_object *control_ask(const char *path, const char *line, struct error *error);

#endif
