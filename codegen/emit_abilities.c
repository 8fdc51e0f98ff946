#include <inttypes.h>
#include <string.h>

#include "codegen/emit_files.h"
#include "codegen/memory.h"

/* ---- runtimes and entries ---- */

static unsigned dialect_bits(const bool *flags)
{
    unsigned bits = 0;
    for (size_t i = 0; i < DIALECTS_MAX; i++) {
        bits |= flags[i] ? 1U << i : 0;
    }
    return bits;
}

static void emit_runtimes(const struct abilities *abilities, FILE *output)
{
    for (size_t i = 0; i < abilities->runtime_count; i++) {
        const struct texts *reports = &abilities->runtimes[i].reports;
        fprintf(output, "static const char *const reports_%zu[] = {", i);
        for (size_t j = 0; j < reports->count; j++) {
            fprintf(output, "%s, ", emit_literal(reports->texts[j]));
        }
        fputs("NULL};\n", output);
    }
    fputs("const struct ability_runtime ability_runtimes[] = {\n", output);
    for (size_t i = 0; i < abilities->runtime_count; i++) {
        const struct ability_runtime_row *row = &abilities->runtimes[i];
        fprintf(output, "    {.name = %s, .reports = reports_%zu, .dialects = 0x%x, .versioned = %s},\n", emit_literal(row->name),
                i, dialect_bits(row->speaks), row->unversioned ? "false" : "true");
    }
    fprintf(output, "};\nconst uint8_t ability_runtime_count = %zu;\n\n", abilities->runtime_count);
}

static void emit_ranges(const struct ability_ignored_row *ignored, size_t row, size_t index, FILE *output)
{
    if (ignored->range_count == 0) {
        return;
    }
    fprintf(output, "static const struct version_range ranges_%zu_%zu[] = {", row, index);
    for (size_t i = 0; i < ignored->range_count; i++) {
        const struct ability_range *range = &ignored->ranges[i];
        fprintf(output, "{{%" PRIu32 "U, %" PRIu32 "U, %" PRIu32 "U}, {%" PRIu32 "U, %" PRIu32 "U, %" PRIu32 "U}}, ",
                range->from[0], range->from[1], range->from[2], range->before[0], range->before[1], range->before[2]);
    }
    fputs("};\n", output);
}

static const char *joined(const struct texts *texts)
{
    const char *text = "";
    for (size_t i = 0; i < texts->count; i++) {
        text = memory_format("%s%s%s", text, i > 0 ? ", " : "", texts->texts[i]);
    }
    return text;
}

static void emit_ignored(const struct ability_row *row, size_t index, FILE *output)
{
    for (size_t i = 0; i < row->ignored_count; i++) {
        emit_ranges(&row->ignored_by[i], index, i, output);
    }
    fprintf(output, "static const struct ability_ignored ignored_by_%zu[] = {\n", index);
    for (size_t i = 0; i < row->ignored_count; i++) {
        const struct ability_ignored_row *ignored = &row->ignored_by[i];
        fprintf(output, "    {.runtime = %zu, .range_count = %zu, ", ignored->runtime_index, ignored->range_count);
        if (ignored->range_count > 0) {
            fprintf(output, ".ranges = ranges_%zu_%zu, ", index, i);
        }
        fprintf(output, ".versions = %s, .source = %s},\n", emit_literal(joined(&ignored->versions)),
                emit_literal(ignored->source));
    }
    fputs("};\n", output);
}

/* "RULE_Mount_image" */
static const char *rule_constant(const char *key)
{
    int message = (int)strcspn(key, ".");
    return memory_format("RULE_%.*s_%s", message, key, key + message + 1);
}

static void emit_row(const struct emission *emission, const struct ability_row *row, size_t index, FILE *output)
{
    bool has[DIALECTS_MAX] = {false};
    for (size_t i = 0; i < emission->schema->dialect_count; i++) {
        has[i] = schema_counterpart(emission->schema, i, row->key) != NULL;
    }
    fprintf(output, "    {\n        .rule = %s,\n        .class = %s,\n        .why = %s,\n        .dialects = 0x%x,\n",
            rule_constant(row->key), strcmp(row->class, "tuning") == 0 ? "ABILITY_TUNING" : "ABILITY_CONFINEMENT",
            emit_literal(row->why), dialect_bits(has));
    if (row->asks != NULL) {
        fprintf(output, "        .asks = asks_%s,\n", row->asks);
    }
    if (row->reported != NULL) {
        bool handler = strncmp(row->reported, "RuntimeHandlerFeatures.", 23) == 0;
        fprintf(output, "        .reported = %s,\n        .feature = \"%s\",\n",
                handler ? "ABILITY_REPORTED_BY_HANDLER" : "ABILITY_REPORTED_BY_RUNTIME", strchr(row->reported, '.') + 1);
    }
    fprintf(output, "        .ignored_by_count = %zu,\n        .ignored_by = ignored_by_%zu,\n    },\n", row->ignored_count,
            index);
}

/* ---- the way to the fields ---- */

/* The entries about a field, and those about fields of its message and below. */
struct masks {
    uint64_t entries;
    uint64_t below;
};

static struct masks masks_of(const struct emission *emission, size_t dialect, const struct field *field)
{
    const struct ability_scope scope = {emission->abilities, emission->schema, dialect};
    struct masks masks = {0};
    for (size_t i = 0; i < emission->abilities->count; i++) {
        const struct ability_row *row = &emission->abilities->rows[i];
        bool below = ability_is_below(&scope, row, field);
        masks.entries |= schema_counterpart(emission->schema, dialect, row->key) == field ? UINT64_C(1) << i : 0;
        masks.below |= below ? UINT64_C(1) << i : 0;
    }
    return masks;
}

static bool leads_somewhere(const struct emission *emission, size_t dialect, const struct message *message)
{
    const struct ability_scope scope = {emission->abilities, emission->schema, dialect};
    for (size_t i = 0; i < emission->abilities->count; i++) {
        if (ability_is_in(&scope, &emission->abilities->rows[i], message)) {
            return true;
        }
    }
    return false;
}

static void emit_table(const struct emission *emission, size_t index, const struct message *message, FILE *output)
{
    const struct dialect *dialect = &emission->schema->dialects[index];
    const char *steps = emit_symbol("ability_steps", dialect, message->name);
    fprintf(output, "static const struct ability_step %s[] = {\n", steps);
    for (size_t i = 0; i < message->field_count; i++) {
        const struct field *field = &message->fields[i];
        struct masks masks = masks_of(emission, index, field);
        fprintf(output, "    {UINT64_C(0x%" PRIx64 "), UINT64_C(0x%" PRIx64 "), %s%s}, /* %s */\n", masks.entries, masks.below,
                masks.below != 0 ? "&" : "NULL", masks.below != 0 ? emit_symbol("abilities", dialect, field->message->name) : "",
                field->name);
    }
    fprintf(output, "};\nstatic const struct ability_table %s = {&%s, %s};\n", emit_symbol("abilities", dialect, message->name),
            emit_symbol("schema", dialect, message->name), steps);
}

static void emit_tables(const struct emission *emission, FILE *output)
{
    for (size_t i = 0; i < emission->schema->dialect_count; i++) {
        const struct dialect *dialect = &emission->schema->dialects[i];
        for (size_t j = 0; j < dialect->message_count; j++) {
            if (leads_somewhere(emission, i, dialect->messages[j])) {
                emit_table(emission, i, dialect->messages[j], output);
            }
        }
    }
}

static void emit_request(const struct emission *emission, const struct method_row *method, FILE *output)
{
    const struct schema *schema = emission->schema;
    uint64_t entries = 0;
    for (size_t i = 0; i < emission->abilities->count; i++) {
        entries |= ability_is_about(emission->abilities, schema, &emission->abilities->rows[i], method) ? UINT64_C(1) << i : 0;
    }
    fprintf(output, "    {.entries = UINT64_C(0x%" PRIx64 ")", entries);
    for (size_t i = 0; entries != 0 && i < schema->dialect_count; i++) {
        const struct rpc *rpc = dialect_rpc(&schema->dialects[i], method->service, method->name);
        if (rpc != NULL && leads_somewhere(emission, i, rpc->request)) {
            fprintf(output, ", .in[%s] = &%s", emit_dialect_constant(&schema->dialects[i]),
                    emit_symbol("abilities", &schema->dialects[i], rpc->request->name));
        }
    }
    fprintf(output, "}, /* %s */\n", method->name);
}

void emit_abilities(const struct emission *emission, FILE *output)
{
    const struct abilities *abilities = emission->abilities;
    fputs("#include \"translate/abilities/table.h\"\n\n#include <stddef.h>\n\n#include \"generated/functions.h\"\n"
          "#include \"generated/rule_ids.h\"\n#include \"generated/schema_tables.h\"\n\n",
          output);
    emit_runtimes(abilities, output);
    for (size_t i = 0; i < abilities->count; i++) {
        emit_ignored(&abilities->rows[i], i, output);
    }
    fputs("const struct ability ability_entries[] = {\n", output);
    for (size_t i = 0; i < abilities->count; i++) {
        emit_row(emission, &abilities->rows[i], i, output);
    }
    fprintf(output, "};\nconst uint8_t ability_entry_count = %zu;\n\n", abilities->count);
    emit_tables(emission, output);
    fputs("const struct ability_request ability_requests[] = {\n", output);
    for (size_t i = 0; i < emission->methods->count; i++) {
        emit_request(emission, &emission->methods->rows[i], output);
    }
    fputs("};\n", output);
}
