/* Memory of simulated servers and of tests, which end if there is none. */
#pragma once

#include <stddef.h>

/* Cleared memory, to be freed. */
void *sim_zeroed(size_t count, size_t size);

/* The array, with room for one element more than `count`. NULL at first; only this function may have made it. To be freed. */
void *sim_grown(void *array, size_t count, size_t size);

/* A formatted text; to be freed. */
char *sim_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* `size` times 'x', and a NUL; to be freed. */
char *sim_filler(size_t size);
