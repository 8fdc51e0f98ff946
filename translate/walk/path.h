/* The position of a walk in a message, and its text form. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "translate/bytes/pieces.h"
#include "translate/schema/schema.h"

/* Enough for most paths; longer ones are cut. */
#define WALK_PATH_SIZE 256

/* The position of a message in a request, for the path in errors. */
struct walk_frame {
    const struct walk_frame *parent;
    const struct schema_field *field; /* of the parent's message; NULL at the top */
    const uint8_t *message;           /* start of the parent's message */
    const uint8_t *at;                /* start of this occurrence in it */
    const struct pieces *before;      /* at the top of a piece of a message: the pieces before this one; else NULL */
};

/* Writes "config.mounts[2].image" for a frame, NUL-terminated and cut to `size`; "" at the top. */
void walk_path(const struct walk_frame *frame, char *text, size_t size);
