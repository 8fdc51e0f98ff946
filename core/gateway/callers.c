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
    json_add(object, "socket", json_object_new_string(caller->socket->path));
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

static struct json_object *describe_socket(struct callers *callers, const struct map_socket *entry)
{
    const struct caller_socket *socket = callers_find_socket(callers, entry->path);
    struct json_object *object = json_object_new_object();
    json_add(object, "address", json_object_new_string(entry->address));
    json_add(object, "access", json_object_new_string(entry->read_only ? "read-only" : "full"));
    if (socket) { /* else nobody can connect yet */
        json_add(object, "connections", json_object_new_int64((int64_t)atomic_load(&socket->connections)));
        json_add(object, "calls", json_object_new_int64((int64_t)socket->calls));
    }
    return object;
}

struct json_object *gateway_sockets(struct gateway *gateway)
{
    const struct runtime_map *map = gateway->generation->map;
    struct json_object *array = json_object_new_array();
    json_append(array, describe_socket(&gateway->server.callers, &map->listen));
    for (size_t i = 0; i < map->more_socket_count; i++) {
        json_append(array, describe_socket(&gateway->server.callers, &map->more_sockets[i]));
    }
    return array;
}
