/* Text from outside, such as what a runtime says about itself, for a terminal. */
#pragma once

#include "translate/bytes/arena.h"

/* Longer text is cut, and ends in "...". In bytes. */
#define SHOWN_MOST 200

/* A copy in the arena that cannot control a terminal: each control character (of C0 and C1, and DEL) and each byte that is not
   UTF-8 becomes "?". "" when there is no memory. */
const char *shown_text(struct bytes text, struct arena *arena);
