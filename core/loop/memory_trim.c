#include "memory_trim.h"

#include <malloc.h>

#define MANY_BYTES ((size_t)1024 * 1024)
#define AFTER_MS 2000

static void on_time(struct completion *completion, bool ok)
{
    (void)completion;
    (void)ok;
    malloc_trim(0);
}

static void arm(struct memory_trim *trim)
{
    trim->timer.completion.run = on_time;
    worker_arm(trim->worker, &trim->timer, AFTER_MS);
}

void memory_trim_used(struct memory_trim *trim, size_t bytes)
{
    if (bytes > MANY_BYTES) {
        arm(trim);
    }
}

void memory_trim_soon(struct memory_trim *trim)
{
    if (!trim->timer.armed) {
        arm(trim);
    }
}

void memory_trim_end(struct memory_trim *trim)
{
    worker_disarm(trim->worker, &trim->timer);
}
