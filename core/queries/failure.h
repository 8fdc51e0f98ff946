/* What a failed call reports of the runtime, and why an answer is not taken. */
#pragma once

#include "core/runtimes/runtime.h"

/* Whether a failure means that the runtime does not have the RPC. CRI-O and dockershim of Kubernetes 1.9 report so for statistics
   and filesystems with the code UNKNOWN. `text` is borrowed. */
bool runtime_status_means_lacking(enum status_code code, struct bytes text);

/* A call to that service failed with a status: whether that was because the connection was lost, or the runtime was replaced by
   another version (then it is probed again), or leads back here, and not its own answer. Then `error` is UNAVAILABLE with that
   reason.
 */
bool runtime_explain(struct runtime *runtime, enum service service, grpc_status_code status, struct bytes details,
                     struct error *error);

/* UNIMPLEMENTED for an answer that is compressed (transport_is_compressed). Always false. */
bool runtime_refuse_compression(const struct runtime *runtime, struct error *error);

/* RESOURCE_EXHAUSTED for a list with more items than limits.list_items. Always false. */
bool runtime_refuse_list(const struct runtime *runtime, struct error *error);
