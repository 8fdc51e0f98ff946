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

#include "base/system/descriptor.h"

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

/* Each step comes as soon as it may; nothing of the connection is there after the last one. */
static void end_what_may_end(struct upstream_connection *connection)
{
    if (connection->retired && connection->grpc && connection->calls == 0) {
        upstream_connection_close(connection);
    } else if (connection->ended && !connection->grpc && connection->calls == 0) {
        close(connection->fd);
        fair_reading_release(&connection->reading);
    }
}

static void on_hung_up(struct hang_up *hang_up)
{
    struct upstream_connection *connection = completion_owner(hang_up, struct upstream_connection, hang_up);
    connection->ended = true;
    connection->calls++; /* it stays meanwhile, whatever the owner does */
    connection->hung_up(connection);
    upstream_connection_end_call(connection);
}

struct upstream_connection *upstream_connection_new(int fd, struct worker *worker,
                                                    void (*hung_up)(struct upstream_connection *connection), void *owner)
{
    struct upstream_connection *connection = calloc(1, sizeof *connection);
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (!connection || own < 0 || !fair_reading_add(&connection->reading, fd, false)) {
        free(connection);
        descriptor_close(&own);
        return NULL;
    }
    connection->fd = own;
    getsockopt(own, SOL_SOCKET, SO_SNDBUF, &connection->buffer, &(socklen_t){sizeof connection->buffer});
    connection->hung_up = hung_up;
    connection->owner = owner;
    if (!hang_up_watch(&connection->hang_up, worker, own, on_hung_up)) {
        close(own);
        fair_reading_release(&connection->reading);
        return NULL;
    }
    return connection;
}

/* ---- what is known of it ---- */

static bool has_mark(const struct upstream_connection *connection, enum reading_mark mark)
{
    return (atomic_load_explicit(&connection->reading.marks, memory_order_acquire) & mark) != 0;
}

bool upstream_connection_is_settled(const struct upstream_connection *connection)
{
    return connection->reading.epoll < 0 || has_mark(connection, READING_SETTINGS);
}

bool upstream_connection_is_leaving(const struct upstream_connection *connection)
{
    return has_mark(connection, READING_GOAWAY);
}

bool upstream_connection_is_up(const struct upstream_connection *connection)
{
    struct pollfd look = {.fd = connection->fd, .events = POLLRDHUP};
    return upstream_connection_is_settled(connection) && !upstream_connection_is_leaving(connection) && !connection->ended &&
           poll(&look, 1, 0) == 0;
}

bool upstream_connection_why(const struct upstream_connection *connection, char *why, size_t size)
{
    if (!has_mark(connection, READING_TOO_LONG)) {
        return false;
    }
    header_limit_describe(&connection->reading.headers, why, size);
    return true;
}

/* The kernel counts the memory that a write takes in the socket, not its bytes: so a quarter of the buffer has to be left for a
   request, and for the small frames that C core writes by itself meanwhile. */
#define SMALL_REQUEST ((size_t)16 * 1024)

bool upstream_connection_takes(const struct upstream_connection *connection, size_t size)
{
    int waiting;
    return size <= SMALL_REQUEST && ioctl(connection->fd, SIOCOUTQ, &waiting) == 0 && waiting < connection->buffer / 4;
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
    LIST_REMOVE(connection, others);
    /* Else C core keeps the descriptor until the socket has taken what waits to be written. */
    upstream_connection_hang_up(connection);
    grpc_channel_destroy(grpc);
    end_what_may_end(connection);
}

void upstream_connection_retire(struct upstream_connection *connection)
{
    connection->retired = true;
    end_what_may_end(connection);
}

void upstream_connection_begin_call(struct upstream_connection *connection)
{
    connection->calls++;
}

void upstream_connection_end_call(struct upstream_connection *connection)
{
    connection->calls--;
    end_what_may_end(connection);
}
