/* The sockets of the process and the thread that polls them, when descriptors run out and peers are not what they should be. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/unix_socket.h"
#include "core/control/client.h"
#include "core/control/control.h"
#include "core/loop/poll_thread.h"
#include "tests/cmocka.h"

#define BACK_OFF_MS 400
#define FEW 20 /* tries in that time; without a pause there are thousands */

/* ---- the kernel, as the program is made to see it ---- */

static atomic_bool failing;
static atomic_uint tries;

int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict size, int flags)
{
    if (atomic_load(&failing)) {
        atomic_fetch_add(&tries, 1);
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_accept4, fd, address, size, flags);
}

int poll(struct pollfd *waits, nfds_t count, int timeout)
{
    if (atomic_load(&failing) && count > 2) {
        atomic_fetch_add(&tries, 1);
        errno = EINVAL;
        return -1;
    }
    struct timespec wait = {.tv_sec = timeout / 1000, .tv_nsec = timeout % 1000 * 1000000};
    return (int)syscall(SYS_ppoll, waits, count, timeout < 0 ? NULL : &wait, NULL, 0);
}

/* ---- a scene ---- */

struct scene {
    char folder[64];
    char path[96];
    struct poll_thread *poll_thread;
    struct control *control;
    struct error error;
};

static int begin(void **state)
{
    struct scene *scene = calloc(1, sizeof *scene);
    snprintf(scene->folder, sizeof scene->folder, "/tmp/sockets-test-XXXXXX");
    if (!mkdtemp(scene->folder)) {
        return -1;
    }
    snprintf(scene->path, sizeof scene->path, "%s/control.sock", scene->folder);
    scene->poll_thread = poll_thread_new(&scene->error);
    *state = scene;
    return scene->poll_thread ? 0 : -1;
}

static int end(void **state)
{
    struct scene *scene = *state;
    atomic_store(&failing, false);
    poll_thread_stop(scene->poll_thread);
    control_close(scene->control);
    poll_thread_close(scene->poll_thread);
    unlink(scene->path);
    rmdir(scene->folder);
    free(scene);
    return 0;
}

/* A socket of that type, bound there. */
static int bound(const char *path, int type, int backlog)
{
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    assert_true(descriptor_bind(fd, path));
    if (backlog >= 0) {
        assert_int_equal(listen(fd, backlog), 0);
    }
    return fd;
}

/* Connections until no more fit into the queue of a listener that takes none. Returns how many. */
static size_t fill(const char *path, int *connections, size_t most)
{
    for (size_t count = 0; count < most; count++) {
        connections[count] = unix_socket_connect(path, SOCK_NONBLOCK);
        if (connections[count] < 0) {
            assert_int_equal(errno, EAGAIN);
            return count;
        }
    }
    return most;
}

/* ---- files of sockets ---- */

EACH_TEST(begin, end)

TEST(only_a_socket_that_nobody_has_is_stale)
{
    const struct scene *scene = *state;
    static const int types[] = {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM};
    assert_true(descriptor_is_stale(scene->path)); /* it is not there */
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        int other = bound(scene->path, types[i], types[i] == SOCK_DGRAM ? -1 : 1);
        assert_false(descriptor_is_stale(scene->path));
        assert_int_equal(errno, EADDRINUSE);
        close(other);
        assert_true(descriptor_is_stale(scene->path));
        unlink(scene->path);
    }
}

TEST(a_listener_with_a_full_queue_is_not_waited_for)
{
    const struct scene *scene = *state;
    int connections[8];
    int other = bound(scene->path, SOCK_STREAM, 0);
    size_t count = fill(scene->path, connections, 8);
    assert_in_range(count, 1, 7);
    assert_false(descriptor_is_stale(scene->path));
    assert_int_equal(errno, EADDRINUSE);
    while (count > 0) {
        close(connections[--count]);
    }
    close(other);
}

/* Somebody listens there, and does not accept: that is not to be told as nobody. */
TEST(a_full_queue_is_not_told_as_nobody)
{
    const struct scene *scene = *state;
    int connections[8];
    struct error error = {0};
    int other = bound(scene->path, SOCK_STREAM, 0);
    size_t count = fill(scene->path, connections, 8);
    assert_int_equal(control_connect(scene->path, 1, &error), -1);
    assert_non_null(strstr(error.message, "did not answer within 1 s"));
    while (count > 0) {
        close(connections[--count]);
    }
    close(other);
}

TEST(a_socket_is_bound_for_its_owner_alone_whatever_the_umask)
{
    const struct scene *scene = *state;
    struct stat status;
    mode_t before = umask(0);
    int fd = bound(scene->path, SOCK_STREAM, -1);
    assert_int_equal(umask(before), 0);
    assert_int_equal(stat(scene->path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    close(fd);
    char longest[200] = "/";
    memset(longest + 1, 'x', sizeof longest - 2);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_false(descriptor_bind(fd, longest));
    assert_int_equal(errno, ENAMETOOLONG);
    close(fd);
}

/* ---- the poll thread ---- */

#define MANY 100

struct many {
    struct watch watches[MANY];
    struct watch *first;
    struct poll_thread *poll_thread;
    atomic_uint ran;
    int done;
};

static struct many many;

static void on_ran(struct watch *watch, short happened)
{
    assert_int_equal(happened, 0);
    poll_thread_remove(many.poll_thread, watch);
    if (watch == &many.watches[0]) {
        poll_thread_remove(many.poll_thread, &many.watches[1]); /* which is due as well, and must not run */
    }
    if (atomic_fetch_add(&many.ran, 1) + 1 == MANY - 1) {
        eventfd_write(many.done, 1);
    }
}

TEST(any_number_of_watches_run_but_removed_ones)
{
    struct scene *scene = *state;
    many = (struct many){.poll_thread = scene->poll_thread, .done = eventfd(0, EFD_CLOEXEC)};
    for (size_t i = 0; i < MANY; i++) {
        many.watches[i] = (struct watch){.fd = -1, .due = 1, .run = on_ran};
        poll_thread_add(scene->poll_thread, &many.watches[i]);
    }
    assert_true(poll_thread_start(scene->poll_thread, &scene->error));
    eventfd_t ran;
    assert_int_equal(eventfd_read(many.done, &ran), 0);
    poll_thread_stop(scene->poll_thread);
    assert_int_equal(atomic_load(&many.ran), MANY - 1);
    close(many.done);
}

static void on_never(struct watch *watch, short happened)
{
    (void)watch;
    (void)happened;
}

TEST(a_failing_poll_does_not_spin)
{
    struct scene *scene = *state;
    struct watch watches[3];
    for (size_t i = 0; i < 3; i++) {
        watches[i] = (struct watch){.fd = -1, .run = on_never};
        poll_thread_add(scene->poll_thread, &watches[i]);
    }
    atomic_store(&tries, 0);
    atomic_store(&failing, true);
    assert_true(poll_thread_start(scene->poll_thread, &scene->error));
    usleep(BACK_OFF_MS * 1000);
    assert_in_range(atomic_load(&tries), 0, FEW);
    atomic_store(&failing, false);
    poll_thread_stop(scene->poll_thread); /* which it notices again */
}

/* ---- the control socket ---- */

static void run_ping(struct control_connection *connection, const char *argument, void *state)
{
    (void)argument;
    control_answer(connection, json_object_new_object());
}

/* The descriptors 0 to 3, of which one is missing if the argument is not empty. */
static void run_give(struct control_connection *connection, const char *argument, void *state)
{
    struct error error;
    const int descriptors[] = {0, 1, *argument ? -1 : 2, 0};
    if (!control_answer_with(connection, json_object_new_object(), descriptors, 4, &error)) {
        control_refuse(connection, &error);
    }
}

static const struct control_request requests[] = {{"ping", run_ping}, {"give", run_give}, {0}};

static bool describe_weather(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    if (!*argument) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "the place is missing");
    }
    return json_object_object_add(answer, state, json_object_new_string(argument)) == 0;
}

static const struct control_report reports[] = {{"weather", describe_weather}, {0}};
static const struct control_report other_reports[] = {{"news", describe_weather}, {"weather", describe_weather}, {0}};
static char first[] = "first", second[] = "second";
static const struct control_reporter reporters[] = {{reports, first, NULL}, {other_reports, second, NULL}, {0}};

static void open_control(struct scene *scene)
{
    scene->control = control_open(scene->folder, requests, scene, reporters, scene->poll_thread, &scene->error);
    assert_non_null(scene->control);
    assert_true(poll_thread_start(scene->poll_thread, &scene->error));
}

static void expect_pong(const struct scene *scene)
{
    struct error error = {0};
    struct json_object *answer = control_ask(scene->path, "ping", &error);
    assert_non_null(answer);
    json_object_put(answer);
}

TEST(connections_that_say_nothing_keep_nobody_out)
{
    struct scene *scene = *state;
    int silent[2 * CONTROL_CONNECTIONS];
    open_control(scene);
    for (size_t i = 0; i < 2 * CONTROL_CONNECTIONS; i++) {
        silent[i] = control_connect(scene->path, CONTROL_PATIENCE, &scene->error);
        assert_true(silent[i] >= 0);
    }
    expect_pong(scene);
    for (size_t i = 0; i < 2 * CONTROL_CONNECTIONS; i++) {
        close(silent[i]);
    }
}

TEST(a_report_has_the_parts_of_all_who_know_it_in_their_order)
{
    struct scene *scene = *state;
    open_control(scene);
    struct json_object *answer = control_ask(scene->path, "weather here", &scene->error);
    assert_string_equal(json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN),
                        "{\"first\":\"here\",\"second\":\"here\"}");
    json_object_put(answer);
    answer = control_ask(scene->path, "news here", &scene->error);
    assert_string_equal(json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN), "{\"second\":\"here\"}");
    json_object_put(answer);
}

TEST(a_report_that_is_refused_or_unknown_has_a_reason)
{
    struct scene *scene = *state;
    struct error error = {0};
    open_control(scene);
    assert_null(control_ask(scene->path, "weather", &error));
    assert_int_equal(error.code, STATUS_INVALID_ARGUMENT);
    assert_string_equal(error.message, "the place is missing");
    assert_null(control_ask(scene->path, "nonsense", &error));
    assert_int_equal(error.code, STATUS_UNIMPLEMENTED);
    assert_string_equal(error.message, "crigate " CRIGATE_VERSION " does not know this request");
}

TEST(without_free_descriptors_accepting_waits_and_does_not_spin)
{
    struct scene *scene = *state;
    atomic_store(&tries, 0);
    open_control(scene);
    atomic_store(&failing, true);
    int waiting = control_connect(scene->path, CONTROL_PATIENCE, &scene->error);
    assert_true(waiting >= 0);
    usleep(BACK_OFF_MS * 1000);
    assert_in_range(atomic_load(&tries), 0, FEW);
    atomic_store(&failing, false);
    struct control_reply reply = {0};
    assert_true(control_send(waiting, "ping", &scene->error) && control_receive(waiting, &reply, &scene->error));
    control_reply_release(&reply);
    close(waiting);
}

TEST(descriptors_come_all_or_not_at_all)
{
    struct scene *scene = *state;
    open_control(scene);
    for (int missing = 0; missing <= 1; missing++) {
        struct control_reply reply = {0};
        int connection = control_connect(scene->path, CONTROL_PATIENCE, &scene->error);
        assert_true(control_send(connection, missing ? "give less" : "give", &scene->error));
        assert_true(control_receive(connection, &reply, &scene->error));
        assert_int_equal(reply.descriptor_count, missing ? 0 : 4);
        struct json_object *answer = control_parse(reply.line, &scene->error);
        assert_int_equal(answer == NULL, missing == 1);
        json_object_put(answer);
        control_reply_release(&reply);
        /* They are not sent again with the next answer. */
        assert_true(control_send(connection, "ping", &scene->error));
        assert_true(control_receive(connection, &reply, &scene->error));
        assert_int_equal(reply.descriptor_count, 0);
        control_reply_release(&reply);
        close(connection);
    }
    assert_int_equal(scene->error.code, STATUS_RESOURCE_EXHAUSTED);
}

/* ---- a process that does not answer ---- */

/* A child that listens there and is stopped. */
static pid_t stopped_listener(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        bound(path, SOCK_STREAM, 0);
        raise(SIGSTOP);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, WUNTRACED), child);
    assert_true(WIFSTOPPED(status));
    return child;
}

static void expect_stopped(const struct error *error, pid_t child)
{
    char expected[160];
    snprintf(expected, sizeof expected,
             "the running crigate did not answer within 1 s; process %d is stopped; continue it with kill -CONT %d", (int)child,
             (int)child);
    assert_string_equal(error->message, expected);
    assert_int_equal(error->code, STATUS_DEADLINE_EXCEEDED);
}

TEST(a_stopped_process_is_named_with_what_to_do)
{
    struct scene *scene = *state;
    struct control_reply reply = {0};
    char lock[96];
    int connections[8];
    pid_t child = stopped_listener(scene->path);
    int connection = control_connect(scene->path, 1, &scene->error);
    assert_true(connection >= 0 && control_send(connection, "ping", &scene->error));
    assert_false(control_receive(connection, &reply, &scene->error));
    expect_stopped(&scene->error, child);
    control_reply_release(&reply);
    /* When its queue is full, the file that it has locked in the folder says who it is. */
    size_t count = fill(scene->path, connections, 8);
    snprintf(lock, sizeof lock, "%s/state.lock", scene->folder);
    FILE *file = fopen(lock, "w");
    fprintf(file, "%d\n", (int)child);
    fclose(file);
    scene->error = (struct error){0};
    assert_int_equal(control_connect(scene->path, 1, &scene->error), -1);
    expect_stopped(&scene->error, child);
    unlink(lock);
    while (count > 0) {
        close(connections[--count]);
    }
    close(connection);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}
