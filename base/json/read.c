#include "base/json/read.h"

#include <json-c/json_object.h>

struct json_object *json_member(struct json_object *object, const char *key)
{
    struct json_object *value = NULL;
    json_object_object_get_ex(object, key, &value);
    return value;
}

struct json_object *json_member_of(struct json_object *object, const char *key, enum json_type type)
{
    struct json_object *value = json_member(object, key);
    return json_object_is_type(value, type) ? value : NULL;
}
