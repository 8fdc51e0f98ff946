/* What the log tells of a runtime that does not answer itself: each way in which answers do without it, when that first happens.
 */
#ifndef CRIGATE_CALLS_MISSING_H
#define CRIGATE_CALLS_MISSING_H

#include <stdint.h>

struct upstream_call;

/* Ways in which an answer does without a runtime. */
enum missing_way {
    MISSING_ANSWERED_FOR, /* what was last seen of it stands for it */
    MISSING_LEFT_OUT,
    MISSING_FAILS, /* the call fails with it */
    MISSING_WAYS,
};

/* Of a runtime. Zero-initialised, nothing was told. The methods that it is missing from are bits, by their rows. */
struct missing {
    uint64_t absent[MISSING_WAYS]; /* because it cannot be asked: told once, whatever the method */
    uint64_t failed[MISSING_WAYS]; /* because it, or its answer, failed: told once a method */
};

/* An upstream call has ended, of a call to several runtimes or with an answer: that its runtime does not answer itself is told in
   the log if that is news, and that it does answer makes it news the next time. Says nothing of calls that their callers ended.
 */
void missing_note(const struct upstream_call *upstream);

#endif
