#include "core/map/read.h"

#include <string.h>

#include "base/system/unix_socket.h"
#include "core/map/check.h"
#include "core/map/listen.h"
#include "core/map/names.h"
#include "core/map/parsed.h"
#include "core/map/translation.h"
#include "core/map/values.h"
#include "core/map/yaml_reader.h"

#define MOST_RUNTIMES 256
#define MOST_SECTION_KEYS 16

/* More than files of that size can need, even with aliases that repeat parts of them. */
#define MEMORY_CAP (64 << 20)

static const struct runtime_map defaults = {
    .state = RUNTIME_MAP_DEFAULT_STATE,
    .routing = {.annotation = "kubernetes.io/target-runtime"},
    .events = {.compose = COMPOSE_WITH_OTHERS, .interval = 1000},
    .hooks = {.folder = RUNTIME_MAP_DEFAULT_PLUGINS,
              .timeout = 2000,
              .skip_label = "runtimeproxy.koordinator.sh/skip-hookserver",
              .skip_value = "true"},
    .metrics = {.mode = 0660, .gid = (gid_t)-1},
    .limits = {.message_size = 64 << 20,
               .list_items = 50000,
               .memory = (size_t)512 << 20,
               .connections = 1024,
               .idle = 300000,
               .calls = 4096,
               .streams = 256,
               .startup_grace = 5000,
               .shutdown_grace = 30000},
};

static const struct parsed_runtime default_runtime = {.entry = {.new_pods = true, .budget = 5000, .hooks = true}};

static const struct yaml_key runtime_keys[RUNTIME_KEYS] = {
    [RUNTIME_NAME] = {"name", true, offsetof(struct parsed_runtime, entry.name), value_runtime_name, NULL},
    [RUNTIME_ENDPOINT] = {"endpoint", true, offsetof(struct parsed_runtime, entry.endpoint), value_endpoint, NULL},
    [RUNTIME_IMAGE_ENDPOINT] = {"image_endpoint", false, offsetof(struct parsed_runtime, entry.image_endpoint), value_endpoint,
                                NULL},
    [RUNTIME_PRIMARY] = {"primary", false, offsetof(struct parsed_runtime, entry.primary), value_boolean, NULL},
    [RUNTIME_DEFAULT] = {"default", false, offsetof(struct parsed_runtime, is_default), value_boolean, NULL},
    [RUNTIME_IDS] = {"ids", false, offsetof(struct parsed_runtime, entry.plain_ids), value_ids, NULL},
    [RUNTIME_NEW_PODS] = {"new_pods", false, offsetof(struct parsed_runtime, entry.new_pods), value_boolean, NULL},
    [RUNTIME_WHEN_AWAY] = {"when_away", false, offsetof(struct parsed_runtime, entry.when_away), value_when_away, NULL},
    [RUNTIME_BUDGET] = {"budget", false, offsetof(struct parsed_runtime, entry.budget), value_budget, NULL},
    [RUNTIME_FORCE] = {"force", false, offsetof(struct parsed_runtime, force), value_boolean, NULL},
    [RUNTIME_API] = {"api", false, offsetof(struct parsed_runtime, api), value_api, NULL},
    [RUNTIME_IMAGE_API] = {"image_api", false, offsetof(struct parsed_runtime, image_api), value_api, NULL},
    [RUNTIME_HANDLERS] = {"handlers", false, offsetof(struct parsed_runtime, handlers), NULL, value_handlers},
    [RUNTIME_IMAGE_PREFIX] = {"image_prefix", false, offsetof(struct parsed_runtime, entry.image_prefix), value_image_prefix,
                              NULL},
    [RUNTIME_STREAM_URL] = {"stream_url", false, offsetof(struct parsed_runtime, entry.stream_url), value_stream_url, NULL},
    [RUNTIME_TRANSLATION] = {"translation", false, offsetof(struct parsed_runtime, entry.translation), NULL,
                             runtime_map_read_translation},
    [RUNTIME_CGROUP_DRIVER] = {"cgroup_driver", false, offsetof(struct parsed_runtime, entry.cgroup_driver), value_cgroup_driver,
                               NULL},
    [RUNTIME_STORAGE] = {"storage", false, offsetof(struct parsed_runtime, entry.storage), value_storage, NULL},
    [RUNTIME_PULLS] = {"pulls", false, offsetof(struct parsed_runtime, entry.pulls), value_pulls, NULL},
    [RUNTIME_HOOKS] = {"hooks", false, offsetof(struct parsed_runtime, entry.hooks), value_boolean, NULL},
};

/* false after it has added a mistake: the node is not a mapping. */
static bool read_runtime(struct yaml_reader *reader, yaml_node_t *node, struct parsed_runtime *runtime)
{
    runtime->place = yaml_place(reader, node);
    if (!yaml_read_mapping(reader, node, "runtime", runtime_keys, RUNTIME_KEYS, runtime, runtime->places)) {
        return false;
    }
    runtime->entry.api_set = runtime->api.set;
    runtime->entry.api = runtime->api.dialect;
    runtime->entry.image_api_set = runtime->image_api.set;
    runtime->entry.image_api = runtime->image_api.dialect;
    runtime->entry.handlers = runtime->handlers.items;
    runtime->entry.handler_count = runtime->handlers.count;
    return true;
}

/* The name in an entry of the list; NULL when it has none. */
static const char *name_in_entry(struct yaml_reader *reader, const yaml_node_t *node)
{
    const char *name_key = runtime_keys[RUNTIME_NAME].name;
    if (node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (const yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&reader->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
        if (key->type == YAML_SCALAR_NODE && strcmp((const char *)key->data.scalar.value, name_key) == 0) {
            return value->type == YAML_SCALAR_NODE ? (const char *)value->data.scalar.value : NULL;
        }
    }
    return NULL;
}

static struct parsed_runtime *find_runtime(struct parsed_map *parsed, const char *name)
{
    for (size_t i = 0; name && i < parsed->runtime_count; i++) {
        struct parsed_runtime *runtime = &parsed->runtimes[i];
        if (runtime->entry.name && strcmp(runtime->entry.name, name) == 0) {
            return runtime;
        }
    }
    return NULL;
}

static void note_second_entry(struct yaml_reader *reader, struct place place, const struct parsed_runtime *first)
{
    if (place.line > 0) {
        problems_add(reader->problems, place, "name: \"%s\" is already taken in %s; each needs its own", first->entry.name,
                     place_text(reader->problems, place, first->places[RUNTIME_NAME]).text);
    }
}

/* Reads an entry of the list over the entry of that name in an earlier file, or as a new runtime. A second entry of that name in
   one file is a mistake. It is read nevertheless, for its other mistakes. */
static void read_entry(struct yaml_reader *reader, yaml_node_t *node, struct parsed_map *parsed)
{
    struct parsed_runtime *known = find_runtime(parsed, name_in_entry(reader, node));
    if (known && known->place.file == reader->file) {
        struct parsed_runtime second = default_runtime;
        if (read_runtime(reader, node, &second)) {
            note_second_entry(reader, second.places[RUNTIME_NAME], known);
        }
    } else if (known) {
        read_runtime(reader, node, known);
    } else if (parsed->runtime_count == MOST_RUNTIMES) {
        problems_add(reader->problems, yaml_place(reader, node), "runtime: at most %d in all files together", MOST_RUNTIMES);
    } else {
        struct parsed_runtime *runtime = &parsed->runtimes[parsed->runtime_count];
        *runtime = default_runtime;
        parsed->runtime_count += read_runtime(reader, node, runtime) ? 1 : 0;
    }
}

/* Makes room for this many more runtimes. false when memory is short. */
static bool grow_runtimes(struct parsed_map *parsed, size_t count)
{
    size_t room = parsed->runtime_count + count;
    struct parsed_runtime *runtimes = arena_alloc(parsed->map->memory, room * sizeof *runtimes);
    if (!runtimes) {
        return false;
    }
    if (parsed->runtime_count > 0) {
        memcpy(runtimes, parsed->runtimes, parsed->runtime_count * sizeof *runtimes);
    }
    parsed->runtimes = runtimes;
    return true;
}

static void read_runtimes(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct parsed_map *parsed = value;
    if (node->type != YAML_SEQUENCE_NODE) {
        yaml_wrong_kind(reader, node, what, "a list (\"- name: ...\")");
        return;
    }
    size_t count = (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
    if (count == 0) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: the list is empty; name at least one runtime", what);
    } else if (count > MOST_RUNTIMES) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %zu runtimes; at most %d", what, count, MOST_RUNTIMES);
    } else if (!grow_runtimes(parsed, count)) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
    } else {
        for (size_t i = 0; i < count; i++) {
            read_entry(reader, yaml_document_get_node(&reader->document, node->data.sequence.items.start[i]), parsed);
        }
    }
}

/* Reads a section of optional keys, with offsets in struct runtime_map. */
static void read_section(struct yaml_reader *reader, yaml_node_t *node, const char *what, const struct yaml_key *keys,
                         size_t count, void *value)
{
    struct parsed_map *parsed = value;
    struct place places[MOST_SECTION_KEYS] = {0};
    yaml_read_mapping(reader, node, what, keys, count, parsed->map, places);
}

static void read_routing(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"annotation", false, offsetof(struct runtime_map, routing.annotation), value_annotation_key, NULL},
    };
    read_section(reader, node, what, keys, sizeof keys / sizeof keys[0], value);
}

static void read_limits(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"message_size", false, offsetof(struct runtime_map, limits.message_size), value_message_size, NULL},
        {"memory", false, offsetof(struct runtime_map, limits.memory), value_memory, NULL},
        {"list_items", false, offsetof(struct runtime_map, limits.list_items), value_list_items, NULL},
        {"connections", false, offsetof(struct runtime_map, limits.connections), value_connections, NULL},
        {"idle", false, offsetof(struct runtime_map, limits.idle), value_idle, NULL},
        {"calls", false, offsetof(struct runtime_map, limits.calls), value_calls, NULL},
        {"streams", false, offsetof(struct runtime_map, limits.streams), value_calls, NULL},
        {"startup_grace", false, offsetof(struct runtime_map, limits.startup_grace), value_duration, NULL},
        {"shutdown_grace", false, offsetof(struct runtime_map, limits.shutdown_grace), value_duration, NULL},
    };
    _Static_assert(sizeof keys / sizeof keys[0] <= MOST_SECTION_KEYS, "a place for each key");
    read_section(reader, node, what, keys, sizeof keys / sizeof keys[0], value);
}

static void read_events(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"compose", false, offsetof(struct runtime_map, events.compose), value_compose, NULL},
        {"interval", false, offsetof(struct runtime_map, events.interval), value_event_interval, NULL},
    };
    read_section(reader, node, what, keys, sizeof keys / sizeof keys[0], value);
}

static void read_skip(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"label", false, offsetof(struct runtime_map, hooks.skip_label), value_label_key, NULL},
        {"value", false, offsetof(struct runtime_map, hooks.skip_value), value_label_value, NULL},
    };
    struct place places[sizeof keys / sizeof keys[0]] = {0};
    yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], value, places);
}

static void read_audit(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"path", true, offsetof(struct runtime_map, audit.path), value_file, NULL},
    };
    struct parsed_map *parsed = value;
    struct place path = {0};
    if (yaml_read_mapping(reader, node, what, keys, 1, parsed->map, &path)) {
        yaml_note_missing(reader->problems, yaml_place(reader, node), what, keys, 1, &path);
    }
}

/* On or off; or a mapping, which means on. */
static void read_hooks(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"folder", false, offsetof(struct runtime_map, hooks.folder), value_plugin_folder, NULL},
        {"timeout", false, offsetof(struct runtime_map, hooks.timeout), value_hook_timeout, NULL},
        {"skip", false, 0, NULL, read_skip},
    };
    struct parsed_map *parsed = value;
    if (node->type == YAML_SCALAR_NODE) {
        yaml_read_scalar(reader, node, what, value_boolean, &parsed->map->hooks.on);
    } else if (node->type == YAML_MAPPING_NODE) {
        parsed->map->hooks.on = true;
        read_section(reader, node, what, keys, sizeof keys / sizeof keys[0], value);
    } else {
        yaml_wrong_kind(reader, node, what, "true, false or a mapping {folder: FOLDER, ...}");
    }
}

static void read_metrics(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[METRICS_KEYS] = {
        [METRICS_LISTEN] = {"listen", true, offsetof(struct parsed_map, metrics), value_metrics_address, NULL},
        [METRICS_MODE] = {"mode", false, offsetof(struct parsed_map, metrics_mode), value_mode, NULL},
        [METRICS_GROUP] = {"group", false, offsetof(struct parsed_map, metrics_group), value_group, NULL},
    };
    struct parsed_map *parsed = value;
    yaml_read_mapping(reader, node, what, keys, METRICS_KEYS, parsed, parsed->metrics_places);
}

/* Each section reads into the parsed map as a whole. */
static const struct yaml_key root_keys[ROOT_KEYS] = {
    [ROOT_LISTEN] = {"listen", true, 0, NULL, listen_read},
    [ROOT_RUNTIMES] = {"runtimes", true, 0, NULL, read_runtimes},
    [ROOT_ROUTING] = {"routing", false, 0, NULL, read_routing},
    [ROOT_LIMITS] = {"limits", false, 0, NULL, read_limits},
    [ROOT_EVENTS] = {"events", false, 0, NULL, read_events},
    [ROOT_HOOKS] = {"hooks", false, 0, NULL, read_hooks},
    [ROOT_METRICS] = {"metrics", false, 0, NULL, read_metrics},
    [ROOT_AUDIT] = {"audit", false, 0, NULL, read_audit},
    [ROOT_STATE] = {"state", false, offsetof(struct parsed_map, state), value_folder, NULL},
};

/* The names of the files, in the arena; NULL when memory is short. */
static const char **name_files(struct arena *memory, const struct runtime_map_text *texts, size_t count)
{
    const char **files = arena_alloc(memory, count * sizeof *files);
    for (size_t i = 0; files && i < count; i++) {
        files[i] = arena_string(memory, bytes_of_string(texts[i].path));
        if (!files[i]) {
            return NULL;
        }
    }
    return files;
}

/* A map of defaults in an arena of its own; NULL when memory is short. */
static struct runtime_map *map_new(const struct runtime_map_text *texts, size_t count)
{
    struct arena *memory = arena_new(MEMORY_CAP);
    if (!memory) {
        return NULL;
    }
    struct runtime_map *map = arena_alloc(memory, sizeof *map);
    const char **files = name_files(memory, texts, count);
    const char *folder = texts[0].in_no_file ? NULL : drop_in_folder(texts[0].path, memory);
    if (!map || !files || (!folder && !texts[0].in_no_file)) {
        arena_unref(memory);
        return NULL;
    }
    *map = defaults;
    map->memory = memory;
    map->file = files[0];
    map->files = files;
    map->file_count = count;
    map->drop_in_folder = folder;
    return map;
}

/* Makes the prefixes of ids and images. false when memory is short. */
static bool finish_prefixes(struct runtime_entry *entry, struct arena *memory)
{
    struct bytes prefix = bytes_of_string(entry->image_prefix);
    entry->id_beginning = arena_join(memory, (struct bytes[]){bytes_of_string(entry->name), bytes_of_string(ID_SEPARATOR)}, 2);
    if (prefix.len > 0) {
        entry->image_beginning = arena_join(memory, (struct bytes[]){prefix, bytes_of_string("/")}, 2);
    }
    return entry->id_beginning.data && (prefix.len == 0 || entry->image_beginning.data);
}

/* Makes the entry of its image service, if that is a peer of its own. false when memory is short. */
static bool finish_images(struct runtime_entry *entry, struct arena *memory)
{
    static const char suffix[] = "/images";
    bool same_socket = strcmp(entry->endpoint, entry->image_endpoint) == 0;
    if (same_socket && !entry->image_api_set) {
        return true;
    }
    struct runtime_entry *images = arena_alloc(memory, sizeof *images);
    struct bytes name = arena_join(memory, (struct bytes[]){bytes_of_string(entry->name), bytes_of(suffix, sizeof suffix)}, 2);
    if (!images || !name.data) {
        return false;
    }
    *images = *entry;
    images->name = (const char *)name.data;
    images->endpoint = entry->image_endpoint;
    images->api_set = entry->image_api_set;
    images->api = entry->image_api;
    images->only_images = true;
    entry->images = images;
    return true;
}

/* Moves the checked values into the map. false when memory is short. */
static bool finish(struct parsed_map *parsed)
{
    struct runtime_map *map = parsed->map;
    map->metrics.listen = parsed->metrics.text;
    if (parsed->metrics.text) {
        map->metrics.address =
            (const void *)arena_copy(map->memory, bytes_of(&parsed->metrics.address, sizeof parsed->metrics.address)).data;
        map->metrics.length = parsed->metrics.length;
    }
    map->metrics.mode = parsed->metrics_mode;
    map->metrics.group = parsed->metrics_group.name;
    map->metrics.gid = parsed->metrics_group.gid;
    map->state = parsed->state;
    map->removed_by_force = parsed->removed;
    map->removed_by_force_count = parsed->removed_count;
    struct runtime_entry *entries = arena_alloc(map->memory, parsed->runtime_count * sizeof *entries);
    if (!entries || !listen_finish(parsed) || (map->metrics.listen && !map->metrics.address)) {
        return false;
    }
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        entries[i] = parsed->runtimes[i].entry;
        if (!finish_prefixes(&entries[i], map->memory) || !finish_images(&entries[i], map->memory)) {
            return false;
        }
        map->primary = entries[i].primary ? i : map->primary;
        map->default_runtime = parsed->runtimes[i].is_default ? i : map->default_runtime;
    }
    map->runtimes = entries;
    map->runtime_count = parsed->runtime_count;
    return true;
}

/* Whether the file was read and is not too big, alone and with those before. Adds a mistake if not. */
static bool check_text(struct parsed_map *parsed, const struct runtime_map_text *text, struct place place)
{
    if (text->failure) {
        problems_add(parsed->problems, place, "cannot be read: %s", text->failure);
        return false;
    }
    if (text->size > RUNTIME_MAP_LARGEST) {
        problems_add(parsed->problems, place, "larger than %d bytes; a runtime map is a short file", RUNTIME_MAP_LARGEST);
        return false;
    }
    parsed->size += text->size;
    if (parsed->size > RUNTIME_MAP_LARGEST) {
        problems_add(parsed->problems, place,
                     "with this file, all files together have more than %d bytes; runtime maps are short", RUNTIME_MAP_LARGEST);
        return false;
    }
    return true;
}

/* false when the text is not YAML, so that the map as a whole cannot be checked. */
static bool read_text(struct parsed_map *parsed, const struct runtime_map_text *text, unsigned file)
{
    if (!check_text(parsed, text, (struct place){.file = file})) {
        return false;
    }
    struct yaml_reader reader = {.problems = parsed->problems, .memory = parsed->map->memory, .file = file};
    size_t errors = parsed->problems->errors;
    yaml_node_t *root = yaml_reader_open(&reader, text->text, text->size);
    bool good = root || parsed->problems->errors == errors;
    if (root) {
        parsed->root = parsed->root.line > 0 ? parsed->root : yaml_place(&reader, root);
        good = yaml_read_mapping(&reader, root, "file", root_keys, ROOT_KEYS, parsed, parsed->places);
    }
    yaml_reader_close(&reader);
    return good;
}

/* Adds what is missing and what does not fit together, once all files are read. */
static void check_whole(struct parsed_map *parsed)
{
    struct runtime_map_problems *problems = parsed->problems;
    if (parsed->root.line == 0) {
        problems_add(problems, parsed->root, "the map is empty; it needs at least \"listen\" and \"runtimes\"");
        return;
    }
    yaml_note_missing(problems, parsed->root, "file", root_keys, ROOT_KEYS, parsed->places);
    listen_note_missing(parsed);
    for (size_t i = 0; i < parsed->runtime_count; i++) {
        const struct parsed_runtime *runtime = &parsed->runtimes[i];
        yaml_note_missing(problems, runtime->place, "runtime", runtime_keys, runtime->force ? RUNTIME_NAME + 1 : RUNTIME_KEYS,
                          runtime->places);
    }
    runtime_map_check(parsed);
}

static void read_texts(struct parsed_map *parsed, const struct runtime_map_text *texts, size_t count)
{
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        good = read_text(parsed, &texts[i], (unsigned)i) && good;
    }
    if (good) {
        check_whole(parsed);
    }
    if (parsed->problems->errors == 0 && !finish(parsed)) {
        problems_add(parsed->problems, (struct place){0}, "out of memory");
    }
}

/* What "FOLDER", with quotes or a comment perhaps, means. NULL: it is not a path, or no memory is left. */
static char *folder_of(const char *text, size_t size)
{
    char *line = strndup(text, size);
    if (!line) {
        return NULL;
    }
    char *folder = line + strspn(line, " \t\"'");
    size_t length = strcspn(folder, "\"'#\r\n");
    while (length > 0 && strchr(" \t", folder[length - 1])) {
        length--;
    }
    char *found = folder[0] == '/' ? strndup(folder, length) : NULL;
    free(line);
    return found;
}

/* The line "state: FOLDER" of a text that is not YAML as a whole. NULL: it has none, or no memory is left. */
static char *state_line(const struct runtime_map_text *text)
{
    static const char key[] = "state:";
    const char *end = text->text + text->size;
    for (const char *line = text->text; line && line < end; line = memchr(line, '\n', (size_t)(end - line))) {
        line += *line == '\n';
        if ((size_t)(end - line) > strlen(key) && strncmp(line, key, strlen(key)) == 0) {
            const char *value = line + strlen(key);
            const char *stop = memchr(value, '\n', (size_t)(end - value));
            return folder_of(value, (size_t)((stop ? stop : end) - value));
        }
    }
    return NULL;
}

/* Mistakes elsewhere must not hide where the running process keeps its state. */
static void note_state(const struct parsed_map *parsed, const struct runtime_map_text *texts, size_t count)
{
    char **state = &parsed->problems->state;
    if (parsed->places[ROOT_STATE].line > 0) {
        *state = strdup(parsed->state);
        return;
    }
    for (size_t i = 0; i < count && !*state; i++) {
        *state = texts[i].text && texts[i].size <= RUNTIME_MAP_LARGEST ? state_line(&texts[i]) : NULL;
    }
}

struct runtime_map *runtime_map_parse_files(const struct runtime_map_text *texts, size_t count,
                                            struct runtime_map_problems *problems)
{
    *problems = (struct runtime_map_problems){0};
    struct parsed_map parsed = {.map = map_new(texts, count),
                                .metrics_mode = defaults.metrics.mode,
                                .metrics_group.gid = defaults.metrics.gid,
                                .state = defaults.state,
                                .problems = problems};
    if (!parsed.map) {
        problems_add(problems, (struct place){0}, "out of memory");
        return NULL;
    }
    problems_set_files(problems, parsed.map->files, count);
    read_texts(&parsed, texts, count);
    problems_sort(problems);
    if (problems->errors > 0) {
        note_state(&parsed, texts, count);
        runtime_map_free(parsed.map);
        return NULL;
    }
    return parsed.map;
}
