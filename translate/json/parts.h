/* What both directions of the JSON codec share; only the .c files of this folder include this. */
#pragma once

#include "translate/bytes/error.h"
#include "translate/bytes/wire.h"
#include "translate/schema/schema.h"

/* Messages inside messages; CRI's own never come near. */
#define JSON_MAX_DEPTH 32

#define JSON_NO_INDEX SIZE_MAX

/* Where in the message the codec is: a chain from the innermost place up, each link on the stack of the function there. */
struct json_path {
    const struct json_path *parent;
    const char *name; /* of the field; NULL at the root */
    size_t index;     /* of the element, or JSON_NO_INDEX */
    const char *key;  /* of the map entry, or NULL */
    unsigned depth;   /* messages above this place */
};

/* The place of a field inside the message at `parent`. */
struct json_path json_path_field(const struct json_path *parent, const char *name);

/* Records a failure at that place ("mounts[3].host_path: MESSAGE") and returns false. */
bool json_path_fail(const struct json_path *path, struct error *error, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for memory that there is not. */
bool json_path_no_memory(const struct json_path *path, struct error *error);

/* "string" and so on, for messages. */
const char *json_type_name(const struct schema_field *field);

/* Whether these bytes are written as they are, not as base64: KeyValue.value, of which the tools of this field expect that. */
bool json_is_plain_bytes(const struct schema_message *owner, const struct schema_field *field);
