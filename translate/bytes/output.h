/* The bytes that a walk writes: one growing run in the arena. */
#pragma once

#include "translate/bytes/arena.h"

struct walk_output {
    struct arena *arena;
    uint8_t *data;
    size_t len;
    size_t capacity;
};

/* An empty output with room for about as much as `expected` bytes of input become. false: no memory. */
bool walk_output_start(struct walk_output *output, struct arena *arena, size_t expected);

/* Moves to where there is room for `more` bytes at data + len. false: no memory. */
bool walk_output_grow(struct walk_output *output, size_t more);

/* Makes room for `more` bytes at data + len. false: no memory. */
static inline bool walk_output_reserve(struct walk_output *output, size_t more)
{
    return more <= output->capacity - output->len || walk_output_grow(output, more);
}

bool walk_output_put(struct walk_output *output, const void *data, size_t len);

bool walk_output_put_varint(struct walk_output *output, uint64_t value);

/* A varint field; 0 is left out, as proto3 does. */
bool walk_output_put_number(struct walk_output *output, uint32_t number, uint64_t value);

/* Tag, length and payload of a length-delimited field. */
bool walk_output_put_field(struct walk_output *output, uint32_t number, struct bytes payload);

/* Tag and length of a length-delimited field of `len` bytes, and the first of these. */
bool walk_output_put_head(struct walk_output *output, uint32_t number, size_t len, struct bytes front);

/* Starts a sub-message whose size is not known yet but was `expected` before: writes the tag and room for the length. The answer
   goes to walk_output_close; SIZE_MAX says that there was no memory. */
size_t walk_output_open(struct walk_output *output, uint32_t number, size_t expected);

/* Ends the sub-message: writes its length, and moves it where the length takes more or less room than expected. */
bool walk_output_close(struct walk_output *output, size_t opened, size_t expected);

/* Ends the output, and gives back what the arena has too much. */
struct bytes walk_output_finish(struct walk_output *output);
