#include "translate/hooks/check.h"

#include "translate/hooks/changes.h"

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

static bool show_message(const struct level *level, const struct hook_field *field, struct bytes in)
{
    struct hook_path path = {.outer = level->path, .name = field->name};
    bool dropped = false;
    struct level inner = {.message = field->message, .path = &path, .dropped = &dropped, .error = level->error};
    if (!show_fields(&inner, in)) {
        return false;
    }
    if (!level->output) {
        note_dropped(level, dropped);
        return true;
    }
    if (!dropped) { /* most often */
        return walk_output_put_field(level->output, field->number, in) || error_no_memory(level->error);
    }
    inner.output = level->output;
    size_t opened = walk_output_open(level->output, field->number, in.len);
    if (opened == SIZE_MAX) {
        return error_no_memory(level->error);
    }
    return show_fields(&inner, in) && (walk_output_close(level->output, opened, in.len) || error_no_memory(level->error));
}

static bool show_fields(const struct level *level, struct bytes in)
{
    uint32_t seen = 0;
    struct wire_reader reader = wire_reader_of(in);
    struct wire_field found;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &found)) {
            return refuse(level, NULL, "malformed");
        }
        const struct hook_field *field = hook_field_by_number(level->message, found.number);
        if (!field) {
            note_dropped(level, true);
            continue;
        }
        if (found.type != field->wire_type) {
            return refuse(level, field, "not of its type");
        }
        uint32_t bit = UINT32_C(1) << (field - level->message->fields);
        if (field->message && !field->repeated && (seen & bit) != 0) {
            return refuse(level, field, "occurs twice");
        }
        seen |= bit;
        if (field->message) {
            if (!show_message(level, field, found.payload)) {
                return false;
            }
        } else if (level->output && !walk_output_put(level->output, found.start, (size_t)(found.end - found.start))) {
            return error_no_memory(level->error);
        }
    }
    return true;
}

bool hook_show(const struct hook_message *message, struct bytes in, struct walk_output *output, struct error *error)
{
    struct level level = {.message = message, .output = output, .error = error};
    return show_fields(&level, in);
}
