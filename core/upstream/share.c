#include "share.h"

#include "base/system/clock.h"
#include "core/transport/c_core.h"
#include "core/upstream/ask.h"
#include "core/upstream/wait.h"

/* ---- equal calls ---- */

/* Of W3C Trace Context: it says who asks, not for what. */
static bool is_trace_context(const grpc_metadata *entry)
{
    struct bytes key = transport_slice_bytes(&entry->key);
    return bytes_equal(key, bytes_of_string("traceparent")) || bytes_equal(key, bytes_of_string("tracestate"));
}

/* The next entry that matters; NULL at the end. */
static const grpc_metadata *next_entry(const struct request *request, size_t *at)
{
    while (*at < request->forwardable && is_trace_context(&request->metadata.metadata[*at])) {
        ++*at;
    }
    return *at < request->forwardable ? &request->metadata.metadata[(*at)++] : NULL;
}

static bool same_metadata(const struct request *a, const struct request *b)
{
    size_t at = 0, other_at = 0;
    const grpc_metadata *entry, *other;
    do {
        entry = next_entry(a, &at);
        other = next_entry(b, &other_at);
    } while (entry && other && grpc_slice_eq(entry->key, other->key) && grpc_slice_eq(entry->value, other->value));
    return !entry && !other;
}

static bool may_be_waited_for(const struct upstream_call *leader, const struct upstream_call *upstream)
{
    const struct request *request = leader->seen.request;
    return wait_is_worth(leader, upstream) && request->method == upstream->seen.request->method &&
           leader->dialect == upstream->dialect && bytes_equal(leader->seen.sent, upstream->seen.sent) &&
           same_metadata(request, upstream->seen.request);
}

static struct upstream_call *find_leader(const struct upstream_call *upstream)
{
    struct shared_call *shared;
    LIST_FOREACH(shared, &upstream->seen.runtime->shared.asking, entry)
    {
        if (may_be_waited_for(wait_owner(shared), upstream)) {
            return wait_owner(shared);
        }
    }
    return NULL;
}

/* ---- the end of the leading call ---- */

/* As the transport reports it of a call of its own. */
static void give_up(struct upstream_call *upstream)
{
    upstream->seen.status = upstream->shared.cancelled ? GRPC_STATUS_CANCELLED : GRPC_STATUS_DEADLINE_EXCEEDED;
    upstream->exchange.details = grpc_slice_from_static_string(upstream->shared.cancelled ? "CANCELLED" : "Deadline Exceeded");
    upstream->sharing->answered(upstream);
}

/* The caller is gone, or the time is over. */
static void end_early(struct upstream_call *upstream)
{
    wait_end(upstream);
    give_up(upstream);
}

/* A call that ended like that may have ended because of its caller. */
static bool is_for_all(const struct upstream_call *leader)
{
    return leader->seen.status != GRPC_STATUS_CANCELLED && leader->seen.status != GRPC_STATUS_DEADLINE_EXCEEDED;
}

static void answer(struct upstream_call *upstream)
{
    upstream->seen.status = upstream->exchange.status;
    upstream->sharing->answered(upstream);
}

static void ask(struct upstream_call *upstream);

/* false: the transport refused, and it has ended. */
static bool lead(struct upstream_call *upstream);

static void ask_if_it_may(struct upstream_call *upstream)
{
    upstream->began = clock_ns();
    if (upstream->shared.cancelled || upstream->seen.request->cancelled) {
        give_up(upstream);
    } else if (upstream->sharing->may_ask(upstream)) {
        ask(upstream);
    }
}

/* The runtime has not left unanswered what its caller gave up: each may wait for the new call as long as that may take. */
static void begin_anew(struct shared_call_list *waiting)
{
    struct shared_call *shared;
    LIST_FOREACH(shared, waiting, entry)
    {
        struct upstream_call *upstream = wait_owner(shared);
        upstream->began = clock_ns();
        wait_renew(upstream, ask_deadline(upstream));
    }
}

/* What ends the one that should lead will probably end the others, too: each finds out in its turn. */
static void ask_anew(struct shared_call_list *waiting)
{
    struct upstream_call *upstream = wait_most_patient(waiting);
    if (upstream) {
        wait_end(upstream);
        upstream->began = clock_ns();
        if (upstream->sharing->may_ask(upstream) && lead(upstream)) {
            begin_anew(waiting);
            wait_move(waiting, &upstream->shared.waiting);
            return;
        }
    }
    wait_turns(waiting, ask_if_it_may);
}

static void on_led(struct upstream_call *leader)
{
    struct shared_call_list waiting;
    struct shared_call *shared;
    wait_close(leader, &waiting);
    bool for_all = is_for_all(leader);
    LIST_FOREACH(shared, &waiting, entry)
    {
        if (for_all) {
            exchange_share(&leader->exchange, &wait_owner(shared)->exchange);
        }
    }
    leader->sharing->answered(leader); /* it may be gone after that */
    if (for_all) {
        wait_turns(&waiting, answer);
    } else {
        ask_anew(&waiting);
    }
}

/* ---- asking ---- */

static void on_answered(struct upstream_call *upstream)
{
    if (method_changes_state(upstream->seen.request->method)) {
        runtime_has_changed(upstream->seen.request->generation->runtimes[upstream->seen.position]);
    }
    (upstream->shared.leads ? on_led : upstream->sharing->answered)(upstream);
}

static bool lead(struct upstream_call *upstream)
{
    if (!ask_runtime(upstream, on_answered)) {
        upstream->sharing->refused(upstream);
        return false;
    }
    if (upstream->seen.request->method->shared) {
        wait_open(upstream, &upstream->seen.runtime->shared.asking);
    }
    return true;
}

static void ask(struct upstream_call *upstream)
{
    struct upstream_call *leader = upstream->seen.request->method->shared ? find_leader(upstream) : NULL;
    if (leader) {
        wait_begin(leader, upstream, ask_deadline(upstream), end_early);
    } else {
        lead(upstream);
    }
}

void share_ask(struct upstream_call *upstream, const struct share_callbacks *callbacks)
{
    upstream->sharing = callbacks;
    ask(upstream);
}
