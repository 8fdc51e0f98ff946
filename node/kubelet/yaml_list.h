/* A list of texts at the top of a YAML document. Only reads. */
#pragma once

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

struct yaml_list {
    bool present; /* the key is there */
    size_t count;
    const char *const *items; /* unescaped; items that are not text are left out, and a single text is a list of one */
    const unsigned *lines;    /* from 1 */
};

/* Looks for a key of the mapping at the top of the text, which yaml_edit_find has read without a mistake. Lives in the arena.
   false: out of memory, or not YAML. */
bool yaml_list_find(const char *file, struct bytes text, const char *key, struct arena *arena, struct yaml_list *list,
                    struct error *error);
