#include "core/gateway/hooks.h"

#include "base/json/build.h"
#include "core/hooks/describe.h"

void gateway_set_plugins(struct gateway *gateway, struct plugin_list *list)
{
    hooks_set_plugins(&gateway->hooks, list);
    plugin_list_free(list);
}

bool gateway_describe_hooks(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    (void)error;
    struct gateway *gateway = state;
    const struct runtime_map *map = gateway->generation->map;
    json_add(answer, "on", json_object_new_boolean(map->hooks.on));
    json_add(answer, "folder", json_object_new_string(map->hooks.folder));
    hooks_describe(&gateway->hooks, answer);
    return true;
}
