/* Gives free heap memory back to the system, some time after a lot of it was in use: page faults cost more than memory that waits
   for the next use. */
#pragma once

#include <stddef.h>

#include "core/loop/worker.h"

/* Zero-initialised except for `worker`, nothing is to be given back. All functions run on the worker's thread. */
struct memory_trim {
    struct worker *worker;
    struct timer timer;
};

/* Something took this many bytes and is over: if they were many, memory is given back once no more of that kind comes. */
void memory_trim_used(struct memory_trim *trim, size_t bytes);

/* Memory is given back soon, however much more is used until then. */
void memory_trim_soon(struct memory_trim *trim);

/* Nothing is given back any more. Before the worker is closed. */
void memory_trim_end(struct memory_trim *trim);
