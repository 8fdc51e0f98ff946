#include "translate/walk/gate.h"

#include <stdio.h>

#include "base/bytes/utf8.h"
#include "translate/walk/leniency.h"
#include "translate/walk/report.h"
#include "translate/walk/text_table.h"

/* ---- errors ---- */

bool walk_fail(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, enum status_code code,
               const char *what, const char *why)
{
    struct walk_frame here = {.parent = level->frame, .field = known, .message = level->in.data, .at = at};
    char path[WALK_PATH_SIZE];
    walk_path(known ? &here : level->frame, path, sizeof path);
    const char *place = path[0] ? path : level->table->message->name;
    return error_set(level->error, code, "%s: %s%s", place, what, why);
}

bool walk_malformed(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, const char *what)
{
    enum status_code code = level->walk->request ? STATUS_INVALID_ARGUMENT : STATUS_INTERNAL;
    return walk_fail(level, known, at, code, what, "");
}

bool walk_is_in_item(const struct walk_level *level)
{
    if (level->walk->request) {
        return false;
    }
    while (level->outer && level->outer->outer) {
        level = level->outer;
    }
    return level->outer && (!level->outer->frame || !level->outer->frame->field) && level->frame->field->repeated;
}

/* The item is dropped because of it. Only the first path is reported, and counting up to each such item would take quadratic
 * time.
 */
static bool walk_no_text(const struct walk_level *level, const struct schema_field *known, const uint8_t *at)
{
    static const char what[] = "the string is not valid UTF-8";
    bool seen = level->walk->report->items > 0 && walk_is_in_item(level);
    return seen ? error_set(level->error, STATUS_ABORTED, "%s", what) : walk_fail(level, known, at, STATUS_ABORTED, what, "");
}

/* ---- losses ---- */

/* The path is computed only if it is reported. */
bool walk_refuse(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule)
{
    const struct walk *walk = level->walk;
    if (leniency_lets_through(walk->leniency, rule) && !walk->report->tell) {
        report_let_through(walk->report, rule);
        return true;
    }
    struct walk_frame here = {.parent = level->frame, .field = known, .message = level->in.data, .at = at};
    char path[WALK_PATH_SIZE];
    char reason[256];
    walk_path(&here, path, sizeof path);
    snprintf(reason, sizeof reason, "lacks it: %s", translation_rules[rule].why);
    return leniency_refuse(walk->leniency, walk->report, walk->to, rule, path, reason, level->error);
}

bool walk_refuse_unknown(const struct walk_level *level, const uint8_t *at, uint32_t number)
{
    char what[256];
    snprintf(
        what, sizeof what,
        "field %u is newer than crigate, and a runtime that does not speak %s cannot have it; to send the request without it, "
        "remove \"" LENIENCY_UNKNOWN "\" from \"translation: {strict: [...]}\" for this runtime in the runtime map",
        (unsigned)number, dialects[level->walk->from].package);
    return walk_fail(level, NULL, at, STATUS_INVALID_ARGUMENT, what, "");
}

void walk_drop(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule)
{
    struct report *report = level->walk->report;
    report_drop(report, rule);
    if (report->tell) {
        struct walk_frame here = {.parent = level->frame, .field = known, .message = level->in.data, .at = at};
        char path[WALK_PATH_SIZE];
        walk_path(&here, path, sizeof path);
        report_tell(report, &(struct loss){.rule = rule, .path = path, .reason = translation_rules[rule].why});
    }
}

/* ---- the gate ---- */

/* Elements of a packed field must fill it exactly. */
static bool packed_is_sound(struct walk *walk, const struct schema_field *known, struct bytes payload)
{
    if (known->type == FIELD_DOUBLE) {
        walk->elements += (uint32_t)(payload.len / 8);
        return payload.len % 8 == 0;
    }
    struct wire_reader reader = wire_reader_of(payload);
    uint64_t value;
    while (reader.at < reader.end) {
        walk->elements++;
        if (!wire_read_varint(&reader, &value)) {
            return false;
        }
    }
    return true;
}

bool walk_gate(struct walk_level *level, const struct schema_field *known, const struct wire_field *field)
{
    enum wire_type expected = schema_wire_type(known);
    bool packed = known->repeated && expected != WIRE_LENGTH && field->type == WIRE_LENGTH;
    if (packed ? !packed_is_sound(level->walk, known, field->payload) : field->type != expected) {
        return walk_malformed(level, known, field->start, "its wire type differs from the schema");
    }
    if (known->type == FIELD_MESSAGE && !known->repeated) {
        uint64_t bit = UINT64_C(1) << (known - level->table->message->fields);
        if (level->seen & bit) {
            return walk_malformed(level, known, field->start, "it occurs twice, and decoders disagree about what that means");
        }
        level->seen |= bit;
    }
    if (known->type == FIELD_STRING && level->walk->request && field->payload.len > 0 &&
        memchr(field->payload.data, '\0', field->payload.len)) {
        return walk_malformed(level, known, field->start, "the string contains a NUL byte");
    }
    if (known->type == FIELD_STRING && level->walk->checks_text && !utf8_is_valid(field->payload)) {
        return walk_no_text(level, known, field->start);
    }
    if (level->walk->request && ++level->walk->elements > ELEMENT_BUDGET) {
        return walk_fail(level, known, field->start, STATUS_RESOURCE_EXHAUSTED, "the request has too many elements", "");
    }
    return true;
}
