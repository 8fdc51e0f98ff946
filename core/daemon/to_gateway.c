#include "core/daemon/to_gateway.h"

#include <stdlib.h>
#include <string.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "core/control/protocol.h"
#include "core/gateway/hooks.h"
#include "core/gateway/reload.h"
#include "core/loop/worker_request.h"
#include "core/plugins/folder.h"

/* One of the three. */
struct order {
    struct worker_request request;
    struct gateway *gateway;
    void (*act)(struct gateway *gateway);
    struct runtime_map *map;     /* until the gateway has it */
    struct plugin_list *plugins; /* likewise, without `act` and `map`; NULL: hooks are off */
    struct error error;
    bool good;
};

static void run_order(struct worker_request *request)
{
    struct order *order = (struct order *)(void *)request;
    order->good = true;
    if (order->act) {
        order->act(order->gateway);
    } else if (order->map) {
        order->good = gateway_reload(order->gateway, order->map, &order->error);
        order->map = NULL;
    } else {
        gateway_set_plugins(order->gateway, order->plugins);
        order->plugins = NULL;
    }
}

static void free_order(struct worker_request *request)
{
    struct order *order = (struct order *)(void *)request;
    runtime_map_free(order->map);
    plugin_list_free(order->plugins);
    free(order);
}

/* Owns what the order brings. */
static bool send(const struct order *content, unsigned milliseconds, struct error *error)
{
    struct order *order = malloc(sizeof *order);
    if (!order) {
        runtime_map_free(content->map);
        plugin_list_free(content->plugins);
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    *order = *content;
    worker_request_init(&order->request, run_order, free_order);
    bool good = worker_request_send(&order->request, &order->gateway->worker, milliseconds, error);
    if (good) {
        good = order->good;
        *error = order->error;
    }
    worker_request_drop(&order->request);
    return good;
}

bool to_gateway(struct gateway *gateway, void (*act)(struct gateway *gateway), unsigned milliseconds, struct error *error)
{
    return send(&(struct order){.gateway = gateway, .act = act}, milliseconds, error);
}

bool to_gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error)
{
    return send(&(struct order){.gateway = gateway, .map = map}, WORKER_PATIENCE_MS, error);
}

static void deliver(struct plugin_supply *supply)
{
    struct error error = {0};
    const struct order order = {.gateway = supply->gateway, .plugins = plugin_registry_share(&supply->registry)};
    supply->undelivered = !send(&order, WORKER_PATIENCE_MS, &error);
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
