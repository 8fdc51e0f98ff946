#include "codegen/emit_files.h"

#include <stdlib.h>
#include <string.h>

#include "codegen/memory.h"

void emit_dialects(const struct emission *emission, FILE *output)
{
    const struct schema *schema = emission->schema;
    fputs("#pragma once\n\nenum dialect {\n", output);
    for (size_t i = 0; i < schema->dialect_count; i++) {
        fprintf(output, "    %s,\n", emit_dialect_constant(&schema->dialects[i]));
    }
    fprintf(output, "    DIALECT_COUNT,\n};\n\n/* The model is the newest dialect. */\n#define DIALECT_MODEL %s\n",
            emit_dialect_constant(schema_model(schema)));
    fprintf(output, "\n/* Rows of methods.yaml. */\n#define METHOD_COUNT %zu\n", emission->methods->count);
}

void emit_schema_header(const struct emission *emission, FILE *output)
{
    fputs("#pragma once\n\n"
          "#include \"translate/schema/schema.h\"\n\n",
          output);
    for (size_t i = 0; i < emission->schema->dialect_count; i++) {
        const struct dialect *dialect = &emission->schema->dialects[i];
        for (size_t j = 0; j < dialect->message_count; j++) {
            fprintf(output, "extern const struct schema_message %s;\n",
                    emit_symbol("schema", dialect, dialect->messages[j]->name));
        }
    }
}

static void emit_enum(const struct dialect *dialect, const struct enumeration *enumeration, FILE *output)
{
    const char *values = emit_symbol("values", dialect, enumeration->name);
    fprintf(output, "static const struct schema_enum_value %s[] = {\n", values);
    for (size_t i = 0; i < enumeration->value_count; i++) {
        fprintf(output, "    {\"%s\", %d},\n", enumeration->values[i].name, enumeration->values[i].number);
    }
    fprintf(output, "};\nstatic const struct schema_enum %s = {\"%s\", %zu, %s};\n",
            emit_symbol("enum", dialect, enumeration->name), enumeration->name, enumeration->value_count, values);
}

static void emit_field(const struct emission *emission, const struct dialect *dialect, const struct message *message,
                       const struct field *field, FILE *output)
{
    fprintf(output, "    {.name = \"%s\", .json_name = \"%s\", .number = %u, .type = %s, .name_kind = %s, .privacy = %s",
            field->name, field->json_name, field->number, field->constant,
            listed_constant(&emission->rules->names, message->name, field->name, "NAME_NONE"),
            listed_constant(&emission->rules->privacy, message->name, field->name, "PRIVACY_PUBLIC"));
    if (field->repeated) {
        fputs(", .repeated = true", output);
    }
    if (field->map) {
        fputs(", .map = true", output);
    }
    if (field->message != NULL) {
        fprintf(output, ", .message = &%s", emit_symbol("schema", dialect, field->type_name));
    }
    if (field->enumeration != NULL) {
        fprintf(output, ", .enumeration = &%s", emit_symbol("enum", dialect, field->type_name));
    }
    fputs("},\n", output);
}

static void emit_positions(const struct dialect *dialect, const struct message *message, FILE *output)
{
    fprintf(output, "static const uint8_t %s[] = {", emit_symbol("positions", dialect, message->name));
    uint32_t number = 0;
    for (size_t i = 0; i < message->field_count; i++, number++) {
        for (; number < message->fields[i].number; number++) {
            fputs("0, ", output);
        }
        fprintf(output, "%zu, ", i + 1);
    }
    fputs(message->field_count == 0 ? "0};\n" : "};\n", output);
}

static void emit_message(const struct emission *emission, const struct dialect *dialect, const struct message *message,
                         FILE *output)
{
    const char *fields = emit_symbol("fields", dialect, message->name);
    if (message->field_count > 0) {
        fprintf(output, "static const struct schema_field %s[] = {\n", fields);
        for (size_t i = 0; i < message->field_count; i++) {
            emit_field(emission, dialect, message, &message->fields[i], output);
        }
        fputs("};\n", output);
    }
    emit_positions(dialect, message, output);
    fprintf(output, "const struct schema_message %s = {\"%s\", %zu, %u, %s, %s};\n\n",
            emit_symbol("schema", dialect, message->name), message->name, message->field_count,
            message->field_count == 0 ? 0 : message->fields[message->field_count - 1].number,
            message->field_count == 0 ? "NULL" : fields, emit_symbol("positions", dialect, message->name));
}

static int compare_messages(const void *a, const void *b)
{
    const struct message *const *left = a;
    const struct message *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

/* The messages by name, for schema_message_by_name. */
static void emit_index(const struct dialect *dialect, FILE *output)
{
    const struct message **sorted = memory_new(dialect->message_count, sizeof(*sorted));
    memcpy(sorted, dialect->messages, dialect->message_count * sizeof(*sorted));
    qsort(sorted, dialect->message_count, sizeof(*sorted), compare_messages);
    fprintf(output, "static const struct schema_message *const by_name_%s[] = {\n", dialect->name);
    for (size_t i = 0; i < dialect->message_count; i++) {
        fprintf(output, "    &%s,\n", emit_symbol("schema", dialect, sorted[i]->name));
    }
    fputs("};\n\n", output);
}

void emit_schema(const struct emission *emission, FILE *output)
{
    const struct schema *schema = emission->schema;
    fputs("#include \"generated/schema_tables.h\"\n\n#include \"translate/schema/message_index.h\"\n\n", output);
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct dialect *dialect = &schema->dialects[i];
        for (size_t j = 0; j < dialect->enum_count; j++) {
            emit_enum(dialect, dialect->enums[j], output);
        }
        for (size_t j = 0; j < dialect->message_count; j++) {
            emit_message(emission, dialect, dialect->messages[j], output);
        }
        emit_index(dialect, output);
    }
    fputs("const struct dialect_info dialects[DIALECT_COUNT] = {\n", output);
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct dialect *dialect = &schema->dialects[i];
        fprintf(output, "    [%s] = {\"%s\", \"%s\", %s},\n", emit_dialect_constant(dialect), dialect->name, dialect->package,
                emit_dialect_constant(&schema->dialects[dialect->caller]));
    }
    fputs("};\n\nconst struct message_index message_indexes[DIALECT_COUNT] = {\n", output);
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct dialect *dialect = &schema->dialects[i];
        fprintf(output, "    [%s] = {%zu, by_name_%s},\n", emit_dialect_constant(dialect), dialect->message_count, dialect->name);
    }
    fputs("};\n", output);
}
