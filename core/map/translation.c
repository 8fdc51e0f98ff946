#include "core/map/translation.h"

#include <string.h>

#include "translate/walk/leniency.h"
#include "translate/walk/text_table.h"

#define MOST_FIELDS 256

/* struct leniency: all or nothing. */
static bool value_translation(const struct yaml_scalar *in)
{
    struct leniency *leniency = in->value;
    bool lenient = strcmp(in->text, "lenient") == 0;
    if (!lenient && strcmp(in->text, "strict") != 0) {
        return yaml_wrong(
            in, "\"%.80s\" is not a value of translation; write strict, lenient or {lenient: [FIELD, ...], strict: [FIELD, ...]}",
            in->text);
    }
    *leniency = (struct leniency){.all = lenient};
    return true;
}

static bool value_lenient(const struct yaml_scalar *in)
{
    return leniency_add(in->value, in->text, in->error);
}

static bool value_strict(const struct yaml_scalar *in)
{
    return leniency_add_strict(in->value, in->text, in->error);
}

static void read_fields(struct yaml_reader *reader, yaml_node_t *node, const char *what,
                        bool (*add)(const struct yaml_scalar *in), void *leniency)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        yaml_wrong_kind(reader, node, what, "a list [FIELD, ...]");
        return;
    }
    if (node->data.sequence.items.top - node->data.sequence.items.start > MOST_FIELDS) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: at most %d fields", what, MOST_FIELDS);
        return;
    }
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_read_scalar(reader, yaml_document_get_node(&reader->document, *item), what, add, leniency);
    }
}

static void read_lenient(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    read_fields(reader, node, what, value_lenient, value);
}

static void read_strict(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    read_fields(reader, node, what, value_strict, value);
}

/* A field that a path names may be in both lists. */
static void check_both(struct yaml_reader *reader, yaml_node_t *node, const char *what, const struct leniency *leniency)
{
    for (size_t i = 0; i < TRANSLATION_RULE_COUNT; i++) {
        if (leniency->rules[i] && leniency->strict[i]) {
            problems_add(reader->problems, yaml_place(reader, node), "%s: %s is lenient and strict", what,
                         translation_rules[i].field);
        }
    }
}

void runtime_map_read_translation(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {
        {"lenient", false, 0, NULL, read_lenient},
        {"strict", false, 0, NULL, read_strict},
    };
    struct place places[sizeof keys / sizeof keys[0]] = {0};
    if (node->type == YAML_MAPPING_NODE) {
        struct leniency *leniency = value;
        *leniency = (struct leniency){0};
        if (yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], value, places)) {
            if (places[0].line == 0 && places[1].line == 0) {
                problems_add(reader->problems, yaml_place(reader, node), "%s: write lenient, strict or both", what);
            }
            check_both(reader, node, what, leniency);
        }
    } else if (node->type == YAML_SCALAR_NODE) {
        yaml_read_scalar(reader, node, what, value_translation, value);
    } else {
        yaml_wrong_kind(reader, node, what, "strict, lenient or a mapping {lenient: [FIELD, ...], strict: [FIELD, ...]}");
    }
}
