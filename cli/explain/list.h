/* How calls between two dialects are translated, as a list: all calls, or those of one RPC. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "cli/explain/peer.h"
#include "translate/schema/method.h"

/* Prints it as text. `method` is NULL for all RPCs. */
void explain_list_print(const struct peer *caller, const struct peer *runtime, const struct method *method, FILE *out);

/* The same as JSON, which the caller owns; NULL when out of memory. */
struct json_object *explain_list_json(const struct peer *caller, const struct peer *runtime, const struct method *method);
