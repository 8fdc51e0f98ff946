/* Text from outside, such as what a runtime says about itself, for a terminal. */
#pragma once

#include "base/bytes/arena.h"

/* Whether a terminal shows the code point and does nothing else: it is not a control character (of C0 and C1, and DEL), ends no
   line (U+2028, U+2029), and does not reorder the text around it (the characters with Unicode's property Bidi_Control). */
bool shown_code(uint32_t code);

/* The same for the character at the start of `text`, which has `size` bytes; false for size 0, which means that it is not UTF-8.
 */
bool shown_character(struct bytes text, size_t size);

/* Longer text is cut, and ends in "...". In bytes. */
#define SHOWN_MOST 200

/* A copy in the arena that cannot control a terminal: each character that is not one of those above, and each byte that is not
   UTF-8, becomes "?". "" when out of memory. */
const char *shown_text(struct bytes text, struct arena *arena);
