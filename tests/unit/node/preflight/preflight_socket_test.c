/* Sockets of the node, before gRPC speaks on them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "node/preflight/socket.h"
#include "tests/cmocka.h"

/* Longer than any machine is busy. */
#define LONG 60000
#define SHORT 50

struct place {
    char folder[64];
    char path[80];
    int listener;
    struct arena *arena;
};

static int place_begin(void **state)
{
    struct place *place = test_calloc(1, sizeof *place);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(place->folder, sizeof place->folder, "/tmp/preflight-XXXXXX");
    assert_non_null(mkdtemp(place->folder));
    snprintf(place->path, sizeof place->path, "%s/nri.sock", place->folder);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", place->path);
    place->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(place->listener, (const struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(place->listener, 0), 0);
    place->arena = arena_new(1 << 20);
    *state = place;
    return 0;
}

static void stop_listening(struct place *place)
{
    if (place->listener >= 0) {
        close(place->listener);
    }
    place->listener = -1;
}

static int place_end(void **state)
{
    struct place *place = *state;
    stop_listening(place);
    unlink(place->path);
    rmdir(place->folder);
    arena_unref(place->arena);
    test_free(place);
    return 0;
}

EACH_TEST(place_begin, place_end)

TEST(a_socket_listens_or_it_is_said_why_not)
{
    struct place *place = *state;
    struct error error = {0};
    char other[128];
    assert_true(socket_listens(place->path, LONG, &error));
    snprintf(other, sizeof other, "%s/none", place->folder);
    assert_false(socket_listens(other, LONG, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    snprintf(other, sizeof other, "%s/of/a/file", place->path);
    assert_false(socket_listens(other, LONG, &error));
    assert_int_equal(error.code, STATUS_NOT_FOUND);
    stop_listening(place);
    assert_false(socket_listens(place->path, LONG, &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
    memset(other, 'a', sizeof other);
    other[0] = '/';
    other[sizeof other - 1] = '\0';
    assert_false(socket_listens(other, LONG, &error));
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
}

TEST(a_full_queue_costs_its_timeout_only)
{
    struct place *place = *state;
    struct error error = {0};
    /* Nobody accepts, so each stays in the queue. */
    int waiting[8];
    size_t count = 0;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", place->path);
    bool connected = true;
    while (connected && count < sizeof waiting / sizeof waiting[0]) {
        waiting[count] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connected = connect(waiting[count++], (const struct sockaddr *)&address, sizeof address) == 0;
    }
    assert_false(connected);
    assert_false(socket_listens(place->path, SHORT, &error));
    assert_int_equal(error.code, STATUS_DEADLINE_EXCEEDED);
    assert_int_equal(socket_http_get(place->path, "/info", SHORT, place->arena).len, 0);
    while (count > 0) {
        close(waiting[--count]);
    }
}

/* A child that answers the next connection with these texts, one after the other, and then ends or, if asked to, waits. */
static pid_t answer(const struct place *place, const char *first, const char *second, bool stay)
{
    pid_t child = fork();
    if (child == 0) {
        char request[512];
        int connection = accept(place->listener, NULL, NULL);
        ssize_t got = recv(connection, request, sizeof request - 1, 0);
        request[got > 0 ? got : 0] = '\0';
        bool good = strncmp(request, "GET /info HTTP/1.0\r\n", 20) == 0 && strstr(request, "\r\n\r\n") &&
                    send(connection, first, strlen(first), 0) >= 0 && send(connection, second, strlen(second), 0) >= 0;
        if (stay) {
            pause();
        }
        _exit(good ? 0 : 1);
    }
    return child;
}

static void assert_ended_well(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

TEST(an_http_answer_is_read_to_its_end)
{
    struct place *place = *state;
    pid_t child = answer(place, "HTTP/1.0 200 OK\r\n\r", "\n{}", false);
    struct bytes got = socket_http_get(place->path, "/info", LONG, place->arena);
    assert_ended_well(child);
    assert_true(bytes_equal(got, bytes_of_string("HTTP/1.0 200 OK\r\n\r\n{}")));
}

TEST(an_http_answer_that_does_not_end_is_none)
{
    struct place *place = *state;
    pid_t child = answer(place, "HTTP/1.0 200 OK", "\r\n", true);
    struct bytes got = socket_http_get(place->path, "/info", 500, place->arena);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_int_equal(got.len, 0);
}

TEST(a_huge_http_answer_is_none)
{
    struct place *place = *state;
    char *huge = test_malloc(100001);
    memset(huge, 'x', 100000);
    huge[100000] = '\0';
    pid_t child = answer(place, huge, huge, false);
    struct bytes got = socket_http_get(place->path, "/info", LONG, place->arena);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    test_free(huge);
    assert_int_equal(got.len, 0);
}

TEST(the_listener_and_what_it_holds_are_found)
{
    struct place *place = *state;
    char end[96];
    snprintf(end, sizeof end, "%s", place->path + strlen("/tmp"));
    assert_int_equal(socket_listener(place->path, LONG), getpid());
    assert_true(socket_is_held(getpid(), end));
    assert_true(socket_is_held(getpid(), place->path));
    assert_false(socket_is_held(getpid(), "/other.sock"));
    assert_false(socket_is_held(0, end));
    stop_listening(place);
    assert_false(socket_is_held(getpid(), end));
    assert_int_equal(socket_listener(place->path, LONG), 0);
}

EACH_TEST(NULL, NULL)

TEST(paths_are_taken_out_of_endpoints)
{
    assert_string_equal(socket_path("unix:///run/a.sock"), "/run/a.sock");
    assert_string_equal(socket_path("unix:/run/a.sock"), "/run/a.sock");
    assert_string_equal(socket_path("/run/a.sock"), "/run/a.sock");
    assert_null(socket_path("containerd"));
    assert_null(socket_path("tcp://127.0.0.1:1"));
    assert_null(socket_path("unix://run/a.sock"));
    assert_null(socket_path(""));
}
