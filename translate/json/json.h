/* Converts messages to JSON and back, by the schema tables: proto3's JSON mapping with one exception, see below. */
#pragma once

#include <json-c/json.h>

#include "base/bytes/arena.h"
#include "base/bytes/error.h"
#include "translate/schema/schema.h"

enum json_style {
    JSON_EXACT,    /* everything, so that it can be read back */
    JSON_LOG,      /* for logs: secrets, environment values and payloads hidden */
    JSON_LOG_ENVS, /* for logs: secrets and payloads hidden, environment values shown */
};

/* The message as a JSON object, which the caller owns (json_object_put); NULL with an error if the bytes are not the message.
   proto3 mapping: names in lowerCamelCase, 64-bit numbers as strings, enums by name (by number if it has no name), bytes as
   base64. The exception: bytes fields called `value` in KeyValue are plain strings, as other CRI tools write them. Fields with
   the default value and unknown fields are left out. */
struct json_object *json_from_message(const struct schema_message *message, struct bytes bytes, enum json_style style,
                                      struct error *error);

/* Parses a text into a JSON object, which the caller owns. Strict: one object in valid UTF-8, followed by white space only, and
   nested only as deep as messages may be. Otherwise NULL with INVALID_ARGUMENT. */
struct json_object *json_from_text(struct bytes text, struct error *error);

/* An example of the message with each of its fields, at its default; lists and maps have one element. The caller owns it. NULL:
   out of memory. */
struct json_object *json_template(const struct schema_message *message);

/* Encodes a JSON object as a message, in the arena. Accepts field names in both forms (proto and JSON), numbers as numbers or
   strings, enums by name, with or without that of the enum in front (SIGNAL_SIGTERM, SIGTERM), or by number. INVALID_ARGUMENT
   with the path of the mistake ("filter.state: ..."); an unknown key is a mistake unless `ignore_unknown`. */
bool json_to_message(const struct schema_message *message, struct json_object *json, bool ignore_unknown, struct arena *arena,
                     struct bytes *bytes, struct error *error);
