/* What was seen and judged as one JSON object, which docs/preflight.md describes; and the same as text. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "node/preflight/judge.h"
#include "node/preflight/survey.h"

/* The caller owns the object; NULL when out of memory. */
struct json_object *report_json(const struct survey *survey, const struct judgement *judgement, struct arena *arena);

/* Prints the object as text. */
void report_print(struct json_object *report, FILE *out);
