#include "share.h"

#include <grpc/support/time.h>

#include "core/base/clock.h"
#include "core/transport/c_core.h"
#include "core/upstream/ask.h"

/* An older call is not waited for. */
#define YOUNG_MS 1000

static struct upstream_call *call_of(struct shared_call *shared)
{
    return completion_owner(shared, struct upstream_call, shared);
}

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
    bool young = clock_ns() - leader->began <= YOUNG_MS * NANOSECONDS_A_MILLISECOND;
    return young && leader->shared.changes == upstream->seen.runtime->shared.changes && !request->cancelled &&
           request->method == upstream->seen.request->method && leader->dialect == upstream->dialect &&
           bytes_equal(leader->seen.sent, upstream->seen.sent) && same_metadata(request, upstream->seen.request);
}

static struct upstream_call *find_leader(const struct upstream_call *upstream)
{
    struct shared_call *shared;
    LIST_FOREACH(shared, &upstream->seen.runtime->shared.leading, entry)
    {
        if (may_be_waited_for(call_of(shared), upstream)) {
            return call_of(shared);
        }
    }
    return NULL;
}

/* ---- waiting ---- */

static void stop_waiting(struct upstream_call *upstream)
{
    LIST_REMOVE(&upstream->shared, entry);
    upstream->shared.waits = false;
    worker_disarm(upstream->seen.runtime->worker, &upstream->shared.timer);
    patience_end(&upstream->seen.runtime->patience, &upstream->waiting);
}

/* The caller is gone, or the time is over: as the transport reports it of a call of its own. */
static void end_early(struct upstream_call *upstream)
{
    stop_waiting(upstream);
    upstream->seen.status = upstream->shared.cancelled ? GRPC_STATUS_CANCELLED : GRPC_STATUS_DEADLINE_EXCEEDED;
    upstream->exchange.details = grpc_slice_from_static_string(upstream->shared.cancelled ? "CANCELLED" : "Deadline Exceeded");
    upstream->sharing->answered(upstream);
}

static void on_time(struct completion *completion, bool ok)
{
    (void)ok;
    end_early(call_of(completion_owner(completion, struct shared_call, timer.completion)));
}

static void arm_timer(struct upstream_call *upstream)
{
    gpr_timespec deadline = ask_deadline(upstream);
    upstream->shared.timer.completion.run = on_time;
    if (gpr_time_cmp(deadline, gpr_inf_future(deadline.clock_type)) != 0) {
        int64_t left = gpr_time_to_millis(gpr_time_sub(deadline, gpr_now(deadline.clock_type)));
        worker_arm(upstream->seen.runtime->worker, &upstream->shared.timer, left > 0 ? left : 0);
    }
}

static void wait_for(struct upstream_call *leader, struct upstream_call *upstream)
{
    struct runtime *runtime = upstream->seen.runtime;
    upstream->shared.waits = true;
    upstream->taken = runtime_channel(runtime, upstream->seen.request->method->service)->taken;
    LIST_INSERT_HEAD(&leader->shared.waiting, &upstream->shared, entry);
    arm_timer(upstream);
    if (upstream->watched) {
        runtime_watch(runtime, &upstream->waiting);
    }
}

/* ---- the end of the leading call ---- */

/* Takes all that wait out of a list whose head may be gone soon. */
static void take_all(struct shared_call_list *from, struct shared_call_list *to)
{
    *to = *from;
    LIST_INIT(from);
    if (!LIST_EMPTY(to)) {
        LIST_FIRST(to)->entry.le_prev = &to->lh_first;
    }
}

/* A call that ended like that may have ended because of its caller. */
static bool is_for_all(const struct upstream_call *leader)
{
    return leader->seen.status != GRPC_STATUS_CANCELLED && leader->seen.status != GRPC_STATUS_DEADLINE_EXCEEDED;
}

static void answer_all(struct shared_call_list *waiting)
{
    while (!LIST_EMPTY(waiting)) {
        struct upstream_call *upstream = call_of(LIST_FIRST(waiting));
        stop_waiting(upstream);
        upstream->seen.status = upstream->exchange.status;
        upstream->sharing->answered(upstream);
    }
}

/* Its answer can serve the others for longest. */
static struct upstream_call *most_patient(const struct shared_call_list *waiting)
{
    struct upstream_call *best = NULL;
    struct shared_call *shared;
    LIST_FOREACH(shared, waiting, entry)
    {
        struct upstream_call *upstream = call_of(shared);
        if (!upstream->shared.cancelled &&
            (!best || gpr_time_cmp(upstream->seen.request->deadline, best->seen.request->deadline) > 0)) {
            best = upstream;
        }
    }
    return best;
}

static void lead(struct upstream_call *upstream);

static void ask_anew(struct shared_call_list *waiting)
{
    struct upstream_call *upstream;
    while ((upstream = most_patient(waiting)) != NULL) {
        stop_waiting(upstream);
        upstream->began = clock_ns();
        if (upstream->sharing->may_ask(upstream)) {
            lead(upstream);
            if (upstream->shared.leads) {
                take_all(waiting, &upstream->shared.waiting);
                return;
            }
        }
    }
    while (!LIST_EMPTY(waiting)) {
        end_early(call_of(LIST_FIRST(waiting))); /* their callers are gone */
    }
}

static void on_led(struct upstream_call *leader)
{
    struct shared_call_list waiting;
    struct shared_call *shared;
    LIST_REMOVE(&leader->shared, entry);
    leader->shared.leads = false;
    take_all(&leader->shared.waiting, &waiting);
    bool for_all = is_for_all(leader);
    LIST_FOREACH(shared, &waiting, entry)
    {
        if (for_all) {
            exchange_share(&leader->exchange, &call_of(shared)->exchange);
        }
    }
    leader->sharing->answered(leader); /* it may be gone after that */
    (for_all ? answer_all : ask_anew)(&waiting);
}

/* ---- asking ---- */

static void on_answered(struct upstream_call *upstream)
{
    if (method_changes_state(upstream->seen.request->method)) {
        upstream->seen.runtime->shared.changes++;
    }
    (upstream->shared.leads ? on_led : upstream->sharing->answered)(upstream);
}

static void lead(struct upstream_call *upstream)
{
    if (!ask_runtime(upstream, on_answered)) {
        upstream->sharing->refused(upstream);
        return;
    }
    if (upstream->seen.request->method->shared) {
        struct shared_calls *calls = &upstream->seen.runtime->shared;
        upstream->shared.leads = true;
        upstream->shared.changes = calls->changes;
        LIST_INSERT_HEAD(&calls->leading, &upstream->shared, entry);
    }
}

void share_ask(struct upstream_call *upstream, const struct share_callbacks *callbacks)
{
    upstream->sharing = callbacks;
    struct upstream_call *leader = upstream->seen.request->method->shared ? find_leader(upstream) : NULL;
    if (leader) {
        wait_for(leader, upstream);
    } else {
        lead(upstream);
    }
}
