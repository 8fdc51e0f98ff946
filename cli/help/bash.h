/* The completion of bash. */
#pragma once

#include <stdio.h>

#include "base/options/command.h"

/* Prints the script: functions made from the tables, then the constant part (completion.bash). */
void bash_print(const struct command_table *table, FILE *out);
