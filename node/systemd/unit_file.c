#include "node/systemd/unit_file.h"

#include <string.h>

struct reader {
    struct arena *arena;
    uint16_t file;
    const char *section;
    struct unit_lines *lines;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Without the blanks at both ends. */
static struct traced_text strip(struct traced_text text)
{
    size_t at = 0;
    while (at < text.len && is_blank(text.text[at])) {
        at++;
    }
    while (text.len > at && is_blank(text.text[text.len - 1])) {
        text.len--;
    }
    return traced_part(text, at, text.len - at);
}

static const char *copy(struct reader *reader, struct traced_text text)
{
    return arena_string(reader->arena, bytes_of(text.text, text.len));
}

/* Takes a whole line. false: no memory. */
static bool take_line(struct reader *reader, struct traced_text whole, unsigned number)
{
    struct traced_text line = strip(whole);
    if (line.len == 0) {
        return true;
    }
    if (line.text[0] == '[') {
        size_t end = line.text[line.len - 1] == ']' ? line.len - 2 : line.len - 1;
        reader->section = copy(reader, traced_part(line, 1, end));
        return reader->section != NULL;
    }
    const char *sign = memchr(line.text, '=', line.len);
    if (!sign) {
        return true;
    }
    size_t at = (size_t)(sign - line.text);
    struct unit_line *taken = &reader->lines->items[reader->lines->count++];
    *taken = (struct unit_line){.section = reader->section,
                                .key = copy(reader, strip(traced_part(line, 0, at))),
                                .value = strip(traced_part(line, at + 1, line.len - at - 1)),
                                .line = number};
    return taken->key != NULL;
}

/* Whether the line ends in a backslash that is not escaped itself. */
static bool goes_on(struct bytes line)
{
    bool escaped = false;
    for (size_t i = 0; i < line.len; i++) {
        escaped = !escaped && line.data[i] == '\\';
    }
    return escaped;
}

static bool is_comment(struct bytes line)
{
    size_t at = 0;
    while (at < line.len && is_blank((char)line.data[at])) {
        at++;
    }
    return at < line.len && (line.data[at] == '#' || line.data[at] == ';');
}

/* Adds a line of the file; the backslash at its end becomes a blank. */
static void add(struct traced_builder *builder, struct bytes line, size_t offset, uint16_t file, bool open)
{
    for (size_t i = 0; i < line.len; i++) {
        struct origin from = {.offset = (uint32_t)(offset + i), .file = file};
        bool last = open && i + 1 == line.len;
        if (last) {
            from.file = ORIGIN_NOWHERE;
        }
        traced_put(builder, last ? ' ' : (char)line.data[i], from);
    }
}

static size_t count_lines(struct bytes text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++) {
        count += text.data[i] == '\n';
    }
    return count;
}

bool unit_file_read(struct bytes text, uint16_t file, struct arena *arena, struct unit_lines *lines, struct error *error)
{
    struct reader reader = {.arena = arena, .file = file, .section = "", .lines = lines};
    struct traced_builder builder = {.arena = arena};
    *lines = (struct unit_lines){.items = arena_zalloc(arena, count_lines(text) * sizeof *lines->items)};
    if (!lines->items) {
        return error_out_of_memory(error);
    }
    unsigned number = 0, begin = 0;
    bool open = false;
    for (size_t at = 0; at < text.len;) {
        const uint8_t *end = memchr(text.data + at, '\n', text.len - at);
        struct bytes line = bytes_of(text.data + at, end ? (size_t)(end - text.data) - at : text.len - at);
        size_t offset = at;
        at += line.len + 1;
        number++;
        line.len -= line.len > 0 && line.data[line.len - 1] == '\r';
        if (is_comment(line)) {
            continue;
        }
        begin = open ? begin : number;
        open = goes_on(line);
        add(&builder, line, offset, file, open);
        struct traced_text whole;
        if (!open && (!traced_finish(&builder, &whole) || !take_line(&reader, whole, begin))) {
            return error_out_of_memory(error);
        }
    }
    struct traced_text rest;
    return (traced_finish(&builder, &rest) && take_line(&reader, rest, begin)) || error_out_of_memory(error);
}
