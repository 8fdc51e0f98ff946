#include "core/calls/in_flight.h"

#include "core/calls/downstream_stream.h"
#include "core/knowledge/learn.h"

bool in_flight_is_replying(const struct call_server *server)
{
    const struct call *call = LIST_FIRST(&server->in_flight);
    while (call && call->state != CALL_REPLYING) {
        call = LIST_NEXT(call, flight);
    }
    return call != NULL;
}

static bool gets_on(const struct call *call)
{
    if (call->state == CALL_PARKED || call->state == CALL_FINDING_OWNER) {
        return true; /* both are bounded by themselves */
    }
    bool asks = call->state == CALL_ASKING || (call->state == CALL_STREAMING && call->list_stream);
    for (size_t i = 0; asks && i < call->route.count; i++) {
        if (generation_peer(call->request.generation, call->route.targets[i], call->request.method)->state == RUNTIME_READY) {
            return true;
        }
    }
    return false;
}

bool in_flight_gets_on(const struct call_server *server)
{
    const struct call *call = LIST_FIRST(&server->in_flight);
    while (call && !gets_on(call)) {
        call = LIST_NEXT(call, flight);
    }
    return call != NULL;
}

bool in_flight_may_make(const struct call_server *server)
{
    const struct call *call = LIST_FIRST(&server->in_flight);
    while (call && (call->state == CALL_REPLYING || (call->request.method && !learn_is_creation(call->request.method)))) {
        call = LIST_NEXT(call, flight);
    }
    return call != NULL;
}

void in_flight_end_streams(struct call_server *server)
{
    for (struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        if (call->downstream) {
            downstream_stop(call->downstream);
        }
    }
}

/* When the runtime got the request that it has not answered yet; 0: it has none of this call. */
static int64_t waits_since(const struct call *call, const struct runtime *runtime)
{
    for (size_t i = 0; call->state == CALL_ASKING && call->upstream_calls && i < call->route.count; i++) {
        const struct upstream_call *upstream = &call->upstream_calls[i];
        if (upstream->seen.runtime == runtime && upstream->state == UPSTREAM_ASKING) {
            return upstream->began;
        }
    }
    return 0;
}

void in_flight_oldest_by_method(const struct call_server *server, const struct runtime *runtime, int64_t *oldest)
{
    for (const struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        int64_t began = call->request.method ? waits_since(call, runtime) : 0;
        int64_t *first = began > 0 ? &oldest[call->request.method - methods] : NULL;
        if (first && (*first == 0 || began < *first)) {
            *first = began;
        }
    }
}

int64_t in_flight_oldest(const struct call_server *server, const struct runtime *runtime)
{
    int64_t oldest = 0;
    for (const struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        int64_t began = waits_since(call, runtime);
        if (began > 0 && (oldest == 0 || began < oldest)) {
            oldest = began;
        }
    }
    return oldest;
}
