#include "core/plugins/describe.h"

#include <stdio.h>

#include "base/json/build.h"
#include "base/system/clock.h"

static void add_number(struct json_object *object, const char *key, uint64_t number)
{
    json_add(object, key, json_object_new_int64((int64_t)number));
}

static void add_string(struct json_object *object, const char *key, const char *text)
{
    json_add(object, key, json_object_new_string(text));
}

static struct json_object *describe_stages(const struct plugin_settings *settings)
{
    struct json_object *names = json_object_new_array();
    for (enum hook_point point = HOOK_NONE; point < HOOK_POINT_COUNT; point++) {
        for (enum hook_time time = HOOK_BEFORE; time <= HOOK_AFTER; time++) {
            struct hook_stage stage = {point, time};
            if (settings->stages & hook_stage_bit(stage)) {
                json_append(names, json_object_new_string(settings->protocol->stage_name(stage)));
            }
        }
    }
    return names;
}

static struct json_object *describe_plugin(struct plugin *plugin)
{
    struct json_object *object = json_object_new_object();
    const struct plugin_settings *settings = plugin->settings;
    const struct plugin_counters *counters = &plugin->counters;
    int64_t now = clock_ns();
    add_string(object, "name", settings->name);
    add_string(object, "endpoint", settings->endpoint);
    add_string(object, "protocol", settings->protocol->name);
    add_string(object, "policy", settings->fail ? "Fail" : "Ignore");
    add_number(object, "timeoutMilliseconds", settings->timeout);
    json_add(object, "stages", describe_stages(settings));
    plugin_look(plugin);
    add_string(object, "state", plugin_state_name(plugin->state));
    if (plugin->state == PLUGIN_AWAY && plugin->channel.state == CHANNEL_FAILED) {
        char reason[256];
        snprintf(reason, sizeof reason, "nothing answers at %s%s", settings->endpoint, channel_failure(&plugin->channel));
        add_string(object, "reason", reason);
    }
    json_add(object, "failing", json_object_new_boolean(plugin->failing));
    add_number(object, "sinceMilliseconds", (uint64_t)((now - plugin->since) / NANOSECONDS_A_MILLISECOND));
    add_number(object, "calls", counters->calls);
    add_number(object, "failures", counters->failures);
    add_number(object, "skipped", counters->avoided);
    add_number(object, "changes", counters->changes);
    uint64_t ended = counters->ended;
    add_number(object, "averageMicroseconds", ended > 0 ? (uint64_t)counters->total / ended / 1000 : 0);
    add_number(object, "longestMicroseconds", (uint64_t)counters->longest / 1000);
    if (plugin->failed_at != 0) {
        add_string(object, "lastError", plugin->last_error.message);
        add_number(object, "lastErrorAgeMilliseconds", (uint64_t)((now - plugin->failed_at) / NANOSECONDS_A_MILLISECOND));
    }
    return object;
}

static struct json_object *describe_after(const struct after_hooks *after)
{
    size_t running = after_running(after);
    struct json_object *object = json_object_new_object();
    add_number(object, "waiting", after->count - running);
    add_number(object, "running", running);
    add_number(object, "dropped", after->dropped);
    return object;
}

struct json_object *plugin_set_summary(struct plugin_set *set, const struct after_hooks *after)
{
    struct json_object *object = json_object_new_object(), *refusing = json_object_new_array();
    uint64_t not_ready = 0;
    uint64_t calls = 0;
    uint64_t failures = 0;
    for (size_t i = 0; i < set->count; i++) {
        plugin_look(set->plugins[i]);
        not_ready += set->plugins[i]->state != PLUGIN_READY;
        if (plugin_refuses(set->plugins[i])) {
            json_append(refusing, json_object_new_string(set->plugins[i]->settings->name));
        }
        calls += set->plugins[i]->counters.calls;
        failures += set->plugins[i]->counters.failures;
    }
    add_number(object, "plugins", set->count);
    add_number(object, "notReady", not_ready);
    add_number(object, "calls", calls);
    add_number(object, "failures", failures);
    add_number(object, "dropped", after->dropped);
    json_add(object, "refusing", refusing);
    return object;
}

bool plugin_set_refuses(const struct plugin_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        plugin_look(set->plugins[i]);
        if (plugin_refuses(set->plugins[i])) {
            return true;
        }
    }
    return false;
}

void plugin_set_describe(struct plugin_set *set, const struct after_hooks *after, struct json_object *object)
{
    struct json_object *plugins = json_object_new_array();
    for (size_t i = 0; i < set->count; i++) {
        json_append(plugins, describe_plugin(set->plugins[i]));
    }
    json_add(object, "plugins", plugins);
    json_add(object, "after", describe_after(after));
}

static void add_times(const struct plugin *plugin, struct hook_stage stage, struct metric_samples *samples)
{
    static const char *const results[PLUGIN_RESULTS] = {
        [PLUGIN_ANSWERED] = "ok", [PLUGIN_FAILED] = "failed", [PLUGIN_TOO_LATE] = "timeout"};
    for (unsigned result = 0; result < PLUGIN_RESULTS; result++) {
        const struct histogram *times = plugin->counters.times[stage.point][stage.time][result];
        if (times) {
            metric_add_histogram(
                samples, METRIC_HOOK_DURATION, times,
                (const char *[]){plugin->settings->name, plugin->settings->protocol->stage_name(stage), results[result]});
        }
    }
}

void plugin_set_add_metrics(struct plugin_set *set, struct metric_samples *samples)
{
    for (size_t i = 0; i < set->count; i++) {
        struct plugin *plugin = set->plugins[i];
        plugin_look(plugin);
        metric_add(samples, METRIC_PLUGIN_UP, plugin->state == PLUGIN_READY, (const char *[]){plugin->settings->name});
        for (enum hook_point point = HOOK_NONE; point < HOOK_POINT_COUNT; point++) {
            for (enum hook_time time = HOOK_BEFORE; time <= HOOK_AFTER; time++) {
                add_times(plugin, (struct hook_stage){point, time}, samples);
            }
        }
    }
}
