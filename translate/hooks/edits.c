#include "translate/hooks/edits.h"

/* The pass over one message. */
struct pass {
    const struct hook_edits *edits;
    struct walk_output *output;
    struct error *error;
    const uint8_t *run;             /* the start of what is still to be copied unchanged */
    size_t done[HOOK_FIELDS_MAX];   /* HOOK_EDIT_LIST: entries of the list that are written; HOOK_EDIT_INSIDE: 1 if it was met */
    bool *written[HOOK_FIELDS_MAX]; /* HOOK_EDIT_ENTRIES: parallel to the entries */
};

struct hook_edits *hook_edits_new(const struct hook_message *message, struct arena *arena)
{
    struct hook_edits *edits = arena_zalloc(arena, sizeof *edits);
    if (edits) {
        edits->message = message;
    }
    return edits;
}

struct hook_edits *hook_edits_around(const struct hook_message *message, const struct hook_field *field,
                                     const struct hook_edits *inside, struct arena *arena)
{
    struct hook_edits *edits = hook_edits_new(message, arena);
    if (edits) {
        edits->fields[field - message->fields] = (struct hook_edit){.kind = HOOK_EDIT_INSIDE, .inside = inside};
    }
    return edits;
}

static bool write_message(const struct hook_edits *edits, struct bytes in, struct walk_output *output, struct error *error);

/* Opens the field, writes its content with `inside` done, and closes it. */
static bool write_inside(struct pass *pass, const struct hook_field *field, const struct hook_edits *inside, struct bytes in)
{
    size_t opened = walk_output_open(pass->output, field->number, in.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(pass->error);
    }
    return write_message(inside, in, pass->output, pass->error) &&
           (walk_output_close(pass->output, opened, in.len) || error_no_memory(pass->error));
}

/* An entry with another value. All else in it stays. */
static bool write_value(struct pass *pass, const struct hook_field *field, struct bytes payload, struct bytes value)
{
    struct hook_edits inside = {.message = field->message};
    inside.fields[1] = (struct hook_edit){.kind = HOOK_EDIT_TEXT, .bytes = value};
    return write_inside(pass, field, &inside, payload);
}

static bool write_new_entry(struct pass *pass, const struct hook_field *field, const struct hook_entry *entry)
{
    struct hook_edits inside = {.message = field->message};
    inside.fields[0] = (struct hook_edit){.kind = HOOK_EDIT_TEXT, .bytes = entry->key};
    inside.fields[1] = (struct hook_edit){.kind = HOOK_EDIT_TEXT, .bytes = entry->value};
    return write_inside(pass, field, &inside, (struct bytes){0});
}

static bool copy_field(struct pass *pass, const struct wire_field *found)
{
    return walk_output_put(pass->output, found->start, (size_t)(found->end - found->start)) || error_no_memory(pass->error);
}

static bool write_old_entry(struct pass *pass, size_t position, const struct wire_field *found)
{
    const struct hook_field *field = &pass->edits->message->fields[position];
    const struct hook_entries *entries = &pass->edits->fields[position].entries;
    const struct hook_entry *entry =
        hook_entries_find(*entries, wire_last_payload(found->payload, field->message->fields[0].number));
    if (!entry) {
        return copy_field(pass, found);
    }
    pass->written[position][entry - entries->items] = true;
    return write_value(pass, field, found->payload, entry->value);
}

/* A variable that is next in the list stays in its place; one that is not was removed. */
static bool write_old_variable(struct pass *pass, size_t position, const struct wire_field *found)
{
    const struct hook_field *field = &pass->edits->message->fields[position];
    const struct hook_entries *list = &pass->edits->fields[position].entries;
    const struct hook_entry *next = pass->done[position] < list->count ? &list->items[pass->done[position]] : NULL;
    if (!next || !bytes_equal(next->key, wire_last_payload(found->payload, field->message->fields[0].number))) {
        return true;
    }
    pass->done[position]++;
    if (bytes_equal(next->value, wire_last_payload(found->payload, field->message->fields[1].number))) {
        return copy_field(pass, found);
    }
    return write_value(pass, field, found->payload, next->value);
}

/* One occurrence of a field that is edited. What becomes a new value is written at the end. */
static bool write_edited(struct pass *pass, size_t position, const struct wire_field *found)
{
    const struct hook_field *field = &pass->edits->message->fields[position];
    if (found->type != field->wire_type) {
        return error_set(pass->error, STATUS_INVALID_ARGUMENT, "%s: wrong type", field->name);
    }
    switch (pass->edits->fields[position].kind) {
    case HOOK_EDIT_NONE:
    case HOOK_EDIT_NUMBER:
    case HOOK_EDIT_TEXT:
    case HOOK_EDIT_FIELDS:
        break;
    case HOOK_EDIT_ENTRIES:
        return write_old_entry(pass, position, found);
    case HOOK_EDIT_LIST:
        return write_old_variable(pass, position, found);
    case HOOK_EDIT_INSIDE:
        pass->done[position] = 1;
        return write_inside(pass, field, pass->edits->fields[position].inside, found->payload);
    }
    return true;
}

/* What is missing of one edit when all old fields are written. */
static bool write_rest(struct pass *pass, size_t position)
{
    const struct hook_field *field = &pass->edits->message->fields[position];
    const struct hook_edit *edit = &pass->edits->fields[position];
    bool written = true;
    switch (edit->kind) {
    case HOOK_EDIT_NONE:
        break;
    case HOOK_EDIT_NUMBER:
        return walk_output_put_number(pass->output, field->number, edit->number) || error_no_memory(pass->error);
    case HOOK_EDIT_TEXT:
        return edit->bytes.len == 0 || walk_output_put_field(pass->output, field->number, edit->bytes) ||
               error_no_memory(pass->error);
    case HOOK_EDIT_FIELDS:
        return walk_output_put(pass->output, edit->bytes.data, edit->bytes.len) || error_no_memory(pass->error);
    case HOOK_EDIT_ENTRIES:
        for (size_t i = 0; written && i < edit->entries.count; i++) {
            written = pass->written[position][i] || write_new_entry(pass, field, &edit->entries.items[i]);
        }
        break;
    case HOOK_EDIT_LIST:
        for (size_t i = pass->done[position]; written && i < edit->entries.count; i++) {
            written = write_new_entry(pass, field, &edit->entries.items[i]);
        }
        break;
    case HOOK_EDIT_INSIDE:
        return pass->done[position] != 0 || write_inside(pass, field, edit->inside, (struct bytes){0});
    }
    return written;
}

/* The occurrences that are there, with all runs of other fields between them. */
static bool write_old(struct pass *pass, struct bytes in)
{
    const struct hook_message *message = pass->edits->message;
    struct wire_reader reader = wire_reader_of(in);
    struct wire_field found;
    pass->run = in.data;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &found)) {
            return error_set(pass->error, STATUS_INVALID_ARGUMENT, "malformed %s", message->name);
        }
        const struct hook_field *field = hook_field_by_number(message, found.number);
        if (!field || pass->edits->fields[field - message->fields].kind == HOOK_EDIT_NONE) {
            continue;
        }
        if (!walk_output_put(pass->output, pass->run, (size_t)(found.start - pass->run))) {
            return error_no_memory(pass->error);
        }
        pass->run = found.end;
        if (!write_edited(pass, (size_t)(field - message->fields), &found)) {
            return false;
        }
    }
    return in.len == 0 || walk_output_put(pass->output, pass->run, (size_t)(reader.end - pass->run)) ||
           error_no_memory(pass->error);
}

static bool write_message(const struct hook_edits *edits, struct bytes in, struct walk_output *output, struct error *error)
{
    struct pass pass = {.edits = edits, .output = output, .error = error};
    for (size_t i = 0; i < edits->message->field_count; i++) {
        if (edits->fields[i].kind == HOOK_EDIT_ENTRIES) {
            pass.written[i] = arena_zalloc(output->arena, edits->fields[i].entries.count);
            if (!pass.written[i]) {
                return error_no_memory(error);
            }
        }
    }
    bool written = write_old(&pass, in);
    for (size_t i = 0; written && i < edits->message->field_count; i++) {
        written = write_rest(&pass, i);
    }
    return written;
}

bool hook_edits_run(const struct hook_edits *edits, struct bytes in, struct arena *arena, struct bytes *out, struct error *error)
{
    if (!edits) {
        *out = in;
        return true;
    }
    struct walk_output output;
    if (!walk_output_start(&output, arena, in.len)) {
        return error_no_memory(error);
    }
    if (!write_message(edits, in, &output, error)) {
        return false;
    }
    *out = walk_output_finish(&output);
    return true;
}
