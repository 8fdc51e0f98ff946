#include "translate/walk/walk.h"

#include "base/bytes/utf8.h"
#include "translate/walk/carry.h"
#include "translate/walk/gate.h"
#include "translate/walk/leniency.h"
#include "translate/walk/names.h"
#include "translate/walk/report.h"

/* Unknown numbers up to this one could have a meaning in the model; they are raised by this value on the way through it. */
#define ESCAPE_LIMIT 512
#define ESCAPE_OFFSET (1U << 28)

static bool walk_inner(struct walk_level *outer, const struct schema_field *known, const struct walk_table *table,
                       const uint8_t *start, struct bytes payload);

/* ---- runs ---- */

static bool open_level(struct walk_level *level);

/* Copies the input up to a place, as far as it was not copied yet; the next run begins at `after`. */
static bool cut(struct walk_level *level, const uint8_t *before, const uint8_t *after)
{
    if (!level->opened && !open_level(level)) {
        return false;
    }
    if (!walk_output_put(level->output, level->run, (size_t)(before - level->run))) {
        return error_no_memory(level->error);
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
    level->opened = true;
    level->run = level->in.data;
    if (!level->outer) {
        return walk_output_start(level->output, level->walk->arena, level->in.len) || error_no_memory(level->error);
    }
    if (!cut(level->outer, level->frame->at, level->in.data + level->in.len)) {
        return false;
    }
    level->before = level->output->len;
    level->payload = walk_output_open(level->output, level->frame->field->number, level->in.len);
    return level->payload != SIZE_MAX || error_no_memory(level->error);
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
    return !level->outer || walk_output_close(level->output, level->payload, level->in.len) || error_no_memory(level->error);
}

/* ---- the steps ---- */

static bool maps_kind(const struct names *names, const struct schema_field *known)
{
    return names && (names->kinds >> known->name_kind & 1U) && known->name_kind != NAME_NONE;
}

/* Whether the mapper has just disowned a name in an item of a list, or the gate has found invalid text there: then the item is
   left out, and the others stay. No path is computed: it would not be used, and counting up to each such item would take
   quadratic time.
   */
static bool is_disowned(const struct walk_level *level)
{
    return !level->walk->request && level->error->code == STATUS_ABORTED && walk_is_in_item(level);
}

static bool map_name(struct walk_level *level, const struct schema_field *known, const uint8_t *start, struct bytes name,
                     bool carried, struct mapped_name *mapped)
{
    const struct walk *walk = level->walk;
    const struct names *names = walk->names;
    if (!maps_kind(names, known)) {
        mapped_name_same(mapped, name);
        return true;
    }
    if (names->map(names->state, (enum name_kind)known->name_kind, carried, name, walk->arena, mapped, level->error)) {
        return true;
    }
    if (is_disowned(level)) {
        return false;
    }
    struct walk_frame here = {.parent = level->frame, .field = known, .message = level->in.data, .at = start};
    char path[WALK_PATH_SIZE];
    walk_path(&here, path, sizeof path);
    return error_wrap(level->error, "%s", path);
}

/* Writes the mapped name, even an empty one: if a name occurs twice, the last counts. The unchanged end of the name is the
   beginning of the next run. */
static bool step_name(struct walk_level *level, const struct schema_field *known, const uint8_t *start, struct bytes name)
{
    struct mapped_name mapped;
    const struct names *names = level->walk->names;
    if (!maps_kind(names, known)) {
        return true;
    }
    struct bytes front = names->fronts[known->name_kind];
    if (front.len > 0) {
        return name.len == 0 || (cut(level, start, name.data) &&
                                 (walk_output_put_head(level->output, known->number, front.len + name.len, front) ||
                                  error_no_memory(level->error)));
    }
    if (!map_name(level, known, start, name, true, &mapped)) {
        return false;
    }
    size_t len = mapped.front.len + mapped.rest.len;
    if (mapped.front.len == 0 && len == name.len) {
        return true;
    }
    return cut(level, start, mapped.rest.len > 0 ? mapped.rest.data : name.data + name.len) &&
           (walk_output_put_head(level->output, known->number, len, mapped.front) || error_no_memory(level->error));
}

/* Whether a field that the other side lacks requests anything. */
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
    if (known->name_kind != NAME_NONE && field->payload.len > 0) {
        struct mapped_name mapped;
        if (!map_name(level, known, field->start, field->payload, false, &mapped)) {
            return false;
        }
        if (mapped.front.len + mapped.rest.len == 0) {
            return true;
        }
    }
    bool judged = action == WALK_JUDGED && level->walk->judged;
    if (judged || !says_something(known, field)) {
        return true;
    }
    if (level->walk->request && action != WALK_DROP) {
        return walk_refuse(level, known, field->start, rule);
    }
    walk_drop(level, known, field->start, rule);
    return true;
}

static bool capture_name(struct walk_level *level, const struct schema_field *known, const struct wire_field *field,
                         struct bytes *name)
{
    struct mapped_name mapped;
    if (!map_name(level, known, field->start, field->payload, true, &mapped)) {
        return false;
    }
    if (mapped.front.len == 0) {
        *name = mapped.rest;
        return true;
    }
    *name = arena_join(level->walk->arena, (struct bytes[]){mapped.front, mapped.rest}, 2);
    return name->data || error_no_memory(level->error);
}

static struct carry carry_of(const struct walk_level *level)
{
    const struct walk *walk = level->walk;
    return (struct carry){
        .from = walk->from,
        .to = walk->to,
        .node = walk->node,
        .arena = walk->arena,
        .report = walk->report,
        .output = level->output,
    };
}

/* A field that its carry function changes in place. */
static bool step_change(struct walk_level *level, const struct schema_field *known, const struct wire_field *field)
{
    struct carry carry = carry_of(level);
    struct bytes *bytes = &carry.values[0].bytes;
    if (!capture_name(level, known, field, bytes) || !level->table->carry(&carry, level->error)) {
        return false;
    }
    bool same = bytes->data == field->payload.data && bytes->len == field->payload.len;
    return same || (cut_out(level, field) &&
                    (walk_output_put_field(level->output, field->number, *bytes) || error_no_memory(level->error)));
}

static bool step_capture(struct walk_level *level, const struct schema_field *known, const struct walk_step *step,
                         const struct wire_field *field)
{
    if (level->table->in_place) {
        return step_change(level, known, field);
    }
    struct carry_value *value = &level->carry->values[step->slot];
    value->present = true;
    value->number = field->type == WIRE_VARINT ? field->value : 0;
    value->bytes = field->payload;
    if (field->type == WIRE_LENGTH && known->name_kind != NAME_NONE && !capture_name(level, known, field, &value->bytes)) {
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
    return cut_out(level, field) && (walk_output_put_field(level->output, field->number, out) || error_no_memory(level->error));
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

/* One occurrence of a field that is the same on both sides. Sub-messages of requests, and of responses that are checked for
   UTF-8, are checked like the rest. */
static bool step_copy(struct walk_level *level, const struct schema_field *known, const struct walk_step *step,
                      const struct wire_field *field)
{
    const struct walk_value *value = lacking_value(step, field);
    if (value) {
        return step_lacking(level, known, field, (enum walk_action)value->action, value->rule);
    }
    return known->type != FIELD_MESSAGE || !(level->walk->request || level->walk->checks_text) ||
           walk_inner(level, known, step->into, field->start, field->payload);
}

static bool walk_known(struct walk_level *level, const struct schema_field *known, const struct wire_field *field)
{
    const struct walk_step *step = &level->table->steps[known - level->table->message->fields];
    switch ((enum walk_action)step->action) {
    case WALK_COPY:
        return step_copy(level, known, step, field);
    case WALK_NAME:
        return step_name(level, known, field->start, field->payload);
    case WALK_DESCEND:
        return walk_inner(level, known, step->into, field->start, field->payload);
    case WALK_MODEL:
        /* Responses, and requests that need no judging, are just descended into. */
        return level->walk->model ? step_model(level, known, step, field)
                                  : walk_inner(level, known, step->into, field->start, field->payload);
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
    return done || error_no_memory(level->error);
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
        if (walk->request && walk->leniency && walk->leniency->strict_unknown) {
            return walk_refuse_unknown(level, field->start, field->number);
        }
        walk->report->unknown_fields++;
        return cut_out(level, field);
    case WALK_UNKNOWN_ESCAPE:
        if (escaped) {
            return walk_malformed(level, NULL, field->start, "an unknown field has a number that crigate uses internally");
        }
        return field->number >= ESCAPE_LIMIT || renumber(level, field, field->number + ESCAPE_OFFSET);
    case WALK_UNKNOWN_UNESCAPE:
        return !escaped || renumber(level, field, field->number - ESCAPE_OFFSET);
    }
    return true;
}

/* ---- the walk ---- */

enum passage {
    PASSED,
    HELD, /* walk_field must look closer */
    FAILED,
};

/* The usual encoding in CRI: a tag of one byte, and a number or a length of one or two bytes. */
static inline bool is_usual_payload(const uint8_t *at, const uint8_t *end, struct bytes *payload)
{
    return *at < WALK_PLAIN_NUMBERS << 3 && (*at & 7) == WIRE_LENGTH && wire_short_payload(at + 1, end, payload);
}

static inline bool is_within_budget(struct walk *walk)
{
    return !walk->request || walk->elements++ < ELEMENT_BUDGET;
}

/* The end of a number that passes; NULL for anything else. */
static inline const uint8_t *pass_number(struct walk *walk, const uint8_t *plain, const uint8_t *at, const uint8_t *end)
{
    bool number = *at < WALK_PLAIN_NUMBERS << 3 && (*at & 7) == WIRE_VARINT && plain[*at >> 3] == WALK_PLAIN_NUMBER;
    const uint8_t *after = number ? wire_after_varint(at + 1, end) : NULL;
    return after && is_within_budget(walk) ? after : NULL;
}

/* The gate's checks for strings and for the number of fields. Text that is not ASCII is checked more closely. */
static inline bool is_admissible(struct walk *walk, enum walk_plain plain, struct bytes payload)
{
    bool text = plain == WALK_PLAIN_STRING || plain == WALK_PLAIN_NAME;
    if (walk->checks_text && (text || plain == WALK_PLAIN_COPIED) && !utf8_is_ascii(payload)) {
        return false;
    }
    return !(walk->request && text && memchr(payload.data, '\0', payload.len)) && is_within_budget(walk);
}

static inline bool passes(struct walk *walk, enum walk_plain plain, struct bytes payload)
{
    return ((unsigned)walk->passes >> plain & 1U) && is_admissible(walk, plain, payload);
}

/* Whether a message passes without looking at its fields, as entries of maps do. If not, it is walked from its start, and only
   then counted. */
static bool passes_whole(struct walk *walk, const struct walk_table *table, struct bytes message)
{
    uint32_t elements = walk->elements;
    const uint8_t *at = message.data, *end = message.data + message.len;
    while (at && at < end) {
        struct bytes payload;
        if (is_usual_payload(at, end, &payload)) {
            bool passed = passes(walk, (enum walk_plain)table->plain[*at >> 3], payload);
            at = passed ? payload.data + payload.len : NULL;
        } else {
            at = pass_number(walk, table->plain, at, end);
        }
    }
    if (!at || table->carry) {
        walk->elements = elements;
        return false;
    }
    return true;
}

/* A field in the usual encoding that does not pass unchanged in all walks. */
static enum passage pass_payload(struct walk_level *level, enum walk_plain plain, const uint8_t *start, struct bytes payload)
{
    struct walk *walk = level->walk;
    if (plain == WALK_PLAIN_NOT || plain == WALK_PLAIN_NUMBER || plain == WALK_PLAIN_STRING || plain == WALK_PLAIN_BYTES ||
        !is_admissible(walk, plain, payload)) {
        return HELD;
    }
    unsigned position = level->table->message->position[*start >> 3] - 1U;
    const struct schema_field *known = &level->table->message->fields[position];
    if (plain == WALK_PLAIN_NAME) {
        return step_name(level, known, start, payload) ? PASSED : FAILED;
    }
    const struct walk_step *step = &level->table->steps[position];
    if (plain == WALK_PLAIN_ONCE) {
        uint64_t bit = UINT64_C(1) << position;
        if (level->seen & bit) {
            return HELD;
        }
        level->seen |= bit;
        if (step->action == WALK_COPY && !walk->request && (!walk->checks_text || utf8_is_ascii(payload))) {
            return PASSED;
        }
    }
    return passes_whole(walk, step->into, payload) || walk_inner(level, known, step->into, start, payload) ? PASSED : FAILED;
}

/* One field, in any encoding. Returns its end; NULL for a failure. */
static const uint8_t *walk_field(struct walk_level *level, const uint8_t *at)
{
    struct wire_reader reader = {.at = at, .end = level->in.data + level->in.len};
    struct wire_field field;
    if (!wire_read_field(&reader, &field)) {
        walk_malformed(level, NULL, at, "malformed bytes");
        return NULL;
    }
    const struct schema_field *known = schema_field_by_number(level->table->message, field.number);
    bool good = known ? walk_gate(level, known, &field) && walk_known(level, known, &field) : walk_unknown_field(level, &field);
    return good ? field.end : NULL;
}

static bool walk_fields(struct walk_level *level)
{
    struct walk *walk = level->walk;
    const uint8_t *plain = level->table->plain;
    const uint8_t *end = level->in.data + level->in.len;
    for (const uint8_t *at = level->in.data, *after; at < end; at = after) {
        struct bytes payload;
        if (is_usual_payload(at, end, &payload)) {
            enum walk_plain kind = (enum walk_plain)plain[*at >> 3];
            enum passage passage = passes(walk, kind, payload) ? PASSED : pass_payload(level, kind, at, payload);
            if (passage == FAILED) {
                return false;
            }
            after = passage == PASSED ? payload.data + payload.len : NULL;
        } else {
            after = pass_number(walk, plain, at, end);
        }
        if (!after && !(after = walk_field(level, at))) {
            return false;
        }
    }
    return true;
}

static bool walk_carrying(struct walk_level *level)
{
    struct carry carry = carry_of(level);
    level->carry = &carry;
    const uint8_t *end = level->in.data + level->in.len;
    bool done = walk_fields(level) && cut(level, end, end) && level->table->carry(&carry, level->error);
    level->carry = NULL;
    return done && close_level(level);
}

static bool walk_level(struct walk_level *level)
{
    bool carrying = level->table->carry && !level->table->in_place;
    return carrying ? walk_carrying(level) : walk_fields(level) && close_level(level);
}

static bool leave_out(struct walk_level *inner)
{
    report_item(inner->walk->report, inner->error->message);
    *inner->error = (struct error){0};
    if (inner->opened) {
        inner->output->len = inner->before;
        return true;
    }
    const uint8_t *end = inner->in.data + inner->in.len;
    return cut(inner->outer, inner->frame->at, end);
}

static bool walk_inner(struct walk_level *outer, const struct schema_field *known, const struct walk_table *table,
                       const uint8_t *start, struct bytes payload)
{
    struct walk_frame frame = {.parent = outer->frame, .field = known, .message = outer->in.data, .at = start};
    struct walk_level inner = {
        .walk = outer->walk,
        .outer = outer,
        .table = table,
        .frame = &frame,
        .in = payload,
        .output = outer->output,
        .error = outer->error,
    };
    return walk_level(&inner) || (!outer->outer && is_disowned(&inner) && leave_out(&inner));
}

/* The kinds of fields that pass without a closer look. */
static uint8_t what_passes(const struct walk *walk, const struct walk_table *table)
{
    bool mapped = walk->names && (walk->names->kinds & table->names);
    return (uint8_t)(1U << WALK_PLAIN_STRING | 1U << WALK_PLAIN_BYTES | (mapped ? 0U : 1U << WALK_PLAIN_NAME) |
                     (walk->request ? 0U : 1U << WALK_PLAIN_COPIED));
}

bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error)
{
    struct walk_output output;
    struct walk_level level = {.walk = walk, .table = table, .frame = frame, .output = &output, .error = error};
    level.in = in.data ? in : bytes_of("", 0);
    walk->passes = what_passes(walk, table);
    if (!walk_level(&level)) {
        return false;
    }
    *out = level.opened ? walk_output_finish(&output) : in;
    return true;
}
