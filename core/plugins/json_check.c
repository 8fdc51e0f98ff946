#include "core/plugins/json_check.h"

#include <string.h>

#include "translate/json/syntax.h"

struct bytes json_skip_white(struct bytes text)
{
    while (text.len > 0 && (*text.data == ' ' || *text.data == '\t' || *text.data == '\r' || *text.data == '\n')) {
        text = bytes_after(text, 1);
    }
    return text;
}

static void describe(enum json_tokener_error problem, struct error *error)
{
    switch (problem) {
    case json_tokener_continue:
        error_set(error, STATUS_INVALID_ARGUMENT, "not JSON: the text ends too early");
        break;
    case json_tokener_error_depth:
        error_set(error, STATUS_INVALID_ARGUMENT, "objects and lists are nested deeper than %d", JSON_CHECK_DEPTH);
        break;
    case json_tokener_error_parse_utf8_string:
        error_set(error, STATUS_INVALID_ARGUMENT, "not UTF-8; save the file as UTF-8");
        break;
    case json_tokener_error_parse_boolean:
        error_set(error, STATUS_INVALID_ARGUMENT, "not JSON: unexpected word");
        break;
    default:
        error_set(error, STATUS_INVALID_ARGUMENT, "not JSON: %s", json_tokener_error_desc(problem));
    }
}

bool json_check(struct bytes text, size_t *offset, struct error *error)
{
    const uint8_t *nul = text.len > 0 ? memchr(text.data, '\0', text.len) : NULL;
    *offset = nul ? (size_t)(nul - text.data) : 0;
    if (nul) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "not JSON: a NUL byte");
    }
    if (json_skip_white(text).len == 0) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the file is empty");
    }
    enum json_tokener_error problem = json_syntax_check(text, JSON_CHECK_DEPTH, offset);
    if (problem != json_tokener_success) {
        describe(problem, error);
    }
    return problem == json_tokener_success;
}
