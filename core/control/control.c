#include "core/control/control.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/loop/acceptor.h"

struct control_connection {
    struct control *control; /* NULL: free */
    struct watch watch;
    struct peer peer;
    size_t received;
    char line[CONTROL_LINE_SIZE];
    char *answer; /* not yet sent, or NULL */
    size_t answer_size;
    size_t sent;
    int descriptors[CONTROL_DESCRIPTORS]; /* sent with the answer's first byte; copies of our own */
    size_t descriptor_count;
    unsigned timeout; /* milliseconds that it may be silent, or leave an answer unread; 0: forever */
    void (*closed)(void *state);
    void *closed_state;
};

struct control {
    struct poll_thread *poll_thread;
    const struct control_request *requests;
    void *state;
    const struct control_reporter *reporters;
    char path[sizeof((struct sockaddr_un *)0)->sun_path];
    struct acceptor acceptor;
    int listening;
    dev_t device; /* of the socket's file */
    ino_t inode;
    struct log_limit refusals;
    struct control_connection connections[CONTROL_CONNECTIONS];
};

/* ---- answers ---- */

static void drop_descriptors(struct control_connection *connection)
{
    while (connection->descriptor_count > 0) {
        close(connection->descriptors[--connection->descriptor_count]);
    }
}

static void disconnect(struct control_connection *connection)
{
    void (*closed)(void *state) = connection->closed;
    void *closed_state = connection->closed_state;
    poll_thread_remove(connection->control->poll_thread, &connection->watch);
    close(connection->watch.fd);
    drop_descriptors(connection);
    free(connection->answer);
    *connection = (struct control_connection){0};
    if (closed) {
        closed(closed_state);
    }
}

/* Restarts its timeout. */
static void arm(struct control_connection *connection)
{
    connection->watch.due = 0;
    if (connection->timeout > 0) {
        watch_arm(&connection->watch, connection->timeout);
    }
}

static void attach_descriptors(const struct control_connection *connection, struct msghdr *message, void *room, size_t room_size)
{
    size_t size = connection->descriptor_count * sizeof(int);
    if (size == 0 || connection->sent > 0) {
        return;
    }
    memset(room, 0, room_size);
    message->msg_control = room;
    message->msg_controllen = CMSG_SPACE(size);
    struct cmsghdr *header = CMSG_FIRSTHDR(message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(header), connection->descriptors, size);
}

/* Sends as much as the socket takes. false: the connection is broken. */
static bool send_some(struct control_connection *connection)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(CONTROL_DESCRIPTORS * sizeof(int))];
    struct iovec piece = {.iov_base = connection->answer + connection->sent,
                          .iov_len = connection->answer_size - connection->sent};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    attach_descriptors(connection, &message, room, sizeof room);
    ssize_t sent = sendmsg(connection->watch.fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    connection->sent += (size_t)sent;
    if (connection->sent == connection->answer_size) {
        free(connection->answer);
        connection->answer = NULL;
        drop_descriptors(connection);
        arm(connection);
    }
    return true;
}

bool control_answer(struct control_connection *connection, struct json_object *answer)
{
    static const char no_memory[] = "{\"" CONTROL_ERROR "\":\"out of memory\",\"" CONTROL_CODE "\":\"RESOURCE_EXHAUSTED\"}";
    size_t size = 0;
    const char *text = json_print(answer, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE, &size);
    bool whole = text;
    if (!whole) {
        text = no_memory;
        size = sizeof no_memory - 1;
    }
    free(connection->answer);
    connection->answer = malloc(size + 1);
    if (connection->answer) {
        memcpy(connection->answer, text, size);
        connection->answer[size] = '\n';
        connection->answer_size = size + 1;
        connection->sent = 0;
    }
    json_object_put(answer);
    return whole && connection->answer;
}

/* All of them or none: their order is the protocol. */
static bool copy_descriptors(struct control_connection *connection, const int *descriptors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int copy = i < CONTROL_DESCRIPTORS ? fcntl(descriptors[i], F_DUPFD_CLOEXEC, 0) : -1;
        if (copy < 0) {
            int failure = errno;
            drop_descriptors(connection);
            errno = failure;
            return false;
        }
        connection->descriptors[connection->descriptor_count++] = copy;
    }
    return true;
}

bool control_answer_with(struct control_connection *connection, struct json_object *answer, const int *descriptors, size_t count,
                         struct error *error)
{
    if (!copy_descriptors(connection, descriptors, count)) {
        json_object_put(answer);
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "the running crigate cannot hand over its descriptors: %s",
                         strerror(errno));
    }
    if (!control_answer(connection, answer)) {
        drop_descriptors(connection);
        return error_out_of_memory(error);
    }
    return true;
}

void control_refuse(struct control_connection *connection, const struct error *error)
{
    struct json_object *answer = json_object_new_object();
    json_add(answer, CONTROL_ERROR, json_object_new_string(error->message));
    json_add(answer, CONTROL_CODE, json_object_new_string(status_code_name(error->code)));
    control_answer(connection, answer);
}

/* ---- requests ---- */

static void run_request(struct control_connection *connection, char *line)
{
    char *argument = strchr(line, ' ');
    if (argument) {
        *argument++ = '\0';
    }
    for (const struct control_request *request = connection->control->requests; request->name; request++) {
        if (strcmp(request->name, line) == 0) {
            request->run(connection, argument ? argument : "", connection->control->state);
            return;
        }
    }
    struct error error = {0};
    struct json_object *answer = control_report_make(connection->control->reporters, line, argument ? argument : "", &error);
    if (answer) {
        control_answer(connection, answer);
    } else {
        control_refuse(connection, &error);
    }
}

/* Runs a line that is complete. One at a time: the next one waits until the answer is sent. */
static void run_line(struct control_connection *connection)
{
    char *end = memchr(connection->line, '\n', connection->received);
    if (!end) {
        return;
    }
    char line[CONTROL_LINE_SIZE];
    size_t size = (size_t)(end - connection->line);
    memcpy(line, connection->line, size);
    line[size] = '\0';
    connection->received -= size + 1;
    memmove(connection->line, end + 1, connection->received);
    run_request(connection, line);
}

/* false: the other side closed the connection, or the line is too long. */
static bool receive_some(struct control_connection *connection)
{
    ssize_t size = recv(connection->watch.fd, connection->line + connection->received,
                        sizeof connection->line - connection->received, MSG_DONTWAIT);
    if (size < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    connection->received += (size_t)size;
    return size > 0 && (connection->received < sizeof connection->line || memchr(connection->line, '\n', connection->received));
}

static void on_connection(struct watch *watch, short happened)
{
    struct control_connection *connection = watch_owner(watch, struct control_connection, watch);
    if (happened == 0) {
        disconnect(connection);
        return;
    }
    bool good = connection->answer ? send_some(connection) : receive_some(connection);
    while (good && !connection->answer && memchr(connection->line, '\n', connection->received)) {
        run_line(connection);
        good = connection->answer && send_some(connection);
    }
    if (!good) {
        disconnect(connection);
        return;
    }
    watch->events = connection->answer ? POLLOUT : POLLIN;
}

/* ---- connections ---- */

/* Nobody can keep others out: if all are taken, the one that has been silent for the longest time ends. That of a process that
   takes over, or has done so, keeps its place. */
static struct control_connection *take_connection(struct control *control)
{
    struct control_connection *oldest = NULL;
    for (size_t i = 0; i < CONTROL_CONNECTIONS; i++) {
        struct control_connection *connection = &control->connections[i];
        if (!connection->control) {
            return connection;
        }
        if (!connection->closed && (!oldest || connection->watch.due < oldest->watch.due)) {
            oldest = connection;
        }
    }
    if (oldest) {
        disconnect(oldest);
    }
    return oldest;
}

static void admit(struct acceptor *acceptor, int fd)
{
    struct control *control = watch_owner(acceptor, struct control, acceptor);
    struct peer peer = {.pid = 0, .uid = (uid_t)-1, .gid = (gid_t)-1};
    if (!peer_of(fd, &peer) || !peer_is_owner(&peer)) {
        peer_log_refusal(&control->refusals, &peer, control->path);
        close(fd);
        return;
    }
    struct control_connection *connection = take_connection(control);
    if (!connection) {
        close(fd);
        return;
    }
    *connection = (struct control_connection){
        .control = control,
        .peer = peer,
        .timeout = CONTROL_IDLE_MS,
        .watch = {.fd = fd, .events = POLLIN, .run = on_connection},
    };
    watch_arm(&connection->watch, connection->timeout);
    poll_thread_add(control->poll_thread, &connection->watch);
}

const struct peer *control_peer(const struct control_connection *connection)
{
    return &connection->peer;
}

bool control_is_connected(const struct control_connection *connection)
{
    char next;
    return recv(connection->watch.fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) != 0;
}

void control_on_close(struct control_connection *connection, unsigned milliseconds, void (*closed)(void *state), void *state)
{
    connection->closed = closed;
    connection->closed_state = state;
    connection->timeout = milliseconds;
    arm(connection);
}

void control_say_no_more(struct control_connection *connection)
{
    shutdown(connection->watch.fd, SHUT_WR);
}

/* ---- start and end ---- */

/* Bound under another name and then renamed, so that there is a listening socket at any moment. */
static bool bind_socket(struct control *control, struct error *error)
{
    char name[sizeof control->path + sizeof ".new"];
    struct stat status;
    snprintf(name, sizeof name, "%s.new", control->path);
    unlink(name);
    control->listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (control->listening < 0 || !descriptor_bind(control->listening, name) ||
        listen(control->listening, CONTROL_CONNECTIONS) != 0 || lstat(name, &status) != 0 || rename(name, control->path) != 0) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot create the control socket %s: %s", control->path, strerror(errno));
    }
    control->device = status.st_dev;
    control->inode = status.st_ino;
    return true;
}

struct control *control_open(const char *folder, const struct control_request *requests, void *state,
                             const struct control_reporter *reporters, struct poll_thread *poll_thread, struct error *error)
{
    struct control *control = calloc(1, sizeof *control);
    if (!control) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        return NULL;
    }
    control->poll_thread = poll_thread;
    control->requests = requests;
    control->state = state;
    control->reporters = reporters;
    control->listening = -1;
    if (snprintf(control->path, sizeof control->path, "%s/" CONTROL_SOCKET_NAME, folder) >= (int)sizeof control->path) {
        error_set(error, STATUS_INVALID_ARGUMENT, "the name %s/" CONTROL_SOCKET_NAME " is too long for a socket", folder);
    } else if (bind_socket(control, error)) {
        acceptor_begin(&control->acceptor, control->listening, poll_thread, admit);
        return control;
    }
    control_close(control);
    return NULL;
}

void control_stop_accepting(struct control *control)
{
    poll_thread_remove(control->poll_thread, &control->acceptor.watch);
    descriptor_close(&control->listening);
}

void control_close(struct control *control)
{
    if (!control) {
        return;
    }
    for (size_t i = 0; i < CONTROL_CONNECTIONS; i++) {
        if (control->connections[i].control) {
            disconnect(&control->connections[i]);
        }
    }
    struct stat status;
    if (control->listening >= 0 && lstat(control->path, &status) == 0 && status.st_dev == control->device &&
        status.st_ino == control->inode) {
        unlink(control->path);
    }
    control_stop_accepting(control);
    free(control);
}
