#include "translate/hooks/check.h"

#include "translate/hooks/changes.h"
#include "translate/hooks/usual_entry.h"

/* A message, and where it is. */
struct level {
    const struct hook_message *message;
    const struct hook_path *path;
    struct walk_output *output; /* NULL: it is only checked */
    bool *dropped;              /* set if it has something that plugins do not see; NULL: nobody asks */
    struct error *error;
};

/* `field` may be NULL: the message itself. */
static bool refuse(const struct level *level, const struct hook_field *field, const char *reason)
{
    struct hook_path path = {.outer = level->path, .name = field ? field->name : level->message->name};
    char text[HOOK_PATH_TEXT];
    hook_path_text(!field && level->path ? level->path : &path, (struct bytes){0}, text);
    return error_set(level->error, STATUS_INVALID_ARGUMENT, "%s: %s", text, reason);
}

static void note_dropped(const struct level *level, bool dropped)
{
    if (level->dropped) {
        *level->dropped |= dropped;
    }
}

static bool show_fields(const struct level *level, struct bytes in);

/* Entries have nothing that plugins do not see. */
static bool is_usual_entry(const struct hook_field *field, struct bytes in)
{
    struct bytes key, value;
    return field->word >= HOOK_ENTRIES && field->message->field_count == 2 && field->message->fields[0].number == 1 &&
           field->message->fields[1].number == 2 && usual_entry_read(in, &key, &value);
}

/* Checks a message. `*whole`: plugins see all of it. */
static bool check_message(const struct level *level, const struct hook_field *field, struct bytes in, bool *whole)
{
    struct hook_path path = {.outer = level->path, .name = field->name};
    bool dropped = false;
    struct level inner = {.message = field->message, .path = &path, .dropped = &dropped, .error = level->error};
    *whole = true;
    if (is_usual_entry(field, in)) {
        return true;
    }
    bool good = show_fields(&inner, in);
    *whole = !dropped;
    note_dropped(level, dropped);
    return good;
}

/* Writes what plugins see of a message that was checked. */
static bool write_part(const struct level *level, const struct hook_field *field, struct bytes in)
{
    struct hook_path path = {.outer = level->path, .name = field->name};
    struct level inner = {.message = field->message, .path = &path, .output = level->output, .error = level->error};
    size_t opened = walk_output_open(level->output, field->number, in.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(level->error);
    }
    return show_fields(&inner, in) && (walk_output_close(level->output, opened, in.len) || error_no_memory(level->error));
}

/* Writes what lies between the end of what is not written as it is and the beginning of the next such thing. */
static bool write_run(const struct level *level, const uint8_t *from, const uint8_t *to)
{
    return !level->output || walk_output_put(level->output, from, (size_t)(to - from)) || error_no_memory(level->error);
}

/* One field of the tables. `*whole`: it is to be written as it is. */
static bool show_field(const struct level *level, const struct hook_field *field, const struct wire_field *found, uint32_t *seen,
                       bool *whole)
{
    *whole = true;
    if (found->type != field->wire_type) {
        return refuse(level, field, "wrong type");
    }
    if (!field->message) {
        return true;
    }
    uint32_t bit = UINT32_C(1) << (field - level->message->fields);
    if (!field->repeated && (*seen & bit) != 0) {
        return refuse(level, field, "occurs twice");
    }
    *seen |= bit;
    return check_message(level, field, found->payload, whole);
}

static bool show_fields(const struct level *level, struct bytes in)
{
    uint32_t seen = 0;
    struct wire_reader reader = wire_reader_of(in);
    struct wire_field found;
    const uint8_t *run = in.data; /* of fields that are written as they are */
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &found)) {
            return refuse(level, NULL, "malformed");
        }
        const struct hook_field *field = hook_field_by_number(level->message, found.number);
        bool whole = false;
        if (!field) {
            note_dropped(level, true);
        } else if (!show_field(level, field, &found, &seen, &whole)) {
            return false;
        }
        if (whole) {
            continue;
        }
        if (!write_run(level, run, found.start) || (field && level->output && !write_part(level, field, found.payload))) {
            return false;
        }
        run = found.end;
    }
    return in.len == 0 || write_run(level, run, reader.end);
}

bool hook_show(const struct hook_message *message, struct bytes in, struct walk_output *output, struct error *error)
{
    struct level level = {.message = message, .output = output, .error = error};
    return show_fields(&level, in);
}
