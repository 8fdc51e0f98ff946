/* The answer to `crigate hooks` as text; gateway/hooks.h has its members. Any of them may be missing. */
#pragma once

#include <json-c/json.h>
#include <stdio.h>

#include "cli/commands/control_query.h"

/* HEALTH_DEGRADED: a plugin is not ready, or a file that names plugins has a mistake; else HEALTH_WELL. */
enum health hooks_report_health(struct json_object *answer);

/* A table of plugins, the last error of each, and the problems of files. Text from outside cannot control the terminal. */
void hooks_report_print(struct json_object *answer, FILE *out);
