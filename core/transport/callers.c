#include "core/transport/callers.h"

#include <errno.h>
#include <fcntl.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/descriptor.h"

/* With fewer calls in all, there is nothing to share out. */
#define FEW_CALLS 64
/* Between two looks for callers that do not read, of the time that one gets. */
#define LOOKS 5

void callers_begin(struct callers *callers, struct worker *worker, grpc_server *server, void (*emptied)(void *state), void *state)
{
    *callers = (struct callers){.worker = worker, .server = server, .emptied = emptied, .state = state};
    LIST_INIT(&callers->all);
}

void callers_end(struct callers *callers)
{
    callers->server = NULL;
}

void callers_free(struct callers *callers)
{
    struct caller_socket *socket = atomic_exchange(&callers->sockets, NULL);
    while (socket) {
        struct caller_socket *next = socket->next;
        free(socket);
        socket = next;
    }
}

/* ---- a connection comes and goes ---- */

/* On its way to the worker. */
struct arrival {
    struct completion completion;
    struct callers *callers;
    int fd;
    struct peer peer;
    struct caller_socket *socket;
};

static void caller_log_closed(struct caller *caller, const char *why)
{
    unsigned others;
    if (log_limit_allows(&caller->callers->closed, &others)) {
        log_line(LOG_SERIOUS,
                 "closed the connection of a caller, pid %d, uid %u: it %s; %u others were closed since the last such line",
                 (int)caller->peer.pid, (unsigned)caller->peer.uid, why, others);
    }
}

static void count_out(struct callers *callers, struct caller_socket *socket)
{
    atomic_fetch_sub(&socket->connections, 1);
    if (atomic_fetch_sub(&callers->count, 1) == 1) {
        callers->emptied(callers->state);
    }
}

static void free_if_gone(struct caller *caller)
{
    if (caller->ended && caller->in_flight == 0) {
        fair_reading_release(&caller->reading);
    }
}

static void on_caller_hung_up(struct hang_up *hang_up)
{
    struct caller *caller = completion_owner(hang_up, struct caller, hang_up);
    struct callers *callers = caller->callers;
    if ((atomic_load(&caller->reading.marks) & READING_TOO_LONG) != 0) {
        char why[128];
        header_limit_describe(&caller->reading.headers, why, sizeof why);
        caller_log_closed(caller, why);
    }
    caller->ended = true;
    descriptor_close(&caller->fd);
    LIST_REMOVE(caller, others);
    struct caller_socket *socket = caller->socket;
    free_if_gone(caller);
    count_out(callers, socket);
}

/* NULL: no memory, or no descriptor is left. */
static struct caller *caller_new(struct callers *callers, const struct arrival *arrival)
{
    struct caller *caller = calloc(1, sizeof *caller);
    int own = fcntl(arrival->fd, F_DUPFD_CLOEXEC, 0);
    if (!caller || own < 0 || !fair_reading_add(&caller->reading, arrival->fd, true)) {
        free(caller);
        descriptor_close(&own);
        return NULL;
    }
    caller->callers = callers;
    caller->fd = own;
    caller->peer = arrival->peer;
    caller->socket = arrival->socket;
    caller->since = clock_ns();
    if (!hang_up_watch(&caller->hang_up, callers->worker, own, on_caller_hung_up)) {
        close(own);
        fair_reading_release(&caller->reading);
        return NULL;
    }
    return caller;
}

static void log_failure(struct callers *callers)
{
    unsigned others;
    if (log_limit_allows(&callers->failures, &others)) {
        log_line(LOG_SERIOUS, "cannot accept a connection: %s", strerror(EMFILE));
    }
}

static void on_arrival(struct completion *completion, bool ok)
{
    (void)ok;
    struct arrival *arrival = completion_owner(completion, struct arrival, completion);
    struct callers *callers = arrival->callers;
    struct caller *caller = callers->server ? caller_new(callers, arrival) : NULL;
    if (caller) {
        LIST_INSERT_HEAD(&callers->all, caller, others);
        grpc_server_credentials *credentials = grpc_insecure_server_credentials_create();
        grpc_server_add_channel_from_fd(callers->server, arrival->fd, credentials);
        grpc_server_credentials_release(credentials);
    } else {
        close(arrival->fd);
        if (callers->server) {
            log_failure(callers);
        }
        count_out(callers, arrival->socket);
    }
    free(arrival);
}

struct caller_socket *callers_find_socket(struct callers *callers, const char *path)
{
    struct caller_socket *socket = atomic_load(&callers->sockets);
    while (socket && strcmp(socket->path, path) != 0) {
        socket = socket->next;
    }
    return socket;
}

struct caller_socket *callers_socket(struct callers *callers, const char *path)
{
    struct caller_socket *socket = callers_find_socket(callers, path);
    if (!socket && (socket = calloc(1, sizeof *socket))) {
        snprintf(socket->path, sizeof socket->path, "%s", path);
        socket->next = atomic_load(&callers->sockets);
        atomic_store(&callers->sockets, socket);
    }
    return socket;
}

bool callers_admit(struct callers *callers, int fd, const struct peer *peer, struct caller_socket *socket, size_t most)
{
    if (atomic_load(&socket->connections) >= most) {
        return false;
    }
    struct arrival *arrival = malloc(sizeof *arrival);
    if (arrival) {
        *arrival = (struct arrival){{.run = on_arrival}, callers, fd, *peer, socket};
        atomic_fetch_add(&callers->count, 1);
        atomic_fetch_add(&socket->connections, 1);
    }
    if (arrival && worker_post(callers->worker, &arrival->completion)) {
        return true;
    }
    atomic_fetch_sub(&callers->count, arrival ? 1 : 0);
    atomic_fetch_sub(&socket->connections, arrival ? 1 : 0);
    close(fd);
    free(arrival);
    return true;
}

/* ---- their calls ---- */

unsigned callers_share_of(unsigned calls)
{
    return calls / 2 > FEW_CALLS ? calls / 2 : calls;
}

/* C core names a connection that was added by its descriptor after that: "fd:12". That descriptor may be another caller's by now,
   and is never something else. */
static struct caller *find_caller(grpc_call *call)
{
    static const char before[] = "fd:";
    char *peer = grpc_call_get_peer(call);
    bool named = peer && strncmp(peer, before, sizeof before - 1) == 0;
    long fd = named ? strtol(peer + sizeof before - 1, NULL, 10) : -1;
    gpr_free(peer);
    struct reading *reading = fair_reading_find((int)fd);
    return reading && reading->is_caller ? (struct caller *)(void *)reading : NULL;
}

struct caller *caller_take(grpc_call *call, int64_t now)
{
    struct caller *caller = find_caller(call);
    if (caller && !caller->ended) {
        caller->in_flight++;
        caller->socket->in_flight++;
        caller->socket->calls++;
        caller->calls++;
        caller->last_came = now;
        return caller;
    }
    return NULL;
}

void caller_return(struct caller *caller)
{
    if (caller) {
        caller->socket->in_flight--;
    }
    if (caller && --caller->in_flight == 0) {
        caller->last_ended = clock_ns();
        free_if_gone(caller);
    }
}

/* ---- their end ---- */

/* HTTP/2, RFC 9113, section 6.8: 8 bytes of payload, type 7, stream 0; the last stream 2^31-1 ("all of them"), NO_ERROR. */
static const uint8_t goaway[] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};

void caller_send_goaway(struct caller *caller)
{
    /* A connection whose buffer is full is not written to at all: a part of a frame would break it. */
    send(caller->fd, goaway, sizeof goaway, MSG_DONTWAIT | MSG_NOSIGNAL);
}

void caller_shut_down(struct caller *caller)
{
    shutdown(caller->fd, SHUT_RDWR);
}

void caller_shut_down_unread(struct caller *caller, const char *why)
{
    char text[128];
    snprintf(text, sizeof text, "has not read its answers%s", why);
    caller_log_closed(caller, text);
    caller_shut_down(caller);
}

static bool is_full(const struct caller *caller)
{
    struct pollfd look = {.fd = caller->fd, .events = POLLOUT};
    return poll(&look, 1, 0) == 0;
}

bool callers_shut_down_unread(struct callers *callers, int64_t milliseconds, const char *why)
{
    struct caller *caller;
    int64_t now = clock_ns(), time = milliseconds * NANOSECONDS_A_MILLISECOND;
    bool in_a_row = now - callers->looked < time;
    if (now - callers->looked < time / LOOKS) {
        return callers->any_is_full;
    }
    callers->looked = now;
    callers->any_is_full = false;
    LIST_FOREACH(caller, &callers->all, others)
    {
        bool full = is_full(caller);
        caller->full_since = !full ? 0 : caller->full_since == 0 || !in_a_row ? now : caller->full_since;
        if (full && now - caller->full_since >= time) {
            caller_shut_down_unread(caller, why);
        }
        callers->any_is_full = callers->any_is_full || full;
    }
    return callers->any_is_full;
}
