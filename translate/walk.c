#include "walk.h"

#include <stdio.h>

#include "carry.h"
#include "report.h"
#include "walk_level.h"

/* Unknown numbers up to here could mean something in the model; they travel through it this much higher. */
#define ESCAPE_LIMIT 512
#define ESCAPE_OFFSET (1U << 28)

static bool walk_inner(struct walk_level *outer, const struct schema_field *known, const struct walk_table *table,
                       const struct wire_field *field);

static bool out_of_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the message takes more memory than one call may use");
}

/* True when the operator lets it through, and it is to be left out. Its path is counted out only for whoever sees it. */
static bool refuse(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule)
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

/* Counts what is left out, and tells where it was if anybody wants to know. */
static void drop(const struct walk_level *level, const struct schema_field *known, const uint8_t *at, uint16_t rule)
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

/* ---- runs ---- */

static bool open_level(struct walk_level *level);

/* Copies what comes before a place of the input and was not copied yet; the next run begins at `after`. */
static bool cut(struct walk_level *level, const uint8_t *before, const uint8_t *after)
{
    if (!open_level(level)) {
        return false;
    }
    if (!walk_output_put(level->output, level->run, (size_t)(before - level->run))) {
        return out_of_memory(level->error);
    }
    level->run = after;
    return true;
}

static bool cut_out(struct walk_level *level, const struct wire_field *field)
{
    return cut(level, field->start, field->end);
}

static bool open_level(struct walk_level *level)
{
    if (level->opened) {
        return true;
    }
    level->opened = true;
    level->run = level->in.data;
    if (!level->outer) {
        return walk_output_start(level->output, level->walk->arena, level->in.len) || out_of_memory(level->error);
    }
    if (!cut(level->outer, level->frame->at, level->in.data + level->in.len)) {
        return false;
    }
    level->before = level->output->len;
    level->payload = walk_output_open(level->output, level->frame->field->number, level->in.len);
    return level->payload != SIZE_MAX || out_of_memory(level->error);
}

static bool close_level(struct walk_level *level)
{
    if (!level->opened) {
        return true;
    }
    const uint8_t *end = level->in.data + level->in.len;
    if (!cut(level, end, end)) {
        return false;
    }
    return !level->outer || walk_output_close(level->output, level->payload, level->in.len) || out_of_memory(level->error);
}

/* ---- the steps ---- */

static bool maps_kind(const struct names *names, const struct schema_field *known)
{
    return names && (names->kinds >> known->name_kind & 1U) && known->name_kind != NAME_NONE;
}

/* Whether the mapper has just disowned a name in an item of a list: the item is left out then, and the others stay. Its path is
   of no use; and to count to each of many such items would take as long as all of them squared. */
static bool is_disowned(const struct walk_level *level)
{
    if (level->walk->request || level->error->code != STATUS_ABORTED) {
        return false;
    }
    while (level->outer && level->outer->outer) {
        level = level->outer;
    }
    return level->outer && (!level->outer->frame || !level->outer->frame->field) && level->frame->field->repeated;
}

static bool map_name(struct walk_level *level, const struct schema_field *known, const struct wire_field *field, bool carried,
                     struct bytes *mapped)
{
    const struct walk *walk = level->walk;
    const struct names *names = walk->names;
    *mapped = field->payload;
    if (!maps_kind(names, known)) {
        return true;
    }
    if (names->map(names->state, (enum name_kind)known->name_kind, carried, field->payload, walk->arena, mapped, level->error)) {
        return true;
    }
    if (is_disowned(level)) {
        return false;
    }
    struct walk_frame here = {.parent = level->frame, .field = known, .message = level->in.data, .at = field->start};
    char path[WALK_PATH_SIZE];
    walk_path(&here, path, sizeof path);
    return error_wrap(level->error, "%s", path);
}

/* Writes the mapped name, also an empty one: of a name that is said twice the last counts. */
static bool step_name(struct walk_level *level, const struct schema_field *known, const struct wire_field *field)
{
    struct bytes mapped;
    if (!map_name(level, known, field, true, &mapped)) {
        return false;
    }
    if (mapped.data == field->payload.data && mapped.len == field->payload.len) {
        return true;
    }
    return cut_out(level, field) && (walk_output_put_field(level->output, field->number, mapped) || out_of_memory(level->error));
}

/* Whether a field that the other side lacks asks for anything. */
static bool says_something(const struct schema_field *known, const struct wire_field *field)
{
    if (known->type == FIELD_MESSAGE || known->repeated) {
        return known->type == FIELD_MESSAGE || known->type == FIELD_STRING || field->type != WIRE_LENGTH ||
               field->payload.len > 0;
    }
    return field->type == WIRE_LENGTH ? field->payload.len > 0 : field->value != 0;
}

/* A field, or a value of an enum, that the other side lacks. */
static bool step_lacking(struct walk_level *level, const struct schema_field *known, const struct wire_field *field,
                         enum walk_action action, uint16_t rule)
{
    if (!cut_out(level, field)) {
        return false;
    }
    struct bytes mapped;
    if (known->name_kind != NAME_NONE && field->payload.len > 0) {
        if (!map_name(level, known, field, false, &mapped)) {
            return false;
        }
        if (mapped.len == 0) {
            return true;
        }
    }
    bool judged = action == WALK_JUDGED && level->walk->judged;
    if (judged || !says_something(known, field)) {
        return true;
    }
    if (level->walk->request && action != WALK_DROP) {
        return refuse(level, known, field->start, rule);
    }
    drop(level, known, field->start, rule);
    return true;
}

static bool step_capture(struct walk_level *level, const struct schema_field *known, const struct walk_step *step,
                         const struct wire_field *field)
{
    struct carry_value *value = &level->carry->values[step->slot];
    value->present = true;
    value->number = field->type == WIRE_VARINT ? field->value : 0;
    value->bytes = field->payload;
    if (field->type == WIRE_LENGTH && known->name_kind != NAME_NONE && !map_name(level, known, field, true, &value->bytes)) {
        return false;
    }
    return cut_out(level, field);
}

static bool step_model(struct walk_level *level, const struct schema_field *known, const struct walk_step *step,
                       const struct wire_field *field)
{
    struct walk_frame frame = {.parent = level->frame, .field = known, .message = level->in.data, .at = field->start};
    struct bytes out;
    if (!level->walk->model(level->walk, (enum model_kind)step->slot, field->payload, &frame, &out, level->error)) {
        return false;
    }
    if (out.data == field->payload.data && out.len == field->payload.len) {
        return true;
    }
    return cut_out(level, field) && (walk_output_put_field(level->output, field->number, out) || out_of_memory(level->error));
}

/* The value of an enum that the other side lacks, or NULL. */
static const struct walk_value *lacking_value(const struct walk_step *step, const struct wire_field *field)
{
    for (uint8_t i = 0; i < step->value_count; i++) {
        if (field->type == WIRE_VARINT && (int32_t)field->value == step->values[i].number) {
            return &step->values[i];
        }
    }
    return NULL;
}

/* One occurrence of a field that both sides have the same way. Sub-messages of requests are gated like the rest. */
static bool step_copy(struct walk_level *level, const struct schema_field *known, const struct walk_step *step,
                      const struct wire_field *field)
{
    const struct walk_value *value = lacking_value(step, field);
    if (value) {
        return step_lacking(level, known, field, (enum walk_action)value->action, value->rule);
    }
    return known->type != FIELD_MESSAGE || !level->walk->request || walk_inner(level, known, step->into, field);
}

static bool walk_known(struct walk_level *level, const struct schema_field *known, const struct wire_field *field)
{
    const struct walk_step *step = &level->table->steps[known - level->table->message->fields];
    switch ((enum walk_action)step->action) {
    case WALK_COPY:
        return step_copy(level, known, step, field);
    case WALK_NAME:
        return step_name(level, known, field);
    case WALK_DESCEND:
        return walk_inner(level, known, step->into, field);
    case WALK_MODEL:
        /* Responses and calls that need no judging just descend. */
        return level->walk->model ? step_model(level, known, step, field) : walk_inner(level, known, step->into, field);
    case WALK_CAPTURE:
        return step_capture(level, known, step, field);
    case WALK_DROP:
    case WALK_REJECT:
    case WALK_JUDGED:
        return step_lacking(level, known, field, (enum walk_action)step->action, step->rule);
    }
    return true;
}

/* Writes an unknown field again under another number. */
static bool renumber(struct walk_level *level, const struct wire_field *field, uint32_t number)
{
    if (!cut_out(level, field)) {
        return false;
    }
    uint64_t tag = (uint64_t)number << 3 | field->type;
    struct wire_reader after_tag = {.at = field->start, .end = field->end};
    uint64_t old_tag;
    bool done = wire_read_varint(&after_tag, &old_tag) && walk_output_put_varint(level->output, tag) &&
                walk_output_put(level->output, after_tag.at, (size_t)(field->end - after_tag.at));
    return done || out_of_memory(level->error);
}

static bool walk_unknown_field(struct walk_level *level, const struct wire_field *field)
{
    bool escaped = field->number >= ESCAPE_OFFSET && field->number < ESCAPE_OFFSET + ESCAPE_LIMIT;
    struct walk *walk = level->walk;
    enum walk_unknown policy = walk->unknown;
    if (policy == WALK_UNKNOWN_BY_PACKAGE) {
        policy = level->table->same_package ? WALK_UNKNOWN_KEEP : WALK_UNKNOWN_DROP;
    }
    if (walk->request && ++walk->elements > ELEMENT_BUDGET) {
        return walk_fail(level, NULL, field->start, STATUS_RESOURCE_EXHAUSTED, "the request has too many elements", "");
    }
    switch (policy) {
    case WALK_UNKNOWN_BY_PACKAGE:
    case WALK_UNKNOWN_KEEP:
        return true;
    case WALK_UNKNOWN_DROP:
        walk->report->unknown_fields++;
        return cut_out(level, field);
    case WALK_UNKNOWN_ESCAPE:
        if (escaped) {
            return walk_malformed(level, NULL, field->start, "an unknown field has a number that crigate needs for itself");
        }
        return field->number >= ESCAPE_LIMIT || renumber(level, field, field->number + ESCAPE_OFFSET);
    case WALK_UNKNOWN_UNESCAPE:
        return !escaped || renumber(level, field, field->number - ESCAPE_OFFSET);
    }
    return true;
}

/* ---- the walk ---- */

static const uint8_t *pass_plain(struct walk *walk, const struct walk_table *table, const uint8_t *at, const uint8_t *end,
                                 uint64_t *seen);

/* Whether all of a sub-message is plain. If not, it is walked from its start, and counts only then. */
static bool is_plain_message(struct walk *walk, const struct walk_table *table, unsigned number, struct bytes payload,
                             uint64_t *seen)
{
    unsigned position = table->message->position[number] - 1U;
    const struct walk_table *into = table->steps[position].into;
    uint64_t bit = table->plain[number] == WALK_PLAIN_ONCE ? UINT64_C(1) << position : 0, seen_inside = 0;
    uint32_t elements = walk->elements;
    const uint8_t *end = payload.data + payload.len;
    if ((*seen & bit) || into->carry || pass_plain(walk, into, payload.data, end, &seen_inside) != end) {
        walk->elements = elements;
        return false;
    }
    *seen |= bit;
    return true;
}

static inline bool is_plain_payload(struct walk *walk, const struct walk_table *table, unsigned number, struct bytes payload,
                                    uint64_t *seen)
{
    enum walk_plain plain = (enum walk_plain)table->plain[number];
    if (plain == WALK_PLAIN_STRING || plain == WALK_PLAIN_NAME) {
        bool mapped = plain == WALK_PLAIN_NAME && walk->names && (walk->names->kinds & table->names);
        return !mapped && !(walk->request && memchr(payload.data, '\0', payload.len));
    }
    return plain == WALK_PLAIN_BYTES || (plain == WALK_PLAIN_COPIED && !walk->request) ||
           (plain >= WALK_PLAIN_COPIED && is_plain_message(walk, table, number, payload, seen));
}

/* Goes over the fields from a place of a message on that pass as they are, and answers where it stopped: at the end, or where
   walk_field has to look closer. Nearly all of a list is passed here, so it is made for what that consists of. */
static const uint8_t *pass_plain(struct walk *walk, const struct walk_table *table, const uint8_t *at, const uint8_t *end,
                                 uint64_t *seen)
{
    while (at < end && *at < WALK_PLAIN_NUMBERS << 3) {
        unsigned number = *at >> 3, type = *at & 7;
        const uint8_t *after = NULL;
        struct bytes payload;
        if (type == WIRE_LENGTH && wire_short_payload(at + 1, end, &payload)) {
            after = is_plain_payload(walk, table, number, payload, seen) ? payload.data + payload.len : NULL;
        } else if (type == WIRE_VARINT && table->plain[number] == WALK_PLAIN_NUMBER) {
            after = wire_after_varint(at + 1, end);
        }
        if (!after || (walk->request && ++walk->elements > ELEMENT_BUDGET)) {
            break;
        }
        at = after;
    }
    return at;
}

static bool walk_field(struct walk_level *level, struct wire_reader *reader)
{
    const uint8_t *at = reader->at;
    struct wire_field field;
    if (!wire_read_field(reader, &field)) {
        return walk_malformed(level, NULL, at, "malformed bytes");
    }
    const struct schema_field *known = schema_field_by_number(level->table->message, field.number);
    return known ? walk_gate(level, known, &field) && walk_known(level, known, &field) : walk_unknown_field(level, &field);
}

/* Walks the message from a place on; all before it is plain. */
static bool walk_fields(struct walk_level *level, const uint8_t *at)
{
    struct wire_reader reader = wire_reader_of(level->in);
    reader.at = at;
    while (reader.at < reader.end) {
        if (!walk_field(level, &reader)) {
            return false;
        }
        reader.at = pass_plain(level->walk, level->table, reader.at, reader.end, &level->seen);
    }
    return true;
}

static bool walk_level(struct walk_level *level, const uint8_t *at)
{
    const struct walk *walk = level->walk;
    if (!level->table->carry) {
        return walk_fields(level, at) && close_level(level);
    }
    struct carry carry = {
        .from = walk->from,
        .to = walk->to,
        .node = walk->node,
        .arena = walk->arena,
        .report = walk->report,
        .output = level->output,
    };
    level->carry = &carry;
    const uint8_t *end = level->in.data + level->in.len;
    if (!walk_fields(level, at) || !cut(level, end, end) || !level->table->carry(&carry, level->error)) {
        return false;
    }
    return close_level(level);
}

static bool leave_out(struct walk_level *inner)
{
    *inner->error = (struct error){0};
    if (inner->opened) {
        inner->output->len = inner->before;
        return true;
    }
    const uint8_t *end = inner->in.data + inner->in.len;
    return cut(inner->outer, inner->frame->at, end);
}

static bool walk_inner(struct walk_level *outer, const struct schema_field *known, const struct walk_table *table,
                       const struct wire_field *field)
{
    uint64_t seen = 0;
    const uint8_t *at = pass_plain(outer->walk, table, field->payload.data, field->end, &seen);
    if (at == field->end && !table->carry) {
        return true;
    }
    struct walk_frame frame = {.parent = outer->frame, .field = known, .message = outer->in.data, .at = field->start};
    struct walk_level inner = {
        .walk = outer->walk,
        .outer = outer,
        .table = table,
        .frame = &frame,
        .in = field->payload,
        .output = outer->output,
        .error = outer->error,
        .seen = seen,
    };
    return walk_level(&inner, at) || (!outer->outer && is_disowned(&inner) && leave_out(&inner));
}

bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error)
{
    struct walk_output output;
    struct walk_level level = {.walk = walk, .table = table, .frame = frame, .in = in, .output = &output, .error = error};
    if (!walk_level(&level, in.data)) {
        return false;
    }
    *out = level.opened ? walk_output_finish(&output) : in;
    return true;
}

/* ---- what carry functions write with ---- */

bool carry_put_number(struct carry *carry, uint32_t field, uint64_t value, struct error *error)
{
    if (value == 0) {
        return true;
    }
    bool done =
        walk_output_put_varint(carry->output, (uint64_t)field << 3 | WIRE_VARINT) && walk_output_put_varint(carry->output, value);
    return done || out_of_memory(error);
}

bool carry_put_bytes(struct carry *carry, uint32_t field, struct bytes bytes, struct error *error)
{
    return bytes.len == 0 || walk_output_put_field(carry->output, field, bytes) || out_of_memory(error);
}
