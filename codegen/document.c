#include "codegen/document.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

yaml_node_t *document_root(struct document *document)
{
    return yaml_document_get_root_node(&document->yaml);
}

yaml_node_t *document_node(struct document *document, int index)
{
    return yaml_document_get_node(&document->yaml, index);
}

struct place document_place(const struct document *document, const yaml_node_t *node)
{
    return (struct place){document->file, node->start_mark.line + 1, node->start_mark.column + 1};
}

const char *document_text(const struct document *document, const yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SCALAR_NODE || strlen((const char *)node->data.scalar.value) != node->data.scalar.length) {
        mistake(document_place(document, node), "%s must be a text", what);
        return NULL;
    }
    return (const char *)node->data.scalar.value;
}

bool document_is_mapping(const struct document *document, const yaml_node_t *node, const char *what)
{
    if (node->type != YAML_MAPPING_NODE) {
        mistake(document_place(document, node), "%s must be a mapping", what);
    }
    return node->type == YAML_MAPPING_NODE;
}

bool document_is_list(const struct document *document, const yaml_node_t *node, const char *what)
{
    if (node->type != YAML_SEQUENCE_NODE) {
        mistake(document_place(document, node), "%s must be a list", what);
    }
    return node->type == YAML_SEQUENCE_NODE;
}

/* Whether the keys of a mapping are texts, each only once. */
static void check_keys(struct document *document, yaml_node_t *mapping)
{
    yaml_node_pair_t *top = mapping->data.mapping.pairs.top;
    for (yaml_node_pair_t *pair = mapping->data.mapping.pairs.start; pair < top; pair++) {
        yaml_node_t *key_node = document_node(document, pair->key);
        const char *key = document_text(document, key_node, "a key");
        for (yaml_node_pair_t *earlier = mapping->data.mapping.pairs.start; key != NULL && earlier < pair; earlier++) {
            yaml_node_t *other = document_node(document, earlier->key);
            if (other->type == YAML_SCALAR_NODE && strcmp((const char *)other->data.scalar.value, key) == 0) {
                mistake(document_place(document, key_node), "%s appears twice, first in line %zu: remove one", key,
                        other->start_mark.line + 1);
                break;
            }
        }
    }
}

static bool check_document(struct document *document)
{
    size_t before = mistakes_count();
    yaml_node_t *root = document_root(document);
    if (root == NULL) {
        mistake((struct place){document->file, 0, 0}, "the file is empty");
        return false;
    }
    document_is_mapping(document, root, "the file");
    for (yaml_node_t *node = document->yaml.nodes.start; node < document->yaml.nodes.top; node++) {
        if (node->type == YAML_MAPPING_NODE) {
            check_keys(document, node);
        }
    }
    return mistakes_count() == before;
}

static bool parse(struct document *document, FILE *input)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        mistake((struct place){document->file, 0, 0}, "out of memory");
        return false;
    }
    yaml_parser_set_input_file(&parser, input);
    bool parsed = yaml_parser_load(&parser, &document->yaml) != 0;
    if (!parsed) {
        mistake((struct place){document->file, parser.problem_mark.line + 1, parser.problem_mark.column + 1}, "%s",
                parser.problem != NULL ? parser.problem : "not YAML");
    }
    yaml_parser_delete(&parser);
    return parsed;
}

bool document_open(struct document *document, const char *file)
{
    document->file = file;
    FILE *input = fopen(file, "rb");
    if (input == NULL) {
        mistake((struct place){file, 0, 0}, "cannot be opened: %s", strerror(errno));
        return false;
    }
    bool parsed = parse(document, input);
    fclose(input);
    if (parsed && !check_document(document)) {
        document_close(document);
        return false;
    }
    return parsed;
}

void document_close(struct document *document)
{
    yaml_document_delete(&document->yaml);
}
