#include "core/plugins/round.h"

/* For one plugin's request and answer. */
#define QUESTION_MEMORY ((size_t)16 << 20)

struct plugin_round {
    struct plugin_round_call call;
    struct plugin **plugins; /* of the stage, referenced */
    size_t count;
    size_t next;
    struct plugin_question *question;
    struct arena *asked;          /* while there is a question: of the request, and of what is made of the answer */
    struct bytes sent;            /* the request */
    struct hook_sent *repeatable; /* of it, which an answer may repeat; NULL: not known, due to a lack of memory */
};

static void next_plugin(struct plugin_round *round);

static void report_done(const struct plugin_round *round, const struct error *error)
{
    round->call.callbacks->done(round->call.state, error);
}

/* ---- answers ---- */

static void log_changes(const struct plugin_round *round, const struct plugin *plugin, const struct hook_changes *changes)
{
    const struct hook_facts *facts = round->call.facts;
    bool of_pod = facts->container_id.len == 0;
    struct bytes id = of_pod ? facts->pod_id : facts->container_id;
    log_line(LOG_CHANGES, "plugin %s changed %s before %s%s%.*s", plugin->settings->name, changes->text, round->call.name,
             id.len == 0 ? ""
             : of_pod    ? " in pod "
                         : " of container ",
             BYTES_SHOWN(id, 64));
}

/* Takes what the plugin answered into the facts and into the request. */
static bool take_answer(struct plugin_round *round, struct plugin *plugin, struct bytes bytes, struct error *error)
{
    const struct plugin_round_call *call = &round->call;
    const struct hook_protocol *protocol = plugin->settings->protocol;
    struct hook_facts answer = {0};
    struct hook_facts merged = *call->facts;
    struct hook_changes changes = {0};
    struct bytes rest = bytes;
    if (round->repeatable && !protocol->rest(round->repeatable, bytes, round->asked, &rest, error)) {
        return false;
    }
    if (rest.len == 0) {
        return true;
    }
    if (!protocol->answer(call->stage, rest, round->asked, &answer, error) ||
        !hook_facts_limit(call->stage.point, &answer, round->asked, error) ||
        !hook_facts_merge(call->original, &merged, &answer, call->arena, &changes, error)) {
        return false;
    }
    if (!changes.changed) {
        return true;
    }
    if (!call->callbacks->take(call->state, &merged, error)) {
        return false;
    }
    plugin->counters.changes++;
    log_changes(round, plugin, &changes);
    if (changes.overwrote) {
        plugin_set_log_overwritten(call->set, plugin, changes.overwritten);
    }
    return true;
}

/* The plugin failed: its policy decides. false: the call fails. */
static bool tolerate(const struct plugin_round *round, const struct plugin *plugin, const struct error *failure)
{
    if (!plugin->settings->fail) {
        return true;
    }
    struct error error = *failure;
    error.code = STATUS_FAILED_PRECONDITION;
    report_done(round, &error);
    return false;
}

static void end_question(struct plugin_round *round)
{
    round->question = NULL;
    round->repeatable = NULL;
    arena_unref(round->asked);
    round->asked = NULL;
}

static void on_answered(void *state, const struct error *failure, struct bytes answer)
{
    struct plugin_round *round = state;
    struct plugin *plugin = round->plugins[round->next - 1];
    struct error error = *failure;
    if (error.code == STATUS_OK && !take_answer(round, plugin, answer, &error)) {
        error_wrap(&error, "plugin %s: its answer to %s is not used", plugin->settings->name, round->call.name);
        plugin_failed(plugin, &error);
    }
    end_question(round);
    if (error.code == STATUS_OK || tolerate(round, plugin, &error)) {
        next_plugin(round);
    }
}

/* ---- questions ---- */

/* false, with the reason: the plugin was not called. */
static bool ask(struct plugin_round *round, struct plugin *plugin, int64_t milliseconds, struct error *error)
{
    const struct plugin_round_call *call = &round->call;
    round->asked = arena_new(QUESTION_MEMORY);
    if (!round->asked || !plugin->settings->protocol->request(call->stage, call->facts, round->asked, &round->sent, error)) {
        end_question(round);
        error_wrap(error, "plugin %s: cannot send it a hook", plugin->settings->name);
        plugin_failed(plugin, error);
        return false;
    }
    round->question = plugin_ask(plugin, call->stage, round->sent, milliseconds, on_answered, round, error);
    if (!round->question) {
        end_question(round);
        return false;
    }
    return true;
}

/* What needs no answer is done while the plugin works. Without memory to compare the answer with the request, all of it is read.
 */
static void prepare_for_answer(struct plugin_round *round)
{
    const struct plugin_round_call *call = &round->call;
    const struct hook_protocol *protocol = round->plugins[round->next - 1]->settings->protocol;
    struct error error = {0};
    round->repeatable = protocol->prepare_rest(call->stage, round->sent, round->asked);
    if (!call->callbacks->reduce(call->state, &error)) {
        plugin_round_cancel(round);
        report_done(round, &error);
    }
}

static void next_plugin(struct plugin_round *round)
{
    const struct plugin_round_call *call = &round->call;
    struct error error = {0};
    int64_t milliseconds;
    while ((milliseconds = call->callbacks->patience(call->state)) > 0 && round->next < round->count) {
        struct plugin *plugin = round->plugins[round->next++];
        error = (struct error){0};
        if (ask(round, plugin, milliseconds, &error)) {
            prepare_for_answer(round);
            return;
        }
        if (!tolerate(round, plugin, &error)) {
            return;
        }
    }
    error = (struct error){0};
    if (milliseconds == 0) {
        error_set(&error, STATUS_CANCELLED, "the caller is gone");
    }
    report_done(round, &error);
}

/* ---- from outside ---- */

struct plugin_round *plugin_round_new(const struct plugin_round_call *call)
{
    struct plugin_round *round = arena_zalloc(call->arena, sizeof *round);
    if (!round) {
        return NULL;
    }
    round->call = *call;
    round->plugins = plugin_set_of_stage(call->set, call->stage, call->arena, &round->count);
    return round->plugins ? round : NULL;
}

bool plugin_round_can_fail(const struct plugin_round *round)
{
    bool can_fail = false;
    for (size_t i = 0; i < round->count; i++) {
        can_fail = can_fail || round->plugins[i]->settings->fail;
    }
    return can_fail;
}

void plugin_round_run(struct plugin_round *round)
{
    next_plugin(round);
}

const char *plugin_round_asks(const struct plugin_round *round)
{
    return round->question ? round->plugins[round->next - 1]->settings->name : NULL;
}

void plugin_round_skip(struct plugin_round *round)
{
    round->next = round->count;
}

void plugin_round_cancel(struct plugin_round *round)
{
    if (round->question) {
        plugin_cancel(round->question);
        end_question(round);
    }
}

void plugin_round_end(struct plugin_round *round)
{
    for (size_t i = 0; i < round->count; i++) {
        plugin_unref(round->plugins[i]);
    }
    round->count = 0;
}
