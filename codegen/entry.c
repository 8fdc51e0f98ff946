#include "codegen/entry.h"

#include <string.h>

#include "codegen/memory.h"
#include "codegen/named.h"

#define WORDS_MOST 32

void *entry_member(const struct entry *entry, const struct entry_word *word)
{
    return (char *)entry->row + word->target;
}

void entry_read(const struct entry *entry, yaml_node_t *node, const struct entry_word *words, size_t count)
{
    bool said[WORDS_MOST] = {false};
    if (!document_is_mapping(entry->document, node, entry->name)) {
        return;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(entry->document, pair->key);
        const char *name = (const char *)key->data.scalar.value;
        const struct entry_word *word = named_find(words, count, sizeof(*words), name);
        if (word == NULL) {
            mistake(document_place(entry->document, key), "%s: unknown word %s", entry->name, name);
        } else {
            said[word - words] = true;
            word->read(entry, word, document_node(entry->document, pair->value), memory_format("%s: %s", entry->name, name));
        }
    }
    for (size_t i = 0; i < count; i++) {
        mistake_unless(entry->place, entry->name, words[i].word, said[i] || !words[i].required);
    }
}

bool entry_has(struct document *document, yaml_node_t *node, const char *word)
{
    if (node->type != YAML_MAPPING_NODE) {
        return true; /* reported already */
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        if (strcmp((const char *)document_node(document, pair->key)->data.scalar.value, word) == 0) {
            return true;
        }
    }
    return false;
}

/* NULL after reporting that it is empty, or no text. */
static const char *text_of(const struct entry *entry, const yaml_node_t *value, const char *what)
{
    const char *text = document_text(entry->document, value, what);
    if (text != NULL && *text == '\0') {
        mistake(document_place(entry->document, value), "%s is empty: write it", what);
        return NULL;
    }
    return text;
}

void entry_text(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *text = text_of(entry, value, what);
    if (text != NULL) {
        *(const char **)entry_member(entry, word) = text;
    }
}

static void add_text(struct texts *texts, const char *text)
{
    if (text != NULL) {
        texts->texts = memory_grow(texts->texts, texts->count, sizeof(*texts->texts));
        texts->texts[texts->count++] = text;
    }
}

void entry_list(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    struct texts *texts = entry_member(entry, word);
    texts->place = document_place(entry->document, value);
    if (!document_is_list(entry->document, value, what)) {
        return;
    }
    if (value->data.sequence.items.start == value->data.sequence.items.top) {
        mistake(texts->place, "%s lists nothing", what);
    }
    for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top; item++) {
        add_text(texts, text_of(entry, document_node(entry->document, *item), what));
    }
}

void entry_texts(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    if (value->type != YAML_SCALAR_NODE) {
        entry_list(entry, word, value, what);
        return;
    }
    struct texts *texts = entry_member(entry, word);
    texts->place = document_place(entry->document, value);
    add_text(texts, text_of(entry, value, what));
}

void entry_true(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *text = document_text(entry->document, value, what);
    if (text != NULL && strcmp(text, "true") != 0) {
        mistake(document_place(entry->document, value), "%s can only be true", what);
    }
    *(bool *)entry_member(entry, word) = true;
}

const struct constant *constant_find(const struct constant *constants, const char *word)
{
    while (constants->word != NULL && strcmp(constants->word, word) != 0) {
        constants++;
    }
    return constants->word != NULL ? constants : NULL;
}

void entry_constant(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *text = document_text(entry->document, value, what);
    const struct constant *constant = text != NULL ? constant_find(word->constants, text) : NULL;
    if (text != NULL && constant == NULL) {
        mistake(document_place(entry->document, value), "%s: unknown word %s", what, text);
    }
    *(const char **)entry_member(entry, word) = (constant != NULL ? constant : word->constants)->name;
}

void entry_dialects(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    bool *flags = entry_member(entry, word);
    if (!document_is_list(entry->document, value, what)) {
        return;
    }
    if (value->data.sequence.items.start == value->data.sequence.items.top) {
        mistake(document_place(entry->document, value), "%s names no dialect", what);
    }
    for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top; item++) {
        yaml_node_t *node = document_node(entry->document, *item);
        const char *name = document_text(entry->document, node, "a dialect");
        size_t dialect = name != NULL ? schema_dialect(entry->schema, name) : DIALECTS_MAX;
        if (name != NULL && dialect == DIALECTS_MAX) {
            mistake(document_place(entry->document, node), "there is no dialect %s", name);
        } else if (name != NULL && flags[dialect]) {
            mistake(document_place(entry->document, node), "%s is listed twice", name);
        } else if (name != NULL) {
            flags[dialect] = true;
        }
    }
}

bool texts_have(const struct texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++) {
        if (strcmp(texts->texts[i], text) == 0) {
            return true;
        }
    }
    return false;
}

bool is_identifier(const char *text)
{
    return *text != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}
