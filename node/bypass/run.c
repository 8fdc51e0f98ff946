#include "node/bypass/run.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json/read.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "base/system/interrupt.h"
#include "base/system/unix_socket.h"
#include "core/control/client.h"
#include "core/control/crigate_status.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/bypass/connections.h"
#include "node/deploy/bypass.h"
#include "node/files/node_folder.h"
#include "node/install/progress.h"
#include "node/kubelet/healthz.h"
#include "node/preflight/socket.h"
#include "node/systemd/run.h"
#include "node/systemd/systemd.h"

#define SERVICE "crigate.service"
#define SOCKET "crigate.socket"

/* Milliseconds. A stop lets running calls end. */
#define STOP_TIMEOUT 60000
#define START_TIMEOUT 60000
#define OTHER_TIMEOUT 15000
#define WAIT_TIMEOUT 30000
#define CALLS_TIMEOUT 60000
#define BETWEEN_LOOKS 250
#define CONTROL_SECONDS 3
#define ASK_TIMEOUT 2000

/* Ends the line of a step. */
static bool step(bool done, const struct error *error)
{
    if (done) {
        progress_done(NULL);
    } else {
        progress_failed();
        progress_problem("%s", error->message);
    }
    return done;
}

/* ---- crigate's units ---- */

/* false: crigate is not a systemd service here. */
static bool is_active(const char *unit, struct arena *arena, bool *active)
{
    struct error ignored;
    struct systemd_unit shown;
    bool loaded = systemd_is_running() && systemd_show(unit, arena, &shown, &ignored) && shown.loaded;
    *active = loaded && !systemd_state_is(shown.active, "inactive") && !systemd_state_is(shown.active, "failed");
    return loaded;
}

/* The process that answers at the control socket; 0: none does. A healthy one answers at once. */
static pid_t answering(const char *state)
{
    char control[PATH_MAX];
    struct error ignored;
    struct control_reply reply = {0};
    snprintf(control, sizeof control, "%s/" CONTROL_SOCKET_NAME, state);
    DESCRIPTOR_CLEANUP int connection = control_connect(control, CONTROL_SECONDS, &ignored);
    bool answered =
        connection >= 0 && control_send(connection, CONTROL_STATUS, &ignored) && control_receive(connection, &reply, &ignored);
    struct json_object *status = answered ? control_parse(reply.line, &ignored) : NULL;
    control_reply_release(&reply);
    pid_t pid = (pid_t)json_object_get_int64(json_member(status, CONTROL_PID));
    json_object_put(status);
    return pid;
}

/* One that hangs would not end before systemd's time limit. */
static void kill_service(struct arena *arena)
{
    struct error ignored;
    struct run_result result;
    static const char *const stop[] = {"systemctl", "stop", "--no-block", SERVICE, NULL};
    static const char *const end[] = {"systemctl", "kill", "--signal=KILL", SERVICE, NULL};
    if (run_program(stop, OTHER_TIMEOUT, arena, &result, &ignored)) {
        run_program(end, OTHER_TIMEOUT, arena, &result, &ignored);
    }
}

static enum bypass_result stop_service(const char *state, struct arena *arena)
{
    bool active;
    struct error error = {0};
    if (is_active(SOCKET, arena, &active) && active && !systemd_do("stop", SOCKET, OTHER_TIMEOUT, &error)) {
        progress_failed();
        progress_problem("%s", error.message);
        return BYPASS_DOUBTFUL;
    }
    if (is_active(SERVICE, arena, &active) && active) {
        if (answering(state) == 0) {
            kill_service(arena);
        }
        if (!systemd_do("stop", SERVICE, STOP_TIMEOUT, &error)) {
            progress_failed();
            progress_problem("%s", error.message);
            return BYPASS_DOUBTFUL;
        }
    }
    pid_t left = answering(state);
    progress_done(left ? "still running" : NULL);
    if (left) {
        progress_problem("a crigate other than " SERVICE
                         " is running, process %d: stop it; until then, connected callers keep using it",
                         (int)left);
    }
    return left ? BYPASS_DOUBTFUL : BYPASS_GOOD;
}

/* A signal that came before the first change. */
static bool is_stopped(void)
{
    if (interrupt_seen()) {
        progress_problem("stopped by %s; nothing was changed", interrupt_seen());
    }
    return interrupt_seen();
}

/* ---- on ---- */

/* The record in /run is beside the link: neither needs a disk. Without it, the link still helps. */
static bool note_and_link(const struct bypass_record *record)
{
    struct error error = {0};
    /* A disk that cannot be read is not a reason to stop. */
    if (!bypass_check_owner(&error) && error.code == STATUS_PERMISSION_DENIED) {
        progress_problem("%s", error.message);
        return false;
    }
    bypass_note(record, NULL);
    progress_begin("pointing %s to %s", record->link, record->target);
    bool done = step(bypass_link_place(record->link, record->target, &error), &error);
    if (!done) {
        bypass_erase_note(NULL);
    }
    return done;
}

/* What a reboot needs comes last: the disk may be full, read-only or dead. */
static enum bypass_result write_for_reboots(const struct bypass_record *record)
{
    struct error error = {0};
    progress_begin("writing " BYPASS_RECORD_PATH ", for reboots");
    if (step(bypass_write(record, &error), &error)) {
        return BYPASS_GOOD;
    }
    progress_problem("the bypass is on, but only until the node reboots: once that is fixed, run crigate bypass on again");
    return BYPASS_DOUBTFUL;
}

/* What can be seen of the kubelet's calls once crigate has stopped. */
struct after {
    bool path_answers;
    bool kubelet_runs;
    bool kubelet_well;
    bool connections_known;
    size_t connections;
    struct error problem;
};

static void look_after(const struct bypass_found *found, struct arena *arena, struct after *after)
{
    struct error ignored;
    struct runtime_found through = {0};
    const struct kubelet *kubelet = found->facts.kubelet;
    char endpoint[PATH_MAX];
    *after = (struct after){0};
    snprintf(endpoint, sizeof endpoint, SOCKET_SCHEME "%s", found->facts.link);
    runtime_ask(endpoint, ASK_TIMEOUT, arena, &through);
    after->path_answers = through.answers;
    if (!through.answers) {
        error_set(&after->problem, STATUS_UNAVAILABLE, "%s does not answer: %s", found->facts.link,
                  through.why_not ? through.why_not : "it does not speak CRI");
    }
    after->kubelet_runs = kubelet && kubelet->pid > 0 && kill(kubelet->pid, 0) == 0;
    if (after->kubelet_runs) {
        after->kubelet_well = !found->healthz || healthz_ask(found->healthz, ASK_TIMEOUT, &after->problem);
        after->connections_known = connections_count(kubelet->pid, found->facts.target, &after->connections, &ignored);
    }
}

static bool is_well(const struct after *after)
{
    return after->path_answers &&
           (!after->kubelet_runs || (after->kubelet_well && (!after->connections_known || after->connections > 0)));
}

static void say_what_was_seen(const struct bypass_found *found, const struct after *after)
{
    if (!after->kubelet_runs) {
        progress_say("the path answers; the kubelet is not running, or was not found");
        return;
    }
    if (after->connections_known) {
        progress_say("the path answers; the kubelet, process %d, is connected to %s (%zu)", (int)found->kubelet.pid,
                     found->facts.target, after->connections);
    } else {
        progress_say(
            "the path answers, and the kubelet, process %d, is running; whether it has reconnected cannot be determined here",
            (int)found->kubelet.pid);
    }
    if (found->healthz) {
        progress_say("http://%s/healthz reports ok", found->healthz);
    }
}

static enum bypass_result wait_after(const struct bypass_found *found)
{
    struct after after = {0};
    int64_t end = clock_ms() + WAIT_TIMEOUT;
    progress_begin("waiting for the kubelet");
    do {
        struct arena *arena = arena_new((size_t)16 << 20);
        if (!arena) {
            break;
        }
        look_after(found, arena, &after);
        arena_unref(arena);
        if (is_well(&after)) {
            progress_done(NULL);
            say_what_was_seen(found, &after);
            return after.kubelet_runs ? BYPASS_GOOD : BYPASS_DOUBTFUL;
        }
    } while (clock_ms() < end && interrupt_sleep(BETWEEN_LOOKS));
    progress_failed();
    if (interrupt_seen()) {
        progress_problem("stopped by %s; the bypass is on: crigate bypass status", interrupt_seen());
        return BYPASS_DOUBTFUL;
    }
    progress_problem("%s", after.problem.code != STATUS_OK ? after.problem.message
                                                           : "the kubelet has not connected to the runtime; restart it");
    return BYPASS_DOUBTFUL;
}

enum bypass_result bypass_run_on(const struct bypass_found *found, struct bypass_record *record, struct arena *arena)
{
    bool socket_active;
    if (is_stopped()) {
        return BYPASS_IMPOSSIBLE;
    }
    is_active(SOCKET, arena, &socket_active);
    record->socket_unit = record->socket_unit || socket_active;
    if (!note_and_link(record)) {
        return BYPASS_IMPOSSIBLE;
    }
    progress_begin("stopping crigate");
    enum bypass_result stopped = stop_service(found->state, arena);
    enum bypass_result written = write_for_reboots(record);
    enum bypass_result waited = wait_after(found);
    enum bypass_result worst = stopped > written ? stopped : written;
    return worst > waited ? worst : waited;
}

/* ---- off ---- */

/* After a start that failed. */
static void put_back(struct bypass_record *record)
{
    struct error error = {0};
    progress_begin("restoring the bypass");
    bypass_note(record, NULL);
    bool back = bypass_link_place(record->link, record->target, &error) && bypass_write(record, &error);
    systemd_do("stop", SOCKET, OTHER_TIMEOUT, NULL);
    systemd_do("stop", SERVICE, STOP_TIMEOUT, NULL);
    step(back, &error);
}

/* A crigate that is still running, because `on` was killed before it stopped it, has lost the file of its socket: it is stopped
   while the link is still there. */
static bool end_link(const struct bypass_record *record, const char *state, struct arena *arena)
{
    struct error error = {0};
    bool active, socket_active;
    is_active(SERVICE, arena, &active);
    is_active(SOCKET, arena, &socket_active);
    if (bypass_link_look(record->link, record->target) != BYPASS_LINK_SOCKET && (active || socket_active)) {
        progress_begin("stopping crigate, which no longer has a socket");
        if (stop_service(state, arena) != BYPASS_GOOD) {
            return false;
        }
    }
    /* While the record is there, crigate does not start: where it cannot be removed, the link stays. */
    progress_begin("removing " BYPASS_RECORD_PATH);
    if (!step(bypass_erase_record(&error), &error)) {
        progress_problem("the bypass stays on");
        return false;
    }
    progress_begin("removing the link %s", record->link);
    return step(bypass_link_remove(record->link, &error), &error);
}

/* systemd starts no socket unit whose service runs already. Without a record, it is not known whether the socket was active. */
static bool wants_socket(const struct bypass_record *record, struct arena *arena)
{
    bool active;
    struct systemd_unit socket;
    if (is_active(SERVICE, arena, &active) && active) {
        return false;
    }
    return record->readable
               ? record->socket_unit
               : systemd_show(SOCKET, arena, &socket, NULL) && socket.loaded && systemd_state_is(socket.enabled, "enabled");
}

static bool start_service(struct bypass_record *record, struct arena *arena)
{
    struct error error = {0};
    progress_begin("starting crigate");
    bool started = (!wants_socket(record, arena) || systemd_do("start", SOCKET, OTHER_TIMEOUT, &error)) &&
                   systemd_do("start", SERVICE, START_TIMEOUT, &error);
    if (!step(started, &error)) {
        put_back(record);
    }
    return started;
}

/* The kubelet keeps its connections to the runtime as long as these last, and so bypasses crigate. */
static bool move_kubelet(const struct kubelet *kubelet, const char *target)
{
    size_t count;
    struct error error = {0};
    progress_begin("closing the kubelet's connections to %s, so that it connects to crigate", target);
    if (connections_cut(kubelet->pid, target, &count, &error)) {
        progress_done(NULL);
        return true;
    }
    progress_failed();
    progress_problem("%s; restart the kubelet: until then, its calls bypass crigate (systemctl restart %s)", error.message,
                     kubelet->unit.loaded ? kubelet->unit.name : "kubelet");
    return false;
}

static enum bypass_result wait_for_calls(const char *state, pid_t pid)
{
    char control[PATH_MAX];
    int64_t end = clock_ms() + CALLS_TIMEOUT;
    snprintf(control, sizeof control, "%s/" CONTROL_SOCKET_NAME, state);
    progress_begin("waiting for the kubelet's calls");
    do {
        struct error ignored;
        struct json_object *status = crigate_status(control, &ignored);
        bool calls = status && crigate_status_calls_of(status, pid) > 0;
        json_object_put(status);
        if (calls) {
            progress_done(NULL);
            return BYPASS_GOOD;
        }
    } while (clock_ms() < end && interrupt_sleep(BETWEEN_LOOKS));
    progress_failed();
    progress_problem("no call of the kubelet, process %d, has reached crigate; run crigate verify", (int)pid);
    return BYPASS_DOUBTFUL;
}

static enum bypass_result bring_kubelet(const char *state, const struct bypass_record *record, struct arena *arena)
{
    struct kubelet kubelet;
    struct error error = {0};
    struct kubelet_search search = {0};
    if (!kubelet_find(&search, arena, &kubelet, &error)) {
        progress_problem("%s; whether its calls reach crigate was not checked", error.message);
        return BYPASS_DOUBTFUL;
    }
    const char *path = socket_path(kubelet.runtime_endpoint.value);
    if (kubelet.pid == 0 || !path || !node_path_is_same(path, record->link)) {
        progress_problem("the kubelet does not %s %s", kubelet.pid == 0 ? "run, and so does not call" : "call", record->link);
        return BYPASS_DOUBTFUL;
    }
    return move_kubelet(&kubelet, record->target) ? wait_for_calls(state, kubelet.pid) : BYPASS_DOUBTFUL;
}

/* What a killed command may have left, without the record. */
static bool complete(const struct runtime_map *map, struct bypass_record *record)
{
    if (!record->readable) {
        const char *target = socket_path(docker_endpoint_to_ask(map->runtimes[map->primary].endpoint));
        snprintf(record->link, sizeof record->link, "%s", map->listen.path);
        snprintf(record->target, sizeof record->target, "%s", target ? target : "");
        record->socket_unit = false;
    }
    struct stat status;
    return record->readable || (lstat(record->link, &status) == 0 && S_ISLNK(status.st_mode)) ||
           access(BYPASS_TMPFILES_PATH, F_OK) == 0 || access(BYPASS_RECORD_PATH, F_OK) == 0 ||
           access(BYPASS_NOTE_PATH, F_OK) == 0;
}

static enum bypass_result run_off(const struct runtime_map *map, struct bypass_record *record, struct arena *arena)
{
    bool active;
    struct error error = {0};
    if (!complete(map, record)) {
        progress_say("no bypass is on");
        return BYPASS_GOOD;
    }
    bool service = is_active(SERVICE, arena, &active);
    if (is_stopped() || !end_link(record, map->state, arena)) {
        return BYPASS_IMPOSSIBLE;
    }
    if (!service) {
        bypass_erase(NULL);
        progress_say("crigate is not a systemd service here: start it now, as it was started before");
        return BYPASS_DOUBTFUL;
    }
    if (!start_service(record, arena)) {
        return BYPASS_IMPOSSIBLE;
    }
    enum bypass_result brought = bring_kubelet(map->state, record, arena);
    /* Last, since by this file the next `off` sees that there is something left to do. */
    progress_begin("removing " BYPASS_TMPFILES_PATH);
    if (!step(bypass_erase(&error), &error)) {
        progress_problem(
            "while that file exists, a reboot turns the bypass on again: once it can be removed, run crigate bypass off again");
        return BYPASS_DOUBTFUL;
    }
    if (brought == BYPASS_GOOD) {
        progress_say("calls pass through crigate again");
    }
    return brought;
}

enum bypass_result bypass_run_off(const char *config, struct bypass_record *record, struct arena *arena)
{
    struct runtime_map_problems problems = {0};
    struct runtime_map *map = runtime_map_load(config, &problems);
    enum bypass_result result = BYPASS_IMPOSSIBLE;
    if (map) {
        result = run_off(map, record, arena);
    } else {
        runtime_map_problems_print(&problems, config, stderr);
        progress_problem("crigate would not start with this runtime map; nothing was changed");
    }
    runtime_map_problems_clear(&problems);
    runtime_map_free(map);
    return result;
}
