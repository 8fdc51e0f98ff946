/* Writes the C files of the build folder that translate/ is compiled with. */
#pragma once

#include <stdbool.h>

#include "codegen/emit_names.h"

/* Writes all files into a folder that exists. false after reporting which file could not be written. */
bool emit_all(const struct emission *emission, const char *folder);
