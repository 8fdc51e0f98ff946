/* Reloads of the runtime map, and what is watched for them. On the poll thread. */
#pragma once

#include "core/control/control.h"
#include "core/daemon/daemon.h"

/* Watches the files of the map, and the folder of plugins if it has hooks. */
bool reload_watch(struct daemon *daemon, struct error *error);

/* Reloads the map: for SIGHUP, or as soon as it is clear who owns the socket. */
void reload_now(struct daemon *daemon);

/* It is clear who owns the socket: reloads the map if that was wanted meanwhile. */
void reload_if_wanted(struct daemon *daemon);

/* The request CONTROL_RELOAD, whose state is the daemon. */
void reload_answer(struct control_connection *connection, const char *argument, void *state);

/* Opens the map's audit file, and closes any other. A gateway without its audit file is better than none: a failure is only
   logged. */
void reload_use_audit(const struct runtime_map *map);

/* The service manager's line for people: what the gateway says about itself, and whether the newest map was refused. On the
   worker. */
void reload_show_state(struct gateway *gateway);

/* How long a worker that is stuck may keep the poll thread waiting for that line: it writes it later. */
#define RELOAD_SHOW_MS 200
