#include "environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum environment_number environment_number(const char *name, uint64_t least, uint64_t most, uint64_t *number)
{
    const char *text = getenv(name);
    if (!text) {
        return ENVIRONMENT_UNSET;
    }
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0') {
        return ENVIRONMENT_INVALID;
    }
    errno = 0;
    unsigned long long value = strtoull(text, NULL, 10);
    if (errno != 0 || value < least || value > most) {
        return ENVIRONMENT_INVALID;
    }
    *number = value;
    return ENVIRONMENT_VALID;
}
