/* The bytes that a walk writes: one growing buffer in the arena. */
#pragma once

#include "base/bytes/arena.h"

struct walk_output {
    struct arena *arena;
    uint8_t *data;
    size_t len;
    size_t capacity;
};

/* An empty output, with room for about the size that `expected` bytes of input take when converted. false: out of memory. */
bool walk_output_start(struct walk_output *output, struct arena *arena, size_t expected);

/* Moves the output to a place with room for `more` bytes at data + len. false: out of memory. */
bool walk_output_grow(struct walk_output *output, size_t more);

/* Makes room for `more` bytes at data + len. false: out of memory. */
static inline bool walk_output_reserve(struct walk_output *output, size_t more)
{
    return more <= output->capacity - output->len || walk_output_grow(output, more);
}

bool walk_output_put(struct walk_output *output, const void *data, size_t len);

bool walk_output_put_varint(struct walk_output *output, uint64_t value);

/* Writes a varint field; leaves out 0, as proto3 does. */
bool walk_output_put_number(struct walk_output *output, uint32_t number, uint64_t value);

/* Writes tag, length and payload of a length-delimited field. */
bool walk_output_put_field(struct walk_output *output, uint32_t number, struct bytes payload);

/* Writes tag and length of a length-delimited field of `len` bytes, and the first of these. */
bool walk_output_put_head(struct walk_output *output, uint32_t number, size_t len, struct bytes front);

/* Starts a sub-message of unknown size, for which `expected` is an estimate: writes the tag and leaves room for the length. Pass
   the result to walk_output_close; SIZE_MAX means that memory was short. */
size_t walk_output_open(struct walk_output *output, uint32_t number, size_t expected);

/* Ends the sub-message: writes its length, and moves the content if the length takes more or less room than expected. */
bool walk_output_close(struct walk_output *output, size_t opened, size_t expected);

/* A message without all occurrences of a field, in the arena. false: it is malformed, or out of memory. */
bool walk_output_without(struct bytes message, uint32_t number, struct arena *arena, struct bytes *rest);

/* Ends the output, and returns the unused room to the arena. */
struct bytes walk_output_finish(struct walk_output *output);
