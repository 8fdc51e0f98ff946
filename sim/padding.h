/* Pads a response to a size that a test requests, and keeps it valid. */
#pragma once

#include <json-c/json.h>
#include <stddef.h>

#include "translate/schema/schema.h"

/* Pads a response of `size` bytes to about `wanted`: with an entry of its `info` map, else with copies of the first item of a
   list, else in a string or bytes field. Leaves it unchanged if it has none of these. */
void response_pad(const struct schema_message *message, struct json_object *response, size_t size, size_t wanted);
