/* Calls that come back: an endpoint of the runtime map that leads to this process itself, by a link or through another gateway,
   would make of one call as many as there is room for. A call that goes to a runtime carries a mark, a random number of this
   process, after those of the gateways before it. A call that arrives with that mark is refused, and the refusal shows the
   gateway that asked what its runtime is. Several gateways in a chain work. A mark has no other effect: who sends one only gets
   its own call refused.

   Where the map has one runtime, only what the gateway itself asks is marked: a circle without a gateway that has a choice is one
   that a probe goes round, so that no other call ever enters it; and a gateway that has a choice marks all calls. */
#pragma once

#include <grpc/grpc.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* The mark, as metadata for a call of this process's own. What it points to stays valid. */
grpc_metadata loop_mark_metadata(void);

/* Whether the metadata of a call has the mark. */
bool loop_mark_is_there(const grpc_metadata *metadata, size_t count);

/* Inserts the mark after the first `forwardable` entries of what arrived with a call, those that are forwarded to runtimes, and
   counts it there. What comes after them may be lost. */
void loop_mark_add(grpc_metadata_array *metadata, size_t *forwardable);

/* The refusal: FAILED_PRECONDITION. `listen` is the address of this gateway. Always false. */
bool loop_mark_refuse(const char *listen, struct error *error);

/* Whether the details of a failure are that refusal, and nothing else: what runtimes quote in an error text, of a container or a
 * caller, must not count. */
bool loop_mark_is_refusal(enum status_code code, struct bytes details);
