/* What the log tells of a runtime that does not answer itself: each way in which answers do without it, when that first happens.
 */
#ifndef CRIGATE_UPSTREAM_MISSING_H
#define CRIGATE_UPSTREAM_MISSING_H

struct upstream_call;

/* An upstream call has ended, of a call to several runtimes or with an answer: that its runtime does not answer itself is told in
   the log if that is news, and that it does answer makes it news the next time. Says nothing of calls that their callers ended.
 */
void missing_note(const struct upstream_call *upstream);

#endif
