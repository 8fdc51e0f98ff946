/* Taking over from a running process that is not what it should be, or dies at the wrong moment; that process is played by a
 * child. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <fcntl.h>
#include <grpc/grpc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/descriptor.h"
#include "core/process/state_lock.h"
#include "core/process/takeover_client.h"
#include "core/sockets/poll_thread.h"
#include "tests/unit/map_fixture.h"

/* What the running process does. */
struct role {
    const char *answer;    /* to the first line; without an end of its own, it is all */
    int descriptors;       /* that go along */
    bool other_lock;       /* the second of them is no lock */
    const char *last_word; /* NULL: none */
    bool lives;            /* after the last word, or instead of it */
    bool metrics;          /* a socket for metrics comes along; else it knows of no such thing */
};

struct scene {
    char folder[64];
    struct runtime_map *map;
    pid_t running;
    struct takeover_client *takeover;
    struct listener *listener;
    struct poll_thread *poll_thread;
    int ended; /* an eventfd */
    struct error error;
    bool ours;
};

#define HANDS_OVER "{\"takeover\":1,\"activated\":false,\"watchdog\":5000000}\n"

static int bound_socket(const char *folder, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%.60s/%s", folder, name);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)(void *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 4), 0);
    return fd;
}

static int open_lock(const char *folder, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    flock(fd, LOCK_EX);
    return fd;
}

static void send_answer(int connection, const char *text, const int *descriptors, size_t count)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(4 * sizeof(int))] = {0};
    struct iovec piece = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (count > 0) {
        message.msg_control = room;
        message.msg_controllen = CMSG_SPACE(count * sizeof(int));
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(count * sizeof(int));
        memcpy(CMSG_DATA(header), descriptors, count * sizeof(int));
    }
    sendmsg(connection, &message, MSG_NOSIGNAL);
}

/* The control socket is made here: the kernel tells its maker's process to whoever connects. */
static void play(const struct role *role, const char *folder, int callers)
{
    int control = bound_socket(folder, "control.sock");
    char line[256];
    int lock = open_lock(folder, "crigate.sock.lock");
    int given[] = {callers, role->other_lock ? open_lock(folder, "other") : lock, open_lock(folder, "state.lock")};
    int connection = accept(control, NULL, NULL);
    if (recv(connection, line, sizeof line, 0) > 0) {
        send_answer(connection, role->answer, given, (size_t)role->descriptors);
    }
    if (!strchr(role->answer, '\n')) {
        _exit(0);
    }
    if (recv(connection, line, sizeof line, 0) > 0) {
        send_answer(connection, role->metrics ? "{}\n" : "{\"error\":\"unknown\"}\n", &callers, role->metrics ? 1 : 0);
    }
    if (recv(connection, line, sizeof line, 0) > 0 && role->last_word) {
        send_answer(connection, role->last_word, NULL, 0);
    }
    if (role->lives) {
        close(connection);
        pause();
    }
    _exit(0);
}

static void begin(struct scene *scene, const struct role *role)
{
    *scene = (struct scene){.folder = "/tmp/takeover-test-XXXXXX", .ended = eventfd(0, 0)};
    assert_non_null(mkdtemp(scene->folder));
    int callers = bound_socket(scene->folder, "crigate.sock");
    scene->running = fork();
    if (scene->running == 0) {
        play(role, scene->folder, callers);
    }
    close(callers);
    char text[512];
    int size =
        snprintf(text, sizeof text,
                 "listen: unix://%s/crigate.sock\nstate: %s\nruntimes: [{name: a, endpoint: 'unix:///run/a', primary: true}]\n",
                 scene->folder, scene->folder);
    struct runtime_map_problems problems = {0};
    scene->map = runtime_map_parse("map.yaml", text, (size_t)size, &problems);
    assert_non_null(scene->map);
    runtime_map_problems_clear(&problems);
    for (int i = 0; i < 1000 && !scene->takeover; i++) {
        usleep(i > 0 ? 5000 : 0);
        scene->takeover = takeover_client_connect(scene->folder, &scene->error);
    }
    assert_non_null(scene->takeover);
    scene->listener = takeover_client_ask(scene->takeover, scene->map, &scene->error);
}

static void on_ended(void *state, const struct error *error)
{
    struct scene *scene = state;
    scene->ours = error == NULL;
    scene->error = error ? *error : (struct error){0};
    eventfd_write(scene->ended, 1);
}

static void confirm(struct scene *scene)
{
    assert_non_null(scene->listener);
    scene->poll_thread = poll_thread_new(&scene->error);
    takeover_client_confirm(scene->takeover, scene->poll_thread, on_ended, scene);
    assert_true(poll_thread_start(scene->poll_thread, &scene->error));
    struct pollfd wait = {.fd = scene->ended, .events = POLLIN};
    assert_int_equal(poll(&wait, 1, 20000), 1);
    poll_thread_stop(scene->poll_thread);
}

static bool exists(const struct scene *scene, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", scene->folder, name);
    return access(path, F_OK) == 0;
}

static void end(struct scene *scene)
{
    takeover_client_close(scene->takeover);
    listener_close(scene->listener);
    poll_thread_close(scene->poll_thread);
    kill(scene->running, SIGKILL);
    waitpid(scene->running, NULL, 0);
    runtime_map_free(scene->map);
    close(scene->ended);
    static const char *const names[] = {"control.sock", "crigate.sock", "crigate.sock.lock", "other", "state.lock"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", scene->folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(scene->folder), 0);
}

static void the_socket_is_ours_after_the_last_word(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, "{\"leaving\":true}\n", true, false});
    assert_int_equal(takeover_client_watchdog(scene.takeover), 5000000);
    confirm(&scene);
    assert_true(scene.ours);
    assert_true(listener_socket(scene.listener)->shared); /* until the daemon owns it alone */
    end(&scene);
}

/* One that knows of no lock of the state folder hands over two descriptors. */
static void the_lock_of_the_state_folder_comes_along(void **state)
{
    (void)state;
    for (int count = 2; count <= 3; count++) {
        struct scene scene;
        begin(&scene, &(struct role){HANDS_OVER, count, false, "{\"leaving\":true}\n", true, false});
        confirm(&scene);
        assert_true(scene.ours);
        int lock = takeover_client_take_state_lock(scene.takeover);
        assert_int_equal(lock >= 0, count == 3);
        assert_int_equal(lock >= 0 && state_lock_adopt(scene.folder, lock), count == 3);
        assert_int_equal(takeover_client_take_state_lock(scene.takeover), -1);
        struct error error = {0};
        int another = state_lock_take(scene.folder, &error);
        assert_int_equal(another, -1);
        assert_int_equal(error.code, STATUS_FAILED_PRECONDITION);
        assert_non_null(strstr(error.message, "another process keeps its state in"));
        close(lock);
        end(&scene);
    }
}

static void the_socket_for_metrics_comes_along_if_there_is_one(void **state)
{
    (void)state;
    for (int given = 0; given <= 1; given++) {
        struct scene scene;
        begin(&scene, &(struct role){HANDS_OVER, 2, false, "{\"leaving\":true}\n", true, given == 1});
        int metrics = takeover_client_take_metrics(scene.takeover);
        assert_int_equal(metrics >= 0, given == 1);
        assert_int_equal(takeover_client_take_metrics(scene.takeover), -1);
        confirm(&scene);
        assert_true(scene.ours);
        descriptor_close(&metrics);
        end(&scene);
    }
}

static void a_lock_of_something_else_is_not_adopted(void **state)
{
    (void)state;
    char folder[] = "/tmp/state-lock-test-XXXXXX", path[64];
    struct error error = {0};
    assert_non_null(mkdtemp(folder));
    int lock = state_lock_take(folder, &error), other = open_lock(folder, "other");
    assert_true(lock >= 0);
    assert_true(state_lock_adopt(folder, lock));
    assert_false(state_lock_adopt(folder, other));
    assert_int_equal(state_lock_take(folder, &error), -1);
    snprintf(path, sizeof path, "process %ld ", (long)getpid());
    assert_memory_equal(error.message, path, strlen(path));
    close(lock);
    close(other);
    /* Whoever holds a link in its place holds nothing. */
    snprintf(path, sizeof path, "%s/state.lock", folder);
    unlink(path);
    assert_int_equal(symlink("other", path), 0);
    assert_int_equal(state_lock_take(folder, &error), -1);
    assert_int_equal(error.code, STATUS_UNAVAILABLE);
    unlink(path);
    /* A file that has another name as well is not written to. */
    char victim[64], text[8] = "";
    snprintf(victim, sizeof victim, "%s/other", folder);
    other = open(victim, O_RDWR);
    assert_int_equal(write(other, "victim", 6), 6);
    assert_int_equal(link(victim, path), 0);
    lock = state_lock_take(folder, &error);
    assert_true(lock >= 0);
    assert_int_equal(pread(other, text, sizeof text, 0), 6);
    assert_string_equal(text, "victim");
    close(lock);
    close(other);
    unlink(path);
    unlink(victim);
    rmdir(folder);
}

static void the_socket_is_ours_when_the_other_one_dies(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, NULL, false, false});
    confirm(&scene);
    assert_true(scene.ours);
    end(&scene);
}

static void the_socket_is_not_ours_when_the_other_one_hangs_up_and_lives(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, NULL, true, false});
    confirm(&scene);
    assert_false(scene.ours);
    assert_non_null(strstr(scene.error.message, "closed the connection"));
    listener_close(scene.listener);
    scene.listener = NULL;
    assert_true(exists(&scene, "crigate.sock"));
    end(&scene);
}

static void the_socket_is_not_ours_when_the_other_one_says_so(void **state)
{
    (void)state;
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, "{\"error\":\"too late\"}\n", true, false});
    confirm(&scene);
    assert_false(scene.ours);
    assert_non_null(strstr(scene.error.message, "keeps serving: too late"));
    end(&scene);
}

static void what_is_no_handover_is_refused(void **state)
{
    (void)state;
    static const struct {
        struct role role;
        const char *message;
    } cases[] = {
        {{"{\"error\":\"not today\"}\n", 0, false, NULL, true, false}, "not today"},
        {{HANDS_OVER, 0, false, NULL, true, false}, "without its socket"},
        {{HANDS_OVER, 1, false, NULL, true, false}, "without its socket"},
        {{"nonsense\n", 0, false, NULL, true, false}, "something other than a JSON object: nonsense"},
        {{HANDS_OVER, 2, true, NULL, true, false}, "is not the lock"},
        {{"{\"takeover\":1", 2, false, NULL, false, false}, "closed the connection"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scene scene;
        begin(&scene, &cases[i].role);
        assert_null(scene.listener);
        assert_non_null(strstr(scene.error.message, cases[i].message));
        assert_true(exists(&scene, "crigate.sock"));
        end(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_socket_is_ours_after_the_last_word),
        cmocka_unit_test(the_lock_of_the_state_folder_comes_along),
        cmocka_unit_test(the_socket_for_metrics_comes_along_if_there_is_one),
        cmocka_unit_test(a_lock_of_something_else_is_not_adopted),
        cmocka_unit_test(the_socket_is_ours_when_the_other_one_dies),
        cmocka_unit_test(the_socket_is_not_ours_when_the_other_one_hangs_up_and_lives),
        cmocka_unit_test(the_socket_is_not_ours_when_the_other_one_says_so),
        cmocka_unit_test(what_is_no_handover_is_refused),
    };
    grpc_init();
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    grpc_shutdown();
    return failures;
}
