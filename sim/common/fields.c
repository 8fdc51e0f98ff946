#include "sim/common/fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes/base64.h"

struct json_object *field_child(struct json_object *message, const char *key)
{
    struct json_object *child = NULL;
    json_object_object_get_ex(message, key, &child);
    return child;
}

const char *field_text(struct json_object *message, const char *key)
{
    const char *text = json_object_get_string(field_child(message, key));
    return text ? text : "";
}

int64_t field_number(struct json_object *message, const char *key)
{
    return json_object_get_int64(field_child(message, key));
}

bool field_flag(struct json_object *message, const char *key)
{
    return json_object_get_boolean(field_child(message, key));
}

void field_set_text(struct json_object *message, const char *key, const char *text)
{
    if (text && *text) {
        json_object_object_add(message, key, json_object_new_string(text));
    }
}

void field_set_number(struct json_object *message, const char *key, int64_t number)
{
    if (number != 0) {
        json_object_object_add(message, key, json_object_new_int64(number));
    }
}

void field_set_flag(struct json_object *message, const char *key, bool flag)
{
    if (flag) {
        json_object_object_add(message, key, json_object_new_boolean(true));
    }
}

void field_share(struct json_object *message, const char *key, struct json_object *child)
{
    if (child) {
        json_object_object_add(message, key, json_object_get(child));
    }
}

struct json_object *field_new_object(struct json_object *message, const char *key)
{
    struct json_object *child = json_object_new_object();
    json_object_object_add(message, key, child);
    return child;
}

struct json_object *field_new_array(struct json_object *message, const char *key)
{
    struct json_object *child = json_object_new_array();
    json_object_object_add(message, key, child);
    return child;
}

void field_set_wrapped(struct json_object *message, const char *key, uint64_t number)
{
    json_object_object_add(field_new_object(message, key), "value", json_object_new_uint64(number));
}

void field_set_bytes(struct json_object *message, const char *key, const void *data, size_t size)
{
    size_t length = base64_encoded_size(size);
    char *text = malloc(length + 1);
    if (text) {
        base64_encode(bytes_of(data, size), text);
        json_object_object_add(message, key, json_object_new_string_len(text, (int)length));
    }
    free(text);
}

bool field_map_has(struct json_object *map, struct json_object *wanted)
{
    if (!wanted) {
        return true;
    }
    struct json_object_iterator at = json_object_iter_begin(wanted);
    struct json_object_iterator end = json_object_iter_end(wanted);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *value = field_child(map, json_object_iter_peek_name(&at));
        const char *expected = json_object_get_string(json_object_iter_peek_value(&at));
        if (!value || strcmp(json_object_get_string(value), expected ? expected : "") != 0) {
            return false;
        }
    }
    return true;
}
