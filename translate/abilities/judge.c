#include "translate/abilities/judge.h"

#include <stdio.h>

#include "translate/schema/peek.h"
#include "translate/walk/path.h"
#include "translate/walk/text_table.h"

/* The judging of one request. */
struct judging {
    const struct ability_judgement *judgement;
    uint64_t entries; /* that are left to judge by */
    struct error *error;
};

/* One message of it. */
struct level {
    const struct ability_table *table;
    struct bytes in;
    const struct walk_frame *frame;
    uint64_t judged; /* fields that need no further look, by position in the schema */
};

/* ---- outcomes ---- */

static bool is_refused(const struct judging *judging, const struct ability *ability)
{
    const struct leniency *leniency = judging->judgement->leniency;
    return !leniency_lets_through(leniency, ability->rule) &&
           (ability->class == ABILITY_CONFINEMENT || leniency_is_strict(leniency, ability->rule));
}

static bool refuse(const struct judging *judging, const struct ability *ability, const char *path)
{
    const char *field = translation_rules[ability->rule].field;
    char setting[192];
    if (ability->class == ABILITY_CONFINEMENT) {
        snprintf(setting, sizeof setting, "set \"translation: {lenient: [%s]}\" for", field);
    } else {
        snprintf(setting, sizeof setting, "remove \"translation: {strict: [%s]}\" of", field);
    }
    report_refused(judging->judgement->report, ability->rule);
    return error_set(judging->error, STATUS_INVALID_ARGUMENT,
                     "%s: the runtime %s ignores it: %s; to send the request anyway, %s this runtime in the runtime map", path,
                     judging->judgement->set->name, ability->why, setting);
}

/* The runtime ignores this value, or may do so, which asks for something. The path is computed only if it is reported. */
static bool note(const struct judging *judging, const struct ability *ability, const struct walk_frame *frame)
{
    struct report *report = judging->judgement->report;
    uint64_t entry = UINT64_C(1) << (ability - ability_entries);
    if (judging->judgement->set->unsure & entry) {
        report->unsure |= entry;
        return true;
    }
    bool refused = is_refused(judging, ability);
    char path[WALK_PATH_SIZE] = "";
    if (refused || report->tell) {
        walk_path(frame, path, sizeof path);
    }
    if (refused) {
        return refuse(judging, ability, path);
    }
    report_ignored(report, ability->rule);
    report_tell(report, &(struct loss){.rule = ability->rule,
                                       .path = path,
                                       .reason = ability->why,
                                       .let_through = ability->class == ABILITY_CONFINEMENT,
                                       .ignored = true});
    return true;
}

/* ---- values ---- */

/* Decoders read these as 32 bits. */
static bool is_narrow(const struct schema_field *field)
{
    return field->type == FIELD_INT32 || field->type == FIELD_UINT32 || field->type == FIELD_ENUM;
}

static bool is_no_default(const struct ability_value *value)
{
    const struct schema_field *field = value->field;
    if (field->type == FIELD_MESSAGE || (field->repeated && value->value->type != WIRE_LENGTH)) {
        return true;
    }
    if (value->value->type == WIRE_LENGTH) {
        return value->value->payload.len > 0 || (field->repeated && (field->type == FIELD_STRING || field->type == FIELD_BYTES));
    }
    return is_narrow(field) ? (uint32_t)value->value->value != 0 : value->value->value != 0;
}

static bool judge_value(const struct judging *judging, const struct ability_value *value, uint64_t entries,
                        const struct walk_frame *frame)
{
    for (uint8_t i = 0; i < ability_entry_count; i++) {
        const struct ability *ability = &ability_entries[i];
        bool asks = (entries >> i & 1U) && (ability->asks ? ability->asks(value) : is_no_default(value));
        if (asks && !note(judging, ability, frame)) {
            return false;
        }
    }
    return true;
}

/* ---- the way down ---- */

static bool judge_message(const struct judging *judging, struct level *level);

/* One occurrence of a field. Of one that is not repeated only the last counts, so that is looked up at the first. */
static bool judge_field(const struct judging *judging, struct level *level, const struct schema_field *known,
                        const struct wire_field *field)
{
    unsigned position = (unsigned)(known - level->table->message->fields);
    const struct ability_step *step = &level->table->steps[position];
    uint64_t entries = step->entries & judging->entries;
    struct walk_frame frame = {.parent = level->frame, .field = known, .message = level->in.data, .at = field->start};
    if (entries && !(level->judged >> (position & 63U) & 1U)) {
        struct wire_field last = *field;
        if (!known->repeated && known->type != FIELD_MESSAGE) {
            wire_last_field(level->in, field->number, field->type, &last);
            level->judged |= UINT64_C(1) << (position & 63U);
        }
        struct ability_value value = {level->table->message, level->in, known, &last};
        if (!judge_value(judging, &value, entries, &frame)) {
            return false;
        }
    }
    if (!(step->below & judging->entries) || field->type != WIRE_LENGTH) {
        return true;
    }
    struct level below = {.table = step->into, .in = field->payload, .frame = &frame};
    return judge_message(judging, &below);
}

static bool judge_message(const struct judging *judging, struct level *level)
{
    struct wire_reader reader = wire_reader_of(level->in);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return error_set(judging->error, STATUS_INVALID_ARGUMENT, "%s: malformed bytes", level->table->message->name);
        }
        const struct schema_field *known = schema_field_by_number(level->table->message, field.number);
        if (known && !judge_field(judging, level, known, &field)) {
            return false;
        }
    }
    return true;
}

/* The handler that the request names for its pod; false if its form has no place for one. */
static bool read_handler(const struct ability_judgement *judgement, struct bytes request, struct bytes *handler)
{
    const struct method *method = judgement->method;
    *handler = peek_bytes(method, judgement->dialect, PEEK_HANDLER, request);
    return method->in[judgement->dialect].peeks[PEEK_HANDLER].depth > 0;
}

bool ability_judge(const struct ability_judgement *judgement, struct bytes request, struct error *error)
{
    const struct ability_request *judged = &ability_requests[judgement->method - methods];
    const struct ability_table *table = judged->in[judgement->dialect];
    uint64_t entries = (judgement->set->entries | judgement->set->unsure) & judged->entries;
    if (!entries || !table) {
        return true;
    }
    struct bytes handler;
    bool named = read_handler(judgement, request, &handler);
    struct judging judging = {
        .judgement = judgement,
        .entries = entries & (judgement->set->unsure | ability_set_for(judgement->set, named ? &handler : NULL)),
        .error = error,
    };
    struct level top = {.table = table, .in = request};
    return judge_message(&judging, &top);
}
