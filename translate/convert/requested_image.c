#include "translate/convert/requested_image.h"

#include "translate/bytes/image_id.h"
#include "translate/bytes/output.h"
#include "translate/bytes/wire.h"

/* The occurrence of a field with a payload; false: there is none. */
static bool find(struct bytes message, const struct schema_field *wanted, struct wire_field *found)
{
    struct wire_reader reader = wire_reader_of(message);
    struct wire_field field;
    bool there = false;
    while (wanted && wire_read_any_field(&reader, &field)) {
        if (field.number == wanted->number && field.type == WIRE_LENGTH) {
            *found = field;
            there = true;
        }
    }
    return there;
}

/* The message with another payload in that field, which is one of its own. */
static bool replace(struct bytes message, const struct wire_field *field, struct bytes payload, struct arena *arena,
                    struct bytes *out)
{
    struct walk_output output;
    const uint8_t *end = message.data + message.len;
    bool done = walk_output_start(&output, arena, message.len + payload.len) &&
                walk_output_put(&output, message.data, (size_t)(field->start - message.data)) &&
                walk_output_put_field(&output, field->number, payload) &&
                walk_output_put(&output, field->end, (size_t)(end - field->end));
    if (done) {
        *out = walk_output_finish(&output);
    }
    return done;
}

static bool append(struct bytes message, uint32_t number, struct bytes payload, struct arena *arena, struct bytes *out)
{
    struct walk_output output;
    bool done = walk_output_start(&output, arena, message.len + payload.len) &&
                walk_output_put(&output, message.data, message.len) && walk_output_put_field(&output, number, payload);
    if (done) {
        *out = walk_output_finish(&output);
    }
    return done;
}

bool requested_image_fill(const struct method *method, enum dialect dialect, struct bytes request, struct bytes name,
                          struct arena *arena, struct bytes *out, struct error *error)
{
    const struct schema_field *config_field = schema_field_by_name(method->in[dialect].request, "config");
    const struct schema_field *image_field = config_field ? schema_field_by_name(config_field->message, "image") : NULL;
    const struct schema_message *spec = image_field ? image_field->message : NULL;
    const struct schema_field *requested_field = schema_field_by_name(spec, "user_specified_image");
    struct wire_field config;
    struct wire_field image;
    struct wire_field reference;
    struct wire_field requested;
    *out = request;
    if (!requested_field || !find(request, config_field, &config) || !find(config.payload, image_field, &image) ||
        (find(image.payload, requested_field, &requested) && requested.payload.len > 0)) {
        return true;
    }
    if (name.len == 0 && find(image.payload, schema_field_by_name(spec, "image"), &reference) &&
        image_id_is_name(reference.payload)) {
        name = reference.payload;
    }
    if (name.len == 0) {
        return true;
    }
    struct bytes bytes;
    return (append(image.payload, requested_field->number, name, arena, &bytes) &&
            replace(config.payload, &image, bytes, arena, &bytes) && replace(request, &config, bytes, arena, out)) ||
           error_no_memory(error);
}
