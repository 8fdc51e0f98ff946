/* Whether a text is JSON, and if not, where its mistake is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes/bytes.h"
#include "base/bytes/error.h"

/* Objects and lists nested deeper are refused. */
#define JSON_CHECK_DEPTH 16

/* Whether the text is one JSON value and nothing else. INVALID_ARGUMENT if not, with the place as an
   offset of at most text.len. */
bool json_check(struct bytes text, size_t *offset, struct error *error);

/* The text without the white space at its beginning. */
struct bytes json_skip_white(struct bytes text);
