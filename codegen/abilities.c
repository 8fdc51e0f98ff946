#include "codegen/abilities.h"

#include <string.h>

#include "codegen/memory.h"

static void runtime_versioned(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *text = document_text(entry->document, value, what);
    if (text != NULL && strcmp(text, "false") != 0) {
        mistake(document_place(entry->document, value), "%s can only be false", what);
    }
    *(bool *)entry_member(entry, word) = true;
}

static void read_runtime(struct document *document, yaml_node_t *key, yaml_node_t *value, struct abilities *abilities)
{
    static const struct entry_word words[] = {
        {"reports", entry_texts, true, .target = offsetof(struct ability_runtime_row, reports)},
        {"packages", entry_texts, false, .target = offsetof(struct ability_runtime_row, packages)},
        {"versioned", runtime_versioned, false, .target = offsetof(struct ability_runtime_row, unversioned)},
    };
    struct ability_runtime_row row = {.name = (const char *)key->data.scalar.value, .place = document_place(document, key)};
    entry_read(&(struct entry){document, NULL, row.name, row.place, &row}, value, words, sizeof(words) / sizeof(words[0]));
    abilities->runtimes = memory_grow(abilities->runtimes, abilities->runtime_count, sizeof(*abilities->runtimes));
    abilities->runtimes[abilities->runtime_count++] = row;
}

static void row_ignored_by(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    static const struct entry_word words[] = {
        {"runtime", entry_text, true, .target = offsetof(struct ability_ignored_row, runtime)},
        {"versions", entry_texts, false, .target = offsetof(struct ability_ignored_row, versions)},
        {"source", entry_text, true, .target = offsetof(struct ability_ignored_row, source)},
    };
    (void)word;
    struct ability_row *row = entry->row;
    if (!document_is_list(entry->document, value, what)) {
        return;
    }
    yaml_node_item_t *item = value->data.sequence.items.start;
    for (; item < value->data.sequence.items.top; item++) {
        yaml_node_t *ignored = document_node(entry->document, *item);
        row->ignored_by = memory_grow(row->ignored_by, row->ignored_count, sizeof(*row->ignored_by));
        struct ability_ignored_row *added = &row->ignored_by[row->ignored_count++];
        *added = (struct ability_ignored_row){.place = document_place(entry->document, ignored)};
        entry_read(&(struct entry){entry->document, NULL, what, added->place, added}, ignored, words,
                   sizeof(words) / sizeof(words[0]));
    }
    if (row->ignored_count == 0) {
        mistake(document_place(entry->document, value), "%s lists nothing", what);
    }
}

static void row_class(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *class = document_text(entry->document, value, what);
    if (class != NULL && strcmp(class, "confinement") != 0 && strcmp(class, "tuning") != 0) {
        mistake(document_place(entry->document, value), "%s: unknown class %s: write confinement or tuning", entry->name, class);
    }
    *(const char **)entry_member(entry, word) = class;
}

static void row_asks(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const struct ability_row *row = entry->row;
    entry_text(entry, word, value, what);
    if (row->asks != NULL && !is_identifier(row->asks)) {
        mistake(document_place(entry->document, value),
                "%s: %s cannot be part of a function's name: lower case, digits and _ only", what, row->asks);
    }
}

static void row_reported(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    entry_text(entry, word, value, what);
    ((struct ability_row *)entry->row)->reported_place = document_place(entry->document, value);
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
    static const struct entry_word words[] = {
        {"field", entry_text, true, .target = offsetof(struct ability_row, key)},
        {"in", entry_texts, false, .target = offsetof(struct ability_row, in)},
        {"class", row_class, true, .target = offsetof(struct ability_row, class)},
        {"asks", row_asks, false, .target = offsetof(struct ability_row, asks)},
        {"why", entry_text, true, .target = offsetof(struct ability_row, why)},
        {"reported", row_reported, false, .target = offsetof(struct ability_row, reported)},
        {"ignored_by", row_ignored_by, .required = true},
    };
    struct ability_row row = {.place = document_place(document, node)};
    entry_read(&(struct entry){document, NULL, name_of(document, node), row.place, &row}, node, words,
               sizeof(words) / sizeof(words[0]));
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
            entry_texts(&(struct entry){.document = document, .row = &abilities->only_inform}, &(struct entry_word){0}, part,
                        name);
        } else {
            mistake(document_place(document, key), "unknown part %s: write runtimes, only_inform or abilities", name);
        }
    }
}
