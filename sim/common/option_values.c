#include "sim/common/option_values.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/unix_socket.h"

bool option_wrong(const char *option, const char *value, const char *right)
{
    fprintf(stderr, "%s: --%s %s: expected %s\n", program_invocation_short_name, option, value, right);
    return false;
}

bool option_number(const char *option, const char *text, int base, unsigned long most, unsigned long *number)
{
    char *end = NULL;
    errno = 0;
    *number = strtoul(text, &end, base);
    if (!*text || *text == '-' || *end || errno || *number > most) {
        return option_wrong(option, text, "a number");
    }
    return true;
}

bool option_unsigned(const char *option, const char *text, unsigned *number)
{
    unsigned long value;
    if (!option_number(option, text, 10, INT_MAX, &value)) {
        return false;
    }
    *number = (unsigned)value;
    return true;
}

bool option_address(const char *option, const char *text, const char **path)
{
    *path = unix_socket_path(text);
    return (*path != text && **path == '/') || option_wrong(option, text, "unix:///absolute/path");
}

bool option_failure(const char *option, const char *text, enum status_code *code, long *times)
{
    char name[32];
    const char *count = strchr(text, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    if (!status_code_from_name(name, code) || *code == STATUS_OK) {
        return option_wrong(option, name, "the name of a gRPC status code, such as UNAVAILABLE");
    }
    unsigned number;
    if (count) {
        if (!option_unsigned(option, count + 1, &number)) {
            return false;
        }
        *times = number;
    }
    return true;
}
