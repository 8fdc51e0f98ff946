#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/json/build.h"
#include "base/json/read.h"
#include "node/deploy/map_file.h"
#include "node/kubelet/plan.h"
#include "node/kubelet/writers.h"
#include "node/systemd/run.h"
#include "node/verify/checks.h"

#define KUBECTL_TIMEOUT 10000

/* ---- it is there, and well ---- */

void check_kubelet(const struct look *look, struct findings *findings)
{
    const struct kubelet *kubelet = &look->kubelet;
    if (!look->has_kubelet) {
        findings_add(findings, "kubelet", CHECK_WRONG, findings_text(findings, "%s", look->kubelet_error.message),
                     "if it is running, name its process: crigate verify --kubelet PID");
    } else if (kubelet->pid == 0) {
        findings_add(findings, "kubelet", CHECK_WRONG, findings_text(findings, "%s is not running", kubelet->unit.name),
                     findings_text(findings, "journalctl -u %s", kubelet->unit.name));
    } else if (!look->healthy) {
        findings_add(findings, "kubelet", CHECK_WRONG,
                     findings_text(findings, "process %d is not healthy: %s", (int)kubelet->pid, look->health_error.message),
                     findings_text(findings, "journalctl -u %s", kubelet->unit.loaded ? kubelet->unit.name : "kubelet"));
    } else {
        findings_add(findings, "kubelet", CHECK_OK,
                     findings_text(findings, "process %d, %s; %s", (int)kubelet->pid,
                                   kubelet->version.text ? kubelet->version.text : "",
                                   kubelet->healthz_address ? "its /healthz reports ok" : "its /healthz is switched off"),
                     NULL);
    }
}

/* ---- endpoints ---- */

static void check_setting(const struct look *look, const char *name, const struct kubelet_setting *setting,
                          struct findings *findings)
{
    const char *origin = kubelet_setting_origin(&look->kubelet, setting, findings->arena);
    bool ours = setting->value[0] && same_socket(setting->value, look_listen(look));
    findings_add(findings, name, ours ? CHECK_OK : CHECK_WRONG,
                 findings_text(findings, "%s%s, from %s", setting->value[0] ? setting->value : "not set",
                               ours ? "" : findings_text(findings, ", which is not crigate's %s", look_listen(look)),
                               origin ? origin : "nowhere"),
                 ours ? NULL : "crigate install");
}

void check_endpoint(const struct look *look, struct findings *findings)
{
    if (!look->has_kubelet || !look_listen(look)) {
        return;
    }
    check_setting(look, "runtime endpoint", &look->kubelet.runtime_endpoint, findings);
    if (look->kubelet.image_endpoint.value[0]) {
        check_setting(look, "image endpoint", &look->kubelet.image_endpoint, findings);
    }
}

/* ---- files ---- */

/* What the Node's annotation says, if the kubelet's own credentials let kubectl see it. NULL: it could not be seen. */
static const char *seen_annotation(const char *node, struct arena *arena)
{
    struct error ignored;
    struct run_result result;
    const char *const arguments[] = {
        "kubectl",
        "--kubeconfig=/etc/kubernetes/kubelet.conf",
        "--request-timeout=5s",
        "get",
        "node",
        node,
        "--output",
        "jsonpath={.metadata.annotations.kubeadm\\.alpha\\.kubernetes\\.io/cri-socket}",
        NULL,
    };
    bool ran = run_program(arguments, KUBECTL_TIMEOUT, arena, &result, &ignored);
    return ran && WIFEXITED(result.status) && WEXITSTATUS(result.status) == 0 ? (const char *)result.out.data : NULL;
}

/* `line` is what the plan says must be done by hand: "kubectl annotate node NAME --overwrite …". */
static void check_annotation(const struct look *look, const char *line, struct findings *findings)
{
    static const char name[] = "Node's annotation";
    char node[256];
    const char *seen = sscanf(line, "kubectl annotate node %255s", node) == 1 ? seen_annotation(node, findings->arena) : NULL;
    if (!seen) {
        findings_add(findings, name, CHECK_UNKNOWN, "cannot be determined from here; kubeadm upgrade reads it",
                     findings_text(findings, "unless already done: %s", line));
    } else if (seen[0] && !same_socket(seen, look_listen(look))) {
        findings_add(findings, name, CHECK_WARNING,
                     findings_text(findings, "it has %.200s: the next kubeadm upgrade makes the kubelet bypass crigate", seen),
                     line);
    } else {
        findings_add(findings, name, CHECK_OK, seen[0] ? "it has crigate's socket" : "the Node has none", NULL);
    }
}

static void check_by_hand(const struct look *look, const struct plan *plan, struct findings *findings)
{
    for (size_t i = 0; i < plan->by_hand_count; i++) {
        if (strncmp(plan->by_hand[i], "kubectl annotate node ", strlen("kubectl annotate node ")) == 0) {
            check_annotation(look, plan->by_hand[i], findings);
        } else {
            findings_add(findings, "by hand", CHECK_UNKNOWN, "cannot be determined from here", plan->by_hand[i]);
        }
    }
}

/* crigate does not edit them, so what counts is where they lead, and that the setting is in a place where it lasts. */
static void check_others_files(const struct look *look, const struct plan *plan, struct findings *findings)
{
    bool ours = same_socket(look->kubelet.runtime_endpoint.value, look_listen(look));
    findings_add(findings, "kubelet's files", ours ? CHECK_WARNING : CHECK_WRONG,
                 findings_text(findings, "%s: %s",
                               ours ? "they lead to crigate, but not permanently" : "crigate does not edit them",
                               plan->impossible),
                 plan->by_hand_count > 0 ? plan->by_hand[0] : "see docs/kubelet.md");
}

/* They lead to crigate now. A service may write the one with the endpoint again; whether it will is unknown. */
static void check_writer(const struct look *look, struct findings *findings)
{
    const char *path = look->kubelet.runtime_endpoint.place.file;
    const char *writer = path ? writer_of(path, look->kubelet.unit.name, "", findings->arena) : NULL;
    findings_add(
        findings, "kubelet's files", CHECK_OK, "all lead to crigate",
        writer ? findings_text(findings, "%s names %s: unless already done, make it write crigate's endpoint, too", writer, path)
               : NULL);
}

void check_files(const struct look *look, struct findings *findings)
{
    struct error error = {0};
    struct plan *plan = arena_zalloc(findings->arena, sizeof *plan);
    if (!look->has_kubelet || !look_listen(look) || !plan) {
        return;
    }
    if (!plan_make(&look->kubelet, look_listen(look), findings->arena, plan, &error)) {
        findings_add(findings, "kubelet's files", CHECK_WARNING, findings_text(findings, "%s", error.message), NULL);
        return;
    }
    if (plan->impossible) {
        check_others_files(look, plan, findings);
        return;
    }
    for (size_t i = 0; i < plan->file_count; i++) {
        findings_add(findings, "kubelet's files", CHECK_WRONG,
                     findings_text(findings, "%s does not lead to crigate, or not permanently: %s", plan->files[i].before.path,
                                   plan->files[i].why),
                     "crigate install");
    }
    if (plan->file_count == 0) {
        check_writer(look, findings);
    }
    check_by_hand(look, plan, findings);
}

/* ---- calls ---- */

/* Whether crigate sees processes under other numbers than this one does. */
static bool sees_no_numbers(struct json_object *status)
{
    struct json_object *callers = json_member(status, "callers");
    size_t count = json_count(callers);
    for (size_t i = 0; i < count; i++) {
        struct json_object *number = json_member(json_object_array_get_idx(callers, i), "pid");
        if (number && json_object_get_int64(number) == 0) {
            return true;
        }
    }
    return false;
}

void check_calls(const struct look *look, struct findings *findings)
{
    static const char name[] = "kubelet's calls";
    if (!look->has_kubelet || look->kubelet.pid == 0 || !look->status) {
        return;
    }
    int64_t last = look_last_call(look->status, look->kubelet.pid);
    int pid = (int)look->kubelet.pid;
    if (last >= 0 && last < LOOK_RECENT_MS) {
        findings_add(findings, name, CHECK_OK,
                     findings_text(findings, "the last call of process %d arrived %lld ms ago", pid, (long long)last), NULL);
    } else if (last >= 0) {
        findings_add(findings, name, CHECK_WRONG,
                     findings_text(findings, "no call of process %d for %lld s", pid, (long long)(last / 1000)),
                     "the kubelet hangs, or calls another socket: read its log");
    } else if (sees_no_numbers(look->status)) {
        findings_add(
            findings, name, CHECK_WARNING,
            findings_text(findings, "crigate does not see the kubelet's process id, %d: it runs in another PID namespace", pid),
            NULL);
    } else {
        findings_add(
            findings, name, CHECK_WRONG, findings_text(findings, "process %d is not connected to crigate", pid),
            findings_text(findings, "systemctl restart %s", look->kubelet.unit.loaded ? look->kubelet.unit.name : "kubelet"));
    }
}
