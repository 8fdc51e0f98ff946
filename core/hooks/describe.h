/* What `crigate hooks` shows. */
#pragma once

#include <json-c/json.h>

#include "core/hooks/hooks.h"

/* Adds `plugins`, `after` and `known` to the object. */
void hooks_describe(struct hooks *hooks, struct json_object *object);
