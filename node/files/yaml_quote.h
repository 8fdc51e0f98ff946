/* Texts as scalars of YAML. */
#pragma once

#include <stdbool.h>

#include "base/bytes/arena.h"
#include "base/bytes/bytes.h"

/* The text as a scalar that every reader of YAML takes for that string: plain if that is sure and `quoted` is false, else in
   double quotes, as JSON has them. Lives in the arena; no data: no memory. */
struct bytes yaml_quote(const char *text, bool quoted, struct arena *arena);
