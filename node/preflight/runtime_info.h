/* What runtimes say about their own settings, besides CRI's fields. Pure. */
#pragma once

#include <stdbool.h>

#include <json-c/json.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "translate/compose/compose.h"

struct runtime_info {
    enum cgroup_driver cgroup_driver;
    bool nri; /* it says that NRI is on */
};

/* Reads a StatusResponse that was asked for with `verbose`: containerd has its configuration there. Anything unexpected counts as
   not said. */
void runtime_info_read(struct json_object *status, struct runtime_info *info);

/* The driver in a RuntimeConfigResponse. */
enum cgroup_driver runtime_config_driver(struct json_object *response);

/* The driver in what CRI-O answers to the HTTP request /info on its socket: head and body. */
enum cgroup_driver runtime_http_driver(struct bytes answer);

/* The log driver in what Docker Engine answers to the HTTP request /info on its socket: "json-file"; "" if it does not say. Lives
   in the arena, and cannot control a terminal. */
const char *runtime_http_log_driver(struct bytes answer, struct arena *arena);

/* "systemd", "cgroupfs", or "". */
const char *runtime_driver_name(enum cgroup_driver driver);
