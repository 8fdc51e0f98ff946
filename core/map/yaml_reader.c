#include "core/map/yaml_reader.h"

#include <string.h>
#include <strings.h>

#include "base/system/nearest.h"

/* YAML's own tags are harmless; others would ask for something that does not happen. */
#define YAML_OWN_TAGS "tag:yaml.org,2002:"

/* Far beyond what any table of keys needs. libyaml's effort grows with the square of the depth, and with anchors times aliases.
 */
#define DEEPEST_NESTING 16
#define MOST_ANCHORS 1000
#define MOST_ALIASES 10000

/* Aliases can repeat a mapping, so its keys can count more than once. */
#define MOST_KEYS 1000

/* Some editors put it in front of UTF-8; libyaml would count it as a column. */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

static struct place place_of_mark(const struct yaml_reader *reader, yaml_mark_t mark)
{
    return (struct place){.line = (unsigned)mark.line + 1, .column = (unsigned)mark.column + 1, .file = reader->file};
}

struct place yaml_place(const struct yaml_reader *reader, const yaml_node_t *node)
{
    return place_of_mark(reader, node->start_mark);
}

/* For bytes that it cannot decode, libyaml has only an offset, no line. */
static struct place place_of_offset(const struct yaml_reader *reader, const char *text, size_t offset)
{
    struct place place = {.line = 1, .column = 1, .file = reader->file};
    for (size_t i = 0; i < offset; i++) {
        if (text[i] == '\n') {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

/* `index` counts characters, as libyaml does. */
static bool is_tab(const char *text, size_t size, size_t index)
{
    for (size_t i = 0; i < size; i++) {
        if (((unsigned char)text[i] & 0xC0) != 0x80 && index-- == 0) {
            return text[i] == '\t';
        }
    }
    return false;
}

static void note_parser_error(struct yaml_reader *reader, const yaml_parser_t *parser, const char *text, size_t size)
{
    const char *problem = parser->problem ? parser->problem : "it cannot be read";
    struct place place = place_of_mark(reader, parser->problem_mark);
    switch (parser->error) {
    case YAML_MEMORY_ERROR:
        problems_add(reader->problems, (struct place){.file = reader->file}, "out of memory");
        break;
    case YAML_READER_ERROR:
        place = place_of_offset(reader, text, parser->problem_offset < size ? parser->problem_offset : size);
        problems_add(reader->problems, place, "not UTF-8: %s; save the file as UTF-8", problem);
        break;
    default:
        if (is_tab(text, size, parser->problem_mark.index)) {
            problems_add(reader->problems, place, "not YAML: a tab; indent with spaces");
        } else if (parser->context) {
            problems_add(reader->problems, place, "not YAML: %s %s", parser->context, problem);
        } else {
            problems_add(reader->problems, place, "not YAML: %s", problem);
        }
    }
}

static bool is_null(const yaml_node_t *node)
{
    if (node->type != YAML_SCALAR_NODE || node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE) {
        return false;
    }
    const char *text = (const char *)node->data.scalar.value;
    return *text == '\0' || strcmp(text, "~") == 0 || strcasecmp(text, "null") == 0;
}

static bool parser_open(struct yaml_reader *reader, yaml_parser_t *parser, const char *text, size_t size)
{
    if (!yaml_parser_initialize(parser)) {
        problems_add(reader->problems, (struct place){.file = reader->file}, "out of memory");
        return false;
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)text, size);
    return true;
}

/* Counts of what a text has so far. */
struct shape {
    unsigned documents;
    unsigned depth;
    unsigned anchors;
    unsigned aliases;
};

/* Counts one event. false after it has added a mistake: the text exceeds a limit. */
static bool check_event(struct yaml_reader *reader, const yaml_event_t *event, struct shape *shape)
{
    struct place place = place_of_mark(reader, event->start_mark);
    const yaml_char_t *anchor = NULL;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++shape->documents == 2) {
            problems_add(reader->problems, place, "a second document begins; a file must have only one, so remove it");
        }
        break;
    case YAML_SEQUENCE_START_EVENT:
        anchor = event->data.sequence_start.anchor;
        shape->depth++;
        break;
    case YAML_MAPPING_START_EVENT:
        anchor = event->data.mapping_start.anchor;
        shape->depth++;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        shape->depth--;
        break;
    case YAML_SCALAR_EVENT:
        anchor = event->data.scalar.anchor;
        break;
    case YAML_ALIAS_EVENT:
        shape->aliases++;
        break;
    default:
        break;
    }
    if (shape->depth > DEEPEST_NESTING) {
        problems_add(reader->problems, place, "lists and mappings are nested deeper than %d", DEEPEST_NESTING);
        return false;
    }
    if (anchor && ++shape->anchors > MOST_ANCHORS) {
        problems_add(reader->problems, place, "more than %d anchors", MOST_ANCHORS);
        return false;
    }
    if (shape->aliases > MOST_ALIASES) {
        problems_add(reader->problems, place, "more than %d aliases", MOST_ALIASES);
        return false;
    }
    return true;
}

/* Whether the text is YAML and within the limits, so that loading it is cheap. */
static bool check_shape(struct yaml_reader *reader, const char *text, size_t size)
{
    yaml_parser_t parser;
    if (!parser_open(reader, &parser, text, size)) {
        return false;
    }
    struct shape shape = {0};
    bool good = true;
    bool end = false;
    while (good && !end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event)) {
            note_parser_error(reader, &parser, text, size);
            good = false;
        } else {
            good = check_event(reader, &event, &shape);
            end = event.type == YAML_STREAM_END_EVENT;
            yaml_event_delete(&event);
        }
    }
    yaml_parser_delete(&parser);
    return good;
}

/* The root of the first document. */
static yaml_node_t *load_document(struct yaml_reader *reader, const char *text, size_t size)
{
    yaml_parser_t parser;
    if (!parser_open(reader, &parser, text, size)) {
        return NULL;
    }
    bool loaded = yaml_parser_load(&parser, &reader->document) != 0;
    if (!loaded) {
        note_parser_error(reader, &parser, text, size);
    }
    yaml_parser_delete(&parser);
    yaml_node_t *root = loaded ? yaml_document_get_root_node(&reader->document) : NULL;
    return root && !is_null(root) ? root : NULL;
}

yaml_node_t *yaml_reader_open(struct yaml_reader *reader, const char *text, size_t size)
{
    reader->document = (yaml_document_t){0};
    if (bytes_start_with(bytes_of(text, size), bytes_of_string(BYTE_ORDER_MARK))) {
        text += strlen(BYTE_ORDER_MARK);
        size -= strlen(BYTE_ORDER_MARK);
    }
    return check_shape(reader, text, size) ? load_document(reader, text, size) : NULL;
}

void yaml_reader_close(struct yaml_reader *reader)
{
    yaml_document_delete(&reader->document);
}

void yaml_wrong_kind(struct yaml_reader *reader, yaml_node_t *node, const char *what, const char *expected)
{
    static const char *const kinds[] = {
        [YAML_SCALAR_NODE] = "a plain value",
        [YAML_SEQUENCE_NODE] = "a list",
        [YAML_MAPPING_NODE] = "a mapping",
    };
    const char *found = is_null(node) ? "nothing" : kinds[node->type];
    problems_add(reader->problems, yaml_place(reader, node), "%s: %s is expected here, found %s", what, expected, found);
}

/* The scalar's text in the arena: printable ASCII. NULL after it has added a mistake. */
static const char *read_text(struct yaml_reader *reader, yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SCALAR_NODE || is_null(node)) {
        yaml_wrong_kind(reader, node, what, "a plain value");
        return NULL;
    }
    const char *tag = (const char *)node->tag;
    if (tag && strncmp(tag, YAML_OWN_TAGS, strlen(YAML_OWN_TAGS)) != 0) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: tags such as %.60s have no meaning here; remove it", what,
                     tag);
        return NULL;
    }
    struct bytes text = bytes_of(node->data.scalar.value, node->data.scalar.length);
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < 0x20 || text.data[i] > 0x7E) {
            problems_add(reader->problems, yaml_place(reader, node), "%s: only printable ASCII characters are allowed", what);
            return NULL;
        }
    }
    const char *copy = arena_string(reader->memory, text);
    if (!copy) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: out of memory", what);
    }
    return copy;
}

bool yaml_read_scalar(struct yaml_reader *reader, yaml_node_t *node, const char *what, yaml_parse_text *parse, void *value)
{
    const char *text = read_text(reader, node, what);
    if (!text) {
        return false;
    }
    struct error error = {0};
    if (!parse(&(struct yaml_scalar){.text = text, .value = value, .memory = reader->memory, .error = &error})) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %s", what, error.message);
        return false;
    }
    return true;
}

static void note_unknown_key(struct yaml_reader *reader, struct place mapping, struct place place, const char *what,
                             const char *name, const struct yaml_key *keys, size_t count)
{
    struct nearest nearest = nearest_begin(name);
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        nearest_add(&nearest, keys[i].name);
        int length = snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", keys[i].name);
        used += (size_t)length < sizeof known - used ? (size_t)length : 0;
    }
    if (nearest.name) {
        problems_add(reader->problems, place, "%s: unknown key \"%.60s\"; did you mean \"%s\"?", what, name, nearest.name);
        problems_note_meant(reader->problems, mapping, nearest.name);
    } else {
        problems_add(reader->problems, place, "%s: unknown key \"%.60s\"; known here: %s", what, name, known);
    }
}

static const struct yaml_key *find_key(const struct yaml_key *keys, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(keys[i].name, name) == 0) {
            return &keys[i];
        }
    }
    return NULL;
}

static void read_value(struct yaml_reader *reader, yaml_node_t *node, const struct yaml_key *key, void *target)
{
    void *value = (char *)target + key->offset;
    if (is_null(node)) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: the value is missing; write one%s", key->name,
                     key->required ? "" : " or remove the key");
    } else if (key->parse) {
        yaml_read_scalar(reader, node, key->name, key->parse, value);
    } else {
        key->read(reader, node, key->name, value);
    }
}

static void read_pair(struct yaml_reader *reader, yaml_node_t *node, const yaml_node_pair_t *pair, const char *what,
                      const struct yaml_key *keys, size_t count, void *target, struct place *places)
{
    yaml_node_t *key_node = yaml_document_get_node(&reader->document, pair->key);
    yaml_node_t *value = yaml_document_get_node(&reader->document, pair->value);
    const char *name = read_text(reader, key_node, "key");
    if (!name) {
        return;
    }
    const struct yaml_key *key = find_key(keys, count, name);
    if (!key) {
        note_unknown_key(reader, yaml_place(reader, node), yaml_place(reader, key_node), what, name, keys, count);
        return;
    }
    struct place *place = &places[key - keys];
    if (place->line > 0 && place->file == reader->file) {
        problems_add(reader->problems, yaml_place(reader, key_node), "%s: \"%s\" appears twice; keep one", what, name);
        return;
    }
    *place = yaml_place(reader, value);
    read_value(reader, value, key, target);
}

bool yaml_read_mapping(struct yaml_reader *reader, yaml_node_t *node, const char *what, const struct yaml_key *keys, size_t count,
                       void *target, struct place *places)
{
    if (node->type != YAML_MAPPING_NODE) {
        yaml_wrong_kind(reader, node, what, "a mapping (key: value)");
        return false;
    }
    size_t pair_count = (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
    if (pair_count > MOST_KEYS) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: %zu keys; at most %d", what, pair_count, MOST_KEYS);
        return false;
    }
    for (size_t i = 0; i < pair_count; i++) {
        read_pair(reader, node, &node->data.mapping.pairs.start[i], what, keys, count, target, places);
    }
    return true;
}

void yaml_note_missing(struct runtime_map_problems *problems, struct place place, const char *what, const struct yaml_key *keys,
                       size_t count, const struct place *places)
{
    for (size_t i = 0; i < count; i++) {
        if (keys[i].required && places[i].line == 0) {
            /* Behind the typing mistake that it follows from. */
            struct place where = problems_find_meant(problems, place, keys[i].name);
            problems_add(problems, where, "%s: \"%s\" is missing", what, keys[i].name);
        }
    }
}
