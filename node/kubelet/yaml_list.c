#include "node/kubelet/yaml_list.h"

#include <string.h>

#include <yaml.h>

static bool is_key(const yaml_node_t *node, const char *key)
{
    return node && node->type == YAML_SCALAR_NODE && node->data.scalar.length == strlen(key) &&
           memcmp(node->data.scalar.value, key, node->data.scalar.length) == 0;
}

/* The value of the key; NULL: it is not there. */
static yaml_node_t *find(yaml_document_t *document, const char *key)
{
    yaml_node_t *root = yaml_document_get_root_node(document);
    if (!root || root->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (const yaml_node_pair_t *pair = root->data.mapping.pairs.start; pair < root->data.mapping.pairs.top; pair++) {
        if (is_key(yaml_document_get_node(document, pair->key), key)) {
            return yaml_document_get_node(document, pair->value);
        }
    }
    return NULL;
}

struct filling {
    struct arena *arena;
    const char **items;
    unsigned *lines;
    size_t count;
};

static bool add(struct filling *filling, const yaml_node_t *node)
{
    if (!node || node->type != YAML_SCALAR_NODE) {
        return true;
    }
    filling->items[filling->count] = arena_string(filling->arena, bytes_of(node->data.scalar.value, node->data.scalar.length));
    filling->lines[filling->count] = (unsigned)node->start_mark.line + 1;
    return filling->items[filling->count++] != NULL;
}

static bool fill(yaml_document_t *document, const yaml_node_t *value, struct arena *arena, struct yaml_list *list)
{
    bool sequence = value->type == YAML_SEQUENCE_NODE;
    size_t most = sequence ? (size_t)(value->data.sequence.items.top - value->data.sequence.items.start) : 1;
    struct filling filling = {.arena = arena,
                              .items = arena_zalloc(arena, (most + 1) * sizeof *filling.items),
                              .lines = arena_zalloc(arena, (most + 1) * sizeof *filling.lines)};
    bool good = filling.items && filling.lines;
    for (size_t i = 0; good && i < most; i++) {
        good = add(&filling, sequence ? yaml_document_get_node(document, value->data.sequence.items.start[i]) : value);
    }
    *list = (struct yaml_list){.present = true, .count = filling.count, .items = filling.items, .lines = filling.lines};
    return good;
}

bool yaml_list_find(const char *file, struct bytes text, const char *key, struct arena *arena, struct yaml_list *list,
                    struct error *error)
{
    yaml_parser_t parser;
    yaml_document_t document;
    *list = (struct yaml_list){.present = false};
    if (!yaml_parser_initialize(&parser)) {
        return error_out_of_memory(error);
    }
    yaml_parser_set_input_string(&parser, text.len > 0 ? text.data : (const uint8_t *)"", text.len);
    bool loaded = yaml_parser_load(&parser, &document);
    const yaml_node_t *value = loaded ? find(&document, key) : NULL;
    bool good = !value || fill(&document, value, arena, list);
    if (loaded) {
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    if (!loaded) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "%s is not YAML", file);
    }
    return good || error_out_of_memory(error);
}
