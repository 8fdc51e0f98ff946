/* The part of the picture that shows the group `kubelet`: every way, with bars for what it adds, for processor time and for calls
   a second. */
#pragma once

#include <stdbool.h>

#include <json-c/json.h>

/* Whether measurements of that scenario belong to this part. */
bool kubelet_draws(const char *scenario);

/* 0 when the run did not have the group. */
double kubelet_height(struct json_object *report);

/* Answers where it ends. */
double kubelet_draw(struct json_object *report, double top);
