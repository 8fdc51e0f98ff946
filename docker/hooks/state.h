/* What all requests share. For the files of this folder. */
#pragma once

#include "core/loop/memory_trim.h"
#include "core/plugins/after.h"
#include "core/store/fact_store.h"
#include "docker/hooks/client.h"
#include "docker/hooks/settings.h"

struct docker_rebuild;

struct docker_hooks {
    struct docker_hooks_settings settings;
    struct plugin_set plugins;
    struct after_hooks after;
    struct fact_store *store;     /* by Docker's whole ids */
    uint64_t made;                /* pods and containers that were learned of */
    struct docker_client *client; /* for what requests need to know */
    struct docker_rebuild *rebuild;
    struct log_limit unknown_logged; /* what plugins must know cannot be found out */
    struct memory_trim trim;         /* after requests with much to read, and lists */
    bool ending;                     /* nobody is to know that hooks after requests have ended */
};
