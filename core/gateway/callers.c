#include "callers.h"

#include <stdlib.h>

#include "base/json/build.h"
#include "base/system/clock.h"
#include "core/transport/connection_share.h"
#include "core/transport/fair_reading.h"

struct caller {
    struct peer peer;
    uint64_t calls;
    int64_t last; /* clock_ns(); 0: no call */
};

static int by_last_call(const void *left, const void *right)
{
    const struct caller *first = left, *second = right;
    return first->last < second->last ? 1 : first->last > second->last ? -1 : 0;
}

static struct json_object *describe(const struct caller *caller, int64_t now)
{
    struct json_object *object = json_object_new_object();
    json_add(object, "pid", json_object_new_int64(caller->peer.pid));
    json_add(object, "uid", json_object_new_int64(caller->peer.uid));
    json_add(object, "calls", json_object_new_int64((int64_t)caller->calls));
    if (caller->calls > 0) {
        json_add(object, "last_call_ms", json_object_new_int64((now - caller->last) / NANOSECONDS_A_MILLISECOND));
    }
    return object;
}

/* Those that there are, at most `most`. */
static size_t find_callers(struct caller *callers, size_t most)
{
    size_t count = 0;
    for (int fd = 0; fd <= fair_reading_highest() && count < most; fd++) {
        if (fair_reading_caller_since(fd) != 0 && fair_reading_caller_peer(fd, &callers[count].peer)) {
            callers[count].calls = connection_share_calls(fd, &callers[count].last);
            count++;
        }
    }
    return count;
}

struct json_object *gateway_callers(void)
{
    struct json_object *array = json_object_new_array();
    size_t most = (size_t)fair_reading_highest() + 1;
    struct caller *callers = calloc(most, sizeof *callers);
    if (!callers) {
        json_object_put(array);
        return NULL;
    }
    size_t count = find_callers(callers, most);
    int64_t now = clock_ns();
    qsort(callers, count, sizeof *callers, by_last_call);
    for (size_t i = 0; i < count; i++) {
        json_append(array, describe(&callers[i], now));
    }
    free(callers);
    return array;
}
