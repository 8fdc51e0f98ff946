#include "core/gateway/hooks.h"

#include "base/json/build.h"
#include "core/hooks/describe.h"

void gateway_set_plugins(struct gateway *gateway, struct plugin_list *list)
{
    hooks_set_plugins(&gateway->hooks, list);
    plugin_list_free(list);
}

struct json_object *gateway_hooks_status(struct gateway *gateway)
{
    const struct runtime_map *map = gateway->generation->map;
    struct json_object *object = json_object_new_object();
    json_add(object, "on", json_object_new_boolean(map->hooks.on));
    json_add(object, "folder", json_object_new_string(map->hooks.folder));
    hooks_describe(&gateway->hooks, object);
    return object;
}
