/* The fields of a message that its schema does not know. */
#pragma once

#include <json-c/json.h>

#include "translate/schema/schema.h"

/* Adds a text for each unknown field in the message, at every depth, to a JSON list: where it is, its number, wire type and
   bytes. Elements of lists are told apart by their place, so that a field that moved to another element is a different text.
   false: the bytes are not such a message. */
bool unknown_collect(struct bytes message, const struct schema_message *schema, struct json_object *list);
