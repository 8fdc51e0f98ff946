#include "share_composition.h"

#include <stdlib.h>

#include "base/system/clock.h"
#include "core/transport/c_core.h"
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

static void give_up(struct upstream_call *upstream)
{
    struct error error;
    if (upstream->shared.cancelled || upstream->seen.request->cancelled) {
        error_set(&error, STATUS_CANCELLED, "the caller is gone");
    } else {
        error_set(&error, STATUS_DEADLINE_EXCEEDED, "runtime %s did not answer before the deadline",
                  upstream->seen.runtime->entry->name);
    }
    end_with(upstream, &error);
}

static void end_early(struct upstream_call *upstream)
{
    wait_end(upstream);
    give_up(upstream);
}

/* ---- the end of the leading composition ---- */

/* What was composed, for all that waited for it. */
struct shared_composition {
    size_t users;
    struct compose_result result; /* without the answer */
    grpc_slice answer;            /* in the memory of the call that led */
};

/* Each has a copy of its own, which may be sent as it is, and later than the others'. */
static bool copy_answer(struct upstream_call *upstream, struct bytes answer, struct compose_result *own)
{
    if (own->outcome != COMPOSED_ANSWER) {
        return true;
    }
    if (!upstream->owner->callbacks->has_memory(upstream->owner->state, &own->error)) {
        return false;
    }
    own->answer = arena_copy(upstream->arena, answer);
    return answer.len == 0 || own->answer.data || error_no_memory(&own->error);
}

static void take_composed(struct upstream_call *upstream)
{
    struct shared_composition *given = upstream->composition;
    struct compose_result own = given->result;
    if (!copy_answer(upstream, transport_slice_bytes(&given->answer), &own)) {
        own.outcome = COMPOSED_NOTHING;
    }
    upstream->composition = NULL;
    if (--given->users == 0) {
        grpc_slice_unref(given->answer);
        free(given);
    }
    upstream->composed(upstream, &own);
}

static void end_without_memory(struct upstream_call *upstream)
{
    struct error error;
    error_no_memory(&error);
    end_with(upstream, &error);
}

static void hand_out(struct upstream_call *leader, struct shared_call_list *waiting, const struct compose_result *composed)
{
    struct shared_call *shared;
    struct shared_composition *given = LIST_EMPTY(waiting) ? NULL : calloc(1, sizeof *given);
    if (!given) {
        wait_turns(waiting, end_without_memory);
        return;
    }
    given->result = *composed;
    given->result.answer = (struct bytes){0};
    given->answer = transport_slice(composed->answer, leader->arena);
    LIST_FOREACH(shared, waiting, entry)
    {
        wait_owner(shared)->composition = given;
        given->users++;
    }
    wait_turns(waiting, take_composed);
}

static bool lead(struct upstream_call *upstream);

static bool wait_or_lead(struct upstream_call *upstream)
{
    struct upstream_call *leader = find_leader(upstream);
    if (leader) {
        /* Each question of the composition has the runtime's budget, so the whole may take longer than one. */
        wait_begin(leader, upstream, upstream->seen.request->deadline, end_early);
    }
    return leader || lead(upstream);
}

/* Each in its turn, if the one that should lead could not. */
static void compose(struct upstream_call *upstream)
{
    static const struct error none = {0};
    upstream->began = clock_ns();
    if (upstream->shared.cancelled || upstream->seen.request->cancelled) {
        give_up(upstream);
    } else if (!wait_or_lead(upstream)) {
        end_with(upstream, &none);
    }
}

/* The others wait for the new one before it begins, because it may end at once. */
static void compose_anew(struct shared_call_list *waiting)
{
    static const struct error none = {0};
    struct upstream_call *upstream = wait_most_patient(waiting);
    if (upstream) {
        wait_end(upstream);
        upstream->began = clock_ns();
        wait_move(waiting, &upstream->shared.waiting);
        if (lead(upstream)) {
            return;
        }
        wait_move(&upstream->shared.waiting, waiting);
        end_with(upstream, &none);
    }
    wait_turns(waiting, compose);
}

static void on_composed(struct upstream_call *leader, const struct compose_result *composed)
{
    struct shared_call_list waiting;
    bool for_all = composed->error.code != STATUS_CANCELLED && composed->error.code != STATUS_DEADLINE_EXCEEDED;
    wait_close(leader, &waiting);
    if (for_all) {
        hand_out(leader, &waiting, composed);
    }
    leader->composed(leader, composed); /* it may be gone after that */
    if (!for_all) {
        compose_anew(&waiting);
    }
}

/* Listed before it begins, because it may end at once. false: there is nothing to compose with. */
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
    return wait_or_lead(upstream);
}
