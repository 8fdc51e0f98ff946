#include "base/options/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <sysexits.h>

#include "base/bytes/shown.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "base/json/read.h"

int command_usage_error(const char *command, const char *format, ...)
{
    const char *space = command ? " " : "";
    va_list arguments;
    va_start(arguments, format);
    command = command ? command : "";
    fprintf(stderr, "crigate%s%s: ", space, command);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see crigate%s%s --help\n", space, command);
    va_end(arguments);
    return EX_USAGE;
}

bool command_print_json(struct json_object *json, bool compact)
{
    int style = compact ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
    size_t size;
    const char *text = json_print(json, style | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    if (!text) {
        fputs("crigate: out of memory\n", stderr);
        return false;
    }
    return puts(text) >= 0 && command_is_printed();
}

bool command_is_printed(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}

const char *command_text(struct json_object *value)
{
    const char *text = json_object_get_string(value);
    return text ? text : "";
}

const char *command_text_member(struct json_object *object, const char *name)
{
    struct json_object *member = json_member(object, name);
    return command_text(member);
}

void command_print_text(const char *text, FILE *out)
{
    struct bytes rest = bytes_of_string(text);
    while (rest.len > 0) {
        size_t size = utf8_character_size(rest);
        if (shown_character(rest, size)) {
            fwrite(rest.data, 1, size, out);
        } else {
            putc('?', out);
        }
        rest = bytes_after(rest, size > 0 ? size : 1);
    }
}

void command_print_lines(struct json_object *lines, FILE *out)
{
    size_t count = json_count(lines);
    for (size_t i = 0; i < count; i++) {
        command_print_text(command_text(json_object_array_get_idx(lines, i)), out);
        putc('\n', out);
    }
}
