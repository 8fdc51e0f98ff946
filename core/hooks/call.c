#include "core/hooks/call.h"

#include "core/base/keyed_hash.h"
#include "core/hooks/after.h"
#include "core/hooks/time_left.h"

/* For one plugin's request and answer. */
#define QUESTION_MEMORY ((size_t)16 << 20)

struct hook_call {
    struct call_facts subject;
    const struct hook_callbacks *callbacks;
    void *state;
    struct hook_facts original;        /* the facts before the first plugin, once they are reduced */
    bool left_alone;                   /* no plugin is called: by the pod's label, or because nothing is known */
    struct hook_adjustment adjustment; /* what is sent, if it was adjusted */
    struct plugin **plugins;           /* of the stage before the call, referenced */
    size_t count;
    size_t next;
    struct plugin_question *question;
    struct arena *asked;          /* while there is a question: of the request, and of what is made of the answer */
    struct bytes sent;            /* the request */
    struct hook_sent *repeatable; /* of it, which an answer may repeat; NULL: not known, for want of memory */
    bool done;
    bool after; /* the stage after the call is due */
};

static void next_plugin(struct hook_call *call);

static void report_done(struct hook_call *call, const struct error *error)
{
    call->done = true;
    call->callbacks->done(call->state, error);
}

static struct hook_stage stage_of(const struct hook_call *call, enum hook_time time)
{
    return (struct hook_stage){call->subject.point, time};
}

/* ---- plugins ---- */

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

/* Once for each pair of fields and plugin: kubelets make pods all the time. */
static void log_overwritten(struct hooks *hooks, const struct plugin *plugin, const struct hook_changes *changes)
{
    static const struct hash_key everybodys = {{1, 1}};
    uint64_t digest = keyed_hash(&everybodys, bytes_of_string(changes->overwritten)) ^
                      keyed_hash(&everybodys, bytes_of_string(plugin->settings->name));
    for (size_t i = 0; i < hooks->conflict_count; i++) {
        if (hooks->conflicts[i] == digest) {
            return;
        }
    }
    if (hooks->conflict_count < HOOK_CONFLICTS_LOGGED) {
        hooks->conflicts[hooks->conflict_count++] = digest;
        log_line(LOG_SERIOUS, "plugin %s changes what a plugin before it has changed, and wins: %s", plugin->settings->name,
                 changes->overwritten);
    }
}

static void log_changes(const struct hook_call *call, const struct plugin *plugin, const struct hook_changes *changes)
{
    bool of_pod = call->subject.facts.container_id.len == 0;
    struct bytes id = of_pod ? call->subject.facts.pod_id : call->subject.facts.container_id;
    log_line(LOG_CHANGES, "plugin %s changed %s before %s%s%.*s", plugin->settings->name, changes->text,
             call->subject.target.request->method->name,
             id.len == 0 ? ""
             : of_pod    ? " in pod "
                         : " of container ",
             BYTES_SHOWN(id, 64));
}

/* Takes what the plugin answered into the facts and into the request. */
static bool take_answer(struct hook_call *call, struct plugin *plugin, struct bytes bytes, struct error *error)
{
    const struct hook_protocol *protocol = plugin->settings->protocol;
    struct hook_stage stage = stage_of(call, HOOK_BEFORE);
    struct hook_facts answer = {0};
    struct hook_facts merged = call->subject.facts;
    struct hook_changes changes = {0};
    struct bytes rest = bytes;
    if (call->repeatable && !protocol->rest(call->repeatable, bytes, call->asked, &rest, error)) {
        return false;
    }
    if (rest.len == 0) {
        return true;
    }
    if (!protocol->answer(stage, rest, call->asked, &answer, error) ||
        !hook_facts_limit(call->subject.point, &answer, call->asked, error) ||
        !hook_facts_merge(&call->original, &merged, &answer, call->subject.arena, &changes, error)) {
        return false;
    }
    if (!changes.changed) {
        return true;
    }
    if (!convert(call, &merged, error)) {
        return error_wrap(error, "what it changed cannot be sent to runtime %s", call->subject.target.runtime->entry->name);
    }
    call->subject.facts = merged;
    plugin->counters.changes++;
    log_changes(call, plugin, &changes);
    if (changes.overwrote) {
        log_overwritten(call->subject.hooks, plugin, &changes);
    }
    return true;
}

/* The plugin failed: its policy decides. false: the call fails. */
static bool tolerate(struct hook_call *call, const struct plugin *plugin, const struct error *failure)
{
    if (!plugin->settings->fail) {
        return true;
    }
    struct error error = *failure;
    error.code = STATUS_FAILED_PRECONDITION;
    report_done(call, &error);
    return false;
}

static void end_question(struct hook_call *call)
{
    call->question = NULL;
    call->repeatable = NULL;
    arena_unref(call->asked);
    call->asked = NULL;
}

static void on_answered(void *state, const struct error *failure, struct bytes answer)
{
    struct hook_call *call = state;
    struct plugin *plugin = call->plugins[call->next - 1];
    struct error error = *failure;
    if (error.code == STATUS_OK && !take_answer(call, plugin, answer, &error)) {
        error_wrap(&error, "plugin %s: its answer to %s is not used", plugin->settings->name,
                   call->subject.target.request->method->name);
        plugin_failed(plugin, &error);
    }
    end_question(call);
    if (error.code == STATUS_OK || tolerate(call, plugin, &error)) {
        next_plugin(call);
    }
}

/* false, with the reason: the plugin was not called. */
static bool ask(struct hook_call *call, struct plugin *plugin, struct error *error)
{
    struct hook_stage stage = stage_of(call, HOOK_BEFORE);
    call->asked = arena_new(QUESTION_MEMORY);
    if (!call->asked || !plugin->settings->protocol->request(stage, &call->subject.facts, call->asked, &call->sent, error)) {
        end_question(call);
        error_wrap(error, "plugin %s: cannot be sent a hook", plugin->settings->name);
        plugin_failed(plugin, error);
        return false;
    }
    call->question =
        plugin_ask(plugin, stage, call->sent, time_left_half(call->subject.target.request), on_answered, call, error);
    if (!call->question) {
        end_question(call);
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

/* What needs no answer is done while the plugin works. Without memory to compare the answer with the request, all of it is read.
 */
static void prepare_for_answer(struct hook_call *call)
{
    const struct hook_protocol *protocol = call->plugins[call->next - 1]->settings->protocol;
    struct error error = {0};
    call->repeatable = protocol->prepare_rest(stage_of(call, HOOK_BEFORE), call->sent, call->asked);
    if (!reduce(call, &error)) {
        plugin_cancel(call->question);
        end_question(call);
        report_done(call, &error);
    }
}

static void next_plugin(struct hook_call *call)
{
    struct error error = {0};
    while (call->next < call->count) {
        struct plugin *plugin = call->plugins[call->next++];
        error = (struct error){0};
        if (call->subject.target.request->cancelled || ask(call, plugin, &error)) {
            break;
        }
        if (!tolerate(call, plugin, &error)) {
            return;
        }
    }
    if (call->question) {
        prepare_for_answer(call);
    } else {
        error = (struct error){0};
        if (call->subject.target.request->cancelled) {
            error_set(&error, STATUS_CANCELLED, "the caller is gone");
        }
        report_done(call, &error);
    }
}

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
        log_line(LOG_SERIOUS, "runtime %s: not all is known that plugins must know before %s: %s%s",
                 call->subject.target.runtime->entry->name, call->subject.target.request->method->name, why->message,
                 left_out > 0 ? " (and other calls since the last such line)" : "");
    }
}

/* The runtime answers calls for what it does not have by itself. */
static bool may_go_on(struct hook_call *call, const struct error *why)
{
    struct error error = *why;
    bool fails = false;
    for (size_t i = 0; i < call->count; i++) {
        fails = fails || call->plugins[i]->settings->fail;
    }
    if (why->code == STATUS_OK) {
        return true;
    }
    /* A CreateContainer describes its pod. */
    call->left_alone = why->code == STATUS_NOT_FOUND || call->subject.point != HOOK_CREATE_CONTAINER;
    if (why->code == STATUS_NOT_FOUND) {
        return true;
    }
    if (!fails) {
        log_unknown(call, why);
        return true;
    }
    error_wrap(&error, "what plugins must know of this %s cannot be found out",
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
        call->next = call->count;
    }
    if (facts->point == HOOK_CREATE_CONTAINER && facts->parent_changed &&
        (!reduce(call, &error) || !convert(call, &facts->facts, &error))) {
        report_done(call, &error);
    } else {
        next_plugin(call);
    }
}

/* ---- from outside ---- */

static bool collect_plugins(struct hook_call *call)
{
    const struct hooks *hooks = call->subject.hooks;
    call->plugins = arena_alloc(call->subject.arena, (hooks->plugin_count + 1) * sizeof(struct plugin *));
    for (size_t i = 0; call->plugins && i < hooks->plugin_count; i++) {
        if (hooks->plugins[i]->settings->stages & hook_stage_bit(stage_of(call, HOOK_BEFORE))) {
            call->plugins[call->count++] = plugin_ref(hooks->plugins[i]);
        }
    }
    return call->plugins != NULL;
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
    }
    if (call && collect_plugins(call)) {
        call_facts_find(&call->subject);
    } else {
        struct error error;
        error_no_memory(&error);
        callbacks->done(state, &error);
    }
}

void hook_call_cancel(struct hook_call *call)
{
    if (call->done) {
        return;
    }
    if (call->question) {
        plugin_cancel(call->question);
        end_question(call);
    }
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
    for (size_t i = 0; i < call->count; i++) {
        plugin_unref(call->plugins[i]);
    }
    call->count = 0;
    hooks_shorten(call->subject.hooks, call->subject.target.runtime);
    if (call->after) {
        after_add(call->subject.hooks, call->subject.target.runtime, stage_of(call, HOOK_AFTER), &call->subject.facts);
    }
}
