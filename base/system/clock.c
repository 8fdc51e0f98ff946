#include "clock.h"

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NANOSECONDS_A_SECOND + now.tv_nsec;
}

int64_t clock_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_ms(void)
{
    return clock_ns() / NANOSECONDS_A_MILLISECOND;
}

int64_t clock_wall_ns(void)
{
    return read_clock(CLOCK_REALTIME);
}

struct timespec clock_deadline(int64_t milliseconds)
{
    int64_t then = clock_ns() + milliseconds * NANOSECONDS_A_MILLISECOND;
    return (struct timespec){.tv_sec = then / NANOSECONDS_A_SECOND, .tv_nsec = then % NANOSECONDS_A_SECOND};
}

void clock_init_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}
