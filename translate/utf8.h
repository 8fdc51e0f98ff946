/* What is a character in UTF-8 and what is not. */
#ifndef CRIGATE_TRANSLATE_UTF8_H
#define CRIGATE_TRANSLATE_UTF8_H

#include "bytes.h"

/* How many bytes the character at the start of `text` takes (1 to 4); 0 when there is no valid one: overlong forms and
   surrogates are none. */
size_t utf8_character_size(struct bytes text);

/* How many bytes of `text` are part of no valid character. */
size_t utf8_count_invalid(struct bytes text);

#endif
