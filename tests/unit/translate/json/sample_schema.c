#include "tests/unit/translate/json/sample_schema.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct schema_enum_value level_values[] = {{"LEVEL_ZERO", 0}, {"LEVEL_ONE", 1}, {"LEVEL_MINUS", -1}};
static const struct schema_enum level = {.name = "Level", .value_count = COUNT(level_values), .values = level_values};

static const struct schema_field key_value_fields[] = {
    {.name = "key", .json_name = "key", .number = 1, .type = FIELD_STRING},
    {.name = "value", .json_name = "value", .number = 2, .type = FIELD_BYTES, .privacy = PRIVACY_ENVIRONMENT},
};
static const uint8_t two_positions[] = {0, 1, 2};
static const struct schema_message key_value = {
    .name = "KeyValue", .field_count = 2, .highest_number = 2, .fields = key_value_fields, .position = two_positions};

#define ENTRY(name_, key_type, ...)                                                                                              \
    static const struct schema_field name_##_fields[] = {                                                                        \
        {.name = "key", .json_name = "key", .number = 1, .type = key_type},                                                      \
        {.name = "value", .json_name = "value", .number = 2, __VA_ARGS__},                                                       \
    };                                                                                                                           \
    static const struct schema_message name_ = {                                                                                 \
        .name = #name_, .field_count = 2, .highest_number = 2, .fields = name_##_fields, .position = two_positions}

ENTRY(text_entry, FIELD_STRING, .type = FIELD_STRING);
ENTRY(number_entry, FIELD_INT32, .type = FIELD_MESSAGE, .message = &key_value);
ENTRY(flag_entry, FIELD_BOOL, .type = FIELD_UINT64);

static const struct schema_field sample_fields[] = {
    {.name = "container_id", .json_name = "containerId", .number = 1, .type = FIELD_STRING},
    {.name = "count", .json_name = "count", .number = 2, .type = FIELD_INT32},
    {.name = "total", .json_name = "total", .number = 3, .type = FIELD_INT64},
    {.name = "attempt", .json_name = "attempt", .number = 4, .type = FIELD_UINT32},
    {.name = "bytes_used", .json_name = "bytesUsed", .number = 5, .type = FIELD_UINT64},
    {.name = "tty", .json_name = "tty", .number = 6, .type = FIELD_BOOL},
    {.name = "avg10", .json_name = "avg10", .number = 7, .type = FIELD_DOUBLE},
    {.name = "level", .json_name = "level", .number = 8, .type = FIELD_ENUM, .enumeration = &level},
    {.name = "output", .json_name = "output", .number = 9, .type = FIELD_BYTES, .privacy = PRIVACY_PAYLOAD},
    {.name = "env", .json_name = "env", .number = 10, .type = FIELD_MESSAGE, .message = &key_value},
    {.name = "envs", .json_name = "envs", .number = 11, .type = FIELD_MESSAGE, .repeated = true, .message = &key_value},
    {.name = "args", .json_name = "args", .number = 12, .type = FIELD_STRING, .repeated = true},
    {.name = "groups", .json_name = "groups", .number = 13, .type = FIELD_INT64, .repeated = true},
    {.name = "annotations",
     .json_name = "annotations",
     .number = 14,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .map = true,
     .message = &text_entry},
    {.name = "child", .json_name = "child", .number = 15, .type = FIELD_MESSAGE, .message = &sample_message},
    {.name = "levels", .json_name = "levels", .number = 16, .type = FIELD_ENUM, .repeated = true, .enumeration = &level},
    {.name = "loads", .json_name = "loads", .number = 17, .type = FIELD_DOUBLE, .repeated = true},
    {.name = "password", .json_name = "password", .number = 18, .type = FIELD_STRING, .privacy = PRIVACY_SECRET},
    {.name = "info",
     .json_name = "info",
     .number = 19,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .map = true,
     .message = &text_entry,
     .privacy = PRIVACY_PAYLOAD},
    {.name = "by_number",
     .json_name = "byNumber",
     .number = 20,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .map = true,
     .message = &number_entry},
    {.name = "by_flag",
     .json_name = "byFlag",
     .number = 21,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .map = true,
     .message = &flag_entry},
    {.name = "children",
     .json_name = "children",
     .number = 22,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .message = &sample_message},
    {.name = "tokens", .json_name = "tokens", .number = 23, .type = FIELD_STRING, .repeated = true, .privacy = PRIVACY_SECRET},
    {.name = "data", .json_name = "data", .number = 24, .type = FIELD_BYTES},
    {.name = "settings",
     .json_name = "settings",
     .number = 25,
     .type = FIELD_MESSAGE,
     .repeated = true,
     .map = true,
     .message = &text_entry,
     .privacy = PRIVACY_ENVIRONMENT},
    {.name = "credentials",
     .json_name = "credentials",
     .number = 26,
     .type = FIELD_MESSAGE,
     .message = &key_value,
     .privacy = PRIVACY_SECRET},
    {.name = "pin", .json_name = "pin", .number = 27, .type = FIELD_UINT32, .privacy = PRIVACY_SECRET},
    {.name = "CDI_devices", .json_name = "CDIDevices", .number = 28, .type = FIELD_STRING},
    {.name = "flags", .json_name = "flags", .number = 29, .type = FIELD_BOOL, .repeated = true},
};
static const uint8_t sample_positions[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14,
                                           15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
const struct schema_message sample_message = {.name = "Sample",
                                              .field_count = COUNT(sample_fields),
                                              .highest_number = COUNT(sample_fields),
                                              .fields = sample_fields,
                                              .position = sample_positions};
