/* What is wrong with the input: one line each on stderr. All mistakes are told, not only the first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A place in a file, counted from 1; line 0 means the file as a whole. */
struct place {
    const char *file;
    size_t line;
    size_t column;
};

/* Tells of a mistake: "codegen: FILE:LINE:COLUMN: MESSAGE". */
void mistake(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tells that an entry lacks a word, unless it has it. */
void mistake_unless(struct place place, const char *entry, const char *word, bool said);

/* How many there were so far. */
size_t mistakes_count(void);
