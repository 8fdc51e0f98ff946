/* The gateway's plugins. On the worker's thread. */
#pragma once

#include <json-c/json.h>

#include "core/gateway/gateway.h"
#include "core/plugins/list.h"

/* Puts these plugins in force, and frees the list. NULL: hooks are off. */
void gateway_set_plugins(struct gateway *gateway, struct plugin_list *list);

/* For a report: adds `on`; `folder`; `plugins`, an array in the order in which they are called, each with `name`, `endpoint`,
   `protocol`, `policy` (Fail or Ignore), `timeoutMilliseconds`, `stages`, `state` (ready, away or hanging), `sinceMilliseconds`,
   `calls`, `failures`, `skipped`, `changes`, `lastError`, `lastErrorAgeMilliseconds`, `averageMicroseconds` and
   `longestMicroseconds`; `after`, the hooks after calls: `waiting`, `running`, `dropped`; `known`: `pods`, `containers`, `bytes`,
   `environmentBytes`. */
bool gateway_describe_hooks(void *state, const char *argument, struct json_object *answer, struct error *error);
