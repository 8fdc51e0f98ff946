#include "codegen/methods.h"

#include <string.h>

#include "codegen/memory.h"

struct word {
    const char *name;
    const char *constant;
};

static const struct word routes[] = {
    {"primary", "ROUTE_PRIMARY"},
    {"pod", "ROUTE_POD"},
    {"container", "ROUTE_CONTAINER"},
    {"new_pod", "ROUTE_NEW_POD"},
    {"image", "ROUTE_IMAGE"},
    {"pull", "ROUTE_PULL"},
    {"all", "ROUTE_ALL"},
    {NULL, NULL},
};

static const struct word merges[] = {
    {"none", "MERGE_NONE"},
    {"concat", "MERGE_CONCAT"},
    {"primary", "MERGE_PRIMARY"},
    {"status", "MERGE_STATUS"},
    {"filesystems", "MERGE_FILESYSTEMS"},
    {"descriptors", "MERGE_DESCRIPTORS"},
    {"events", "MERGE_EVENTS"},
    {NULL, NULL},
};

static const struct word lackings[] = {
    {"refuse", "LACKING_REFUSE"},
    {"omit", "LACKING_OMIT"},
    {NULL, NULL},
};

static const struct word aways[] = {
    {"fail", "AWAY_FAIL"},
    {"omit", "AWAY_OMIT"},
    {"known", "AWAY_KNOWN"},
    {NULL, NULL},
};

static const struct word remembers[] = {
    {"nothing", "REMEMBER_NOTHING"},
    {"pod_list", "REMEMBER_POD_LIST"},
    {"pod_status", "REMEMBER_POD_STATUS"},
    {"pod_created", "REMEMBER_POD_CREATED"},
    {"pod_removed", "REMEMBER_POD_REMOVED"},
    {"container_list", "REMEMBER_CONTAINER_LIST"},
    {"container_status", "REMEMBER_CONTAINER_STATUS"},
    {"container_created", "REMEMBER_CONTAINER_CREATED"},
    {"container_removed", "REMEMBER_CONTAINER_REMOVED"},
    {"image_status", "REMEMBER_IMAGE_STATUS"},
    {"image_pulled", "REMEMBER_IMAGE_PULLED"},
    {NULL, NULL},
};

static const struct word hooks[] = {
    {"none", "HOOK_NONE"},
    {"run_pod", "HOOK_RUN_POD"},
    {"stop_pod", "HOOK_STOP_POD"},
    {"create_container", "HOOK_CREATE_CONTAINER"},
    {"start_container", "HOOK_START_CONTAINER"},
    {"update_container", "HOOK_UPDATE_CONTAINER"},
    {"stop_container", "HOOK_STOP_CONTAINER"},
    {NULL, NULL},
};

const struct method_place method_places[PLACE_COUNT] = {
    [PLACE_POD] = {"pod", "string"},         [PLACE_CONTAINER] = {"container", "string"},
    [PLACE_IMAGE] = {"image", "ImageSpec"},  [PLACE_SANDBOX] = {"sandbox", "PodSandboxConfig"},
    [PLACE_HANDLER] = {"handler", "string"}, [PLACE_VERBOSE] = {"verbose", "bool"},
};

/* The words of the occasions. */
static const char *const occasions[OCCASION_COUNT] = {
    [OCCASION_COMPOSE] = "compose",
    [OCCASION_CONFIRM] = "confirm",
    [OCCASION_COMPLETE] = "complete",
};

static const char *read_word(struct document *document, yaml_node_t *node, const char *what, const struct word *words)
{
    const char *text = document_text(document, node, what);
    for (const struct word *word = words; text != NULL && word->name != NULL; word++) {
        if (strcmp(word->name, text) == 0) {
            return word->constant;
        }
    }
    if (text != NULL) {
        mistake(document_place(document, node), "%s: unknown word %s", what, text);
    }
    return words[0].constant;
}

static int read_level(struct document *document, yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text == NULL || strlen(text) != 1 || *text < '1' || *text > '5') {
        mistake(document_place(document, node), "%s must be 1 to 5", what);
        return 1;
    }
    return *text - '0';
}

static void read_place(struct document *document, yaml_node_t *key, yaml_node_t *value, struct method_row *row)
{
    const char *word = (const char *)key->data.scalar.value;
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        if (strcmp(method_places[i].word, word) == 0) {
            row->places[i] = document_text(document, value, memory_format("%s: %s", row->name, word));
            return;
        }
    }
    mistake(document_place(document, key), "%s: unknown word %s", row->name, word);
}

/* The name of a function without its prefix. */
static const char *read_function(struct document *document, yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text != NULL && (*text == '\0' || text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] != '\0')) {
        mistake(document_place(document, node), "%s: %s is not the name of a function", what, text);
        return NULL;
    }
    return text;
}

/* A function for all runtimes, `NAME`, or for those that report one name, `{RUNTIME: NAME}`. */
static void read_composition(struct document *document, yaml_node_t *value, const char *what, size_t occasion,
                             struct method_row *row)
{
    if (value->type != YAML_MAPPING_NODE) {
        row->compositions[occasion] = read_function(document, value, what);
        return;
    }
    yaml_node_pair_t *pair = value->data.mapping.pairs.start;
    if (value->data.mapping.pairs.top - pair != 1) {
        mistake(document_place(document, value), "%s: one function for the runtimes of one name", what);
        return;
    }
    const char *runtime = document_text(document, document_node(document, pair->key), what);
    if (runtime != NULL && (*runtime == '\0' || runtime[strspn(runtime, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] != '\0')) {
        mistake(document_place(document, value), "%s: %s is not the name of a runtime", what, runtime);
        return;
    }
    row->composed_for[occasion] = runtime;
    row->compositions[occasion] = read_function(document, document_node(document, pair->value), what);
}

/* Whether the word is one of an occasion. */
static bool read_occasion(struct document *document, const char *word, yaml_node_t *value, struct method_row *row)
{
    for (size_t i = 0; i < OCCASION_COUNT; i++) {
        if (strcmp(occasions[i], word) == 0) {
            read_composition(document, value, memory_format("%s: %s", row->name, word), i, row);
            return true;
        }
    }
    return false;
}

/* Of a column that is `true` or left out. */
static bool read_mark(struct document *document, yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text != NULL && strcmp(text, "true") != 0) {
        mistake(document_place(document, node), "%s must be true, or missing", what);
    }
    return text != NULL;
}

static void read_attribute(struct document *document, yaml_node_t *key, yaml_node_t *value, struct method_row *row)
{
    const char *word = (const char *)key->data.scalar.value;
    const char *what = memory_format("%s: %s", row->name, word);
    if (strcmp(word, "route") == 0) {
        row->route = read_word(document, value, what, routes);
    } else if (strcmp(word, "merge") == 0) {
        row->merge = read_word(document, value, what, merges);
    } else if (strcmp(word, "lacking") == 0) {
        row->lacking = read_word(document, value, what, lackings);
    } else if (strcmp(word, "away") == 0) {
        row->away = read_word(document, value, what, aways);
    } else if (strcmp(word, "remember") == 0) {
        row->remember = read_word(document, value, what, remembers);
    } else if (strcmp(word, "hook") == 0) {
        row->hook = read_word(document, value, what, hooks);
    } else if (strcmp(word, "list") == 0) {
        row->list = document_text(document, value, what);
    } else if (strcmp(word, "log") == 0) {
        row->log_level = read_level(document, value, what);
    } else if (strcmp(word, "shared") == 0) {
        row->shared = read_mark(document, value, what);
    } else if (strcmp(word, "may_last") == 0) {
        row->may_last = read_mark(document, value, what);
    } else if (!read_occasion(document, word, value, row)) {
        read_place(document, key, value, row);
    }
}

static void read_row(struct document *document, struct methods *methods, const char *service, yaml_node_pair_t *pair)
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    struct method_row row = {.service = service, .name = (const char *)key->data.scalar.value};
    row.remember = remembers[0].constant;
    row.hook = hooks[0].constant;
    row.place = document_place(document, key);
    if (!document_is_mapping(document, value, row.name)) {
        return;
    }
    for (yaml_node_pair_t *attribute = value->data.mapping.pairs.start; attribute < value->data.mapping.pairs.top; attribute++) {
        read_attribute(document, document_node(document, attribute->key), document_node(document, attribute->value), &row);
    }
    mistake_unless(row.place, row.name, "route", row.route != NULL);
    mistake_unless(row.place, row.name, "merge", row.merge != NULL);
    mistake_unless(row.place, row.name, "lacking", row.lacking != NULL);
    mistake_unless(row.place, row.name, "away", row.away != NULL);
    mistake_unless(row.place, row.name, "log", row.log_level != 0);
    if (row.route != NULL && row.merge != NULL && row.lacking != NULL && row.away != NULL) {
        methods->rows = memory_grow(methods->rows, methods->count, sizeof(*methods->rows));
        methods->rows[methods->count++] = row;
    }
}

static void read_service(struct document *document, struct methods *methods, const char *name, yaml_node_t *service)
{
    if (!document_is_mapping(document, service, name)) {
        return;
    }
    for (yaml_node_pair_t *row = service->data.mapping.pairs.start; row < service->data.mapping.pairs.top; row++) {
        read_row(document, methods, name, row);
    }
}

static void read_without(struct document *document, struct methods *methods, yaml_node_t *texts)
{
    if (!document_is_mapping(document, texts, "without")) {
        return;
    }
    for (yaml_node_pair_t *pair = texts->data.mapping.pairs.start; pair < texts->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(document, pair->key);
        const char *name = (const char *)key->data.scalar.value;
        size_t i = 0;
        while (i < methods->count && strcmp(methods->rows[i].name, name) != 0) {
            i++;
        }
        if (i == methods->count) {
            mistake(document_place(document, key), "without: there is no row %s above", name);
            continue;
        }
        methods->rows[i].without =
            document_text(document, document_node(document, pair->value), memory_format("without: %s", name));
    }
}

void methods_read(struct document *document, struct methods *methods)
{
    *methods = (struct methods){.file = document->file};
    yaml_node_t *root = document_root(document);
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(document, pair->key);
        yaml_node_t *value = document_node(document, pair->value);
        const char *name = (const char *)key->data.scalar.value;
        if (strcmp(name, "without") == 0) {
            read_without(document, methods, value);
        } else if (strcmp(name, "RuntimeService") != 0 && strcmp(name, "ImageService") != 0) {
            mistake(document_place(document, key),
                    "unknown service %s: translate/schema/method.h knows RuntimeService and ImageService", name);
        } else {
            read_service(document, methods, name, value);
        }
    }
}

struct peek_numbers methods_resolve(const struct message *request, const char *path, const struct field **last)
{
    struct peek_numbers found = {0};
    const struct message *message = request;
    const struct field *field = NULL;
    for (const char *step = path; step != NULL;) {
        size_t length = strcspn(step, ".");
        field = message == NULL ? NULL : message_field(message, memory_format("%.*s", (int)length, step));
        /* In a peek, a field number is one byte, and a repeated field has no single value. */
        if (field == NULL || field->number > UINT8_MAX || found.depth == PEEK_DEPTH || (field->repeated && !field->map)) {
            return (struct peek_numbers){0};
        }
        found.numbers[found.depth++] = (uint8_t)field->number;
        message = field->message;
        step = step[length] == '.' ? step + length + 1 : NULL;
    }
    if (last != NULL) {
        *last = field;
    }
    return found;
}

const struct rpc *methods_newest(const struct method_row *row, const struct schema *schema)
{
    for (size_t i = schema->dialect_count; i > 0; i--) {
        const struct rpc *rpc = dialect_rpc(&schema->dialects[i - 1], row->service, row->name);
        if (rpc != NULL) {
            return rpc;
        }
    }
    return NULL;
}

const struct method_row *methods_row(const struct methods *methods, const char *service, const char *name)
{
    for (size_t i = 0; i < methods->count; i++) {
        if (strcmp(methods->rows[i].service, service) == 0 && strcmp(methods->rows[i].name, name) == 0) {
            return &methods->rows[i];
        }
    }
    return NULL;
}
