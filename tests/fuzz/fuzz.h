/* What the fuzz targets have in common: how they say that something is wrong, and how inputs are made up. Not for codegen, which
   has types of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/bytes/arena.h"
#include "translate/schema/method.h"

/* What libFuzzer calls. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program where it does not hold, for which libFuzzer keeps the input. */
static inline void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Tries one input, with an arena of the size that one call may have. Most targets have this one, and one_input.c does the rest.
 */
void fuzz_try(struct bytes bytes, struct arena *arena);

/* Takes a method's path and a line end from the front of an input. false: there is none. */
bool fuzz_take_call(struct bytes *input, const struct method **method, enum dialect *dialect);

/* Takes two bytes of length, the lower first, and as many bytes, or as there are; nothing where there is no length. */
struct bytes fuzz_take_piece(struct bytes *input);
