/* Numbers in environment variables, which are input like any other: they are chosen by whatever starts the process. */
#pragma once

#include <stdint.h>

enum environment_number {
    ENVIRONMENT_UNSET,
    ENVIRONMENT_VALID,
    ENVIRONMENT_INVALID, /* set, to anything but a number that may be there */
};

/* Reads a variable as decimal digits alone, without sign or spaces. VALID: `number` has its value, which is at least `least` and
   at most `most`. Otherwise `number` stays as it is. Never logs. */
enum environment_number environment_number(const char *name, uint64_t least, uint64_t most, uint64_t *number);
