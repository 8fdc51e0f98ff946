#include "core/runtime_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/runtime_map_draft.h"
#include "core/yaml_reader.h"

#define LARGEST_FILE (1 << 20)
#define MOST_RUNTIMES 256
#define MOST_HANDLERS 256

/* More than any file of that size asks for, aliases that name a part of it many times included. */
#define MEMORY_CAP (64 << 20)

#define DEFAULT_MODE 0660
#define DEFAULT_ANNOTATION "kubernetes.io/target-runtime"
#define DEFAULT_MESSAGE_SIZE (64 << 20)
#define DEFAULT_CALLS 4096
#define DEFAULT_STARTUP_GRACE 5000
#define DEFAULT_SHUTDOWN_GRACE 30000

static void read_handler_list(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct handlers_draft *handlers)
{
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *name = yaml_document_get_node(&reader->document, *item);
        struct runtime_handler *handler = &handlers->items[handlers->count];
        if (yaml_read_scalar(reader, name, what, value_handler, &handler->name)) {
            handler->local_name = handler->name;
            handlers->places[handlers->count++] = yaml_place(name);
        }
    }
}

static void read_handler_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, struct handlers_draft *handlers)
{
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *name = yaml_document_get_node(&reader->document, pair->key);
        yaml_node_t *local_name = yaml_document_get_node(&reader->document, pair->value);
        struct runtime_handler *handler = &handlers->items[handlers->count];
        bool good = yaml_read_scalar(reader, name, what, value_handler, &handler->name);
        good = yaml_read_scalar(reader, local_name, what, value_local_handler, &handler->local_name) && good;
        if (good) {
            handlers->places[handlers->count++] = yaml_place(name);
        }
    }
}

static void read_handlers(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct handlers_draft *handlers = value;
    bool list = node->type == YAML_SEQUENCE_NODE;
    if (!list && node->type != YAML_MAPPING_NODE) {
        yaml_wrong_kind(reader, node, what, "a list [NAME, ...] or a mapping {NAME: RUNTIME'S NAME, ...}");
        return;
    }
    size_t count = list ? (size_t)(node->data.sequence.items.top - node->data.sequence.items.start)
                        : (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    if (count > MOST_HANDLERS) {
        problems_add(reader->problems, yaml_place(node), "%s: %zu handlers; at most %d for one runtime", what, count,
                     MOST_HANDLERS);
        return;
    }
    handlers->items = arena_zalloc(reader->memory, count * sizeof *handlers->items);
    handlers->places = arena_zalloc(reader->memory, count * sizeof *handlers->places);
    if (!handlers->items || !handlers->places) {
        problems_add(reader->problems, yaml_place(node), "%s: out of memory", what);
    } else if (list) {
        read_handler_list(reader, node, what, handlers);
    } else {
        read_handler_mapping(reader, node, what, handlers);
    }
}

static const struct yaml_key runtime_keys[RUNTIME_KEYS] = {
    [RUNTIME_NAME] = {"name", true, offsetof(struct runtime_draft, entry.name), value_runtime_name, NULL},
    [RUNTIME_ENDPOINT] = {"endpoint", true, offsetof(struct runtime_draft, entry.endpoint), value_socket, NULL},
    [RUNTIME_IMAGE_ENDPOINT] = {"image_endpoint", false, offsetof(struct runtime_draft, entry.image_endpoint), value_socket,
                                NULL},
    [RUNTIME_PRIMARY] = {"primary", false, offsetof(struct runtime_draft, entry.primary), value_boolean, NULL},
    [RUNTIME_API] = {"api", false, offsetof(struct runtime_draft, api), value_api, NULL},
    [RUNTIME_HANDLERS] = {"handlers", false, offsetof(struct runtime_draft, handlers), NULL, read_handlers},
    [RUNTIME_IMAGE_PREFIX] = {"image_prefix", false, offsetof(struct runtime_draft, entry.image_prefix), value_image_prefix,
                              NULL},
    [RUNTIME_STREAM_URL] = {"stream_url", false, offsetof(struct runtime_draft, entry.stream_url), value_stream_url, NULL},
};

static void read_runtime(struct yaml_reader *reader, yaml_node_t *node, struct runtime_draft *runtime)
{
    runtime->place = yaml_place(node);
    yaml_read_mapping(reader, node, "runtime", runtime_keys, RUNTIME_KEYS, runtime, runtime->places);
    runtime->entry.api_set = runtime->api.set;
    runtime->entry.api = runtime->api.dialect;
    runtime->entry.handlers = runtime->handlers.items;
    runtime->entry.handler_count = runtime->handlers.count;
}

static void read_runtimes(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct map_draft *draft = value;
    if (node->type != YAML_SEQUENCE_NODE) {
        yaml_wrong_kind(reader, node, what, "a list (\"- name: ...\")");
        return;
    }
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (count == 0) {
        problems_add(reader->problems, yaml_place(node), "%s: the list is empty; name at least one runtime, the primary", what);
        return;
    }
    if (count > MOST_RUNTIMES) {
        problems_add(reader->problems, yaml_place(node), "%s: %zu runtimes; at most %d", what, count, MOST_RUNTIMES);
        return;
    }
    draft->runtimes = arena_zalloc(reader->memory, count * sizeof *draft->runtimes);
    if (!draft->runtimes) {
        problems_add(reader->problems, yaml_place(node), "%s: out of memory", what);
        return;
    }
    draft->runtime_count = count;
    for (size_t i = 0; i < count; i++) {
        read_runtime(reader, yaml_document_get_node(&reader->document, node->data.sequence.items.start[i]), &draft->runtimes[i]);
    }
}

static void read_listen(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[LISTEN_KEYS] = {
        [LISTEN_ADDRESS] = {"address", true, offsetof(struct map_draft, listen), value_socket, NULL},
        [LISTEN_MODE] = {"mode", false, offsetof(struct map_draft, mode), value_mode, NULL},
        [LISTEN_GROUP] = {"group", false, offsetof(struct map_draft, group), value_group, NULL},
        [LISTEN_CALLERS] = {"callers", false, offsetof(struct map_draft, callers), value_callers, NULL},
    };
    struct map_draft *draft = value;
    if (node->type == YAML_SCALAR_NODE) {
        draft->listen_places[LISTEN_ADDRESS] = yaml_place(node);
        yaml_read_scalar(reader, node, what, value_socket, &draft->listen);
    } else {
        yaml_read_mapping(reader, node, what, keys, LISTEN_KEYS, draft, draft->listen_places);
    }
}

static void read_routing(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"annotation", false, offsetof(struct runtime_map, routing.annotation), value_annotation_key, NULL},
    };
    struct map_draft *draft = value;
    struct place places[sizeof keys / sizeof keys[0]];
    yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], draft->map, places);
}

static void read_limits(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"message_size", false, offsetof(struct runtime_map, limits.message_size), value_message_size, NULL},
        {"calls", false, offsetof(struct runtime_map, limits.calls), value_calls, NULL},
        {"startup_grace", false, offsetof(struct runtime_map, limits.startup_grace), value_duration, NULL},
        {"shutdown_grace", false, offsetof(struct runtime_map, limits.shutdown_grace), value_duration, NULL},
    };
    struct map_draft *draft = value;
    struct place places[sizeof keys / sizeof keys[0]];
    yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], draft->map, places);
}

/* Each section reads into the draft as a whole. */
static const struct yaml_key root_keys[ROOT_KEYS] = {
    [ROOT_LISTEN] = {"listen", true, 0, NULL, read_listen},
    [ROOT_RUNTIMES] = {"runtimes", true, 0, NULL, read_runtimes},
    [ROOT_ROUTING] = {"routing", false, 0, NULL, read_routing},
    [ROOT_LIMITS] = {"limits", false, 0, NULL, read_limits},
};

/* A map in an arena of its own with nothing but the defaults in it; NULL when memory is short. */
static struct runtime_map *map_new(const char *path)
{
    struct arena *memory = arena_new(MEMORY_CAP);
    if (!memory) {
        return NULL;
    }
    struct runtime_map *map = arena_zalloc(memory, sizeof *map);
    char *file = arena_string(memory, bytes_of_string(path));
    if (!map || !file) {
        arena_unref(memory);
        return NULL;
    }
    map->memory = memory;
    map->file = file;
    map->listen.mode = DEFAULT_MODE;
    map->routing.annotation = DEFAULT_ANNOTATION;
    map->limits.message_size = DEFAULT_MESSAGE_SIZE;
    map->limits.calls = DEFAULT_CALLS;
    map->limits.startup_grace = DEFAULT_STARTUP_GRACE;
    map->limits.shutdown_grace = DEFAULT_SHUTDOWN_GRACE;
    return map;
}

/* Moves what was read, and found good, into the map. false when memory is short. */
static bool finish(struct map_draft *draft)
{
    struct runtime_map *map = draft->map;
    map->listen.address = draft->listen;
    map->listen.path = draft->listen + strlen(SOCKET_SCHEME);
    map->listen.mode = draft->mode;
    map->listen.group = draft->group.name;
    map->listen.gid = draft->group.gid;
    map->listen.callers = draft->callers.release;
    map->listen.callers_lack_masked_paths = draft->callers.lack_masked_paths;
    struct runtime_entry *entries = arena_alloc(map->memory, draft->runtime_count * sizeof *entries);
    if (!entries) {
        return false;
    }
    for (size_t i = 0; i < draft->runtime_count; i++) {
        entries[i] = draft->runtimes[i].entry;
        map->primary = entries[i].primary ? i : map->primary;
    }
    map->runtimes = entries;
    map->runtime_count = draft->runtime_count;
    return true;
}

static void read_document(struct map_draft *draft, const char *text, size_t size)
{
    struct yaml_reader reader = {.problems = draft->problems, .memory = draft->map->memory};
    yaml_node_t *root = yaml_reader_open(&reader, text, size);
    if (root) {
        yaml_read_mapping(&reader, root, "file", root_keys, ROOT_KEYS, draft, draft->places);
        runtime_map_check(draft);
    } else if (draft->problems->errors == 0) {
        problems_add(draft->problems, (struct place){0}, "nothing is in it; at least \"listen\" and \"runtimes\" are needed");
    }
    yaml_reader_close(&reader);
}

struct runtime_map *runtime_map_parse(const char *path, const char *text, size_t size, struct runtime_map_problems *problems)
{
    *problems = (struct runtime_map_problems){0};
    if (size > LARGEST_FILE) {
        problems_add(problems, (struct place){0}, "larger than %d bytes; a runtime map is a short file", LARGEST_FILE);
        return NULL;
    }
    struct map_draft draft = {.map = map_new(path), .mode = DEFAULT_MODE, .group.gid = (gid_t)-1, .problems = problems};
    if (!draft.map) {
        problems_add(problems, (struct place){0}, "out of memory");
        return NULL;
    }
    read_document(&draft, text, size);
    if (problems->errors == 0 && !finish(&draft)) {
        problems_add(problems, (struct place){0}, "out of memory");
    }
    problems_sort(problems);
    if (problems->errors > 0) {
        runtime_map_free(draft.map);
        return NULL;
    }
    return draft.map;
}

/* Reads at most one byte more than is allowed. false with errno when the file cannot be read. */
static bool read_file(const char *path, char *text, size_t *size)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    *size = fread(text, 1, LARGEST_FILE + 1, file);
    int failure = ferror(file) ? errno : 0;
    fclose(file);
    errno = failure;
    return failure == 0;
}

struct runtime_map *runtime_map_load(const char *path, struct runtime_map_problems *problems)
{
    *problems = (struct runtime_map_problems){0};
    char *text = malloc(LARGEST_FILE + 1);
    size_t size = 0;
    struct runtime_map *map = NULL;
    if (!text) {
        problems_add(problems, (struct place){0}, "out of memory");
    } else if (!read_file(path, text, &size)) {
        problems_add(problems, (struct place){0}, "cannot be read: %s", strerror(errno));
    } else {
        map = runtime_map_parse(path, text, size, problems);
    }
    free(text);
    return map;
}

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
