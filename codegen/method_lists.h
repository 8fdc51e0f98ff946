/* Streamed lists in methods.yaml, held against the rows of the lists that they name. */
#pragma once

#include "codegen/methods.h"

/* Tells as mistakes what keeps a row and the list that it names, if any, from going together. */
void method_lists_check(const struct methods *methods, const struct method_row *row, const struct schema *schema);
