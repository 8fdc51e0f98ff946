#include "fair_reading.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/loop/order.h"

/* What is read of a connection in one turn. Callers' messages are short, and each of them is work: a request takes the time of
   about 100 KiB of a list. */
#define CALLERS_BYTES ((size_t)8 * 1024)
#define RUNTIMES_BYTES ((size_t)256 * 1024)
#define BLOCKS 32

#define MOST_PARTS 64

/* The system's functions of the same names go to the kernel like this. In a static program there is no second function of a name
   that could be called instead. */
static ssize_t system_recvmsg(int fd, struct msghdr *message, int flags)
{
    return (ssize_t)syscall(SYS_recvmsg, fd, message, flags);
}

static int system_epoll_ctl(int epoll, int operation, int fd, struct epoll_event *event)
{
    return (int)syscall(SYS_epoll_ctl, epoll, operation, fd, event);
}

static int system_epoll_wait(int epoll, struct epoll_event *events, int most, int milliseconds)
{
    return (int)syscall(SYS_epoll_pwait, epoll, events, most, milliseconds, NULL, (size_t)0);
}

/* By descriptor, as many as the process may have. An entry is replaced when C core gets a new connection with its number, which
   is after C core's last use of the one before. */
struct table {
    size_t size;
    _Atomic(struct reading *) by_descriptor[];
};

static _Atomic(struct table *) table; /* NULL: nothing was ever added */
static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

/* Without memory, the next connection tries again. */
static void make_table(void)
{
    if (atomic_load(&table)) {
        return;
    }
    struct rlimit limit;
    bool is_low = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < MOST_DESCRIPTORS;
    size_t size = is_low ? (size_t)limit.rlim_cur : MOST_DESCRIPTORS;
    struct table *made = calloc(1, sizeof *made + size * sizeof made->by_descriptor[0]);
    if (made) {
        made->size = size;
        atomic_store(&table, made);
    }
}

/* NULL: there is no table, or it is too small. */
static _Atomic(struct reading *) *place_of(int fd)
{
    struct table *all = atomic_load_explicit(&table, memory_order_acquire);
    return all && fd >= 0 && (size_t)fd < all->size ? &all->by_descriptor[fd] : NULL;
}

static atomic_uint_least64_t turns;

struct reading *fair_reading_find(int fd)
{
    _Atomic(struct reading *) *place = place_of(fd);
    return place ? atomic_load_explicit(place, memory_order_acquire) : NULL;
}

void fair_reading_release(struct reading *reading)
{
    if (atomic_fetch_sub(&reading->references, 1) == 1) {
        ORDER_AFTER(reading);
        free(reading);
    }
}

bool fair_reading_add(struct reading *reading, int fd, bool is_caller)
{
    pthread_mutex_lock(&table_lock);
    make_table();
    pthread_mutex_unlock(&table_lock);
    _Atomic(struct reading *) *place = place_of(fd);
    if (!place) {
        return false;
    }
    reading->is_caller = is_caller;
    reading->most_bytes = is_caller ? CALLERS_BYTES : RUNTIMES_BYTES;
    reading->epoll = -1;
    header_limit_init(&reading->headers, is_caller,
                      HEADER_LIMIT_TIMES * (is_caller ? HEADER_LIMIT_CALLERS : HEADER_LIMIT_RUNTIMES));
    atomic_store(&reading->references, 2);
    ORDER_BEFORE(reading);
    struct reading *before = atomic_exchange(place, reading);
    if (before) {
        fair_reading_release(before);
    }
    return true;
}

/* ---- turns ---- */

/* Whether others have their turn now. C core is made to believe that the connection is empty, and the set is told to report it
   again, which it does at the next look if there is something in it, whichever thread looks. C core asks up to twice before it
   waits, so nothing is read before that look. */
static bool must_rest(struct reading *reading, int fd)
{
    struct epoll_event event = reading->event;
    uint64_t turn = atomic_load_explicit(&turns, memory_order_relaxed);
    if (reading->turn != turn) {
        reading->turn = turn;
        reading->bytes = 0;
        reading->blocks = reading->headers.blocks;
    }
    bool enough = reading->bytes >= reading->most_bytes || reading->headers.blocks - reading->blocks >= BLOCKS;
    return enough && reading->epoll >= 0 && system_epoll_ctl(reading->epoll, EPOLL_CTL_MOD, fd, &event) == 0;
}

/* Fills no more of the message's parts than a turn has bytes. */
static ssize_t read_some(const struct reading *reading, int fd, const struct msghdr *message)
{
    struct iovec parts[MOST_PARTS];
    struct msghdr some = *message;
    size_t left = reading->most_bytes;
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

/* Before C core sees it. false: a block of headers is too long. */
static bool look_at(struct reading *reading, const struct msghdr *message, size_t count)
{
    bool good = true;
    reading->bytes += count;
    for (size_t i = 0; count > 0 && good; i++) {
        size_t part = message->msg_iov[i].iov_len < count ? message->msg_iov[i].iov_len : count;
        good = header_limit_take(&reading->headers, message->msg_iov[i].iov_base, part);
        count -= part;
    }
    unsigned marks = (reading->headers.settings ? READING_SETTINGS : 0) | (reading->headers.goaway ? READING_GOAWAY : 0) |
                     (good ? 0 : READING_TOO_LONG);
    if ((atomic_load_explicit(&reading->marks, memory_order_relaxed) & marks) != marks) {
        atomic_fetch_or(&reading->marks, marks);
    }
    return good;
}

static ssize_t read_connection(struct reading *reading, int fd, const struct msghdr *message)
{
    if ((atomic_load_explicit(&reading->marks, memory_order_relaxed) & READING_TOO_LONG) != 0) {
        errno = ECONNRESET;
        return -1;
    }
    if (must_rest(reading, fd)) {
        errno = EAGAIN;
        return -1;
    }
    ssize_t got = read_some(reading, fd, message);
    if (got > 0 && !look_at(reading, message, (size_t)got)) {
        shutdown(fd, SHUT_RDWR);
        errno = ECONNRESET;
        return -1;
    }
    return got;
}

/* ---- what C core calls ---- */

/* C core reads a connection on one thread at a time, after it was added and before it is closed: its locks see to that. */

ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    struct reading *reading = flags == 0 && !message->msg_control ? fair_reading_find(fd) : NULL;
    if (!reading) {
        return system_recvmsg(fd, message, flags);
    }
    ORDER_AFTER(reading);
    ssize_t got = read_connection(reading, fd, message);
    ORDER_BEFORE(reading);
    return got;
}

int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)
{
    struct reading *reading = op == EPOLL_CTL_ADD && event ? fair_reading_find(fd) : NULL;
    if (reading) {
        ORDER_AFTER(reading);
        reading->epoll = epfd;
        reading->event = *event;
        ORDER_BEFORE(reading);
    }
    return system_epoll_ctl(epfd, op, fd, event);
}

/* All that is reported by one of these gets its turn before the next one. */
int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)
{
    atomic_fetch_add_explicit(&turns, 1, memory_order_relaxed);
    return system_epoll_wait(epfd, events, maxevents, timeout);
}
