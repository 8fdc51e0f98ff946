#include "node/systemd/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/system/clock.h"
#include "base/system/descriptor.h"

#define LARGEST_OUTPUT ((size_t)1 << 20)
#define COMPLAINT_SIZE 400
#define LOOK_EVERY 20 /* milliseconds: whether the program has ended, although something keeps its output open */

static const char *const folders[] = {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"};

static char *environment[] = {
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "LANG=C",
    "SYSTEMD_COLORS=0",
    "SYSTEMD_PAGER=",
    "SYSTEMD_PAGERSECURE=1",
    "SYSTEMD_URLIFY=0",
    NULL, /* for run_outside_chroot */
    NULL,
};

void run_outside_chroot(void)
{
    for (size_t i = 0; i + 1 < sizeof environment / sizeof environment[0]; i++) {
        if (!environment[i]) {
            environment[i] = "SYSTEMD_IGNORE_CHROOT=1";
            return;
        }
    }
}

/* A program that runs, and what it has written. */
struct running {
    pid_t pid;
    bool ended;
    int status;
    int out, complaints; /* the ends that are read; -1 at the end of the file */
    char *text;          /* of its output, malloc'd */
    size_t length, room;
    char last[COMPLAINT_SIZE]; /* the line of standard error that is being read, or the last one */
    size_t last_length;
    bool line_ended;
};

bool run_find_program(const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) {
        return snprintf(path, size, "%s", name) < (int)size && access(name, X_OK) == 0;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        if (snprintf(path, size, "%s/%s", folders[i], name) < (int)size && access(path, X_OK) == 0) {
            return true;
        }
    }
    return false;
}

/* In a process group of its own, so that its children can be killed with it, and with no signal blocked or ignored. */
static int spawn(const char *path, const char *const *arguments, int out, int complaints, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, complaints, STDERR_FILENO);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    union {
        const char *const *constant;
        char *const *plain;
    } words = {.constant = arguments};
    int failure = posix_spawn(pid, path, &files, &attributes, words.plain, environment);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

/* Keeps what fits; the rest is read and forgotten, so that the program does not wait for us. */
static bool keep_output(struct running *running, const char *data, size_t length)
{
    length = length < LARGEST_OUTPUT - running->length ? length : LARGEST_OUTPUT - running->length;
    if (running->length + length > running->room) {
        size_t room = 2 * (running->length + length);
        char *larger = realloc(running->text, room);
        if (!larger) {
            return false;
        }
        running->text = larger;
        running->room = room;
    }
    if (length > 0) {
        memcpy(running->text + running->length, data, length);
        running->length += length;
    }
    return true;
}

static void keep_complaint(struct running *running, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (data[i] == '\n') {
            running->line_ended = true;
            continue;
        }
        if (running->line_ended) {
            running->line_ended = false;
            running->last_length = 0;
        }
        if (running->last_length < sizeof running->last - 1) {
            unsigned char c = (unsigned char)data[i];
            running->last[running->last_length++] = c < 0x20 || c == 0x7f ? '?' : data[i];
        }
    }
    running->last[running->last_length] = '\0';
}

/* Reads what is there. false: no memory. */
static bool read_some(struct running *running, int *descriptor)
{
    char buffer[16384];
    ssize_t count = read(*descriptor, buffer, sizeof buffer);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) {
        descriptor_close(descriptor);
        return true;
    }
    if (count < 0) {
        return true;
    }
    if (descriptor == &running->out) {
        return keep_output(running, buffer, (size_t)count);
    }
    keep_complaint(running, buffer, (size_t)count);
    return true;
}

static void look_for_end(struct running *running)
{
    if (!running->ended && waitpid(running->pid, &running->status, WNOHANG) == running->pid) {
        running->ended = true;
    }
}

/* Reads until the program has ended and its output is read. Output that a child of it keeps open is not waited for, and endless
   output is read until the deadline. */
static bool attend(struct running *running, int64_t deadline, struct error *error)
{
    for (;;) {
        bool had_ended = running->ended;
        struct pollfd open[2] = {{.fd = running->out, .events = POLLIN}, {.fd = running->complaints, .events = POLLIN}};
        int ready = poll(open, 2, had_ended ? 0 : LOOK_EVERY);
        if (ready > 0 && ((open[0].revents && !read_some(running, &running->out)) ||
                          (open[1].revents && !read_some(running, &running->complaints)))) {
            return error_out_of_memory(error);
        }
        bool late = clock_ns() >= deadline;
        if (had_ended && (ready <= 0 || late)) {
            return true;
        }
        look_for_end(running);
        if (!running->ended && late) {
            return error_set(error, STATUS_DEADLINE_EXCEEDED, "it did not end in time");
        }
    }
}

/* Nothing of it stays: the program and its children. */
static void stop(struct running *running)
{
    kill(-running->pid, SIGKILL);
    while (!running->ended && waitpid(running->pid, &running->status, 0) < 0 && errno == EINTR) {
    }
    running->ended = true;
}

static bool hand_over(const struct running *running, struct arena *arena, struct run_result *result, struct error *error)
{
    char *text = arena_alloc(arena, running->length + 1);
    result->complaint = arena_string(arena, bytes_of_string(running->last));
    if (!text || !result->complaint) {
        return error_out_of_memory(error);
    }
    if (running->length > 0) {
        memcpy(text, running->text, running->length);
    }
    text[running->length] = '\0';
    result->out = bytes_of(text, running->length);
    result->status = running->status;
    return true;
}

/* Starts the program with a pipe for each of its outputs. */
static bool start(const char *const *arguments, struct running *running, struct error *error)
{
    char path[4096];
    if (!run_find_program(arguments[0], path, sizeof path)) {
        return error_set(error, STATUS_NOT_FOUND, "there is no program %s", arguments[0]);
    }
    int out[2] = {-1, -1}, complaints[2] = {-1, -1};
    int failure = pipe2(out, O_CLOEXEC) != 0 || pipe2(complaints, O_CLOEXEC) != 0 ? errno : 0;
    if (failure == 0) {
        failure = spawn(path, arguments, out[1], complaints[1], &running->pid);
    }
    descriptor_close(&out[1]);
    descriptor_close(&complaints[1]);
    running->out = out[0];
    running->complaints = complaints[0];
    if (failure != 0) {
        descriptor_close(&running->out);
        descriptor_close(&running->complaints);
        return error_set(error, STATUS_INTERNAL, "cannot run %s: %s", path, strerror(failure));
    }
    return true;
}

bool run_program(const char *const *arguments, unsigned timeout, struct arena *arena, struct run_result *result,
                 struct error *error)
{
    struct running running = {.pid = 0, .out = -1, .complaints = -1};
    if (!start(arguments, &running, error)) {
        return false;
    }
    bool good = attend(&running, clock_ns() + timeout * NANOSECONDS_A_MILLISECOND, error);
    if (!good) {
        stop(&running);
        error_wrap(error, "%s", arguments[0]);
    }
    descriptor_close(&running.out);
    descriptor_close(&running.complaints);
    good = good && hand_over(&running, arena, result, error);
    free(running.text);
    return good;
}
