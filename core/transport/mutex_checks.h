/* What abseil's mutexes, which are C core's locks, check. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* Ends the search for deadlocks that Debian's abseil makes at each lock, which takes some 10 % of what a small call costs. Call
   it before any other thread runs. Sanitized builds go on searching. */
void mutex_checks_end(void);

#ifdef __cplusplus
}
#endif
