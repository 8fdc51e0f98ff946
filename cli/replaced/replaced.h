/* Starts crigate in place of a program that it replaces, with the options of that program: `crigate NAME`, or a link to crigate
   that is named like the program. Its options become a runtime map, so that what they mean can be read, printed and checked as
   any other; or, if no gateway can do what they ask for, the options of another subcommand. */
#pragma once

#include <stdbool.h>

#include "cli/replaced/command.h"

/* criproxy, koord-runtime-proxy. */
struct replaced_program;

/* What a command line of such a program asks for. */
struct replaced_start {
    char *map;          /* the runtime map that its options describe, as YAML; the caller frees it. NULL: there is a command */
    const char *source; /* what to call that map in messages: "options of criproxy" */
    int verbosity;      /* a level of the log, never LOG_SILENT: these programs always log their start */
    bool print_config;  /* print the map that the options make and exit */
    struct replaced_command command; /* does it instead of a gateway; the caller frees it with replaced_command_clear */
};

/* The program that argv[0], or else argv[1], names. NULL: neither does. */
const struct replaced_program *replaced_program_find(int argc, char **argv);

/* Reads the options. -1 to continue, else the exit status: after --help, or after a mistake in the options was printed. Options
   without a meaning for crigate are reported in the log. */
int replaced_program_read(const struct replaced_program *program, int argc, char **argv, struct replaced_start *start);
