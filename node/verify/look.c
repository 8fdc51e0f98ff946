#include "look.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/system/clock.h"
#include "base/system/interrupt.h"
#include "core/control/client.h"
#include "core/control/crigate_status.h"
#include "core/map/shim.h"
#include "node/deploy/bypass.h"
#include "node/deploy/map_file.h"
#include "node/kubelet/healthz.h"

#define BETWEEN_LOOKS 500
#define HEALTHZ_TIMEOUT 5000

static const char *control_of(const struct look *look, struct arena *arena)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/" CONTROL_SOCKET_NAME, runtime_map_state(look->map, &look->problems));
    const char *copy = arena_string(arena, bytes_of_string(path));
    return copy ? copy : "";
}

/* ---- what is asked again ---- */

int64_t look_last_call(struct json_object *status, pid_t pid)
{
    int64_t latest = -1;
    struct json_object *callers = json_member(status, "callers");
    size_t count = json_count(callers);
    for (size_t i = 0; i < count; i++) {
        struct json_object *caller = json_object_array_get_idx(callers, i);
        struct json_object *number = json_member(caller, "pid"), *last = json_member(caller, "last_call_ms");
        if (number && json_object_get_int64(number) == pid && last) {
            int64_t since = json_object_get_int64(last);
            latest = latest < 0 || since < latest ? since : latest;
        }
    }
    return latest;
}

static void ask(struct look *look)
{
    json_object_put(look->status);
    look->status_error = look->health_error = (struct error){0};
    look->status = crigate_status(look->control, &look->status_error);
    look->healthy = look->has_kubelet && (!look->kubelet.healthz_address ||
                                          healthz_ask(look->kubelet.healthz_address, HEALTHZ_TIMEOUT, &look->health_error));
}

static bool is_well(const struct look *look)
{
    struct error ignored;
    int64_t last = look->has_kubelet ? look_last_call(look->status, look->kubelet.pid) : -1;
    return look->healthy && look->status && crigate_status_primary_ready(look->status, &ignored) && last >= 0 &&
           last < LOOK_RECENT_MS;
}

/* ---- the whole ---- */

void look_take(const struct look_wish *wish, struct arena *arena, struct look *look)
{
    int64_t end = clock_ms() + wish->wait;
    struct kubelet_search search = {.pid = wish->kubelet};
    *look = (struct look){.config = wish->config};
    look->bypassed = bypass_record_find(&look->bypass);
    look->bypass_left = !look->bypassed && access(BYPASS_TMPFILES_PATH, F_OK) == 0;
    look->systemd = systemd_is_running() && systemd_show("crigate.service", arena, &look->unit, &look->systemd_error) &&
                    systemd_show("crigate.socket", arena, &look->socket, &look->systemd_error) &&
                    systemd_show(DOCKER_SHIM_UNIT, arena, &look->docker, &look->systemd_error);
    look->map = runtime_map_load(wish->config, &look->problems);
    look->map_missing = !look->map && access(wish->config, F_OK) != 0;
    look->control = control_of(look, arena);
    look->has_kubelet = kubelet_find(&search, arena, &look->kubelet, &look->kubelet_error);
    ask(look);
    while (!look->bypassed && !is_well(look) && clock_ms() < end && interrupt_sleep(BETWEEN_LOOKS)) {
        if (!look->has_kubelet || look->kubelet.pid == 0) {
            look->has_kubelet = kubelet_find(&search, arena, &look->kubelet, &look->kubelet_error);
        }
        ask(look);
    }
}

bool look_finds_nothing(const struct look *look)
{
    return !look->unit.loaded && look->map_missing && !look->status && !look->bypassed;
}

static bool is_used(const struct systemd_unit *unit)
{
    return unit->loaded && (!systemd_state_is(unit->active, "inactive") || systemd_state_is(unit->enabled, "enabled"));
}

bool look_finds_use(const struct look *look)
{
    const char *listen = look_listen(look);
    bool called = look->has_kubelet && same_socket(look->kubelet.runtime_endpoint.value, listen ? listen : LOOK_DEFAULT_LISTEN);
    bool listens = look->status || look->status_error.code == STATUS_DEADLINE_EXCEEDED;
    return listens || look->bypassed || look->bypass_left || is_used(&look->unit) || is_used(&look->socket) || called;
}

const char *look_listen(const struct look *look)
{
    return look->map ? look->map->listen.address : json_object_get_string(json_member(look->status, "listen"));
}

void look_release(struct look *look)
{
    json_object_put(look->status);
    runtime_map_problems_clear(&look->problems);
    runtime_map_free(look->map);
}
