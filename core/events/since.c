#include "since.h"

#include "base/system/clock.h"

struct event_since event_since_moment(int64_t when)
{
    return (struct event_since){.at = clock_wall_ns() - (clock_ns() - when), .when = when};
}

struct event_since event_since_now(void)
{
    return (struct event_since){.at = clock_wall_ns(), .when = clock_ns()};
}

bool event_since_is_after(const struct event_since *since, int64_t created_at)
{
    int64_t at_now = clock_wall_ns() - (clock_ns() - since->when);
    return created_at > 0 && created_at < since->at && created_at < at_now;
}
