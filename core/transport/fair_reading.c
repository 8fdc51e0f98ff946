#include "fair_reading.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/clock.h"
#include "core/transport/header_limit.h"
#include "core/transport/system_calls.h"

/* What is read of a connection in one turn. Callers' messages are short, and each of them is work: a request takes the time of
   about 100 KiB of a list. */
#define CALLERS_BYTES ((size_t)8 * 1024)
#define RUNTIMES_BYTES ((size_t)256 * 1024)
#define BLOCKS 32

#define MOST_PARTS 64

/* C core reads a connection on one thread at a time, and begins to when it has asked to poll it: it sees to that with locks of
   its own, and to closing it after all other uses. The thread sanitizer does not look into C core, so it is informed here. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define TAKE_TURN(connection) __tsan_acquire(connection)
#define END_TURN(connection) __tsan_release(connection)
#else
#define TAKE_TURN(connection) (void)(connection)
#define END_TURN(connection) (void)(connection)
#endif

struct connection {
    atomic_bool known;
    atomic_bool caller;
    bool at_its_end;
    uint64_t turn;              /* in which it was read last */
    size_t bytes;               /* read in that turn */
    uint64_t blocks;            /* that had come before that turn */
    int epoll;                  /* the set that it is polled in, */
    struct epoll_event event;   /* and as what */
    atomic_int_least64_t since; /* it is known, clock_ns() */
    struct header_limit guard;
    atomic_int_least64_t stuck; /* since when it has not taken all that was written to it, clock_ns(); 0: it has */
    _Atomic(struct upstream_connection *) upstream; /* with a reference; NULL: it is a caller's, or nobody wants to know */
};

/* Most processes have few descriptors: room for so many is made when the first of them is known, and stays. */
#define BLOCK 256

static _Atomic(struct connection *) blocks[FAIR_READING_DESCRIPTORS / BLOCK];
static atomic_bool begun;
static atomic_uint_least64_t turns;
static atomic_int highest; /* descriptor that was ever known */
static atomic_size_t caller_count;
static size_t most_of_callers, most_of_runtimes;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of ends: a number is not closed meanwhile. Nothing waits under it */

/* What the next descriptor that this thread begins to poll belongs to. */
static _Thread_local int expected_fd = -1;
static _Thread_local struct upstream_connection *expected;

#ifdef __SANITIZE_THREAD__
extern const char __executable_start, etext;

static bool is_own_call(const void *from)
{
    return (const char *)from >= &__executable_start && (const char *)from < &etext;
}

/* See system_calls.h. */
#define PASS_OWN_CALL(call)                                                                                                      \
    if (is_own_call(__builtin_return_address(0))) {                                                                              \
        return next_##call;                                                                                                      \
    }
#else
#define PASS_OWN_CALL(call)
#endif

void fair_reading_begin(size_t callers, size_t runtimes)
{
    errands_begin(); /* without it, lines of the log are missing */
    most_of_callers = callers;
    most_of_runtimes = runtimes;
    atomic_store(&begun, true);
}

void fair_reading_expect(int fd, struct upstream_connection *connection)
{
    expected_fd = fd;
    expected = connection;
}

/* NULL: none of its block was ever known. */
static struct connection *find(int fd)
{
    struct connection *block =
        fd >= 0 && fd < FAIR_READING_DESCRIPTORS ? atomic_load_explicit(&blocks[fd / BLOCK], memory_order_acquire) : NULL;
    return block ? &block[fd % BLOCK] : NULL;
}

/* NULL: it is none that C core polls. */
static struct connection *find_known(int fd)
{
    struct connection *connection = find(fd);
    return connection && atomic_load_explicit(&connection->known, memory_order_acquire) ? connection : NULL;
}

/* NULL: no memory. */
static struct connection *make(int fd)
{
    struct connection *none = NULL;
    struct connection *block = find(fd) ? NULL : calloc(BLOCK, sizeof *block);
    if (block && !atomic_compare_exchange_strong(&blocks[fd / BLOCK], &none, block)) {
        free(block); /* another thread was faster */
    }
    return find(fd);
}

/* ---- a connection that is at its end ---- */

/* A line of the log may have to wait, and who closes a caller holds locks, of this file or C core's: so it is written elsewhere.
   They are so few that each is written before the next one comes, or that one replaces it. */
struct closed_note {
    struct errand errand;
    pthread_mutex_t lock;
    struct log_limit limit;
    struct peer peer;
    char why[128];
    unsigned others;
};

static void log_note(struct errand *errand)
{
    struct closed_note *closed = (struct closed_note *)(void *)errand;
    pthread_mutex_lock(&closed->lock);
    struct peer peer = closed->peer;
    unsigned others = closed->others;
    char why[sizeof closed->why];
    memcpy(why, closed->why, sizeof why);
    pthread_mutex_unlock(&closed->lock);
    log_line(LOG_SERIOUS,
             "closed the connection of a caller, pid %d, uid %u: it %s; %u others were closed since the last such line",
             (int)peer.pid, (unsigned)peer.uid, why, others);
}

static struct closed_note closed_note = {.errand.run = log_note, .lock = PTHREAD_MUTEX_INITIALIZER};

static void log_closed_caller(int fd, const char *why)
{
    pthread_mutex_lock(&closed_note.lock);
    if (log_limit_allows(&closed_note.limit, &closed_note.others)) {
        closed_note.peer = (struct peer){.uid = (uid_t)-1, .gid = (gid_t)-1};
        peer_of(fd, &closed_note.peer);
        snprintf(closed_note.why, sizeof closed_note.why, "%s", why);
        errand_send(&closed_note.errand);
    }
    pthread_mutex_unlock(&closed_note.lock);
}

/* C core notices that the connection is lost, and does the rest. */
static void drop(int fd, struct connection *connection)
{
    char why[UPSTREAM_WHY_SIZE];
    struct upstream_connection *upstream = atomic_load(&connection->upstream);
    snprintf(why, sizeof why, "sent a block of headers of more than %zu bytes, or in too many pieces", connection->guard.most);
    connection->at_its_end = true;
    if (connection->caller) {
        log_closed_caller(fd, why);
    } else if (upstream) {
        upstream_connection_end(upstream, why);
    }
    shutdown(fd, SHUT_RDWR);
}

/* Under the lock, under which no descriptor that is known is closed. */
static bool end_caller(int fd, const char *why)
{
    char text[128];
    struct connection *connection = find_known(fd);
    if (!connection || !connection->caller) {
        return false;
    }
    snprintf(text, sizeof text, "has not read its answers%s", why);
    atomic_store_explicit(&connection->stuck, 0, memory_order_relaxed);
    log_closed_caller(fd, text);
    shutdown(fd, SHUT_RDWR);
    return true;
}

void fair_reading_end(int fd, const char *why)
{
    pthread_mutex_lock(&lock);
    end_caller(fd, why);
    pthread_mutex_unlock(&lock);
}

static bool is_stuck(int fd, int64_t before)
{
    const struct connection *connection = find(fd);
    int64_t since = connection ? atomic_load_explicit(&connection->stuck, memory_order_relaxed) : 0;
    return since != 0 && since < before;
}

/* `close` waits for the lock: it is taken for one connection at a time, and only for those that are to end. */
size_t fair_reading_end_stuck(int64_t milliseconds, const char *why)
{
    size_t ended = 0;
    int64_t before = clock_ns() - milliseconds * NANOSECONDS_A_MILLISECOND;
    for (int fd = 0; fd <= atomic_load(&highest); fd++) {
        if (is_stuck(fd, before)) {
            pthread_mutex_lock(&lock);
            ended += is_stuck(fd, before) && end_caller(fd, why) ? 1 : 0;
            pthread_mutex_unlock(&lock);
        }
    }
    return ended;
}

/* ---- callers ---- */

int64_t fair_reading_caller_since(int fd)
{
    const struct connection *connection = find_known(fd);
    return connection && connection->caller ? atomic_load_explicit(&connection->since, memory_order_relaxed) : 0;
}

int fair_reading_highest(void)
{
    return atomic_load(&highest);
}

bool fair_reading_caller_peer(int fd, struct peer *peer)
{
    pthread_mutex_lock(&lock);
    bool known = fair_reading_caller_since(fd) != 0 && peer_of(fd, peer);
    pthread_mutex_unlock(&lock);
    return known;
}

static bool has_hung_up(int fd)
{
    struct pollfd look = {.fd = fd, .events = POLLRDHUP};
    return poll(&look, 1, 0) > 0;
}

/* C core may not have noticed yet that some of them have hung up: when there seem to be too many, each is looked at. */
bool fair_reading_has_callers(size_t count)
{
    size_t there = 0;
    if (atomic_load(&caller_count) < count) {
        return false;
    }
    for (int fd = 0; fd <= atomic_load(&highest) && there < count; fd++) {
        there += fair_reading_caller_since(fd) != 0 && !has_hung_up(fd) ? 1 : 0;
    }
    return there >= count;
}

/* HTTP/2, RFC 9113, section 6.8: 8 bytes of payload, type 7, stream 0; the last stream 2^31-1 ("all of them"), NO_ERROR. */
static const uint8_t goaway[] = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0};

void fair_reading_send_goaway(int fd)
{
    pthread_mutex_lock(&lock);
    if (fair_reading_caller_since(fd) != 0) {
        /* A connection whose buffer is full is not written to at all: a part of a frame would break it. */
        send(fd, goaway, sizeof goaway, MSG_DONTWAIT | MSG_NOSIGNAL);
    }
    pthread_mutex_unlock(&lock);
}

void fair_reading_shut_down(int fd)
{
    pthread_mutex_lock(&lock);
    if (fair_reading_caller_since(fd) != 0) {
        shutdown(fd, SHUT_RDWR);
    }
    pthread_mutex_unlock(&lock);
}

void fair_reading_send_goaway_to_all(void)
{
    for (int fd = 0; fd <= atomic_load(&highest); fd++) {
        fair_reading_send_goaway(fd);
    }
}

void fair_reading_shut_down_all(void)
{
    for (int fd = 0; fd <= atomic_load(&highest); fd++) {
        fair_reading_shut_down(fd);
    }
}

/* ---- what C core polls ---- */

/* Whether the socket's own address, or its peer's, is a path. */
static bool has_path(int fd, bool own)
{
    struct sockaddr_un address = {0};
    socklen_t size = sizeof address;
    return (own ? getsockname : getpeername)(fd, (struct sockaddr *)&address, &size) == 0 && address.sun_family == AF_UNIX &&
           size > offsetof(struct sockaddr_un, sun_path) && address.sun_path[0] != '\0';
}

/* The descriptor is no longer, or not yet, that of a connection that was expected. */
static void set_upstream(struct connection *connection, struct upstream_connection *upstream)
{
    struct upstream_connection *before = atomic_exchange(&connection->upstream, upstream);
    if (before) {
        upstream_connection_mark(before, UPSTREAM_ENDED);
        upstream_connection_unref(before);
    }
    if (upstream) {
        upstream_connection_mark(upstream_connection_ref(upstream), UPSTREAM_WATCHED);
    }
}

/* C core polls sockets for all events, edge-triggered. */
static void get_to_know(int epoll, int fd, const struct epoll_event *event)
{
    const uint32_t all = EPOLLIN | EPOLLOUT | EPOLLET;
    bool caller = (event->events & all) == all && has_path(fd, true);
    if (!caller && ((event->events & all) != all || !has_path(fd, false))) {
        return;
    }
    struct connection *connection = make(fd);
    if (!connection) {
        return; /* its limits do not hold then */
    }
    TAKE_TURN(connection);
    if (caller && !find_known(fd)) {
        atomic_fetch_add(&caller_count, 1);
    }
    connection->caller = caller;
    connection->at_its_end = false;
    connection->turn = 0;
    connection->epoll = epoll;
    connection->event = *event;
    header_limit_init(&connection->guard, caller, caller ? most_of_callers : most_of_runtimes);
    set_upstream(connection, fd == expected_fd ? expected : NULL);
    atomic_store_explicit(&connection->stuck, 0, memory_order_relaxed);
    atomic_store_explicit(&connection->since, clock_ns(), memory_order_relaxed);
    if (fd > atomic_load(&highest)) {
        atomic_store(&highest, fd);
    }
    END_TURN(connection);
    atomic_store_explicit(&connection->known, true, memory_order_release);
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    PASS_OWN_CALL(epoll_ctl(epfd, op, fd, event))
    if (op == EPOLL_CTL_ADD && fd >= 0 && fd < FAIR_READING_DESCRIPTORS && event && atomic_load(&begun)) {
        get_to_know(epfd, fd, event);
    }
    return system_epoll_ctl(epfd, op, fd, event);
}

/* All that is reported by one of these gets its turn before the next one. */
int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
    PASS_OWN_CALL(epoll_wait(epfd, events, maxevents, timeout))
    atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
    return system_epoll_wait(epfd, events, maxevents, timeout);
}

/* ---- reading ---- */

static size_t size_of(const struct msghdr *message)
{
    size_t size = 0;
    for (size_t i = 0; i < message->msg_iovlen; i++) {
        size += message->msg_iov[i].iov_len;
    }
    return size;
}

static bool had_enough(const struct connection *connection)
{
    return connection->bytes >= (connection->caller ? CALLERS_BYTES : RUNTIMES_BYTES) ||
           connection->guard.blocks - connection->blocks >= BLOCKS;
}

/* Whether the connection has to wait for its next turn. C core is made to believe that it is empty, and the socket is polled
 * anew: so it is reported again if there is something in it, whichever thread polls at that moment. */
static bool must_rest(int fd, struct connection *connection)
{
    uint64_t turn = atomic_load_explicit(&turns, memory_order_relaxed);
    if (connection->turn != turn) {
        connection->turn = turn;
        connection->bytes = 0;
        connection->blocks = connection->guard.blocks;
    }
    struct epoll_event event = connection->event;
    return had_enough(connection) && system_epoll_ctl(connection->epoll, EPOLL_CTL_MOD, fd, &event) == 0;
}

/* Fills no more of the message's parts than a turn has bytes. */
static ssize_t read_some(int fd, const struct connection *connection, const struct msghdr *message)
{
    struct iovec parts[MOST_PARTS];
    struct msghdr some = *message;
    size_t left = connection->caller ? CALLERS_BYTES : RUNTIMES_BYTES;
    size_t count = 0;
    while (count < message->msg_iovlen && count < MOST_PARTS && left > 0) {
        parts[count] = message->msg_iov[count];
        parts[count].iov_len = parts[count].iov_len < left ? parts[count].iov_len : left;
        left -= parts[count++].iov_len;
    }
    some.msg_iov = parts;
    some.msg_iovlen = count;
    return system_recvmsg(fd, &some, 0);
}

static bool look_at(struct connection *connection, const struct msghdr *message, size_t count)
{
    bool good = true;
    connection->bytes += count;
    for (size_t i = 0; count > 0 && good; i++) {
        size_t part = message->msg_iov[i].iov_len < count ? message->msg_iov[i].iov_len : count;
        good = header_limit_take(&connection->guard, message->msg_iov[i].iov_base, part);
        count -= part;
    }
    return good;
}

/* Before C core sees it. C core sometimes reads into nothing, and gets nothing: that is not the end. */
static void note_reading(struct connection *connection, const struct msghdr *message, ssize_t got, int error)
{
    struct upstream_connection *upstream = atomic_load_explicit(&connection->upstream, memory_order_acquire);
    if (!upstream) {
        return;
    }
    if ((got == 0 && size_of(message) > 0) || (got < 0 && error != EAGAIN && error != EINTR)) {
        upstream_connection_mark(upstream, UPSTREAM_ENDED);
    } else if (got > 0 && connection->guard.goaway) {
        upstream_connection_mark(upstream, UPSTREAM_LEAVING);
    } else if (got > 0 && connection->guard.settings) {
        upstream_connection_mark(upstream, UPSTREAM_SETTLED);
    }
}

static ssize_t read_connection(int fd, struct connection *connection, struct msghdr *message)
{
    if (connection->at_its_end) {
        errno = ECONNRESET;
        return -1;
    }
    if (must_rest(fd, connection)) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t got = read_some(fd, connection, message);
    if (got > 0 && !look_at(connection, message, (size_t)got)) {
        drop(fd, connection);
        errno = ECONNRESET;
        return -1;
    }
    int error = errno;
    note_reading(connection, message, got, error);
    errno = error;
    return got;
}

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    PASS_OWN_CALL(recvmsg(fd, message, flags))
    struct connection *connection = flags != 0 || message->msg_control ? NULL : find_known(fd);
    if (!connection) {
        return system_recvmsg(fd, message, flags);
    }
    TAKE_TURN(connection);
    ssize_t got = read_connection(fd, connection, message);
    END_TURN(connection);
    return got;
}

/* ---- writing ---- */

/* A caller that takes a little now and then keeps as much waiting as one that takes nothing. */
static void note_writing(struct connection *connection, bool all)
{
    int64_t since = atomic_load_explicit(&connection->stuck, memory_order_relaxed);
    if (all != (since == 0)) {
        atomic_store_explicit(&connection->stuck, all ? 0 : clock_ns(), memory_order_relaxed);
        struct upstream_connection *upstream = atomic_load_explicit(&connection->upstream, memory_order_relaxed);
        if (upstream) {
            atomic_store_explicit(&upstream->full, !all, memory_order_relaxed);
        }
    }
}

static void mark_ended(struct connection *connection)
{
    struct upstream_connection *upstream = atomic_load(&connection->upstream);
    if (upstream) {
        upstream_connection_mark(upstream, UPSTREAM_ENDED);
    }
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    system_calls_find();
    PASS_OWN_CALL(sendmsg(fd, message, flags))
    ssize_t sent = system_sendmsg(fd, message, flags);
    int error = errno;
    struct connection *connection = find_known(fd);
    if (connection) {
        note_writing(connection, sent >= 0 && (size_t)sent == size_of(message));
        if (sent < 0 && error != EAGAIN && error != EINTR && error != ENOBUFS) {
            mark_ended(connection);
        }
        END_TURN(connection);
        errno = error;
    }
    return sent;
}

/* C core shuts a connection down when it gives it up, and closes it only after the last call of it. */
int shutdown(int fd, int how)
{
    system_calls_find();
    PASS_OWN_CALL(shutdown(fd, how))
    struct connection *connection = find_known(fd);
    if (connection) {
        mark_ended(connection);
        END_TURN(connection);
    }
    return system_shutdown(fd, how);
}

int close(int fd)
{
    system_calls_find();
    PASS_OWN_CALL(close(fd))
    struct connection *connection = find_known(fd);
    if (connection) {
        pthread_mutex_lock(&lock);
        if (connection->caller) {
            atomic_fetch_sub(&caller_count, 1);
        }
        atomic_store_explicit(&connection->known, false, memory_order_release);
        pthread_mutex_unlock(&lock);
        TAKE_TURN(connection);
        set_upstream(connection, NULL);
    }
    return system_close(fd);
}
