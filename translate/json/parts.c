#include "translate/json/parts.h"

#include <stdarg.h>
#include <stdio.h>

#define PATH_SIZE 384
#define MAX_SHOWN_KEY 64

const char *json_type_name(const struct schema_field *field)
{
    static const char *const names[] = {
        [FIELD_DOUBLE] = "double", [FIELD_INT32] = "int32",     [FIELD_INT64] = "int64", [FIELD_UINT32] = "uint32",
        [FIELD_UINT64] = "uint64", [FIELD_BOOL] = "bool",       [FIELD_ENUM] = "enum",   [FIELD_STRING] = "string",
        [FIELD_BYTES] = "bytes",   [FIELD_MESSAGE] = "message",
    };
    return names[field->type];
}

bool json_is_plain_bytes(const struct schema_message *owner, const struct schema_field *field)
{
    return field->type == FIELD_BYTES && strcmp(owner->name, "KeyValue") == 0 && strcmp(field->name, "value") == 0;
}

struct json_path json_path_field(const struct json_path *parent, const char *name)
{
    return (struct json_path){.parent = parent, .name = name, .index = JSON_NO_INDEX, .depth = parent->depth};
}

/* Appends to a text, which is silently cut if it gets too long; returns its length. */
static size_t append(char *text, size_t used, const char *before, const char *part, const char *after)
{
    int length = snprintf(text + used, PATH_SIZE - used, "%s%s%s", before, part, after);
    size_t whole = used + (length > 0 ? (size_t)length : 0);
    return whole < PATH_SIZE ? whole : PATH_SIZE - 1;
}

static size_t append_path(const struct json_path *path, char *text)
{
    if (!path || !path->name) {
        return 0;
    }
    size_t used = append_path(path->parent, text);
    used = append(text, used, used ? "." : "", path->name, "");
    if (path->index != JSON_NO_INDEX) {
        char number[24];
        snprintf(number, sizeof number, "%zu", path->index);
        used = append(text, used, "[", number, "]");
    }
    if (path->key) {
        used = append(text, used, "[\"", strlen(path->key) > MAX_SHOWN_KEY ? "..." : path->key, "\"]");
    }
    return used;
}

bool json_path_fail(const struct json_path *path, struct error *error, enum status_code code, const char *format, ...)
{
    char message[ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    char place[PATH_SIZE] = "";
    return append_path(path, place) > 0 ? error_set(error, code, "%s: %s", place, message)
                                        : error_set(error, code, "%s", message);
}

bool json_path_no_memory(const struct json_path *path, struct error *error)
{
    return json_path_fail(path, error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
}
