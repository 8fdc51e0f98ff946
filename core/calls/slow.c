#include "core/calls/slow.h"

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/calls/describe.h"

#define LOOK_MS 5000
#define MOST_LINES 10

static bool is_meant_to_be_long(const struct call *call)
{
    bool works = call->state == CALL_ASKING || call->state == CALL_STREAMING || call->state == CALL_REPLYING ||
                 call->state == CALL_WAITING_TO_PULL;
    return works && (call->request.method ? call->request.method->may_last : call->downstream != NULL);
}

bool slow_calls_is_due(const struct call *call, int64_t before, int64_t now)
{
    int64_t due = call->started + SLOW_CALL_MS * NANOSECONDS_A_MILLISECOND;
    return due > before && due <= now && !is_meant_to_be_long(call);
}

/* With the names that the log has for these things. */
static void log_call(struct call *call, int64_t now)
{
    static const struct {
        const char *key, *as;
    } members[] = {{"id", "call"},
                   {"method", "method"},
                   {"state", "state"},
                   {"ageMilliseconds", "milliseconds"},
                   {"runtimes", "runtimes"},
                   {"waitsFor", "waits_for"},
                   {"plugin", "plugin"},
                   {"pod", "pod"},
                   {"podUid", "pod_uid"},
                   {"container", "container"},
                   {"image", "image"},
                   {"pid", "pid"},
                   {"uid", "uid"}};
    struct json_object *call_object = in_flight_describe(call, now), *fields = json_object_new_object();
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        json_add_from(call_object, members[i].key, fields, members[i].as);
    }
    json_object_put(call_object);
    log_fields(LOG_SERIOUS, "a call is taking a long time", fields);
}

static void on_look(struct completion *completion, bool ok)
{
    (void)ok;
    struct slow_calls *slow = completion_owner(completion, struct slow_calls, look.completion);
    int64_t now = clock_ns();
    unsigned due = 0;
    for (struct call *call = LIST_FIRST(&slow->server->in_flight); call; call = LIST_NEXT(call, flight)) {
        if (slow_calls_is_due(call, slow->looked, now) && ++due <= MOST_LINES) {
            log_call(call, now);
        }
    }
    if (due > MOST_LINES) {
        log_line(LOG_SERIOUS, "%u more calls are taking a long time; see crigate calls", due - MOST_LINES);
    }
    slow->looked = now;
    worker_arm(slow->server->worker, &slow->look, LOOK_MS);
}

void slow_calls_begin(struct slow_calls *slow, const struct call_server *server)
{
    *slow = (struct slow_calls){.server = server, .look.completion.run = on_look, .looked = clock_ns()};
    worker_arm(server->worker, &slow->look, LOOK_MS);
}

void slow_calls_end(struct slow_calls *slow)
{
    worker_disarm(slow->server->worker, &slow->look);
}
