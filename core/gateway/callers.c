#include "callers.h"

#include <stdlib.h>

#include "base/json/build.h"
#include "base/system/clock.h"

static int by_last_call(const void *left, const void *right)
{
    const struct caller *first = *(const struct caller *const *)left, *second = *(const struct caller *const *)right;
    return first->last_came < second->last_came ? 1 : first->last_came > second->last_came ? -1 : 0;
}

static struct json_object *describe(const struct caller *caller, int64_t now)
{
    struct json_object *object = json_object_new_object();
    json_add(object, "pid", json_object_new_int64(caller->peer.pid));
    json_add(object, "uid", json_object_new_int64(caller->peer.uid));
    json_add(object, "calls", json_object_new_int64((int64_t)caller->calls));
    if (caller->calls > 0) {
        json_add(object, "last_call_ms", json_object_new_int64((now - caller->last_came) / NANOSECONDS_A_MILLISECOND));
    }
    return object;
}

struct json_object *gateway_callers(const struct callers *callers)
{
    struct json_object *array = json_object_new_array();
    const struct caller **sorted = calloc(atomic_load(&callers->count) + 1, sizeof *sorted);
    const struct caller *caller;
    int64_t now = clock_ns();
    size_t count = 0;
    if (!sorted) {
        json_object_put(array);
        return NULL;
    }
    LIST_FOREACH(caller, &callers->all, others)
    {
        sorted[count++] = caller;
    }
    qsort(sorted, count, sizeof *sorted, by_last_call);
    for (size_t i = 0; i < count; i++) {
        json_append(array, describe(sorted[i], now));
    }
    free(sorted);
    return array;
}
