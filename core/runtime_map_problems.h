/* Gathers what is wrong with a runtime map, each with its place in the file. */
#ifndef CRIGATE_CORE_RUNTIME_MAP_PROBLEMS_H
#define CRIGATE_CORE_RUNTIME_MAP_PROBLEMS_H

#include "core/runtime_map.h"

/* Where something stands in the file, both 1-based. Line 0 is no place: not there, or about the file as a whole. */
struct place {
    unsigned line;
    unsigned column;
};

/* So many problems are kept; a last one then says that there are more. */
#define PROBLEMS_MOST 1000

/* Notes a mistake. It counts as an error even when there is no memory to keep its text. */
void problems_add(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Notes something worth a second look. */
void problems_warn(struct runtime_map_problems *problems, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts them into the order of the file; what stands at one place stays in the order it was noted in. */
void problems_sort(struct runtime_map_problems *problems);

/* Below 0, 0 or above 0, as `a` stands before, at or after `b`. */
int place_compare(struct place a, struct place b);

#endif
