/* Measures HTTP on Unix sockets: what a request takes, and how fast a long answer comes, on several ways to one server in turn.

   usage: http-bench serve SOCKET
          http-bench ping BLOCKS REQUESTS SOCKET...     a way for each socket; the first leads to the server itself
          http-bench stream TARGET ROUNDS SOCKET...

   `serve` answers GET /_ping as Docker Engine does, /length/N with N bytes by Content-Length, and /chunks/N in chunks of 32 KiB,
   as Docker's `save` comes. `ping` prints a line for each way: its median in microseconds, and quartiles of what it adds to the
   first. All ways are asked in one process, block by block in turn, on a connection each that is kept. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/system/unix_socket.h"
#include "tests/bench/numbers.h"

#define WAYS_MOST 8

/* Blocks, requests of a block, or rounds. */
#define COUNT_MOST 100000
#define CHUNK ((size_t)32 * 1024)

static void die(const char *what)
{
    perror(what);
    exit(EXIT_FAILURE);
}

static bool write_some(int fd, const void *data, size_t len)
{
    for (const char *at = data; len > 0;) {
        ssize_t sent = send(fd, at, len, MSG_NOSIGNAL);
        if (sent <= 0) {
            return false;
        }
        at += sent;
        len -= (size_t)sent;
    }
    return true;
}

static void send_all(int fd, const void *data, size_t len)
{
    if (!write_some(fd, data, len)) {
        die("send");
    }
}

/* ---- the server ---- */

static const char ping[] =
    "HTTP/1.1 200 OK\r\nApi-Version: 1.41\r\nCache-Control: no-cache, no-store, must-revalidate\r\n"
    "Content-Length: 2\r\nContent-Type: text/plain; charset=utf-8\r\nDocker-Experimental: false\r\nOstype: linux\r\n"
    "Pragma: no-cache\r\nServer: Docker/20.10.24+dfsg1 (linux)\r\nDate: Mon, 23 Nov 2026 00:00:00 GMT\r\n\r\nOK";

static bool answer_long(int fd, size_t left, bool chunks)
{
    static char block[CHUNK + 16];
    char head[128];
    snprintf(head, sizeof head,
             chunks ? "HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    : "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
             left);
    bool good = write_some(fd, head, strlen(head));
    while (good && left > 0) {
        size_t size = left < CHUNK ? left : CHUNK;
        char *begin = block + 6;
        char line[8];
        if (chunks) {
            snprintf(line, sizeof line, "%04zx\r\n", size);
            memcpy(block, line, 6);
            memcpy(block + 6 + size, "\r\n", 2);
            begin = block;
        }
        good = write_some(fd, begin, chunks ? size + 8 : size);
        left -= size;
    }
    return good && (!chunks || write_some(fd, "0\r\n\r\n", 5));
}

static bool answer(int fd, const char *request)
{
    size_t length;
    if (sscanf(request, "GET /length/%zu ", &length) == 1) {
        return answer_long(fd, length, false);
    }
    if (sscanf(request, "GET /chunks/%zu ", &length) == 1) {
        return answer_long(fd, length, true);
    }
    return write_some(fd, ping, sizeof ping - 1);
}

static void *serve_one(void *state)
{
    int fd = (int)(intptr_t)state;
    char request[4096];
    size_t len = 0;
    ssize_t got;
    while ((got = read(fd, request + len, sizeof request - 1 - len)) > 0) {
        len += (size_t)got;
        request[len] = '\0';
        if (strstr(request, "\r\n\r\n")) {
            len = 0;
            if (!answer(fd, request) || strstr(request, "Connection: close")) {
                break;
            }
        }
    }
    close(fd);
    return NULL;
}

_Noreturn static void serve(const char *path)
{
    struct sockaddr_un address;
    int listener = unix_socket_address(path, &address) ? socket(AF_UNIX, SOCK_STREAM, 0) : -1;
    if (listener < 0 || bind(listener, (struct sockaddr *)(void *)&address, sizeof address) != 0 || listen(listener, 128) != 0) {
        die(path);
    }
    for (;;) {
        pthread_t thread;
        int fd = accept(listener, NULL, NULL);
        if (fd >= 0 && pthread_create(&thread, NULL, serve_one, (void *)(intptr_t)fd) == 0) {
            pthread_detach(thread);
        }
    }
}

/* ---- the client ---- */

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

static int connect_to(const char *path)
{
    int fd = unix_socket_connect(path, 0);
    if (fd < 0) {
        die(path);
    }
    return fd;
}

/* Nanoseconds of one GET /_ping. */
static int64_t ask(int fd)
{
    static const char request[] = "GET /_ping HTTP/1.1\r\nHost: docker\r\nUser-Agent: bench\r\n\r\n";
    char text[4096];
    size_t len = 0;
    int64_t begin = now();
    send_all(fd, request, sizeof request - 1);
    do {
        ssize_t got = read(fd, text + len, sizeof text - 1 - len);
        if (got <= 0) {
            die("read");
        }
        len += (size_t)got;
    } while (len < 6 || memcmp(text + len - 6, "\r\n\r\nOK", 6) != 0);
    return now() - begin;
}

static int measure_pings(char **sockets, size_t ways, size_t blocks, size_t requests)
{
    int fds[WAYS_MOST];
    struct numbers medians[WAYS_MOST] = {{0}}, times = {0};
    for (size_t way = 0; way < ways; way++) {
        fds[way] = connect_to(sockets[way]);
    }
    for (size_t block = 0; block < blocks + 1; block++) { /* the first warms up */
        for (size_t way = 0; way < ways; way++) {
            times.count = 0;
            for (size_t i = 0; i < requests; i++) {
                numbers_add(&times, (double)ask(fds[way]) / 1000);
            }
            if (block > 0) {
                numbers_add(&medians[way], numbers_spread(&times).median);
            }
        }
    }
    struct numbers added[WAYS_MOST] = {{0}};
    printf("%-40s %10s %30s\n", "way", "median us", "added us (quartiles)");
    for (size_t i = 0; i < blocks; i++) {
        for (size_t way = 0; way < ways; way++) {
            numbers_add(&added[way], medians[way].values[i] - medians[0].values[i]);
        }
    }
    for (size_t way = 0; way < ways; way++) {
        struct spread more = numbers_spread(&added[way]);
        printf("%-40s %10.2f %10.2f (%.2f to %.2f)\n", sockets[way], numbers_spread(&medians[way]).median, more.median, more.low,
               more.high);
        numbers_free(&added[way]);
        numbers_free(&medians[way]);
    }
    numbers_free(&times);
    return EXIT_SUCCESS;
}

/* Megabytes a second of one long answer. The end of the connection ends it. */
static double stream_once(const char *path, const char *target, size_t *total)
{
    static char block[1 << 18];
    char request[512];
    int fd = connect_to(path);
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: docker\r\nConnection: close\r\n\r\n", target);
    int64_t begin = now();
    send_all(fd, request, strlen(request));
    ssize_t got;
    *total = 0;
    while ((got = read(fd, block, sizeof block)) > 0) {
        *total += (size_t)got;
    }
    double seconds = (double)(now() - begin) / 1e9;
    close(fd);
    return (double)*total / 1e6 / seconds;
}

static int measure_stream(const char *target, size_t rounds, char **sockets, size_t ways)
{
    struct numbers speeds[WAYS_MOST] = {{0}};
    size_t expected = 0;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t way = 0; way < ways; way++) {
            size_t total;
            numbers_add(&speeds[way], stream_once(sockets[way], target, &total));
            expected = way == 0 ? total : expected;
            if (total + 4096 < expected) {
                fprintf(stderr, "%s: only %zu bytes came\n", sockets[way], total);
                return EXIT_FAILURE;
            }
        }
    }
    for (size_t way = 0; way < ways; way++) {
        printf("%-40s %10.0f MB/s\n", sockets[way], numbers_spread(&speeds[way]).median);
        numbers_free(&speeds[way]);
    }
    return EXIT_SUCCESS;
}

static size_t count_of(const char *text)
{
    unsigned long count = strtoul(text, NULL, 10);
    if (count == 0 || count > COUNT_MOST) {
        fprintf(stderr, "%s: not a number from 1 to %d\n", text, COUNT_MOST);
        exit(EXIT_FAILURE);
    }
    return count;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "serve") == 0) {
        serve(argv[2]);
    }
    if (argc >= 5 && argc <= 4 + WAYS_MOST && strcmp(argv[1], "ping") == 0) {
        return measure_pings(argv + 4, (size_t)argc - 4, count_of(argv[2]), count_of(argv[3]));
    }
    if (argc >= 5 && argc <= 4 + WAYS_MOST && strcmp(argv[1], "stream") == 0) {
        return measure_stream(argv[2], count_of(argv[3]), argv + 4, (size_t)argc - 4);
    }
    fprintf(stderr, "usage: http-bench serve SOCKET | ping BLOCKS REQUESTS SOCKET... | stream TARGET ROUNDS SOCKET...\n");
    return EXIT_FAILURE;
}
