#include "node/install/steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/system/interrupt.h"
#include "node/deploy/docker.h"
#include "node/deploy/facts.h"
#include "node/deploy/service.h"
#include "node/deploy/unit_file.h"
#include "node/install/progress.h"
#include "node/kubelet/wait.h"
#include "node/systemd/systemd.h"

/* Milliseconds. */
#define READY_TIMEOUT 30000
#define DOCKER_TIMEOUT 60000
#define RELOAD_TIMEOUT 30000
#define RESTART_TIMEOUT 120000 /* a kubelet is given its usual time to stop */
#define STEADY 4000

/* Lists of a busy node differ for moments. */
#define COMPARE_ROUNDS 10

/* ---- the files of crigate ---- */

static bool writes_map(const struct install *install)
{
    return install->node.map_plan.decision == MAP_WRITE;
}

static bool write_map(struct install *install, struct error *error)
{
    return journal_change(install->journal, &install->node.map_plan.file, error) && map_file_check(&install->node.map, error);
}

static bool writes_unit(const struct install *install)
{
    return install->node.writes_unit;
}

static bool write_unit(struct install *install, struct error *error)
{
    return journal_change(install->journal, &install->node.unit, error);
}

/* ---- Docker that was built into the kubelet ---- */

static bool writes_docker_files(const struct install *install)
{
    return install->node.survey.docker.built_in;
}

static bool write_docker_files(struct install *install, struct error *error)
{
    return (!install->node.writes_docker_unit || journal_change(install->journal, &install->node.docker_unit, error)) &&
           journal_change(install->journal, &install->node.survey.docker.environment, error);
}

/* An installation that has replaced it keeps the unit running. */
static bool starts_docker(const struct install *install)
{
    return install->node.survey.docker.built_in || (install->journal && journal_fact(install->journal, FACT_DOCKER_ENABLED));
}

static bool start_docker(struct install *install, struct error *error)
{
    return docker_unit_start(install->journal, error) && docker_unit_wait(DOCKER_TIMEOUT, error);
}

/* ---- crigate ---- */

static bool always(const struct install *install)
{
    (void)install;
    return true;
}

static bool start_service(struct install *install, struct error *error)
{
    const char *control = node_plan_control(install->arena);
    return control ? journal_set_fact(install->journal, FACT_CONTROL, control, error) &&
                         service_start(install->journal, install->node.endpoint, writes_map(install), error) &&
                         service_wait(control, READY_TIMEOUT, error)
                   : error_out_of_memory(error);
}

static bool compare(struct install *install, struct error *error)
{
    /* What both answer is big, and not needed any longer. */
    struct arena *arena = arena_new((size_t)1 << 30);
    const struct runtime_sockets direct = {install->node.compared, install->node.runtimes[0].image_endpoint};
    bool equal = arena ? runtime_lists_equal(&direct, install->node.endpoint, install->node.dialect, COMPARE_ROUNDS, arena, error)
                       : error_out_of_memory(error);
    arena_unref(arena);
    return equal;
}

/* ---- the kubelet ---- */

static bool changes_files(const struct install *install)
{
    return install->node.survey.plan.file_count > 0;
}

static bool change_files(struct install *install, struct error *error)
{
    const struct plan *plan = &install->node.survey.plan;
    for (size_t i = 0; i < plan->file_count; i++) {
        if (!journal_change(install->journal, &plan->files[i], error)) {
            return false;
        }
    }
    return true;
}

/* A kubelet that is not running reads its files when it starts. One that cannot start without crigate must be started. */
static bool restarts_kubelet(const struct install *install)
{
    const struct kubelet *kubelet = &install->node.survey.kubelet;
    bool runs = kubelet->pid > 0 || (install->kept_down && (systemd_state_is(kubelet->unit.active, "activating") ||
                                                            systemd_state_is(kubelet->unit.active, "failed")));
    return runs && kubelet->unit.loaded && (changes_files(install) || !install->calls_arrive);
}

static bool restart_kubelet(struct install *install, struct error *error)
{
    const struct kubelet *kubelet = &install->node.survey.kubelet;
    const struct kubelet_wait wait = {.unit = kubelet->unit.name,
                                      .healthz = kubelet->healthz_address,
                                      .control = journal_fact(install->journal, FACT_CONTROL),
                                      .timeout = install->timeout,
                                      .steady = STEADY};
    /* systemd starts no unit that has failed too often. */
    systemd_do("reset-failed", kubelet->unit.name, RELOAD_TIMEOUT, NULL);
    return systemd_do("daemon-reload", NULL, RELOAD_TIMEOUT, error) &&
           systemd_do("restart", kubelet->unit.name, RESTART_TIMEOUT, error) &&
           (kubelet_wait(&wait, error) || error_wrap(error, "%s", kubelet->unit.name));
}

/* ---- crictl ---- */

/* A repair writes nothing that would have to be undone. */
static bool writes_crictl(const struct install *install)
{
    bool repairs = install->journal && journal_phase(install->journal) == INSTALL_INSTALLED;
    return install->node.crictl.writes && !repairs;
}

static bool write_crictl(struct install *install, struct error *error)
{
    return journal_change(install->journal, &install->node.crictl.file, error);
}

/* ---- all ---- */

static const struct step {
    bool (*wanted)(const struct install *install);
    bool (*run)(struct install *install, struct error *error);
} steps[STEP_COUNT] = {
    [STEP_MAP] = {writes_map, write_map},
    [STEP_UNIT] = {writes_unit, write_unit},
    [STEP_DOCKER_FILES] = {writes_docker_files, write_docker_files},
    [STEP_DOCKER] = {starts_docker, start_docker},
    [STEP_SERVICE] = {always, start_service},
    [STEP_COMPARE] = {always, compare},
    [STEP_FILES] = {changes_files, change_files},
    [STEP_KUBELET] = {restarts_kubelet, restart_kubelet},
    [STEP_CRICTL] = {writes_crictl, write_crictl},
};

bool install_step_wanted(const struct install *install, enum install_step_kind kind)
{
    return steps[kind].wanted(install);
}

static const char *format(struct arena *arena, const char *text, ...) __attribute__((format(printf, 2, 3)));

static const char *format(struct arena *arena, const char *text, ...)
{
    char line[2048];
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(line, sizeof line, text, arguments);
    va_end(arguments);
    const char *copy = arena_string(arena, bytes_of_string(line));
    return copy ? copy : "";
}

static const char *files_text(const struct install *install)
{
    const struct plan *plan = &install->node.survey.plan;
    const char *text = "change";
    for (size_t i = 0; i < plan->file_count; i++) {
        text = format(install->arena, "%s%s %s", text, i > 0 ? "," : "", plan->files[i].before.path);
    }
    return text;
}

const char *install_step_text(const struct install *install, enum install_step_kind kind)
{
    const struct node_plan *node = &install->node;
    switch (kind) {
    case STEP_MAP:
        return "write the runtime map " RUNTIME_MAP_DEFAULT_PATH;
    case STEP_UNIT:
        return "write the unit " UNIT_FILE_PATH;
    case STEP_DOCKER_FILES:
        return format(install->arena, "write %sthe kubelet's options for Docker to %s",
                      node->writes_docker_unit ? "the unit " DOCKER_UNIT_FILE_PATH ", and " : "",
                      node->survey.docker.environment.before.path);
    case STEP_DOCKER:
        return "enable and start " DOCKER_SHIM_UNIT ", and wait until it answers";
    case STEP_SERVICE:
        return "enable and start " SERVICE_UNIT ", and wait until it is ready";
    case STEP_COMPARE:
        return format(install->arena, "compare the lists of %s with those of %s", node->compared, node->endpoint);
    case STEP_FILES:
        return files_text(install);
    case STEP_CRICTL:
        return "change " CRICTL_FILE;
    default:
        return format(install->arena, "restart %s, and wait until it is healthy and calls crigate",
                      node->survey.kubelet.unit.name);
    }
}

bool install_steps_run(struct install *install, struct error *error)
{
    for (enum install_step_kind kind = 0; kind < STEP_COUNT; kind++) {
        if (!install_step_wanted(install, kind)) {
            continue;
        }
        progress_begin("%s", install_step_text(install, kind));
        bool done =
            interrupt_seen() ? error_set(error, STATUS_CANCELLED, "%s", interrupt_seen()) : steps[kind].run(install, error);
        if (!done) {
            return progress_failed();
        }
        progress_done(NULL);
    }
    return true;
}

void install_steps_print(const struct install *install)
{
    unsigned number = 0;
    for (enum install_step_kind kind = 0; kind < STEP_COUNT; kind++) {
        if (install_step_wanted(install, kind)) {
            progress_say("%u. %s", ++number, install_step_text(install, kind));
        }
    }
}
