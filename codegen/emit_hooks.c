#include <inttypes.h>
#include <string.h>

#include "codegen/emit_files.h"
#include "codegen/memory.h"

static const char *const constants[HOOK_ACTION_COUNT] = {
    [HOOK_SHOWN] = "HOOK_SHOWN",   [HOOK_INSIDE] = "HOOK_INSIDE",           [HOOK_NUMBER] = "HOOK_NUMBER",
    [HOOK_PARENT] = "HOOK_PARENT", [HOOK_CPUSET] = "HOOK_CPUSET",           [HOOK_ENTRIES] = "HOOK_ENTRIES",
    [HOOK_FILES] = "HOOK_FILES",   [HOOK_ENVIRONMENT] = "HOOK_ENVIRONMENT",
};

static const char *wire_type(const struct field *field)
{
    bool length = field->message != NULL || strcmp(field->type_name, "string") == 0 || strcmp(field->type_name, "bytes") == 0;
    return length ? "WIRE_LENGTH" : strcmp(field->type_name, "double") == 0 ? "WIRE_FIXED64" : "WIRE_VARINT";
}

/* `hook` is NULL for keys and values of maps, which are shown. */
static void emit_field(const struct dialect *model, const struct field *field, const struct hook_field *hook, FILE *output)
{
    fprintf(output, "    {.name = \"%s\", .number = %u, .wire_type = %s, .word = %s", field->name, field->number,
            wire_type(field), hook == NULL ? "HOOK_SHOWN" : constants[hook->action]);
    if (field->repeated) {
        fputs(", .repeated = true", output);
    }
    if (strcmp(field->type_name, "string") == 0) {
        fputs(", .text = true", output);
    }
    if (hook != NULL && hook->keep != NULL) {
        fprintf(output, ", .keep = %s", emit_literal(hook->keep));
    }
    if (hook != NULL && hook->ranged) {
        fprintf(output, ", .range = {INT64_C(%" PRId64 "), INT64_C(%" PRId64 "), INT64_C(%" PRId64 "), INT64_C(%" PRId64 "), %s}",
                hook->range[0], hook->range[1], hook->also, hook->clears, hook->clamp ? "true" : "false");
    }
    if (field->message != NULL) {
        fprintf(output, ", .message = &%s", emit_symbol("hook", model, field->type_name));
    }
    fputs("},\n", output);
}

static void emit_message(const struct dialect *model, const struct message *message, const struct hook_message *entry,
                         FILE *output)
{
    size_t count = 0;
    const char *fields = emit_symbol("hook_fields", model, message->name);
    fprintf(output, "static const struct hook_field %s[] = {\n", fields);
    for (size_t i = 0; i < message->field_count; i++) {
        const struct hook_field *hook = entry == NULL ? NULL : hooks_field(entry, message->fields[i].name);
        if (hook == NULL || hook->action != HOOK_HIDDEN) {
            emit_field(model, &message->fields[i], hook, output);
            count++;
        }
    }
    fprintf(output,
            "};\n_Static_assert(%zu <= HOOK_FIELDS_MAX, \"more fields than fit\");\n"
            "static const struct hook_message %s = {\"%s\", %zu, %s};\n\n",
            count, emit_symbol("hook", model, message->name), message->name, count, fields);
}

/* Whether some message shows a map with these entries. */
static bool is_shown_map(const struct emission *emission, const struct message *map_entry)
{
    const struct dialect *model = schema_model(emission->schema);
    for (size_t i = 0; i < emission->hooks->count; i++) {
        const struct hook_message *entry = &emission->hooks->messages[i];
        const struct message *message = dialect_message(model, entry->name);
        for (size_t j = 0; j < message->field_count; j++) {
            const struct field *field = &message->fields[j];
            if (field->message == map_entry && hooks_field(entry, field->name)->action != HOOK_HIDDEN) {
                return true;
            }
        }
    }
    return false;
}

static void emit_places(const struct emission *emission, FILE *output)
{
    const struct dialect *model = schema_model(emission->schema);
    fputs("const struct hook_field *const hook_places[HOOK_PLACE_COUNT] = {\n", output);
    for (size_t i = 0; i < RELIED_FIELDS; i++) {
        const struct relied_field *place = &relied_fields[i];
        const struct message *message = dialect_message(model, place->message);
        const struct hook_message *entry = hooks_message(emission->hooks, place->message);
        size_t position = 0;
        for (size_t j = 0; strcmp(message->fields[j].name, place->field) != 0; j++) {
            position += hooks_field(entry, message->fields[j].name)->action != HOOK_HIDDEN;
        }
        fprintf(output, "    [%s] = &%s[%zu],\n", place->constant, emit_symbol("hook_fields", model, place->message), position);
    }
    fputs("};\n", output);
}

void emit_hooks(const struct emission *emission, FILE *output)
{
    const struct dialect *model = schema_model(emission->schema);
    fputs("#include \"translate/hooks/table.h\"\n\n#include <stddef.h>\n\n", output);
    for (size_t i = 0; i < model->message_count; i++) {
        const struct message *message = model->messages[i];
        const struct hook_message *entry = hooks_message(emission->hooks, message->name);
        if (entry != NULL || (message->map_entry && is_shown_map(emission, message))) {
            emit_message(model, message, entry, output);
        }
    }
    fputs("const struct hook_message *const hook_messages[MODEL_KIND_COUNT] = {\n", output);
    for (size_t part = 0; part < PART_COUNT; part++) {
        fprintf(output, "    [%s] = &%s,\n", plan_model_constants[part],
                emit_symbol("hook", model, model_part_message((enum model_part)part)));
    }
    fputs("};\n\n", output);
    emit_places(emission, output);
}
