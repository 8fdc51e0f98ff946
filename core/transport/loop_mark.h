/* Calls that come back: an endpoint of the runtime map that leads to this process itself, by a link or by way of another gateway,
   would make of one call as many as there is room for. A call that goes to a runtime bears a mark, a random number of this
   process, behind those of the gateways before it; a call that arrives with it is refused, and who asked learns by the refusal
   what its runtime is. Several gateways in a chain are well. A mark is trusted for nothing else: who sends one can only have its
   own call refused.

   Where the map has one runtime, only what the gateway itself asks is marked: a circle without a gateway that has a choice is one
   that a probe goes round, so that no other call ever enters it; and a gateway that has a choice marks all calls. */
#ifndef CRIGATE_TRANSPORT_LOOP_MARK_H
#define CRIGATE_TRANSPORT_LOOP_MARK_H

#include <grpc/grpc.h>

#include "translate/bytes.h"
#include "translate/error.h"

/* The mark, as metadata for a call of this process's own. What it points to stays. */
grpc_metadata loop_mark_metadata(void);

/* Whether the metadata that came with a call has the mark. */
bool loop_mark_is_there(const grpc_metadata *metadata, size_t count);

/* Puts the mark behind the first `forwardable` entries of what came with a call, which are those that go on to runtimes, and
   counts it there. What is behind them may get lost. */
void loop_mark_add(grpc_metadata_array *metadata, size_t *forwardable);

/* The refusal: FAILED_PRECONDITION. `listen` is the address of this gateway. Answers false. */
bool loop_mark_refuse(const char *listen, struct error *error);

/* Whether what a runtime says of a failure is that refusal, and nothing else: what runtimes quote, of a container or of whoever
   asked for one, must not count. */
bool loop_mark_is_refusal(enum status_code code, struct bytes details);

#endif
