#include "methods.h"

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

/* The places: their words, and of which type the field at the end of the path is. */
static const struct {
    const char *word;
    const char *type;
} places[PLACE_COUNT] = {
    [PLACE_POD] = {"pod", "string"},         [PLACE_CONTAINER] = {"container", "string"},
    [PLACE_IMAGE] = {"image", "ImageSpec"},  [PLACE_SANDBOX] = {"sandbox", "PodSandboxConfig"},
    [PLACE_HANDLER] = {"handler", "string"}, [PLACE_VERBOSE] = {"verbose", "bool"},
};

/* What a route or merge cannot do without. */
static const struct {
    const char *constant;
    enum place_word place;
} needs[] = {
    {"ROUTE_POD", PLACE_POD},         {"ROUTE_CONTAINER", PLACE_CONTAINER}, {"ROUTE_NEW_POD", PLACE_SANDBOX},
    {"ROUTE_NEW_POD", PLACE_HANDLER}, {"ROUTE_IMAGE", PLACE_IMAGE},         {"ROUTE_PULL", PLACE_IMAGE},
    {"ROUTE_PULL", PLACE_SANDBOX},    {"MERGE_STATUS", PLACE_VERBOSE},
};

/* The occasions: their words. */
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
        if (strcmp(places[i].word, word) == 0) {
            row->places[i] = document_text(document, value, memory_format("%s: %s", row->name, word));
            return;
        }
    }
    mistake(document_place(document, key), "%s: unknown word %s", row->name, word);
}

/* The name of a function, less its beginning. */
static const char *read_function(struct document *document, yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text != NULL && (*text == '\0' || text[strspn(text, "abcdefghijklmnopqrstuvwxyz_")] != '\0')) {
        mistake(document_place(document, node), "%s: %s is no name of a function", what, text);
        return NULL;
    }
    return text;
}

/* Whether the word is one of an occasion. */
static bool read_occasion(struct document *document, const char *word, yaml_node_t *value, struct method_row *row)
{
    for (size_t i = 0; i < OCCASION_COUNT; i++) {
        if (strcmp(occasions[i], word) == 0) {
            row->compositions[i] = read_function(document, value, memory_format("%s: %s", row->name, word));
            return true;
        }
    }
    return false;
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
    } else if (strcmp(word, "list") == 0) {
        row->list = document_text(document, value, what);
    } else if (strcmp(word, "log") == 0) {
        row->log_level = read_level(document, value, what);
    } else if (!read_occasion(document, word, value, row)) {
        read_place(document, key, value, row);
    }
}

static void require(const struct method_row *row, const char *word, bool said)
{
    if (!said) {
        mistake(row->place, "%s: `%s` is missing", row->name, word);
    }
}

static void read_row(struct document *document, struct methods *methods, const char *service, yaml_node_pair_t *pair)
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    struct method_row row = {.service = service, .name = (const char *)key->data.scalar.value};
    row.remember = remembers[0].constant;
    row.place = document_place(document, key);
    if (!document_is_mapping(document, value, row.name)) {
        return;
    }
    for (yaml_node_pair_t *attribute = value->data.mapping.pairs.start; attribute < value->data.mapping.pairs.top; attribute++) {
        read_attribute(document, document_node(document, attribute->key), document_node(document, attribute->value), &row);
    }
    require(&row, "route", row.route != NULL);
    require(&row, "merge", row.merge != NULL);
    require(&row, "lacking", row.lacking != NULL);
    require(&row, "away", row.away != NULL);
    require(&row, "log", row.log_level != 0);
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
        /* A number in a peek is one byte, and what is repeated has no one value. */
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

static const struct method_row *find_row(const struct methods *methods, const struct rpc *rpc)
{
    for (size_t i = 0; i < methods->count; i++) {
        if (strcmp(methods->rows[i].service, rpc->service) == 0 && strcmp(methods->rows[i].name, rpc->name) == 0) {
            return &methods->rows[i];
        }
    }
    return NULL;
}

/* Tells of each RPC without a row once, by the newest dialect that has it. */
static void check_rpcs(const struct methods *methods, const struct schema *schema)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        for (size_t j = 0; j < schema->dialects[i].rpc_count; j++) {
            const struct rpc *rpc = &schema->dialects[i].rpcs[j];
            const struct method_row row = {.service = rpc->service, .name = rpc->name};
            if (find_row(methods, rpc) == NULL && methods_newest(&row, schema) == rpc) {
                mistake((struct place){methods->file, 0, 0},
                        "%s has the RPC %s.%s: say under %s in methods.yaml what becomes of it", schema->dialects[i].name,
                        rpc->service, rpc->name, rpc->service);
            }
        }
    }
}

/* An RPC that some dialect lacks needs a word about that, and only such an RPC. */
static void check_without(const struct method_row *row, const struct schema *schema)
{
    bool lacking = false;
    for (size_t i = 0; i < schema->dialect_count; i++) {
        lacking = lacking || dialect_rpc(&schema->dialects[i], row->service, row->name) == NULL;
    }
    if (lacking && row->without == NULL) {
        mistake(row->place, "%s: not every dialect has it: say under `without` what that means for its caller", row->name);
    } else if (!lacking && row->without != NULL) {
        mistake(row->place, "%s: every dialect has it: remove it from `without`", row->name);
    }
}

static void check_places(const struct method_row *row, const struct rpc *rpc)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        const struct field *last;
        if (row->places[i] == NULL) {
            continue;
        }
        if (methods_resolve(rpc->request, row->places[i], &last).depth == 0) {
            mistake(row->place, "%s: %s: %s has no %s", row->name, places[i].word, rpc->request->name, row->places[i]);
        } else if (last->repeated || strcmp(last->type_name, places[i].type) != 0) {
            mistake(row->place, "%s: %s: %s.%s is %s, not %s", row->name, places[i].word, rpc->request->name, row->places[i],
                    field_type_text(last), places[i].type);
        }
    }
}

static void check_needs(const struct method_row *row)
{
    for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]); i++) {
        bool needed = strcmp(needs[i].constant, row->route) == 0 || strcmp(needs[i].constant, row->merge) == 0;
        if (needed && row->places[needs[i].place] == NULL) {
            mistake(row->place, "%s: `%s` is missing: its route or merge needs it", row->name, places[needs[i].place].word);
        }
    }
}

/* Messages in sequence are one message only when all is repeated; those of a stream stay apart. */
static void check_merge(const struct method_row *row, const struct rpc *rpc)
{
    bool events = strcmp(row->merge, "MERGE_EVENTS") == 0;
    if (events != (rpc->server_stream && row->list == NULL)) {
        mistake(row->place, "%s: merge: events are what a streaming RPC tells that names no `list`, and nothing else", row->name);
    }
    static const char *const sequences[] = {"MERGE_CONCAT", "MERGE_FILESYSTEMS", "MERGE_DESCRIPTORS"};
    bool joined = false;
    for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++) {
        joined = joined || strcmp(row->merge, sequences[i]) == 0;
    }
    if (!joined || rpc->server_stream) {
        return;
    }
    for (size_t i = 0; i < rpc->response->field_count; i++) {
        if (!rpc->response->fields[i].repeated) {
            mistake(row->place, "%s: merge: answers cannot stand in sequence: %s.%s is not repeated", row->name,
                    rpc->response->name, rpc->response->fields[i].name);
        }
    }
}

/* A route to all has several answers, every other has one. */
static void check_answers(const struct method_row *row)
{
    bool several = strcmp(row->route, "ROUTE_ALL") == 0;
    if (several == (strcmp(row->merge, "MERGE_NONE") == 0)) {
        mistake(row->place, "%s: route and merge disagree: only `route: all` has several answers to merge", row->name);
    }
}

/* Whether one of the row's places is that path, or leads to it. */
static bool is_peeked(const struct method_row *row, const char *path)
{
    for (size_t i = 0; i < PLACE_COUNT; i++) {
        size_t length = row->places[i] == NULL ? 0 : strlen(row->places[i]);
        if (length > 0 && strncmp(row->places[i], path, length) == 0 && (path[length] == '\0' || path[length] == '.')) {
            return true;
        }
    }
    return false;
}

/* Names in a request that routing does not read: it would then ask runtimes for what is not theirs. */
static void check_names(const struct method_row *row, const struct message *message, const char *prefix,
                        const struct rules *rules)
{
    for (size_t i = 0; i < message->field_count; i++) {
        const struct field *field = &message->fields[i];
        const char *path = memory_format("%s%s", prefix, field->name);
        bool config = field->message != NULL && (strcmp(field->type_name, model_part_message(PART_POD)) == 0 ||
                                                 strcmp(field->type_name, model_part_message(PART_CONTAINER)) == 0);
        if (field->repeated || config || is_peeked(row, path)) {
            continue;
        }
        if (field->message != NULL) {
            check_names(row, field->message, memory_format("%s.", path), rules);
        } else if (strcmp(listed_constant(&rules->names, message->name, field->name, "NAME_NONE"), "NAME_NONE") != 0) {
            mistake(row->place, "%s: %s is a name that routing must know of: say it as pod, container, image or handler",
                    row->name, path);
        }
    }
}

void methods_check(const struct methods *methods, const struct schema *schema, const struct rules *rules)
{
    check_rpcs(methods, schema);
    for (size_t i = 0; i < methods->count; i++) {
        const struct method_row *row = &methods->rows[i];
        const struct rpc *rpc = methods_newest(row, schema);
        if (rpc == NULL) {
            mistake(row->place, "%s.%s is an RPC of no dialect: remove it", row->service, row->name);
            continue;
        }
        for (size_t j = 0; j < i; j++) {
            if (strcmp(methods->rows[j].name, row->name) == 0) {
                mistake(row->place, "%s is an RPC of two services, and methods are found by name", row->name);
            }
        }
        check_without(row, schema);
        check_places(row, rpc);
        check_needs(row);
        check_merge(row, rpc);
        check_answers(row);
        check_names(row, rpc->request, "", rules);
        methods_check_list(methods, row, schema);
    }
}
