#include "core/map/map.h"

#include <string.h>

#include "base/bytes/arena.h"

const char *const cgroup_driver_names[CGROUP_DRIVER_COUNT] = {
    [CGROUP_DRIVER_SYSTEMD] = "systemd",
    [CGROUP_DRIVER_CGROUPFS] = "cgroupfs",
};

const char *const compose_names[COMPOSE_COUNT] = {
    [COMPOSE_WITH_OTHERS] = "with-others",
    [COMPOSE_ALWAYS] = "always",
    [COMPOSE_NEVER] = "never",
};

const char *const when_away_names[WHEN_AWAY_COUNT] = {
    [WHEN_AWAY_LAST_KNOWN] = "last-known",
    [WHEN_AWAY_FAIL] = "fail",
    [WHEN_AWAY_OMIT] = "omit",
};

void runtime_map_free(struct runtime_map *map)
{
    if (map) {
        arena_unref(map->memory);
    }
}

const struct runtime_entry *runtime_map_find(const struct runtime_map *map, struct bytes name)
{
    for (size_t i = 0; i < map->runtime_count; i++) {
        if (bytes_equal(bytes_of_string(map->runtimes[i].name), name)) {
            return &map->runtimes[i];
        }
    }
    return NULL;
}

const struct map_socket *runtime_map_socket(const struct runtime_map *map, const char *path)
{
    if (strcmp(map->listen.path, path) == 0) {
        return &map->listen;
    }
    for (size_t i = 0; i < map->more_socket_count; i++) {
        if (strcmp(map->more_sockets[i].path, path) == 0) {
            return &map->more_sockets[i];
        }
    }
    return NULL;
}
