/* Values of options that several commands take. */
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
