#include "codegen/abilities.h"

#include <string.h>

#include "codegen/memory.h"

/* An entry that is read: its name for messages, and where its parts go. */
struct entry {
    struct document *document;
    const char *name;
    void *row;
};

/* One word of an entry. */
struct attribute {
    const char *word;
    void (*read)(const struct entry *entry, yaml_node_t *node, const char *what);
    bool required;
};

static struct place place_of(const struct document *document, const yaml_node_t *node)
{
    return document_place(document, node);
}

static const char *text_of(struct document *document, const yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text != NULL && *text == '\0') {
        mistake(place_of(document, node), "%s is empty: write it", what);
        return NULL;
    }
    return text;
}

static void add_text(struct ability_texts *texts, const char *text)
{
    if (text != NULL) {
        texts->texts = memory_grow(texts->texts, texts->count, sizeof(*texts->texts));
        texts->texts[texts->count++] = text;
    }
}

/* A text, or a list of them. */
static void read_texts(struct document *document, yaml_node_t *node, const char *what, struct ability_texts *texts)
{
    texts->place = place_of(document, node);
    if (node->type == YAML_SCALAR_NODE) {
        add_text(texts, text_of(document, node, what));
        return;
    }
    if (!document_is_list(document, node, what)) {
        return;
    }
    if (node->data.sequence.items.start == node->data.sequence.items.top) {
        mistake(texts->place, "%s lists nothing", what);
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        add_text(texts, text_of(document, document_node(document, *item), what));
    }
}

/* Reads an entry by a table; words that the table does not have, and words that are missing, are mistakes. */
static void read_entry(const struct entry *entry, yaml_node_t *node, const struct attribute *attributes, size_t count)
{
    bool said[8] = {false};
    if (!document_is_mapping(entry->document, node, entry->name)) {
        return;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(entry->document, pair->key);
        const char *word = (const char *)key->data.scalar.value;
        size_t i = 0;
        while (i < count && strcmp(attributes[i].word, word) != 0) {
            i++;
        }
        if (i == count) {
            mistake(place_of(entry->document, key), "%s: unknown word %s", entry->name, word);
        } else {
            said[i] = true;
            attributes[i].read(entry, document_node(entry->document, pair->value), memory_format("%s: %s", entry->name, word));
        }
    }
    for (size_t i = 0; i < count; i++) {
        mistake_unless(place_of(entry->document, node), entry->name, attributes[i].word, said[i] || !attributes[i].required);
    }
}

/* runtimes */

static void runtime_reports(const struct entry *entry, yaml_node_t *node, const char *what)
{
    read_texts(entry->document, node, what, &((struct ability_runtime_row *)entry->row)->reports);
}

static void runtime_packages(const struct entry *entry, yaml_node_t *node, const char *what)
{
    read_texts(entry->document, node, what, &((struct ability_runtime_row *)entry->row)->packages);
}

static void runtime_versioned(const struct entry *entry, yaml_node_t *node, const char *what)
{
    const char *text = document_text(entry->document, node, what);
    if (text != NULL && strcmp(text, "false") != 0) {
        mistake(place_of(entry->document, node), "%s can only be false", what);
    }
    ((struct ability_runtime_row *)entry->row)->unversioned = true;
}

static void read_runtime(struct document *document, yaml_node_t *key, yaml_node_t *value, struct abilities *abilities)
{
    static const struct attribute attributes[] = {
        {"reports", runtime_reports, true},
        {"packages", runtime_packages, false},
        {"versioned", runtime_versioned, false},
    };
    struct ability_runtime_row row = {.name = (const char *)key->data.scalar.value, .place = place_of(document, key)};
    read_entry(&(struct entry){document, row.name, &row}, value, attributes, sizeof(attributes) / sizeof(attributes[0]));
    abilities->runtimes = memory_grow(abilities->runtimes, abilities->runtime_count, sizeof(*abilities->runtimes));
    abilities->runtimes[abilities->runtime_count++] = row;
}

/* ignored_by */

static void ignored_runtime(const struct entry *entry, yaml_node_t *node, const char *what)
{
    ((struct ability_ignored_row *)entry->row)->runtime = text_of(entry->document, node, what);
}

static void ignored_versions(const struct entry *entry, yaml_node_t *node, const char *what)
{
    read_texts(entry->document, node, what, &((struct ability_ignored_row *)entry->row)->versions);
}

static void ignored_source(const struct entry *entry, yaml_node_t *node, const char *what)
{
    ((struct ability_ignored_row *)entry->row)->source = text_of(entry->document, node, what);
}

static void row_ignored_by(const struct entry *entry, yaml_node_t *node, const char *what)
{
    static const struct attribute attributes[] = {
        {"runtime", ignored_runtime, true},
        {"versions", ignored_versions, false},
        {"source", ignored_source, true},
    };
    struct ability_row *row = entry->row;
    if (!document_is_list(entry->document, node, what)) {
        return;
    }
    yaml_node_item_t *item = node->data.sequence.items.start;
    for (; item < node->data.sequence.items.top; item++) {
        yaml_node_t *ignored = document_node(entry->document, *item);
        row->ignored_by = memory_grow(row->ignored_by, row->ignored_count, sizeof(*row->ignored_by));
        struct ability_ignored_row *added = &row->ignored_by[row->ignored_count++];
        *added = (struct ability_ignored_row){.place = place_of(entry->document, ignored)};
        read_entry(&(struct entry){entry->document, what, added}, ignored, attributes,
                   sizeof(attributes) / sizeof(attributes[0]));
    }
    if (row->ignored_count == 0) {
        mistake(place_of(entry->document, node), "%s lists nothing", what);
    }
}

/* abilities */

static void row_field(const struct entry *entry, yaml_node_t *node, const char *what)
{
    ((struct ability_row *)entry->row)->key = text_of(entry->document, node, what);
}

static void row_in(const struct entry *entry, yaml_node_t *node, const char *what)
{
    read_texts(entry->document, node, what, &((struct ability_row *)entry->row)->in);
}

static void row_class(const struct entry *entry, yaml_node_t *node, const char *what)
{
    const char *class = document_text(entry->document, node, what);
    if (class != NULL && strcmp(class, "confinement") != 0 && strcmp(class, "tuning") != 0) {
        mistake(place_of(entry->document, node), "%s: unknown class %s: write confinement or tuning", entry->name, class);
    }
    ((struct ability_row *)entry->row)->class = class;
}

static void row_asks(const struct entry *entry, yaml_node_t *node, const char *what)
{
    const char *name = text_of(entry->document, node, what);
    if (name != NULL && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0') {
        mistake(place_of(entry->document, node), "%s: %s cannot be part of a function's name: lower case, digits and _ only",
                what, name);
    }
    ((struct ability_row *)entry->row)->asks = name;
}

static void row_why(const struct entry *entry, yaml_node_t *node, const char *what)
{
    ((struct ability_row *)entry->row)->why = text_of(entry->document, node, what);
}

static void row_reported(const struct entry *entry, yaml_node_t *node, const char *what)
{
    struct ability_row *row = entry->row;
    row->reported = text_of(entry->document, node, what);
    row->reported_place = place_of(entry->document, node);
}

/* The field of an entry that is a mapping and has one, to name it in messages. */
static const char *name_of(struct document *document, yaml_node_t *node)
{
    yaml_node_pair_t *pair = node->type == YAML_MAPPING_NODE ? node->data.mapping.pairs.start : NULL;
    for (; pair != NULL && pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *value = document_node(document, pair->value);
        if (strcmp((const char *)document_node(document, pair->key)->data.scalar.value, "field") == 0 &&
            value->type == YAML_SCALAR_NODE) {
            return (const char *)value->data.scalar.value;
        }
    }
    return "an entry";
}

static void read_row(struct document *document, yaml_node_t *node, struct abilities *abilities)
{
    static const struct attribute attributes[] = {
        {"field", row_field, true},
        {"in", row_in, false},
        {"class", row_class, true},
        {"asks", row_asks, false},
        {"why", row_why, true},
        {"reported", row_reported, false},
        {"ignored_by", row_ignored_by, true},
    };
    struct ability_row row = {.place = place_of(document, node)};
    read_entry(&(struct entry){document, name_of(document, node), &row}, node, attributes,
               sizeof(attributes) / sizeof(attributes[0]));
    abilities->rows = memory_grow(abilities->rows, abilities->count, sizeof(*abilities->rows));
    abilities->rows[abilities->count++] = row;
}

/* The parts of the file. */

static void read_runtimes(struct document *document, yaml_node_t *part, struct abilities *abilities)
{
    if (!document_is_mapping(document, part, "runtimes")) {
        return;
    }
    for (yaml_node_pair_t *pair = part->data.mapping.pairs.start; pair < part->data.mapping.pairs.top; pair++) {
        read_runtime(document, document_node(document, pair->key), document_node(document, pair->value), abilities);
    }
}

static void read_rows(struct document *document, yaml_node_t *part, struct abilities *abilities)
{
    if (!document_is_list(document, part, "abilities")) {
        return;
    }
    for (yaml_node_item_t *item = part->data.sequence.items.start; item < part->data.sequence.items.top; item++) {
        read_row(document, document_node(document, *item), abilities);
    }
}

void abilities_read(struct document *document, struct abilities *abilities)
{
    *abilities = (struct abilities){.file = document->file};
    yaml_node_t *root = document_root(document);
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(document, pair->key);
        yaml_node_t *part = document_node(document, pair->value);
        const char *name = (const char *)key->data.scalar.value;
        if (strcmp(name, "runtimes") == 0) {
            read_runtimes(document, part, abilities);
        } else if (strcmp(name, "abilities") == 0) {
            read_rows(document, part, abilities);
        } else if (strcmp(name, "only_inform") == 0) {
            read_texts(document, part, name, &abilities->only_inform);
        } else {
            mistake(place_of(document, key), "unknown part %s: write runtimes, only_inform or abilities", name);
        }
    }
}
