/* The gateway's plugins. On the worker's thread. */
#pragma once

#include <json-c/json.h>

#include "core/gateway/gateway.h"
#include "core/hooks/plugin_list.h"

/* Puts these plugins in force, and frees the list. NULL: hooks are off. */
void gateway_set_plugins(struct gateway *gateway, struct plugin_list *list);

/* What `crigate hooks` shows. NULL: no memory. */
struct json_object *gateway_hooks_status(struct gateway *gateway);
