/* Calls that come back: an endpoint of the runtime map that leads to this process itself, by a link or by way of another gateway,
   would make of one call as many as there is room for. Each call that goes to a runtime bears a mark, a random number of this
   process, behind those of the gateways before it; a call that arrives with it is refused, and who asked learns by the refusal
   what its runtime is. Several gateways in a chain are well. A mark is trusted for nothing else: who sends one can only have its
   own call refused. */
#ifndef CRIGATE_CORE_CIRCLE_H
#define CRIGATE_CORE_CIRCLE_H

#include <grpc/grpc.h>

#include "translate/bytes.h"
#include "translate/error.h"

/* The mark, as metadata for a call of this process's own. What it points to stays. */
grpc_metadata circle_mark(void);

/* Puts the mark behind the first `forwardable` entries of what came with a call, which are those that go on to runtimes, and
   counts it there. What is behind them may get lost. Answers whether it had been among them already. */
bool circle_note(grpc_metadata_array *metadata, size_t *forwardable);

/* The refusal: FAILED_PRECONDITION. `listen` is the address of this gateway. Answers false. */
bool circle_refuse(const char *listen, struct error *error);

/* Whether what a runtime says of a failure is that refusal. */
bool circle_is_told(enum status_code code, struct bytes details);

#endif
