#include "core/sockets/control_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/transport/peer.h"

/* The running process waits 5 s for its own worker, a reload reads files, and before a takeover it writes its state. */
#define PATIENCE_SECONDS 15
/* Metrics are the most: a hundred kilobytes for each busy runtime. */
#define ANSWER_MAX (64 << 20)

int control_connect(const char *path, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    if (snprintf(address.sun_path, sizeof address.sun_path, "%s", path) >= (int)sizeof address.sun_path) {
        error_set(error, STATUS_INVALID_ARGUMENT, "the name %s is too long for a socket", path);
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0 &&
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (const struct sockaddr *)(const void *)&address, sizeof address) == 0) {
        return fd;
    }
    if (errno == EACCES || errno == EPERM) {
        error_set(error, STATUS_PERMISSION_DENIED, "only root and crigate's user may ask at %s", path);
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
           error_set(error, STATUS_UNAVAILABLE, "the running crigate cannot be asked: %s", strerror(errno));
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
                return error_set(error, STATUS_UNAVAILABLE, "the answer of the running crigate is too long");
            }
            reply->line = more;
        }
        ssize_t got = receive_some(connection, reply, size, room);
        if (got < 0) {
            return error_set(error, STATUS_UNAVAILABLE, "the running crigate does not answer: %s", strerror(errno));
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
    struct json_object *answer = json_tokener_parse(line), *refusal, *code;
    if (!json_object_is_type(answer, json_type_object)) {
        json_object_put(answer);
        error_set(error, STATUS_INTERNAL, "the running crigate answered with something other than a JSON object: %.200s", line);
        return NULL;
    }
    if (json_object_object_get_ex(answer, CONTROL_ERROR, &refusal)) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s", json_object_get_string(refusal));
        if (json_object_object_get_ex(answer, CONTROL_CODE, &code) && json_object_is_type(code, json_type_string)) {
            status_code_from_name(json_object_get_string(code), &error->code);
        }
        json_object_put(answer);
        return NULL;
    }
    return answer;
}

bool control_flag(struct json_object *answer, const char *name)
{
    struct json_object *member;
    return json_object_object_get_ex(answer, name, &member) && json_object_get_boolean(member);
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
    int connection = control_connect(path, error);
    *peer = connection >= 0 && peer_of(connection, &listener) ? listener.pid : 0;
    bool answered = connection >= 0 && control_send(connection, line, error) && control_receive(connection, &reply, error);
    struct json_object *answer = answered ? control_parse(reply.line, error) : NULL;
    control_reply_release(&reply);
    descriptor_close(&connection);
    return answer;
}
