/* A runtime map while it is read: the map itself and where everything stands in the file. */
#ifndef CRIGATE_CORE_RUNTIME_MAP_DRAFT_H
#define CRIGATE_CORE_RUNTIME_MAP_DRAFT_H

#include "core/runtime_map_problems.h"
#include "core/runtime_map_values.h"

enum root_key {
    ROOT_LISTEN,
    ROOT_RUNTIMES,
    ROOT_ROUTING,
    ROOT_LIMITS,
    ROOT_KEYS,
};

enum listen_key {
    LISTEN_ADDRESS,
    LISTEN_MODE,
    LISTEN_GROUP,
    LISTEN_CALLERS,
    LISTEN_KEYS,
};

enum runtime_key {
    RUNTIME_NAME,
    RUNTIME_ENDPOINT,
    RUNTIME_IMAGE_ENDPOINT,
    RUNTIME_PRIMARY,
    RUNTIME_API,
    RUNTIME_HANDLERS,
    RUNTIME_IMAGE_PREFIX,
    RUNTIME_STREAM_URL,
    RUNTIME_KEYS,
};

/* Parallel arrays in the arena. */
struct handlers_draft {
    struct runtime_handler *items;
    struct place *places;
    size_t count;
};

struct runtime_draft {
    struct runtime_entry entry; /* what is wrong in the file is NULL, or at its default, here */
    struct value_api api;
    struct handlers_draft handlers;
    struct place place;
    struct place places[RUNTIME_KEYS]; /* of the values; line 0 for what is not said */
};

struct map_draft {
    struct runtime_map *map; /* in the arena; `runtimes` is set at the very end */
    const char *listen;      /* the address */
    mode_t mode;
    struct value_group group;
    struct value_callers callers;
    struct runtime_draft *runtimes;
    size_t runtime_count;
    struct place places[ROOT_KEYS];
    struct place listen_places[LISTEN_KEYS];
    struct runtime_map_problems *problems;
};

/* Fills in the defaults that follow from other values, and checks what no value tells alone: names, sockets, handlers and images
   that two runtimes claim, and the one primary. Notes the mistakes. */
void runtime_map_check(struct map_draft *draft);

#endif
