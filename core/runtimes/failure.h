/* What a failed call shows about the runtime, and why an answer is not accepted. */
#pragma once

#include "core/runtimes/runtime.h"

/* Whether a failure means that the runtime lacks the RPC. CRI-O and dockershim of Kubernetes 1.9 report that with the code
   UNKNOWN for statistics and filesystems. `text` is borrowed. */
bool runtime_status_means_lacking(enum status_code code, struct bytes text);

/* Call this if a call has failed: whether the reason was a lost connection, a runtime of another version (which
   is then probed again), or an endpoint that leads back here, and not the runtime's own answer. Then `error` is UNAVAILABLE with
   that reason. */
bool runtime_explain(struct runtime *runtime, grpc_status_code status, struct bytes details, struct error *error);

/* UNIMPLEMENTED for an answer that is compressed (transport_is_compressed). Always false. */
bool runtime_refuse_compression(const struct runtime *runtime, struct error *error);

/* RESOURCE_EXHAUSTED for a list with more items than limits.list_items. Always false. */
bool runtime_refuse_list(const struct runtime *runtime, struct error *error);
