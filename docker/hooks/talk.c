#include "docker/hooks/talk.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/http/body.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "base/system/unix_socket.h"

#define READ_AT_ONCE ((size_t)64 * 1024)

/* How long until a socket that takes no more connections is tried again. */
#define FULL_MS 20

static bool fail_errno(struct docker_talk *talk, const char *what)
{
    return error_set(&talk->error, STATUS_UNAVAILABLE, "cannot query Docker: %s: %s", what, strerror(errno));
}

/* ---- waiting ---- */

/* Until the descriptor is ready, or this many milliseconds have passed. -1: nothing to wait for but the time. */
static bool wait_for(struct docker_talk *talk, int descriptor, short events, int wake, int64_t milliseconds)
{
    struct pollfd polled[] = {{.fd = wake, .events = POLLIN}, {.fd = descriptor, .events = events}};
    int64_t left = (talk->until - clock_ns()) / NANOSECONDS_A_MILLISECOND;
    left = left < milliseconds ? left : milliseconds;
    int ready = left < 0 ? 0 : poll(polled, 2, (int)left + 1);
    if (polled[0].revents != 0) {
        return error_set(&talk->error, STATUS_CANCELLED, "given up");
    }
    if (ready == 0 && clock_ns() >= talk->until) {
        return error_set(&talk->error, STATUS_DEADLINE_EXCEEDED, "Docker did not answer in time");
    }
    return true;
}

static bool wait_ready(struct docker_talk *talk, int descriptor, short events, int wake)
{
    return wait_for(talk, descriptor, events, wake, INT32_MAX / 2);
}

/* ---- the connection ---- */

/* -1: the talk has failed. */
static int connect_to(struct docker_talk *talk, const char *path, int wake)
{
    int descriptor;
    while ((descriptor = unix_socket_connect(path, SOCK_NONBLOCK)) < 0) {
        if (errno == ENAMETOOLONG) {
            error_set(&talk->error, STATUS_UNAVAILABLE, "cannot query Docker: the path of its socket is too long");
            break;
        }
        if (errno == EAGAIN ? !wait_for(talk, -1, 0, wake, FULL_MS) : errno != EINTR && !fail_errno(talk, path)) {
            break;
        }
    }
    return descriptor;
}

static bool send_request(struct docker_talk *talk, int descriptor, const char *target, int wake)
{
    struct buffer request = {0};
    static const char method[] = "GET ", rest[] = " HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n";
    bool good = buffer_append(&request, bytes_of(method, sizeof method - 1), SIZE_MAX) &&
                buffer_append(&request, bytes_of_string(target), SIZE_MAX) &&
                buffer_append(&request, bytes_of(rest, sizeof rest - 1), SIZE_MAX);
    good = good || error_no_memory(&talk->error);
    struct bytes left = buffer_bytes(&request);
    while (good && left.len > 0) {
        ssize_t sent = send(descriptor, left.data, left.len, MSG_NOSIGNAL);
        if (sent >= 0) {
            left = bytes_after(left, (size_t)sent);
        } else if (errno != EINTR) {
            good = errno == EAGAIN ? wait_ready(talk, descriptor, POLLOUT, wake) : fail_errno(talk, "send");
        }
    }
    buffer_clear(&request);
    return good;
}

/* Receives some more bytes. *ended: there are none more. */
static bool receive(struct docker_talk *talk, int descriptor, int wake, bool *ended)
{
    struct buffer *received = &talk->received;
    size_t limit = talk->most + HTTP_HEAD_LARGEST + 2 * READ_AT_ONCE;
    if (!buffer_reserve(received, READ_AT_ONCE, limit)) {
        return error_set(&talk->error, STATUS_RESOURCE_EXHAUSTED, "Docker's answer is longer than %zu bytes", talk->most);
    }
    for (;;) {
        ssize_t size = recv(descriptor, received->data + received->len, READ_AT_ONCE, 0);
        if (size >= 0) {
            *ended = size == 0;
            received->len += (size_t)size;
            return true;
        }
        if (errno != EINTR && errno != EAGAIN) {
            return fail_errno(talk, "recv");
        }
        if (!wait_ready(talk, descriptor, POLLIN, wake)) {
            return false;
        }
    }
}

/* ---- the answer ---- */

static bool is_none(struct docker_talk *talk)
{
    talk->error.code = STATUS_INTERNAL;
    return error_wrap(&talk->error, "Docker's answer is not HTTP");
}

static bool ended_early(struct docker_talk *talk)
{
    return error_set(&talk->error, STATUS_UNAVAILABLE, "Docker closed the connection before its answer was complete");
}

static bool receive_head(struct docker_talk *talk, int descriptor, int wake, struct http_head *head)
{
    struct http_head_scan scan = {0};
    size_t size;
    bool ended = false;
    while ((size = http_head_find_end(&scan, buffer_bytes(&talk->received), &talk->error)) == 0) {
        if (talk->error.code != STATUS_OK) {
            return is_none(talk);
        }
        if (ended) {
            return ended_early(talk);
        }
        if (!receive(talk, descriptor, wake, &ended)) {
            return false;
        }
    }
    if (!http_head_read_answer(bytes_of(talk->received.data, size), false, head, &talk->error) || head->status < 200) {
        return is_none(talk);
    }
    talk->status = head->status;
    return true;
}

/* Receives the body. Its content is left behind the head in what was received, without the framing of chunks. */
static bool receive_body(struct docker_talk *talk, int descriptor, int wake, const struct http_head *head)
{
    struct http_body body;
    size_t read = head->size, len = head->size;
    bool ended = false;
    http_body_begin(&body, head);
    while (!http_body_has_ended(&body)) {
        struct bytes all = buffer_bytes(&talk->received), content = {0};
        size_t used = 0;
        if (!http_body_read(&body, bytes_after(all, read), &used, &content, &talk->error)) {
            return is_none(talk);
        }
        if (content.len > 0) {
            memmove(talk->received.data + len, content.data, content.len);
            len += content.len;
        }
        read += used;
        if (len - head->size > talk->most) {
            return error_set(&talk->error, STATUS_RESOURCE_EXHAUSTED, "Docker's answer is longer than %zu bytes", talk->most);
        }
        if (used > 0) {
            continue;
        }
        if (ended && head->framing == HTTP_UNTIL_CLOSE) {
            break;
        }
        if (ended) {
            return ended_early(talk);
        }
        talk->received.len = len; /* all was read */
        read = len;
        if (!receive(talk, descriptor, wake, &ended)) {
            return false;
        }
    }
    talk->body = bytes_of(talk->received.data + head->size, len - head->size);
    return true;
}

void docker_talk_run(struct docker_talk *talk, const char *path, const char *target, int wake)
{
    DESCRIPTOR_CLEANUP int descriptor = connect_to(talk, path, wake);
    struct http_head head = {0};
    if (descriptor >= 0 && send_request(talk, descriptor, target, wake) && receive_head(talk, descriptor, wake, &head)) {
        receive_body(talk, descriptor, wake, &head);
    }
}
