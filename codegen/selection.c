#include "codegen/selection.h"

#include <string.h>

#include "codegen/mistakes.h"
#include "codegen/named.h"

static bool has(const struct schema *schema, const struct dialect *dialect, const char *key)
{
    (void)schema;
    return dialect_field(dialect, key) != NULL || dialect_value(dialect, key) != NULL;
}

static bool lacks(const struct schema *schema, const struct dialect *dialect, const char *key)
{
    const struct field *field = dialect_field(dialect, key);
    const struct field *model = dialect_field(schema_model(schema), key);
    if (field != NULL && model != NULL) {
        return !field_same_shape(field, model);
    }
    return !has(schema, dialect, key);
}

static bool is_of_package(const struct schema *schema, const struct dialect *dialect, const char *package)
{
    (void)schema;
    return strcmp(dialect->package, package) == 0;
}

static const struct condition {
    const char *word;
    bool (*holds)(const struct schema *schema, const struct dialect *dialect, const char *value);
} conditions[] = {
    {"have", has},
    {"lack", lacks},
    {"package", is_of_package},
};

/* Whether the value matches anything: some dialect has that field or value, or belongs to that package. */
static bool is_known(const struct schema *schema, const char *value)
{
    for (size_t i = 0; i < schema->dialect_count; i++) {
        if (has(schema, &schema->dialects[i], value) || is_of_package(schema, &schema->dialects[i], value)) {
            return true;
        }
    }
    return false;
}

static void apply(struct document *document, const yaml_node_pair_t *pair, const char *what, const struct schema *schema,
                  bool flags[DIALECTS_MAX])
{
    yaml_node_t *key = document_node(document, pair->key);
    yaml_node_t *value = document_node(document, pair->value);
    const struct condition *condition = named_find(conditions, sizeof(conditions) / sizeof(conditions[0]), sizeof(conditions[0]),
                                                   (const char *)key->data.scalar.value);
    const char *text = document_text(document, value, what);
    if (condition == NULL) {
        mistake(document_place(document, key), "%s: unknown word %s: write have, lack or package", what,
                (const char *)key->data.scalar.value);
    } else if (text != NULL && !is_known(schema, text)) {
        mistake(document_place(document, value), "%s: %s is not a field, value or package of any dialect", what, text);
    } else if (text != NULL) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            flags[i] = flags[i] && condition->holds(schema, &schema->dialects[i], text);
        }
    }
}

void selection_read(struct document *document, yaml_node_t *node, const char *what, const struct schema *schema,
                    bool flags[DIALECTS_MAX])
{
    bool any = false;
    for (size_t i = 0; i < schema->dialect_count; i++) {
        flags[i] = node->data.mapping.pairs.start < node->data.mapping.pairs.top;
    }
    for (yaml_node_pair_t *pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top; pair++) {
        apply(document, pair, what, schema, flags);
    }
    for (size_t i = 0; i < schema->dialect_count; i++) {
        any = any || flags[i];
    }
    if (!any) {
        mistake(document_place(document, node), "%s selects no dialect", what);
    }
}
