/* A program that crigate replaces: its options, and which runtime map they are. */
#pragma once

#include <stdio.h>

#include "base/options/options.h"
#include "cli/replaced/command.h"
#include "cli/replaced/go_flags.h"

struct replaced_program {
    const char *name;
    const char *source; /* see replaced.h */
    const struct command_line *line;
    const struct go_flag *flags;
    size_t flag_count; /* at most REPLACED_MOST_FLAGS */
    /* Writes the map for the values of the flags. -1, or the exit status after a mistake was printed. */
    int (*write_map)(const char *const *values, FILE *out);
    /* Adds the words of the subcommand that does it instead of a gateway, except for the level of the log; none, if a map does
       it. NULL: always a map. false: out of memory. */
    bool (*write_command)(const char *const *values, struct replaced_command *command);
};

#define REPLACED_MOST_FLAGS 16

extern const struct replaced_program replaced_criproxy;
extern const struct replaced_program replaced_koord_runtime_proxy;

/* The options for --help and completion. replaced_program_read reads them, in the style of Go. */
extern const struct command_line replaced_criproxy_line;
extern const struct command_line replaced_koord_runtime_proxy_line;

/* The last rows of all of them, and what their --help ends with. */
#define REPLACED_COMMON_ROWS                                                                                                     \
    {256,           "v",       "LEVEL", "how much to log, from 0 to 5; 0 means 1 here, more than 5 means 5", COMPLETE_WORDS,     \
     "0 1 2 3 4 5", OPTION_OWN},                                                                                                 \
        {256,  "logtostderr", NULL, "accepted: crigate always logs to standard error, and nowhere else", COMPLETE_NOTHING,       \
         NULL, OPTION_OWN},                                                                                                      \
        {256, "alsologtostderr", NULL, "likewise", COMPLETE_NOTHING, NULL, OPTION_OWN},                                          \
        {256,                                                                                                                    \
         "print-config",                                                                                                         \
         NULL,                                                                                                                   \
         "print the runtime map that these options produce, with defaults filled in, and exit",                                  \
         COMPLETE_NOTHING,                                                                                                       \
         NULL,                                                                                                                   \
         OPTION_OWN},                                                                                                            \
        {256, "help", NULL, "print this and exit", COMPLETE_NOTHING, NULL, OPTION_OWN},

#define REPLACED_AFTER                                                                                                           \
    "Options may have one dash or two, and their value after a space or a \"=\". Other options of its log are ignored, with "    \
    "a\n"                                                                                                                        \
    "warning. `crigate status --control STATE/control.sock` asks the running process; STATE is `state` in the map.\n"            \
    "Exit status: 0 success, 1 could not start, 64 wrong arguments, 78 mistakes in the runtime map."
