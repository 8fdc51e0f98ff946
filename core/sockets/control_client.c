#include "core/sockets/control_client.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/buffer.h"

/* The running process waits 5 s for its own worker, and a reload reads files. */
#define PATIENCE_SECONDS 15
/* A line a runtime: far more than any node has. */
#define ANSWER_MAX (4 << 20)

static int connect_to(const char *path, struct error *error)
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
    error_set(error, STATUS_UNAVAILABLE, "no crigate is listening at %s: %s", path, strerror(errno));
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

static bool send_line(int fd, const char *line)
{
    struct iovec pieces[] = {{.iov_base = (void *)line, .iov_len = strlen(line)}, {.iov_base = (char[]){'\n'}, .iov_len = 1}};
    struct msghdr message = {.msg_iov = pieces, .msg_iovlen = 2};
    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)(pieces[0].iov_len + 1);
}

/* All up to the end of the line, without it; to be freed. */
static char *receive_line(int fd)
{
    struct buffer line = {0};
    while (buffer_reserve(&line, 1, ANSWER_MAX)) {
        uint8_t *at = line.data + line.len;
        ssize_t got = recv(fd, at, line.capacity - line.len, 0);
        if (got <= 0) {
            errno = got == 0 ? ECONNRESET : errno;
            break;
        }
        uint8_t *end = memchr(at, '\n', (size_t)got);
        line.len += (size_t)got;
        if (end) {
            *end = '\0';
            return (char *)line.data;
        }
    }
    buffer_clear(&line);
    return NULL;
}

static struct json_object *read_answer(const char *line, struct error *error)
{
    struct json_object *answer = json_tokener_parse(line), *refusal, *code;
    if (!json_object_is_type(answer, json_type_object)) {
        json_object_put(answer);
        error_set(error, STATUS_INTERNAL, "the running crigate answered with something other than a JSON object: %.200s", line);
        return NULL;
    }
    if (json_object_object_get_ex(answer, "error", &refusal)) {
        error_set(error, STATUS_FAILED_PRECONDITION, "%s", json_object_get_string(refusal));
        if (json_object_object_get_ex(answer, "code", &code) && json_object_is_type(code, json_type_string)) {
            status_code_from_name(json_object_get_string(code), &error->code);
        }
        json_object_put(answer);
        return NULL;
    }
    return answer;
}

struct json_object *control_ask(const char *path, const char *line, struct error *error)
{
    int fd = connect_to(path, error);
    if (fd < 0) {
        return NULL;
    }
    struct json_object *answer = NULL;
    char *received = send_line(fd, line) ? receive_line(fd) : NULL;
    if (received) {
        answer = read_answer(received, error);
    } else {
        error_set(error, STATUS_UNAVAILABLE, "the running crigate does not answer: %s", strerror(errno));
    }
    free(received);
    close(fd);
    return answer;
}
