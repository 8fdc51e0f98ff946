/* What the poll thread has the gateway do on its worker: anything, another map, other plugins. */
#pragma once

#include "core/control/report.h"
#include "core/gateway/gateway.h"
#include "core/map/map.h"
#include "core/plugins/registry.h"

/* A worker that takes longer for a request is stuck. */
#define WORKER_PATIENCE_MS 5000

/* Runs `act` on the worker, and waits for it. false: UNAVAILABLE if the worker has ended; otherwise it has not begun within this
   time and may run later, or memory is short. */
bool to_gateway(struct gateway *gateway, void (*act)(struct gateway *gateway), unsigned milliseconds, struct error *error);

/* gateway_reload on the worker. Owns the map from now on. */
bool to_gateway_reload(struct gateway *gateway, struct runtime_map *map, struct error *error);

/* The plugins that files name: what is read of their folder, and how it gets to the gateway. Zero-initialised, then
   plugin_supply_begin. */
struct plugin_supply {
    struct gateway *gateway;
    char *folder;                    /* of the map in force; NULL: hooks are off */
    unsigned timeout;                /* likewise */
    struct plugin_registry registry; /* what was read of the folder */
    bool undelivered;                /* the gateway may not have it */
};

/* Reads the plugins that the map allows, and gives them to a gateway that is not running yet. */
void plugin_supply_begin(struct plugin_supply *supply, struct gateway *gateway, const struct runtime_map *map);

/* Another map is in force. */
void plugin_supply_apply_map(struct plugin_supply *supply, const struct runtime_map *map);

/* Something in the folder may have changed. A change that the gateway did not take in time is tried again then. */
void plugin_supply_look(struct plugin_supply *supply);

/* Its part in reports: the problems of the plugins' files, as lines in CONTROL_HOOKS. State is the supply, on the poll thread. */
extern const struct control_report plugin_supply_reports[];

void plugin_supply_end(struct plugin_supply *supply);
