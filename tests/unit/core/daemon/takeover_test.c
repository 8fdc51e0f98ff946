/* Taking over from a running process that is not what it should be, or dies at the wrong moment; that process is played by a
 * child. */
#include <fcntl.h>
#include <grpc/grpc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "core/control/client.h"
#include "core/control/control.h"
#include "core/control/state_lock.h"
#include "core/daemon/takeover_client.h"
#include "core/daemon/takeover_server.h"
#include "core/loop/poll_thread.h"
#include "tests/cmocka.h"
#include "tests/unit/core/map/map_fixture.h"
#include "tests/unit/socket_fixture.h"

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
    char path[108];
    snprintf(path, sizeof path, "%.60s/%s", folder, name);
    return listen_at(path);
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

static struct runtime_map *map_in(const char *folder)
{
    char text[512];
    int size =
        snprintf(text, sizeof text,
                 "listen: unix://%s/crigate.sock\nstate: %s\nruntimes: [{name: a, endpoint: 'unix:///run/a', primary: true}]\n",
                 folder, folder);
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_parse("map.yaml", text, (size_t)size, &problems);
    assert_non_null(map);
    runtime_map_problems_clear(&problems);
    return map;
}

static void remove_files(const char *folder)
{
    static const char *const names[] = {"control.sock", "crigate.sock", "crigate.sock.lock", "other", "state.lock"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    assert_int_equal(rmdir(folder), 0);
}

static int most_descriptors; /* that the process may open besides those that it has when it asks; 0: any number */

static void limit_descriptors(void)
{
    struct rlimit limit;
    int next = dup(0);
    close(next);
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = (rlim_t)(next + most_descriptors);
    setrlimit(RLIMIT_NOFILE, &limit);
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
    scene->map = map_in(scene->folder);
    for (int i = 0; i < 1000 && !scene->takeover; i++) {
        usleep(i > 0 ? 5000 : 0);
        scene->takeover = takeover_client_connect(scene->folder, &scene->error);
    }
    assert_non_null(scene->takeover);
    if (most_descriptors > 0) {
        limit_descriptors();
    }
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
    remove_files(scene->folder);
}

TEST(the_socket_is_ours_after_the_last_word)
{
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, "{\"leaving\":true}\n", true, false});
    assert_int_equal(takeover_client_watchdog(scene.takeover), 5000000);
    confirm(&scene);
    assert_true(scene.ours);
    assert_true(listener_socket(scene.listener)->shared); /* until the daemon owns it alone */
    end(&scene);
}

/* One that knows of no lock of the state folder hands over two descriptors. */
TEST(the_lock_of_the_state_folder_comes_along)
{
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

TEST(the_socket_for_metrics_comes_along_if_there_is_one)
{
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

TEST(a_lock_of_something_else_is_not_adopted)
{
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

TEST(the_socket_is_ours_when_the_other_one_dies)
{
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, NULL, false, false});
    confirm(&scene);
    assert_true(scene.ours);
    end(&scene);
}

TEST(the_socket_is_not_ours_when_the_other_one_hangs_up_and_lives)
{
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

TEST(the_socket_is_not_ours_when_the_other_one_says_so)
{
    struct scene scene;
    begin(&scene, &(struct role){HANDS_OVER, 2, false, "{\"error\":\"too late\"}\n", true, false});
    confirm(&scene);
    assert_false(scene.ours);
    assert_non_null(strstr(scene.error.message, "keeps serving: too late"));
    end(&scene);
}

TEST(what_is_no_handover_is_refused)
{
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

/* ---- both sides ---- */

static bool prepare(void *state, int *memory, struct error *error)
{
    (void)error;
    *memory = *(const int *)state;
    return true;
}

static struct takeover_server server;

static void run_takeover(struct control_connection *connection, const char *argument, void *state)
{
    takeover_server_begin(&server, connection, argument);
}

static void ignore_change(void *owner, enum takeover_server_state before)
{
    (void)owner;
    (void)before;
}

static void run_serving(struct control_connection *connection, const char *argument, void *state)
{
    takeover_server_finish(&server, connection);
}

static void run_taken(struct control_connection *connection, const char *argument, void *state)
{
    takeover_server_taken(&server, connection);
}

static const struct control_request requests[] = {
    {CONTROL_TAKEOVER, run_takeover}, {CONTROL_SERVING, run_serving}, {CONTROL_TAKEN, run_taken}, {0}};

static bool is_same_file(int one, int other)
{
    struct stat first, second;
    return fstat(one, &first) == 0 && fstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* What one process gives, the other one gets, also if something before it in the order is missing. */
TEST(memory_comes_along_without_the_lock_of_the_state_folder)
{
    for (int locked = 0; locked <= 1; locked++) {
        struct error error = {0};
        char folder[] = "/tmp/takeover-test-XXXXXX";
        assert_non_null(mkdtemp(folder));
        struct runtime_map *map = map_in(folder);
        struct listener *listener = listener_open(&map->listen, 0, &error);
        assert_non_null(listener);
        int memory = memfd_create("test", MFD_CLOEXEC);
        int lock = locked ? state_lock_take(folder, &error) : -1;
        server = (struct takeover_server){
            .listener = listener, .state_lock = lock, .prepare = prepare, .changed = ignore_change, .owner = &memory};
        struct poll_thread *thread = poll_thread_new(&error);
        static const struct control_reporter no_reporters = {0};
        struct control *control = control_open(folder, requests, NULL, &no_reporters, thread, &error);
        assert_non_null(control);
        assert_true(poll_thread_start(thread, &error));
        struct takeover_client *takeover = takeover_client_connect(folder, &error);
        struct listener *taken = takeover_client_ask(takeover, map, &error);
        assert_non_null(taken);
        int given_memory = takeover_client_take_memory(takeover);
        int given_lock = takeover_client_take_state_lock(takeover);
        assert_true(is_same_file(given_memory, memory));
        assert_int_equal(state_lock_adopt(folder, given_lock), locked);
        takeover_client_close(takeover);
        poll_thread_stop(thread);
        control_close(control);
        poll_thread_close(thread);
        listener_close(taken);
        listener_close(listener);
        int descriptors[] = {memory, lock, given_memory, given_lock};
        for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++) {
            descriptor_close(&descriptors[i]);
        }
        runtime_map_free(map);
        remove_files(folder);
    }
}

/* Sends a line, and waits for its answer. */
static void exchange(int connection, const char *line)
{
    struct control_reply reply = {0};
    struct error error;
    assert_true(control_send(connection, line, &error) && control_receive(connection, &reply, &error));
    control_reply_release(&reply);
}

/* Another process has 5 s to serve. While this one has calls under way, "taken" of the other one does not end it. */
TEST(the_other_process_has_a_while_and_cannot_end_this_one_before_its_calls)
{
    struct error error = {0};
    static const struct control_reporter no_reporters = {0};
    char folder[] = "/tmp/takeover-test-XXXXXX", path[64], line[128];
    assert_non_null(mkdtemp(folder));
    struct runtime_map *map = map_in(folder);
    struct listener *listener = listener_open(&map->listen, 0, &error);
    assert_non_null(listener);
    int memory = -1;
    server = (struct takeover_server){
        .listener = listener, .state_lock = -1, .prepare = prepare, .changed = ignore_change, .owner = &memory};
    struct poll_thread *thread = poll_thread_new(&error);
    struct control *control = control_open(folder, requests, NULL, &no_reporters, thread, &error);
    assert_non_null(control);
    assert_true(poll_thread_start(thread, &error));
    snprintf(path, sizeof path, "%s/" CONTROL_SOCKET_NAME, folder);
    snprintf(line, sizeof line, CONTROL_TAKEOVER " %d %s", CONTROL_TAKEOVER_VERSION, map->listen.path);
    int connection = control_connect(path, CONTROL_PATIENCE, &error);
    assert_true(connection >= 0);
    int64_t before = clock_ns();
    exchange(connection, line);
    int64_t after = clock_ns();
    exchange(connection, CONTROL_SERVING);
    exchange(connection, CONTROL_TAKEN);
    close(connection);
    poll_thread_stop(thread);
    control_close(control);
    poll_thread_close(thread);
    assert_in_range(server.deadline, before + 5 * NANOSECONDS_A_SECOND, after + 5 * NANOSECONDS_A_SECOND);
    assert_int_equal(server.state, TAKEOVER_SERVER_LOST);
    listener_close(listener);
    runtime_map_free(map);
    remove_files(folder);
}

/* The kernel hands on as many as there is room for, and says that it has dropped the others. */
TEST(a_process_without_room_for_the_descriptors_takes_nothing_over)
{
    struct scene scene;
    struct rlimit before;
    getrlimit(RLIMIT_NOFILE, &before);
    most_descriptors = 1;
    begin(&scene, &(struct role){HANDS_OVER, 3, false, NULL, true, false});
    most_descriptors = 0;
    setrlimit(RLIMIT_NOFILE, &before);
    assert_null(scene.listener);
    assert_non_null(strstr(scene.error.message, "its limit of open files is too low"));
    end(&scene);
}

int main(void)
{
    grpc_init();
    int failures = tests_run();
    grpc_shutdown();
    return failures;
}
