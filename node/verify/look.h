/* What verify looks at, found once. */
#pragma once

#include <json-c/json.h>

#include "core/control/bypass_record.h"
#include "core/map/load.h"
#include "node/kubelet/kubelet.h"
#include "node/systemd/systemd.h"

struct look_wish {
    const char *config; /* the runtime map */
    pid_t kubelet;      /* 0: find it */
    unsigned wait;      /* milliseconds to wait until all is well */
};

struct look {
    const char *config;
    bool bypassed;
    struct bypass_record bypass;
    bool bypass_left; /* one was not ended completely */
    bool systemd;     /* it is the service manager, and could be asked */
    struct systemd_unit unit, socket;
    struct systemd_unit docker; /* crigate-docker.service */
    struct error systemd_error;
    struct runtime_map *map; /* NULL: it has mistakes, or there is none */
    struct runtime_map_problems problems;
    bool map_missing;
    const char *control;        /* crigate's control socket */
    struct json_object *status; /* its answer; NULL: none arrived */
    struct error status_error;
    bool has_kubelet;
    struct kubelet kubelet;
    struct error kubelet_error;
    bool healthy; /* its /healthz, if it has one */
    struct error health_error;
};

/* Checks everything, again and again until all is well or the time is up. Strings live in the arena. */
void look_take(const struct look_wish *wish, struct arena *arena, struct look *look);

/* Whether nothing of crigate is on the node: no unit, no map, no process that answers, and no bypass. */
bool look_finds_nothing(const struct look *look);

/* Where crigate listens according to the map of the package and of `crigate install`. */
#define LOOK_DEFAULT_LISTEN "unix:///run/crigate/crigate.sock"

/* Whether crigate is in use: it answers, or listens and does not answer, is bypassed, runs or starts at boot as a unit, or the
   kubelet is to call it. With the package alone, or after an uninstallation, it is not. */
bool look_finds_use(const struct look *look);

/* The address at which crigate listens, by the map, or else as it says itself; NULL: not known. */
const char *look_listen(const struct look *look);

/* Frees what is not in the arena. */
void look_release(struct look *look);

/* Milliseconds since the latest call of a process, in crigate's status; -1: it is not connected, or has not called. */
int64_t look_last_call(struct json_object *status, pid_t pid);

/* No call for longer than this is a problem: a kubelet calls every second, at times every ten. */
#define LOOK_RECENT_MS 60000
