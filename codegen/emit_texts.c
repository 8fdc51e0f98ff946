#include "codegen/emit_files.h"

#include <string.h>

#include "codegen/memory.h"

static const char *const action_constants[RULE_ACTION_COUNT] = {
    [RULE_DROP] = "RULE_DROP",   [RULE_REJECT] = "RULE_REJECT", [RULE_JUDGED] = "RULE_JUDGED",
    [RULE_CARRY] = "RULE_CARRY", [RULE_COPY] = "RULE_COPY",     [RULE_ABILITY] = "RULE_ABILITY",
};

/* What the page says about a rule's field besides its name. */
struct subject {
    const char *type;
    const char *older;
    unsigned has;
};

static struct subject find_subject(const struct schema *schema, const struct field_rule *rule)
{
    struct subject subject = {0};
    for (size_t i = 0; i < schema->dialect_count; i++) {
        const struct field *field = schema_counterpart(schema, i, rule->key);
        const struct enum_value *value = dialect_value(&schema->dialects[i], rule->key);
        if (field != NULL) {
            subject.type = field_type_text(field);
            subject.older = rule->in[i] ? memory_format("%s %s", field_type_text(field), field->name) : subject.older;
        } else if (value != NULL) {
            subject.type = memory_format("%d", value->number);
        }
        subject.has |= field != NULL || value != NULL ? 1U << i : 0;
    }
    bool gone = (subject.has >> (schema->dialect_count - 1) & 1U) == 0;
    subject.older = gone ? NULL : subject.older;
    return subject;
}

static unsigned dialect_bits(const bool *in)
{
    unsigned bits = 0;
    for (size_t i = 0; i < DIALECTS_MAX; i++) {
        bits |= in[i] ? 1U << i : 0;
    }
    return bits;
}

static const char *literal_or_null(const char *text)
{
    return text == NULL ? "NULL" : emit_literal(text);
}

static void emit_rules(const struct emission *emission, FILE *output)
{
    fputs("const struct rule_text rule_texts[] = {\n", output);
    for (size_t i = 0; i < emission->rules->field_count; i++) {
        const struct field_rule *rule = &emission->rules->fields[i];
        struct subject subject = find_subject(emission->schema, rule);
        fprintf(output, "    {.action = %s, .differs = 0x%x, .has = 0x%x, .type = %s, .older = %s}, /* %s */\n",
                action_constants[rule->action], dialect_bits(rule->in), subject.has, literal_or_null(subject.type),
                literal_or_null(subject.older), rule->key);
    }
    fputs("};\n\n", output);
}

static void emit_carries(const struct emission *emission, FILE *output)
{
    const struct rules *rules = emission->rules;
    for (size_t i = 0; i < rules->carry_count; i++) {
        fprintf(output, "static const char *const carry_fields_%s[] = {", rules->carries[i].with);
        for (size_t j = 0; j < rules->carries[i].fields.count; j++) {
            fprintf(output, "\"%s\", ", rules->carries[i].fields.texts[j]);
        }
        fputs("};\n", output);
    }
    fputs("\nconst struct carry_text carry_texts[] = {\n", output);
    for (size_t i = 0; i < rules->carry_count; i++) {
        const struct carry_rule *carry = &rules->carries[i];
        fprintf(
            output,
            "    {.name = \"%s\", .message = \"%s\", .in = 0x%x, .field_count = %zu, .fields = carry_fields_%s, .why = %s},\n",
            carry->with, carry->message, carry->always ? 0 : dialect_bits(carry->in), carry->fields.count, carry->with,
            emit_literal(carry->why));
    }
    fprintf(output, "};\nconst uint16_t carry_text_count = %zu;\n\n", rules->carry_count);
}

static void emit_normalise_texts(const struct emission *emission, FILE *output)
{
    const struct rules *rules = emission->rules;
    fputs("const struct normalise_text normalise_texts[] = {\n", output);
    for (size_t i = 0; i < rules->normalise_count; i++) {
        const struct normalise_rule *rule = &rules->normalisations[i];
        fprintf(output, "    {.name = \"%s\", .up = 0x%x, .down = 0x%x, .on = 0x%x, .why = %s},\n", rule->with,
                dialect_bits(rule->up), dialect_bits(rule->down),
                (unsigned)(rule->on[PART_POD] << PART_POD | rule->on[PART_CONTAINER] << PART_CONTAINER |
                           rule->on[PART_RESOURCES] << PART_RESOURCES),
                emit_literal(rule->why));
    }
    fprintf(output, "};\nconst uint16_t normalise_text_count = %zu;\n\n", rules->normalise_count);
}

static void emit_translation_rules(const struct rules *rules, FILE *output)
{
    fputs("const struct translation_rule translation_rules[] = {\n", output);
    for (size_t i = 0; i < rules->field_count; i++) {
        const struct field_rule *rule = &rules->fields[i];
        fprintf(output, "    {\"%s\", %s, .refuses = %s, .tuning = %s},\n", rule->key, emit_literal(rule->why),
                rule->refuses ? "true" : "false", rule->tuning ? "true" : "false");
    }
    fputs("};\n\n", output);
}

void emit_texts(const struct emission *emission, FILE *output)
{
    fputs("#include \"translate/walk/text_table.h\"\n\n#include <stddef.h>\n\n", output);
    emit_translation_rules(emission->rules, output);
    emit_rules(emission, output);
    emit_carries(emission, output);
    emit_normalise_texts(emission, output);
    fputs("const char *const method_without[] = {\n", output);
    for (size_t i = 0; i < emission->methods->count; i++) {
        fprintf(output, "    %s, /* %s */\n", literal_or_null(emission->methods->rows[i].without),
                emission->methods->rows[i].name);
    }
    fputs("};\n", output);
}

void emit_rule_ids(const struct emission *emission, FILE *output)
{
    fputs("/* The rules of rules.yaml under fields, and behind them further fields of runtimes.yaml: RULE_MESSAGE_FIELD, an "
          "index into\n   translation_rules. */\n"
          "#pragma once\n\nenum translation_rule_id {\n",
          output);
    for (size_t i = 0; i < emission->rules->field_count; i++) {
        const char *key = emission->rules->fields[i].key;
        int message = (int)strcspn(key, ".");
        fprintf(output, "    RULE_%.*s_%s,\n", message, key, key + message + 1);
    }
    fprintf(
        output,
        "    TRANSLATION_RULE_COUNT,\n};\n\n/* Those from there on are about no difference between dialects: only runtimes.yaml "
        "names these fields. */\n#define TRANSLATION_DIFFERENCE_COUNT %zu\n",
        emission->rules->difference_count);
}
