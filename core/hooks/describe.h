/* What `crigate hooks` shows. */
#pragma once

#include <json-c/json.h>

#include "core/hooks/hooks.h"

/* Sums for `crigate status`: `plugins` and `notReady`, their number; `calls`, `failures` and `dropped` of all of them together.
   The caller owns the object. */
struct json_object *hooks_summary(struct hooks *hooks);

/* Adds `plugins`, `after` and `known` to the object. */
void hooks_describe(struct hooks *hooks, struct json_object *object);
