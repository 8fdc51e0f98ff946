#include "json.h"

#include <limits.h>

#include "json_parts.h"

/* Each message may stand in a list or a map; the outermost, the innermost value and json-c's own bookkeeping need some more. */
#define MAX_TEXT_DEPTH (2 * JSON_MAX_DEPTH + 4)

struct json_object *json_from_text(struct bytes text, struct error *error)
{
    if (text.len > INT_MAX) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "the JSON text is too long");
        return NULL;
    }
    struct json_tokener *tokener = json_tokener_new_ex(MAX_TEXT_DEPTH);
    if (!tokener) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "no memory");
        return NULL;
    }
    json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    struct json_object *json = json_tokener_parse_ex(tokener, text.len > 0 ? (const char *)text.data : "", (int)text.len);
    enum json_tokener_error problem = json_tokener_get_error(tokener);
    if (problem == json_tokener_continue) {
        error_set(error, STATUS_INVALID_ARGUMENT, "JSON: the text ends too early");
    } else if (problem != json_tokener_success) {
        error_set(error, STATUS_INVALID_ARGUMENT, "JSON: %s at byte %zu", json_tokener_error_desc(problem),
                  json_tokener_get_parse_end(tokener) + 1);
    } else if (!json_object_is_type(json, json_type_object)) {
        error_set(error, STATUS_INVALID_ARGUMENT, "JSON: expected an object");
        json_object_put(json);
        json = NULL;
    }
    json_tokener_free(tokener);
    return json;
}
