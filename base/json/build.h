/* Objects and arrays of json-c, even when memory is short: json-c itself ends the program when something is added to an object
 * that it had no memory to create, and would silently print an incomplete text. */
#pragma once

#include <json-c/json_types.h>
#include <stdbool.h>
#include <stddef.h>

/* Adds a member, or an item at the end. Always takes the value. NULL is JSON's null, unless errno says that there was no memory
   to make it. false: there was none, for the object or array itself perhaps, and nothing was added. */
bool json_add(struct json_object *object, const char *key, struct json_object *value);
bool json_append(struct json_object *array, struct json_object *value);

/* Adds a member that is a string; NULL: JSON's null. */
bool json_add_text(struct json_object *object, const char *key, const char *text);

/* Adds what another object has as `key`, if it has it, with the name `as`. */
void json_add_from(struct json_object *from, const char *key, struct json_object *object, const char *as);

/* How many items an array has; none if it is not an array, such as one that could not be made for lack of memory. */
size_t json_count(const struct json_object *array);

/* The text of a value, in a style of json_object_to_json_string_ext; lives as long as the value. NULL: out of memory. */
const char *json_text(struct json_object *value, int style, size_t *size);

/* The same of what others rely on: NULL also if one of the functions above was false since this was last called, in whatever
   thread, so that the text may lack a part. */
const char *json_print(struct json_object *object, int style, size_t *size);
