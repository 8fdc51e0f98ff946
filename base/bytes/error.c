#include "base/bytes/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const code_names[] = {
    [STATUS_OK] = "OK",
    [STATUS_CANCELLED] = "CANCELLED",
    [STATUS_UNKNOWN] = "UNKNOWN",
    [STATUS_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
    [STATUS_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
    [STATUS_NOT_FOUND] = "NOT_FOUND",
    [STATUS_ALREADY_EXISTS] = "ALREADY_EXISTS",
    [STATUS_PERMISSION_DENIED] = "PERMISSION_DENIED",
    [STATUS_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
    [STATUS_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
    [STATUS_ABORTED] = "ABORTED",
    [STATUS_OUT_OF_RANGE] = "OUT_OF_RANGE",
    [STATUS_UNIMPLEMENTED] = "UNIMPLEMENTED",
    [STATUS_INTERNAL] = "INTERNAL",
    [STATUS_UNAVAILABLE] = "UNAVAILABLE",
    [STATUS_DATA_LOSS] = "DATA_LOSS",
    [STATUS_UNAUTHENTICATED] = "UNAUTHENTICATED",
};
#define CODE_COUNT (sizeof code_names / sizeof code_names[0])

/* Formats into the message; a text that does not fit ends in "...". */
static void format_message(struct error *error, const char *format, va_list arguments)
{
    int length = vsnprintf(error->message, sizeof error->message, format, arguments);
    if (length >= (int)sizeof error->message) {
        memcpy(error->message + sizeof error->message - 4, "...", 4);
    }
}

bool error_set(struct error *error, enum status_code code, const char *format, ...)
{
    if (!error) {
        return false;
    }
    va_list arguments;
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    error->code = code;
    return false;
}

bool error_no_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the message exceeds the memory limit of a call");
}

bool error_out_of_memory(struct error *error)
{
    return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
}

bool error_wrap(struct error *error, const char *format, ...)
{
    if (!error) {
        return false;
    }
    struct error inner = *error;
    va_list arguments;
    va_start(arguments, format);
    format_message(error, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->message);
    int length = snprintf(error->message + used, sizeof error->message - used, ": %s", inner.message);
    if (length >= (int)(sizeof error->message - used)) {
        memcpy(error->message + sizeof error->message - 4, "...", 4);
    }
    return false;
}

const char *status_code_name(enum status_code code)
{
    static const char *const unknown = "CODE_UNDEFINED";
    return (size_t)code < CODE_COUNT ? code_names[code] : unknown;
}

bool status_code_from_name(const char *name, enum status_code *code)
{
    for (size_t i = 0; i < CODE_COUNT; i++) {
        if (strcmp(code_names[i], name) == 0) {
            *code = (enum status_code)i;
            return true;
        }
    }
    return false;
}
