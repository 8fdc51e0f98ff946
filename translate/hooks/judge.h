/* Which values plugins may give fields. Each function returns what is wrong, to follow the field's path, or NULL. */
#pragma once

#include "translate/hooks/table.h"

/* The number that a plugin's is taken for: itself, unless the range clamps it. */
int64_t hook_number_clamped(const struct hook_range *range, int64_t number);

/* Whether the number is in the range, or the one beside it. */
bool hook_number_is_allowed(const struct hook_range *range, int64_t number);

/* A path from the root of cgroups, without ".." and shorter than the kernel's paths. */
const char *hook_judge_parent(struct bytes parent);

/* The kernel's list format: N or N-M, with commas between. */
const char *hook_judge_cpuset(struct bytes cpuset);

/* The key of a new or changed entry of a HOOK_ENTRIES, HOOK_FILES or HOOK_ENVIRONMENT. */
const char *hook_judge_key(const struct hook_field *field, struct bytes key);

/* Its value. */
const char *hook_judge_value(struct bytes value);
