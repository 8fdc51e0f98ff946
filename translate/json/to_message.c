#include "translate/json/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "base/bytes/base64.h"
#include "base/bytes/utf8.h"
#include "base/json/build.h"
#include "translate/json/parts.h"

#define FIRST_CAPACITY 1024

/* Writes from the end to the start, so that a message's content is complete when its length is written. */
struct encoder {
    bool ignore_unknown;
    struct error *error;
    uint8_t *memory; /* `capacity` bytes, of which the last `used` are written */
    size_t capacity;
    size_t used;
};

static bool encode_message(struct encoder *encoder, const struct schema_message *message, struct json_object *json,
                           const struct json_path *path);

static bool fail_invalid(const struct encoder *encoder, const struct json_path *path, const char *problem)
{
    return json_path_fail(path, encoder->error, STATUS_INVALID_ARGUMENT, "%s", problem);
}

/* Makes room for `size` bytes in front of what is written; NULL without memory. */
static uint8_t *make_room(struct encoder *encoder, size_t size)
{
    if (size > encoder->capacity - encoder->used) {
        if (size > SIZE_MAX / 4 || encoder->capacity > SIZE_MAX / 4) {
            return NULL;
        }
        size_t capacity = 2 * (encoder->capacity + size) + FIRST_CAPACITY;
        uint8_t *memory = malloc(capacity);
        if (!memory) {
            return NULL;
        }
        if (encoder->used > 0) {
            memcpy(memory + capacity - encoder->used, encoder->memory + encoder->capacity - encoder->used, encoder->used);
        }
        free(encoder->memory);
        encoder->memory = memory;
        encoder->capacity = capacity;
    }
    encoder->used += size;
    return encoder->memory + encoder->capacity - encoder->used;
}

static bool prepend(struct encoder *encoder, const void *data, size_t size)
{
    if (size == 0) {
        return true;
    }
    uint8_t *room = make_room(encoder, size);
    return room && memcpy(room, data, size);
}

static bool prepend_varint(struct encoder *encoder, uint64_t value)
{
    uint8_t bytes[WIRE_MAX_VARINT];
    return prepend(encoder, bytes, wire_put_varint(bytes, value));
}

static bool prepend_fixed64(struct encoder *encoder, uint64_t value)
{
    uint8_t bytes[sizeof value];
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(value >> 8 * i);
    }
    return prepend(encoder, bytes, sizeof bytes);
}

static bool prepend_tag(struct encoder *encoder, const struct schema_field *field, enum wire_type type)
{
    return prepend_varint(encoder, (uint64_t)field->number << 3 | (uint64_t)type);
}

/* Length and tag of what was written since `mark`. */
static bool prepend_head(struct encoder *encoder, const struct schema_field *field, size_t mark, const struct json_path *path)
{
    return (prepend_varint(encoder, encoder->used - mark) && prepend_tag(encoder, field, WIRE_LENGTH)) ||
           json_path_no_memory(path, encoder->error);
}

/* A whole number as sign and magnitude, which holds int64 and uint64 alike. */
struct whole {
    bool negative;
    uint64_t magnitude;
};

static bool whole_of_double(double number, struct whole *whole)
{
    double magnitude = fabs(number);
    if (!(magnitude < 0x1p64) || floor(magnitude) < magnitude) {
        return false;
    }
    *whole = (struct whole){.negative = number < 0, .magnitude = (uint64_t)magnitude};
    return true;
}

/* Reads a JSON number; strtod alone would also accept hexadecimal, spaces and "inf". */
static bool double_of_text(const char *text, double *number)
{
    if (text[0] == '\0' || strspn(text, "+-.eE0123456789") != strlen(text) || !strchr("-0123456789", text[0])) {
        return false;
    }
    char *end;
    *number = strtod(text, &end);
    return *end == '\0' && isfinite(*number);
}

static bool whole_of_text(const char *text, struct whole *whole)
{
    const char *digits = text + (text[0] == '-');
    if (digits[0] != '\0' && strspn(digits, "0123456789") == strlen(digits)) {
        errno = 0;
        *whole = (struct whole){.negative = text[0] == '-', .magnitude = strtoull(digits, NULL, 10)};
        return errno == 0;
    }
    double number;
    return double_of_text(text, &number) && whole_of_double(number, whole);
}

static bool text_without_nul(struct json_object *json)
{
    return strlen(json_object_get_string(json)) == (size_t)json_object_get_string_len(json);
}

static bool whole_of_json(struct json_object *json, struct whole *whole)
{
    switch (json_object_get_type(json)) {
    case json_type_int: {
        int64_t number = json_object_get_int64(json);
        whole->negative = number < 0;
        whole->magnitude = number < 0 ? -(uint64_t)number : json_object_get_uint64(json);
        return true;
    }
    case json_type_double:
        return whole_of_double(json_object_get_double(json), whole);
    case json_type_string:
        return text_without_nul(json) && whole_of_text(json_object_get_string(json), whole);
    default:
        return false;
    }
}

static bool read_signed(struct json_object *json, uint64_t largest, uint64_t *value)
{
    struct whole whole;
    if (!whole_of_json(json, &whole) || whole.magnitude > largest + whole.negative) {
        return false;
    }
    *value = whole.negative ? -whole.magnitude : whole.magnitude;
    return true;
}

static bool read_unsigned(struct json_object *json, uint64_t largest, uint64_t *value)
{
    struct whole whole;
    if (!whole_of_json(json, &whole) || (whole.negative && whole.magnitude > 0) || whole.magnitude > largest) {
        return false;
    }
    *value = whole.magnitude;
    return true;
}

static const char *read_int32(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    return read_signed(json, INT32_MAX, value) ? NULL : "expected a whole number of 32 bits";
}

static const char *read_int64(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    return read_signed(json, INT64_MAX, value) ? NULL : "expected a whole number of 64 bits";
}

static const char *read_uint32(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    return read_unsigned(json, UINT32_MAX, value) ? NULL : "expected a whole number of 32 bits, not negative";
}

static const char *read_uint64(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    return read_unsigned(json, UINT64_MAX, value) ? NULL : "expected a whole number of 64 bits, not negative";
}

static const char *read_bool(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    if (!json_object_is_type(json, json_type_boolean)) {
        return "expected true or false";
    }
    *value = json_object_get_boolean(json) ? 1 : 0;
    return NULL;
}

/* Releases of CRI differ in whether the enum's name comes before those of its values: Signal has SIGTERM up to 1.36, then
   SIGNAL_SIGTERM. Both are taken. */
static bool is_value_name(const struct schema_enum *enumeration, const char *value, const char *name)
{
    size_t prefix = strlen(enumeration->name);
    bool prefixed = strncasecmp(value, enumeration->name, prefix) == 0 && value[prefix] == '_';
    return strcmp(value, name) == 0 || (prefixed && strcmp(value + prefix + 1, name) == 0);
}

static const char *read_enum(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    if (!json_object_is_type(json, json_type_string)) {
        return read_signed(json, INT32_MAX, value) ? NULL : "expected the name or the number of an enum value";
    }
    const char *name = json_object_get_string(json);
    for (uint16_t i = 0; i < field->enumeration->value_count; i++) {
        if (is_value_name(field->enumeration, field->enumeration->values[i].name, name)) {
            *value = (uint64_t)(int64_t)field->enumeration->values[i].number;
            return NULL;
        }
    }
    return "the enum has no value of that name";
}

static bool double_of_string(struct json_object *json, double *number)
{
    static const struct {
        const char *name;
        double number;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    const char *text = json_object_get_string(json);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(text, names[i].name) == 0) {
            *number = names[i].number;
            return true;
        }
    }
    return text_without_nul(json) && double_of_text(text, number);
}

static const char *read_double(const struct schema_field *field, struct json_object *json, uint64_t *value)
{
    (void)field;
    double number = 0;
    bool good;
    if (json_object_is_type(json, json_type_string)) {
        good = double_of_string(json, &number);
    } else {
        good = json_object_is_type(json, json_type_double) || json_object_is_type(json, json_type_int);
        number = good ? json_object_get_double(json) : 0;
        good = good && isfinite(number);
    }
    memcpy(value, &number, sizeof *value);
    return good ? NULL : "expected a number";
}

/* Each reads a number for the wire; returns the mistake in the JSON, or NULL. */
static const char *(*const numbers[])(const struct schema_field *field, struct json_object *json, uint64_t *value) = {
    [FIELD_DOUBLE] = read_double, [FIELD_INT32] = read_int32, [FIELD_INT64] = read_int64, [FIELD_UINT32] = read_uint32,
    [FIELD_UINT64] = read_uint64, [FIELD_BOOL] = read_bool,   [FIELD_ENUM] = read_enum,
};

static bool encode_base64(struct encoder *encoder, struct bytes text, const struct json_path *path)
{
    size_t size;
    uint8_t *bytes = malloc(base64_decoded_bound(text.len));
    if (!bytes) {
        return json_path_no_memory(path, encoder->error);
    }
    bool good = base64_decode(text, bytes, &size);
    bool written = good && prepend(encoder, bytes, size);
    free(bytes);
    return good ? written || json_path_no_memory(path, encoder->error) : fail_invalid(encoder, path, "expected base64");
}

static bool encode_text(struct encoder *encoder, const struct schema_message *owner, const struct schema_field *field,
                        struct json_object *json, const struct json_path *path)
{
    if (!json_object_is_type(json, json_type_string)) {
        return fail_invalid(encoder, path, "expected a string");
    }
    struct bytes text = bytes_of(json_object_get_string(json), (size_t)json_object_get_string_len(json));
    if (field->type == FIELD_BYTES && !json_is_plain_bytes(owner, field)) {
        return encode_base64(encoder, text, path);
    }
    if (utf8_count_invalid(text) > 0) {
        return fail_invalid(encoder, path, "not valid UTF-8");
    }
    return prepend(encoder, text.data, text.len) || json_path_no_memory(path, encoder->error);
}

static bool encode_number(struct encoder *encoder, const struct schema_field *field, struct json_object *json,
                          const struct json_path *path)
{
    uint64_t value;
    const char *problem = numbers[field->type](field, json, &value);
    if (problem) {
        return fail_invalid(encoder, path, problem);
    }
    bool fixed = schema_wire_type(field) == WIRE_FIXED64;
    return (fixed ? prepend_fixed64(encoder, value) : prepend_varint(encoder, value)) ||
           json_path_no_memory(path, encoder->error);
}

/* Writes the value without length and tag. */
static bool encode_value(struct encoder *encoder, const struct schema_message *owner, const struct schema_field *field,
                         struct json_object *json, const struct json_path *path)
{
    if (!json) {
        return fail_invalid(encoder, path, "null is not allowed here");
    }
    if (field->type == FIELD_MESSAGE) {
        struct json_path inside = *path;
        inside.depth++;
        return encode_message(encoder, field->message, json, &inside);
    }
    if (schema_wire_type(field) == WIRE_LENGTH) {
        return encode_text(encoder, owner, field, json, path);
    }
    return encode_number(encoder, field, json, path);
}

/* Writes the field's tag, and length if needed, before the value that was written since `mark`. */
static bool finish_value(struct encoder *encoder, const struct schema_field *field, size_t mark, const struct json_path *path)
{
    if (schema_wire_type(field) == WIRE_LENGTH) {
        return prepend_head(encoder, field, mark, path);
    }
    return prepend_tag(encoder, field, schema_wire_type(field)) || json_path_no_memory(path, encoder->error);
}

static bool encode_tagged(struct encoder *encoder, const struct schema_message *owner, const struct schema_field *field,
                          struct json_object *json, const struct json_path *path)
{
    size_t mark = encoder->used;
    return encode_value(encoder, owner, field, json, path) && finish_value(encoder, field, mark, path);
}

/* Whether the bytes written since `mark` are the default value of a proto3 field. */
static bool is_default(const struct encoder *encoder, const struct schema_field *field, size_t mark)
{
    if (schema_wire_type(field) == WIRE_LENGTH) {
        return field->type != FIELD_MESSAGE && encoder->used == mark;
    }
    for (size_t i = encoder->used; i > mark; i--) {
        if (encoder->memory[encoder->capacity - i] != 0) {
            return false;
        }
    }
    return true;
}

static bool encode_singular(struct encoder *encoder, const struct schema_message *owner, const struct schema_field *field,
                            struct json_object *json, const struct json_path *path)
{
    size_t mark = encoder->used;
    if (!encode_value(encoder, owner, field, json, path)) {
        return false;
    }
    if (is_default(encoder, field, mark)) {
        encoder->used = mark;
        return true;
    }
    return finish_value(encoder, field, mark, path);
}

/* Lists of numbers are packed, as in proto3. */
static bool encode_repeated(struct encoder *encoder, const struct schema_message *owner, const struct schema_field *field,
                            struct json_object *json, const struct json_path *path)
{
    if (!json_object_is_type(json, json_type_array)) {
        return fail_invalid(encoder, path, "expected a list");
    }
    bool packed = schema_wire_type(field) != WIRE_LENGTH;
    size_t mark = encoder->used;
    size_t count = json_count(json);
    for (size_t i = count; i-- > 0;) {
        struct json_path here = *path;
        here.index = i;
        struct json_object *element = json_object_array_get_idx(json, i);
        if (!(packed ? encode_value : encode_tagged)(encoder, owner, field, element, &here)) {
            return false;
        }
    }
    return !packed || count == 0 || prepend_head(encoder, field, mark, path);
}

static struct json_object *json_of_key(const struct schema_field *field, const char *key)
{
    if (field->type != FIELD_BOOL) {
        return json_object_new_string(key);
    }
    bool said = strcmp(key, "true") == 0;
    return said || strcmp(key, "false") == 0 ? json_object_new_boolean(said) : json_object_new_string(key);
}

static bool encode_map_entry(struct encoder *encoder, const struct schema_field *field, const char *key, struct json_object *json,
                             const struct json_path *path)
{
    const struct schema_field *key_field = schema_field_by_number(field->message, 1);
    const struct schema_field *value_field = schema_field_by_number(field->message, 2);
    size_t mark = encoder->used;
    if (!encode_tagged(encoder, field->message, value_field, json, path)) {
        return false;
    }
    struct json_object *key_json = json_of_key(key_field, key);
    if (!key_json) {
        return json_path_no_memory(path, encoder->error);
    }
    bool good = encode_tagged(encoder, field->message, key_field, key_json, path);
    json_object_put(key_json);
    return good && prepend_head(encoder, field, mark, path);
}

static bool encode_map(struct encoder *encoder, const struct schema_field *field, struct json_object *json,
                       const struct json_path *path)
{
    if (!json_object_is_type(json, json_type_object)) {
        return fail_invalid(encoder, path, "expected an object");
    }
    for (struct lh_entry *entry = json_object_get_object(json)->tail; entry; entry = lh_entry_prev(entry)) {
        struct json_path here = *path;
        here.key = lh_entry_k(entry);
        if (!encode_map_entry(encoder, field, here.key, lh_entry_v(entry), &here)) {
            return false;
        }
    }
    return true;
}

/* Finds the field under either of its names, and counts the names that were present; false if both are. */
static bool find_field(struct json_object *object, const struct schema_field *field, struct json_object **json, int *found)
{
    struct json_object *other;
    bool by_json_name = json_object_object_get_ex(object, field->json_name, json);
    bool same = strcmp(field->json_name, field->name) == 0;
    bool by_name = !same && json_object_object_get_ex(object, field->name, &other);
    *found += by_json_name + by_name;
    if (by_name) {
        *json = other;
    }
    return !(by_json_name && by_name);
}

static bool is_field_name(const struct schema_message *message, const char *name)
{
    for (uint16_t i = 0; i < message->field_count; i++) {
        if (strcmp(message->fields[i].json_name, name) == 0 || strcmp(message->fields[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool fail_unknown_key(const struct encoder *encoder, const struct schema_message *message, struct json_object *object,
                             const struct json_path *path)
{
    json_object_object_foreach(object, key, value)
    {
        (void)value;
        if (!is_field_name(message, key)) {
            return json_path_fail(path, encoder->error, STATUS_INVALID_ARGUMENT, "%s has no field \"%.64s\"", message->name, key);
        }
    }
    return true;
}

static bool encode_field(struct encoder *encoder, const struct schema_message *message, const struct schema_field *field,
                         struct json_object *json, const struct json_path *path)
{
    if (field->map) {
        return encode_map(encoder, field, json, path);
    }
    return (field->repeated ? encode_repeated : encode_singular)(encoder, message, field, json, path);
}

static bool encode_message(struct encoder *encoder, const struct schema_message *message, struct json_object *json,
                           const struct json_path *path)
{
    if (!json_object_is_type(json, json_type_object)) {
        return fail_invalid(encoder, path, "expected an object");
    }
    if (path->depth > JSON_MAX_DEPTH) {
        return fail_invalid(encoder, path, "messages nested too deeply");
    }
    int found = 0;
    for (size_t i = message->field_count; i-- > 0;) {
        const struct schema_field *field = &message->fields[i];
        struct json_path here = json_path_field(path, field->json_name);
        struct json_object *value = NULL;
        if (!find_field(json, field, &value, &found)) {
            return json_path_fail(&here, encoder->error, STATUS_INVALID_ARGUMENT, "also given as \"%s\"", field->name);
        }
        if (value && !encode_field(encoder, message, field, value, &here)) {
            return false;
        }
    }
    return encoder->ignore_unknown || found == json_object_object_length(json) || fail_unknown_key(encoder, message, json, path);
}

bool json_to_message(const struct schema_message *message, struct json_object *json, bool ignore_unknown, struct arena *arena,
                     struct bytes *bytes, struct error *error)
{
    struct encoder encoder = {.ignore_unknown = ignore_unknown, .error = error};
    struct json_path root = {.index = JSON_NO_INDEX};
    bool good = encode_message(&encoder, message, json, &root);
    if (good) {
        struct bytes written = bytes_of(encoder.used ? encoder.memory + encoder.capacity - encoder.used : NULL, encoder.used);
        *bytes = arena_copy(arena, written);
        good = bytes->data || bytes->len == 0 || json_path_no_memory(&root, encoder.error);
    }
    free(encoder.memory);
    return good;
}
