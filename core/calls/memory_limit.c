#include "memory_limit.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "core/hooks/hooks.h"

#define LOOK_EVERY_NS NANOSECONDS_A_MILLISECOND
#define LOOK_AGAIN_MS 5
/* More than these may grow by much before one of them comes or goes. */
#define SOME_CALLS 16
#define TRIM_EVERY_NS (100 * NANOSECONDS_A_MILLISECOND)
/* Beyond limits.calls, with which calls are refused in due form once they have brought their message. */
#define WITHOUT_MESSAGE 1024

/* A caller that reads takes its answer in less; and in less than the other where memory is short. */
#define UNREAD_MS 1000
#define UNREAD_NS (UNREAD_MS * NANOSECONDS_A_MILLISECOND)
#define STUCK_MS 100

static size_t limit_of(const struct call_server *server)
{
    return server->generation->map->limits.memory;
}

/* 0 if the kernel does not report it. The second number is the resident pages. Sanitizers use more memory than the program
   itself: with them nothing is limited. */
static size_t resident(const struct memory_looks *memory)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    (void)memory;
    return 0;
#else
    char text[128];
    ssize_t size = memory->statm >= 0 ? pread(memory->statm, text, sizeof text - 1, 0) : 0;
    text[size > 0 ? size : 0] = '\0';
    const char *second = strchr(text, ' ');
    return second ? strtoul(second, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE) : 0;
#endif
}

/* ---- giving up ---- */

static void give_up(struct call *call, const char *text)
{
    call->unread = 0;
    grpc_call_cancel_with_status(call->server_call, GRPC_STATUS_RESOURCE_EXHAUSTED, text, NULL);
}

static bool is_unread(const struct call *call)
{
    return call->state == CALL_REPLYING && !call->downstream && call->unread > 0;
}

/* The largest first: those of at least half the size of the largest, and so on. Each pass is over all calls. */
static void give_up_answers(struct call_server *server, size_t bytes)
{
    size_t given_up = 0, largest, left;
    do {
        struct call *call;
        largest = left = 0;
        LIST_FOREACH(call, &server->in_flight, flight)
        {
            largest = is_unread(call) && call->unread > largest ? call->unread : largest;
        }
        LIST_FOREACH(call, &server->in_flight, flight)
        {
            if (is_unread(call) && call->unread > largest / 2 && given_up < bytes) {
                given_up += call->unread;
                give_up(call, "crigate: the answer was not read in time; memory is short (limits.memory)");
            }
            left += is_unread(call);
        }
    } while (left > 0 && given_up < bytes);
}

/* Calls that only read can be repeated; calls that change something must continue. */
static bool only_looks(const struct call *call)
{
    return call->request.method && !method_changes_state(call->request.method);
}

static void give_up_lists(struct call_server *server)
{
    struct call *call;
    LIST_FOREACH(call, &server->in_flight, flight)
    {
        if (call->state == CALL_ASKING && only_looks(call) && !call->given_up) {
            call->given_up = true;
            give_up(call, "crigate: memory is short (limits.memory)");
        }
    }
}

void memory_limit_make_room(struct call_server *server)
{
    static const char why[] = ", and too many calls are waiting (limits.calls)";
    int64_t now = clock_ns();
    if (now - server->memory.made_room < LOOK_EVERY_NS) {
        return;
    }
    server->memory.made_room = now;
    callers_shut_down_unread(&server->callers, UNREAD_MS, why);
    for (struct call *call = LIST_FIRST(&server->in_flight); call; call = LIST_NEXT(call, flight)) {
        bool unread = call->state == CALL_REPLYING && call->unread > 0 && !call->downstream && !call->request.cancelled;
        if (unread && now - call->replying_since > UNREAD_NS) {
            if (call->caller) {
                caller_shut_down_unread(call->caller, why);
            }
            give_up(call, "crigate: the answer was not read in time");
        }
    }
}

/* ---- looking ---- */

static size_t trim(struct memory_looks *memory, int64_t now, size_t taken)
{
    if (now - memory->trimmed < TRIM_EVERY_NS) {
        return taken;
    }
    malloc_trim(0);
    memory->trimmed = clock_ns();
    return resident(memory);
}

static void log_full(struct call_server *server, size_t taken)
{
    unsigned skipped;
    if (log_limit_allows(&server->memory.full_logged, &skipped)) {
        log_line(LOG_SERIOUS, "limits.memory: %zu of %zu MiB are used by %u calls; new calls are refused", taken >> 20,
                 limit_of(server) >> 20, server->calls);
    }
}

static void look(struct call_server *server, int64_t now)
{
    struct memory_looks *memory = &server->memory;
    size_t limit = limit_of(server);
    size_t much = limit / 8 * 5;
    size_t taken = resident(memory);
    bool may_shrink = false;
    memory->looked = now;
    if (taken > much) {
        hooks_make_room(server->hooks);
        may_shrink = callers_shut_down_unread(&server->callers, STUCK_MS, ", and memory is short (limits.memory)");
        give_up_answers(server, taken - limit / 2);
        taken = trim(memory, now, taken);
    }
    memory->full = taken > limit / 8 * 6;
    if (memory->full) {
        log_full(server, taken);
    }
    if (taken > limit / 8 * 7) {
        give_up_lists(server);
    }
    bool may_grow = server->calls > SOME_CALLS || (taken > limit / 2 && server->calls > 0);
    if ((may_grow || may_shrink) && !memory->again.armed) {
        worker_arm(server->worker, &memory->again, LOOK_AGAIN_MS);
    }
}

static void look_now_and_then(struct call_server *server)
{
    int64_t now = clock_ns();
    if (now - server->memory.looked >= LOOK_EVERY_NS) {
        look(server, now);
    }
}

static void on_again(struct completion *completion, bool ok)
{
    (void)ok;
    struct call_server *server = completion_owner(completion, struct call_server, memory.again);
    if (server->generation) {
        look(server, clock_ns());
    }
}

const char *memory_limit_refuses(struct call_server *server)
{
    if (memory_limit_calls(server) > server->generation->map->limits.calls + WITHOUT_MESSAGE) {
        memory_limit_make_room(server);
        return "too many calls at once, many of them without a message yet";
    }
    look_now_and_then(server);
    return server->memory.full ? "memory is short; raise limits.memory in the runtime map" : NULL;
}

const char *memory_limit_refuses_next(struct call_server *server)
{
    const char *refusal = memory_limit_refuses(server);
    bool full = memory_limit_calls(server) >= server->generation->map->limits.calls;
    return refusal ? refusal : full ? TOO_MANY_CALLS : NULL;
}

bool memory_limit_allows(struct call *call, struct error *error)
{
    if (!only_looks(call)) {
        return true;
    }
    look_now_and_then(call->server);
    return !call->server->memory.full || error_set(error, STATUS_RESOURCE_EXHAUSTED, "memory is short (limits.memory)");
}

void memory_limit_replying(struct call *call, size_t bytes)
{
    call->unread = bytes;
    call->replying_since = clock_ns();
    look_now_and_then(call->server);
}

void memory_limit_begin(struct call_server *server)
{
    server->memory.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (server->memory.statm < 0) {
        log_line(LOG_SERIOUS, "cannot open /proc/self/statm: %s; limits.memory has no effect", strerror(errno));
    }
    server->memory.again.completion.run = on_again;
}

void memory_limit_end(struct call_server *server)
{
    worker_disarm(server->worker, &server->memory.again);
    descriptor_close(&server->memory.statm);
}
