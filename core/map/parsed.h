/* A runtime map while it is read: the map itself, and the place of each value in the files. */
#pragma once

#include "core/map/map.h"
#include "core/map/problems.h"
#include "core/map/values.h"

enum root_key {
    ROOT_LISTEN,
    ROOT_RUNTIMES,
    ROOT_ROUTING,
    ROOT_LIMITS,
    ROOT_EVENTS,
    ROOT_HOOKS,
    ROOT_METRICS,
    ROOT_AUDIT,
    ROOT_STATE,
    ROOT_KEYS,
};

enum listen_key {
    LISTEN_ADDRESS,
    LISTEN_MODE,
    LISTEN_GROUP,
    LISTEN_CALLERS,
    LISTEN_UIDS,
    LISTEN_GIDS,
    LISTEN_ACCESS,
    LISTEN_LIMITS,
    LISTEN_KEYS,
};

enum metrics_key {
    METRICS_LISTEN,
    METRICS_MODE,
    METRICS_GROUP,
    METRICS_KEYS,
};

enum runtime_key {
    RUNTIME_NAME, /* the first: all that an entry with force needs */
    RUNTIME_ENDPOINT,
    RUNTIME_IMAGE_ENDPOINT,
    RUNTIME_PRIMARY,
    RUNTIME_DEFAULT,
    RUNTIME_IDS,
    RUNTIME_NEW_PODS,
    RUNTIME_WHEN_AWAY,
    RUNTIME_BUDGET,
    RUNTIME_FORCE,
    RUNTIME_API,
    RUNTIME_IMAGE_API,
    RUNTIME_HANDLERS,
    RUNTIME_IMAGE_PREFIX,
    RUNTIME_STREAM_URL,
    RUNTIME_TRANSLATION,
    RUNTIME_CGROUP_DRIVER,
    RUNTIME_STORAGE,
    RUNTIME_HOOKS,
    RUNTIME_PULLS,
    RUNTIME_KEYS,
};

struct parsed_runtime {
    struct runtime_entry entry; /* a value with a mistake is NULL or the default here */
    struct value_api api;
    struct value_api image_api;
    struct parsed_handlers handlers;
    bool is_default;
    bool force;
    struct place place;                /* of the last entry for the runtime */
    struct place places[RUNTIME_KEYS]; /* of the values; line 0 for missing ones */
};

struct parsed_socket {
    struct map_socket entry; /* `limits` are 0 where none are set; the rest is set at the very end */
    struct value_group group;
    struct value_callers callers;
    struct id_list uids;
    struct id_list gids;
    bool is_mapping; /* which may lack the address */
    struct place place;
    struct place places[LISTEN_KEYS]; /* line 0 for missing ones */
};

struct parsed_map {
    struct runtime_map *map;       /* in the arena; `runtimes` is set at the very end */
    size_t size;                   /* of the files read so far */
    struct parsed_socket *sockets; /* at least one, but its address may be NULL */
    size_t socket_count;
    struct value_metrics_address metrics;
    mode_t metrics_mode;
    struct value_group metrics_group;
    const char *state;
    struct parsed_runtime *runtimes; /* with distinct names; after runtime_map_check without entries with force */
    size_t runtime_count;
    const char **removed; /* names of entries with force; set by runtime_map_check */
    size_t removed_count;
    struct place root; /* of the first document; line 0 while there is none */
    struct place places[ROOT_KEYS];
    struct place metrics_places[METRICS_KEYS];
    struct runtime_map_problems *problems;
};
