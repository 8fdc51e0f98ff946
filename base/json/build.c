#include "base/json/build.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdatomic.h>

#include "base/json/read.h"

static atomic_bool lacked;

static bool note(bool added, struct json_object *value)
{
    if (!added) {
        json_object_put(value);
        atomic_store(&lacked, true);
        errno = 0; /* it was told once */
    }
    return added;
}

/* A value that is NULL is null, unless there was no memory to make it. */
static bool is_made(const struct json_object *value)
{
    return value || errno != ENOMEM;
}

bool json_add(struct json_object *object, const char *key, struct json_object *value)
{
    return note(object && is_made(value) && json_object_object_add(object, key, value) == 0, value);
}

bool json_append(struct json_object *array, struct json_object *value)
{
    return note(array && is_made(value) && json_object_array_add(array, value) == 0, value);
}

bool json_add_text(struct json_object *object, const char *key, const char *text)
{
    return json_add(object, key, text ? json_object_new_string(text) : NULL);
}

void json_add_from(struct json_object *from, const char *key, struct json_object *object, const char *as)
{
    struct json_object *value = json_member(from, key);
    if (value) {
        json_add(object, as, json_object_get(value));
    }
}

size_t json_count(const struct json_object *array)
{
    return json_object_is_type(array, json_type_array) ? json_object_array_length(array) : 0;
}

/* json-c leaves out what it has no memory for, and does not say so; but malloc does. */
const char *json_text(struct json_object *value, int style, size_t *size)
{
    int before = errno;
    errno = 0;
    const char *text = value ? json_object_to_json_string_length(value, style, size) : NULL;
    text = errno == ENOMEM ? NULL : text;
    errno = before;
    return text;
}

const char *json_print(struct json_object *object, int style, size_t *size)
{
    return atomic_exchange(&lacked, false) ? NULL : json_text(object, style, size);
}
