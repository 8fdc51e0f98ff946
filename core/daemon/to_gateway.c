#include "core/daemon/to_gateway.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "core/control/protocol.h"
#include "core/gateway/hooks.h"
#include "core/loop/worker_request.h"
#include "core/plugins/folder.h"

/* A worker that takes longer for a request is stuck. */
#define PATIENCE_MS 5000

/* Has the gateway use other plugins. */
struct plugins_request {
    struct worker_request request;
    struct gateway *gateway;
    struct plugin_list *plugins; /* until the gateway has them; NULL: hooks are off */
};

static void run_request(struct worker_request *request)
{
    struct plugins_request *own = (struct plugins_request *)(void *)request;
    gateway_set_plugins(own->gateway, own->plugins);
    own->plugins = NULL;
}

static void free_request(struct worker_request *request)
{
    struct plugins_request *own = (struct plugins_request *)(void *)request;
    plugin_list_free(own->plugins);
    free(own);
}

static bool send(struct plugin_supply *supply, struct error *error)
{
    struct plugins_request *own = calloc(1, sizeof *own);
    if (!own) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    worker_request_init(&own->request, run_request, free_request);
    own->gateway = supply->gateway;
    own->plugins = plugin_registry_share(&supply->registry);
    bool good = worker_request_send(&own->request, &supply->gateway->worker, PATIENCE_MS, error);
    worker_request_drop(&own->request);
    return good;
}

static void deliver(struct plugin_supply *supply)
{
    struct error error = {0};
    supply->undelivered = !send(supply, &error);
    if (supply->undelivered) {
        log_line(LOG_SERIOUS, "plugins: the change has not taken effect yet: %s", error.message);
    }
}

static bool read_folder(struct plugin_supply *supply)
{
    return plugin_registry_read(&supply->registry, supply->folder, supply->timeout);
}

/* Returns whether the plugins have changed. */
static bool adopt(struct plugin_supply *supply, const struct runtime_map *map)
{
    bool were_on = supply->folder != NULL;
    free(supply->folder);
    supply->folder = map->hooks.on ? strdup(map->hooks.folder) : NULL;
    supply->timeout = map->hooks.timeout;
    if (!supply->folder) {
        plugin_registry_clear(&supply->registry);
        return were_on;
    }
    plugin_folder_make(supply->folder);
    return read_folder(supply);
}

void plugin_supply_begin(struct plugin_supply *supply, struct gateway *gateway, const struct runtime_map *map)
{
    supply->gateway = gateway;
    if (adopt(supply, map)) {
        gateway_set_plugins(gateway, plugin_registry_share(&supply->registry));
    }
}

void plugin_supply_apply_map(struct plugin_supply *supply, const struct runtime_map *map)
{
    if (adopt(supply, map)) {
        deliver(supply);
    }
}

void plugin_supply_look(struct plugin_supply *supply)
{
    if (supply->folder && (read_folder(supply) || supply->undelivered)) {
        deliver(supply);
    }
}

static bool describe_problems(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    (void)error;
    const struct plugin_supply *supply = state;
    json_add(answer, CONTROL_PROBLEMS, plugin_registry_problems(&supply->registry));
    return true;
}

const struct control_report plugin_supply_reports[] = {{CONTROL_HOOKS, describe_problems}, {0}};

void plugin_supply_end(struct plugin_supply *supply)
{
    plugin_registry_clear(&supply->registry);
    free(supply->folder);
}
