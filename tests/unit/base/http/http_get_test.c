/* One question to an HTTP server, over a pair of sockets. */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/http/get.h"
#include "base/system/clock.h"
#include "tests/cmocka.h"

#define LONG 60000 /* milliseconds */
#define SHORT 50

static const char reply[] = "HTTP/1.0 200 OK\r\n\r\nok";

struct ends {
    int own;
    int server;
};

/* The server's end has the answer in it already. */
static struct ends make_ends(const char *answer)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
    assert_int_equal(send(pair[1], answer, strlen(answer), 0), strlen(answer));
    return (struct ends){pair[0], pair[1]};
}

static void close_ends(const struct ends *ends)
{
    close(ends->own);
    close(ends->server);
}

TEST(an_answer_is_read_to_its_end)
{
    char answer[256], request[256] = "";
    size_t len;
    struct ends ends = make_ends(reply);
    shutdown(ends.server, SHUT_WR);
    assert_int_equal(http_get(ends.own, "host:1", "/healthz", clock_ms() + LONG, answer, sizeof answer, &len), 0);
    assert_int_equal(len, strlen(reply));
    assert_memory_equal(answer, reply, len);
    assert_true(recv(ends.server, request, sizeof request - 1, 0) > 0);
    assert_string_equal(request, "GET /healthz HTTP/1.0\r\nHost: host:1\r\n\r\n");
    close_ends(&ends);
}

TEST(no_more_is_read_than_there_is_room_for)
{
    char answer[4];
    size_t len;
    struct ends ends = make_ends(reply);
    assert_int_equal(http_get(ends.own, "host", "/", clock_ms() + LONG, answer, sizeof answer, &len), 0);
    assert_int_equal(len, sizeof answer);
    close_ends(&ends);
}

TEST(an_answer_that_does_not_end_takes_its_time_only)
{
    char answer[256];
    size_t len;
    struct ends ends = make_ends(reply);
    assert_int_equal(http_get(ends.own, "host", "/", clock_ms() + SHORT, answer, sizeof answer, &len), ETIMEDOUT);
    close_ends(&ends);
}

TEST(a_question_that_is_too_long_is_not_asked)
{
    char answer[256], target[256];
    size_t len;
    memset(target, '/', sizeof target - 1);
    target[sizeof target - 1] = '\0';
    struct ends ends = make_ends("");
    assert_int_equal(http_get(ends.own, "host", target, clock_ms() + LONG, answer, sizeof answer, &len), EIO);
    assert_int_equal(recv(ends.server, answer, sizeof answer, 0), -1);
    close_ends(&ends);
}
