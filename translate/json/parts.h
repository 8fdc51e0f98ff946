/* What both directions of the JSON codec share; only the .c files of this folder include this. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/wire.h"
#include "translate/schema/schema.h"

/* The largest depth of nested messages; CRI's own never come near. */
#define JSON_MAX_DEPTH 32

#define JSON_NO_INDEX SIZE_MAX

/* The codec's position in the message: a chain from the innermost place up; each link is on the stack of its function. */
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

/* The same for lack of memory. */
bool json_path_no_memory(const struct json_path *path, struct error *error);

/* "string" and so on, for error messages. */
const char *json_type_name(const struct schema_field *field);

/* Whether these bytes are written unchanged, not as base64: KeyValue.value, as other CRI tools expect. */
bool json_is_plain_bytes(const struct schema_message *owner, const struct schema_field *field);
