/* Any bytes as what a scraper sends, in pieces: there is one answer, well-formed and of a status that is declared, or none as
   long as the request is not whole; and nothing is left of the connection. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/metrics/visit.h"
#include "fuzz.h"

#define ANSWER_ROOM 8192

static unsigned asked;

/* What is asked for has no query, and is within the request. */
static unsigned on_request(void *state, struct bytes path, struct bytes accept, struct buffer *body, const char **type)
{
    (void)state;
    asked++;
    must(path.len > 0 && (path.data[0] == '/' || path.data[0] == '*') && !memchr(path.data, '?', path.len));
    must(accept.len == 0 || (!memchr(accept.data, '\n', accept.len) && !memchr(accept.data, '\r', accept.len)));
    must(buffer_append(body, path, VISIT_HEAD_LARGEST + 4096));
    *type = "text/plain; charset=utf-8";
    return path.len > 4 ? 200 : 404;
}

static struct event_base *make_base(void)
{
    static struct event_base *base;
    if (!base) {
        base = event_base_new();
        must(base != NULL);
    }
    return base;
}

/* All that the visit can do by itself. */
static void turn(struct visit_host *host)
{
    for (int i = 0; i < 4; i++) {
        event_base_loop(host->base, EVLOOP_NONBLOCK);
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void check(const char *text, size_t len)
{
    static const char *const statuses[] = {"200 OK", "400 Bad Request", "404 Not Found", "405 Method Not Allowed",
                                           "431 Request Header Fields Too Large"};
    bool known = false;
    must(begins(text, "HTTP/1.1 "));
    for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        known |= begins(text + strlen("HTTP/1.1 "), statuses[i]);
    }
    const char *end = memmem(text, len, "\r\n\r\n", 4), *length = strstr(text, "\r\nContent-Length: ");
    must(known && end && length && length < end);
    size_t body = len - (size_t)(end + 4 - text), promised = strtoul(length + strlen("\r\nContent-Length: "), NULL, 10);
    must(body == promised || (body == 0 && asked == 1)); /* a HEAD has none */
    must(asked == 1 || !begins(text, "HTTP/1.1 200"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char text[VISIT_HEAD_LARGEST + ANSWER_ROOM];
    struct visit_host host = {.base = make_base(), .answer = on_request};
    int ends[2];
    size_t piece = size > 0 ? data[0] * (size_t)16 + 1 : 1, len = 0;
    ssize_t got = 1;
    asked = 0;
    TAILQ_INIT(&host.visits);
    must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
    visit_begin(&host, ends[1]);
    for (size_t at = 1; at < size; at += piece) {
        size_t more = size - at < piece ? size - at : piece;
        (void)!send(ends[0], data + at, more, MSG_NOSIGNAL | MSG_DONTWAIT);
        turn(&host);
    }
    shutdown(ends[0], SHUT_WR);
    for (int i = 0; i < 64 && host.count > 0; i++) {
        turn(&host);
    }
    while (got > 0 && len < sizeof text - 1) {
        got = recv(ends[0], text + len, sizeof text - 1 - len, MSG_DONTWAIT);
        len += got > 0 ? (size_t)got : 0;
    }
    text[len] = '\0';
    must(host.count == 0 && TAILQ_EMPTY(&host.visits) && asked <= 1);
    if (len > 0) {
        check(text, len);
    }
    close(ends[0]);
    return 0;
}
