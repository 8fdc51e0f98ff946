#include "translate/json/json.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/bytes/base64.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "translate/json/parts.h"

/* The approximate memory of json-c's values. An empty message of two bytes becomes an object of 400 times its size, so the result
   is limited by a sum that is linear in the size of the message. */
#define OBJECT_COST 800
#define ARRAY_COST 192
#define VALUE_COST 96
#define BASE_BUDGET ((size_t)64 * 1024 * 1024)
#define BUDGET_PER_BYTE 8

/* json-c counts a string's bytes in an int; an invalid byte becomes three and base64 makes four of three. */
#define MAX_TEXT (INT_MAX / 4)

#define HIDDEN "(hidden)"
#define LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"

/* JSON text that says -0 would be read as the whole number 0. */
#define NEGATIVE_ZERO (1ULL << 63)

struct decoder {
    enum json_style style;
    size_t budget; /* left */
    struct error *error;
};

/* One value to decode: its source, and how much of it a log may show. */
struct value {
    const struct schema_message *owner;
    const struct schema_field *field;
    enum privacy privacy;
    struct wire_field wire;
};

static struct json_object *decode_message(struct decoder *decoder, const struct schema_message *message, struct bytes bytes,
                                          const struct json_path *path);

static bool fail_malformed(const struct decoder *decoder, const struct json_path *path, const char *what)
{
    return json_path_fail(path, decoder->error, STATUS_INVALID_ARGUMENT, "%s", what);
}

static bool spend(struct decoder *decoder, size_t cost, const struct json_path *path)
{
    if (cost > decoder->budget) {
        return json_path_fail(path, decoder->error, STATUS_RESOURCE_EXHAUSTED, "too many elements to show as JSON");
    }
    decoder->budget -= cost;
    return true;
}

/* Copies text; each byte that is not valid UTF-8 becomes U+FFFD. */
static struct json_object *text_of_invalid(struct bytes text, size_t invalid)
{
    static const uint8_t replacement[] = {0xEF, 0xBF, 0xBD};
    char *valid = malloc(text.len + invalid * (sizeof replacement - 1));
    if (!valid) {
        return NULL;
    }
    size_t used = 0;
    while (text.len > 0) {
        size_t size = utf8_character_size(text);
        memcpy(valid + used, size ? text.data : replacement, size ? size : sizeof replacement);
        used += size ? size : sizeof replacement;
        text = bytes_after(text, size ? size : 1);
    }
    struct json_object *json = json_object_new_string_len(valid, (int)used);
    free(valid);
    return json;
}

static struct json_object *json_of_text(const struct value *value)
{
    struct bytes text = value->wire.payload;
    size_t invalid = utf8_count_invalid(text);
    if (invalid > 0) {
        return text_of_invalid(text, invalid);
    }
    return json_object_new_string_len(text.len > 0 ? (const char *)text.data : "", (int)text.len);
}

static struct json_object *json_of_bytes(const struct value *value)
{
    if (json_is_plain_bytes(value->owner, value->field)) {
        return json_of_text(value);
    }
    size_t length = base64_encoded_size(value->wire.payload.len);
    char *text = malloc(length + 1);
    if (!text) {
        return NULL;
    }
    base64_encode(value->wire.payload, text);
    struct json_object *json = json_object_new_string_len(text, (int)length);
    free(text);
    return json;
}

/* Uses 15 digits if they read back as the same number, else more: 0.1 stays 0.1. */
static struct json_object *json_of_double(const struct value *value)
{
    double number;
    memcpy(&number, &value->wire.value, sizeof number);
    if (isnan(number)) {
        return json_object_new_string("NaN");
    }
    if (isinf(number)) {
        return json_object_new_string(number > 0 ? "Infinity" : "-Infinity");
    }
    char text[40] = "-0.0";
    for (int digits = 15; digits <= 17 && value->wire.value != NEGATIVE_ZERO; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) {
            break;
        }
    }
    return json_object_new_double_s(number, text);
}

static struct json_object *json_of_int32(const struct value *value)
{
    return json_object_new_int((int32_t)(uint32_t)value->wire.value);
}

static struct json_object *json_of_uint32(const struct value *value)
{
    return json_object_new_int64((uint32_t)value->wire.value);
}

static struct json_object *json_of_64_bits(const struct value *value)
{
    char text[24];
    const char *format = value->field->type == FIELD_INT64 ? "%" PRId64 : "%" PRIu64;
    snprintf(text, sizeof text, format, value->wire.value);
    return json_object_new_string(text);
}

static struct json_object *json_of_bool(const struct value *value)
{
    return json_object_new_boolean(value->wire.value != 0);
}

static struct json_object *json_of_enum(const struct value *value)
{
    const struct schema_enum *enumeration = value->field->enumeration;
    int32_t number = (int32_t)(uint32_t)value->wire.value;
    for (uint16_t i = 0; i < enumeration->value_count; i++) {
        if (enumeration->values[i].number == number) {
            return json_object_new_string(enumeration->values[i].name);
        }
    }
    return json_object_new_int(number);
}

static struct json_object *(*const scalars[])(const struct value *value) = {
    [FIELD_DOUBLE] = json_of_double, [FIELD_INT32] = json_of_int32,    [FIELD_INT64] = json_of_64_bits,
    [FIELD_UINT32] = json_of_uint32, [FIELD_UINT64] = json_of_64_bits, [FIELD_BOOL] = json_of_bool,
    [FIELD_ENUM] = json_of_enum,     [FIELD_STRING] = json_of_text,    [FIELD_BYTES] = json_of_bytes,
};

static bool is_32_bits(const struct schema_field *field)
{
    return field->type == FIELD_INT32 || field->type == FIELD_UINT32 || field->type == FIELD_ENUM;
}

/* Decoders keep the lower half of a varint that is too big for its field. */
static bool is_default(const struct value *value)
{
    if (value->wire.type == WIRE_LENGTH) {
        return value->wire.payload.len == 0;
    }
    return is_32_bits(value->field) ? (uint32_t)value->wire.value == 0 : value->wire.value == 0;
}

static bool is_hidden(const struct decoder *decoder, enum privacy privacy)
{
    return privacy == PRIVACY_SECRET || (privacy == PRIVACY_ENVIRONMENT && decoder->style == JSON_LOG);
}

/* What a log shows instead of the value, or NULL when it may show the value. An empty value may always be seen. */
static struct json_object *stand_in(const struct decoder *decoder, const struct value *value)
{
    if (decoder->style == JSON_EXACT || is_default(value)) {
        return NULL;
    }
    if (is_hidden(decoder, value->privacy)) {
        return json_object_new_string(HIDDEN);
    }
    if (value->privacy != PRIVACY_PAYLOAD) {
        return NULL;
    }
    if (value->wire.type != WIRE_LENGTH) {
        return json_object_new_string(HIDDEN);
    }
    char text[40];
    snprintf(text, sizeof text, "(%zu bytes)", value->wire.payload.len);
    return json_object_new_string(text);
}

/* The JSON of one value, which the caller owns; NULL with an error. */
static struct json_object *decode_value(struct decoder *decoder, const struct value *value, const struct json_path *path)
{
    struct json_object *json = stand_in(decoder, value);
    if (json) {
        return spend(decoder, VALUE_COST, path) ? json : (json_object_put(json), NULL);
    }
    if (value->field->type == FIELD_MESSAGE) {
        struct json_path inside = *path;
        inside.depth++;
        return decode_message(decoder, value->field->message, value->wire.payload, &inside);
    }
    size_t length = value->wire.payload.len;
    if (!spend(decoder, VALUE_COST + length, path)) {
        return NULL;
    }
    if (length > MAX_TEXT) {
        json_path_fail(path, decoder->error, STATUS_RESOURCE_EXHAUSTED, "too long to show as JSON");
        return NULL;
    }
    json = scalars[value->field->type](value);
    if (!json) {
        json_path_no_memory(path, decoder->error);
    }
    return json;
}

/* Puts `value` under the field's name and takes it over, also on failure. */
static bool put_field(struct decoder *decoder, struct json_object *object, const struct schema_field *field,
                      struct json_object *value, const struct json_path *path)
{
    if (!value || json_object_object_add_ex(object, field->json_name, value, JSON_C_OBJECT_ADD_CONSTANT_KEY) == 0) {
        return value != NULL;
    }
    json_object_put(value);
    return json_path_no_memory(path, decoder->error);
}

static bool decode_singular(struct decoder *decoder, struct json_object *object, const struct value *value,
                            const struct json_path *path)
{
    const struct schema_field *field = value->field;
    if (field->type == FIELD_MESSAGE && json_object_object_get_ex(object, field->json_name, NULL)) {
        return fail_malformed(decoder, path, "a message that may occur only once occurs twice");
    }
    if (field->type != FIELD_MESSAGE && is_default(value)) {
        json_object_object_del(object, field->json_name);
        return true;
    }
    return put_field(decoder, object, field, decode_value(decoder, value, path), path);
}

/* The list or map under the field's name, created if it does not exist; NULL with an error. */
static struct json_object *collection(struct decoder *decoder, struct json_object *object, const struct schema_field *field,
                                      const struct json_path *path)
{
    struct json_object *found;
    if (json_object_object_get_ex(object, field->json_name, &found)) {
        return found;
    }
    if (!spend(decoder, field->map ? OBJECT_COST : ARRAY_COST, path)) {
        return NULL;
    }
    struct json_object *made = field->map ? json_object_new_object() : json_object_new_array_ext(4);
    if (!made) {
        json_path_no_memory(path, decoder->error);
        return NULL;
    }
    return put_field(decoder, object, field, made, path) ? made : NULL;
}

static bool append_element(struct decoder *decoder, struct json_object *array, const struct value *value,
                           const struct json_path *path)
{
    struct json_path here = *path;
    here.index = json_count(array);
    struct json_object *element = decode_value(decoder, value, &here);
    return element && (json_append(array, element) || json_path_no_memory(&here, decoder->error));
}

static bool append_packed(struct decoder *decoder, struct json_object *array, const struct value *packed,
                          const struct json_path *path)
{
    struct value value = *packed;
    value.wire.payload = bytes_of(NULL, 0);
    value.wire.type = schema_wire_type(packed->field);
    struct wire_reader reader = wire_reader_of(packed->wire.payload);
    while (reader.at < reader.end) {
        bool good = value.wire.type == WIRE_FIXED64 ? wire_read_fixed64(&reader, &value.wire.value)
                                                    : wire_read_varint(&reader, &value.wire.value);
        if (!good) {
            return fail_malformed(decoder, path, "malformed packed list");
        }
        if (!append_element(decoder, array, &value, path)) {
            return false;
        }
    }
    return true;
}

static bool is_packed(const struct value *value)
{
    return value->field->repeated && value->wire.type == WIRE_LENGTH && schema_wire_type(value->field) != WIRE_LENGTH;
}

static bool decode_repeated(struct decoder *decoder, struct json_object *object, const struct value *value,
                            const struct json_path *path)
{
    if (is_packed(value) && value->wire.payload.len == 0) {
        return true;
    }
    struct json_object *array = collection(decoder, object, value->field, path);
    if (!array) {
        return false;
    }
    return is_packed(value) ? append_packed(decoder, array, value, path) : append_element(decoder, array, value, path);
}

static bool check_wire_type(const struct decoder *decoder, const struct value *value, const struct json_path *path)
{
    if (value->wire.type == schema_wire_type(value->field) || is_packed(value)) {
        return true;
    }
    return json_path_fail(path, decoder->error, STATUS_INVALID_ARGUMENT, "wire type %d is not that of a %s field",
                          (int)value->wire.type, json_type_name(value->field));
}

/* Finds key and value of a map entry; what the bytes leave out keeps its default. */
static bool read_entry(struct decoder *decoder, struct bytes bytes, struct value *key, struct value *mapped,
                       const struct json_path *path)
{
    bool has_value = false;
    struct wire_reader reader = wire_reader_of(bytes);
    while (reader.at < reader.end) {
        struct wire_field wire;
        if (!wire_read_field(&reader, &wire)) {
            return fail_malformed(decoder, path, "malformed map entry");
        }
        struct value *part = wire.number == 1 ? key : wire.number == 2 ? mapped : NULL;
        if (!part) {
            continue;
        }
        if (part == mapped && has_value && mapped->field->type == FIELD_MESSAGE) {
            return fail_malformed(decoder, path, "a map entry with two values");
        }
        has_value = has_value || part == mapped;
        part->wire = wire;
        if (!check_wire_type(decoder, part, path)) {
            return false;
        }
    }
    return true;
}

/* The key as text, which the caller frees; NULL with an error. JSON keys end at a NUL, so one inside the key is shown as U+FFFD.
 */
static char *key_text(struct decoder *decoder, const struct value *key, const struct json_path *path)
{
    struct json_object *json = decode_value(decoder, key, path);
    if (!json) {
        return NULL;
    }
    const char *text = json_object_get_string(json);
    size_t length = key->field->type == FIELD_STRING ? (size_t)json_object_get_string_len(json) : strlen(text);
    char *copy = malloc(3 * length + 1);
    size_t used = 0;
    for (size_t i = 0; copy && i < length; i++) {
        if (text[i]) {
            copy[used++] = text[i];
        } else {
            memcpy(copy + used, "\xEF\xBF\xBD", 3);
            used += 3;
        }
    }
    json_object_put(json);
    if (!copy) {
        json_path_no_memory(path, decoder->error);
        return NULL;
    }
    copy[used] = '\0';
    return copy;
}

/* kubectl writes the whole object there, environment values included. */
static bool is_last_applied(const struct value *key)
{
    return key->field->type == FIELD_STRING && bytes_equal(key->wire.payload, bytes_of_string(LAST_APPLIED));
}

static bool decode_map_entry(struct decoder *decoder, struct json_object *object, const struct value *value,
                             const struct json_path *path)
{
    const struct schema_message *entry = value->field->message;
    struct json_object *map = collection(decoder, object, value->field, path);
    if (!map) {
        return false;
    }
    struct json_path here = *path;
    here.index = (size_t)json_object_object_length(map);
    struct value key = {.owner = entry, .field = schema_field_by_number(entry, 1)};
    struct value mapped = {.owner = entry, .field = schema_field_by_number(entry, 2), .privacy = value->privacy};
    key.wire.type = schema_wire_type(key.field);
    mapped.wire.type = schema_wire_type(mapped.field);
    if (!read_entry(decoder, value->wire.payload, &key, &mapped, &here)) {
        return false;
    }
    if (is_last_applied(&key)) {
        mapped.privacy = PRIVACY_SECRET;
    }
    char *text = key_text(decoder, &key, &here);
    struct json_object *json = text ? decode_value(decoder, &mapped, &here) : NULL;
    bool added = json && json_add(map, text, json);
    if (json && !added) {
        json_path_no_memory(&here, decoder->error);
    }
    free(text);
    return added;
}

static bool decode_field(struct decoder *decoder, struct json_object *object, const struct value *value,
                         const struct json_path *parent)
{
    const struct schema_field *field = value->field;
    struct json_path path = json_path_field(parent, field->name);
    if (!check_wire_type(decoder, value, &path)) {
        return false;
    }
    if (field->repeated && value->privacy == PRIVACY_SECRET && decoder->style != JSON_EXACT) {
        return put_field(decoder, object, field, json_object_new_string(HIDDEN), &path);
    }
    if (field->map) {
        return decode_map_entry(decoder, object, value, &path);
    }
    return field->repeated ? decode_repeated(decoder, object, value, &path) : decode_singular(decoder, object, value, &path);
}

static bool decode_fields(struct decoder *decoder, struct json_object *object, const struct schema_message *message,
                          struct bytes bytes, const struct json_path *path)
{
    struct wire_reader reader = wire_reader_of(bytes);
    while (reader.at < reader.end) {
        struct value value = {.owner = message};
        if (!wire_read_field(&reader, &value.wire)) {
            return fail_malformed(decoder, path, "malformed bytes");
        }
        value.field = schema_field_by_number(message, value.wire.number);
        if (!value.field) {
            continue;
        }
        value.privacy = (enum privacy)value.field->privacy;
        if (!decode_field(decoder, object, &value, path)) {
            return false;
        }
    }
    return true;
}

static struct json_object *decode_message(struct decoder *decoder, const struct schema_message *message, struct bytes bytes,
                                          const struct json_path *path)
{
    if (path->depth > JSON_MAX_DEPTH) {
        fail_malformed(decoder, path, "messages nested too deeply");
        return NULL;
    }
    if (!spend(decoder, OBJECT_COST, path)) {
        return NULL;
    }
    struct json_object *object = json_object_new_object();
    if (!object) {
        json_path_no_memory(path, decoder->error);
        return NULL;
    }
    if (!decode_fields(decoder, object, message, bytes, path)) {
        json_object_put(object);
        return NULL;
    }
    return object;
}

struct json_object *json_from_message(const struct schema_message *message, struct bytes bytes, enum json_style style,
                                      struct error *error)
{
    struct decoder decoder = {.style = style, .error = error};
    decoder.budget = BASE_BUDGET + BUDGET_PER_BYTE * bytes.len;
    struct json_path root = {.index = JSON_NO_INDEX};
    return decode_message(&decoder, message, bytes, &root);
}
