/* Messages as JSON and back, by the schema tables: proto3's JSON mapping with one exception of this field, see below. */
#pragma once

#include <json-c/json.h>

#include "translate/bytes/arena.h"
#include "translate/bytes/error.h"
#include "translate/schema/schema.h"

enum json_style {
    JSON_EXACT,    /* everything, to be read back */
    JSON_LOG,      /* for logs: secrets, environment values and payloads hidden */
    JSON_LOG_ENVS, /* for logs: secrets and payloads hidden, environment values shown */
};

/* The message as a JSON object that the caller owns (json_object_put), NULL with an error when the bytes are not the message.
   proto3 mapping: names in lowerCamelCase, 64-bit numbers as strings, enums by name (by number when it has no name), bytes as
   base64. The exception: bytes fields called `value` in KeyValue are plain strings, as the tools of this field write them.
   Fields at their default are left out; unknown fields are left out. */
struct json_object *json_from_message(const struct schema_message *message, struct bytes bytes, enum json_style style,
                                      struct error *error);

/* The JSON object that a text is, which the caller owns. Strict: one object in valid UTF-8 and nothing after it but white space,
   nested only as deep as messages may be. NULL with INVALID_ARGUMENT otherwise. */
struct json_object *json_from_text(struct bytes text, struct error *error);

/* An example of the message with each of its fields, at its default; lists and maps have one element. The caller owns it. NULL
   when there is no memory. */
struct json_object *json_template(const struct schema_message *message);

/* The encoded message for a JSON object, in the arena. Accepts field names in both spellings (proto and JSON), numbers as
   numbers or strings, enums by name or number. INVALID_ARGUMENT with the path of what is wrong ("filter.state: ..."); an
   unknown key is wrong unless `ignore_unknown`. */
bool json_to_message(const struct schema_message *message, struct json_object *json, bool ignore_unknown, struct arena *arena,
                     struct bytes *bytes, struct error *error);
