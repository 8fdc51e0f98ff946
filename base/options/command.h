/* The commands of crigate as one table: what runs them, and what `crigate help` and the completion of shells know of them. */
#pragma once

#include <stddef.h>

#include "base/options/options.h"

struct command {
    const char *name;
    const char *summary; /* "shows the state of the running crigate"; NULL: neither listed nor completed */
    const struct command_line *line;
    /* Runs it; argv[0] is its name, what follows are its arguments. Returns the exit status of the process. NULL: main reads its
       options. */
    int (*run)(int argc, char **argv);
};

struct command_table {
    const struct command_line *itself; /* the options of crigate without a command */
    const struct command *commands;
    size_t count;
};

/* The command of that name, or NULL. */
const struct command *command_find(const struct command_table *table, const char *name);

/* The listed command that a mistyped name most likely means, or NULL. */
const char *command_did_you_mean(const struct command_table *table, const char *typed);
