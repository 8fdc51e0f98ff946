/* SHA-256 of texts, which shows whether a file is what it was. */
#pragma once

#include <stdbool.h>

#include "base/bytes/bytes.h"

struct digest {
    char text[65]; /* hexadecimal; "" for a file that is not there */
};

/* Of a text; of no data: "". */
struct digest digest_of(struct bytes text);

/* Two files that are not there are equal. */
bool digest_equal(const struct digest *one, const struct digest *other);
