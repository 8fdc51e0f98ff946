#include "core/metrics/visit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWER_LARGEST ((size_t)160 << 20)
#define READ_SIZE 2048

struct visit {
    TAILQ_ENTRY(visit) place;
    struct visit_host *host;
    int fd;
    struct event happens; /* it can be read, or written to */
    struct event late;
    struct buffer request;
    struct http_head_scan scan;
    struct buffer answer;
    size_t sent;
    bool answered; /* all was sent; what still comes is thrown away until the other side closes */
};

void visit_end(struct visit *visit)
{
    struct visit_host *host = visit->host;
    event_del(&visit->happens);
    event_del(&visit->late);
    TAILQ_REMOVE(&host->visits, visit, place);
    host->count--;
    close(visit->fd);
    buffer_clear(&visit->request);
    buffer_clear(&visit->answer);
    free(visit);
}

/* Whoever has its answer, or has asked for nothing, loses nothing. */
void visit_end_least(struct visit_host *host)
{
    struct visit *least = TAILQ_FIRST(&host->visits), *visit;
    TAILQ_FOREACH(visit, &host->visits, place)
    {
        if (visit->answered || visit->answer.len == 0) {
            least = visit;
            break;
        }
    }
    if (least) {
        visit_end(least);
    }
}

/* ---- the answer ---- */

static const char *reason_of(unsigned status)
{
    switch (status) {
    case 200:
        return "OK";
    case 400:
        return "Bad Request";
    case 404:
        return "Not Found";
    case 405:
        return "Method Not Allowed";
    case 431:
        return "Request Header Fields Too Large";
    default:
        return "Service Unavailable";
    }
}

/* false: no memory. */
static bool write_answer(struct visit *visit, unsigned status, const char *type, struct bytes body, bool with_body)
{
    char head[512];
    int size = snprintf(head, sizeof head,
                        "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                        "X-Content-Type-Options: nosniff\r\n%sConnection: close\r\n\r\n",
                        status, reason_of(status), type, body.len, status == 405 ? "Allow: GET, HEAD\r\n" : "");
    return buffer_append(&visit->answer, bytes_of(head, (size_t)size), ANSWER_LARGEST) &&
           (!with_body || buffer_append(&visit->answer, body, ANSWER_LARGEST));
}

static bool refuse(struct visit *visit, unsigned status)
{
    char text[64];
    snprintf(text, sizeof text, "%s\n", reason_of(status));
    return write_answer(visit, status, "text/plain; charset=utf-8", bytes_of_string(text), true);
}

/* The value of the first field of that name; the lines were checked. */
static struct bytes field_of(struct bytes head, const char *name)
{
    size_t len = strlen(name);
    const char *at = (const char *)head.data, *end = at + head.len;
    const char *line = memchr(at, '\n', head.len);
    while (line && (size_t)(end - line) > len + 1) {
        const char *next = memchr(line + 1, '\n', (size_t)(end - line - 1));
        if (next && (size_t)(next - line) > len + 1 && strncasecmp(line + 1, name, len) == 0 && line[1 + len] == ':') {
            const char *value = line + len + 2;
            return bytes_of(value, (size_t)(next - value) - (next > value && next[-1] == '\r'));
        }
        line = next;
    }
    return (struct bytes){0};
}

static bool answer(struct visit *visit)
{
    struct http_head head;
    struct error error;
    const struct bytes request = buffer_bytes(&visit->request);
    if (!http_head_read_request(request, &head, &error)) {
        return refuse(visit, 400);
    }
    bool is_head = bytes_equal(head.method, bytes_of_string("HEAD"));
    if (!is_head && !bytes_equal(head.method, bytes_of_string("GET"))) {
        return refuse(visit, 405);
    }
    const uint8_t *query = memchr(head.target.data, '?', head.target.len);
    struct bytes path = bytes_of(head.target.data, query ? (size_t)(query - head.target.data) : head.target.len);
    struct buffer body = {0};
    const char *type = "text/plain; charset=utf-8";
    struct bytes accept = field_of(bytes_of(request.data, head.size), "accept");
    unsigned status = visit->host->answer(visit->host->state, path, accept, &body, &type);
    bool good = write_answer(visit, status, type, buffer_bytes(&body), !is_head);
    buffer_clear(&body);
    return good;
}

/* ---- its turns ---- */

static void on_happens(evutil_socket_t fd, short happened, void *state);

static bool wait_for(struct visit *visit, short what)
{
    event_del(&visit->happens);
    return event_assign(&visit->happens, visit->host->base, visit->fd, (short)(what | EV_PERSIST), on_happens, visit) == 0 &&
           event_add(&visit->happens, NULL) == 0;
}

/* false: the visit is over. */
static bool send_answer(struct visit *visit)
{
    while (visit->sent < visit->answer.len) {
        ssize_t sent = send(visit->fd, visit->answer.data + visit->sent, visit->answer.len - visit->sent, MSG_NOSIGNAL);
        if (sent < 0) {
            return errno == EAGAIN || errno == EINTR;
        }
        visit->sent += (size_t)sent;
    }
    visit->answered = true;
    buffer_clear(&visit->answer);
    shutdown(visit->fd, SHUT_WR);
    return wait_for(visit, EV_READ);
}

/* Reads the request as far as it has come. The same. */
static bool take_request(struct visit *visit)
{
    struct error error = {0};
    size_t size = http_head_find_end(&visit->scan, buffer_bytes(&visit->request), &error);
    bool too_big = size == 0 && (visit->request.len >= VISIT_HEAD_LARGEST || error.code == STATUS_RESOURCE_EXHAUSTED);
    if (size == 0 && !too_big && error.code == STATUS_OK) {
        return true;
    }
    bool good = size > 0 ? answer(visit) : refuse(visit, too_big ? 431 : 400);
    buffer_clear(&visit->request);
    return good && wait_for(visit, EV_WRITE) && send_answer(visit);
}

/* The same. */
static bool receive(struct visit *visit)
{
    uint8_t bytes[READ_SIZE];
    ssize_t size = recv(visit->fd, bytes, sizeof bytes, 0);
    if (size <= 0) {
        return size < 0 && (errno == EAGAIN || errno == EINTR);
    }
    if (visit->answered) {
        return true;
    }
    return buffer_append(&visit->request, bytes_of(bytes, (size_t)size), VISIT_HEAD_LARGEST + READ_SIZE) && take_request(visit);
}

static void on_happens(evutil_socket_t fd, short happened, void *state)
{
    struct visit *visit = state;
    (void)fd;
    if (!(happened & EV_WRITE ? send_answer(visit) : receive(visit))) {
        visit_end(visit);
    }
}

static void on_late(evutil_socket_t fd, short happened, void *state)
{
    (void)fd;
    (void)happened;
    visit_end(state);
}

void visit_begin(struct visit_host *host, int fd)
{
    const struct timeval longest = {.tv_sec = VISIT_LONGEST};
    struct visit *visit = calloc(1, sizeof *visit);
    if (!visit) {
        close(fd);
        return;
    }
    visit->host = host;
    visit->fd = fd;
    TAILQ_INSERT_TAIL(&host->visits, visit, place);
    host->count++;
    event_assign(&visit->happens, host->base, fd, EV_READ | EV_PERSIST, on_happens, visit);
    if (evtimer_assign(&visit->late, host->base, on_late, visit) != 0 || event_add(&visit->happens, NULL) != 0 ||
        evtimer_add(&visit->late, &longest) != 0 || !receive(visit)) {
        visit_end(visit);
    }
}
