#include "codegen/emit_files.h"

#include <string.h>

/* Calls `emit` for every ordered pair of dialects, also for twice the same. */
static void for_each_pair(const struct emission *emission, FILE *output,
                          void (*emit)(const struct emission *emission, size_t from, size_t to, FILE *output))
{
    for (size_t from = 0; from < emission->schema->dialect_count; from++) {
        for (size_t to = 0; to < emission->schema->dialect_count; to++) {
            emit(emission, from, to, output);
        }
    }
}

static void emit_values(const struct emission *emission, size_t from, size_t to, FILE *output)
{
    const struct dialect *dialect = &emission->schema->dialects[from];
    for (size_t i = 0; i < dialect->enum_count; i++) {
        const struct plan_enum *lacking = &emission->plan->enums[from][to][i];
        if (lacking->value_count == 0) {
            continue;
        }
        fprintf(output, "static const struct walk_value %s[] = {\n",
                emit_walk_symbol(emission, from, to, "values", dialect->enums[i]->name));
        for (size_t j = 0; j < lacking->value_count; j++) {
            const struct plan_value *value = &lacking->values[j];
            fprintf(output, "    {.number = %d, .rule = %zu, .action = %s}, /* %s */\n", value->value->number, value->rule,
                    value->action, value->value->name);
        }
        fputs("};\n\n", output);
    }
}

static void emit_step(const struct emission *emission, size_t from, size_t to, const struct plan_step *step,
                      const struct field *field, FILE *output)
{
    fprintf(output, "    {.action = %s", step->action);
    if (step->model != NULL) {
        fprintf(output, ", .slot = %s", step->model);
    } else if (strcmp(step->action, "WALK_CAPTURE") == 0) {
        fprintf(output, ", .slot = %zu", step->slot);
    }
    if (step->values_of != NULL) {
        fprintf(output, ", .value_count = %zu, .values = %s",
                plan_enum_of(emission->plan, from, to, step->values_of)->value_count,
                emit_walk_symbol(emission, from, to, "values", step->values_of->name));
    }
    if (strcmp(step->action, "WALK_DROP") == 0 || strcmp(step->action, "WALK_REJECT") == 0 ||
        strcmp(step->action, "WALK_JUDGED") == 0) {
        fprintf(output, ", .rule = %zu", step->rule);
    }
    if (step->into != NULL) {
        fprintf(output, ", .into = &%s", emit_walk_symbol(emission, from, to, "walk", step->into->source->name));
    }
    fprintf(output, "}, /* %s */\n", field->name);
}

static void emit_plain(const struct plan_table *table, FILE *output)
{
    fputs("    .plain = {", output);
    for (unsigned number = 0; number < PLAN_PLAIN_NUMBERS; number++) {
        if (table->plain[number] != NULL) {
            fprintf(output, "[%u] = %s, ", number, table->plain[number]);
        }
    }
    fputs("},\n", output);
}

static void emit_table(const struct emission *emission, size_t from, size_t to, const struct plan_table *table, FILE *output)
{
    const struct message *source = table->source;
    const char *steps = emit_walk_symbol(emission, from, to, "steps", source->name);
    if (source->field_count > 0) {
        fprintf(output, "static const struct walk_step %s[] = {\n", steps);
        for (size_t i = 0; i < source->field_count; i++) {
            emit_step(emission, from, to, &table->steps[i], &source->fields[i], output);
        }
        fputs("};\n", output);
    }
    fprintf(output, "static const struct walk_table %s = {\n    .message = &%s,\n",
            emit_walk_symbol(emission, from, to, "walk", source->name),
            emit_symbol("schema", &emission->schema->dialects[from], source->name));
    if (source->field_count > 0) {
        fprintf(output, "    .steps = %s,\n", steps);
    }
    emit_plain(table, output);
    if (table->carry_function != NULL) {
        fprintf(output, "    .carry = %s,\n", table->carry_function);
    }
    fprintf(output, "    .in_place = %s,\n    .same_package = %s,\n    .changes = %s,\n    .names = 0",
            table->in_place ? "true" : "false", table->same_package ? "true" : "false", table->changes ? "true" : "false");
    for (unsigned i = 0; i < PLAN_NAME_KINDS; i++) {
        if (table->names >> i & 1U) {
            fprintf(output, " | 1U << %s", plan_name_kinds[i]);
        }
    }
    fputs(",\n};\n\n", output);
}

static void emit_tables(const struct emission *emission, size_t from, size_t to, FILE *output)
{
    for (size_t i = 0; i < emission->schema->dialects[from].message_count; i++) {
        if (emission->plan->tables[from][to][i] != NULL) {
            emit_table(emission, from, to, emission->plan->tables[from][to][i], output);
        }
    }
}

static void emit_entry(const struct emission *emission, size_t from, size_t to, const char *message, FILE *output)
{
    const struct dialect *dialects = emission->schema->dialects;
    fprintf(output, "        [%s][%s] = &%s,\n", emit_dialect_constant(&dialects[from]), emit_dialect_constant(&dialects[to]),
            emit_walk_symbol(emission, from, to, "walk", message));
}

static void emit_model_tables(const struct emission *emission, FILE *output)
{
    size_t dialects = emission->schema->dialect_count;
    fputs("const struct walk_table *const model_tables[MODEL_KIND_COUNT][DIALECT_COUNT][DIALECT_COUNT] = {\n", output);
    for (size_t part = 0; part < PART_COUNT; part++) {
        const char *message = model_part_message((enum model_part)part);
        fprintf(output, "    [%s] = {\n", plan_model_constants[part]);
        for (size_t pair = 0; pair < dialects * dialects; pair++) {
            if (plan_table(emission->plan, pair / dialects, pair % dialects, message) != NULL) {
                emit_entry(emission, pair / dialects, pair % dialects, message, output);
            }
        }
        fputs("    },\n", output);
    }
    fputs("};\n\n", output);
}

/* The tables of all requests or all responses, by the method's place in `methods`. */
static void emit_method_tables(const struct emission *emission, bool requests, FILE *output)
{
    size_t dialects = emission->schema->dialect_count;
    fprintf(output, "const struct walk_table *const %s_tables[][DIALECT_COUNT][DIALECT_COUNT] = {\n",
            requests ? "request" : "response");
    for (size_t i = 0; i < emission->methods->count; i++) {
        const struct method_row *row = &emission->methods->rows[i];
        fprintf(output, "    { /* %s */\n", row->name);
        for (size_t pair = 0; pair < dialects * dialects; pair++) {
            const struct rpc *rpc = dialect_rpc(&emission->schema->dialects[pair / dialects], row->service, row->name);
            if (rpc != NULL && dialect_rpc(&emission->schema->dialects[pair % dialects], row->service, row->name) != NULL) {
                const char *message = requests ? rpc->request->name : rpc->response->name;
                emit_entry(emission, pair / dialects, pair % dialects, message, output);
            }
        }
        fputs("    },\n", output);
    }
    fputs("};\n\n", output);
}

void emit_walk(const struct emission *emission, FILE *output)
{
    fputs("#include \"translate/walk/table.h\"\n\n#include <stddef.h>\n\n#include \"generated/functions.h\"\n"
          "#include \"generated/schema_tables.h\"\n#include \"translate/walk/carry.h\"\n\n",
          output);
    for (size_t i = 0; i < emission->rules->carry_count; i++) {
        const struct carry_rule *carry = &emission->rules->carries[i];
        fprintf(output, "_Static_assert(%zu <= CARRY_VALUES, \"carry.h has too little room for %s\");\n", carry->fields.count,
                carry->with);
    }
    for_each_pair(emission, output, emit_values);
    for_each_pair(emission, output, emit_tables);
    emit_model_tables(emission, output);
    emit_method_tables(emission, true, output);
    emit_method_tables(emission, false, output);
}
