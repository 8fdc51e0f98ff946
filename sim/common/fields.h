/* Helpers that read and write the fields of a message that is held as a JSON object. Readers accept NULL as "no such message". */
#pragma once

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The text under `key`, "" if there is none. Borrowed. */
const char *field_text(struct json_object *message, const char *key);

/* The number under `key`, given as a number or a string of digits; 0 if there is none. */
int64_t field_number(struct json_object *message, const char *key);

bool field_flag(struct json_object *message, const char *key);

/* The value under `key`, or NULL. Borrowed. */
struct json_object *field_child(struct json_object *message, const char *key);

/* Writers leave out default values, as JSON messages do: NULL, "", 0, false. */
void field_set_text(struct json_object *message, const char *key, const char *text);
void field_set_number(struct json_object *message, const char *key, int64_t number);
void field_set_flag(struct json_object *message, const char *key, bool flag);

/* Adds another reference to `child`; nothing for NULL. */
void field_share(struct json_object *message, const char *key, struct json_object *child);

/* Adds a new, empty object or array and returns it, borrowed. */
struct json_object *field_new_object(struct json_object *message, const char *key);
struct json_object *field_new_array(struct json_object *message, const char *key);

/* {"value": number} under `key`, as CRI wraps numbers whose absence means something. */
void field_set_wrapped(struct json_object *message, const char *key, uint64_t number);

/* Bytes under `key`, as base64. */
void field_set_bytes(struct json_object *message, const char *key, const void *data, size_t size);

/* Whether `map` has all the entries of `wanted`, which may be NULL. */
bool field_map_has(struct json_object *map, struct json_object *wanted);
