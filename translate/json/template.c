#include "translate/json/json.h"

#include "base/json/build.h"

/* The messages that the example is inside of. */
struct chain {
    const struct schema_message *message;
    const struct chain *outer;
};

static struct json_object *example_of_message(const struct schema_message *message, const struct chain *outer);

static struct json_object *example_of_value(const struct schema_field *field, const struct chain *outer)
{
    switch ((enum field_type)field->type) {
    case FIELD_MESSAGE:
        return example_of_message(field->message, outer);
    case FIELD_STRING:
    case FIELD_BYTES:
        return json_object_new_string("");
    case FIELD_BOOL:
        return json_object_new_boolean(false);
    case FIELD_ENUM:
        return json_object_new_string(field->enumeration->values[0].name);
    case FIELD_INT64:
    case FIELD_UINT64:
        return json_object_new_string("0");
    case FIELD_DOUBLE:
    case FIELD_INT32:
    case FIELD_UINT32:
        break;
    }
    return json_object_new_int(0);
}

/* Puts `element` into a new list or map; takes it over, even on failure. */
static struct json_object *collection_of(const struct schema_field *field, struct json_object *element)
{
    struct json_object *collection = field->map ? json_object_new_object() : json_object_new_array();
    bool good = element && (field->map ? json_add(collection, "", element) : json_append(collection, element));
    if (!good) {
        json_object_put(collection);
    }
    return good ? collection : NULL;
}

static struct json_object *example_of_field(const struct schema_field *field, const struct chain *outer)
{
    if (field->map) {
        return collection_of(field, example_of_value(schema_field_by_number(field->message, 2), outer));
    }
    struct json_object *value = example_of_value(field, outer);
    return field->repeated ? collection_of(field, value) : value;
}

static bool is_inside(const struct schema_message *message, const struct chain *outer)
{
    while (outer && outer->message != message) {
        outer = outer->outer;
    }
    return outer != NULL;
}

/* A message inside itself stays empty: otherwise the recursion would not end. */
static struct json_object *example_of_message(const struct schema_message *message, const struct chain *outer)
{
    struct json_object *object = json_object_new_object();
    if (!object || is_inside(message, outer)) {
        return object;
    }
    const struct chain here = {.message = message, .outer = outer};
    for (uint16_t i = 0; i < message->field_count; i++) {
        const struct schema_field *field = &message->fields[i];
        struct json_object *value = example_of_field(field, &here);
        if (!value || !json_add(object, field->json_name, value)) {
            json_object_put(object);
            return NULL;
        }
    }
    return object;
}

struct json_object *json_template(const struct schema_message *message)
{
    return example_of_message(message, NULL);
}
