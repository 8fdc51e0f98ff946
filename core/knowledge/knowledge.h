/* What is known about all runtimes together, and what is needed to save it for the next process. What is known about one runtime
   is in its struct runtime. */
#pragma once

#include "core/loop/worker.h"
#include "core/runtimes/generation.h"
#include "core/store/id_index.h"
#include "core/store/image_names.h"
#include "core/store/pod_places.h"

struct knowledge {
    struct worker *worker;
    struct generation *generation;   /* in force; borrowed. NULL: not yet, or no more */
    struct id_index *index;          /* which runtime holds a plain id */
    struct pod_places *places;       /* where pods are, and which images they miss */
    struct image_names *image_names; /* by which callers asked for images */

    struct timer save;  /* armed when files have to be written */
    int64_t lent_until; /* clock_ns(): until then, another process may be taking over with these files; 0: none */
    bool handed_over;   /* another process has taken over, and writes the files from now on */
    bool standby;       /* another process still serves the socket and writes the files */
    bool
        predecessor_active; /* another process may still create things on the runtimes: only lists requested later are complete */
};

/* Empty at first. The worker must outlive it. false: out of memory; free it anyway. */
bool knowledge_init(struct knowledge *knowledge, struct worker *worker);

void knowledge_free(struct knowledge *knowledge);
