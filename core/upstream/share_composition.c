#include "share_composition.h"

#include "core/base/clock.h"
#include "core/upstream/wait.h"

/* The questions are crigate's own: no metadata of callers goes with them. Names are those of the generation. */
static bool is_equal(const struct request *a, const struct request *b)
{
    return a->method == b->method && a->caller == b->caller && a->generation == b->generation && bytes_equal(a->bytes, b->bytes);
}

static struct upstream_call *find_leader(const struct upstream_call *upstream)
{
    struct shared_call *shared;
    LIST_FOREACH(shared, &upstream->seen.runtime->shared.composing, entry)
    {
        struct upstream_call *leader = wait_owner(shared);
        if (is_equal(leader->seen.request, upstream->seen.request) && wait_is_worth(leader, upstream)) {
            return leader;
        }
    }
    return NULL;
}

static void end_with(struct upstream_call *upstream, const struct error *error)
{
    const struct compose_result nothing = {.occasion = COMPOSE_LACKING, .outcome = COMPOSED_NOTHING, .error = *error};
    upstream->composed(upstream, &nothing);
}

static void end_early(struct upstream_call *upstream)
{
    struct error error;
    wait_end(upstream);
    if (upstream->shared.cancelled) {
        error_set(&error, STATUS_CANCELLED, "the caller is gone");
    } else {
        error_set(&error, STATUS_DEADLINE_EXCEEDED, "runtime %s did not answer before the deadline",
                  upstream->seen.runtime->entry->name);
    }
    end_with(upstream, &error);
}

/* ---- the end of the leading composition ---- */

/* What was composed is in the memory of the call that led. */
static void hand_out(struct shared_call_list *waiting, const struct compose_result *composed)
{
    while (!LIST_EMPTY(waiting)) {
        struct upstream_call *upstream = wait_owner(LIST_FIRST(waiting));
        struct compose_result own = *composed;
        wait_end(upstream);
        own.answer = arena_copy(upstream->arena, composed->answer);
        if (composed->answer.len > 0 && !own.answer.data) {
            own.outcome = COMPOSED_NOTHING;
            error_no_memory(&own.error);
        }
        upstream->composed(upstream, &own);
    }
}

static bool lead(struct upstream_call *upstream);

/* The others wait for the new one before it begins, because it may end at once. */
static void compose_anew(struct shared_call_list *waiting)
{
    static const struct error none = {0};
    struct upstream_call *upstream;
    while ((upstream = wait_most_patient(waiting)) != NULL) {
        wait_end(upstream);
        upstream->began = clock_ns();
        wait_move(waiting, &upstream->shared.waiting);
        if (lead(upstream)) {
            return;
        }
        wait_move(&upstream->shared.waiting, waiting);
        end_with(upstream, &none);
    }
    while (!LIST_EMPTY(waiting)) {
        end_early(wait_owner(LIST_FIRST(waiting))); /* their callers are gone */
    }
}

static void on_composed(struct upstream_call *leader, const struct compose_result *composed)
{
    struct shared_call_list waiting;
    bool for_all = composed->error.code != STATUS_CANCELLED && composed->error.code != STATUS_DEADLINE_EXCEEDED;
    wait_close(leader, &waiting);
    if (for_all) {
        hand_out(&waiting, composed);
    }
    leader->composed(leader, composed); /* it may be gone after that */
    if (!for_all) {
        compose_anew(&waiting);
    }
}

/* Listed before it begins, because it may end at once. false: no memory, or there is nothing to compose with. */
static bool lead(struct upstream_call *upstream)
{
    wait_open(upstream, &upstream->seen.runtime->shared.composing);
    if (compose_start(upstream, COMPOSE_LACKING, on_composed)) {
        return true;
    }
    LIST_REMOVE(&upstream->shared, entry);
    upstream->shared.leads = false;
    return false;
}

bool share_composition(struct upstream_call *upstream, compose_done *done)
{
    if (!upstream->seen.request->method->shared) {
        return compose_start(upstream, COMPOSE_LACKING, done);
    }
    upstream->composed = done;
    struct upstream_call *leader = find_leader(upstream);
    if (leader) {
        /* Each question of the composition has the runtime's budget, so the whole may take longer than one. */
        wait_begin(leader, upstream, upstream->seen.request->deadline, end_early);
        return true;
    }
    return lead(upstream);
}
