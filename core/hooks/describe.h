/* What `crigate hooks` shows. */
#pragma once

#include <json-c/json.h>

#include "core/hooks/hooks.h"

/* Sums for `crigate status`: see plugin_set_summary. The caller owns the object. */
struct json_object *hooks_summary(struct hooks *hooks);

/* Whether calls are refused now because of a plugin. */
bool hooks_refuse(const struct hooks *hooks);

/* Adds `plugins`, `after` and `known` to the object. */
void hooks_describe(struct hooks *hooks, struct json_object *object);
