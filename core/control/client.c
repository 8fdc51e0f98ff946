#include "core/control/client.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/json/read.h"
#include "base/system/descriptor.h"
#include "base/system/process_name.h"
#include "base/system/unix_socket.h"
#include "core/transport/peer.h"

/* Metrics are the most: a hundred kilobytes for each busy runtime. */
#define ANSWER_MAX (64 << 20)

/* ---- a process that does not answer ---- */

/* Who owns the state folder, by the file that it has locked there; not asked with a lock, which could keep another one from it.
   0: unknown. */
static pid_t owner_of_folder(const char *control)
{
    char path[PATH_MAX];
    char number[16] = "";
    const char *slash = strrchr(control, '/');
    snprintf(path, sizeof path, "%.*s" CONTROL_LOCK_NAME, slash ? (int)(slash + 1 - control) : 0, control);
    DESCRIPTOR_CLEANUP int lock = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    return lock >= 0 && pread(lock, number, sizeof number - 1, 0) > 0 ? (pid_t)strtol(number, NULL, 10) : 0;
}

static bool set_silent(struct error *error, pid_t pid, int seconds)
{
    char why[160];
    switch (process_state(pid)) {
    case 'T':
        snprintf(why, sizeof why, "process %ld is stopped; continue it with kill -CONT %ld", (long)pid, (long)pid);
        break;
    case 't':
        snprintf(why, sizeof why, "process %ld is held by a debugger", (long)pid);
        break;
    case 'D':
        snprintf(why, sizeof why, "process %ld is waiting for a disk (state D); look for disk errors in the kernel's log",
                 (long)pid);
        break;
    case '\0':
        snprintf(why, sizeof why, "its process is not visible from here");
        break;
    default:
        snprintf(why, sizeof why, "process %ld is running, but busy or stuck; check its log, and restart it if this persists",
                 (long)pid);
        break;
    }
    return error_set(error, STATUS_DEADLINE_EXCEEDED, "the running crigate did not answer within %d s; %s", seconds, why);
}

/* After a failure of a connection that waits for a limited time. */
static bool set_failure(struct error *error, int connection, int option)
{
    struct peer peer = {0};
    struct timeval patience = {0};
    socklen_t size = sizeof patience;
    int failure = errno;
    if (failure != EAGAIN) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot query the running crigate: %s", strerror(failure));
    }
    getsockopt(connection, SOL_SOCKET, option, &patience, &size);
    return set_silent(error, peer_of(connection, &peer) ? peer.pid : 0, (int)patience.tv_sec);
}

/* ---- asking ---- */

static bool set_patience(int connection, int option, int seconds)
{
    const struct timeval patience = {.tv_sec = seconds};
    return setsockopt(connection, SOL_SOCKET, option, &patience, sizeof patience) == 0;
}

/* The queue of a process that does not accept may be full: then connecting waits, as sending does. */
int control_connect(const char *path, int patience, struct error *error)
{
    struct sockaddr_un address;
    if (!unix_socket_address(path, &address)) {
        error_set(error, STATUS_INVALID_ARGUMENT, "the name %s is too long for a socket", path);
        return -1;
    }
    int first = patience < CONTROL_PATIENCE ? patience : CONTROL_PATIENCE;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && set_patience(fd, SO_SNDTIMEO, first) &&
        connect(fd, (const struct sockaddr *)(const void *)&address, sizeof address) == 0 &&
        set_patience(fd, SO_SNDTIMEO, patience) && set_patience(fd, SO_RCVTIMEO, patience)) {
        return fd;
    }
    if (errno == EAGAIN) {
        set_silent(error, owner_of_folder(path), first);
    } else if (errno == EACCES || errno == EPERM) {
        error_set(error, STATUS_PERMISSION_DENIED, "only root and crigate's user may connect to %s", path);
    } else {
        error_set(error, STATUS_UNAVAILABLE, "no crigate is listening at %s: %s", path, strerror(errno));
    }
    descriptor_close(&fd);
    return -1;
}

bool control_send(int connection, const char *line, struct error *error)
{
    struct iovec pieces[] = {{.iov_base = (void *)line, .iov_len = strlen(line)}, {.iov_base = (char[]){'\n'}, .iov_len = 1}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    return sendmsg(connection, &message, MSG_NOSIGNAL) == (ssize_t)(pieces[0].iov_len + 1) ||
           set_failure(error, connection, SO_SNDTIMEO);
}

/* ---- answers ---- */

/* Those that do not fit are closed. */
static void keep_descriptors(struct control_reply *reply, struct msghdr *message)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header; header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; i++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(header) + i * sizeof descriptor, sizeof descriptor);
            if (reply->descriptor_count < CONTROL_DESCRIPTORS) {
                reply->descriptors[reply->descriptor_count++] = descriptor;
            } else {
                close(descriptor);
            }
        }
    }
}

/* One recvmsg, past signals. The descriptors come with the first byte. */
static ssize_t receive_some(int connection, struct control_reply *reply, size_t size, size_t room)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(CONTROL_DESCRIPTORS * sizeof(int))];
    struct iovec piece = {.iov_base = reply->line + size, .iov_len = room - size};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    ssize_t got;
    do {
        got = recvmsg(connection, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got >= 0) {
        keep_descriptors(reply, &message);
        reply->cut_off = reply->cut_off || (message.msg_flags & MSG_CTRUNC);
    }
    return got;
}

bool control_receive(int connection, struct control_reply *reply, struct error *error)
{
    size_t size = 0, room = 0;
    *reply = (struct control_reply){0};
    for (;;) {
        if (size == room) {
            room = room > 0 ? 2 * room : 4096;
            char *more = room <= ANSWER_MAX ? realloc(reply->line, room) : NULL;
            if (!more) {
                return error_set(error, STATUS_UNAVAILABLE, "the answer from the running crigate is too long");
            }
            reply->line = more;
        }
        ssize_t got = receive_some(connection, reply, size, room);
        if (got < 0) {
            return set_failure(error, connection, SO_RCVTIMEO);
        }
        if (reply->cut_off) {
            return error_set(
                error, STATUS_RESOURCE_EXHAUSTED,
                "this process cannot receive the descriptors of the running crigate: its limit of open files is too low");
        }
        if (got == 0) {
            return error_set(error, STATUS_UNAVAILABLE, "the running crigate closed the connection");
        }
        char *end = memchr(reply->line + size, '\n', (size_t)got);
        if (end) {
            *end = '\0';
            return true;
        }
        size += (size_t)got;
    }
}

void control_reply_release(struct control_reply *reply)
{
    while (reply->descriptor_count > 0) {
        close(reply->descriptors[--reply->descriptor_count]);
    }
    free(reply->line);
    reply->line = NULL;
}

struct json_object *control_parse(const char *line, struct error *error)
{
    struct json_object *answer = json_tokener_parse(line);
    if (!json_object_is_type(answer, json_type_object)) {
        json_object_put(answer);
        error_set(error, STATUS_INTERNAL, "the running crigate answered with something other than a JSON object: %.200s", line);
        return NULL;
    }
    struct json_object *refusal = json_member(answer, CONTROL_ERROR);
    if (refusal) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s", json_object_get_string(refusal));
        struct json_object *code = json_member_of(answer, CONTROL_CODE, json_type_string);
        if (code) {
            status_code_from_name(json_object_get_string(code), &error->code);
        }
        json_object_put(answer);
        return NULL;
    }
    return answer;
}

bool control_flag(struct json_object *answer, const char *name)
{
    return json_object_get_boolean(json_member(answer, name));
}

struct json_object *control_ask(const char *path, const char *line, struct error *error)
{
    pid_t peer;
    return control_ask_peer(path, line, &peer, error);
}

struct json_object *control_ask_peer(const char *path, const char *line, pid_t *peer, struct error *error)
{
    struct control_reply reply = {0};
    struct peer listener = {0};
    bool lasts = strcmp(line, CONTROL_RELOAD) == 0;
    int connection = control_connect(path, lasts ? CONTROL_LONG_PATIENCE : CONTROL_PATIENCE, error);
    *peer = connection >= 0 && peer_of(connection, &listener) ? listener.pid : 0;
    bool answered = connection >= 0 && control_send(connection, line, error) && control_receive(connection, &reply, error);
    struct json_object *answer = answered ? control_parse(reply.line, error) : NULL;
    control_reply_release(&reply);
    descriptor_close(&connection);
    return answer;
}
