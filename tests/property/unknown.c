#include "unknown.h"

#include <inttypes.h>
#include <stdio.h>

#include "translate/bytes/wire.h"

/* CRI is some ten messages deep at most. */
#define MOST_PATH 512

struct place {
    char path[MOST_PATH];
    struct json_object *list;
};

static bool collect(struct place *place, size_t length, struct bytes message, const struct schema_message *schema);

static void tell(struct place *place, const struct wire_field *field)
{
    char text[MOST_PATH + 128];
    snprintf(text, sizeof text, "%s %" PRIu32 " type %d %" PRIu64 " \"%.*s\"", place->path, field->number, (int)field->type,
             field->type == WIRE_LENGTH ? 0 : field->value, field->type == WIRE_LENGTH ? (int)field->payload.len : 0,
             field->type == WIRE_LENGTH ? (const char *)field->payload.data : "");
    json_object_array_add(place->list, json_object_new_string(text));
}

static bool descend(struct place *place, size_t length, const struct schema_field *known, unsigned element, struct bytes payload)
{
    int more = snprintf(place->path + length, MOST_PATH - length, ".%s[%u]", known->name, element);
    bool done = more > 0 && (size_t)more < MOST_PATH - length && collect(place, length + (size_t)more, payload, known->message);
    place->path[length] = '\0';
    return done;
}

static bool collect(struct place *place, size_t length, struct bytes message, const struct schema_message *schema)
{
    enum { FIELDS = 64 };
    unsigned elements[FIELDS] = {0};
    struct wire_reader reader = wire_reader_of(message);
    while (reader.at < reader.end) {
        struct wire_field field;
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        const struct schema_field *known = schema_field_by_number(schema, field.number);
        if (!known) {
            tell(place, &field);
        } else if (known->message && !descend(place, length, known, elements[field.number % FIELDS]++, field.payload)) {
            return false;
        }
    }
    return true;
}

bool unknown_collect(struct bytes message, const struct schema_message *schema, struct json_object *list)
{
    struct place place = {.list = list};
    return collect(&place, 0, message, schema);
}
