/* Reads the values of options on the command line. Each function returns false for a mistake, which it has reported on stderr
   after the name of the program. `option` is the name without dashes. Texts are borrowed from argv. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"

/* Reports that `option` has this value instead of what is `right`, and returns false. */
bool option_wrong(const char *option, const char *value, const char *right);

/* A number from 0 to `most`, in that base. */
bool option_number(const char *option, const char *text, int base, unsigned long most, unsigned long *number);

/* A decimal number from 0 to INT_MAX. */
bool option_unsigned(const char *option, const char *text, unsigned *number);

/* "unix:///absolute/path"; `path` becomes the path. */
bool option_address(const char *option, const char *text, const char **path);

/* "CODE" or "CODE:COUNT", CODE being the name of a status code other than OK. Without a count, `times` stays. */
bool option_failure(const char *option, const char *text, enum status_code *code, long *times);
