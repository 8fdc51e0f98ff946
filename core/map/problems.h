/* The mistakes in a runtime map, each with its place in the files. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A place in the files; line and column are 1-based. Line 0: not in the files, or the file as a whole. */
struct place {
    unsigned line;
    unsigned column;
    unsigned file; /* 0-based, in the order of problems_set_files */
};

/* One mistake in the files, or one warning. */
struct runtime_map_problem {
    const char *file;     /* the file, or the folder of drop-ins, that it is about; NULL only when memory was short */
    unsigned file_number; /* of it, 0-based, in the order of reading */
    unsigned line;        /* 1-based; 0 when it is about the file as a whole */
    unsigned column;      /* 1-based */
    bool warning;         /* the map is good nevertheless */
    const char *meant;    /* an unknown key: the one that was probably meant, of the mapping at `mapping`; else NULL */
    struct place mapping;
    char *message; /* what is wrong, and what would be right */
};

struct runtime_map_problems {
    struct runtime_map_problem *items; /* by file, in the order of reading, line and column */
    size_t count;
    size_t errors; /* items that are not warnings */

    char **files; /* what the items' `file` points to */
    size_t file_count;

    char *state; /* where there are mistakes: the `state` of the map, as far as it could be read; NULL: not known, or not set */
};

/* For messages: "line 3", or "line 3 of FILE". */
struct place_text {
    char text[512];
};

/* So many problems are kept; a last one states that there are more. */
#define PROBLEMS_MOST 1000

/* Names the files, once, before any problem is added. */
void problems_set_files(struct runtime_map_problems *problems, const char *const *files, size_t count);

/* Adds a mistake. It counts as an error even when out of memory to keep its text. */
void problems_add(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The mistake that was added last is an unknown key of the mapping at that place, and this one (whose name is never freed) was
   probably meant. */
void problems_note_meant(struct runtime_map_problems *problems, struct place mapping, const char *meant);

/* The place of a key that was probably meant to be this one of the mapping at that place; `mapping` itself if none does. */
struct place problems_find_meant(const struct runtime_map_problems *problems, struct place mapping, const char *key);

/* Adds a warning. */
void problems_warn(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Sorts them by place; problems of one place stay in the order in which they were added. */
void problems_sort(struct runtime_map_problems *problems);

/* Below 0, 0 or above 0, if `a` is before, at or after `b`. */
int place_compare(struct place a, struct place b);

/* The text for `place` in the message of a problem at `from`. */
struct place_text place_text(const struct runtime_map_problems *problems, struct place from, struct place place);

/* The first mistake, which is not a warning; NULL: there is none, or not enough memory to keep it. */
const struct runtime_map_problem *runtime_map_problems_first(const struct runtime_map_problems *problems);

/* Frees what is in it; it is empty then. */
void runtime_map_problems_clear(struct runtime_map_problems *problems);

/* One problem a line: "FILE:LINE:COLUMN: MESSAGE" or "FILE:LINE:COLUMN: warning: MESSAGE"; "FILE: MESSAGE" for the file as a
   whole. `path` replaces a file that is not known. */
void runtime_map_problems_print(const struct runtime_map_problems *problems, const char *path, FILE *out);
