#include "node/systemd/environment_file.h"

#include <ctype.h>
#include <string.h>

enum state {
    BEFORE_NAME,
    NAME,
    BEFORE_VALUE, /* also behind a closing quote */
    VALUE,
    VALUE_ESCAPE,
    SINGLE_QUOTED,
    DOUBLE_QUOTED,
    DOUBLE_QUOTED_ESCAPE,
    COMMENT,
    COMMENT_ESCAPE,
};

struct reader {
    struct bytes text;
    uint16_t file;
    size_t at;
    unsigned line;
    enum state state;
    bool after_doubt; /* the line before was a comment that ends in a backslash */
    bool doubtful;    /* so this line may be part of it */
    size_t name_at, name_end;
    unsigned name_line;
    size_t raw_at;
    size_t kept; /* the length of the value without the blanks at its end */
    struct traced_builder value;
    struct environment_entries *entries;
    size_t room;
};

bool environment_name_is_valid(struct bytes name)
{
    if (name.len == 0 || isdigit(name.data[0])) {
        return false;
    }
    for (size_t i = 0; i < name.len; i++) {
        if (!isalnum(name.data[i]) && name.data[i] != '_') {
            return false;
        }
    }
    return true;
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || is_line_end(c);
}

static struct origin here(const struct reader *reader)
{
    return (struct origin){.offset = (uint32_t)reader->at, .file = reader->file};
}

/* Ends an assignment. false: no memory. */
static bool push(struct reader *reader, size_t raw_end)
{
    struct bytes name = bytes_of(reader->text.data + reader->name_at, reader->name_end - reader->name_at);
    struct traced_text value;
    if (reader->state == VALUE) {
        reader->value.len = reader->kept;
    }
    if (!traced_finish(&reader->value, &value)) {
        return false;
    }
    if (!environment_name_is_valid(name) || reader->entries->count == reader->room) {
        return true;
    }
    struct environment_entry *entry = &reader->entries->items[reader->entries->count];
    *entry = (struct environment_entry){.name = arena_string(reader->value.arena, name),
                                        .value = value,
                                        .file = reader->file,
                                        .line = reader->name_line,
                                        .raw_offset = reader->raw_at,
                                        .raw_length = raw_end - reader->raw_at,
                                        .doubtful = reader->doubtful};
    reader->entries->count++;
    return entry->name != NULL;
}

static void put(struct reader *reader, char c)
{
    traced_put(&reader->value, c, here(reader));
}

static void put_backslash(struct reader *reader)
{
    struct origin from = here(reader);
    from.offset--;
    traced_put(&reader->value, '\\', from);
}

static void step_before_name(struct reader *reader, char c)
{
    if (is_line_end(c)) {
        reader->after_doubt = false;
    } else if (c == '#' || c == ';') {
        reader->state = COMMENT;
    } else if (!is_blank(c)) {
        reader->state = NAME;
        reader->name_at = reader->at;
        reader->name_end = reader->at + 1;
        reader->name_line = reader->line;
        reader->doubtful = reader->after_doubt;
        reader->after_doubt = false;
    }
}

static void step_name(struct reader *reader, char c)
{
    if (is_line_end(c)) {
        reader->state = BEFORE_NAME;
    } else if (c == '=') {
        reader->state = BEFORE_VALUE;
        reader->raw_at = reader->at + 1;
        reader->kept = 0;
    } else if (!is_blank(c)) {
        reader->name_end = reader->at + 1;
    }
}

/* Before a value, or in it without quotes. */
static bool step_value(struct reader *reader, char c)
{
    bool begins = reader->state == BEFORE_VALUE;
    if (is_line_end(c)) {
        bool good = push(reader, reader->at);
        reader->state = BEFORE_NAME;
        return good;
    }
    if (c == '\\') {
        reader->state = VALUE_ESCAPE;
    } else if (begins && (c == '"' || c == '\'')) {
        reader->state = c == '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
    } else if (!begins || !is_blank(c)) {
        reader->state = VALUE;
        put(reader, c);
        reader->kept = is_blank(c) ? reader->kept : reader->value.len;
    }
    return true;
}

static void step_quoted(struct reader *reader, char c)
{
    switch (reader->state) {
    case SINGLE_QUOTED:
        if (c == '\'') {
            reader->state = BEFORE_VALUE;
        } else {
            put(reader, c);
        }
        break;
    case DOUBLE_QUOTED:
        if (c == '"') {
            reader->state = BEFORE_VALUE;
        } else if (c == '\\') {
            reader->state = DOUBLE_QUOTED_ESCAPE;
        } else {
            put(reader, c);
        }
        break;
    default: /* DOUBLE_QUOTED_ESCAPE */
        reader->state = DOUBLE_QUOTED;
        if (c != '\n') {
            if (!strchr("\"\\`$", c)) {
                put_backslash(reader);
            }
            put(reader, c);
        }
        break;
    }
}

static bool step(struct reader *reader, char c)
{
    switch (reader->state) {
    case BEFORE_NAME:
        step_before_name(reader, c);
        return true;
    case NAME:
        step_name(reader, c);
        return true;
    case BEFORE_VALUE:
    case VALUE:
        return step_value(reader, c);
    case VALUE_ESCAPE:
        reader->state = VALUE;
        if (!is_line_end(c)) {
            put(reader, c);
        }
        reader->kept = reader->value.len;
        return true;
    case COMMENT:
        reader->state = c == '\\' ? COMMENT_ESCAPE : is_line_end(c) ? BEFORE_NAME : COMMENT;
        reader->after_doubt = reader->after_doubt && !is_line_end(c);
        return true;
    case COMMENT_ESCAPE:
        reader->state = is_line_end(c) ? BEFORE_NAME : COMMENT;
        reader->after_doubt = is_line_end(c);
        return true;
    default:
        step_quoted(reader, c);
        return true;
    }
}

bool environment_file_read(struct bytes text, uint16_t file, struct arena *arena, struct environment_entries *entries,
                           struct error *error)
{
    struct reader reader = {.text = text, .file = file, .line = 1, .value.arena = arena, .entries = entries};
    for (size_t i = 0; i < text.len; i++) {
        reader.room += text.data[i] == '=';
    }
    *entries = (struct environment_entries){.items = arena_zalloc(arena, (reader.room + 1) * sizeof *entries->items)};
    if (!entries->items) {
        return error_out_of_memory(error);
    }
    for (; reader.at < text.len && text.data[reader.at] != '\0'; reader.at++) {
        char c = (char)text.data[reader.at];
        if (!step(&reader, c)) {
            return error_out_of_memory(error);
        }
        reader.line += c == '\n';
    }
    bool open = reader.state != BEFORE_NAME && reader.state != NAME && reader.state != COMMENT && reader.state != COMMENT_ESCAPE;
    return (!open || push(&reader, reader.at)) || error_out_of_memory(error);
}
