#include "cli/commands/rates.h"

#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "core/control/crigate_status.h"
#include "core/control/protocol.h"

/* -1: it is missing. */
static int64_t number_of(struct json_object *object, const char *key)
{
    struct json_object *number = json_member(object, key);
    return number ? json_object_get_int64(number) : -1;
}

static bool is_same_process(struct json_object *before, struct json_object *now)
{
    return before && number_of(before, CONTROL_PID) == number_of(now, CONTROL_PID);
}

/* How many there were more; -1: that is not known. */
static int64_t growth(struct json_object *before, struct json_object *now, const char *key)
{
    int64_t first = number_of(before, key), last = number_of(now, key);
    return first >= 0 && last >= first ? last - first : -1;
}

static struct rate rate_of(int64_t calls, int64_t milliseconds)
{
    return (struct rate){.calls_a_second = calls >= 0 && milliseconds > 0 ? calls * 10000 / milliseconds : -1};
}

struct rate rate_of_all(struct json_object *before, struct json_object *now, int64_t milliseconds)
{
    return rate_of(is_same_process(before, now) ? growth(before, now, "callsArrived") : -1, milliseconds);
}

/* A runtime or image service; the status has it. */
static struct json_object *peer_named(struct json_object *status, const char *name)
{
    struct json_object *peers = crigate_status_peers(status), *found = NULL;
    size_t count = json_count(peers);
    for (size_t i = 0; i < count && !found; i++) {
        struct json_object *peer = json_object_array_get_idx(peers, i);
        found = strcmp(command_text_member(peer, "name"), name) == 0 ? peer : NULL;
    }
    json_object_put(peers);
    return found;
}

struct rate rate_of_runtime(struct json_object *before, struct json_object *now, struct json_object *runtime,
                            int64_t milliseconds)
{
    const char *name = command_text_member(runtime, "name");
    struct json_object *earlier = is_same_process(before, now) ? peer_named(before, name) : NULL;
    int64_t calls = earlier ? growth(earlier, runtime, "answered") : -1;
    int64_t time = earlier ? growth(earlier, runtime, "answeredMicroseconds") : -1;
    struct rate rate = rate_of(calls, milliseconds);
    rate.mean = calls > 0 && time >= 0 ? time / calls : 0;
    return rate;
}
