/* Compares two versions of facts: what becomes of the one by the other, as edits. */
#pragma once

#include "translate/hooks/changes.h"
#include "translate/hooks/edits.h"

enum hook_comparison {
    HOOK_COMPARE_ANSWER, /* a plugin's answer: judged, and with what hook_facts_merge promises of what it does not say */
    HOOK_COMPARE_UPDATE, /* resources of an update: see hook_facts_update */
    HOOK_COMPARE_EXACT,  /* later facts: all differences, but entries of maps are not removed */
};

struct hook_compare {
    enum hook_comparison comparison;
    struct arena *arena;
    struct hook_changes *changes; /* HOOK_COMPARE_ANSWER */
    struct error *error;
};

/* A message in three versions. All were checked. */
struct hook_versions {
    struct bytes original; /* HOOK_COMPARE_ANSWER: before all plugins */
    struct bytes before;
    struct bytes after;
};

/* What turns `before` into what `after` makes of it; *edits is NULL if nothing. false: INVALID_ARGUMENT with the field's path if
   an answer may not do that, RESOURCE_EXHAUSTED. */
bool hook_compare_messages(const struct hook_compare *compare, const struct hook_message *message,
                           const struct hook_versions *versions, struct hook_edits **edits);

/* The rest is for the files of the comparison itself: one field of a message. */
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
