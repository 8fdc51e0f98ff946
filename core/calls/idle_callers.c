#include "idle_callers.h"

#include "base/system/clock.h"
#include "core/transport/connection_share.h"
#include "core/transport/fair_reading.h"

#define LOOKS 4
/* How long a caller gets to go, and calls of it that are on their way to arrive. */
#define GO_MS 5000

static void look_at(int fd, int64_t now, int64_t idle)
{
    int64_t since = fair_reading_caller_since(fd);
    int64_t last_call = connection_share_last(fd);
    int64_t idle_since = last_call > since ? last_call : since;
    /* An older time was for a connection before, or for a caller that has called since. */
    int64_t *asked_to_go = since > 0 ? connection_share_asked_to_go(fd) : NULL;
    if (!asked_to_go || connection_share_count(fd) > 0 || now - idle_since < idle) {
        return;
    }
    if (*asked_to_go < idle_since) {
        *asked_to_go = now;
        fair_reading_send_goaway(fd);
    } else if (now - *asked_to_go >= GO_MS * NANOSECONDS_A_MILLISECOND) {
        fair_reading_shut_down(fd);
    }
}

static void on_look(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, idle_callers);
    int64_t idle = server->generation->map->limits.idle;
    int64_t now = clock_ns();
    for (int fd = 0; fd <= fair_reading_highest(); fd++) {
        look_at(fd, now, idle * NANOSECONDS_A_MILLISECOND);
    }
    worker_arm(server->worker, &server->idle_callers, idle / LOOKS);
}

void idle_callers_begin(struct call_server *server)
{
    server->idle_callers.completion.run = on_look;
    worker_arm(server->worker, &server->idle_callers, server->generation->map->limits.idle / LOOKS);
}

void idle_callers_end(struct call_server *server)
{
    worker_disarm(server->worker, &server->idle_callers);
}
