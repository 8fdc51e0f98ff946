/* The completion of zsh. */
#pragma once

#include <stdio.h>

#include "base/options/command.h"

/* Prints the script: a function made from the tables, then the part that is always the same (completion.zsh). It works as a file
   `_crigate` of fpath, and if it is sourced. */
void zsh_print(const struct command_table *table, FILE *out);
