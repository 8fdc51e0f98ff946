#include "node/kubelet/wait.h"

#include <stdio.h>
#include <string.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "base/system/clock.h"
#include "base/system/file.h"
#include "base/system/interrupt.h"
#include "core/control/crigate_status.h"
#include "node/kubelet/healthz.h"
#include "node/systemd/systemd.h"

#define BETWEEN_LOOKS 500 /* milliseconds */
#define HEALTHZ_TIMEOUT 2000

/* For what systemctl prints about a unit. */
#define LOOK_MEMORY ((size_t)4 << 20)

struct process_identity process_identity(pid_t pid)
{
    char path[64], line[1024] = "", boot[40];
    unsigned long long started;
    struct process_identity identity = {.text = ""};
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (pid > 0) {
        file_read_text(path, line, sizeof line);
    }
    /* The name in parentheses may have any character. The time is the 22nd field, the 20th after the name. */
    const char *end = strrchr(line, ')');
    if (end &&
        sscanf(end + 1, " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &started) == 1) {
        file_read_text("/proc/sys/kernel/random/boot_id", boot, sizeof boot);
        boot[strcspn(boot, "\n")] = '\0';
        snprintf(identity.text, sizeof identity.text, "%d.%llu.%s", (int)pid, started, boot);
    }
    return identity;
}

/* Whether the process is one of the unit: k0s and RKE2 start the kubelet. */
static bool is_of_unit(pid_t pid, const char *unit)
{
    char path[64], text[1024];
    size_t len = strlen(unit);
    snprintf(path, sizeof path, "/proc/%d/cgroup", (int)pid);
    file_read_text(path, text, sizeof text);
    for (const char *at = strchr(text, '/'); at; at = strchr(at + 1, '/')) {
        if (strncmp(at + 1, unit, len) == 0 && (at[len + 1] == '/' || at[len + 1] == '\n')) {
            return true;
        }
    }
    return false;
}

static bool unit_has_called(struct json_object *status, const char *unit)
{
    struct json_object *callers = json_member(status, "callers");
    size_t count = json_count(callers);
    for (size_t i = 0; i < count; i++) {
        pid_t pid = (pid_t)json_object_get_int64(json_member(json_object_array_get_idx(callers, i), "pid"));
        if (pid > 0 && is_of_unit(pid, unit) && crigate_status_calls_of(status, pid) > 0) {
            return true;
        }
    }
    return false;
}

static bool has_called(const struct kubelet_wait *wait, pid_t pid, struct error *error)
{
    struct json_object *status = crigate_status(wait->control, error);
    if (!status) {
        return error_wrap(error, "crigate does not answer");
    }
    bool called = crigate_status_calls_of(status, pid) > 0 || unit_has_called(status, wait->unit);
    json_object_put(status);
    return called || error_set(error, STATUS_UNAVAILABLE, "no call of process %d has arrived at crigate", (int)pid);
}

/* Whether the kubelet is healthy now; `pid` gets its process. ABORTED: it will not become healthy. */
static bool look(const struct kubelet_wait *wait, struct arena *arena, pid_t *pid, struct error *error)
{
    struct systemd_unit unit;
    if (!systemd_show(wait->unit, arena, &unit, error)) {
        return false;
    }
    *pid = unit.main_pid;
    if (!unit.loaded || strcmp(unit.active, "failed") == 0) {
        return error_set(error, STATUS_ABORTED, "%s %s", wait->unit, unit.loaded ? "has failed" : "no longer exists");
    }
    if (strcmp(unit.active, "active") != 0 || unit.main_pid <= 0) {
        return error_set(error, STATUS_UNAVAILABLE, "%s is %s", wait->unit, unit.active);
    }
    return (!wait->healthz || healthz_ask(wait->healthz, HEALTHZ_TIMEOUT, error)) &&
           (!wait->control || has_called(wait, unit.main_pid, error));
}

bool kubelet_wait(const struct kubelet_wait *wait, struct error *error)
{
    pid_t well = 0;
    int64_t since = 0;
    int64_t end = clock_ms() + wait->timeout;
    struct error missing = {.code = STATUS_UNAVAILABLE, .message = "it was not checked"};
    do {
        pid_t pid = 0;
        struct arena *arena = arena_new(LOOK_MEMORY);
        bool good = arena ? look(wait, arena, &pid, &missing) : error_out_of_memory(&missing);
        arena_unref(arena);
        if (good && pid == well && clock_ms() - since >= wait->steady) {
            return true;
        }
        if (!good && missing.code == STATUS_ABORTED) {
            return error_set(error, STATUS_FAILED_PRECONDITION, "%s", missing.message);
        }
        if (good && pid != well) {
            error_set(&missing, STATUS_UNAVAILABLE, "its process kept changing");
            since = clock_ms();
        }
        well = good ? pid : 0;
        if (!interrupt_sleep(BETWEEN_LOOKS)) {
            return error_set(error, STATUS_CANCELLED, "%s", interrupt_seen());
        }
    } while (clock_ms() < end);
    return error_set(error, STATUS_DEADLINE_EXCEEDED, "after %u s: %s", wait->timeout / 1000, missing.message);
}
