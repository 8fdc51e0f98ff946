#include "walk.h"

#include <stdio.h>

#include "carry.h"
#include "report.h"
#include "walk_output.h"
#include "wire.h"

/* Fields gated in one request: far above any real one, far below what makes a decoder's memory hurt. */
#define ELEMENT_BUDGET 262144

/* Unknown numbers up to here could mean something in the model; they travel through it this much higher. */
#define ESCAPE_LIMIT 512
#define ESCAPE_OFFSET (1U << 28)

#define PATH_SIZE 256

/* One message on its way: where the walk stands in it and what was not copied yet. */
struct step_state {
    struct walk *walk;
    const struct walk_table *table;
    const struct walk_frame *frame; /* of this message */
    const uint8_t *message;         /* its start */
    struct walk_output *output;
    const uint8_t *run; /* from here on, input is still to be copied as it is */
    uint64_t seen;      /* singular messages that occurred, by position in the schema */
    struct carry *carry;
    struct error *error;
};

static bool walk_into(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                      struct walk_output *output, struct error *error);

/* ---- paths and errors ---- */

/* How often the field occurred in the parent's message before this frame's place. */
static unsigned occurrence_of(const struct walk_frame *frame)
{
    unsigned index = 0;
    struct wire_reader reader = {.at = frame->message, .end = frame->at};
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        index += field.number == frame->field->number;
    }
    return index;
}

void walk_path(const struct walk_frame *frame, char *text, size_t size)
{
    text[0] = '\0';
    if (!frame || !frame->field) {
        return;
    }
    walk_path(frame->parent, text, size);
    size_t used = strlen(text);
    const char *dot = used > 0 ? "." : "";
    if (frame->field->repeated) {
        snprintf(text + used, size - used, "%s%s[%u]", dot, frame->field->name, occurrence_of(frame));
    } else {
        snprintf(text + used, size - used, "%s%s", dot, frame->field->name);
    }
}

static bool out_of_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the message takes more memory than one call may use");
}

/* Fails at a field of the message; `known` may be NULL for the message itself. */
static bool fail_at(const struct step_state *state, const struct schema_field *known, const uint8_t *at, enum status_code code,
                    const char *what, const char *why)
{
    struct walk_frame here = {.parent = state->frame, .field = known, .message = state->message, .at = at};
    char path[PATH_SIZE];
    walk_path(known ? &here : state->frame, path, sizeof path);
    const char *place = path[0] ? path : state->table->message->name;
    return error_set(state->error, code, "%s: %s%s", place, what, why);
}

/* What is no message of that kind: the caller's mistake in a request, the runtime's in a response. */
static bool malformed(const struct step_state *state, const struct schema_field *known, const uint8_t *at, const char *what)
{
    enum status_code code = state->walk->request ? STATUS_INVALID_ARGUMENT : STATUS_INTERNAL;
    return fail_at(state, known, at, code, what, "");
}

/* True when the operator lets it through, and it is to be left out. */
static bool refuse(const struct step_state *state, const struct schema_field *known, const uint8_t *at, uint16_t rule)
{
    struct walk_frame here = {.parent = state->frame, .field = known, .message = state->message, .at = at};
    char path[PATH_SIZE];
    char reason[256];
    walk_path(&here, path, sizeof path);
    snprintf(reason, sizeof reason, "lacks it: %s", translation_rules[rule].why);
    return leniency_refuse(state->walk->leniency, state->walk->report, state->walk->to, rule, path, reason, state->error);
}

/* ---- the gate ---- */

static enum wire_type wire_type_of(const struct schema_field *known)
{
    switch ((enum field_type)known->type) {
    case FIELD_STRING:
    case FIELD_BYTES:
    case FIELD_MESSAGE:
        return WIRE_LENGTH;
    case FIELD_DOUBLE:
        return WIRE_FIXED64;
    case FIELD_INT32:
    case FIELD_INT64:
    case FIELD_UINT32:
    case FIELD_UINT64:
    case FIELD_BOOL:
    case FIELD_ENUM:
        break;
    }
    return WIRE_VARINT;
}

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

/* Refuses what decoders read differently: another wire type, a singular message twice, a NUL in a string. */
static bool gate_field(struct step_state *state, const struct schema_field *known, const struct wire_field *field)
{
    enum wire_type expected = wire_type_of(known);
    bool packed = known->repeated && expected != WIRE_LENGTH && field->type == WIRE_LENGTH;
    if (packed ? !packed_is_sound(state->walk, known, field->payload) : field->type != expected) {
        return malformed(state, known, field->start, "it has another wire type than the schema says");
    }
    if (known->type == FIELD_MESSAGE && !known->repeated) {
        uint64_t bit = UINT64_C(1) << (known - state->table->message->fields);
        if (state->seen & bit) {
            return malformed(state, known, field->start, "it occurs twice, and decoders disagree about what that means");
        }
        state->seen |= bit;
    }
    if (known->type == FIELD_STRING && state->walk->request && field->payload.len > 0 &&
        memchr(field->payload.data, '\0', field->payload.len)) {
        return malformed(state, known, field->start, "the string contains a NUL byte");
    }
    if (state->walk->request && ++state->walk->elements > ELEMENT_BUDGET) {
        return fail_at(state, known, field->start, STATUS_RESOURCE_EXHAUSTED, "the request has too many elements", "");
    }
    return true;
}

/* Gates a sub-message that is copied as it is. */
static bool gate_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                         struct error *error)
{
    struct step_state state = {.walk = walk, .table = table, .frame = frame, .message = in.data, .error = error};
    struct wire_reader reader = wire_reader_of(in);
    while (reader.at < reader.end) {
        const uint8_t *at = reader.at;
        struct wire_field field;
        if (!wire_read_field(&reader, &field)) {
            return malformed(&state, NULL, at, "malformed bytes");
        }
        const struct schema_field *known = schema_field_by_number(table->message, field.number);
        if (!known) {
            continue;
        }
        if (!gate_field(&state, known, &field)) {
            return false;
        }
        if (known->type == FIELD_MESSAGE) {
            const struct walk_step *step = &table->steps[known - table->message->fields];
            struct walk_frame inner = {.parent = frame, .field = known, .message = in.data, .at = field.start};
            if (!gate_message(walk, step->into, field.payload, &inner, error)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the steps ---- */

/* Copies what stands before a place of the input, and goes on after it. */
static bool flush(struct step_state *state, const uint8_t *before, const uint8_t *after)
{
    if (!walk_output_put(state->output, state->run, (size_t)(before - state->run))) {
        return out_of_memory(state->error);
    }
    state->run = after;
    return true;
}

static bool maps_kind(const struct names *names, const struct schema_field *known)
{
    return names && (names->kinds >> known->name_kind & 1U) && known->name_kind != NAME_NONE;
}

static bool map_name(struct step_state *state, const struct schema_field *known, const struct wire_field *field, bool carried,
                     struct bytes *mapped)
{
    const struct names *names = state->walk->names;
    *mapped = field->payload;
    if (!maps_kind(names, known)) {
        return true;
    }
    if (names->map(names->state, (enum name_kind)known->name_kind, carried, field->payload, state->walk->arena, mapped,
                   state->error)) {
        return true;
    }
    struct walk_frame here = {.parent = state->frame, .field = known, .message = state->message, .at = field->start};
    char path[PATH_SIZE];
    walk_path(&here, path, sizeof path);
    return error_wrap(state->error, "%s", path);
}

/* Writes the mapped name, also an empty one: of a name that is said twice the last counts. */
static bool step_name(struct step_state *state, const struct schema_field *known, const struct wire_field *field)
{
    struct bytes mapped;
    if (!map_name(state, known, field, true, &mapped)) {
        return false;
    }
    return walk_output_put_field(state->output, field->number, mapped) || out_of_memory(state->error);
}

/* An item of a list whose name the mapper disowns: it is left out, the others stay. */
static bool is_disowned(const struct step_state *state, const struct schema_field *known)
{
    return !state->walk->request && !state->frame && known->repeated && state->error && state->error->code == STATUS_ABORTED;
}

static bool step_descend(struct step_state *state, const struct schema_field *known, const struct walk_table *into,
                         const struct wire_field *field, const struct walk_frame *inner)
{
    size_t before = state->output->len;
    size_t opened = walk_output_open(state->output, field->number, field->payload.len);
    if (opened == SIZE_MAX) {
        return out_of_memory(state->error);
    }
    if (!walk_into(state->walk, into, field->payload, inner, state->output, state->error)) {
        if (!is_disowned(state, known)) {
            return false;
        }
        *state->error = (struct error){0};
        state->output->len = before;
        return true;
    }
    return walk_output_close(state->output, opened, field->payload.len) || out_of_memory(state->error);
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
static bool step_lacking(struct step_state *state, const struct schema_field *known, const struct wire_field *field,
                         enum walk_action action, uint16_t rule)
{
    struct bytes mapped;
    if (known->name_kind != NAME_NONE && field->payload.len > 0) {
        if (!map_name(state, known, field, false, &mapped)) {
            return false;
        }
        if (mapped.len == 0) {
            return true;
        }
    }
    bool judged = action == WALK_JUDGED && state->walk->judged;
    if (judged || !says_something(known, field)) {
        return true;
    }
    if (state->walk->request && action != WALK_DROP) {
        return refuse(state, known, field->start, rule);
    }
    report_drop(state->walk->report, rule);
    return true;
}

static bool step_capture(struct step_state *state, const struct schema_field *known, const struct walk_step *step,
                         const struct wire_field *field)
{
    struct carry_value *value = &state->carry->values[step->slot];
    value->present = true;
    value->number = field->type == WIRE_VARINT ? field->value : 0;
    value->bytes = field->payload;
    return field->type != WIRE_LENGTH || known->name_kind == NAME_NONE || map_name(state, known, field, true, &value->bytes);
}

static bool step_model(struct step_state *state, const struct walk_step *step, const struct wire_field *field,
                       const struct walk_frame *inner)
{
    struct bytes out;
    if (!state->walk->model(state->walk, (enum model_kind)step->slot, field->payload, inner, &out, state->error)) {
        return false;
    }
    return walk_output_put_field(state->output, field->number, out) || out_of_memory(state->error);
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

/* One occurrence of a field that both sides have the same way. */
static bool step_copy(struct step_state *state, const struct schema_field *known, const struct walk_step *step,
                      const struct wire_field *field, const struct wire_reader *reader)
{
    if (step->value_count > 0) {
        const struct walk_value *value = lacking_value(step, field);
        if (value) {
            return flush(state, field->start, reader->at) &&
                   step_lacking(state, known, field, (enum walk_action)value->action, value->rule);
        }
    }
    if (known->type == FIELD_MESSAGE && state->walk->request) {
        struct walk_frame inner = {.parent = state->frame, .field = known, .message = state->message, .at = field->start};
        return gate_message(state->walk, step->into, field->payload, &inner, state->error);
    }
    return true;
}

static bool walk_known(struct step_state *state, const struct schema_field *known, const struct wire_field *field,
                       const struct wire_reader *reader)
{
    const struct walk_step *step = &state->table->steps[known - state->table->message->fields];
    enum walk_action action = (enum walk_action)step->action;
    if (action == WALK_COPY) {
        return step_copy(state, known, step, field, reader);
    }
    if (action == WALK_NAME && !maps_kind(state->walk->names, known)) {
        return true;
    }
    if (!flush(state, field->start, reader->at)) {
        return false;
    }
    struct walk_frame inner = {.parent = state->frame, .field = known, .message = state->message, .at = field->start};
    switch (action) {
    case WALK_NAME:
        return step_name(state, known, field);
    case WALK_DESCEND:
        return step_descend(state, known, step->into, field, &inner);
    case WALK_MODEL:
        /* Responses and calls that need no judging just descend. */
        return state->walk->model ? step_model(state, step, field, &inner)
                                  : step_descend(state, known, step->into, field, &inner);
    case WALK_CAPTURE:
        return step_capture(state, known, step, field);
    case WALK_DROP:
    case WALK_REJECT:
    case WALK_JUDGED:
        return step_lacking(state, known, field, action, step->rule);
    case WALK_COPY:
        break;
    }
    return true;
}

/* Writes an unknown field again under another number. */
static bool renumber(struct step_state *state, const struct wire_field *field, uint32_t number, const struct wire_reader *reader)
{
    if (!flush(state, field->start, reader->at)) {
        return false;
    }
    uint64_t tag = (uint64_t)number << 3 | field->type;
    struct wire_reader after_tag = {.at = field->start, .end = reader->at};
    uint64_t old_tag;
    bool done = wire_read_varint(&after_tag, &old_tag) && walk_output_put_varint(state->output, tag) &&
                walk_output_put(state->output, after_tag.at, (size_t)(reader->at - after_tag.at));
    return done || out_of_memory(state->error);
}

static bool walk_unknown_field(struct step_state *state, const struct wire_field *field, const struct wire_reader *reader)
{
    bool escaped = field->number >= ESCAPE_OFFSET && field->number < ESCAPE_OFFSET + ESCAPE_LIMIT;
    enum walk_unknown policy = state->walk->unknown;
    if (policy == WALK_UNKNOWN_BY_PACKAGE) {
        policy = state->table->same_package ? WALK_UNKNOWN_KEEP : WALK_UNKNOWN_DROP;
    }
    if (state->walk->request && ++state->walk->elements > ELEMENT_BUDGET) {
        return fail_at(state, NULL, field->start, STATUS_RESOURCE_EXHAUSTED, "the request has too many elements", "");
    }
    switch (policy) {
    case WALK_UNKNOWN_BY_PACKAGE:
    case WALK_UNKNOWN_KEEP:
        return true;
    case WALK_UNKNOWN_DROP:
        state->walk->report->unknown_fields++;
        return flush(state, field->start, reader->at);
    case WALK_UNKNOWN_ESCAPE:
        if (escaped) {
            return malformed(state, NULL, field->start, "an unknown field has a number that crigate needs for itself");
        }
        return field->number >= ESCAPE_LIMIT || renumber(state, field, field->number + ESCAPE_OFFSET, reader);
    case WALK_UNKNOWN_UNESCAPE:
        return !escaped || renumber(state, field, field->number - ESCAPE_OFFSET, reader);
    }
    return true;
}

/* ---- the walk ---- */

static bool walk_fields(struct step_state *state, struct bytes in)
{
    struct wire_reader reader = wire_reader_of(in);
    while (reader.at < reader.end) {
        const uint8_t *at = reader.at;
        struct wire_field field;
        if (!wire_read_field(&reader, &field)) {
            return malformed(state, NULL, at, "malformed bytes");
        }
        const struct schema_field *known = schema_field_by_number(state->table->message, field.number);
        if (!known) {
            if (!walk_unknown_field(state, &field, &reader)) {
                return false;
            }
        } else if (!gate_field(state, known, &field) || !walk_known(state, known, &field, &reader)) {
            return false;
        }
    }
    return flush(state, reader.end, reader.end);
}

static bool walk_into(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                      struct walk_output *output, struct error *error)
{
    struct step_state state = {
        .walk = walk,
        .table = table,
        .frame = frame,
        .message = in.data,
        .output = output,
        .run = in.data,
        .error = error,
    };
    if (!table->carry) {
        return walk_fields(&state, in);
    }
    struct carry carry = {
        .from = walk->from,
        .to = walk->to,
        .node = walk->node,
        .arena = walk->arena,
        .report = walk->report,
        .output = output,
    };
    state.carry = &carry;
    return walk_fields(&state, in) && table->carry(&carry, error);
}

bool walk_message(struct walk *walk, const struct walk_table *table, struct bytes in, const struct walk_frame *frame,
                  struct bytes *out, struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, walk->arena, in.len)) {
        return out_of_memory(error);
    }
    if (!walk_into(walk, table, in, frame, &output, error)) {
        return false;
    }
    *out = walk_output_finish(&output);
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
