#include "core/hooks/call.h"

#include "core/hooks/time_left.h"
#include "core/plugins/round.h"

struct hook_call {
    struct call_facts subject;
    const struct hook_callbacks *callbacks;
    void *state;
    struct hook_facts original;        /* the facts before the first plugin, once they are reduced */
    bool left_alone;                   /* no plugin is called: by the pod's label, or because nothing is known */
    struct hook_adjustment adjustment; /* what is sent, if it was adjusted */
    struct plugin_round *round;        /* of the stage before the call; NULL: no memory */
    bool done;
    bool after; /* the stage after the call is due */
};

static void report_done(struct hook_call *call, const struct error *error)
{
    call->done = true;
    call->callbacks->done(call->state, error);
}

static struct hook_stage stage_of(const struct hook_call *call, enum hook_time time)
{
    return (struct hook_stage){call->subject.point, time};
}

/* ---- the turns of the plugins ---- */

/* What differs from the request as it came. */
static bool adjust(struct hook_call *call, const struct hook_facts *facts, struct hook_adjustment *adjustment)
{
    *adjustment = (struct hook_adjustment){0};
    if (call->subject.point == HOOK_RUN_POD) {
        adjustment->before[MODEL_POD] = call->subject.sent_pod;
        adjustment->after[MODEL_POD] = facts->pod;
    } else if (call->subject.point == HOOK_CREATE_CONTAINER) {
        struct bytes parent = hook_facts_cgroup_parent(facts->pod);
        bool changed = call->subject.parent_changed || !bytes_equal(parent, hook_facts_cgroup_parent(call->original.pod));
        adjustment->before[MODEL_POD] = adjustment->after[MODEL_POD] = call->subject.sent_pod;
        adjustment->before[MODEL_CONTAINER] = call->original.container;
        adjustment->after[MODEL_CONTAINER] = facts->container;
        return !changed ||
               hook_facts_set_cgroup_parent(call->subject.sent_pod, parent, call->subject.arena, &adjustment->after[MODEL_POD]);
    } else if (call->subject.point == HOOK_UPDATE_CONTAINER) {
        adjustment->before[MODEL_RESOURCES] = call->original.container;
        adjustment->after[MODEL_RESOURCES] = facts->container;
    }
    return true;
}

static bool convert(struct hook_call *call, const struct hook_facts *facts, struct error *error)
{
    struct hook_adjustment adjustment;
    if (!adjust(call, facts, &adjustment)) {
        return error_no_memory(error);
    }
    struct hook_adjustment before = call->adjustment;
    call->adjustment = adjustment;
    if (!call->callbacks->convert(call->state, &call->adjustment, error)) {
        call->adjustment = before;
        return false;
    }
    return true;
}

/* Leaves in the facts only what plugins may see, before the first answer is merged. false: the call fails. */
static bool reduce(struct hook_call *call, struct error *error)
{
    if (!call->subject.reduced && call_facts_reduce(&call->subject, error)) {
        call->original = call->subject.facts;
    }
    return call->subject.reduced;
}

static bool on_reduce(void *state, struct error *error)
{
    return reduce(state, error);
}

static bool on_take(void *state, const struct hook_facts *merged, struct error *error)
{
    struct hook_call *call = state;
    if (!convert(call, merged, error)) {
        return error_wrap(error, "its changes cannot be sent to runtime %s", call->subject.target.runtime->entry->name);
    }
    call->subject.facts = *merged;
    return true;
}

static int64_t on_patience(void *state)
{
    const struct request *request = ((const struct hook_call *)state)->subject.target.request;
    return request->cancelled ? 0 : time_left_half(request);
}

static void on_round_done(void *state, const struct error *error)
{
    report_done(state, error);
}

static const struct plugin_round_callbacks round_callbacks = {
    .patience = on_patience, .reduce = on_reduce, .take = on_take, .done = on_round_done};

/* ---- what is known ---- */

static bool is_skipped(const struct hook_call *call)
{
    const struct runtime_map *map = call->subject.target.request->generation->map;
    struct bytes value = hook_facts_label(call->subject.facts.pod, bytes_of_string(map->hooks.skip_label));
    return value.data && bytes_equal(value, bytes_of_string(map->hooks.skip_value));
}

static void log_unknown(const struct hook_call *call, const struct error *why)
{
    unsigned left_out;
    if (log_limit_allows(&call->subject.hooks->unknown_logged, &left_out)) {
        log_line(LOG_SERIOUS, "runtime %s: cannot give plugins complete pod data before %s: %s%s",
                 call->subject.target.runtime->entry->name, call->subject.target.request->method->name, why->message,
                 left_out > 0 ? " (and other calls since the last such line)" : "");
    }
}

/* The runtime answers calls for what it does not have by itself. */
static bool may_go_on(struct hook_call *call, const struct error *why)
{
    struct error error = *why;
    if (why->code == STATUS_OK) {
        return true;
    }
    /* A CreateContainer describes its pod. */
    call->left_alone = why->code == STATUS_NOT_FOUND || call->subject.point != HOOK_CREATE_CONTAINER;
    if (why->code == STATUS_NOT_FOUND) {
        return true;
    }
    if (!plugin_round_can_fail(call->round)) {
        log_unknown(call, why);
        return true;
    }
    error_wrap(&error, "cannot find the data that plugins need about this %s",
               call_facts_about_pod(call->subject.point) ? "pod" : "container");
    error.code = STATUS_FAILED_PRECONDITION;
    report_done(call, &error);
    return false;
}

static void on_found(struct call_facts *facts, const struct error *why)
{
    struct hook_call *call = completion_owner(facts, struct hook_call, subject);
    struct error error = {0};
    if (!may_go_on(call, why)) {
        return;
    }
    call->left_alone = call->left_alone || is_skipped(call);
    if (call->left_alone) {
        plugin_round_skip(call->round);
    }
    if (facts->point == HOOK_CREATE_CONTAINER && facts->parent_changed &&
        (!reduce(call, &error) || !convert(call, &facts->facts, &error))) {
        report_done(call, &error);
    } else {
        plugin_round_run(call->round);
    }
}

/* ---- from outside ---- */

static struct plugin_round *make_round(struct hook_call *call)
{
    const struct plugin_round_call of = {.set = &call->subject.hooks->plugins,
                                         .stage = stage_of(call, HOOK_BEFORE),
                                         .arena = call->subject.arena,
                                         .name = call->subject.target.request->method->name,
                                         .facts = &call->subject.facts,
                                         .original = &call->original,
                                         .callbacks = &round_callbacks,
                                         .state = call};
    return plugin_round_new(&of);
}

void hook_call_start(struct hooks *hooks, const struct hook_target *target, const struct hook_callbacks *callbacks, void *state,
                     struct hook_call **result)
{
    struct arena *arena = target->request->arena;
    struct hook_call *call = arena_zalloc(arena, sizeof *call);
    *result = call;
    if (call) {
        *call = (struct hook_call){.subject = {.hooks = hooks,
                                               .target = *target,
                                               .arena = arena,
                                               .point = target->request->method->hook,
                                               .found = on_found},
                                   .callbacks = callbacks,
                                   .state = state};
        call->round = make_round(call);
    }
    if (call && call->round) {
        call_facts_find(&call->subject);
    } else {
        struct error error;
        error_no_memory(&error);
        if (call) {
            report_done(call, &error);
        } else {
            callbacks->done(state, &error);
        }
    }
}

const char *hook_call_asks(const struct hook_call *call)
{
    return call->round ? plugin_round_asks(call->round) : NULL;
}

void hook_call_cancel(struct hook_call *call)
{
    if (call->done) {
        return;
    }
    plugin_round_cancel(call->round);
    call_facts_cancel(&call->subject);
    struct error error;
    error_set(&error, STATUS_CANCELLED, "the caller is gone");
    report_done(call, &error);
}

void hook_call_answered(struct hook_call *call, struct bytes new_id)
{
    call->after = call_facts_learn(&call->subject, new_id) && !call->left_alone;
}

void hook_call_end(struct hook_call *call)
{
    if (call->round) {
        plugin_round_end(call->round);
    }
    hooks_shorten(call->subject.hooks, call->subject.target.runtime);
    if (call->after) {
        struct hooks *hooks = call->subject.hooks;
        after_add(&hooks->after, &hooks->plugins, call->subject.target.runtime->slot, stage_of(call, HOOK_AFTER),
                  &call->subject.facts);
    }
}
