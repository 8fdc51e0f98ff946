/* The time, and waiting until a time. */
#pragma once

#include <pthread.h>
#include <stdint.h>
#include <time.h>

#define NANOSECONDS_A_SECOND INT64_C(1000000000)
#define NANOSECONDS_A_MILLISECOND INT64_C(1000000)

/* Nanoseconds of a clock that never goes back (CLOCK_MONOTONIC). */
int64_t clock_ns(void);

/* The same in milliseconds. */
int64_t clock_ms(void);

/* Nanoseconds since 1970, as the system's clock is set. */
int64_t clock_wall_ns(void);

/* The time when this many milliseconds will have passed, for waits for a condition of clock_init_condition. */
struct timespec clock_deadline(int64_t milliseconds);

/* Initialises a condition variable that is waited for by the clock that never goes back. */
void clock_init_condition(pthread_cond_t *condition);
