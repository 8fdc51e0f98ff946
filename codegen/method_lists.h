/* Compares the streamed lists in methods.yaml with the rows of the lists that they name. */
#pragma once

#include "codegen/methods.h"

/* Reports as mistakes whatever in a row does not match the list that it names, if any. */
void method_lists_check(const struct methods *methods, const struct method_row *row, const struct schema *schema);
