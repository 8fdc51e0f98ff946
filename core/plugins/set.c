#include "core/plugins/set.h"

#include <stdlib.h>

#include "base/system/keyed_hash.h"

void plugin_set_init(struct plugin_set *set, struct worker *worker)
{
    *set = (struct plugin_set){.worker = worker};
}

static void retire_all(struct plugin **plugins, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (plugins[i]) {
            plugin_retire(plugins[i]);
        }
    }
    free(plugins);
}

void plugin_set_clear(struct plugin_set *set)
{
    retire_all(set->plugins, set->count);
    set->plugins = NULL;
    set->count = 0;
    set->stages = 0;
}

/* The plugin of these settings, which passes from the ones before; else a new one. NULL: no memory. */
static struct plugin *take_plugin(struct plugin_set *set, const struct plugin_settings *settings)
{
    for (size_t i = 0; i < set->count; i++) {
        struct plugin *plugin = set->plugins[i];
        if (plugin && plugin_settings_equal(plugin->settings, settings)) {
            set->plugins[i] = NULL;
            return plugin;
        }
    }
    struct plugin *plugin = plugin_new(settings, set->worker);
    if (!plugin) {
        log_line(LOG_SERIOUS, "plugin %s is not used: out of memory", settings->name);
    }
    return plugin;
}

bool plugin_set_put(struct plugin_set *set, const struct plugin_list *list)
{
    size_t listed = list ? list->count : 0;
    struct plugin **plugins = calloc(listed + 1, sizeof(struct plugin *));
    size_t count = 0;
    if (!plugins) {
        log_line(LOG_SERIOUS, "the plugins remain unchanged: out of memory");
        return false;
    }
    set->stages = 0;
    for (size_t i = 0; i < listed; i++) {
        plugins[count] = take_plugin(set, &list->plugins[i]);
        if (plugins[count]) {
            set->stages |= plugins[count]->settings->stages;
            count++;
        }
    }
    retire_all(set->plugins, set->count);
    set->plugins = plugins;
    set->count = count;
    return true;
}

bool plugin_set_wants(const struct plugin_set *set, struct hook_stage stage)
{
    return set->stages & hook_stage_bit(stage);
}

bool plugin_set_wants_environments(const struct plugin_set *set)
{
    bool wants = plugin_set_wants(set, (struct hook_stage){HOOK_CREATE_CONTAINER, HOOK_AFTER});
    for (enum hook_point point = HOOK_START_CONTAINER; point <= HOOK_STOP_CONTAINER; point++) {
        wants = wants || plugin_set_wants(set, (struct hook_stage){point, HOOK_BEFORE}) ||
                plugin_set_wants(set, (struct hook_stage){point, HOOK_AFTER});
    }
    return wants;
}

struct plugin **plugin_set_of_stage(const struct plugin_set *set, struct hook_stage stage, struct arena *arena, size_t *count)
{
    struct plugin **plugins = arena_alloc(arena, (set->count + 1) * sizeof(struct plugin *));
    *count = 0;
    for (size_t i = 0; plugins && i < set->count; i++) {
        if (set->plugins[i]->settings->stages & hook_stage_bit(stage)) {
            plugins[(*count)++] = plugin_ref(set->plugins[i]);
        }
    }
    return plugins;
}

void plugin_set_log_overwritten(struct plugin_set *set, const struct plugin *plugin, const char *fields)
{
    static const struct hash_key everybodys = {{1, 1}};
    uint64_t digest =
        keyed_hash(&everybodys, bytes_of_string(fields)) ^ keyed_hash(&everybodys, bytes_of_string(plugin->settings->name));
    for (size_t i = 0; i < set->conflict_count; i++) {
        if (set->conflicts[i] == digest) {
            return;
        }
    }
    if (set->conflict_count < PLUGIN_CONFLICTS_LOGGED) {
        set->conflicts[set->conflict_count++] = digest;
        log_line(LOG_SERIOUS, "plugin %s overrides what an earlier plugin changed: %s", plugin->settings->name, fields);
    }
}
