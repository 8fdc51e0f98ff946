/* What was logged about answers that lack a runtime. The runtime keeps it, so that each thing is logged once. */
#pragma once

#include <stdint.h>

/* Ways in which an answer does without a runtime. */
enum missing_way {
    MISSING_ANSWERED_FOR, /* what was last seen of it is used instead */
    MISSING_LEFT_OUT,
    MISSING_FAILS, /* the call fails with it */
    MISSING_WAYS,
};

/* Zero-initialised, nothing was logged. Methods are bits, by their rows. */
struct missing_logged {
    uint64_t absent[MISSING_WAYS]; /* because it cannot be queried: logged once, whatever the method */
    uint64_t failed[MISSING_WAYS]; /* because it, or its answer, failed: logged once a method */
    uint64_t fails_now;            /* methods whose last call failed with it */
};
