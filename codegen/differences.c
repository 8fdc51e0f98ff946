#include "codegen/differences.h"

#include <string.h>

#include "codegen/memory.h"

/* The state while one dialect is compared with the model. */
struct comparison {
    const struct schema *schema;
    size_t dialect;
    struct differences *found;
};

static void add(struct comparison *comparison, const char *key, const char *text)
{
    struct differences *found = comparison->found;
    found->entries = memory_grow(found->entries, found->count, sizeof(*found->entries));
    found->entries[found->count++] = (struct difference){comparison->dialect, key, text};
}

static void compare_field(struct comparison *comparison, const struct message *model, const struct field *field,
                          const struct field *older)
{
    const char *key = memory_format("%s.%s", model->name, field->name);
    const char *type = field_type_text(field);
    if (older == NULL) {
        add(comparison, key, memory_format("lacks %s (number %u, %s)", key, field->number, type));
    } else if (!field_same_shape(field, older) || strcmp(field->name, older->name) != 0) {
        add(comparison, key,
            memory_format("has %s (number %u, %s) as %s %s", key, field->number, type, field_type_text(older), older->name));
    }
}

static void compare_messages(struct comparison *comparison, const struct message *model, const struct message *older)
{
    for (size_t i = 0; i < model->field_count; i++) {
        const struct field *field = &model->fields[i];
        compare_field(comparison, model, field, message_field_by_number(older, field->number));
    }
    for (size_t i = 0; i < older->field_count; i++) {
        const struct field *field = &older->fields[i];
        if (message_field_by_number(model, field->number) == NULL) {
            const char *key = memory_format("%s.%s", older->name, field->name);
            add(comparison, key, memory_format("alone has %s (number %u, %s)", key, field->number, field_type_text(field)));
        }
    }
}

static void compare_enums(struct comparison *comparison, const struct enumeration *model, const struct enumeration *older)
{
    for (size_t i = 0; i < model->value_count; i++) {
        const struct enum_value *value = &model->values[i];
        const struct enum_value *other = enum_value_by_number(older, value->number);
        const char *key = memory_format("%s.%s", model->name, value->name);
        if (other == NULL) {
            add(comparison, key, memory_format("lacks %s (value %d)", key, value->number));
        } else if (strcmp(value->name, other->name) != 0) {
            add(comparison, key, memory_format("has %s (value %d) as %s", key, value->number, other->name));
        }
    }
    for (size_t i = 0; i < older->value_count; i++) {
        if (enum_value_by_number(model, older->values[i].number) == NULL) {
            const char *key = memory_format("%s.%s", older->name, older->values[i].name);
            add(comparison, key, memory_format("alone has %s (value %d)", key, older->values[i].number));
        }
    }
}

static void compare_dialect(struct comparison *comparison)
{
    const struct dialect *model = schema_model(comparison->schema);
    const struct dialect *older = &comparison->schema->dialects[comparison->dialect];
    for (size_t i = 0; i < model->message_count; i++) {
        const struct message *other = dialect_message(older, model->messages[i]->name);
        if (other != NULL) {
            compare_messages(comparison, model->messages[i], other);
        }
    }
    for (size_t i = 0; i < model->enum_count; i++) {
        const struct enumeration *other = dialect_enum(older, model->enums[i]->name);
        if (other != NULL) {
            compare_enums(comparison, model->enums[i], other);
        }
    }
}

struct differences differences_find(const struct schema *schema)
{
    struct differences found = {0};
    for (size_t i = 0; i + 1 < schema->dialect_count; i++) {
        compare_dialect(&(struct comparison){schema, i, &found});
    }
    return found;
}

const struct difference *differences_of(const struct differences *differences, size_t dialect, const char *key)
{
    for (size_t i = 0; i < differences->count; i++) {
        if (differences->entries[i].dialect == dialect && strcmp(differences->entries[i].key, key) == 0) {
            return &differences->entries[i];
        }
    }
    return NULL;
}

static void print_rpcs(const struct schema *schema, const struct dialect *dialect, FILE *output)
{
    const struct dialect *model = schema_model(schema);
    for (size_t i = 0; i < model->rpc_count; i++) {
        if (dialect_rpc(dialect, model->rpcs[i].service, model->rpcs[i].name) == NULL) {
            fprintf(output, "%s lacks the RPC %s.%s\n", dialect->name, model->rpcs[i].service, model->rpcs[i].name);
        }
    }
    for (size_t i = 0; i < dialect->rpc_count; i++) {
        if (dialect_rpc(model, dialect->rpcs[i].service, dialect->rpcs[i].name) == NULL) {
            fprintf(output, "%s alone has the RPC %s.%s\n", dialect->name, dialect->rpcs[i].service, dialect->rpcs[i].name);
        }
    }
}

void differences_print(const struct differences *differences, const struct schema *schema, FILE *output)
{
    for (size_t i = 0; i + 1 < schema->dialect_count; i++) {
        print_rpcs(schema, &schema->dialects[i], output);
        for (size_t j = 0; j < differences->count; j++) {
            if (differences->entries[j].dialect == i) {
                fprintf(output, "%s %s\n", schema->dialects[i].name, differences->entries[j].text);
            }
        }
    }
}
