/* Plugins as JSON, for people and for `crigate status`. */
#pragma once

#include <json-c/json.h>

#include "core/metrics/sample.h"
#include "core/plugins/after.h"

/* Sums: `plugins` and `notReady`, their number; `calls`, `failures` and `dropped` of all of them together; `refusing`, the names
   of those because of which calls are refused now (plugin_refuses). The caller owns the object. */
struct json_object *plugin_set_summary(struct plugin_set *set, const struct after_hooks *after);

/* Whether calls are refused now because of one of them. */
bool plugin_set_refuses(const struct plugin_set *set);

/* Adds the metrics of the plugins, which are the same after each new connection. */
void plugin_set_add_metrics(struct plugin_set *set, struct metric_samples *samples);

/* Adds `plugins`, each with its state and counters, and `after`, the queue, to the object. */
void plugin_set_describe(struct plugin_set *set, const struct after_hooks *after, struct json_object *object);
