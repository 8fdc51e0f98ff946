/* Maps and environments, taken apart: entries with a key and a value. */
#pragma once

#include "base/bytes/arena.h"
#include "translate/hooks/table.h"

/* Borrowed. */
struct hook_entry {
    struct bytes key;
    struct bytes value;
    struct bytes payload; /* of the field, with all that is in the entry */
    size_t index;         /* its place in the message */
};

struct hook_entries {
    struct hook_entry *items;
    size_t count;
};

/* The entries of a field of a message that was checked, in their order. false: out of memory. */
bool hook_entries_read(const struct hook_field *field, struct bytes message, struct arena *arena, struct hook_entries *entries);

/* The same entries, sorted by key; of several with one key only the last, which is the one that counts. false: out of memory. */
bool hook_entries_by_key(struct hook_entries entries, struct arena *arena, struct hook_entries *sorted);

/* The entry of that key, or NULL. `sorted` is of hook_entries_by_key. */
const struct hook_entry *hook_entries_find(struct hook_entries sorted, struct bytes key);

/* Whether plugins can be sent this variable: its name and value are sendable, and it is the last of its name, because protocols
   have a map where CRI has a list. `sorted` are all variables, by key. */
bool hook_variable_is_sendable(const struct hook_entry *variable, struct hook_entries sorted);
