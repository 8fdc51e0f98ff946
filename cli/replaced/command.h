/* A subcommand of crigate that does what a replaced program is asked for. */
#pragma once

#include <stdbool.h>

#define REPLACED_MOST_WORDS 16

/* A subcommand with its options, as main gets them; count is 0 if there is none. */
struct replaced_command {
    char *words[REPLACED_MOST_WORDS + 1]; /* the last one is NULL */
    int count;
};

/* Adds a copy of a word. false: out of memory, or there are too many. */
bool replaced_command_add(struct replaced_command *command, const char *word);

/* Prints it as a shell reads it: a line on standard output. */
void replaced_command_print(const struct replaced_command *command);

/* Frees the words. */
void replaced_command_clear(struct replaced_command *command);
