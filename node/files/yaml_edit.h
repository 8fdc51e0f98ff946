/* Single keys of a YAML mapping, at the top of a document, found and changed with every other byte kept: libyaml's marks say
   where they are. */
#pragma once

#include "node/files/text_edit.h"

enum yaml_edit_found {
    YAML_EDIT_INVALID, /* the text is not YAML, has no mapping at its top, several documents, or the key twice: the error says
                          where */
    YAML_EDIT_ABSENT,
    YAML_EDIT_SCALAR, /* `value` and `place` are set */
    YAML_EDIT_OTHER,  /* the key has a mapping, a list or an alias as its value: only `place.line` is set */
};

struct yaml_edit_value {
    const char *value;       /* unescaped, in the arena; null and empty values are "" */
    struct text_place place; /* of the value with its quotes; `file` is the one that was passed */
};

/* Looks for a key. `file` is for messages and the place. An empty text, and one of comments alone, lacks every key. */
enum yaml_edit_found yaml_edit_find(const char *file, struct bytes text, const char *key, struct arena *arena,
                                    struct yaml_edit_value *found, struct error *error);

/* The text with the key set to a scalar, quoted if it must be: in place of the old value, else on a line of its own at the end of
   the mapping. The result is read again, and must differ in that key alone. false with an error. */
bool yaml_edit_set(const char *file, struct bytes text, const char *key, const char *value, struct arena *arena,
                   struct bytes *result, struct error *error);
