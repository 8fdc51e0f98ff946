/* The plugins that are called, in their order. On the worker's thread. */
#pragma once

#include "core/plugins/plugin.h"

/* Two plugins that change the same field: logged once. */
#define PLUGIN_CONFLICTS_LOGGED 64

struct plugin_set {
    struct worker *worker;
    struct plugin **plugins; /* in the order in which they are called; each referenced */
    size_t count;
    uint32_t stages;                             /* that some plugin wants: bits, see hook_stage_bit */
    uint64_t conflicts[PLUGIN_CONFLICTS_LOGGED]; /* digests of those that were logged */
    size_t conflict_count;
};

/* Without plugins. The worker must outlive it. */
void plugin_set_init(struct plugin_set *set, struct worker *worker);

/* Ends the connections; the set is without plugins then. */
void plugin_set_clear(struct plugin_set *set);

/* Puts these plugins in place of those before. A plugin whose settings are the same keeps its connection and its counters.
   The list stays the caller's; NULL: none. false: out of memory, and all is as it was; logged. */
bool plugin_set_put(struct plugin_set *set, const struct plugin_list *list);

/* Whether some plugin wants the stage. */
bool plugin_set_wants(const struct plugin_set *set, struct hook_stage stage);

/* Whether a plugin has a use for environments after a container was created. */
bool plugin_set_wants_environments(const struct plugin_set *set);

/* The plugins that want a stage, each referenced, in memory of the arena. NULL: out of memory. */
struct plugin **plugin_set_of_stage(const struct plugin_set *set, struct hook_stage stage, struct arena *arena, size_t *count);

/* Logs that the plugin changed what one before it had changed: once for each plugin and list of fields. */
void plugin_set_log_overwritten(struct plugin_set *set, const struct plugin *plugin, const char *fields);
