/* Values of options: texts as options.h says of each kind. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* How long a time may be, in milliseconds: an hour. */
#define OPTION_TIME_LONGEST (60 * 60 * 1000U)

/* Reads the number of a process, above 0. false, with 0: it is something else. */
bool option_pid(const char *text, pid_t *pid);

/* Reads a time, a whole number with s or m such as 30s or 2m, of at most an hour, as milliseconds. false: it is something else.
 */
bool option_time(const char *text, unsigned *milliseconds);

/* Reads a whole number without a sign, from `least` to `most`. false: it is something else. */
bool option_number(const char *text, int least, int most, int *number);

/* Which one of the words, which spaces separate, from 0 on. false: none of them. */
bool option_word(const char *text, const char *words, unsigned *number);

/* Reads "unix:///path" or "/path": the path, which lies in `text`. false: it is something else, or too long for a socket. */
bool option_socket(const char *text, const char **path);
