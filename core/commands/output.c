#include "core/commands/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

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

bool command_output_is_json(const char *format, bool *json)
{
    *json = strcmp(format, "json") == 0;
    return *json || strcmp(format, "text") == 0;
}

bool command_print_json(struct json_object *json, bool compact)
{
    int style = compact ? JSON_C_TO_STRING_PLAIN : JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED;
    const char *text = json_object_to_json_string_ext(json, style | JSON_C_TO_STRING_NOSLASHESCAPE);
    return text && puts(text) >= 0 && command_is_printed();
}

bool command_is_printed(void)
{
    return fflush(stdout) == 0 && !ferror(stdout);
}
