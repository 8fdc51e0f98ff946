#include "base/options/values.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

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

bool option_number(const char *text, int least, int most, int *number)
{
    const char *rest;
    unsigned long value;
    bool good = read_number(text, (unsigned long)most, &rest, &value) && *rest == '\0' && (int)value >= least;
    *number = good ? (int)value : *number;
    return good;
}

bool option_word(const char *text, const char *words, unsigned *number)
{
    size_t len = strlen(text);
    *number = 0;
    while (*words) {
        size_t word = strcspn(words, " ");
        if (word == len && memcmp(words, text, len) == 0) {
            return true;
        }
        words += word + (words[word] == ' ');
        (*number)++;
    }
    return false;
}

_Static_assert(sizeof((struct sockaddr_un *)0)->sun_path == 108, "OPTION_SOCKET has the size in words");

bool option_socket(const char *text, const char **path)
{
    static const char scheme[] = "unix://";
    *path = strncmp(text, scheme, strlen(scheme)) == 0 ? text + strlen(scheme) : text;
    size_t len = strlen(*path);
    return **path == '/' && (*path)[len - 1] != '/' && len < sizeof((struct sockaddr_un *)0)->sun_path;
}
