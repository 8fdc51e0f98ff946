#include "core/map/translation.h"

#include <string.h>

#include "translate/walk/leniency.h"

#define MOST_LENIENT 256

/* struct leniency: all or nothing. */
static bool value_translation(const struct yaml_scalar *in)
{
    struct leniency *leniency = in->value;
    bool lenient = strcmp(in->text, "lenient") == 0;
    if (!lenient && strcmp(in->text, "strict") != 0) {
        return yaml_wrong(in, "\"%.80s\" is not a value of translation; write strict, lenient or {lenient: [FIELD, ...]}",
                          in->text);
    }
    *leniency = (struct leniency){.all = lenient};
    return true;
}

static bool value_lenient(const struct yaml_scalar *in)
{
    return leniency_add(in->value, in->text, in->error);
}

static void read_lenient(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    struct leniency *leniency = value;
    if (node->type != YAML_SEQUENCE_NODE) {
        yaml_wrong_kind(reader, node, what, "a list [FIELD, ...]");
        return;
    }
    if (node->data.sequence.items.top - node->data.sequence.items.start > MOST_LENIENT) {
        problems_add(reader->problems, yaml_place(reader, node), "%s: at most %d fields", what, MOST_LENIENT);
        return;
    }
    *leniency = (struct leniency){0};
    for (yaml_node_item_t *item = node->data.sequence.items.start; item < node->data.sequence.items.top; item++) {
        yaml_read_scalar(reader, yaml_document_get_node(&reader->document, *item), what, value_lenient, leniency);
    }
}

void runtime_map_read_translation(struct yaml_reader *reader, yaml_node_t *node, const char *what, void *value)
{
    static const struct yaml_key keys[] = {{"lenient", true, 0, NULL, read_lenient}};
    struct place places[sizeof keys / sizeof keys[0]] = {0};
    if (node->type == YAML_MAPPING_NODE) {
        if (yaml_read_mapping(reader, node, what, keys, sizeof keys / sizeof keys[0], value, places)) {
            yaml_note_missing(reader->problems, yaml_place(reader, node), what, keys, sizeof keys / sizeof keys[0], places);
        }
    } else if (node->type == YAML_SCALAR_NODE) {
        yaml_read_scalar(reader, node, what, value_translation, value);
    } else {
        yaml_wrong_kind(reader, node, what, "strict, lenient or a mapping {lenient: [FIELD, ...]}");
    }
}
