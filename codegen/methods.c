#include "codegen/methods.h"

#include <string.h>

#include "codegen/entry.h"
#include "codegen/memory.h"

static const struct constant routes[] = {
    {"primary", "ROUTE_PRIMARY"},
    {"pod", "ROUTE_POD"},
    {"container", "ROUTE_CONTAINER"},
    {"new_pod", "ROUTE_NEW_POD"},
    {"image", "ROUTE_IMAGE"},
    {"pull", "ROUTE_PULL"},
    {"all", "ROUTE_ALL"},
    {NULL, NULL},
};

static const struct constant merges[] = {
    {"none", "MERGE_NONE"},
    {"concat", "MERGE_CONCAT"},
    {"primary", "MERGE_PRIMARY"},
    {"status", "MERGE_STATUS"},
    {"filesystems", "MERGE_FILESYSTEMS"},
    {"descriptors", "MERGE_DESCRIPTORS"},
    {"events", "MERGE_EVENTS"},
    {NULL, NULL},
};

static const struct constant lackings[] = {
    {"refuse", "LACKING_REFUSE"},
    {"omit", "LACKING_OMIT"},
    {NULL, NULL},
};

static const struct constant aways[] = {
    {"fail", "AWAY_FAIL"}, {"omit", "AWAY_OMIT"}, {"known", "AWAY_KNOWN"}, {"runtime", "AWAY_RUNTIME"}, {NULL, NULL},
};

static const struct constant remembers[] = {
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

static const struct constant hooks[] = {
    {"none", "HOOK_NONE"},
    {"run_pod", "HOOK_RUN_POD"},
    {"stop_pod", "HOOK_STOP_POD"},
    {"create_container", "HOOK_CREATE_CONTAINER"},
    {"start_container", "HOOK_START_CONTAINER"},
    {"update_container", "HOOK_UPDATE_CONTAINER"},
    {"stop_container", "HOOK_STOP_CONTAINER"},
    {NULL, NULL},
};

static const struct constant accesses[] = {
    {"read", "ACCESS_READ"},
    {"change", "ACCESS_CHANGE"},
    {NULL, NULL},
};

const struct method_place method_places[PLACE_COUNT] = {
    [PLACE_POD] = {"pod", "string"},         [PLACE_CONTAINER] = {"container", "string"},
    [PLACE_IMAGE] = {"image", "ImageSpec"},  [PLACE_SANDBOX] = {"sandbox", "PodSandboxConfig"},
    [PLACE_HANDLER] = {"handler", "string"}, [PLACE_VERBOSE] = {"verbose", "bool"},
};

static void read_level(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    int *level = entry_member(entry, word);
    const char *text = document_text(entry->document, value, what);
    bool good = text != NULL && strlen(text) == 1 && *text >= '1' && *text <= '5';
    if (!good) {
        mistake(document_place(entry->document, value), "%s must be 1 to 5", what);
    }
    *level = good ? *text - '0' : 1;
}

/* The target is the place. */
static void read_place(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    ((struct method_row *)entry->row)->places[word->target] = document_text(entry->document, value, what);
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

/* A function for all runtimes, `NAME`, or for those that report one name, `{RUNTIME: NAME}`. The target is the occasion. */
static void read_composition(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    struct document *document = entry->document;
    struct method_row *row = entry->row;
    if (value->type != YAML_MAPPING_NODE) {
        row->compositions[word->target] = read_function(document, value, what);
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
    row->composed_for[word->target] = runtime;
    row->compositions[word->target] = read_function(document, document_node(document, pair->value), what);
}

static const struct entry_word row_words[] = {
    {"route", entry_constant, true, offsetof(struct method_row, route), routes},
    {"merge", entry_constant, true, offsetof(struct method_row, merge), merges},
    {"lacking", entry_constant, true, offsetof(struct method_row, lacking), lackings},
    {"away", entry_constant, true, offsetof(struct method_row, away), aways},
    {"remember", entry_constant, false, offsetof(struct method_row, remember), remembers},
    {"hook", entry_constant, false, offsetof(struct method_row, hook), hooks},
    {"list", entry_text, false, .target = offsetof(struct method_row, list)},
    {"access", entry_constant, true, offsetof(struct method_row, access), accesses},
    {"log", read_level, true, .target = offsetof(struct method_row, log_level)},
    {"shared", entry_true, false, .target = offsetof(struct method_row, shared)},
    {"may_last", entry_true, false, .target = offsetof(struct method_row, may_last)},
    {"compose", read_composition, .target = OCCASION_COMPOSE},
    {"confirm", read_composition, .target = OCCASION_CONFIRM},
    {"complete", read_composition, .target = OCCASION_COMPLETE},
    {"pod", read_place, .target = PLACE_POD},
    {"container", read_place, .target = PLACE_CONTAINER},
    {"image", read_place, .target = PLACE_IMAGE},
    {"sandbox", read_place, .target = PLACE_SANDBOX},
    {"handler", read_place, .target = PLACE_HANDLER},
    {"verbose", read_place, .target = PLACE_VERBOSE},
};

static void read_row(struct document *document, struct methods *methods, const char *service, yaml_node_pair_t *pair)
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    struct method_row row = {.service = service, .name = (const char *)key->data.scalar.value};
    row.remember = remembers[0].name;
    row.hook = hooks[0].name;
    row.place = document_place(document, key);
    entry_read(&(struct entry){document, NULL, row.name, row.place, &row}, value, row_words,
               sizeof(row_words) / sizeof(row_words[0]));
    if (row.route != NULL && row.merge != NULL && row.lacking != NULL && row.away != NULL && row.access != NULL) {
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
