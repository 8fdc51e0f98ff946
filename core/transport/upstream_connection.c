#include "upstream_connection.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int upstream_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/* ---- its life ---- */

static void on_marked(struct completion *completion, bool ok)
{
    (void)ok;
    struct upstream_connection *connection = completion_owner(completion, struct upstream_connection, marked);
    if (connection->noticed) {
        connection->noticed(connection);
    }
    upstream_connection_unref(connection);
}

/* On the thread for errands. */
static void tell_worker(struct errand *errand)
{
    struct upstream_connection *connection =
        (struct upstream_connection *)(void *)((char *)errand - offsetof(struct upstream_connection, errand));
    pthread_mutex_lock(&connection->worker_lock);
    if (connection->worker) {
        upstream_connection_ref(connection);
        if (!worker_post(connection->worker, &connection->marked)) {
            upstream_connection_unref(connection);
        }
    }
    pthread_mutex_unlock(&connection->worker_lock);
    upstream_connection_unref(connection);
}

struct upstream_connection *upstream_connection_new(int fd, struct worker *worker,
                                                    void (*noticed)(struct upstream_connection *connection), void *owner)
{
    struct upstream_connection *connection = calloc(1, sizeof *connection);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (!connection || own < 0 || !errands_begin()) {
        free(connection);
        if (own >= 0) {
            close(own);
        }
        return NULL;
    }
    connection->fd = own;
    connection->worker = worker;
    connection->noticed = noticed;
    connection->owner = owner;
    connection->marked.run = on_marked;
    connection->errand.run = tell_worker;
    pthread_mutex_init(&connection->worker_lock, NULL);
    pthread_mutex_init(&connection->lock, NULL);
    atomic_store(&connection->references, 1);
    return connection;
}

struct upstream_connection *upstream_connection_ref(struct upstream_connection *connection)
{
    atomic_fetch_add(&connection->references, 1);
    return connection;
}

void upstream_connection_unref(struct upstream_connection *connection)
{
    if (atomic_fetch_sub(&connection->references, 1) == 1) {
        close(connection->fd);
        pthread_mutex_destroy(&connection->worker_lock);
        pthread_mutex_destroy(&connection->lock);
        free(connection);
    }
}

/* ---- marks ---- */

static void send_errand(struct upstream_connection *connection)
{
    upstream_connection_ref(connection);
    if (!errand_send(&connection->errand)) {
        upstream_connection_unref(connection);
    }
}

void upstream_connection_mark(struct upstream_connection *connection, enum upstream_mark mark)
{
    if ((atomic_load_explicit(&connection->marks, memory_order_relaxed) & mark) == 0 &&
        (atomic_fetch_or(&connection->marks, mark) & mark) == 0) {
        send_errand(connection);
    }
}

void upstream_connection_end(struct upstream_connection *connection, const char *why)
{
    pthread_mutex_lock(&connection->lock);
    bool ended = (atomic_load(&connection->marks) & UPSTREAM_ENDED) != 0;
    if (!ended) {
        snprintf(connection->why, sizeof connection->why, "%s", why);
        atomic_fetch_or(&connection->marks, UPSTREAM_ENDED);
    }
    pthread_mutex_unlock(&connection->lock);
    if (!ended) {
        send_errand(connection);
    }
}

bool upstream_connection_is_up(const struct upstream_connection *connection)
{
    struct pollfd look = {.fd = connection->fd, .events = POLLRDHUP};
    unsigned marks = atomic_load(&connection->marks);
    return (marks & UPSTREAM_SETTLED) != 0 && (marks & (UPSTREAM_LEAVING | UPSTREAM_ENDED)) == 0 && poll(&look, 1, 0) == 0;
}

/* The kernel counts the memory that a write takes in the socket, not its bytes: an estimate for a small one, and for the small
 * frames that C core writes by itself meanwhile. */
#define COST_OF_WRITE 1024
#define SMALL_REQUEST ((size_t)16 * 1024)

/* What may be written before the kernel is asked again: a quarter of the buffer, less what is in it. */
static size_t ask_for_room(int fd)
{
    int buffer = 0, waiting = 0;
    socklen_t size = sizeof buffer;
    if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, &size) != 0 || ioctl(fd, SIOCOUTQ, &waiting) != 0) {
        return 0;
    }
    return buffer / 4 > waiting ? (size_t)(buffer / 4 - waiting) : 0;
}

bool upstream_connection_takes(struct upstream_connection *connection, size_t size)
{
    if (size > SMALL_REQUEST || atomic_load_explicit(&connection->full, memory_order_relaxed) ||
        (atomic_load_explicit(&connection->marks, memory_order_relaxed) & UPSTREAM_WATCHED) == 0) {
        return false;
    }
    size_t cost = size + COST_OF_WRITE;
    if (connection->room < cost) {
        connection->room = ask_for_room(connection->fd);
    }
    bool takes = connection->room >= cost;
    connection->room -= takes ? cost : 0;
    return takes;
}

bool upstream_connection_why(struct upstream_connection *connection, char *why, size_t size)
{
    pthread_mutex_lock(&connection->lock);
    snprintf(why, size, "%s", connection->why);
    pthread_mutex_unlock(&connection->lock);
    return why[0] != '\0';
}

/* ---- its end ---- */

void upstream_connection_hang_up(struct upstream_connection *connection)
{
    shutdown(connection->fd, SHUT_RDWR);
}

void upstream_connection_close(struct upstream_connection *connection)
{
    grpc_channel *grpc = connection->grpc;
    connection->grpc = NULL;
    connection->noticed = NULL;
    connection->owner = NULL;
    LIST_REMOVE(connection, others);
    pthread_mutex_lock(&connection->worker_lock);
    connection->worker = NULL;
    pthread_mutex_unlock(&connection->worker_lock);
    /* Else C core keeps the descriptor until the socket has taken what waits to be written. */
    upstream_connection_hang_up(connection);
    grpc_channel_destroy(grpc);
    upstream_connection_unref(connection);
}

static void close_if_done(struct upstream_connection *connection)
{
    if (connection->retired && connection->grpc && connection->calls == 0) {
        upstream_connection_close(connection);
    }
}

void upstream_connection_retire(struct upstream_connection *connection)
{
    connection->retired = true;
    close_if_done(connection);
}

void upstream_connection_begin_call(struct upstream_connection *connection)
{
    upstream_connection_ref(connection);
    connection->calls++;
}

void upstream_connection_end_call(struct upstream_connection *connection)
{
    connection->calls--;
    close_if_done(connection);
    upstream_connection_unref(connection);
}
