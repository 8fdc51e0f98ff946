#include "codegen/rules.h"

#include <string.h>

#include "codegen/memory.h"
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

struct word {
    const char *name;
    const char *constant;
};

static const struct word name_words[] = {
    {"pod", "NAME_POD"},
    {"container", "NAME_CONTAINER"},
    {"image", "NAME_IMAGE"},
    {"handler", "NAME_HANDLER"},
    {"stream_url", "NAME_STREAM_URL"},
    {"none", "NAME_NONE"},
    {NULL, NULL},
};

static const struct word privacy_words[] = {
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

/* One attribute of an entry: reads its value into the rule. */
struct attribute {
    const char *name;
    void (*read)(struct reader *reader, yaml_node_t *node, void *rule);
};

static struct place place_of(const struct reader *reader, const yaml_node_t *node)
{
    return document_place(reader->document, node);
}

static void read_text(struct reader *reader, yaml_node_t *node, const char *what, const char **text)
{
    const char *value = document_text(reader->document, node, what);
    if (value != NULL && *value == '\0') {
        mistake(place_of(reader, node), "%s is empty: write it", what);
        return;
    }
    *text = value;
}

/* A list of dialects' names into flags. */
static void read_dialects(struct reader *reader, yaml_node_t *node, const char *what, bool flags[DIALECTS_MAX])
{
    if (!document_is_list(reader->document, node, what)) {
        return;
    }
    if (node->data.sequence.items.start == node->data.sequence.items.top) {
        mistake(place_of(reader, node), "%s names no dialect", what);
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *dialect_node = document_node(reader->document, *item);
        const char *name = document_text(reader->document, dialect_node, "a dialect");
        if (name == NULL) {
            continue;
        }
        size_t dialect = schema_dialect(reader->schema, name);
        if (dialect == DIALECTS_MAX) {
            mistake(place_of(reader, dialect_node), "there is no dialect %s", name);
        } else if (flags[dialect]) {
            mistake(place_of(reader, dialect_node), "%s is listed twice", name);
        } else {
            flags[dialect] = true;
        }
    }
}

/* Reads the attributes of one entry by a table; unknown attributes are mistakes. */
static void read_attributes(struct reader *reader, const char *entry, yaml_node_t *node, const struct attribute *attributes,
                            void *rule)
{
    if (!document_is_mapping(reader->document, node, entry)) {
        return;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key_node = document_node(reader->document, pair->key);
        const char *key = (const char *)key_node->data.scalar.value;
        const struct attribute *attribute = attributes;
        while (attribute->name != NULL && strcmp(attribute->name, key) != 0) {
            attribute++;
        }
        if (attribute->name == NULL) {
            mistake(place_of(reader, key_node), "%s: unknown word %s", entry, key);
        } else {
            attribute->read(reader, document_node(reader->document, pair->value), rule);
        }
    }
}

/* fields */

static void field_in(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct field_rule *field = rule;
    read_dialects(reader, node, memory_format("%s: in", field->key), field->in);
}

static void field_do(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct field_rule *field = rule;
    const char *name = document_text(reader->document, node, memory_format("%s: do", field->key));
    for (size_t i = 0; name != NULL && i < RULE_ABILITY; i++) {
        if (strcmp(action_names[i], name) == 0) {
            field->action = (enum rule_action)i;
            return;
        }
    }
    if (name != NULL) {
        mistake(place_of(reader, node), "%s: unknown action %s: write drop, reject, judged, carry or copy", field->key, name);
        field->action = RULE_DROP;
    }
}

static void field_why(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct field_rule *field = rule;
    read_text(reader, node, memory_format("%s: why", field->key), &field->why);
}

static const struct attribute field_attributes[] = {
    {"in", field_in},
    {"do", field_do},
    {"why", field_why},
    {NULL, NULL},
};

/* Whether an entry has an attribute, even with a wrong value. */
static bool has_attribute(struct reader *reader, yaml_node_t *node, const char *name)
{
    if (node->type != YAML_MAPPING_NODE) {
        return true; /* reported already */
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        yaml_node_t *key = document_node(reader->document, pair->key);
        if (strcmp((const char *)key->data.scalar.value, name) == 0) {
            return true;
        }
    }
    return false;
}

static void read_field(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    struct rules *rules = reader->rules;
    rules->fields = memory_grow(rules->fields, rules->field_count, sizeof(*rules->fields));
    struct field_rule *rule = &rules->fields[rules->field_count++];
    *rule = (struct field_rule){.key = (const char *)key->data.scalar.value, .why = "", .place = place_of(reader, key)};
    read_attributes(reader, rule->key, value, field_attributes, rule);
    mistake_unless(rule->place, rule->key, "in", has_attribute(reader, value, "in"));
    mistake_unless(rule->place, rule->key, "do", has_attribute(reader, value, "do"));
    mistake_unless(rule->place, rule->key, "why", has_attribute(reader, value, "why"));
    rule->refuses = rule->action == RULE_REJECT;
}

/* carry */

static void carry_message(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct carry_rule *carry = rule;
    read_text(reader, node, memory_format("%s: message", carry->with), &carry->message);
}

static void carry_in(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct carry_rule *carry = rule;
    read_dialects(reader, node, memory_format("%s: in", carry->with), carry->in);
}

static void carry_always(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct carry_rule *carry = rule;
    const char *value = document_text(reader->document, node, memory_format("%s: always", carry->with));
    if (value != NULL && strcmp(value, "true") != 0) {
        mistake(place_of(reader, node), "%s: `always` can only be true", carry->with);
    }
    carry->always = true;
}

static void carry_fields(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct carry_rule *carry = rule;
    if (!document_is_list(reader->document, node, memory_format("%s: fields", carry->with))) {
        return;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_node_t *field_node = document_node(reader->document, *item);
        const char *name = document_text(reader->document, field_node, memory_format("%s: a field", carry->with));
        for (size_t i = 0; name != NULL && i < carry->field_count; i++) {
            if (strcmp(carry->fields[i], name) == 0) {
                mistake(place_of(reader, field_node), "%s: field %s is listed twice", carry->with, name);
            }
        }
        if (name != NULL) {
            carry->fields = memory_grow(carry->fields, carry->field_count, sizeof(*carry->fields));
            carry->fields[carry->field_count++] = name;
        }
    }
    if (carry->field_count == 0) {
        mistake(place_of(reader, node), "%s: lists no field", carry->with);
    }
}

static void carry_why(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct carry_rule *carry = rule;
    read_text(reader, node, memory_format("%s: why", carry->with), &carry->why);
}

static const struct attribute carry_attributes[] = {
    {"message", carry_message}, {"in", carry_in},   {"always", carry_always},
    {"fields", carry_fields},   {"why", carry_why}, {NULL, NULL},
};

static bool is_identifier(const char *text)
{
    return *text != '\0' && text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static void require_identifier(struct place place, const char *with)
{
    if (!is_identifier(with)) {
        mistake(place, "%s: cannot be part of a function's name: lower case, digits and _ only", with);
    }
}

static void read_carry(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    struct rules *rules = reader->rules;
    rules->carries = memory_grow(rules->carries, rules->carry_count, sizeof(*rules->carries));
    struct carry_rule *rule = &rules->carries[rules->carry_count++];
    *rule = (struct carry_rule){.with = (const char *)key->data.scalar.value, .message = "", .place = place_of(reader, key)};
    require_identifier(rule->place, rule->with);
    read_attributes(reader, rule->with, value, carry_attributes, rule);
    mistake_unless(rule->place, rule->with, "message", has_attribute(reader, value, "message"));
    mistake_unless(rule->place, rule->with, "fields", has_attribute(reader, value, "fields"));
    mistake_unless(rule->place, rule->with, "why", has_attribute(reader, value, "why"));
    if (has_attribute(reader, value, "in") == has_attribute(reader, value, "always") && value->type == YAML_MAPPING_NODE) {
        mistake(rule->place, "%s: write either `in` or `always: true`", rule->with);
    }
}

/* normalise */

/* A list of dialects, or the conditions that select them. */
static void read_selected(struct reader *reader, yaml_node_t *node, const char *what, struct normalise_rule *normalise,
                          bool flags[DIALECTS_MAX])
{
    if (node->type == YAML_MAPPING_NODE) {
        selection_read(reader->document, node, what, reader->schema, flags);
    } else {
        read_dialects(reader, node, what, flags);
        normalise->listed = true;
    }
}

static void normalise_up(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    read_selected(reader, node, memory_format("%s: up", normalise->with), normalise, normalise->up);
}

static void normalise_within(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    selection_read(reader->document, node, memory_format("%s: within", normalise->with), reader->schema, normalise->within);
}

static void normalise_down(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    read_selected(reader, node, memory_format("%s: down", normalise->with), normalise, normalise->down);
}

static void read_part(struct reader *reader, yaml_node_t *node, struct normalise_rule *normalise)
{
    const char *name = document_text(reader->document, node, memory_format("%s: on", normalise->with));
    for (size_t part = 0; name != NULL && part < PART_COUNT; part++) {
        if (strcmp(part_names[part], name) == 0) {
            if (normalise->on[part]) {
                mistake(place_of(reader, node), "%s: on: %s is listed twice", normalise->with, name);
            }
            normalise->on[part] = true;
            return;
        }
    }
    if (name != NULL) {
        mistake(place_of(reader, node), "%s: on: unknown word %s: write pod, container or resources", normalise->with, name);
    }
}

static void normalise_on(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    if (!document_is_list(reader->document, node, memory_format("%s: on", normalise->with))) {
        return;
    }
    if (node->data.sequence.items.start == node->data.sequence.items.top) {
        mistake(place_of(reader, node), "%s: on: lists nothing", normalise->with);
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        read_part(reader, document_node(reader->document, *item), normalise);
    }
}

/* Names in a list; the checks decide what they are. */
static void read_names(struct reader *reader, yaml_node_t *node, const char *what, const char ***names, size_t *count)
{
    if (!document_is_list(reader->document, node, what)) {
        return;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        const char *name = document_text(reader->document, document_node(reader->document, *item), what);
        if (name != NULL) {
            *names = memory_grow(*names, *count, sizeof(**names));
            (*names)[(*count)++] = name;
        }
    }
}

static void normalise_looks_at(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    read_names(reader, node, memory_format("%s: looks_at", normalise->with), &normalise->looks_at, &normalise->looks_at_count);
}

static void normalise_refuses(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    read_names(reader, node, memory_format("%s: refuses", normalise->with), &normalise->refuses, &normalise->refuses_count);
}

static void normalise_why(struct reader *reader, yaml_node_t *node, void *rule)
{
    struct normalise_rule *normalise = rule;
    read_text(reader, node, memory_format("%s: why", normalise->with), &normalise->why);
}

static const struct attribute normalise_attributes[] = {
    {"up", normalise_up},
    {"down", normalise_down},
    {"within", normalise_within},
    {"on", normalise_on},
    {"looks_at", normalise_looks_at},
    {"refuses", normalise_refuses},
    {"why", normalise_why},
    {NULL, NULL},
};

static void read_normalise(struct reader *reader, yaml_node_t *key, yaml_node_t *value)
{
    struct rules *rules = reader->rules;
    rules->normalisations = memory_grow(rules->normalisations, rules->normalise_count, sizeof(*rules->normalisations));
    struct normalise_rule *rule = &rules->normalisations[rules->normalise_count++];
    *rule = (struct normalise_rule){.with = (const char *)key->data.scalar.value, .place = place_of(reader, key)};
    require_identifier(rule->place, rule->with);
    read_attributes(reader, rule->with, value, normalise_attributes, rule);
    mistake_unless(rule->place, rule->with, "on", has_attribute(reader, value, "on"));
    mistake_unless(rule->place, rule->with, "why", has_attribute(reader, value, "why"));
    if (!has_attribute(reader, value, "up") && !has_attribute(reader, value, "down")) {
        mistake(rule->place, "%s: write `up`, `down` or both", rule->with);
    }
}

/* names and privacy */

static void read_listed(struct reader *reader, const struct word *word, yaml_node_t *list, struct listed_fields *listed)
{
    if (!document_is_list(reader->document, list, word->name)) {
        return;
    }
    for (yaml_node_item_t *item = list->data.sequence.items.start; item < list->data.sequence.items.top; item++) {
        yaml_node_t *node = document_node(reader->document, *item);
        const char *key = document_text(reader->document, node, "a field");
        if (key != NULL) {
            listed->fields = memory_grow(listed->fields, listed->count, sizeof(*listed->fields));
            listed->fields[listed->count++] = (struct listed_field){key, word->constant, place_of(reader, node)};
        }
    }
}

static void read_list(struct reader *reader, yaml_node_t *key, yaml_node_t *value, const struct word *words,
                      struct listed_fields *listed)
{
    const char *name = (const char *)key->data.scalar.value;
    for (const struct word *word = words; word->name != NULL; word++) {
        if (strcmp(word->name, name) == 0) {
            read_listed(reader, word, value, listed);
            return;
        }
    }
    mistake(place_of(reader, key), "unknown word %s", name);
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
        const struct normalise_rule *normalise = &rules->normalisations[i];
        for (size_t j = 0; j < normalise->refuses_count; j++) {
            for (size_t k = 0; k < rules->field_count; k++) {
                struct field_rule *field = &rules->fields[k];
                field->refuses = field->refuses || strcmp(field->key, normalise->refuses[j]) == 0;
            }
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
    for (size_t i = 0; i < rules->field_count; i++) {
        if (strcmp(rules->fields[i].key, key) == 0) {
            return &rules->fields[i];
        }
    }
    return NULL;
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
