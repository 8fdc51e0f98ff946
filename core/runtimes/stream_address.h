/* Where a runtime serves streams, when it answers Exec, Attach and PortForward with bare paths and the runtime map does not set
 * stream_url.
 */
#pragma once

#include "translate/schema/schema.h"

/* Of one runtime; zero at the start. */
struct stream_address {
    char url[80]; /* what the last bare path was completed with; empty until then, and when unknown */
    bool none_logged;
};

/* Finds out where, and logs it when it has changed: for dialects whose runtimes served streams at a known port, the address of
 * this node's default route with that port ("http://192.0.2.1:11250"). Otherwise NULL, and what to set is logged once. The text
 * is valid until the next call. */
const char *stream_address_find(struct stream_address *base, const char *runtime, enum dialect dialect);
