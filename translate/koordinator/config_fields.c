#include "translate/koordinator/config_fields.h"

#include <stdlib.h>
#include <string.h>

#include "translate/bytes/wire.h"

/* What reads a field of a number: the place of a field, or of the first field in a message inside, or one of these. */
#define METADATA 0xFE
#define NOTHING 0xFF

/* ---- which field is which ---- */

static struct config_field field_of(const ProtobufCMessageDescriptor *model, const ProtobufCMessageDescriptor *hook,
                                    const struct config_field_names *names, bool answer)
{
    struct config_field field = {.outer_name = names->outer};
    if (names->outer) {
        const ProtobufCFieldDescriptor *outer = protobuf_c_message_descriptor_get_field_by_name(model, names->outer);
        field.outer = outer->id;
        model = outer->descriptor;
    }
    field.link =
        answer ? field_link_of(hook, names->hook, model, names->model) : field_link_of(model, names->model, hook, names->hook);
    return field;
}

static void add_place(struct config_fields *fields, uint32_t number, size_t place)
{
    if (number >= CONFIG_NUMBERS || place == CONFIG_FIELDS_MAX) {
        abort();
    }
    if (fields->places[number] == NOTHING) {
        fields->places[number] = (uint8_t)place;
    }
}

struct config_fields config_fields_sent(const ProtobufCMessageDescriptor *model, const ProtobufCMessageDescriptor *hook,
                                        const struct config_field_names *names, size_t count, const char *metadata)
{
    struct config_fields fields = {.count = count, .metadata = field_link_of(model, "metadata", hook, metadata)};
    memset(fields.places, NOTHING, sizeof fields.places);
    add_place(&fields, fields.metadata.from, METADATA);
    for (size_t i = 0; i < count; i++) {
        struct config_field field = field_of(model, hook, &names[i], false);
        fields.each[i] = field;
        add_place(&fields, field.outer != 0 ? field.outer : field.link.from, i);
    }
    return fields;
}

struct config_fields config_fields_answered(const ProtobufCMessageDescriptor *model, const ProtobufCMessageDescriptor *hook,
                                            const struct config_field_names *names, size_t count)
{
    struct config_fields fields = {.count = count};
    for (size_t i = 0; i < count; i++) {
        fields.each[i] = field_of(model, hook, &names[i], true);
    }
    return fields;
}

/* ---- reading ---- */

/* One field that is wanted. false: it is not in the usual form. */
static bool take_field(struct config_reading *reading, size_t place, struct bytes payload)
{
    const struct config_field *field = &reading->fields->each[place];
    if (field->outer != 0) {
        bool first = reading->inner[place].data == NULL;
        reading->inner[place] = payload;
        return first;
    }
    if (field->link.kind != FIELD_LINK_PAIRS || reading->count == CONFIG_PAIRS_MAX) {
        return false;
    }
    reading->pair_places[reading->count] = (uint8_t)place;
    return pair_read(payload, &reading->pairs[reading->count++]);
}

static bool read_usual(struct config_reading *reading)
{
    struct wire_reader reader = wire_reader_of(reading->config);
    struct wire_field field;
    while (reader.at < reader.end) {
        if (!wire_read_field(&reader, &field)) {
            return false;
        }
        uint8_t place = field.number < CONFIG_NUMBERS ? reading->fields->places[field.number] : NOTHING;
        if (place == NOTHING) {
            continue;
        }
        if (field.type != WIRE_LENGTH) {
            return false;
        }
        if (place == METADATA) {
            reading->metadata = field.payload;
        } else if (!take_field(reading, place, field.payload)) {
            return false;
        }
    }
    return true;
}

void config_read(const struct config_fields *fields, struct bytes config, struct config_reading *reading)
{
    reading->fields = fields;
    reading->config = config;
    reading->count = 0;
    reading->metadata = (struct bytes){0};
    memset(reading->inner, 0, sizeof reading->inner);
    reading->usual = read_usual(reading);
    if (!reading->usual) {
        reading->metadata = wire_last_payload(config, fields->metadata.from);
    }
}

/* ---- writing ---- */

static bool send_pairs(const struct config_reading *reading, size_t place, struct walk_output *request, struct error *error)
{
    const struct pair *order[CONFIG_PAIRS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < reading->count; i++) {
        if (reading->pair_places[i] == place) {
            order[count++] = &reading->pairs[i];
        }
    }
    return pairs_put(request, reading->fields->each[place].link.to, order, count, error);
}

static bool send_usual(const struct config_reading *reading, struct walk_output *request, struct error *error)
{
    for (size_t i = 0; i < reading->fields->count; i++) {
        const struct config_field *field = &reading->fields->each[i];
        size_t first = reading->fields->places[field->outer];
        if (!(field->outer != 0 ? field_move(reading->inner[first], &field->link, request, error)
                                : send_pairs(reading, i, request, error))) {
            return false;
        }
    }
    return true;
}

bool config_send(const struct config_reading *reading, struct walk_output *request, struct error *error)
{
    if (reading->usual) {
        return send_usual(reading, request, error);
    }
    for (size_t i = 0; i < reading->fields->count; i++) {
        const struct config_field *field = &reading->fields->each[i];
        struct bytes content = reading->config;
        bool found;
        if (field->outer != 0 &&
            !field_take_message(reading->config, field->outer, field->outer_name, request->arena, &content, &found, error)) {
            return false;
        }
        if (!field_move(content, &field->link, request, error)) {
            return false;
        }
    }
    return true;
}

bool config_take(const struct config_fields *fields, struct bytes answer, struct walk_output *config, struct error *error)
{
    for (size_t i = 0; i < fields->count; i++) {
        const struct config_field *field = &fields->each[i];
        if (!(field->outer != 0 ? field_move_into(answer, &field->link, field->outer, config, error)
                                : field_move(answer, &field->link, config, error))) {
            return false;
        }
    }
    return true;
}
