/* Objects and arrays of json-c, also where memory is lacking: json-c itself ends the program when something is added to what it
   had no memory to make. */
#pragma once

#include <json-c/json_types.h>
#include <stdbool.h>

/* Adds a member, or an item at the end. Takes the value in any case; NULL is JSON's null. false: there was no memory, for the
   object or array itself perhaps, and nothing was added. */
bool json_add(struct json_object *object, const char *key, struct json_object *value);
bool json_append(struct json_object *array, struct json_object *value);
