#include "translate/schema/field_copy.h"

#include "translate/bytes/wire.h"

static const struct schema_field *copied_to(const struct field_copy *copy, uint32_t number)
{
    const struct schema_field *field = schema_field_by_number(copy->from, number);
    for (const char *const *name = copy->names; field && *name; name++) {
        if (strcmp(field->name, *name) == 0) {
            return schema_field_by_name(copy->to, *name);
        }
    }
    return NULL;
}

bool field_copy_run(const struct field_copy *copy, struct bytes message, struct walk_output *output, struct error *error)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "the bytes are malformed");
        }
        const struct schema_field *target = copied_to(copy, field.number);
        if (!target) {
            continue;
        }
        if (field.type != WIRE_LENGTH) {
            return error_set(error, STATUS_INVALID_ARGUMENT, "%s is malformed", target->name);
        }
        if (!walk_output_put_field(output, target->number, field.payload)) {
            return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        }
    }
    return true;
}
