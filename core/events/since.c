#include "since.h"

#include <time.h>

#include "core/base/worker.h"

#define NANOSECONDS_A_SECOND 1000000000LL

int64_t event_since_wall_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * NANOSECONDS_A_SECOND + now.tv_nsec;
}

struct event_since event_since_moment(int64_t when)
{
    return (struct event_since){.at = event_since_wall_clock() - (worker_now() - when), .when = when};
}

struct event_since event_since_now(void)
{
    return (struct event_since){.at = event_since_wall_clock(), .when = worker_now()};
}

bool event_since_is_after(const struct event_since *since, int64_t created_at)
{
    int64_t at_now = event_since_wall_clock() - (worker_now() - since->when);
    return created_at > 0 && created_at < since->at && created_at < at_now;
}
