/* What a command that works in steps prints while it works: a line for each step on standard output, as it begins and how it
   ended; problems on standard error. */
#pragma once

#include <stdbool.h>

#include "base/bytes/error.h"

/* Says once whose lines these are: the name of the subcommand, for problems. */
void progress_of(const char *command);

/* Prints "WHAT ... ". */
void progress_begin(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Ends the line of the step with "ok", or with `how`. */
void progress_done(const char *how);

/* Ends the line with "failed". Returns false. */
bool progress_failed(void);

/* A line that is not a step. */
void progress_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A line on standard error: "crigate COMMAND: TEXT". Control characters become "?". */
void progress_problem(const char *format, ...) __attribute__((format(printf, 1, 2)));
