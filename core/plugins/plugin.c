#include "core/plugins/plugin.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"

/* How long until a plugin that hangs is probed first, and at most. */
#define FIRST_PROBE_MS 1000
#define LAST_PROBE_MS 30000
#define SETTINGS_SIZE 16384

/* Servers of gRPC answer a method that they do not have with UNIMPLEMENTED: that is an answer. */
#define PROBE_PATH "/grpc.health.v1.Health/Check"

struct plugin_question {
    struct plugin *plugin;
    struct query *query;
    plugin_answered *done;
    void *state;
    struct hook_stage stage;
    int64_t began;
    int64_t milliseconds; /* that it has */
};

/* ---- its life ---- */

static const struct plugin_settings *copy_settings(const struct plugin_settings *settings, struct arena *memory)
{
    struct plugin_settings *copy = memory ? arena_alloc(memory, sizeof *copy) : NULL;
    if (!copy) {
        return NULL;
    }
    *copy = *settings;
    copy->name = arena_string(memory, bytes_of_string(settings->name));
    copy->endpoint = arena_string(memory, bytes_of_string(settings->endpoint));
    return copy->name && copy->endpoint ? copy : NULL;
}

static void set_state(struct plugin *plugin, enum plugin_state state)
{
    if (plugin->state != state) {
        plugin->state = state;
        plugin->since = clock_ns();
    }
}

static void on_probe_due(struct completion *completion, bool ok);

static void on_channel_drained(struct channel *channel)
{
    struct plugin *plugin = completion_owner(channel, struct plugin, channel);
    for (size_t i = 0; i < sizeof plugin->counters.times / sizeof plugin->counters.times[0][0][0]; i++) {
        free((&plugin->counters.times[0][0][0])[i]);
    }
    arena_unref(plugin->memory);
    free(plugin);
}

struct plugin *plugin_new(const struct plugin_settings *settings, struct worker *worker)
{
    struct plugin *plugin = calloc(1, sizeof *plugin);
    struct arena *memory = arena_new(SETTINGS_SIZE);
    const struct plugin_settings *own = copy_settings(settings, memory);
    if (!plugin || !own) {
        arena_unref(memory);
        free(plugin);
        return NULL;
    }
    *plugin = (struct plugin){.references = 1,
                              .settings = own,
                              .memory = memory,
                              .worker = worker,
                              .since = clock_ns(),
                              .trust = FIRST_PROBE_MS,
                              .probe.completion.run = on_probe_due};
    channel_open(&plugin->channel, own->endpoint, HOOK_ANSWER_SIZE, worker, NULL, on_channel_drained);
    return plugin;
}

struct plugin *plugin_ref(struct plugin *plugin)
{
    plugin->references++;
    return plugin;
}

void plugin_unref(struct plugin *plugin)
{
    if (!plugin || --plugin->references > 0) {
        return;
    }
    worker_disarm(plugin->worker, &plugin->probe);
    if (plugin->probing) {
        query_cancel(plugin->probing);
    }
    channel_close(&plugin->channel);
}

void plugin_retire(struct plugin *plugin)
{
    plugin->retired = true;
    plugin_unref(plugin);
}

bool plugin_settings_equal(const struct plugin_settings *a, const struct plugin_settings *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->endpoint, b->endpoint) == 0 && a->protocol == b->protocol &&
           a->stages == b->stages && a->fail == b->fail && a->timeout == b->timeout;
}

const char *plugin_state_name(enum plugin_state state)
{
    static const char *const names[] = {[PLUGIN_AWAY] = "away", [PLUGIN_READY] = "ready", [PLUGIN_HANGING] = "hanging"};
    return names[state];
}

void plugin_look(struct plugin *plugin)
{
    if (plugin->state != PLUGIN_HANGING) {
        set_state(plugin, channel_is_up(&plugin->channel) ? PLUGIN_READY : PLUGIN_AWAY);
    }
}

bool plugin_refuses(const struct plugin *plugin)
{
    return plugin->settings->fail && (plugin->state != PLUGIN_READY || plugin->failing);
}

/* ---- a plugin that hangs ---- */

static void on_probed(void *state, const struct error *error, struct bytes answer)
{
    (void)answer;
    struct plugin *plugin = state;
    plugin->probing = NULL;
    if (error->code == STATUS_DEADLINE_EXCEEDED) {
        worker_arm(plugin->worker, &plugin->probe, plugin->trust);
        return;
    }
    plugin->silence = 0;
    plugin->mute = error->code == STATUS_UNAVAILABLE;
    set_state(plugin, plugin->mute ? PLUGIN_AWAY : PLUGIN_READY);
    log_line(LOG_SERIOUS, "plugin %s: %s", plugin->settings->name,
             plugin->mute ? "its connection has ended; its hooks are called again once there is a new one"
                          : "it answers again; its hooks are called again");
}

static void on_probe_due(struct completion *completion, bool ok)
{
    (void)ok;
    struct plugin *plugin = completion_owner(completion, struct plugin, probe.completion);
    /* A plugin that does not even read gets no more to read. */
    plugin->probing = plugin->channel.unsent > 0 ? NULL
                                                 : query_start(&plugin->channel, PROBE_PATH, (struct bytes){0},
                                                               plugin->settings->timeout, on_probed, plugin);
    if (!plugin->probing) {
        worker_arm(plugin->worker, &plugin->probe, plugin->trust);
    }
}

static void hang(struct plugin *plugin)
{
    if (plugin->state == PLUGIN_HANGING) {
        return;
    }
    set_state(plugin, PLUGIN_HANGING);
    log_line(LOG_SERIOUS, "plugin %s: hangs; its hooks %s until it answers a probe", plugin->settings->name,
             plugin->settings->fail ? "fail" : "are skipped");
    worker_arm(plugin->worker, &plugin->probe, plugin->trust);
    plugin->trust = plugin->trust * 2 < LAST_PROBE_MS ? plugin->trust * 2 : LAST_PROBE_MS;
}

/* ---- hooks ---- */

void plugin_failed(struct plugin *plugin, const struct error *error)
{
    unsigned left_out;
    plugin->counters.failures++;
    plugin->last_error = *error;
    plugin->failed_at = clock_ns();
    plugin->failing = true;
    if (log_limit_allows(&plugin->failure_logged, &left_out)) {
        log_line(LOG_SERIOUS, "%s%s", error->message, left_out > 0 ? " (and other failures of it since the last such line)" : "");
    }
}

static void count_stage(struct plugin *plugin, struct hook_stage stage, enum plugin_result result, int64_t taken)
{
    struct histogram **times = &plugin->counters.times[stage.point][stage.time][result];
    if (!*times) {
        *times = calloc(1, sizeof **times);
    }
    if (*times) {
        histogram_add(*times, taken);
    }
}

static void count_time(struct plugin *plugin, const struct plugin_question *question, enum plugin_result result)
{
    int64_t taken = clock_ns() - question->began;
    count_stage(plugin, question->stage, result, taken);
    plugin->counters.ended++;
    plugin->counters.total += taken;
    plugin->counters.longest = taken > plugin->counters.longest ? taken : plugin->counters.longest;
}

/* Of a millisecond: clocks differ, and timers are not exact. */
#define NEARLY_ALL (NANOSECONDS_A_MILLISECOND / 10 * 9)

/* Whether it let its time pass. It may answer that code itself, at once. */
static bool went_over(const struct plugin_question *question, const struct error *error)
{
    return error->code == STATUS_DEADLINE_EXCEEDED && clock_ns() - question->began >= question->milliseconds * NEARLY_ALL;
}

/* It went over the time of a hook. It hangs if that was its timeout, or if hooks of callers who had less time have waited for as
   long, and nothing came. What several waited for at once counts once. */
static void note_silence(struct plugin_question *question)
{
    struct plugin *plugin = question->plugin;
    int64_t now = clock_ns();
    plugin->silence += now - (question->began > plugin->silent_until ? question->began : plugin->silent_until);
    plugin->silent_until = now;
    if (question->milliseconds >= plugin->settings->timeout || plugin->silence >= plugin->settings->timeout * NEARLY_ALL) {
        plugin->silence = 0;
        hang(plugin);
    }
}

static void note_outcome(struct plugin_question *question, const struct error *error)
{
    struct plugin *plugin = question->plugin;
    bool too_late = went_over(question, error);
    count_time(plugin, question, too_late ? PLUGIN_TOO_LATE : error->code == STATUS_OK ? PLUGIN_ANSWERED : PLUGIN_FAILED);
    if (too_late) {
        note_silence(question);
        return;
    }
    plugin->silence = 0;
    if (error->code == STATUS_OK) {
        plugin->failing = false; /* unless its answer cannot be used: then plugin_failed follows */
        plugin->trust = FIRST_PROBE_MS;
        plugin->mute = false;
        if (plugin->missed) {
            log_notice("plugin %s: is available again", plugin->settings->name);
        }
        plugin->missed = false;
        if (plugin->state != PLUGIN_HANGING) {
            set_state(plugin, PLUGIN_READY);
        }
    } else if (error->code == STATUS_UNAVAILABLE && plugin->state != PLUGIN_HANGING) {
        plugin->missed = true;
        set_state(plugin, PLUGIN_AWAY);
    }
}

static void on_answered(void *state, const struct error *error, struct bytes answer)
{
    struct plugin_question *question = state;
    struct plugin *plugin = question->plugin;
    struct error failure = *error;
    if (went_over(question, error)) {
        bool whole = question->milliseconds >= plugin->settings->timeout;
        error_set(&failure, STATUS_DEADLINE_EXCEEDED, "plugin %s: no answer within %" PRId64 " ms%s", plugin->settings->name,
                  question->milliseconds, whole ? "" : ", half of the time that the caller had left");
        plugin_failed(plugin, &failure);
    } else if (error->code != STATUS_OK) {
        error_wrap(&failure, "plugin %s: %s", plugin->settings->name, status_code_name(error->code));
        plugin_failed(plugin, &failure);
    }
    note_outcome(question, error);
    question->done(question->state, &failure, answer);
    free(question);
    plugin_unref(plugin);
}

struct plugin_question *plugin_ask(struct plugin *plugin, struct hook_stage stage, struct bytes request, int64_t milliseconds,
                                   plugin_answered *done, void *state, struct error *error)
{
    const struct plugin_settings *settings = plugin->settings;
    if (plugin->state == PLUGIN_HANGING) {
        plugin->counters.avoided++;
        error_set(error, STATUS_UNAVAILABLE, "plugin %s: hangs; it did not answer within %u ms, nor a probe since",
                  settings->name, settings->timeout);
        return NULL;
    }
    if (plugin->mute && plugin->channel.state != CHANNEL_UP) {
        plugin->counters.avoided++;
        error_set(error, STATUS_UNAVAILABLE,
                  "plugin %s: it did not answer on its last connection, and has not answered on a new one yet", settings->name);
        return NULL;
    }
    struct plugin_question *question = calloc(1, sizeof *question);
    if (!question) {
        error_no_memory(error);
        return NULL;
    }
    milliseconds = milliseconds < settings->timeout ? milliseconds : settings->timeout;
    *question = (struct plugin_question){.plugin = plugin_ref(plugin),
                                         .done = done,
                                         .state = state,
                                         .stage = stage,
                                         .began = clock_ns(),
                                         .milliseconds = milliseconds};
    question->query =
        query_start(&plugin->channel, settings->protocol->path(stage), request, milliseconds, on_answered, question);
    if (!question->query) {
        free(question);
        plugin_unref(plugin);
        error_no_memory(error);
        return NULL;
    }
    plugin->counters.calls++;
    return question;
}

void plugin_cancel(struct plugin_question *question)
{
    struct plugin *plugin = question->plugin;
    query_cancel(question->query);
    free(question);
    plugin_unref(plugin);
}
