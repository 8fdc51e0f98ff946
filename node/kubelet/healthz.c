#include "node/kubelet/healthz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/http/get.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"

/* An answer has a few headers and a word. The rest of a longer one is not read. */
#define ANSWER_SIZE 4096

/* So much of an answer is shown. */
#define SHOWN 80

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool read_port(const char *text, in_port_t *port)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    *port = htons((in_port_t)number);
    return *text >= '0' && *text <= '9' && *end == '\0' && number > 0 && number <= 65535;
}

/* The length of the address, 0 if it is none. Names are not looked up. */
static socklen_t read_address(const char *text, union address *address)
{
    char host[INET6_ADDRSTRLEN];
    const char *colon = strrchr(text, ':');
    bool bracketed = colon && colon > text + 1 && text[0] == '[' && colon[-1] == ']';
    int len = colon ? (int)(colon - text) - (bracketed ? 2 : 0) : 0;
    in_port_t port;
    if (!colon || !read_port(colon + 1, &port) ||
        snprintf(host, sizeof host, "%.*s", len, text + bracketed) >= (int)sizeof host) {
        return 0;
    }
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, len == 0 || strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = port;
        if (address->v4.sin_addr.s_addr == htonl(INADDR_ANY)) {
            address->v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        }
        return sizeof address->v4;
    }
    if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = port;
        if (IN6_IS_ADDR_UNSPECIFIED(&address->v6.sin6_addr)) {
            address->v6.sin6_addr = in6addr_loopback;
        }
        return sizeof address->v6;
    }
    return 0;
}

static bool no_answer(const char *address, int reason, struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "http://%s/healthz does not answer: %s", address, strerror(reason));
}

/* 0 or an errno. */
static int open_connection(int connection, const union address *address, socklen_t len, int64_t end)
{
    int reason = 0;
    socklen_t size = sizeof reason;
    if (connect(connection, &address->any, len) == 0) {
        return 0;
    }
    if (errno != EINPROGRESS) {
        return errno;
    }
    int waited = descriptor_wait(connection, POLLOUT, end);
    return waited != 0 ? waited : getsockopt(connection, SOL_SOCKET, SO_ERROR, &reason, &size) == 0 ? reason : errno;
}

bool healthz_ask(const char *address, unsigned timeout, struct error *error)
{
    union address to;
    char answer[ANSWER_SIZE];
    size_t len = 0;
    int64_t end = clock_ms() + timeout;
    socklen_t to_len = read_address(address, &to);
    if (to_len == 0) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "\"%s\" is not an address with a port", address);
    }
    int connection DESCRIPTOR_CLEANUP = socket(to.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int reason = connection < 0 ? errno : open_connection(connection, &to, to_len, end);
    if (reason == 0) {
        reason = http_get(connection, address, "/healthz", end, answer, sizeof answer, &len);
    }
    if (reason != 0) {
        return no_answer(address, reason, error);
    }
    return healthz_is_well(bytes_of(answer, len), error) || error_wrap(error, "http://%s/healthz", address);
}

/* The first line, or the text below the headers, cut and cleaned. */
static void copy_line(struct bytes text, char *line)
{
    size_t len = 0;
    while (len < text.len && len < SHOWN && text.data[len] != '\r' && text.data[len] != '\n') {
        line[len] = (char)(text.data[len] >= ' ' && text.data[len] <= '~' ? text.data[len] : '?');
        len++;
    }
    line[len] = '\0';
}

bool healthz_is_well(struct bytes answer, struct error *error)
{
    char line[SHOWN + 1];
    static const char version[] = "HTTP/1.";
    struct bytes status = answer.len > strlen("HTTP/1.1 ") ? bytes_after(answer, strlen("HTTP/1.1 ")) : bytes_of(NULL, 0);
    if (!bytes_start_with(answer, bytes_of_string(version)) || status.len < 3) {
        return error_set(error, STATUS_FAILED_PRECONDITION, "this is not the answer of an HTTP server");
    }
    if (memcmp(status.data, "200", 3) != 0) {
        copy_line(status, line);
        return error_set(error, STATUS_FAILED_PRECONDITION, "it answers \"%s\"", line);
    }
    const uint8_t *body = memmem(answer.data, answer.len, "\r\n\r\n", 4);
    struct bytes text = body ? bytes_after(answer, (size_t)(body + 4 - answer.data)) : bytes_of(NULL, 0);
    copy_line(text, line);
    return strcmp(line, "ok") == 0 || error_set(error, STATUS_FAILED_PRECONDITION, "it answers \"%s\", not \"ok\"", line);
}
