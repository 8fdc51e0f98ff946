#include "base/options/values.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A whole number without a sign; `rest` is what follows it. */
static bool read_number(const char *text, unsigned long most, const char **rest, unsigned long *number)
{
    char *end;
    errno = 0;
    *number = strtoul(text, &end, 10);
    *rest = end;
    return *text >= '0' && *text <= '9' && errno == 0 && *number <= most;
}

bool option_pid(const char *text, pid_t *pid)
{
    const char *rest;
    unsigned long number;
    bool good = read_number(text, INT32_MAX, &rest, &number) && *rest == '\0' && number > 0;
    *pid = good ? (pid_t)number : 0;
    return good;
}

bool option_time(const char *text, unsigned *milliseconds)
{
    const char *unit;
    unsigned long number;
    bool good = read_number(text, OPTION_TIME_LONGEST, &unit, &number);
    unsigned long factor = strcmp(unit, "s") == 0 ? 1000 : strcmp(unit, "m") == 0 ? 60000 : 0;
    if (!good || factor == 0 || number > OPTION_TIME_LONGEST / factor) {
        return false;
    }
    *milliseconds = (unsigned)(number * factor);
    return true;
}
