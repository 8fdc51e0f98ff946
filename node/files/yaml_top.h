/* The mapping at the top of a YAML document, and where in the text one of its pairs is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* A key and its value. Offsets are in bytes of the text. */
struct yaml_pair {
    bool present;
    size_t value;        /* where the value begins; behind the colon if nothing is there */
    size_t end;          /* behind the last byte of the value, or of what is in it */
    bool scalar;         /* an untagged one, or one that is tagged as a string */
    bool anchored;       /* the key, the value, or something in it has an anchor */
    bool quoted;         /* a scalar in double quotes */
    unsigned line;       /* of the key, from 1 */
    unsigned value_line; /* from 1 */
    const char *text;    /* of a scalar: in the arena, "" for null */
};

struct yaml_top {
    bool mapping;     /* false: the document is empty */
    bool flow;        /* between braces */
    bool empty;       /* no pairs */
    size_t first_key; /* where the first key begins */
    size_t inside;    /* of a flow mapping: behind its brace */
    size_t end;       /* of the document: where a line can be added */
    struct yaml_pair pair;
};

/* Reads the text, which may begin with a byte order mark. false as YAML_EDIT_INVALID. */
bool yaml_top_read(const char *file, struct bytes text, const char *key, struct arena *arena, struct yaml_top *top,
                   struct error *error);

/* Whether two texts that were read have the same content except for the pair of that key. false with an error: there was no
   memory to find out. */
bool yaml_top_same_others(struct bytes one, struct bytes other, const char *key, struct error *error);
