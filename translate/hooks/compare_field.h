/* The comparison of one field; for compare.c and compare_entries.c. */
#pragma once

#include "translate/hooks/changes.h"
#include "translate/hooks/compare.h"

struct hook_comparing {
    const struct hook_compare *compare;
    const struct hook_field *field;
    const struct hook_path *path;
    struct hook_versions versions; /* of the message that contains it */
};

/* Each leaves `edit` as it is if nothing changes. Otherwise like hook_compare_messages. */
bool hook_compare_entries(const struct hook_comparing *field, struct hook_edit *edit);
bool hook_compare_environment(const struct hook_comparing *field, struct hook_edit *edit);

/* Records INVALID_ARGUMENT with the path, and returns false. A NULL data of the key: the field has none. */
bool hook_compare_refuse(const struct hook_compare *compare, const struct hook_path *path, struct bytes key, const char *reason);

/* Adds the field to the changes, if they are wanted. */
void hook_compare_note(const struct hook_compare *compare, const struct hook_path *path, struct bytes key, bool overwritten);
