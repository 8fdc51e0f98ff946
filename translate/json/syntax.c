#include "translate/json/syntax.h"

#include "base/bytes/utf8.h"

struct reader {
    struct bytes rest;
    unsigned depth; /* how many brackets may still be opened */
    enum json_tokener_error problem;
};

static bool read_value(struct reader *reader);

/* What is at `rest` may not be there. */
static bool refuse(struct reader *reader, enum json_tokener_error problem)
{
    if (reader->rest.len == 0) {
        problem = json_tokener_continue;
    } else if (utf8_character_size(reader->rest) == 0) {
        problem = json_tokener_error_parse_utf8_string;
    }
    reader->problem = problem;
    return false;
}

/* The byte at `rest`; NUL at the end, and for a NUL. */
static char next(const struct reader *reader)
{
    return reader->rest.len > 0 ? (char)*reader->rest.data : '\0';
}

/* Steps over the next byte if it is one of these. */
static bool take(struct reader *reader, const char *wanted)
{
    bool found = next(reader) && strchr(wanted, next(reader));
    reader->rest = bytes_after(reader->rest, found);
    return found;
}

static void skip_white(struct reader *reader)
{
    while (take(reader, " \t\r\n")) {
    }
}

static bool read_word(struct reader *reader)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct bytes word = bytes_of_string(words[i]);
        if (bytes_start_with(reader->rest, word)) {
            reader->rest = bytes_after(reader->rest, word.len);
            return true;
        }
    }
    return refuse(reader, json_tokener_error_parse_boolean);
}

static bool read_digits(struct reader *reader)
{
    if (!take(reader, "0123456789")) {
        return refuse(reader, json_tokener_error_parse_number);
    }
    while (take(reader, "0123456789")) {
    }
    return true;
}

static bool read_number(struct reader *reader)
{
    take(reader, "-");
    if (!take(reader, "0") && !read_digits(reader)) {
        return false;
    }
    if (take(reader, ".") && !read_digits(reader)) {
        return false;
    }
    if (take(reader, "eE")) {
        take(reader, "+-");
        return read_digits(reader);
    }
    return true;
}

/* What follows a backslash. */
static bool read_escape(struct reader *reader)
{
    bool taken = true;
    if (take(reader, "u")) {
        for (int i = 0; taken && i < 4; i++) {
            taken = take(reader, "0123456789abcdefABCDEF");
        }
    } else {
        taken = take(reader, "\"\\/bfnrt");
    }
    return taken || refuse(reader, json_tokener_error_parse_string);
}

static bool read_string(struct reader *reader)
{
    take(reader, "\"");
    while (!take(reader, "\"")) {
        if (take(reader, "\\")) {
            if (!read_escape(reader)) {
                return false;
            }
            continue;
        }
        size_t size = utf8_character_size(reader->rest);
        if (size == 0 || *reader->rest.data < ' ') {
            return refuse(reader, json_tokener_error_parse_string);
        }
        reader->rest = bytes_after(reader->rest, size);
    }
    return true;
}

static bool read_key(struct reader *reader)
{
    skip_white(reader);
    if (next(reader) != '"') {
        bool no_member = next(reader) == '}' || next(reader) == ',';
        return refuse(reader, no_member ? json_tokener_error_parse_unexpected : json_tokener_error_parse_object_key_name);
    }
    if (!read_string(reader)) {
        return false;
    }
    skip_white(reader);
    return take(reader, ":") || refuse(reader, json_tokener_error_parse_object_key_sep);
}

static bool read_items(struct reader *reader, bool object)
{
    const char *close = object ? "}" : "]";
    if (reader->depth == 0) {
        return refuse(reader, json_tokener_error_depth);
    }
    reader->depth--;
    take(reader, "{[");
    skip_white(reader);
    if (!take(reader, close)) {
        do {
            if ((object && !read_key(reader)) || !read_value(reader)) {
                return false;
            }
        } while (take(reader, ","));
        if (!take(reader, close)) {
            return refuse(reader, object ? json_tokener_error_parse_object_value_sep : json_tokener_error_parse_array);
        }
    }
    reader->depth++;
    return true;
}

/* Also the white space around it. */
static bool read_value(struct reader *reader)
{
    skip_white(reader);
    char first = next(reader);
    bool read = first == '{' || first == '['                     ? read_items(reader, first == '{')
                : first == '"'                                   ? read_string(reader)
                : first == '-' || (first >= '0' && first <= '9') ? read_number(reader)
                : (first | ' ') >= 'a' && (first | ' ') <= 'z'   ? read_word(reader)
                                                                 : refuse(reader, json_tokener_error_parse_unexpected);
    if (read) {
        skip_white(reader);
    }
    return read;
}

enum json_tokener_error json_syntax_check(struct bytes text, unsigned depth, size_t *offset)
{
    struct reader reader = {.rest = text, .depth = depth, .problem = json_tokener_success};
    if (read_value(&reader) && reader.rest.len > 0) {
        refuse(&reader, json_tokener_error_parse_unexpected);
    }
    *offset = text.len - reader.rest.len;
    return reader.problem;
}
