/* Where a runtime serves streams, when it answers Exec, Attach and PortForward with bare paths and the runtime map does not say.
 */
#ifndef CRIGATE_RUNTIMES_STREAM_ADDRESS_H
#define CRIGATE_RUNTIMES_STREAM_ADDRESS_H

#include "translate/schema.h"

/* Of one runtime; zero at the start. */
struct stream_address {
    char url[80]; /* with what the last bare path was completed; empty until then, and where that is not known */
    bool none_logged;
};

/* Finds out where, and logs it when it is another than before: for dialects whose runtimes served streams at a known port, the
   address of this node's default route with that port ("http://192.0.2.1:11250"). Otherwise NULL, and it is logged once what to
   set. The text stays as it is until the next call. */
const char *stream_address_find(struct stream_address *base, const char *runtime, enum dialect dialect);

#endif
