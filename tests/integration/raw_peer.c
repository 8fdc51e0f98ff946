/* A peer that speaks HTTP/2 by hand, so that it can do what no library of gRPC does.
 *
 * usage: raw_peer PATH BEHAVIOUR [NUMBER [TEXT]]             a caller
 *        raw_peer --listen PATH BEHAVIOUR [NUMBER [TEXT]]    a runtime: answers Version; the behaviour begins with the first
 * list, or the first call of Unknown
 *
 *   resets SECONDS       calls Version and resets the call at once, again and again, over new connections when one ends
 *   calls SECONDS        calls Version as fast as the socket takes it, and lets no window grow for the answers
 *   endless-header       a header that is announced with 3 GB, in CONTINUATION frames, until the other side has enough
 *   endless-headers      headers without end, in CONTINUATION frames
 *   pings SECONDS        PING frames, and reads nothing
 *   settings SECONDS     SETTINGS frames, and reads nothing
 *   repeats COUNT        a call of Version that repeats a header of 2,800 bytes, 20 times in each of that many CONTINUATION
 *                        frames
 *   compressed FLAG [ENCODING]
 *                        one message with that number in the place of the mark of a compressed one
 *   metadata             as a caller, calls of several methods with metadata that may not be sent on, each kind alone;
 *                        `answers` counts those that INVALID_ARGUMENT answers. As a runtime, answers with such metadata
 *   unread COUNT         that many calls of ListContainers with windows of 2 GB, and reads nothing until SIGTERM
 *   hoard COUNT          that many calls of Version, with windows of one byte, until SIGTERM
 *   stall COUNT          that many calls of Version, and reads nothing until SIGTERM
 *   halves COUNT         that many calls of Version with half of their message, until SIGTERM
 *   connections COUNT    that many connections, which say nothing, until SIGTERM
 *   burst COUNT          that many calls of RunPodSandbox at once, as many of Version that are cancelled at once, and reads
 *                        all
 *
 * It prints a line of JSON: what was sent and what came back. Exit status 0 unless it could not begin. */
#include <errno.h>
#include <poll.h>
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

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, PING = 6, GOAWAY = 7, WINDOW_UPDATE = 8, CONTINUATION = 9 };
enum { END_STREAM = 1, ACK = 1, END_HEADERS = 4 };

#define FRAME_HEADER 9
#define MOST_PAYLOAD 16384
#define VERSION "/runtime.v1.RuntimeService/Version"
#define LIST "/runtime.v1.RuntimeService/ListContainers"
#define RUN "/runtime.v1.RuntimeService/RunPodSandbox"

struct peer {
    const char *path;
    const char *behaviour;
    long number;
    const char *text;
    int fd;
    uint32_t stream;   /* the last one that was used */
    bool broken;       /* the other side has closed the connection */
    bool reads;        /* and throws away what comes while it cannot send */
    bool stalled;      /* it has read nothing for two seconds */
    uint8_t in[65536]; /* what came and was not looked at */
    size_t in_size;
    unsigned long sent; /* frames, streams, connections: what the behaviour counts */
    unsigned long answers;
    char last_words[512]; /* what can be read of the last headers that came */
};

static volatile sig_atomic_t ended;

static void on_signal(int signal)
{
    (void)signal;
    ended = 1;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- bytes ---- */

struct bytes {
    uint8_t at[1 << 17];
    size_t size;
};

static void put(struct bytes *bytes, const void *data, size_t size)
{
    if (size > 0 && bytes->size + size <= sizeof bytes->at) {
        memcpy(bytes->at + bytes->size, data, size);
        bytes->size += size;
    }
}

static void put_frame(struct bytes *bytes, uint8_t type, uint8_t flags, uint32_t stream, const void *payload, size_t size)
{
    uint8_t header[FRAME_HEADER] = {
        (uint8_t)(size >> 16),   (uint8_t)(size >> 8),    (uint8_t)size,          type,           flags,
        (uint8_t)(stream >> 24), (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream};
    put(bytes, header, sizeof header);
    put(bytes, payload, size);
}

/* A number with seven bits of prefix, as HPACK (RFC 7541, section 5.1) has it. */
static void put_number(struct bytes *bytes, uint64_t number)
{
    uint8_t byte = (uint8_t)(number < 127 ? number : 127);
    put(bytes, &byte, 1);
    if (number < 127) {
        return;
    }
    for (number -= 127; number >= 128; number /= 128) {
        byte = (uint8_t)(number % 128 + 128);
        put(bytes, &byte, 1);
    }
    byte = (uint8_t)number;
    put(bytes, &byte, 1);
}

static void put_header(struct bytes *bytes, const char *name, const char *value)
{
    uint8_t literal = 0;
    put(bytes, &literal, 1);
    put_number(bytes, strlen(name));
    put(bytes, name, strlen(name));
    put_number(bytes, strlen(value));
    put(bytes, value, strlen(value));
}

static void put_request_headers(struct bytes *block, const char *path)
{
    put_header(block, ":method", "POST");
    put_header(block, ":scheme", "http");
    put_header(block, ":path", path);
    put_header(block, ":authority", "localhost");
    put_header(block, "te", "trailers");
    put_header(block, "content-type", "application/grpc");
}

/* A call with an empty message; `flags` END_STREAM unless the message is to go on. */
static uint32_t put_call(struct peer *peer, struct bytes *bytes, const char *path, const void *message, size_t size,
                         uint8_t flags)
{
    static struct bytes block;
    block.size = 0;
    put_request_headers(&block, path);
    peer->stream = peer->stream == 0 ? 1 : peer->stream + 2;
    put_frame(bytes, HEADERS, END_HEADERS, peer->stream, block.at, block.size);
    put_frame(bytes, DATA, flags, peer->stream, message, size);
    return peer->stream;
}

static const uint8_t empty_message[5];
static const uint8_t cancel[4] = {0, 0, 0, 8};

/* ---- the connection ---- */

static struct sockaddr_un address_of(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    return address;
}

/* Throws away what has come. */
static void read_away(struct peer *peer)
{
    static uint8_t away[65536];
    while (recv(peer->fd, away, sizeof away, MSG_DONTWAIT) > 0) {
    }
}

/* Waits for at most two seconds at a time, so that an end is noticed; what does not go within thirty never will. */
static void send_all(struct peer *peer, const void *data, size_t size)
{
    const uint8_t *at = data;
    int patience = 15;
    while (size > 0 && !peer->broken && !ended) {
        ssize_t sent = send(peer->fd, at, size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            at += sent;
            size -= (size_t)sent;
        } else if (errno == EAGAIN && patience-- > 0) {
            struct pollfd ready = {.fd = peer->fd, .events = (short)(peer->reads ? POLLOUT | POLLIN : POLLOUT)};
            bool taken = poll(&ready, 1, 2000) == 1;
            peer->stalled = peer->stalled || !taken;
            if (ready.revents & POLLIN) {
                read_away(peer);
                patience++;
            }
        } else {
            peer->broken = true;
        }
    }
}

static void send_bytes(struct peer *peer, struct bytes *bytes)
{
    send_all(peer, bytes->at, bytes->size);
    bytes->size = 0;
}

/* Settings: an initial window of that size for each stream unless it is 0, and the same for the connection. */
static bool open_connection(struct peer *peer, uint32_t window)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static struct bytes hello;
    struct sockaddr_un address = address_of(peer->path);
    peer->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    peer->stream = 0;
    peer->broken = false;
    peer->in_size = 0;
    if (peer->fd < 0 || connect(peer->fd, (struct sockaddr *)&address, sizeof address) != 0) {
        return false;
    }
    uint8_t setting[6] = {0, 4, (uint8_t)(window >> 24), (uint8_t)(window >> 16), (uint8_t)(window >> 8), (uint8_t)window};
    uint32_t more = window > 65535 ? window - 65535 : 0;
    uint8_t update[4] = {(uint8_t)(more >> 24), (uint8_t)(more >> 16), (uint8_t)(more >> 8), (uint8_t)more};
    hello.size = 0;
    put(&hello, preface, sizeof preface - 1);
    put_frame(&hello, SETTINGS, 0, 0, setting, window ? sizeof setting : 0);
    if (more > 0) {
        put_frame(&hello, WINDOW_UPDATE, 0, 0, update, sizeof update);
    }
    send_bytes(peer, &hello);
    return true;
}

/* ---- frames that come ---- */

struct frame {
    uint8_t type, flags;
    uint32_t stream;
    const uint8_t *payload;
    size_t size;
};

static void keep_words(struct peer *peer, const struct frame *frame)
{
    size_t kept = 0;
    for (size_t i = 0; i < frame->size && kept + 1 < sizeof peer->last_words; i++) {
        uint8_t byte = frame->payload[i];
        peer->last_words[kept++] = (char)(byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\' ? byte : '.');
    }
    peer->last_words[kept] = '\0';
}

/* The next frame, which is in the peer's memory until the one after. false when none comes in that time, or ever. */
static bool next_frame(struct peer *peer, int milliseconds, struct frame *frame)
{
    for (;;) {
        size_t size =
            peer->in_size >= FRAME_HEADER ? (size_t)peer->in[0] << 16 | (size_t)peer->in[1] << 8 | (size_t)peer->in[2] : 0;
        if (peer->in_size >= FRAME_HEADER && peer->in_size >= FRAME_HEADER + size) {
            static uint8_t payload[65536];
            const uint8_t *in = peer->in;
            memcpy(payload, in + FRAME_HEADER, size);
            *frame = (struct frame){.type = in[3],
                                    .flags = in[4],
                                    .stream = (uint32_t)in[5] << 24 | (uint32_t)in[6] << 16 | (uint32_t)in[7] << 8 | in[8],
                                    .payload = payload,
                                    .size = size};
            peer->in_size -= FRAME_HEADER + size;
            memmove(peer->in, in + FRAME_HEADER + size, peer->in_size);
            return true;
        }
        if (poll(&(struct pollfd){.fd = peer->fd, .events = POLLIN}, 1, milliseconds) != 1) {
            return false;
        }
        ssize_t got = recv(peer->fd, peer->in + peer->in_size, sizeof peer->in - peer->in_size, 0);
        if (got <= 0) {
            peer->broken = true;
            return false;
        }
        peer->in_size += (size_t)got;
    }
}

/* Reads until nothing comes for that long, and counts the calls that have ended with a message. */
static void read_answers(struct peer *peer, int milliseconds, unsigned long wanted)
{
    static struct bytes reply;
    struct frame frame;
    while (peer->answers < wanted && next_frame(peer, milliseconds, &frame)) {
        reply.size = 0;
        if (frame.type == PING && !(frame.flags & ACK)) {
            put_frame(&reply, PING, ACK, 0, frame.payload, frame.size);
        } else if (frame.type == DATA && frame.size > 0) {
            uint8_t update[4] = {0, 0, (uint8_t)(frame.size >> 8), (uint8_t)frame.size};
            put_frame(&reply, WINDOW_UPDATE, 0, 0, update, sizeof update);
            peer->answers++;
        } else if (frame.type == HEADERS && (frame.flags & END_STREAM)) {
            keep_words(peer, &frame);
        }
        send_bytes(peer, &reply);
    }
}

/* Reads until the only call has ended. */
static void read_end(struct peer *peer)
{
    struct frame frame = {0};
    while (!(frame.type == HEADERS && (frame.flags & END_STREAM)) && next_frame(peer, 10000, &frame)) {
        if (frame.type == HEADERS) {
            keep_words(peer, &frame);
        }
    }
}

/* ---- what it does ---- */

static void flood(struct peer *peer, void (*put_some)(struct peer *peer, struct bytes *bytes), bool reads)
{
    static struct bytes bytes;
    double end = now() + (double)peer->number;
    peer->reads = reads;
    while (now() < end && !ended) {
        put_some(peer, &bytes);
        send_bytes(peer, &bytes);
        if (reads) {
            read_away(peer);
        }
        if (peer->broken) {
            close(peer->fd);
            if (!open_connection(peer, 0)) {
                return;
            }
        }
    }
}

static void put_resets(struct peer *peer, struct bytes *bytes)
{
    for (int i = 0; i < 50; i++) {
        uint32_t stream = put_call(peer, bytes, VERSION, empty_message, sizeof empty_message, END_STREAM);
        put_frame(bytes, RST_STREAM, 0, stream, cancel, sizeof cancel);
    }
    peer->sent += 50;
}

static void put_calls(struct peer *peer, struct bytes *bytes)
{
    for (int i = 0; i < 50; i++) {
        put_call(peer, bytes, VERSION, empty_message, sizeof empty_message, END_STREAM);
    }
    peer->sent += 50;
}

static void put_pings(struct peer *peer, struct bytes *bytes)
{
    for (int i = 0; i < 500; i++) {
        put_frame(bytes, PING, 0, 0, "12345678", 8);
    }
    peer->sent += 500;
}

static void put_settings(struct peer *peer, struct bytes *bytes)
{
    for (int i = 0; i < 500; i++) {
        put_frame(bytes, SETTINGS, 0, 0, NULL, 0);
    }
    peer->sent += 500;
}

/* Until the other side ends it, or a gigabyte has gone. */
static void send_endless(struct peer *peer, uint32_t stream, bool one_header)
{
    static struct bytes bytes, block;
    static uint8_t piece[MOST_PAYLOAD];
    uint8_t literal = 0;
    block.size = 0;
    put_header(&block, ":status", "200");
    put(&block, &literal, 1);
    put_number(&block, 3);
    put(&block, "x-f", 3);
    put_number(&block, one_header ? 3000000000 : 10);
    put(&block, "cccccccccc", one_header ? 0 : 10);
    put_frame(&bytes, HEADERS, 0, stream, block.at, block.size);
    send_bytes(peer, &bytes);
    block.size = 0;
    while (block.size + 24 < sizeof piece) {
        put_header(&block, "x-f", "cccccccccccccccc");
    }
    memset(piece, 'c', sizeof piece);
    for (long i = 0; i < (1 << 16) && !peer->broken && !ended; i++) {
        put_frame(&bytes, CONTINUATION, 0, stream, one_header ? piece : block.at, one_header ? sizeof piece : block.size);
        send_bytes(peer, &bytes);
        peer->sent++;
    }
}

/* Each repetition takes one byte: the header's number in the table that both sides keep (RFC 7541, section 6.1). */
static void send_repeats(struct peer *peer)
{
    static struct bytes bytes, block;
    static char value[2801];
    static const uint8_t kept = 0x40;
    uint8_t repetitions[20];
    memset(value, 'v', sizeof value - 1);
    memset(repetitions, 0x80 | 62, sizeof repetitions);
    put_request_headers(&block, VERSION);
    put(&block, &kept, 1);
    put_number(&block, 3);
    put(&block, "x-f", 3);
    put_number(&block, sizeof value - 1);
    put(&block, value, sizeof value - 1);
    put_frame(&bytes, HEADERS, 0, 1, block.at, block.size);
    for (; (long)peer->sent < peer->number; peer->sent++) {
        uint8_t flags = (long)peer->sent + 1 == peer->number ? END_HEADERS : 0;
        put_frame(&bytes, CONTINUATION, flags, 1, repetitions, sizeof repetitions);
    }
    put_frame(&bytes, DATA, END_STREAM, 1, empty_message, sizeof empty_message);
    send_bytes(peer, &bytes);
    read_answers(peer, 2000, 1);
}

/* A message with the peer's number in the place of the mark of a compressed one. */
#define MARKED_MESSAGE(peer) ((const uint8_t[]){(uint8_t)(peer)->number, 0, 0, 0, 4, 0x0a, 2, 0x0a, 0})
#define MARKED_SIZE 9

static void send_compressed(struct peer *peer)
{
    static struct bytes bytes, block;
    put_request_headers(&block, LIST);
    if (peer->text) {
        put_header(&block, "grpc-encoding", peer->text);
    }
    put_frame(&bytes, HEADERS, END_HEADERS, 1, block.at, block.size);
    put_frame(&bytes, DATA, END_STREAM, 1, MARKED_MESSAGE(peer), MARKED_SIZE);
    send_bytes(peer, &bytes);
    peer->sent = 1;
    read_end(peer);
}

/* What HTTP/2 forbids, and C core takes in but does not send. */
static const char *const odd_metadata[][2] = {
    {"x-odd", "a\x01z"},
    {"x-odd", "caf\xc3\xa9"},
    {"x-odd", "\x7f"},
    {"x-odd", "a\nb"},
    {"x-odd", "\t"},
    {"X-Odd", "a"},
    {"x odd", "a"},
    {"x-od\x01", "a"},
    {"x\xc3\xb6", "a"},
    {"x-odd", "\xff"},
    {"x:odd", "a\x01\x02\x03"},
    {"x-odd-bin2", "\x80"},
};

static void call_oddly(struct peer *peer, const char *path, const char *const header[2])
{
    static struct bytes bytes, block;
    block.size = 0;
    put_request_headers(&block, path);
    put_header(&block, header[0], header[1]);
    put_frame(&bytes, HEADERS, END_HEADERS, 1, block.at, block.size);
    put_frame(&bytes, DATA, END_STREAM, 1, empty_message, sizeof empty_message);
    send_bytes(peer, &bytes);
    peer->sent++;
}

static void send_metadata(struct peer *peer)
{
    static const char *const paths[] = {"/runtime.v1.RuntimeService/Unknown",
                                        "/runtime.v1.ImageService/Unknown",
                                        "/runtime.v1alpha2.RuntimeService/Unknown",
                                        VERSION,
                                        LIST,
                                        "/runtime.v1.RuntimeService/StopContainer",
                                        "/runtime.v1.RuntimeService/StreamContainers",
                                        "/runtime.v1.RuntimeService/GetContainerEvents"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        for (size_t j = 0; j < sizeof odd_metadata / sizeof odd_metadata[0]; j++) {
            close(peer->fd);
            if (!open_connection(peer, 0)) {
                return;
            }
            peer->last_words[0] = '\0';
            call_oddly(peer, paths[i], odd_metadata[j]);
            read_end(peer);
            peer->answers += strstr(peer->last_words, "grpc-status.3") != NULL;
        }
    }
}

static void wait_for_end(struct peer *peer)
{
    printf("{\"ready\": %lu}\n", peer->sent);
    fflush(stdout);
    while (!ended) {
        pause();
    }
}

/* Calls over a new connection, whose windows have that size; 0: as HTTP/2 begins. Reads nothing. */
static void send_calls(struct peer *peer, uint32_t window, const char *path)
{
    static struct bytes bytes;
    close(peer->fd);
    open_connection(peer, window);
    for (long i = 0; i < peer->number; i++, peer->sent++) {
        put_call(peer, &bytes, path, empty_message, sizeof empty_message, END_STREAM);
        send_bytes(peer, &bytes);
    }
    wait_for_end(peer);
}

static void send_unread(struct peer *peer)
{
    send_calls(peer, 0x7fffffff, LIST);
}

static void hoard(struct peer *peer)
{
    send_calls(peer, 1, VERSION);
}

static void stall(struct peer *peer)
{
    send_calls(peer, 0, VERSION);
}

static void send_halves(struct peer *peer)
{
    static const uint8_t half[] = {0, 0, 0, 0, 16};
    static struct bytes bytes;
    for (long i = 0; i < peer->number && !peer->broken; i++, peer->sent++) {
        put_call(peer, &bytes, VERSION, half, sizeof half, 0);
        send_bytes(peer, &bytes);
        read_away(peer);
    }
    wait_for_end(peer);
}

static void hold_connections(struct peer *peer)
{
    struct sockaddr_un address = address_of(peer->path);
    for (long i = 0; i < peer->number; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        peer->sent += fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0;
    }
    wait_for_end(peer);
}

static void send_burst(struct peer *peer)
{
    static struct bytes bytes;
    /* {config: {metadata: {name: "p", uid: "NUMBER", namespace: "n"}}} */
    for (long i = 0; i < peer->number; i++, peer->sent++) {
        uint8_t message[] = {0, 0, 0, 0, 18, 0x0a, 16, 0x0a, 14, 0x0a, 1, 'p', 0x12, 5, 0, 0, 0, 0, 0, 0x1a, 1, 'n'};
        message[4] = sizeof message - 5;
        message[6] = sizeof message - 7;
        message[8] = sizeof message - 9;
        for (long j = 0, rest = i; j < 5; j++, rest /= 10) {
            message[14 + j] = (uint8_t)('0' + rest % 10);
        }
        put_call(peer, &bytes, RUN, message, sizeof message, END_STREAM);
        uint32_t stream = put_call(peer, &bytes, VERSION, empty_message, sizeof empty_message, END_STREAM);
        put_frame(&bytes, RST_STREAM, 0, stream, cancel, sizeof cancel);
        send_bytes(peer, &bytes);
    }
    read_answers(peer, 10000, (unsigned long)peer->number);
}

/* The part of caller and runtime that is the same. */
static bool behave(struct peer *peer, uint32_t stream)
{
    const char *behaviour = peer->behaviour;
    bool one = strcmp(behaviour, "endless-header") == 0;
    if (one || strcmp(behaviour, "endless-headers") == 0) {
        send_endless(peer, stream, one);
    } else if (strcmp(behaviour, "pings") == 0) {
        flood(peer, put_pings, false);
    } else if (strcmp(behaviour, "settings") == 0) {
        flood(peer, put_settings, false);
    } else {
        return false;
    }
    return true;
}

static bool behave_as_caller(struct peer *peer)
{
    static const struct {
        const char *name;
        void (*act)(struct peer *peer);
    } acts[] = {
        {"compressed", send_compressed}, {"unread", send_unread}, {"halves", send_halves}, {"connections", hold_connections},
        {"burst", send_burst},           {"hoard", hoard},        {"stall", stall},        {"repeats", send_repeats},
        {"metadata", send_metadata},
    };
    for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++) {
        if (strcmp(peer->behaviour, acts[i].name) == 0) {
            acts[i].act(peer);
            return true;
        }
    }
    bool resets = strcmp(peer->behaviour, "resets") == 0;
    if (resets || strcmp(peer->behaviour, "calls") == 0) {
        flood(peer, resets ? put_resets : put_calls, true);
        return true;
    }
    return behave(peer, 1);
}

/* ---- as a runtime ---- */

static void put_odd_metadata(struct bytes *block)
{
    for (size_t i = 0; i < sizeof odd_metadata / sizeof odd_metadata[0]; i++) {
        put_header(block, odd_metadata[i][0], odd_metadata[i][1]);
    }
}

/* Puts an answer; `encoding` may be NULL. */
static void put_message_answer(struct bytes *bytes, uint32_t stream, const char *encoding, bool odd, const uint8_t *message,
                               size_t size)
{
    static struct bytes block;
    block.size = 0;
    put_header(&block, ":status", "200");
    put_header(&block, "content-type", "application/grpc");
    if (encoding) {
        put_header(&block, "grpc-encoding", encoding);
    }
    if (odd) {
        put_odd_metadata(&block);
    }
    put_frame(bytes, HEADERS, END_HEADERS, stream, block.at, block.size);
    put_frame(bytes, DATA, 0, stream, message, size);
    block.size = 0;
    put_header(&block, "grpc-status", "0");
    if (odd) {
        put_odd_metadata(&block);
    }
    put_frame(bytes, HEADERS, END_HEADERS | END_STREAM, stream, block.at, block.size);
}

static void put_answer(struct bytes *bytes, uint32_t stream)
{
    static const uint8_t version[] = "\0\0\0\0\x16\x0a\x05"
                                     "0.1.0"
                                     "\x12\x03raw"
                                     "\x1a\x03"
                                     "1.0"
                                     "\x22\x02v1";
    uint8_t message[sizeof version - 1];
    memcpy(message, version, sizeof message);
    message[4] = sizeof message - 5;
    put_message_answer(bytes, stream, NULL, false, message, sizeof message);
}

/* A path is in full in the first call of its kind on a connection, and a number afterwards: a call that does not name its path
   repeats one that did. Calls of Version are the first of all. */
static void serve_connection(struct peer *peer)
{
    static struct bytes bytes;
    struct frame frame;
    uint8_t preface[24];
    bool listed = false;
    peer->in_size = 0;
    peer->broken = recv(peer->fd, preface, sizeof preface, MSG_WAITALL) != sizeof preface;
    put_frame(&bytes, SETTINGS, 0, 0, NULL, 0);
    while (!peer->broken && !ended && (next_frame(peer, 200, &frame) || !peer->broken)) {
        if (frame.type == SETTINGS && !(frame.flags & ACK)) {
            put_frame(&bytes, SETTINGS, ACK, 0, NULL, 0);
        } else if (frame.type == PING && !(frame.flags & ACK)) {
            put_frame(&bytes, PING, ACK, 0, frame.payload, frame.size);
        } else if (frame.type == HEADERS) {
            listed = listed || memmem(frame.payload, frame.size, "/List", 5) != NULL ||
                     memmem(frame.payload, frame.size, "/Unknown", 8) != NULL;
            if (!listed) {
                put_answer(&bytes, frame.stream);
            } else if (strcmp(peer->behaviour, "compressed") == 0) {
                put_message_answer(&bytes, frame.stream, peer->text, false, MARKED_MESSAGE(peer), MARKED_SIZE);
            } else if (strcmp(peer->behaviour, "metadata") == 0) {
                put_message_answer(&bytes, frame.stream, NULL, true, empty_message, sizeof empty_message);
            } else {
                behave(peer, frame.stream);
            }
        }
        send_bytes(peer, &bytes);
        frame.type = DATA;
    }
    close(peer->fd);
}

static bool serve(struct peer *peer)
{
    struct sockaddr_un address = address_of(peer->path);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    unlink(peer->path);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 10) != 0) {
        return false;
    }
    printf("listening on %s\n", peer->path);
    fflush(stdout);
    while (!ended) {
        peer->fd = accept(listener, NULL, NULL);
        if (peer->fd >= 0) {
            serve_connection(peer);
        }
    }
    close(listener);
    return true;
}

int main(int argc, char **argv)
{
    static struct peer peer;
    bool listens = argc > 1 && strcmp(argv[1], "--listen") == 0;
    char **arguments = argv + (listens ? 2 : 1);
    if (argc - (listens ? 2 : 1) < 2) {
        fprintf(stderr, "usage: raw_peer [--listen] PATH BEHAVIOUR [NUMBER [TEXT]]\n");
        return 2;
    }
    peer.path = arguments[0];
    peer.behaviour = arguments[1];
    peer.number = arguments[2] ? strtol(arguments[2], NULL, 10) : 0;
    peer.text = arguments[2] ? arguments[3] : NULL;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    bool good = listens ? serve(&peer) : open_connection(&peer, 0) && behave_as_caller(&peer);
    printf("{\"sent\": %lu, \"answers\": %lu, \"broken\": %s, \"stalled\": %s, \"last_words\": \"%s\"}\n", peer.sent,
           peer.answers, peer.broken ? "true" : "false", peer.stalled ? "true" : "false", peer.last_words);
    return good ? 0 : 1;
}
