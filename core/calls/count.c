#include "core/calls/call.h"

#include "base/system/clock.h"
#include "core/transport/c_core.h"

/* The row of the call, and the dialect of its caller. Before its request has arrived, only its path says so. */
static const struct method *method_of(const struct call *call, unsigned *caller)
{
    struct bytes path = transport_slice_bytes(&call->details.method);
    enum dialect dialect = call->request.caller;
    const struct method *method = call->request.stream ? call->request.stream : call->request.method;
    if (!method) {
        method = method_find(path, &dialect);
    }
    bool known = method || method_path_package(path, &dialect);
    *caller = known ? (unsigned)dialect : RPC_NO_CALLER;
    return method;
}

void call_count(struct call *call, enum status_code code)
{
    unsigned caller;
    struct rpc_counters *counters = &call->server->of_none;
    if (call->counted) {
        return;
    }
    call->counted = true;
    const struct method *method = method_of(call, &caller);
    if (method && call->route.count > 1) {
        counters = &call->server->of_several;
    } else if (method && call->route.count == 1) {
        counters = &generation_peer(call->request.generation, call->route.targets[0], method)->ended;
    }
    rpc_count(counters, method, caller, (unsigned)code, clock_ns() - call->started);
}
