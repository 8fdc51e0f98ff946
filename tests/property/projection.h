/* What of a message another dialect can say at all. */
#pragma once

#include <json-c/json.h>

#include "translate/schema/schema.h"

/* Takes from a message, as JSON, everything that the other dialect's schema has no field or value for, and what is not the same
   field there: what carry rules and normalisations rewrite. */
void projection_apply(struct json_object *json, const struct schema_message *message, const struct schema_message *other);
