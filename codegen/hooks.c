#include "codegen/hooks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/entry.h"
#include "codegen/memory.h"
#include "codegen/named.h"

static const char *const words[HOOK_ACTION_COUNT] = {
    [HOOK_HIDDEN] = "hidden", [HOOK_SHOWN] = "shown",     [HOOK_INSIDE] = "inside",
    [HOOK_NUMBER] = "number", [HOOK_PARENT] = "parent",   [HOOK_CPUSET] = "cpuset",
    [HOOK_FILES] = "files",   [HOOK_ENTRIES] = "entries", [HOOK_ENVIRONMENT] = "environment",
};

static void read_action(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    enum hook_action *action = entry_member(entry, word);
    const char *text = document_text(entry->document, value, what);
    for (size_t i = 0; text != NULL && i < HOOK_ACTION_COUNT; i++) {
        if (strcmp(words[i], text) == 0) {
            *action = (enum hook_action)i;
            return;
        }
    }
    if (text != NULL) {
        mistake(document_place(entry->document, value), "%s: unknown word %s: see the head of the file", what, text);
    }
}

static void read_number(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const char *text = document_text(entry->document, value, what);
    if (text == NULL) {
        return;
    }
    char *end = NULL;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (*text == '\0' || *end != '\0' || errno != 0) {
        mistake(document_place(entry->document, value), "%s: %s is not a number of 64 bits", what, text);
        return;
    }
    *(int64_t *)entry_member(entry, word) = number;
}

static void read_range(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    struct hook_field *field = entry->row;
    if (!document_is_list(entry->document, value, what)) {
        return;
    }
    yaml_node_item_t *items = value->data.sequence.items.start;
    if (value->data.sequence.items.top - items != 2) {
        mistake(document_place(entry->document, value), "%s: write two numbers", what);
        return;
    }
    field->ranged = true;
    for (size_t i = 0; i < 2; i++) {
        struct entry_word number = {.target = word->target + i * sizeof(field->range[0])};
        read_number(entry, &number, document_node(entry->document, items[i]), what);
    }
    if (field->range[0] > field->range[1]) {
        mistake(document_place(entry->document, value), "%s: the first number is the greater one", what);
    }
}

static const struct entry_word field_words[] = {
    {"do", read_action, .target = offsetof(struct hook_field, action)},
    {"range", read_range, .target = offsetof(struct hook_field, range)},
    {"or", read_number, .target = offsetof(struct hook_field, also)},
    {"clears", read_number, .target = offsetof(struct hook_field, clears)},
    {"clamp", entry_true, .target = offsetof(struct hook_field, clamp)},
    {"keep", entry_text, .target = offsetof(struct hook_field, keep)},
};

/* What only some words can have. */
static void check_attributes(const char *entry, const struct hook_field *field)
{
    bool numbers = field->ranged || field->also != 0 || field->clears != 0 || field->clamp;
    if (field->action == HOOK_NUMBER) {
        mistake_unless(field->place, entry, "range", field->ranged);
    } else if (numbers) {
        mistake(field->place, "%s: only a number has `range`, `or`, `clears` and `clamp`", entry);
    }
    if (field->keep != NULL && field->action != HOOK_ENTRIES) {
        mistake(field->place, "%s: `keep` is the beginning of keys of entries", entry);
    }
}

static void read_field(struct document *document, yaml_node_pair_t *pair, struct hook_message *message)
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    struct hook_field field = {.name = (const char *)key->data.scalar.value, .place = document_place(document, key)};
    struct entry entry = {document, NULL, memory_format("%s.%s", message->name, field.name), field.place, &field};
    if (value->type != YAML_MAPPING_NODE) {
        read_action(&entry, &field_words[0], value, entry.name);
    } else {
        entry_read(&entry, value, field_words, sizeof(field_words) / sizeof(field_words[0]));
    }
    check_attributes(entry.name, &field);
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
    return named_find(hooks->messages, hooks->count, sizeof(*hooks->messages), name);
}

const struct hook_field *hooks_field(const struct hook_message *message, const char *name)
{
    return named_find(message->fields, message->field_count, sizeof(*message->fields), name);
}
