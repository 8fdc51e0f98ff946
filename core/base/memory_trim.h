/* Gives free memory of the heap back to the system, some time after much of it was used: page faults cost more than memory that
   waits for the next use. */
#ifndef CRIGATE_BASE_MEMORY_TRIM_H
#define CRIGATE_BASE_MEMORY_TRIM_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/worker.h"

/* Zero-initialised but for `worker`, nothing is to be given back. All functions run on the worker's thread. */
struct memory_trim {
    struct worker *worker;
    struct timer timer;
    bool repeats;
};

/* Something took so many bytes and is over: if they were many, memory is given back once no more of that kind comes. */
void memory_trim_used(struct memory_trim *trim, size_t bytes);

/* From now on memory is given back again and again, or no more. */
void memory_trim_repeat(struct memory_trim *trim, bool repeats);

/* Nothing is given back any more. Before the worker is closed. */
void memory_trim_end(struct memory_trim *trim);

#endif
