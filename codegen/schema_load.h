/* The dialects, read from the FileDescriptorSets that protoc writes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DIALECTS_MAX 16

struct enum_value {
    const char *name;
    int32_t number;
};

struct enumeration {
    const char *name; /* "NamespaceMode", "SecurityProfile.ProfileType" */
    size_t value_count;
    struct enum_value *values;
};

struct field {
    const char *name;
    const char *json_name;
    uint16_t number;
    const char *constant;  /* of enum field_type: "FIELD_INT32" */
    const char *type_name; /* "int32", "Mount", "NamespaceMode" */
    bool repeated;
    bool map;
    struct message *message;         /* of a message field, else NULL */
    struct enumeration *enumeration; /* of an enum field, else NULL */
};

struct message {
    const char *name; /* "PodSandboxConfig", "PodSandboxConfig.LabelsEntry" */
    size_t index;     /* in its dialect's messages */
    size_t field_count;
    struct field *fields; /* by ascending number */
    bool map_entry;
    bool request; /* of an RPC */
};

struct rpc {
    const char *service; /* "RuntimeService" */
    const char *name;
    const struct message *request;
    const struct message *response;
    bool server_stream;
};

struct dialect {
    const char *name;
    const char *package;
    const char *file;
    size_t caller; /* index of the newest dialect of the same package */
    size_t message_count;
    struct message **messages; /* a message comes after those that its fields contain */
    size_t enum_count;
    struct enumeration **enums;
    size_t rpc_count;
    struct rpc *rpcs;
};

/* Oldest to newest; the last is the model. */
struct schema {
    size_t dialect_count;
    struct dialect dialects[DIALECTS_MAX];
};

/* Adds the dialect of a FileDescriptorSet. false after reporting what is wrong with it. */
bool schema_add(struct schema *schema, const char *name, const char *file);

/* Call this after the last schema_add: decides with which dialect each package is read. */
void schema_complete(struct schema *schema);

const struct dialect *schema_model(const struct schema *schema);

/* The index of the dialect of that name, or DIALECTS_MAX. */
size_t schema_dialect(const struct schema *schema, const char *name);

/* Each of these returns NULL if there is none of that name or number. */
struct message *dialect_message(const struct dialect *dialect, const char *name);
struct enumeration *dialect_enum(const struct dialect *dialect, const char *name);
const struct rpc *dialect_rpc(const struct dialect *dialect, const char *service, const char *name);
const struct field *message_field(const struct message *message, const char *name);
const struct field *message_field_by_number(const struct message *message, uint32_t number);
const struct enum_value *enum_value_by_number(const struct enumeration *enumeration, int32_t number);

/* The field "MESSAGE.FIELD" of a dialect, or NULL. */
const struct field *dialect_field(const struct dialect *dialect, const char *key);

/* The value "ENUM.VALUE" of a dialect, or NULL. */
const struct enum_value *dialect_value(const struct dialect *dialect, const char *key);

/* Whether two fields of the same number are the same on the wire and in type, whatever their names. */
bool field_same_shape(const struct field *a, const struct field *b);

/* "repeated Mount", for messages. */
const char *field_type_text(const struct field *field);

/* The field of a dialect that a key of the model ("Mount.image") refers to, under any name, or NULL. */
const struct field *schema_counterpart(const struct schema *schema, size_t dialect, const char *key);
