#include "codegen/emit_files.h"

#include <inttypes.h>

enum direction { UP, WITHIN, DOWN, DIRECTION_COUNT };

static const char *const directions[DIRECTION_COUNT] = {[UP] = "up", [WITHIN] = "within", [DOWN] = "down"};

static bool runs(const struct normalise_rule *rule, enum direction direction, size_t part, size_t dialect)
{
    const bool *const in[DIRECTION_COUNT] = {[UP] = rule->up, [WITHIN] = rule->within, [DOWN] = rule->down};
    return rule->on[part] && in[direction][dialect];
}

/* The normalisations for one direction, one part and one dialect. */
static void emit_chain(const struct emission *emission, enum direction direction, size_t part, size_t dialect, FILE *output)
{
    fprintf(output, "static normalisation *const %s_%zu_%zu[] = {", directions[direction], part, dialect);
    for (size_t i = 0; i < emission->rules->normalise_count; i++) {
        const struct normalise_rule *rule = &emission->rules->normalisations[i];
        if (runs(rule, direction, part, dialect)) {
            fprintf(output, "normalise_%s, ", rule->with);
        }
    }
    fputs("NULL};\n", output);
}

/* The fields of a part that the normalisations of one direction read or write, as bits of field numbers. */
static void emit_looks_at(const struct emission *emission, enum direction direction, size_t part, size_t dialect, FILE *output)
{
    const struct message *message = dialect_message(schema_model(emission->schema), model_part_message((enum model_part)part));
    fputs("0", output);
    for (size_t i = 0; i < emission->rules->normalise_count; i++) {
        const struct normalise_rule *rule = &emission->rules->normalisations[i];
        bool looks = runs(rule, direction, part, dialect);
        if (looks && part == PART_RESOURCES) {
            fputs(" | UINT64_MAX", output);
        }
        for (size_t j = 0; looks && message != NULL && j < rule->looks_at.count; j++) {
            const struct field *field = message_field(message, rule->looks_at.texts[j]);
            if (field != NULL) {
                fprintf(output, " | UINT64_C(1) << %" PRIu32, field->number);
            }
        }
    }
}

static void emit_looks(const struct emission *emission, enum direction direction, FILE *output)
{
    const struct schema *schema = emission->schema;
    fprintf(output, "const uint64_t normalisations_%s_look_at[MODEL_KIND_COUNT][DIALECT_COUNT] = {\n", directions[direction]);
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            fprintf(output, "    [%s][%s] = ", plan_model_constants[part], emit_dialect_constant(&schema->dialects[i]));
            emit_looks_at(emission, direction, part, i, output);
            fputs(",\n", output);
        }
    }
    fputs("};\n\n", output);
}

static void emit_normalisations(const struct emission *emission, enum direction direction, FILE *output)
{
    const struct schema *schema = emission->schema;
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            emit_chain(emission, direction, part, i, output);
        }
    }
    fprintf(output, "normalisation *const *const normalisations_%s[MODEL_KIND_COUNT][DIALECT_COUNT] = {\n",
            directions[direction]);
    for (size_t part = 0; part < PART_COUNT; part++) {
        for (size_t i = 0; i < schema->dialect_count; i++) {
            fprintf(output, "    [%s][%s] = %s_%zu_%zu,\n", plan_model_constants[part],
                    emit_dialect_constant(&schema->dialects[i]), directions[direction], part, i);
        }
    }
    fputs("};\n\n", output);
    emit_looks(emission, direction, output);
}

void emit_normalisation_tables(const struct emission *emission, FILE *output)
{
    fputs("#include \"translate/model/normalisations.h\"\n\n#include <stddef.h>\n\n#include \"generated/functions.h\"\n\n",
          output);
    for (enum direction direction = 0; direction < DIRECTION_COUNT; direction++) {
        emit_normalisations(emission, direction, output);
    }
}

void emit_compositions(const struct emission *emission, FILE *output)
{
    static const char *const constants[OCCASION_COUNT] = {
        [OCCASION_COMPOSE] = "COMPOSE_LACKING",
        [OCCASION_CONFIRM] = "COMPOSE_UNKNOWN",
        [OCCASION_COMPLETE] = "COMPOSE_ANSWERED",
    };
    fputs("#include \"translate/compose/compose.h\"\n\n#include <stddef.h>\n\n#include \"generated/functions.h\"\n\n"
          "const struct composition_entry compositions[][COMPOSE_OCCASIONS] = {\n",
          output);
    for (size_t i = 0; i < emission->methods->count; i++) {
        const struct method_row *row = &emission->methods->rows[i];
        fputs("    {", output);
        for (size_t j = 0; j < OCCASION_COUNT; j++) {
            const char *name = row->compositions[j];
            const char *runtime = row->composed_for[j];
            if (name != NULL) {
                fprintf(output, "[%s] = {compose_%s, %s%s%s}, ", constants[j], name, runtime == NULL ? "" : "\"",
                        runtime == NULL ? "NULL" : runtime, runtime == NULL ? "" : "\"");
            }
        }
        fprintf(output, "}, /* %s */\n", row->name);
    }
    fputs("};\n", output);
}

/* Several rows may name the same function: a repeated prototype is valid C. */
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
    fputs("/* The functions that rules.yaml, methods.yaml and runtimes.yaml name. One that is defined but not declared here has "
          "lost its rule, row or entry. */\n"
          "#pragma once\n\n"
          "#include <stdbool.h>\n\nstruct ability_value;\nstruct carry;\nstruct composing;\nstruct error;\nstruct model;\n\n",
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
    for (size_t i = 0; i < emission->abilities->count; i++) {
        const char *asks = emission->abilities->rows[i].asks;
        if (asks != NULL) {
            fprintf(output, "bool asks_%s(const struct ability_value *value);\n", asks);
        }
    }
}
