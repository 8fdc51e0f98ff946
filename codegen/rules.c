#include "codegen/rules.h"

#include <string.h>

#include "codegen/memory.h"
#include "codegen/named.h"
#include "codegen/selection.h"

static const char *const action_names[RULE_ACTION_COUNT] = {
    [RULE_DROP] = "drop",   [RULE_REJECT] = "reject", [RULE_JUDGED] = "judged",
    [RULE_CARRY] = "carry", [RULE_COPY] = "copy",     [RULE_ABILITY] = "ability",
};

static const char *const part_names[PART_COUNT] = {
    [PART_POD] = "pod",
    [PART_CONTAINER] = "container",
    [PART_RESOURCES] = "resources",
};

static const char *const part_messages[PART_COUNT] = {
    [PART_POD] = "PodSandboxConfig",
    [PART_CONTAINER] = "ContainerConfig",
    [PART_RESOURCES] = "LinuxContainerResources",
};

static const struct constant name_words[] = {
    {"pod", "NAME_POD"},
    {"container", "NAME_CONTAINER"},
    {"image", "NAME_IMAGE"},
    {"handler", "NAME_HANDLER"},
    {"stream_url", "NAME_STREAM_URL"},
    {"none", "NAME_NONE"},
    {NULL, NULL},
};

static const struct constant privacy_words[] = {
    {"secret", "PRIVACY_SECRET"},
    {"environment", "PRIVACY_ENVIRONMENT"},
    {"payload", "PRIVACY_PAYLOAD"},
    {NULL, NULL},
};

/* The state of the reader. */
struct reader {
    struct document *document;
    const struct schema *schema;
    struct rules *rules;
};

static struct place place_of(const struct reader *reader, const yaml_node_t *node)
{
    return document_place(reader->document, node);
}

/* The entry under that key, for the row. */
static struct entry entry_of(const struct reader *reader, const yaml_node_t *key, void *row)
{
    return (struct entry){reader->document, reader->schema, (const char *)key->data.scalar.value, place_of(reader, key), row};
}

/* fields */

static void field_do(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    enum rule_action *action = entry_member(entry, word);
    const char *name = document_text(entry->document, value, what);
    for (size_t i = 0; name != NULL && i < RULE_ABILITY; i++) {
        if (strcmp(action_names[i], name) == 0) {
            *action = (enum rule_action)i;
            return;
        }
    }
    if (name != NULL) {
        mistake(document_place(entry->document, value), "%s: unknown action %s: write drop, reject, judged, carry or copy",
                entry->name, name);
        *action = RULE_DROP;
    }
}

static void read_field(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    static const struct entry_word words[] = {
        {"in", entry_dialects, true, .target = offsetof(struct field_rule, in)},
        {"do", field_do, true, .target = offsetof(struct field_rule, action)},
        {"why", entry_text, true, .target = offsetof(struct field_rule, why)},
    };
    struct rules *rules = reader->rules;
    rules->fields = memory_grow(rules->fields, rules->field_count, sizeof(*rules->fields));
    struct field_rule *rule = &rules->fields[rules->field_count++];
    struct entry entry = entry_of(reader, key, rule);
    *rule = (struct field_rule){.key = entry.name, .why = "", .place = entry.place};
    entry_read(&entry, value, words, sizeof(words) / sizeof(words[0]));
    rule->refuses = rule->action == RULE_REJECT;
}

/* carry */

static void carry_fields(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    const struct texts *fields = entry_member(entry, word);
    entry_list(entry, word, value, what);
    for (size_t i = 1; i < fields->count; i++) {
        if (texts_have(&(struct texts){.count = i, .texts = fields->texts}, fields->texts[i])) {
            mistake(fields->place, "%s: field %s is listed twice", entry->name, fields->texts[i]);
        }
    }
}

static void require_identifier(const struct entry *entry)
{
    if (!is_identifier(entry->name)) {
        mistake(entry->place, "%s: cannot be part of a function's name: lower case, digits and _ only", entry->name);
    }
}

static void read_carry(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    static const struct entry_word words[] = {
        {"message", entry_text, true, .target = offsetof(struct carry_rule, message)},
        {"in", entry_dialects, false, .target = offsetof(struct carry_rule, in)},
        {"always", entry_true, false, .target = offsetof(struct carry_rule, always)},
        {"fields", carry_fields, true, .target = offsetof(struct carry_rule, fields)},
        {"why", entry_text, true, .target = offsetof(struct carry_rule, why)},
    };
    struct rules *rules = reader->rules;
    rules->carries = memory_grow(rules->carries, rules->carry_count, sizeof(*rules->carries));
    struct carry_rule *rule = &rules->carries[rules->carry_count++];
    struct entry entry = entry_of(reader, key, rule);
    *rule = (struct carry_rule){.with = entry.name, .message = "", .place = entry.place};
    require_identifier(&entry);
    entry_read(&entry, value, words, sizeof(words) / sizeof(words[0]));
    if (entry_has(reader->document, value, "in") == entry_has(reader->document, value, "always") &&
        value->type == YAML_MAPPING_NODE) {
        mistake(rule->place, "%s: write either `in` or `always: true`", rule->with);
    }
}

/* normalise */

/* A list of dialects, or the conditions that select them. */
static void normalise_selected(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    if (value->type == YAML_MAPPING_NODE) {
        selection_read(entry->document, value, what, entry->schema, entry_member(entry, word));
    } else {
        entry_dialects(entry, word, value, what);
        ((struct normalise_rule *)entry->row)->listed = true;
    }
}

static void normalise_on(const struct entry *entry, const struct entry_word *word, yaml_node_t *value, const char *what)
{
    bool *on = entry_member(entry, word);
    struct texts names = {0};
    entry_list(&(struct entry){.document = entry->document, .row = &names}, &(struct entry_word){0}, value, what);
    for (size_t i = 0; i < names.count; i++) {
        size_t part = 0;
        while (part < PART_COUNT && strcmp(part_names[part], names.texts[i]) != 0) {
            part++;
        }
        if (part == PART_COUNT) {
            mistake(names.place, "%s: unknown word %s: write pod, container or resources", what, names.texts[i]);
        } else if (on[part]) {
            mistake(names.place, "%s: %s is listed twice", what, names.texts[i]);
        } else {
            on[part] = true;
        }
    }
}

static void read_normalise(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    static const struct entry_word words[] = {
        {"up", normalise_selected, false, .target = offsetof(struct normalise_rule, up)},
        {"down", normalise_selected, false, .target = offsetof(struct normalise_rule, down)},
        {"within", normalise_selected, false, .target = offsetof(struct normalise_rule, within)},
        {"on", normalise_on, true, .target = offsetof(struct normalise_rule, on)},
        {"looks_at", entry_list, false, .target = offsetof(struct normalise_rule, looks_at)},
        {"refuses", entry_list, false, .target = offsetof(struct normalise_rule, refuses)},
        {"why", entry_text, true, .target = offsetof(struct normalise_rule, why)},
    };
    struct rules *rules = reader->rules;
    rules->normalisations = memory_grow(rules->normalisations, rules->normalise_count, sizeof(*rules->normalisations));
    struct normalise_rule *rule = &rules->normalisations[rules->normalise_count++];
    struct entry entry = entry_of(reader, key, rule);
    *rule = (struct normalise_rule){.with = entry.name, .place = entry.place};
    require_identifier(&entry);
    entry_read(&entry, value, words, sizeof(words) / sizeof(words[0]));
    if (!entry_has(reader->document, value, "up") && !entry_has(reader->document, value, "down")) {
        mistake(rule->place, "%s: write `up`, `down` or both", rule->with);
    }
}

/* names and privacy */

static void read_list(struct reader *reader, yaml_node_t *key, yaml_node_t *value, const struct constant *words,
                      struct listed_fields *listed)
{
    const char *name = (const char *)key->data.scalar.value;
    const struct constant *word = constant_find(words, name);
    if (word == NULL) {
        mistake(place_of(reader, key), "unknown word %s", name);
    }
    if (word == NULL || !document_is_list(reader->document, value, name)) {
        return;
    }
    for (yaml_node_item_t *item = value->data.sequence.items.start; item < value->data.sequence.items.top; item++) {
        yaml_node_t *node = document_node(reader->document, *item);
        const char *field = document_text(reader->document, node, "a field");
        if (field != NULL) {
            listed->fields = memory_grow(listed->fields, listed->count, sizeof(*listed->fields));
            listed->fields[listed->count++] = (struct listed_field){field, word->name, place_of(reader, node)};
        }
    }
}

static void read_name(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    read_list(reader, key, value, name_words, &reader->rules->names);
}

static void read_privacy(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    read_list(reader, key, value, privacy_words, &reader->rules->privacy);
}

/* The parts of the file, each a mapping whose entries one function reads. */
static const struct {
    const char *name;
    void (*read)(struct reader *reader, yaml_node_t *key, yaml_node_t *value);
} parts[] = {
    {"fields", read_field}, {"carry", read_carry}, {"normalise", read_normalise}, {"names", read_name}, {"privacy", read_privacy},
};

static void read_part_of_file(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    const char *name = (const char *)key->data.scalar.value;
    size_t part = 0;
    while (part < sizeof(parts) / sizeof(parts[0]) && strcmp(parts[part].name, name) != 0) {
        part++;
    }
    if (part == sizeof(parts) / sizeof(parts[0])) {
        mistake(place_of(reader, key), "unknown part %s: write fields, carry, normalise, names or privacy", name);
        return;
    }
    if (!document_is_mapping(reader->document, value, name)) {
        return;
    }
    for (yaml_node_pair_t *pair = value->data.mapping.pairs.start; pair < value->data.mapping.pairs.top; pair++) {
        parts[part].read(reader, document_node(reader->document, pair->key), document_node(reader->document, pair->value));
    }
}

/* Marks the fields because of which normalisations refuse. */
static void mark_refused(struct rules *rules)
{
    for (size_t i = 0; i < rules->normalise_count; i++) {
        for (size_t j = 0; j < rules->field_count; j++) {
            struct field_rule *field = &rules->fields[j];
            field->refuses = field->refuses || texts_have(&rules->normalisations[i].refuses, field->key);
        }
    }
}

void rules_read(struct document *document, const struct schema *schema, struct rules *rules)
{
    struct reader reader = {document, schema, rules};
    *rules = (struct rules){.file = document->file};
    yaml_node_t *root = document_root(document);
    for (yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        read_part_of_file(&reader, document_node(document, pair->key), document_node(document, pair->value));
    }
    rules->difference_count = rules->field_count;
    mark_refused(rules);
}

const struct field_rule *rules_field(const struct rules *rules, const char *key)
{
    return named_find(rules->fields, rules->field_count, sizeof(*rules->fields), key);
}

const char *rule_action_name(enum rule_action action)
{
    return action_names[action];
}

const char *model_part_message(enum model_part part)
{
    return part_messages[part];
}

const char *listed_constant(const struct listed_fields *listed, const char *message, const char *field, const char *otherwise)
{
    size_t length = strlen(message);
    for (size_t i = 0; i < listed->count; i++) {
        const char *key = listed->fields[i].key;
        if (strncmp(key, message, length) == 0 && key[length] == '.' && strcmp(key + length + 1, field) == 0) {
            return listed->fields[i].constant;
        }
    }
    return otherwise;
}
