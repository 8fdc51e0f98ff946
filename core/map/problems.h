/* Gathers what is wrong with a runtime map, each with its place in the file. */
#ifndef CRIGATE_MAP_PROBLEMS_H
#define CRIGATE_MAP_PROBLEMS_H

#include "core/map/map.h"

/* Where something stands, line and column 1-based. Line 0 is no place: not there, or about the file as a whole. */
struct place {
    unsigned line;
    unsigned column;
    unsigned file; /* 0-based, in the order of problems_know_files */
};

/* For messages: "line 3", or "line 3 of FILE". */
struct place_text {
    char text[512];
};

/* So many problems are kept; a last one then says that there are more. */
#define PROBLEMS_MOST 1000

/* Gives the files their names, once, before any problem is noted. */
void problems_know_files(struct runtime_map_problems *problems, const struct runtime_map_text *texts, size_t count);

/* Notes a mistake. It counts as an error even when there is no memory to keep its text. */
void problems_add(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes something worth a second look. */
void problems_warn(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts them into the order of the files; what stands at one place stays in the order it was noted in. */
void problems_sort(struct runtime_map_problems *problems);

/* Below 0, 0 or above 0, as `a` stands before, at or after `b`. */
int place_compare(struct place a, struct place b);

/* How a problem at `from` tells where `place` is. */
struct place_text place_text(const struct runtime_map_problems *problems, struct place from, struct place place);

#endif
