/* The differences between the dialects and the model, for which rules.yaml needs rules. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "codegen/schema_load.h"

struct difference {
    size_t dialect;
    const char *key;  /* "Mount.image", "Protocol.SCTP": under the model's name where it has one */
    const char *text; /* "lacks Mount.image (number 9, ImageSpec)" */
};

struct differences {
    size_t count;
    struct difference *entries; /* one dialect after the other, each in the order of the model's descriptors */
};

struct differences differences_find(const struct schema *schema);

/* The difference of a dialect under that key, or NULL. */
const struct difference *differences_of(const struct differences *differences, size_t dialect, const char *key);

/* Prints them for people, one dialect after the other, with the RPCs that a dialect lacks. */
void differences_print(const struct differences *differences, const struct schema *schema, FILE *output);
