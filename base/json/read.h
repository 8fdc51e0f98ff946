/* Members of json-c's objects, if they exist. */
#pragma once

#include <json-c/json_types.h>

/* A member, borrowed. NULL: the object has none or is none, or the member is null. */
struct json_object *json_member(struct json_object *object, const char *key);

/* The same of a member of that type; NULL also for another type. */
struct json_object *json_member_of(struct json_object *object, const char *key, enum json_type type);
