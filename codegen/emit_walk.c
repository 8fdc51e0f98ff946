#include <inttypes.h>
#include <string.h>

#include "codegen/emit.h"
#include "codegen/memory.h"

/* Calls `emit` for every ordered pair of dialects, the same one twice included. */
static void for_each_pair(const struct emission *emission, FILE *output,
                          void (*emit)(const struct emission *emission, size_t from, size_t to, FILE *output))
{
    for (size_t from = 0; from < emission->schema->dialect_count; from++) {
        for (size_t to = 0; to < emission->schema->dialect_count; to++) {
            emit(emission, from, to, output);
        }
    }
}

/* Tables of requests and responses: method_tables.c refers to them. The others are only reached from these. */
static bool is_public(const struct message *message)
{
    return message->request || message->response;
}

static void declare_tables(const struct emission *emission, size_t from, size_t to, FILE *output)
{
    const struct dialect *dialect = &emission->schema->dialects[from];
    for (size_t i = 0; i < dialect->message_count; i++) {
        const struct message *message = dialect->messages[i];
        if (is_public(message) && emission->plan->tables[from][to][i] != NULL) {
            fprintf(output, "extern const struct walk_table %s;\n", emit_walk_symbol(emission, from, to, "walk", message->name));
        }
    }
}

void emit_walk_header(const struct emission *emission, FILE *output)
{
    fputs("#ifndef CRIGATE_GENERATED_WALK_TABLES_H\n#define CRIGATE_GENERATED_WALK_TABLES_H\n\n"
          "#include \"translate/walk/table.h\"\n\n",
          output);
    for_each_pair(emission, output, declare_tables);
    fputs("\n#endif\n", output);
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

static size_t value_count(const struct emission *emission, size_t from, size_t to, const struct enumeration *enumeration)
{
    const struct dialect *dialect = &emission->schema->dialects[from];
    size_t index = 0;
    while (dialect->enums[index] != enumeration) {
        index++;
    }
    return emission->plan->enums[from][to][index].value_count;
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
        fprintf(output, ", .value_count = %zu, .values = %s", value_count(emission, from, to, step->values_of),
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
    fprintf(output, "%sconst struct walk_table %s = {\n    .message = &%s,\n", is_public(source) ? "" : "static ",
            emit_walk_symbol(emission, from, to, "walk", source->name),
            emit_symbol("schema", &emission->schema->dialects[from], source->name));
    if (source->field_count > 0) {
        fprintf(output, "    .steps = %s,\n", steps);
    }
    emit_plain(table, output);
    if (table->carry_function != NULL) {
        fprintf(output, "    .carry = %s,\n", table->carry_function);
    }
    fprintf(output, "    .same_package = %s,\n    .changes = %s,\n    .names = 0", table->same_package ? "true" : "false",
            table->changes ? "true" : "false");
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

static const char *const kind_constants[PART_COUNT] = {
    [PART_POD] = "MODEL_POD",
    [PART_CONTAINER] = "MODEL_CONTAINER",
    [PART_RESOURCES] = "MODEL_RESOURCES",
};

static void emit_model_tables(const struct emission *emission, FILE *output)
{
    const struct dialect *dialects = emission->schema->dialects;
    fputs("const struct walk_table *const model_tables[MODEL_KIND_COUNT][DIALECT_COUNT][DIALECT_COUNT] = {\n", output);
    for (size_t part = 0; part < PART_COUNT; part++) {
        const char *message = model_part_message((enum model_part)part);
        fprintf(output, "    [%s] = {\n", kind_constants[part]);
        for (size_t from = 0; from < emission->schema->dialect_count; from++) {
            for (size_t to = 0; to < emission->schema->dialect_count; to++) {
                if (plan_table(emission->plan, from, to, message) != NULL) {
                    fprintf(output, "        [%s][%s] = &%s,\n", emit_dialect_constant(&dialects[from]),
                            emit_dialect_constant(&dialects[to]), emit_walk_symbol(emission, from, to, "walk", message));
                }
            }
        }
        fputs("    },\n", output);
    }
    fputs("};\n\n", output);
}

/* The normalisations of one direction, one part and one dialect. */
static void emit_chain(const struct emission *emission, bool up, size_t part, size_t dialect, FILE *output)
{
    fprintf(output, "static normalisation *const %s_%zu_%zu[] = {", up ? "up" : "down", part, dialect);
    for (size_t i = 0; i < emission->rules->normalise_count; i++) {
        const struct normalise_rule *rule = &emission->rules->normalisations[i];
        if (rule->on[part] && (up ? rule->up : rule->down)[dialect]) {
            fprintf(output, "normalise_%s, ", rule->with);
        }
    }
    fputs("NULL};\n", output);
}

/* What the normalisations of one direction look at in a part, as bits of field numbers. */
static void emit_looks_at(const struct emission *emission, bool up, size_t part, size_t dialect, FILE *output)
{
    const struct message *message = dialect_message(schema_model(emission->schema), model_part_message((enum model_part)part));
    fputs("0", output);
    for (size_t i = 0; i < emission->rules->normalise_count; i++) {
        const struct normalise_rule *rule = &emission->rules->normalisations[i];
        bool runs = rule->on[part] && (up ? rule->up : rule->down)[dialect];
        if (runs && part == PART_RESOURCES) {
            fputs(" | UINT64_MAX", output);
        }
        for (size_t j = 0; runs && message != NULL && j < rule->looks_at_count; j++) {
            const struct field *field = message_field(message, rule->looks_at[j]);
            if (field != NULL) {
                fprintf(output, " | UINT64_C(1) << %" PRIu32, field->number);
            }
        }
    }
}

static void emit_looks(const struct emission *emission, bool up, FILE *output)
{
    const struct schema *schema = emission->schema;
    fprintf(output, "const uint64_t normalisations_%s_look_at[MODEL_KIND_COUNT][DIALECT_COUNT] = {\n", up ? "up" : "down");
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            fprintf(output, "    [%s][%s] = ", kind_constants[part], emit_dialect_constant(&schema->dialects[i]));
            emit_looks_at(emission, up, part, i, output);
            fputs(",\n", output);
        }
    }
    fputs("};\n\n", output);
}

static void emit_normalisations(const struct emission *emission, bool up, FILE *output)
{
    const struct schema *schema = emission->schema;
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            emit_chain(emission, up, part, i, output);
        }
    }
    fprintf(output, "normalisation *const *const normalisations_%s[MODEL_KIND_COUNT][DIALECT_COUNT] = {\n", up ? "up" : "down");
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            fprintf(output, "    [%s][%s] = %s_%zu_%zu,\n", kind_constants[part], emit_dialect_constant(&schema->dialects[i]),
                    up ? "up" : "down", part, i);
        }
    }
    fputs("};\n\n", output);
    emit_looks(emission, up, output);
}

void emit_walk(const struct emission *emission, FILE *output)
{
    fputs("#include \"generated/walk_tables.h\"\n\n#include <stddef.h>\n\n#include \"generated/functions.h\"\n"
          "#include \"generated/schema_tables.h\"\n#include \"translate/walk/carry.h\"\n#include "
          "\"translate/convert/convert.h\"\n\n",
          output);
    for (size_t i = 0; i < emission->rules->carry_count; i++) {
        const struct carry_rule *carry = &emission->rules->carries[i];
        fprintf(output, "_Static_assert(%zu <= CARRY_VALUES, \"carry.h has too little room for %s\");\n", carry->field_count,
                carry->with);
    }
    for_each_pair(emission, output, emit_values);
    for_each_pair(emission, output, emit_tables);
    emit_model_tables(emission, output);
    emit_normalisations(emission, true, output);
    emit_normalisations(emission, false, output);
    fputs("const struct translation_rule translation_rules[] = {\n", output);
    for (size_t i = 0; i < emission->rules->field_count; i++) {
        const struct field_rule *rule = &emission->rules->fields[i];
        fprintf(output, "    {\"%s\", %s, .refuses = %s},\n", rule->key, emit_literal(rule->why),
                rule->refuses ? "true" : "false");
    }
    fputs("};\n", output);
}

void emit_rule_ids(const struct emission *emission, FILE *output)
{
    fputs("/* The rules of rules.yaml under fields: RULE_MESSAGE_FIELD, an index into translation_rules. */\n"
          "#ifndef CRIGATE_GENERATED_RULE_IDS_H\n#define CRIGATE_GENERATED_RULE_IDS_H\n\nenum translation_rule_id {\n",
          output);
    for (size_t i = 0; i < emission->rules->field_count; i++) {
        const char *key = emission->rules->fields[i].key;
        int message = (int)strcspn(key, ".");
        fprintf(output, "    RULE_%.*s_%s,\n", message, key, key + message + 1);
    }
    fputs("    TRANSLATION_RULE_COUNT,\n};\n\n#endif\n", output);
}

/* A function may be named by several rows: a second prototype says the same. */
static void emit_composition_prototypes(const struct methods *methods, FILE *output)
{
    for (size_t i = 0; i < methods->count; i++) {
        for (size_t j = 0; j < OCCASION_COUNT; j++) {
            if (methods->rows[i].compositions[j] != NULL) {
                fprintf(output, "bool compose_%s(struct composing *composing, struct error *error);\n",
                        methods->rows[i].compositions[j]);
            }
        }
    }
}

void emit_functions(const struct emission *emission, FILE *output)
{
    const struct rules *rules = emission->rules;
    fputs("/* The functions that rules.yaml and methods.yaml name. One that is defined but not declared here has lost its rule "
          "or row. */\n"
          "#ifndef CRIGATE_GENERATED_FUNCTIONS_H\n#define CRIGATE_GENERATED_FUNCTIONS_H\n\n"
          "#include <stdbool.h>\n\nstruct carry;\nstruct composing;\nstruct error;\nstruct model;\n\n",
          output);
    for (size_t i = 0; i < rules->carry_count; i++) {
        const struct carry_rule *carry = &rules->carries[i];
        if (carry->always) {
            fprintf(output, "bool carry_%s(struct carry *carry, struct error *error);\n", carry->with);
        } else {
            fprintf(output, "bool carry_%s_up(struct carry *carry, struct error *error);\n", carry->with);
            fprintf(output, "bool carry_%s_down(struct carry *carry, struct error *error);\n", carry->with);
        }
    }
    for (size_t i = 0; i < rules->normalise_count; i++) {
        fprintf(output, "bool normalise_%s(struct model *model, struct error *error);\n", rules->normalisations[i].with);
    }
    emit_composition_prototypes(emission->methods, output);
    fputs("\n#endif\n", output);
}
