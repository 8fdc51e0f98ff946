#include "translate/json/json.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "translate/json/parts.h"
#include "translate/json/syntax.h"

/* Each message may be inside a list or a map; the outermost and innermost values need a few more levels. */
#define MAX_TEXT_DEPTH (2 * JSON_MAX_DEPTH + 4)

/* Whether a number's text is a whole number that neither int64 nor uint64 can hold. */
static bool is_beyond_64_bits(struct bytes number)
{
    char text[32];
    if (memchr(number.data, '.', number.len) || memchr(number.data, 'e', number.len) || memchr(number.data, 'E', number.len)) {
        return false;
    }
    if (number.len >= sizeof text) {
        return true;
    }
    memcpy(text, number.data, number.len);
    text[number.len] = '\0';
    errno = 0;
    if (text[0] == '-') {
        strtoll(text, NULL, 10);
    } else {
        strtoull(text, NULL, 10);
    }
    return errno == ERANGE;
}

/* The length of the string at the start of `text`, with both quotes. */
static size_t string_size(struct bytes text)
{
    size_t i = 1;
    while (i < text.len && text.data[i] != '"') {
        i += text.data[i] == '\\' ? 2 : 1;
    }
    return i < text.len ? i + 1 : text.len;
}

static size_t number_size(struct bytes text)
{
    size_t i = 0;
    while (i < text.len && text.data[i] != '\0' && strchr("+-.0123456789eE", text.data[i])) {
        i++;
    }
    return i;
}

/* json-c silently replaces a number outside of 64 bits by the nearest one. */
static bool has_number_beyond_64_bits(struct bytes text)
{
    while (text.len > 0) {
        bool is_string = text.data[0] == '"';
        bool is_number = text.data[0] == '-' || (text.data[0] >= '0' && text.data[0] <= '9');
        size_t size = is_string ? string_size(text) : is_number ? number_size(text) : 1;
        if (is_number && is_beyond_64_bits(bytes_of(text.data, size))) {
            return true;
        }
        text = bytes_after(text, size);
    }
    return false;
}

static bool check_text(struct bytes text, struct error *error)
{
    if (text.len > INT_MAX) {
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the JSON text is too long");
    }
    if (text.len > 0 && memchr(text.data, '\0', text.len)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "JSON: a NUL byte");
    }
    size_t offset;
    enum json_tokener_error problem = json_syntax_check(text, MAX_TEXT_DEPTH, &offset);
    if (problem == json_tokener_continue) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "JSON: the text ends too early");
    }
    if (problem != json_tokener_success) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "JSON: %s at byte %zu", json_tokener_error_desc(problem), offset + 1);
    }
    if (has_number_beyond_64_bits(text)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "JSON: a whole number beyond 64 bits");
    }
    return true;
}

/* Builds the tree of a text that json_syntax_check has passed. */
static struct json_object *build_tree(struct bytes text, struct error *error)
{
    struct json_tokener *tokener = json_tokener_new_ex(MAX_TEXT_DEPTH + 1);
    if (!tokener) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    struct json_object *json = json_tokener_parse_ex(tokener, (const char *)text.data, (int)text.len);
    enum json_tokener_error problem = json_tokener_get_error(tokener);
    json_tokener_free(tokener);
    if (problem != json_tokener_success && problem != json_tokener_continue) { /* a number may go on */
        error_set(error, STATUS_INVALID_ARGUMENT, "JSON: %s", json_tokener_error_desc(problem));
    } else if (!json_object_is_type(json, json_type_object)) {
        error_set(error, STATUS_INVALID_ARGUMENT, "JSON: expected an object");
        json_object_put(json);
        json = NULL;
    }
    return json;
}

struct json_object *json_from_text(struct bytes text, struct error *error)
{
    return check_text(text, error) ? build_tree(text, error) : NULL;
}
