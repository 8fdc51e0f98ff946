#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/options/output.h"
#include "core/control/client.h"
#include "core/map/shim.h"
#include "core/map/socket.h"
#include "node/deploy/bypass.h"
#include "node/preflight/runtime_found.h"
#include "node/verify/checks.h"
#include "translate/abilities/abilities.h"

/* How often lists are compared while they differ. */
#define ROUNDS 6
/* Milliseconds. */
#define SERVES_TIMEOUT 3000
#define LISTS_MEMORY ((size_t)1 << 30)

/* ---- bypass, unit ---- */

void check_bypass(const struct look *look, struct findings *findings)
{
    const struct bypass_record *bypass = &look->bypass;
    if (look->bypass_left) {
        findings_add(findings, "bypass", CHECK_WARNING,
                     "an earlier one was not ended completely: at the next boot, " BYPASS_TMPFILES_PATH
                     " replaces the socket with a link",
                     "crigate bypass off");
    }
    if (!look->bypassed) {
        return;
    }
    findings_add(findings, "bypass", CHECK_WARNING,
                 bypass->readable
                     ? findings_text(findings, "on since %s%s: the kubelet's calls bypass crigate, from %s directly to %s",
                                     bypass->since[0] ? bypass->since : "an unknown time",
                                     bypass->until_reboot ? ", until the node reboots" : "", bypass->link, bypass->target)
                     : "on, but " BYPASS_RECORD_PATH " cannot be read",
                 "crigate bypass off, when crigate can be used again");
}

static bool is_enabled(const struct look *look)
{
    return systemd_state_is(look->unit.enabled, "enabled") || systemd_state_is(look->socket.enabled, "enabled");
}

/* As its package leaves it: then its log is empty, and the map may not be one for this node. */
static bool was_never_started(const struct look *look)
{
    return look->unit.loaded && systemd_state_is(look->unit.active, "inactive") && !is_enabled(look);
}

void check_unit(const struct look *look, struct findings *findings)
{
    if (!look->systemd) {
        findings_add(findings, "unit", CHECK_WARNING,
                     look->systemd_error.code != STATUS_OK
                         ? findings_text(findings, "cannot query systemd: %s", look->systemd_error.message)
                         : "systemd does not manage this node: whether crigate is started at boot cannot be determined",
                     NULL);
    } else if (!look->unit.loaded) {
        findings_add(findings, "unit", CHECK_WRONG, "there is no crigate.service", "crigate install");
    } else if (!systemd_state_is(look->unit.active, "active") && !look->bypassed) {
        findings_add(findings, "unit", CHECK_WRONG, findings_text(findings, "crigate.service is %s", look->unit.active),
                     was_never_started(look) ? "crigate install"
                                             : "journalctl -u crigate.service, then systemctl start crigate.service");
    } else if (!is_enabled(look)) {
        findings_add(findings, "unit", CHECK_WARNING,
                     findings_text(findings, "crigate.service is %s: after a reboot nothing starts it", look->unit.enabled),
                     "systemctl enable crigate.service");
    } else {
        findings_add(findings, "unit", CHECK_OK,
                     findings_text(findings, "crigate.service is %s and %s", look->unit.active, look->unit.enabled), NULL);
    }
}

/* Whether the map leads to that unit's cri-dockerd. */
static bool needs_docker_unit(const struct look *look)
{
    for (size_t i = 0; look->map && i < look->map->runtime_count; i++) {
        if (strcmp(docker_endpoint_to_ask(look->map->runtimes[i].endpoint), DOCKER_SHIM_ENDPOINT) == 0) {
            return true;
        }
    }
    return false;
}

void check_docker_unit(const struct look *look, struct findings *findings)
{
    const struct systemd_unit *unit = &look->docker;
    if (!look->systemd || !needs_docker_unit(look)) {
        return;
    }
    if (!unit->loaded || !systemd_state_is(unit->active, "active")) {
        findings_add(findings, "unit of Docker", CHECK_WRONG,
                     findings_text(findings, DOCKER_SHIM_UNIT ", whose socket the runtime map names, is %s",
                                   unit->loaded ? unit->active : "missing"),
                     "journalctl -u " DOCKER_SHIM_UNIT ", then systemctl start " DOCKER_SHIM_UNIT);
    } else if (!systemd_state_is(unit->enabled, "enabled")) {
        findings_add(findings, "unit of Docker", CHECK_WARNING,
                     findings_text(findings, DOCKER_SHIM_UNIT " is %s: after a reboot nothing starts it", unit->enabled),
                     "systemctl enable " DOCKER_SHIM_UNIT);
    } else {
        findings_add(findings, "unit of Docker", CHECK_OK,
                     findings_text(findings, DOCKER_SHIM_UNIT " is %s and %s", unit->active, unit->enabled), NULL);
    }
}

/* ---- process ---- */

static pid_t pid_of(struct json_object *status)
{
    return (pid_t)json_object_get_int64(json_member(status, CONTROL_PID));
}

/* Whether the file that a process was started from was replaced or removed since. `path` gets its path. */
static bool was_replaced(pid_t pid, char *path, size_t size)
{
    char link[64];
    struct stat running, installed;
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    ssize_t length = readlink(link, path, size - 1);
    path[length > 0 ? length : 0] = '\0';
    char *deleted = strstr(path, " (deleted)");
    if (deleted) {
        *deleted = '\0';
        return true;
    }
    return length > 0 && stat(link, &running) == 0 && stat(path, &installed) == 0 &&
           (running.st_dev != installed.st_dev || running.st_ino != installed.st_ino);
}

/* Whether a kubelet's calls are answered where crigate should listen. */
static bool serves_calls(const struct look *look, const char **address, struct arena *arena)
{
    struct runtime_found found = {0};
    *address = look_listen(look) ? look_listen(look) : LOOK_DEFAULT_LISTEN;
    runtime_ask(*address, SERVES_TIMEOUT, arena, &found);
    return found.answers;
}

/* There is no answer at the control socket. A mistake in the map may have led to a wrong path: not a reason to bypass a crigate
   that serves the kubelet. */
static void check_silent_process(const struct look *look, struct findings *findings)
{
    const char *address;
    if (look->bypassed) {
        return;
    }
    if (serves_calls(look, &address, findings->arena)) {
        findings_add(
            findings, "process", CHECK_WARNING,
            findings_text(findings, "calls are answered at %s, but the answering process is unknown: %s", address,
                          look->status_error.message),
            findings_text(findings, "see `state` in %s: crigate keeps the folder with which it was started", look->config));
    } else if (!look->map && systemd_state_is(look->unit.active, "active")) {
        findings_add(
            findings, "process", CHECK_UNKNOWN,
            findings_text(findings, "without a valid map, crigate's control socket is unknown: %s", look->status_error.message),
            "correct the map first");
    } else if (!look->map) {
        findings_add(findings, "process", CHECK_WRONG,
                     findings_text(findings, "crigate does not answer, and does not start without a valid map: %s",
                                   look->status_error.message),
                     "correct the map, then systemctl start crigate.service");
    } else {
        findings_add(
            findings, "process", CHECK_WRONG, findings_text(findings, "crigate does not answer: %s", look->status_error.message),
            was_never_started(look) ? "crigate install"
                                    : "journalctl -u crigate.service; to run the node without crigate: crigate bypass on");
    }
}

void check_process(const struct look *look, struct findings *findings)
{
    static const char restart[] = "systemctl restart crigate.service, or crigate --takeover";
    char path[PATH_MAX];
    pid_t pid = pid_of(look->status);
    const char *version = look->status ? command_text_member(look->status, "version") : "";
    if (!look->status) {
        check_silent_process(look, findings);
    } else if (look->systemd && look->unit.main_pid != pid) {
        findings_add(findings, "process", CHECK_WARNING,
                     findings_text(findings, "process %d answers, but the process of crigate.service is %d", (int)pid,
                                   (int)look->unit.main_pid),
                     "stop that process, and start crigate.service");
    } else if (was_replaced(pid, path, sizeof path)) {
        findings_add(findings, "process", CHECK_WARNING,
                     findings_text(findings, "process %d is still running the old %s, which has been replaced", (int)pid, path),
                     restart);
    } else if (strcmp(version, CRIGATE_VERSION) != 0) {
        findings_add(findings, "process", CHECK_WARNING,
                     findings_text(findings, "process %d has version %s, this program " CRIGATE_VERSION, (int)pid, version),
                     restart);
    } else {
        findings_add(findings, "process", CHECK_OK, findings_text(findings, "process %d runs version %s", (int)pid, version),
                     NULL);
    }
}

void check_refusals(const struct look *look, struct findings *findings)
{
    const char *unreachable = look->status ? command_text_member(look->status, CONTROL_UNREACHABLE) : "";
    if (*unreachable && !look->bypassed) {
        findings_add(
            findings, "calls", CHECK_WRONG, findings_text(findings, "callers cannot connect: %s", unreachable),
            "systemctl restart crigate.service; if crigate.socket created that file, stop both and start crigate.socket");
    }
    const char *why = look->status ? command_text_member(look->status, "refusesCalls") : "";
    if (*why) {
        findings_add(findings, "calls", CHECK_WRONG, findings_text(findings, "new calls are refused: %s", why),
                     "crigate calls prints those that are under way");
    }
}

/* ---- map ---- */

bool check_is_in_force(const struct runtime_map *map, struct json_object *status)
{
    struct json_object *runtimes = json_member(status, "runtimes");
    size_t count = json_count(runtimes);
    bool same = strcmp(command_text_member(status, "listen"), map->listen.address) == 0 && count == map->runtime_count;
    for (size_t i = 0; same && i < count; i++) {
        struct json_object *runtime = json_object_array_get_idx(runtimes, i);
        same = strcmp(command_text_member(runtime, "name"), map->runtimes[i].name) == 0 &&
               strcmp(command_text_member(runtime, "endpoint"), map->runtimes[i].endpoint) == 0;
    }
    return same;
}

static const char *first_mistake(const struct look *look, struct findings *findings)
{
    const struct runtime_map_problem *problem = runtime_map_problems_first(&look->problems);
    if (!problem) {
        return findings_text(findings, "%s cannot be read", look->config);
    }
    const char *file = problem->file ? problem->file : look->config;
    return problem->line > 0 ? findings_text(findings, "%s:%u: %s", file, problem->line, problem->message)
                             : findings_text(findings, "%s: %s", file, problem->message);
}

void check_map(const struct look *look, struct findings *findings)
{
    struct json_object *refused = json_member(look->status, CONTROL_REFUSED_MAP);
    const char *check = findings_text(findings, "correct it; crigate --check-config %s reports all errors", look->config);
    if (!look->map) {
        findings_add(findings, "map", CHECK_WRONG, first_mistake(look, findings), check);
    } else if (!look->status) {
        findings_add(findings, "map", CHECK_OK, findings_text(findings, "%s has no errors", look->config), NULL);
    } else if (refused) {
        findings_add(findings, "map", CHECK_WRONG,
                     findings_text(findings, "crigate has refused the newest map: %s",
                                   json_object_is_type(refused, json_type_array)
                                       ? command_text(json_object_array_get_idx(refused, 0))
                                       : command_text(refused)),
                     check);
    } else if (!check_is_in_force(look->map, look->status)) {
        findings_add(findings, "map", CHECK_WRONG, findings_text(findings, "%s is not the map in force", look->config),
                     findings_text(findings, "crigate reload --config %s", look->config));
    } else {
        findings_add(findings, "map", CHECK_OK, findings_text(findings, "%s has no errors, and is in force", look->config), NULL);
    }
}

/* ---- runtimes ---- */

static bool is_primary(struct json_object *runtime)
{
    return strncmp(command_text_member(runtime, "role"), "primary", strlen("primary")) == 0;
}

/* Of what it ignores much is known only by its name and version. */
static void check_ready(struct json_object *runtime, const char *name, struct findings *findings)
{
    enum dialect dialect = 0;
    struct ability_set set;
    const char *reported = command_text_member(runtime, "runtimeName");
    const char *version = command_text_member(runtime, "runtimeVersion");
    const char *speaks = command_text_member(runtime, "dialect");
    dialect_from_name(bytes_of_string(speaks), &dialect);
    ability_set_make(&set, reported, version, dialect);
    findings_add(findings, name, set.unread ? CHECK_WARNING : CHECK_OK,
                 findings_text(findings, "ready, %s %s, speaks %s%s", reported, version, speaks,
                               set.unread    ? "; its version cannot be read, so that it is judged as its strictest release"
                               : set.runtime ? ""
                                             : "; crigate does not know which fields it ignores"),
                 set.unread ? "if it honours a field that is refused, set `translation: {lenient: [FIELD]}` in the map" : NULL);
}

static void check_runtime(struct json_object *runtime, struct findings *findings)
{
    const char *name = findings_text(findings, "runtime %s", command_text_member(runtime, "name"));
    const char *state = command_text_member(runtime, "state");
    const char *list = command_text_member(runtime, "failingList");
    if (*list) {
        findings_add(findings, name, CHECK_WRONG,
                     findings_text(findings, "%s: %s fails there, and so for the whole node", state, list),
                     "read its log, or restore it; without its lists, the kubelet gets none");
        return;
    }
    if (strcmp(state, "ready") == 0) {
        check_ready(runtime, name, findings);
        return;
    }
    static const struct {
        const char *state, *next;
    } steps[] = {{"hanging", "read its log; if it is only slow, raise its `budget` in the map"},
                 {"probing", "read its log: it accepts connections, but does not answer Version"},
                 {"degraded", "start its image service, or correct `image_endpoint` in the map"},
                 {"unsuitable", "check that its CRI is enabled, or correct `endpoint` in the map"}};
    const char *next =
        findings_text(findings, "start it, or correct `endpoint` in the map (%s)", command_text_member(runtime, "endpoint"));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        next = strcmp(state, steps[i].state) == 0 ? steps[i].next : next;
    }
    findings_add(findings, name, is_primary(runtime) && !control_flag(runtime, "answersLate") ? CHECK_WRONG : CHECK_WARNING,
                 findings_text(findings, "%s: %s", state, command_text_member(runtime, "note")), next);
}

void check_runtimes(const struct look *look, struct findings *findings)
{
    struct json_object *runtimes = json_member(look->status, "runtimes");
    size_t count = json_count(runtimes);
    for (size_t i = 0; i < count; i++) {
        check_runtime(json_object_array_get_idx(runtimes, i), findings);
    }
}

/* ---- plugins ---- */

void check_plugins(const struct look *look, struct findings *findings)
{
    struct json_object *refusing = json_member_of(json_member(look->status, "hooks"), "refusing", json_type_array);
    if (!refusing) {
        return;
    }
    for (size_t i = 0; i < json_count(refusing); i++) {
        const char *name = command_text(json_object_array_get_idx(refusing, i));
        findings_add(findings, "plugins", CHECK_WRONG,
                     findings_text(findings, "calls are refused because of %s, whose failures count (policy Fail)", name),
                     "crigate hooks, and the log of that plugin");
    }
    if (json_count(refusing) == 0) {
        findings_add(findings, "plugins", CHECK_OK, "no calls are refused because of a plugin", NULL);
    }
}

/* ---- lists ---- */

static void compare(const struct look *look, const struct runtime_entry *entry, enum dialect dialect, struct findings *findings)
{
    struct error error = {0};
    struct arena *arena = arena_new(LISTS_MEMORY);
    const char *endpoint = docker_endpoint_to_ask(entry->endpoint);
    const struct runtime_sockets direct = {endpoint, docker_endpoint_to_ask(entry->image_endpoint)};
    if (arena && runtime_lists_equal(&direct, look->map->listen.address, dialect, ROUNDS, arena, &error)) {
        findings_add(findings, "lists", CHECK_OK,
                     findings_text(findings, "pods, containers and images are the same at %s and through crigate", endpoint),
                     NULL);
    } else {
        bool differ = error.code == STATUS_ABORTED;
        findings_add(findings, "lists", differ ? CHECK_WRONG : CHECK_WARNING,
                     findings_text(findings, "%s", arena ? error.message : "out of memory: they could not be compared"),
                     differ  ? "if it persists, report it, with the output of crigate call ListPodSandbox for both sockets"
                     : arena ? "read the log of the runtime at that socket"
                             : NULL);
    }
    arena_unref(arena);
}

void check_lists_equal(const struct look *look, struct findings *findings)
{
    enum dialect dialect;
    if (!look->map || !look->status || !check_is_in_force(look->map, look->status)) {
        return; /* another check says so */
    }
    const struct runtime_entry *entry = &look->map->runtimes[look->map->primary];
    struct json_object *runtimes = json_member(look->status, "runtimes");
    struct json_object *runtime = json_object_array_get_idx(runtimes, look->map->primary);
    if (strcmp(command_text_member(runtime, "state"), "ready") != 0 ||
        !dialect_from_name(bytes_of_string(command_text_member(runtime, "dialect")), &dialect)) {
        return; /* likewise */
    }
    if (look->map->runtime_count > 1 || !entry->plain_ids) {
        findings_add(findings, "lists", CHECK_UNKNOWN,
                     "not compared: with several runtimes, or prefixed ids, those of crigate differ from each runtime's own",
                     NULL);
    } else {
        compare(look, entry, dialect, findings);
    }
}
