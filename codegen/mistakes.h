/* Reports what is wrong with the input: one line for each mistake on stderr; all mistakes, not only the first. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A place in a file, counted from 1; line 0 means the file as a whole. */
struct place {
    const char *file;
    size_t line;
    size_t column;
};

/* Reports a mistake: "codegen: FILE:LINE:COLUMN: MESSAGE". */
void mistake(struct place place, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Reports that an entry lacks a word, unless it has it. */
void mistake_unless(struct place place, const char *entry, const char *word, bool said);

/* How many mistakes were reported so far. */
size_t mistakes_count(void);
