/* A caller that makes calls on one connection and reads no byte of what comes back.
 *
 * usage: stalled_caller unix:///SOCKET PATH COUNT
 *
 * Speaks HTTP/2 by itself, as a library would read. The calls have an empty message. Prints "all calls are sent", or how many
 * were when the other side hung up, and stays until SIGTERM. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* RFC 9113, section 6: types and flags of frames. */
enum { DATA = 0, HEADERS = 1, SETTINGS = 4 };
enum { END_STREAM = 1, END_HEADERS = 4 };

struct text {
    uint8_t bytes[1024];
    size_t length;
};

static void add(struct text *text, const void *bytes, size_t length)
{
    if (length > sizeof text->bytes - text->length) {
        abort();
    }
    memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
}

/* RFC 7541, section 6.2.2: a literal field with a literal name, neither indexed nor compressed. Up to 126 bytes each. */
static void add_header(struct text *text, const char *name, const char *value)
{
    const uint8_t name_head[] = {0, (uint8_t)strlen(name)};
    const uint8_t value_head[] = {(uint8_t)strlen(value)};
    add(text, name_head, sizeof name_head);
    add(text, name, strlen(name));
    add(text, value_head, sizeof value_head);
    add(text, value, strlen(value));
}

static void add_frame(struct text *text, uint8_t type, uint8_t flags, uint32_t stream, const void *payload, size_t length)
{
    const uint8_t head[] = {(uint8_t)(length >> 16), (uint8_t)(length >> 8),  (uint8_t)length,        type,           flags,
                            (uint8_t)(stream >> 24), (uint8_t)(stream >> 16), (uint8_t)(stream >> 8), (uint8_t)stream};
    add(text, head, sizeof head);
    add(text, payload, length);
}

static bool send_all(int connection, const struct text *text)
{
    for (size_t sent = 0; sent < text->length;) {
        ssize_t now = send(connection, text->bytes + sent, text->length - sent, MSG_NOSIGNAL);
        if (now < 0 && errno != EINTR) {
            return false;
        }
        sent += now > 0 ? (size_t)now : 0;
    }
    return true;
}

static bool open_connection(int connection)
{
    static const char preface[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    struct text text = {0};
    add(&text, preface, sizeof preface - 1);
    add_frame(&text, SETTINGS, 0, 0, "", 0);
    return send_all(connection, &text);
}

static bool send_call(int connection, const char *path, uint32_t stream)
{
    struct text headers = {0}, text = {0};
    static const uint8_t empty_message[5] = {0};
    add_header(&headers, ":method", "POST");
    add_header(&headers, ":scheme", "http");
    add_header(&headers, ":path", path);
    add_header(&headers, ":authority", "localhost");
    add_header(&headers, "te", "trailers");
    add_header(&headers, "content-type", "application/grpc");
    add_frame(&text, HEADERS, END_HEADERS, stream, headers.bytes, headers.length);
    add_frame(&text, DATA, END_STREAM, stream, empty_message, sizeof empty_message);
    return send_all(connection, &text);
}

int main(int argc, char **argv)
{
    static const char scheme[] = "unix://";
    unsigned long count = argc == 4 ? strtoul(argv[3], NULL, 10) : 0;
    if (count == 0 || strncmp(argv[1], scheme, sizeof scheme - 1) != 0 || strlen(argv[2]) > 126) {
        fputs("usage: stalled_caller unix:///SOCKET PATH COUNT\n", stderr);
        return 2;
    }
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", argv[1] + sizeof scheme - 1);
    int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0 || connect(connection, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("stalled_caller");
        return EXIT_FAILURE;
    }
    unsigned long sent = 0;
    bool open = open_connection(connection);
    while (open && sent < count) {
        open = send_call(connection, argv[2], (uint32_t)(2 * sent + 1));
        sent += open;
    }
    if (open) {
        puts("all calls are sent");
    } else {
        printf("%lu calls were sent\n", sent);
    }
    fflush(stdout);
    pause();
    return EXIT_SUCCESS;
}
