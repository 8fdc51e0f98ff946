/* A program that crigate replaces: its options, and which runtime map they are. */
#pragma once

#include <stdio.h>

#include "core/replaced/go_flags.h"

struct replaced_program {
    const char *name;
    const char *source; /* see replaced.h */
    const char *help;
    const struct go_flag *flags;
    size_t flag_count; /* at most REPLACED_MOST_FLAGS */
    /* Writes the map for the values of the flags. -1, or the exit status after a mistake was printed. */
    int (*write_map)(const char *const *values, FILE *out);
};

#define REPLACED_MOST_FLAGS 16

extern const struct replaced_program replaced_criproxy;
extern const struct replaced_program replaced_koord_runtime_proxy;

/* What their --help has in common. */
#define REPLACED_COMMON_HELP                                                                                                     \
    "  -v LEVEL             how much to log, from 0 to 5; 0 means 1 here, more than 5 means 5\n"                                 \
    "  -logtostderr, -alsologtostderr\n"                                                                                         \
    "                       accepted: crigate always logs to standard error, and nowhere else\n"                                 \
    "  -print-config        print the runtime map that these options are, with defaults filled in, and exit\n"                   \
    "  -help                print this and exit\n"                                                                               \
    "\n"                                                                                                                         \
    "Options may have one dash or two, and their value behind a space or a \"=\". Other options of its log are ignored, with "   \
    "a\n"                                                                                                                        \
    "warning. `crigate status --control STATE/control.sock` asks the running process; STATE is `state` in the map.\n"            \
    "Exit status: 0 success, 1 could not start, 64 wrong arguments, 78 mistakes in the runtime map.\n"
