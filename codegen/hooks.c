#include "codegen/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/memory.h"

static const char *const words[HOOK_ACTION_COUNT] = {
    [HOOK_HIDDEN] = "hidden", [HOOK_SHOWN] = "shown",     [HOOK_INSIDE] = "inside",
    [HOOK_NUMBER] = "number", [HOOK_PARENT] = "parent",   [HOOK_CPUSET] = "cpuset",
    [HOOK_FILES] = "files",   [HOOK_ENTRIES] = "entries", [HOOK_ENVIRONMENT] = "environment",
};

static void read_action(struct document *document, yaml_node_t *node, const char *what, struct hook_field *field)
{
    const char *text = document_text(document, node, what);
    for (size_t i = 0; text != NULL && i < HOOK_ACTION_COUNT; i++) {
        if (strcmp(words[i], text) == 0) {
            field->action = (enum hook_action)i;
            return;
        }
    }
    if (text != NULL) {
        mistake(document_place(document, node), "%s: unknown word %s: see the head of the file", what, text);
    }
}

static int64_t read_number(struct document *document, yaml_node_t *node, const char *what)
{
    const char *text = document_text(document, node, what);
    if (text == NULL) {
        return 0;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0) {
        mistake(document_place(document, node), "%s: %s is not a number of 64 bits", what, text);
        return 0;
    }
    return number;
}

static void read_range(struct document *document, yaml_node_t *node, const char *what, struct hook_field *field)
{
    if (!document_is_list(document, node, what)) {
        return;
    }
    yaml_node_item_t *items = node->data.sequence.items.start;
    if (node->data.sequence.items.top - items != 2) {
        mistake(document_place(document, node), "%s: write two numbers", what);
        return;
    }
    field->ranged = true;
    for (size_t i = 0; i < 2; i++) {
        field->range[i] = read_number(document, document_node(document, items[i]), what);
    }
    if (field->range[0] > field->range[1]) {
        mistake(document_place(document, node), "%s: the first number is the greater one", what);
    }
}

static void read_attribute(struct document *document, yaml_node_t *key, yaml_node_t *value, const char *entry,
                           struct hook_field *field)
{
    const char *word = (const char *)key->data.scalar.value;
    const char *what = memory_format("%s: %s", entry, word);
    if (strcmp(word, "do") == 0) {
        read_action(document, value, what, field);
    } else if (strcmp(word, "range") == 0) {
        read_range(document, value, what, field);
    } else if (strcmp(word, "or") == 0) {
        field->also = read_number(document, value, what);
    } else if (strcmp(word, "clears") == 0) {
        field->clears = read_number(document, value, what);
    } else if (strcmp(word, "clamp") == 0) {
        const char *text = document_text(document, value, what);
        if (text != NULL && strcmp(text, "true") != 0) {
            mistake(document_place(document, value), "%s can only be true", what);
        }
        field->clamp = true;
    } else if (strcmp(word, "keep") == 0) {
        field->keep = document_text(document, value, what);
    } else {
        mistake(document_place(document, key), "%s: unknown word %s", entry, word);
    }
}

/* What only some words can have. */
static void check_attributes(const char *entry, const struct hook_field *field)
{
    bool numbers = field->ranged || field->also != 0 || field->clears != 0 || field->clamp;
    if (field->action == HOOK_NUMBER) {
        mistake_unless(field->place, entry, "range", field->ranged);
    } else if (numbers) {
        mistake(field->place, "%s: only a number has `range`, `or`, `clears` and `clamp`", entry);
    }
    if (field->keep != NULL && (field->action != HOOK_ENTRIES || *field->keep == '\0')) {
        mistake(field->place, "%s: `keep` is the beginning of keys of entries", entry);
    }
}

static void read_field(struct document *document, yaml_node_pair_t *pair, struct hook_message *message)
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    struct hook_field field = {.name = (const char *)key->data.scalar.value, .place = document_place(document, key)};
    const char *entry = memory_format("%s.%s", message->name, field.name);
    if (value->type != YAML_MAPPING_NODE) {
        read_action(document, value, entry, &field);
    } else {
        yaml_node_pair_t *attribute = value->data.mapping.pairs.start;
        for (; attribute < value->data.mapping.pairs.top; attribute++) {
            read_attribute(document, document_node(document, attribute->key), document_node(document, attribute->value), entry,
                           &field);
        }
    }
    check_attributes(entry, &field);
    message->fields = memory_grow(message->fields, message->field_count, sizeof(*message->fields));
    message->fields[message->field_count++] = field;
}

void hooks_read(struct document *document, struct hooks *hooks)
{
    *hooks = (struct hooks){.file = document->file};
    yaml_node_t *root = document_root(document);
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(document, pair->key);
        yaml_node_t *value = document_node(document, pair->value);
        struct hook_message message = {.name = (const char *)key->data.scalar.value, .place = document_place(document, key)};
        if (!document_is_mapping(document, value, message.name)) {
            continue;
        }
        for (yaml_node_pair_t *field = value->data.mapping.pairs.start; field < value->data.mapping.pairs.top; field++) {
            read_field(document, field, &message);
        }
        hooks->messages = memory_grow(hooks->messages, hooks->count, sizeof(*hooks->messages));
        hooks->messages[hooks->count++] = message;
    }
}

const struct hook_message *hooks_message(const struct hooks *hooks, const char *name)
{
    for (size_t i = 0; i < hooks->count; i++) {
        if (strcmp(hooks->messages[i].name, name) == 0) {
            return &hooks->messages[i];
        }
    }
    return NULL;
}

const struct hook_field *hooks_field(const struct hook_message *message, const char *name)
{
    for (size_t i = 0; i < message->field_count; i++) {
        if (strcmp(message->fields[i].name, name) == 0) {
            return &message->fields[i];
        }
    }
    return NULL;
}
