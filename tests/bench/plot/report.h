/* What is read of the JSON of a run. */
#pragma once

#include <json-c/json.h>

/* NaN without the object or the member, or if that is null. */
double report_number(struct json_object *object, const char *key);

/* "" without the member. Lives as long as the object. */
const char *report_text(struct json_object *object, const char *key);

/* The way of that name in a measurement, or NULL. */
struct json_object *report_way(struct json_object *measurement, const char *name);
