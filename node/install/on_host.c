#include "node/install/on_host.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/descriptor.h"
#include "base/system/interrupt.h"
#include "node/deploy/service.h"
#include "node/files/system_error.h"
#include "node/install/host_bus.h"
#include "node/install/host_program.h"
#include "node/install/progress.h"
#include "node/journal/journal.h"
#include "node/systemd/run.h"
#include "node/systemd/systemd.h"
#include "node/verify/report.h"

enum {
    EXIT_DONE = 0,
    EXIT_NOT_DONE = 2,
};

#define MEMORY ((size_t)64 << 20)
#define SYSTEMD_TIMEOUT 30000
#define BETWEEN_LOOKS 300
#define LOG_PATH "/run/crigate-install.log"
#define VERIFY_TIMER HOST_VERIFY ".timer"
#define VERIFY_SERVICE HOST_VERIFY ".service"
#define FIXED_ARGUMENTS 16

/* ---- into the node ---- */

void on_host_pass(struct on_host *work, const char *option, const char *value)
{
    if (work->count + 2 > ON_HOST_MOST) {
        work->too_many = true;
        return;
    }
    work->arguments[work->count++] = option;
    if (value) {
        work->arguments[work->count++] = value;
    }
}

/* Everything after this sees the node's files, and its processes, because /proc is the node's. */
static bool enter(const char *folder, struct error *error)
{
    char path[PATH_MAX];
    struct stat own, its;
    snprintf(path, sizeof path, "%s/proc/1/ns/mnt", folder);
    DESCRIPTOR_CLEANUP int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0) {
        return system_error(error, "open", path);
    }
    if (fstat(space, &its) != 0 || stat("/proc/self/ns/mnt", &own) != 0) {
        return system_error(error, "look at", path);
    }
    if (own.st_dev == its.st_dev && own.st_ino == its.st_ino) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "%s leads to this container itself, not to its host: mount the host's /proc at %s/proc", path, folder);
    }
    return setns(space, CLONE_NEWNS) == 0 || system_error(error, "enter", path);
}

/* The program that serves on this node. NULL: there is none. */
static const char *find_program(void)
{
    return access(HOST_PROGRAM, X_OK) == 0 ? HOST_PROGRAM : access(PACKAGED_PROGRAM, X_OK) == 0 ? PACKAGED_PROGRAM : NULL;
}

static bool begin(const struct on_host *work, const char *command, struct error *error)
{
    progress_of(command);
    if (geteuid() != 0) {
        return error_set(error, STATUS_PERMISSION_DENIED, "only root may do this, in a privileged container");
    }
    if (work->too_many) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "too many options");
    }
    interrupts_catch();
    if (!enter(work->folder, error)) {
        return false;
    }
    run_outside_chroot();
    return (systemd_is_running() || error_set(error, STATUS_FAILED_PRECONDITION, "the host does not use systemd")) &&
           host_bus_open(error);
}

/* ---- work of the node's systemd ---- */

static bool cancelled(struct error *error)
{
    return error_set(error, STATUS_CANCELLED, "%s; the work continues on the node as " HOST_UNIT ": see " LOG_PATH,
                     interrupt_seen());
}

/* Prints what the file has by now beyond what was printed. */
static void print_new(int log)
{
    char buffer[4096];
    ssize_t count;
    while ((count = read(log, buffer, sizeof buffer)) > 0) {
        fwrite(buffer, 1, (size_t)count, stdout);
    }
    fflush(stdout);
}

static bool is_busy(const struct systemd_unit *unit)
{
    return unit->loaded && strcmp(unit->active, "inactive") != 0 && strcmp(unit->active, "failed") != 0;
}

/* Waits until the unit has ended, and prints meanwhile what it prints. A unit that failed stays known to systemd. */
static bool follow(struct systemd_unit *unit, struct arena *arena, struct error *error)
{
    DESCRIPTOR_CLEANUP int log = open(LOG_PATH, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    do {
        print_new(log);
        if (!interrupt_sleep(BETWEEN_LOOKS)) {
            return cancelled(error);
        }
        if (!systemd_show(HOST_UNIT, arena, unit, error)) {
            return false;
        }
    } while (is_busy(unit));
    print_new(log);
    return true;
}

/* Another process may have begun it, and may have been killed. */
static bool follow_earlier(struct arena *arena, struct error *error)
{
    struct systemd_unit unit;
    if (!systemd_show(HOST_UNIT, arena, &unit, error)) {
        return false;
    }
    if (is_busy(&unit)) {
        progress_say(HOST_UNIT " is already running on this node:");
        if (!follow(&unit, arena, error)) {
            return false;
        }
    }
    return !unit.loaded || strcmp(unit.active, "failed") != 0 || systemd_do("reset-failed", HOST_UNIT, SYSTEMD_TIMEOUT, error);
}

/* An empty file, for root's eyes only. */
static bool make_log(struct error *error)
{
    if (unlink(LOG_PATH) != 0 && errno != ENOENT) {
        return system_error(error, "remove", LOG_PATH);
    }
    DESCRIPTOR_CLEANUP int log = open(LOG_PATH, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return log >= 0 || system_error(error, "make", LOG_PATH);
}

/* systemd-run; what it says last is the reason of a failure. */
static bool run_transient(const char *const *arguments, struct arena *arena, struct error *error)
{
    struct run_result result;
    if (!run_program(arguments, SYSTEMD_TIMEOUT, arena, &result, error)) {
        return error_set(error, error->code, "systemd-run: %s", error->message);
    }
    return (WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0) ||
           error_set(error, STATUS_UNAVAILABLE, "systemd-run: %s", result.complaint);
}

/* What transient units lack before systemd 236 and later: a file for the output, further good exit statuses, and a time limit.
   The shell survives signals, because systemd sends them to both, and the program then has to undo its steps. */
#define TO_LOG "trap : HUP INT TERM; \"$0\" \"$@\" >>" LOG_PATH " 2>&1; "

/* Has the node's systemd run a program of ours, and waits for its end. Exit status 0 is good, and also 1 if `with_warnings`. */
static bool run_there(const char *const *command, size_t count, bool with_warnings, struct arena *arena, struct error *error)
{
    const char *arguments[FIXED_ARGUMENTS + ON_HOST_MOST] = {
        "systemd-run",
        "--quiet",
        "--unit=" HOST_UNIT,
        "--description=crigate, installed or uninstalled by a pod",
        "--",
        "/bin/sh",
        "-c",
        with_warnings ? TO_LOG "[ $? -le 1 ]" : TO_LOG "[ $? = 0 ]",
    };
    size_t used = 8;
    for (size_t i = 0; i < count; i++) {
        arguments[used++] = command[i];
    }
    struct systemd_unit unit;
    if (!follow_earlier(arena, error) || !make_log(error) || !run_transient(arguments, arena, error) ||
        !follow(&unit, arena, error)) {
        return false;
    }
    return !unit.loaded || strcmp(unit.active, "failed") != 0 ||
           error_set(error, STATUS_FAILED_PRECONDITION, "failed on the node");
}

static bool run_command(const struct on_host *work, const char *program, const char *name, struct arena *arena,
                        struct error *error)
{
    const char *command[2 + ON_HOST_MOST] = {program, name};
    memcpy(command + 2, work->arguments, work->count * sizeof *command);
    return run_there(command, 2 + work->count, true, arena, error);
}

/* ---- install ---- */

/* A running crigate of another program hands over to the new one. */
static bool replace_running(struct arena *arena, struct error *error)
{
    static const char *const command[] = {HOST_PREFIX "/libexec/crigate/replace-running"};
    return run_there(command, 1, false, arena, error);
}

/* The timer that has `crigate verify` look at the node. */
static bool start_verifying(const char *program, struct arena *arena, struct error *error)
{
    struct systemd_unit timer;
    if (!systemd_show(VERIFY_TIMER, arena, &timer, error)) {
        return false;
    }
    if (is_busy(&timer)) {
        return true;
    }
    const char *const arguments[] = {
        "systemd-run",
        "--quiet",
        "--unit=" HOST_VERIFY,
        "--description=crigate verify, for crigate watch",
        "--on-active=1s",
        "--on-unit-active=30s",
        "--timer-property=AccuracySec=1s",
        "--",
        "/bin/sh",
        "-c",
        /* Its exit status is in the report. */
        "timeout 90 \"$0\" \"$@\" || true",
        program,
        "verify",
        "--wait",
        "10s",
        "--report",
        VERIFY_REPORT_PATH,
        NULL,
    };
    return run_transient(arguments, arena, error);
}

static bool install(const struct on_host *work, int self, struct arena *arena, struct error *error)
{
    /* One that came after ours does not serve. */
    bool packaged = access(HOST_PROGRAM, F_OK) != 0 && access(PACKAGED_PROGRAM, F_OK) == 0;
    if (packaged) {
        progress_say("This node has " PACKAGED_PROGRAM ", which is used as it is: whatever installed it also updates it.");
    } else if (!host_program_place(self, error) || !replace_running(arena, error)) {
        return false;
    }
    const char *program = packaged ? PACKAGED_PROGRAM : HOST_PROGRAM;
    return run_command(work, program, "install", arena, error) && start_verifying(program, arena, error);
}

/* ---- uninstall ---- */

/* A transient unit is gone once it has ended, which it may do at any moment. */
static bool stop_transient(const char *unit, struct arena *arena, struct error *error)
{
    struct systemd_unit seen;
    if (!systemd_show(unit, arena, &seen, error)) {
        return false;
    }
    struct error failure;
    if (!is_busy(&seen) || systemd_do("stop", unit, SYSTEMD_TIMEOUT, &failure)) {
        return true;
    }
    if (!systemd_show(unit, arena, &seen, error)) {
        return false;
    }
    if (is_busy(&seen)) {
        *error = failure;
    }
    return !is_busy(&seen);
}

static bool stop_verifying(struct arena *arena, struct error *error)
{
    if (!stop_transient(VERIFY_TIMER, arena, error) || !stop_transient(VERIFY_SERVICE, arena, error)) {
        return false;
    }
    /* The folder is what a pod has mounted. */
    return unlink(VERIFY_REPORT_PATH) == 0 || errno == ENOENT || errno == ENOTDIR ||
           system_error(error, "remove", VERIFY_REPORT_PATH);
}

/* Whether the command left crigate in place, as it does if a file that it would restore was edited. */
static bool still_serves(struct arena *arena)
{
    struct systemd_unit unit;
    struct error error;
    return access(INSTALL_FOLDER, F_OK) == 0 || !systemd_show(SERVICE_UNIT, arena, &unit, &error) || is_busy(&unit);
}

static bool uninstall(const struct on_host *work, struct arena *arena, struct error *error)
{
    const char *program = find_program();
    if (!program) {
        progress_say("crigate is not installed on this node.");
        return stop_verifying(arena, error);
    }
    if (!run_command(work, program, "uninstall", arena, error)) {
        return false;
    }
    if (still_serves(arena)) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "crigate is still installed on this node; what is left to do by hand is listed above");
    }
    return stop_verifying(arena, error) && host_program_remove(error);
}

/* ---- both ---- */

static int end(bool done, const struct error *error)
{
    if (!done) {
        progress_problem("%s", error->message);
    }
    return done ? EXIT_DONE : EXIT_NOT_DONE;
}

int on_host_install(const struct on_host *work)
{
    struct error error = {0};
    /* Before this container's files become invisible. */
    DESCRIPTOR_CLEANUP int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    struct arena *arena = arena_new(MEMORY);
    bool done = (self >= 0 || system_error(&error, "open", "/proc/self/exe")) && (arena || error_out_of_memory(&error)) &&
                begin(work, "install", &error) && install(work, self, arena, &error);
    arena_unref(arena);
    return end(done, &error);
}

int on_host_uninstall(const struct on_host *work)
{
    struct error error = {0};
    struct arena *arena = arena_new(MEMORY);
    bool done = (arena || error_out_of_memory(&error)) && begin(work, "uninstall", &error) && uninstall(work, arena, &error);
    arena_unref(arena);
    return end(done, &error);
}
