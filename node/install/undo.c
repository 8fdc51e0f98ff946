#include "node/install/undo.h"

#include <stdio.h>
#include <string.h>

#include "base/system/interrupt.h"
#include "base/system/unix_socket.h"
#include "core/map/map.h"
#include "node/deploy/bypass.h"
#include "node/deploy/docker.h"
#include "node/deploy/facts.h"
#include "node/deploy/service.h"
#include "node/deploy/unit_file.h"
#include "node/install/crictl.h"
#include "node/install/progress.h"
#include "node/kubelet/wait.h"
#include "node/systemd/systemd.h"

/* Milliseconds. A kubelet is given its usual time to stop. */
#define RESTART_TIMEOUT 120000
#define RELOAD_TIMEOUT 30000
#define KUBELET_TIMEOUT 90000
#define STEADY 3000

/* ---- what to do ---- */

bool undo_is_own(const char *path)
{
    static const char *const own[] = {RUNTIME_MAP_DEFAULT_PATH, UNIT_FILE_PATH, DOCKER_SHIM_ENVIRONMENT, DOCKER_UNIT_FILE_PATH,
                                      CRICTL_FILE};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (strcmp(path, own[i]) == 0) {
            return true;
        }
    }
    return false;
}

static size_t add_files(const char *const *paths, size_t count, bool own, struct undo_action *actions)
{
    size_t added = 0;
    for (size_t i = count; i-- > 0;) {
        if (undo_is_own(paths[i]) == own) {
            actions[added++] = (struct undo_action){own ? UNDO_OWN_FILE : UNDO_KUBELET_FILE, i};
        }
    }
    return added;
}

size_t undo_order(const char *const *paths, size_t count, struct undo_action *actions)
{
    if (count > UNDO_MOST_ACTIONS - 5) {
        return 0;
    }
    size_t used = add_files(paths, count, false, actions);
    if (used > 0) {
        actions[used++] = (struct undo_action){.kind = UNDO_KUBELET};
    }
    /* Before its files go: to disable a unit takes its file. */
    actions[used++] = (struct undo_action){.kind = UNDO_STOP};
    actions[used++] = (struct undo_action){.kind = UNDO_BYPASS};
    used += add_files(paths, count, true, actions + used);
    actions[used++] = (struct undo_action){.kind = UNDO_RESUME};
    actions[used++] = (struct undo_action){.kind = UNDO_CLEAR};
    return used;
}

/* ---- files ---- */

/* Whether the file as it is now names the socket of crigate. */
static bool names_crigate(const struct undo *undo, const struct node_file *now)
{
    const char *endpoint = journal_fact(undo->journal, FACT_ENDPOINT);
    const char *path = endpoint ? unix_socket_path(endpoint) : NULL;
    return path && now->present && memmem(now->text.data, now->text.len, path, strlen(path));
}

static void print_by_hand(const struct undo *undo, const struct journal_file *file)
{
    const char *direct = journal_fact(undo->journal, FACT_DIRECT), *endpoint = journal_fact(undo->journal, FACT_ENDPOINT);
    if (journal_fact(undo->journal, FACT_DOCKER_ENABLED)) {
        progress_say("By hand: remove --container-runtime=remote and --container-runtime-endpoint=%s from %s", endpoint,
                     file->path);
    } else {
        progress_say("By hand: sed -i 's|%s|%s|g' %s", endpoint, direct, file->path);
    }
    progress_say("Then run crigate uninstall again.");
}

/* The file was changed after the installation. */
static enum undo_outcome leave(const struct undo *undo, const struct journal_file *file)
{
    struct node_file now;
    struct error error;
    bool own = undo_is_own(file->path);
    if (!node_file_read(file->path, undo->arena, &now, &error)) {
        progress_failed();
        progress_problem("%s", error.message);
        return UNDO_FAILED;
    }
    if (!own && !names_crigate(undo, &now)) {
        progress_done("left as it is: it has been changed since, and no longer names crigate");
        return UNDO_COMPLETE;
    }
    progress_done("left as it is: it has been changed since crigate install");
    text_diff_print(file->path, file->exists ? file->after : bytes_of(NULL, 0), now.present ? now.text : bytes_of(NULL, 0),
                    stdout);
    if (!own) {
        print_by_hand(undo, file);
        return UNDO_EDITED;
    }
    progress_say("%s is no longer needed. Remove it if you do not want to keep it.", file->path);
    return UNDO_ALMOST;
}

static enum undo_outcome undo_file(const struct undo *undo, size_t index)
{
    struct error error = {0};
    const struct journal_file *file = journal_file_at(undo->journal, index);
    progress_begin(file->existed ? "%s: restore" : "%s: remove", file->path);
    switch (journal_undo(undo->journal, index, &error)) {
    case JOURNAL_UNDONE:
        progress_done(NULL);
        return UNDO_COMPLETE;
    case JOURNAL_EDITED:
        return leave(undo, file);
    default:
        progress_failed();
        progress_problem("%s", error.message);
        return UNDO_FAILED;
    }
}

/* ---- the kubelet ---- */

/* Whether its process began with the files as the installation left them. */
static bool must_restart(const struct undo *undo, const struct systemd_unit *unit)
{
    const char *before = journal_fact(undo->journal, FACT_KUBELET_PROCESS);
    bool ran = before && strcmp(before, KUBELET_DID_NOT_RUN) != 0;
    if (!unit->loaded || strcmp(unit->active, "inactive") == 0) {
        return false; /* it was stopped, or never ran */
    }
    return (ran || unit->main_pid > 0) && !(before && strcmp(before, process_identity(unit->main_pid).text) == 0);
}

static bool restart(const struct undo *undo, const char *name, struct error *error)
{
    struct systemd_unit unit;
    const struct kubelet_wait wait = {
        .unit = name, .healthz = journal_fact(undo->journal, FACT_HEALTHZ), .timeout = KUBELET_TIMEOUT, .steady = STEADY};
    /* systemd starts no unit that has failed too often. */
    systemd_do("reset-failed", name, RELOAD_TIMEOUT, NULL);
    if (journal_fact(undo->journal, FACT_KUBELET_KEPT_DOWN)) {
        return systemd_do("restart", name, RESTART_TIMEOUT, error); /* it will not run, as before */
    }
    return systemd_do("restart", name, RESTART_TIMEOUT, error) && kubelet_wait(&wait, error) &&
           systemd_show(name, undo->arena, &unit, error) &&
           journal_set_fact(undo->journal, FACT_KUBELET_PROCESS,
                            unit.main_pid > 0 ? process_identity(unit.main_pid).text : KUBELET_DID_NOT_RUN, error);
}

static enum undo_outcome undo_kubelet(const struct undo *undo)
{
    struct systemd_unit unit;
    struct error error = {0};
    const char *name = journal_fact(undo->journal, FACT_KUBELET_UNIT);
    if (!name) {
        return UNDO_COMPLETE;
    }
    if (!systemd_do("daemon-reload", NULL, RELOAD_TIMEOUT, &error) || !systemd_show(name, undo->arena, &unit, &error)) {
        progress_problem("%s", error.message);
        return UNDO_FAILED;
    }
    if (!must_restart(undo, &unit)) {
        return UNDO_COMPLETE;
    }
    progress_begin(journal_fact(undo->journal, FACT_KUBELET_KEPT_DOWN)
                       ? "%s: restart; it did not start before the installation, either"
                       : "%s: restart, and wait until it is healthy",
                   name);
    if (restart(undo, name, &error)) {
        progress_done(NULL);
        return UNDO_COMPLETE;
    }
    progress_failed();
    if (error.code == STATUS_CANCELLED) {
        progress_problem("stopped by %s", error.message);
        return UNDO_FAILED;
    }
    progress_problem("%s did not recover: %s", name, error.message);
    progress_problem("its files are those from before crigate install, so the cause lies elsewhere: journalctl -u %s -n 50",
                     name);
    return undo->without_kubelet ? UNDO_COMPLETE : UNDO_KUBELET_DOWN;
}

/* ---- all ---- */

static enum undo_outcome report(bool done, const struct error *error)
{
    if (done) {
        progress_done(NULL);
        return UNDO_COMPLETE;
    }
    progress_failed();
    progress_problem("%s", error->message);
    return UNDO_FAILED;
}

/* The kubelet needs the link no longer. */
static enum undo_outcome undo_bypass(void)
{
    struct error error = {0};
    struct bypass_record record;
    if (!bypass_record_find(&record)) {
        return UNDO_COMPLETE;
    }
    progress_begin("end the bypass: remove %s", record.readable ? record.link : BYPASS_RECORD_PATH);
    return report((!record.readable || bypass_link_remove(record.link, &error)) && bypass_erase(&error), &error);
}

/* crigate first: what speaks CRI for Docker is its runtime. */
static enum undo_outcome stop_units(const struct undo *undo)
{
    const struct {
        const char *unit, *enabled, *active;
        bool (*stop)(const struct journal *journal, struct error *error);
    } units[] = {
        {SERVICE_UNIT, FACT_UNIT_ENABLED, FACT_UNIT_ACTIVE, service_stop},
        {DOCKER_SHIM_UNIT, FACT_DOCKER_ENABLED, FACT_DOCKER_ACTIVE, docker_unit_stop},
    };
    enum undo_outcome outcome = UNDO_COMPLETE;
    for (size_t i = 0; i < sizeof units / sizeof units[0] && outcome == UNDO_COMPLETE; i++) {
        struct error error = {0};
        const char *enabled = journal_fact(undo->journal, units[i].enabled),
                   *active = journal_fact(undo->journal, units[i].active);
        if (enabled && active) {
            progress_begin("%s: %s and %s, as before", units[i].unit, enabled, active);
            outcome = report(units[i].stop(undo->journal, &error), &error);
        }
    }
    return outcome;
}

/* Also if only its file was written: systemd may have seen that. */
static bool resume_units(const struct undo *undo, struct error *error)
{
    bool touched = journal_fact(undo->journal, FACT_UNIT_ENABLED) && journal_fact(undo->journal, FACT_UNIT_ACTIVE);
    return systemd_do("daemon-reload", NULL, RELOAD_TIMEOUT, error) && docker_unit_resume(undo->journal, error) &&
           (!touched || service_resume(undo->journal, error));
}

static enum undo_outcome act(const struct undo *undo, struct undo_action action)
{
    struct error error = {0};
    switch (action.kind) {
    case UNDO_KUBELET_FILE:
    case UNDO_OWN_FILE:
        return undo_file(undo, action.file);
    case UNDO_KUBELET:
        return undo_kubelet(undo);
    case UNDO_STOP:
        return stop_units(undo);
    case UNDO_BYPASS:
        return undo_bypass();
    case UNDO_RESUME:
        return resume_units(undo, &error) ? UNDO_COMPLETE : report(false, &error);
    default:
        return journal_clear(undo->journal, &error) ? UNDO_COMPLETE : report(false, &error);
    }
}

enum undo_outcome undo_all(const struct undo *undo)
{
    struct undo_action actions[UNDO_MOST_ACTIONS];
    const char *paths[UNDO_MOST_ACTIONS];
    enum undo_outcome worst = UNDO_COMPLETE;
    size_t files = journal_file_count(undo->journal);
    for (size_t i = 0; i < files && i < UNDO_MOST_ACTIONS; i++) {
        paths[i] = journal_file_at(undo->journal, i)->path;
    }
    size_t count = undo_order(paths, files, actions);
    journal_release(undo->journal);
    if (count == 0) {
        progress_problem("the journal in " INSTALL_FOLDER " has more files than any install changes");
        return UNDO_FAILED;
    }
    bool kubelet_edited = false;
    for (size_t i = 0; i < count; i++) {
        if (kubelet_edited && actions[i].kind != UNDO_KUBELET_FILE) {
            return UNDO_EDITED; /* the kubelet still needs crigate */
        }
        if (interrupt_seen()) {
            progress_problem("stopped by %s", interrupt_seen());
            return UNDO_FAILED;
        }
        enum undo_outcome outcome = act(undo, actions[i]);
        if (outcome == UNDO_FAILED || outcome == UNDO_KUBELET_DOWN) {
            return outcome;
        }
        kubelet_edited = kubelet_edited || outcome == UNDO_EDITED;
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

void undo_explain_damage(const struct error *error)
{
    if (error->code == STATUS_DATA_LOSS) {
        progress_problem("nothing was changed. Restore the kubelet by hand, as docs/kubelet.md describes; the original files "
                         "are " INSTALL_FOLDER "/*.before. Then move " INSTALL_FOLDER " away");
    }
}
