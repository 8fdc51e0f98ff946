/* What one thread does before another although the thread sanitizer cannot see it: in C core, which it does not look into, or by
   functions of libc that this program has of its own. Nothing in other builds. */
#pragma once

#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
/* What was done until now is seen by who calls the second one with the same address afterwards. */
#define ORDER_BEFORE(address) __tsan_release(address)
#define ORDER_AFTER(address) __tsan_acquire(address)
#else
#define ORDER_BEFORE(address) (void)(address)
#define ORDER_AFTER(address) (void)(address)
#endif
