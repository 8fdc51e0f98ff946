/* Changes of a message, and the pass that writes them into its bytes. What they do not name stays byte for byte. */
#pragma once

#include "base/bytes/error.h"
#include "translate/bytes/output.h"
#include "translate/hooks/entries.h"

enum hook_edit_kind {
    HOOK_EDIT_NONE,
    HOOK_EDIT_NUMBER,  /* the field becomes `number`; 0 removes it */
    HOOK_EDIT_TEXT,    /* the field becomes `bytes`; empty removes it */
    HOOK_EDIT_FIELDS,  /* all occurrences are replaced by `bytes`, which are whole fields */
    HOOK_EDIT_ENTRIES, /* `entries`, sorted by key, are added to the map, or replace the values of their keys */
    HOOK_EDIT_LIST,    /* `entries`, in this order, become the environment: it keeps those that are in it */
    HOOK_EDIT_INSIDE,  /* `inside` is done in the message, which is added if it is missing */
};

struct hook_edit {
    enum hook_edit_kind kind;
    uint64_t number;
    struct bytes bytes;
    struct hook_entries entries;
    const struct hook_edits *inside;
};

struct hook_edits {
    const struct hook_message *message;
    struct hook_edit fields[HOOK_FIELDS_MAX]; /* parallel to message->fields */
};

/* No edits, in the arena; NULL: out of memory. */
struct hook_edits *hook_edits_new(const struct hook_message *message, struct arena *arena);

/* The edits of a message that contains the field, which is edited inside; NULL: out of memory. */
struct hook_edits *hook_edits_around(const struct hook_message *message, const struct hook_field *field,
                                     const struct hook_edits *inside, struct arena *arena);

/* Writes a message with the edits done. `out` is `in` itself if `edits` is NULL; otherwise it is in the arena. false: out of
   memory, or INVALID_ARGUMENT for malformed bytes. */
bool hook_edits_run(const struct hook_edits *edits, struct bytes in, struct arena *arena, struct bytes *out, struct error *error);
