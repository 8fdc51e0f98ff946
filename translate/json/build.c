#include "translate/json/build.h"

#include <json-c/json.h>

bool json_add(struct json_object *object, const char *key, struct json_object *value)
{
    bool added = object && json_object_object_add(object, key, value) == 0;
    if (!added) {
        json_object_put(value);
    }
    return added;
}

bool json_append(struct json_object *array, struct json_object *value)
{
    bool added = array && json_object_array_add(array, value) == 0;
    if (!added) {
        json_object_put(value);
    }
    return added;
}
