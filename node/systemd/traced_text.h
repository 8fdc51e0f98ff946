/* Text that was put together from files, with the place from which each byte came. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"

#define ORIGIN_NOWHERE UINT16_MAX

/* Where a byte came from. */
struct origin {
    uint32_t offset;   /* in the file */
    uint16_t file;     /* a number that the reader of the file was given; ORIGIN_NOWHERE: it is in no file in this form */
    uint16_t variable; /* a number that the reader was given, 0 without one */
};

struct traced_text {
    const char *text; /* followed by a NUL */
    const struct origin *from;
    size_t len;
};

/* Collects bytes in an arena. Set `arena`, and all else to zero. */
struct traced_builder {
    struct arena *arena;
    char *text;
    struct origin *from;
    size_t len, room;
    bool failed; /* no memory */
};

/* Append a byte, or a text with where its bytes are from. Without memory, the builder notes that. */
void traced_put(struct traced_builder *builder, char c, struct origin from);
void traced_put_text(struct traced_builder *builder, struct traced_text text);

/* The bytes so far; the builder is empty again. false: out of memory. */
bool traced_finish(struct traced_builder *builder, struct traced_text *text);

/* `len` bytes from `at`; the NUL behind them is that of the whole only if they reach its end. */
struct traced_text traced_part(struct traced_text text, size_t at, size_t len);

/* Whether the bytes are adjacent in one file, in the same form: then they can be replaced there. false for no bytes. */
bool traced_is_literal(struct traced_text text);
