/* The schemas of the dialects as tables, which codegen generates from the descriptors of apis/. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/bytes/bytes.h"
#include "translate/bytes/wire.h"

/* The dialects, oldest to newest; the last one is the model. The list itself is generated (DIALECT_V1_9 … DIALECT_COUNT). */
#include "generated/dialects.h"

struct dialect_info {
    const char *name;    /* "v1_9" */
    const char *package; /* "runtime" */
    /* The dialect with which calls of this package are read: its newest schema. The dialect itself, except for v1_12. */
    enum dialect caller;
};

extern const struct dialect_info dialects[DIALECT_COUNT];

/* The dialect of that name; false if there is none. */
bool dialect_from_name(struct bytes name, enum dialect *dialect);

enum field_type {
    FIELD_DOUBLE,
    FIELD_INT32,
    FIELD_INT64,
    FIELD_UINT32,
    FIELD_UINT64,
    FIELD_BOOL,
    FIELD_ENUM,
    FIELD_STRING,
    FIELD_BYTES,
    FIELD_MESSAGE,
};

/* What a string names, if callers and runtimes have different names for it. From rules.yaml, "names". */
enum name_kind {
    NAME_NONE,
    NAME_POD,        /* id of a pod sandbox */
    NAME_CONTAINER,  /* id of a container */
    NAME_IMAGE,      /* image name, tag, digest or id */
    NAME_HANDLER,    /* RuntimeClass handler */
    NAME_STREAM_URL, /* the URL for exec, attach, port-forward */
};

#define NAME_KIND_COUNT (NAME_STREAM_URL + 1)

/* What a log may show of a field. From rules.yaml, "privacy". */
enum privacy {
    PRIVACY_PUBLIC,
    PRIVACY_SECRET,      /* never shown: credentials, URLs that carry a token */
    PRIVACY_ENVIRONMENT, /* shown only if the operator requests environment values */
    PRIVACY_PAYLOAD,     /* shown as its size: output of commands, verbose info of runtimes */
};

struct schema_enum_value {
    const char *name;
    int32_t number;
};

struct schema_enum {
    const char *name;
    uint16_t value_count;
    const struct schema_enum_value *values;
};

struct schema_field {
    const char *name;      /* as in the .proto file: "uidMappings", "CDI_devices" */
    const char *json_name; /* as in proto3's JSON mapping: "uidMappings", "CDIDevices", "podSandboxId" */
    uint16_t number;
    uint8_t type;                          /* enum field_type */
    uint8_t name_kind;                     /* enum name_kind */
    uint8_t privacy;                       /* enum privacy */
    bool repeated;                         /* true for maps as well */
    bool map;                              /* `message` is the entry, with fields 1 (key) and 2 (value) */
    const struct schema_message *message;  /* of FIELD_MESSAGE, else NULL */
    const struct schema_enum *enumeration; /* of FIELD_ENUM, else NULL */
};

struct schema_message {
    const char *name; /* "PodSandboxConfig", "PodSandboxConfig.LabelsEntry" */
    uint16_t field_count;
    uint16_t highest_number;           /* of a field; 0 without fields */
    const struct schema_field *fields; /* by ascending number */
    const uint8_t *position;           /* position[number] is 1 + the index in fields, or 0; up to highest_number */
};

/* The wire type of one value of a field; a packed list has WIRE_LENGTH instead. */
static inline enum wire_type schema_wire_type(const struct schema_field *field)
{
    switch ((enum field_type)field->type) {
    case FIELD_STRING:
    case FIELD_BYTES:
    case FIELD_MESSAGE:
        return WIRE_LENGTH;
    case FIELD_DOUBLE:
        return WIRE_FIXED64;
    case FIELD_INT32:
    case FIELD_INT64:
    case FIELD_UINT32:
    case FIELD_UINT64:
    case FIELD_BOOL:
    case FIELD_ENUM:
        break;
    }
    return WIRE_VARINT;
}

/* The field of that number, or NULL. */
static inline const struct schema_field *schema_field_by_number(const struct schema_message *message, uint32_t number)
{
    if (number > message->highest_number || message->position[number] == 0) {
        return NULL;
    }
    return &message->fields[message->position[number] - 1];
}

/* The field of that name, as in the .proto file, or NULL; also for a NULL message. */
const struct schema_field *schema_field_by_name(const struct schema_message *message, const char *name);

/* Its number; 0, which no field has, if the message lacks it. */
uint32_t schema_number_by_name(const struct schema_message *message, const char *name);

/* The message of that name in that dialect, or NULL. */
const struct schema_message *schema_message_by_name(enum dialect dialect, const char *name);

/* Whether that dialect has that message, with that field in it. */
bool dialect_has_field(enum dialect dialect, const char *message, const char *field);
