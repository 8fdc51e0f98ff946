#include "node/install/uninstall.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options/options.h"
#include "base/options/output.h"
#include "base/system/descriptor.h"
#include "base/system/interrupt.h"
#include "core/map/load.h"
#include "core/map/socket.h"
#include "node/deploy/facts.h"
#include "node/deploy/node_lock.h"
#include "node/deploy/service.h"
#include "node/files/node_folder.h"
#include "node/install/node_plan.h"
#include "node/install/on_host.h"
#include "node/install/pods_held.h"
#include "node/install/progress.h"
#include "node/install/undo.h"
#include "node/preflight/socket.h"
#include "node/systemd/systemd.h"

enum {
    EXIT_OUT = 0,
    EXIT_OUT_BUT = 1,
    EXIT_STILL_IN = 2,
};

#define MEMORY ((size_t)1 << 30)
#define ASK_TIMEOUT 5000

enum { CHECK = 256, FORCE, HOST };

struct uninstall {
    bool check;
    bool force;
    struct on_host on_host;
    struct arena *arena;
    struct journal *journal;
};

static const struct option_row rows[] = {
    {CHECK, "check", NULL, "only report whether crigate can be uninstalled, and what would be done", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct uninstall, check)},
    {FORCE, "force", NULL, "uninstall anyway: the kubelet may then stop, or lose sight of pods, which keep running",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct uninstall, force)},
    {HOST, "host", "FOLDER",
     "from a privileged container: uninstall on the host, whose /proc is mounted at FOLDER/proc, and remove the program that "
     "crigate install --host copied there",
     COMPLETE_FOLDER, NULL, OPTION_TEXT(struct uninstall, on_host.folder)},
    {OPTION_ROW_HELP},
};

const struct command_line uninstall_command_line = {
    .command = "uninstall",
    .synopsis = "crigate uninstall [--check] [--force]\n"
                "crigate uninstall --host FOLDER [--force]",
    .about = "Uninstalls crigate: points the kubelet back at its runtime, restarts it, waits until it is healthy, and stops "
             "crigate.\nEvery file is restored byte for byte; a file that was changed after the installation is left as it is, "
             "and shown.\nRefused while a runtime other than the remaining one holds pods. Running pods are not affected. Needs "
             "root.\nSee docs/install.md.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 crigate is uninstalled (with --check: it can be uninstalled), 1 the same, but a file that was "
             "changed\nafter the installation was left as it is; if it is a file of the kubelet that names crigate, crigate "
             "keeps serving;\n2 refused or failed, and crigate keeps serving, 64 wrong arguments.",
};

/* -1 to continue, else the exit status. */
static int read_options(struct uninstall *uninstall, int argc, char **argv)
{
    int status = options_read(&uninstall_command_line, uninstall, argc, argv, argc);
    if (status >= 0) {
        return status;
    }
    if (uninstall->on_host.folder && uninstall->check) {
        return command_usage_error("uninstall", "--check cannot be used with --host");
    }
    if (uninstall->force) {
        on_host_pass(&uninstall->on_host, "--force", NULL);
    }
    return options_check_operands(&uninstall_command_line, argc, argv, 0);
}

/* ---- whether it may be done ---- */

/* Whether the kubelet can call the runtime without crigate. */
static bool runtime_serves(const struct uninstall *uninstall, const char *direct)
{
    struct kubelet kubelet;
    struct kubelet_search search = {0};
    struct pair pair;
    struct runtime_found found = {.name = "the runtime"};
    runtime_ask(direct, ASK_TIMEOUT, uninstall->arena, &found);
    if (!found.answers) {
        progress_problem("the remaining runtime, at %s, does not answer%s%s", direct, found.why_not ? ": " : "",
                         found.why_not ? found.why_not : "");
        return false;
    }
    if (kubelet_find(&search, uninstall->arena, &kubelet, NULL) && pair_of(&kubelet.version, &found, &pair) && !pair.direct) {
        progress_problem("the remaining runtime, at %s, does not speak %s, which kubelet %s needs: the kubelet would stop",
                         direct, pair.package, kubelet.version.text);
        return false;
    }
    return true;
}

/* The same for its image service, if that has a socket of its own. */
static bool images_serve(const struct uninstall *uninstall)
{
    struct kubelet kubelet;
    struct kubelet_search search = {0};
    struct pair pair;
    struct runtime_found found = {.name = "the image service"};
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    const struct runtime_entry *primary = map ? &map->runtimes[map->primary] : NULL;
    bool serves = true;
    if (primary && !docker_is_meant(primary->image_endpoint) && strcmp(primary->image_endpoint, primary->endpoint) != 0 &&
        kubelet_find(&search, uninstall->arena, &kubelet, NULL)) {
        image_service_ask(primary->image_endpoint, ASK_TIMEOUT, uninstall->arena, &found);
        serves = !found.answers || !pair_of(&kubelet.version, &found, &pair) || pair.direct;
    }
    if (!serves) {
        progress_problem("the remaining image service, at %s, does not speak %s, which kubelet %s needs: the kubelet would stop",
                         primary->image_endpoint, pair.package, kubelet.version.text);
    }
    runtime_map_free(map);
    return serves;
}

/* Whether the kubelet can return to the Docker that is built into it. */
static bool docker_serves(const struct uninstall *uninstall)
{
    struct kubelet kubelet;
    struct kubelet_search search = {0};
    struct error error = {0};
    if (!kubelet_find(&search, uninstall->arena, &kubelet, NULL)) {
        return true; /* then nothing says which it is, and nothing stops */
    }
    if (kubelet_is_since(&kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER)) {
        progress_problem("kubelet %s no longer has Docker built in: it would stop", kubelet.version.text);
        return false;
    }
    const char *path = socket_path(docker_node_engine(&kubelet, uninstall->arena));
    if (path && !socket_listens(path, ASK_TIMEOUT, &error)) {
        progress_problem("Docker does not answer at %s: %s", path, error.message);
        return false;
    }
    return true;
}

/* Whether the undo restores the kubelet. */
static bool is_undone(const struct uninstall *uninstall, const struct kubelet_setting *endpoint)
{
    bool restarted = false;
    for (size_t i = 0; i < journal_file_count(uninstall->journal); i++) {
        const char *path = journal_file_at(uninstall->journal, i)->path;
        if (endpoint->place.file && strcmp(path, endpoint->place.file) == 0) {
            return true;
        }
        restarted = restarted || !undo_is_own(path);
    }
    return restarted && !endpoint->place.file; /* its process is older than its files */
}

/* Whether this makes the kubelet leave crigate. A kubelet that was pointed at it through the owner of its files does not leave.
 */
static bool kubelet_leaves(const struct uninstall *uninstall)
{
    struct kubelet kubelet;
    struct kubelet_search search = {0};
    const char *ours = journal_fact(uninstall->journal, FACT_ENDPOINT);
    const char *path = ours ? socket_path(ours) : NULL;
    const char *theirs =
        kubelet_find(&search, uninstall->arena, &kubelet, NULL) ? socket_path(kubelet.runtime_endpoint.value) : NULL;
    if (!path || !theirs || !node_path_is_same(path, theirs) || is_undone(uninstall, &kubelet.runtime_endpoint)) {
        return true;
    }
    const char *origin = kubelet_setting_origin(&kubelet, &kubelet.runtime_endpoint, uninstall->arena);
    progress_problem("the kubelet would still call %s, because of %s, which crigate install did not set: remove that, restart "
                     "%s, then run crigate uninstall again",
                     path, origin ? origin : "a setting", kubelet.unit.loaded ? kubelet.unit.name : "the kubelet");
    return false;
}

static bool may_be_done(const struct uninstall *uninstall)
{
    const char *direct = journal_fact(uninstall->journal, FACT_DIRECT);
    const char *control = node_plan_control(uninstall->arena);
    if (!direct || !control) {
        progress_problem("the journal in " INSTALL_FOLDER " does not say which runtime remains");
        return false;
    }
    bool docker = journal_fact(uninstall->journal, FACT_DOCKER_ENABLED) != NULL;
    bool good = kubelet_leaves(uninstall);
    good = (docker ? docker_serves(uninstall) : runtime_serves(uninstall, direct) && images_serve(uninstall)) && good;
    if (!pods_have_plain_ids(direct)) {
        progress_problem("the ids of the remaining runtime, at %s, are now prefixed: the kubelet would not recognise its pods",
                         direct);
        good = false;
    }
    return !pods_held_by_others(direct, control, uninstall->arena) && good;
}

/* ---- what would be done ---- */

/* Whether a file is neither as it was before nor as install left it. Prints what would happen to it. */
static bool show_file(const struct uninstall *uninstall, const struct journal_file *file)
{
    struct node_file now;
    struct error error;
    if (!node_file_read(file->path, uninstall->arena, &now, &error)) {
        progress_problem("%s", error.message);
        return true;
    }
    bool before = now.present == file->existed && (!now.present || bytes_equal(now.text, file->before));
    bool after = now.present == file->exists && (!now.present || bytes_equal(now.text, file->after));
    if (before || after) {
        progress_say("  %s: %s", file->path, before ? "already restored" : file->existed ? "as before" : "remove");
        return false;
    }
    progress_say("  %s: has been changed since crigate install; it would be left as it is:", file->path);
    text_diff_print(file->path, file->exists ? file->after : bytes_of(NULL, 0), now.present ? now.text : bytes_of(NULL, 0),
                    stdout);
    return true;
}

static void show_docker_unit(const struct uninstall *uninstall)
{
    const char *enabled = journal_fact(uninstall->journal, FACT_DOCKER_ENABLED);
    const char *active = journal_fact(uninstall->journal, FACT_DOCKER_ACTIVE);
    if (enabled && active) {
        progress_say("  " DOCKER_SHIM_UNIT ": %s and %s, as before", enabled, active);
    }
}

static int show(const struct uninstall *uninstall)
{
    struct undo_action actions[UNDO_MOST_ACTIONS];
    const char *paths[UNDO_MOST_ACTIONS];
    bool edited = false;
    size_t files = journal_file_count(uninstall->journal);
    for (size_t i = 0; i < files && i < UNDO_MOST_ACTIONS; i++) {
        paths[i] = journal_file_at(uninstall->journal, i)->path;
    }
    size_t count = undo_order(paths, files, actions);
    const char *kubelet = journal_fact(uninstall->journal, FACT_KUBELET_UNIT);
    const char *enabled = journal_fact(uninstall->journal, FACT_UNIT_ENABLED);
    const char *active = journal_fact(uninstall->journal, FACT_UNIT_ACTIVE);
    progress_say("crigate can be uninstalled. This would be done:");
    for (size_t i = 0; i < count; i++) {
        if (actions[i].kind == UNDO_KUBELET && kubelet) {
            progress_say("  %s: restart, and wait until it is healthy", kubelet);
        } else if (actions[i].kind == UNDO_STOP && enabled && active) {
            progress_say("  " SERVICE_UNIT ": %s and %s, as before", enabled, active);
            show_docker_unit(uninstall);
        } else if (actions[i].kind == UNDO_KUBELET_FILE || actions[i].kind == UNDO_OWN_FILE) {
            edited = show_file(uninstall, journal_file_at(uninstall->journal, actions[i].file)) || edited;
        }
    }
    return edited ? EXIT_OUT_BUT : EXIT_OUT;
}

/* ---- doing it ---- */

/* There is no record of an install. */
static int nothing_to_undo(const struct uninstall *uninstall)
{
    struct survey survey;
    struct survey_options options = {0};
    if (survey_take(&options, uninstall->arena, &survey, NULL) && survey.calls_crigate) {
        progress_problem("the kubelet calls crigate, but not because of crigate install, so the node's earlier state is unknown; "
                         "docs/kubelet.md describes how to point the kubelet back by hand");
        return EXIT_STILL_IN;
    }
    progress_say("crigate is not installed on this node: there is nothing to undo.");
    return EXIT_OUT;
}

static int end(enum undo_outcome outcome)
{
    switch (outcome) {
    case UNDO_COMPLETE:
        progress_say("crigate is uninstalled. The node has been restored.");
        return EXIT_OUT;
    case UNDO_ALMOST:
        progress_say("crigate is uninstalled. The node has been restored, except for the items listed above.");
        return EXIT_OUT_BUT;
    case UNDO_EDITED:
        progress_problem("not finished: what is left to do by hand is listed above. crigate keeps serving");
        return EXIT_OUT_BUT;
    case UNDO_KUBELET_DOWN:
        progress_problem(
            "crigate keeps serving, in case it is needed. Once the kubelet is healthy, or, with --force, at any time, "
            "crigate uninstall does the rest");
        return EXIT_STILL_IN;
    default:
        progress_problem("not finished. Fix that, then run crigate uninstall again");
        return EXIT_STILL_IN;
    }
}

static int do_it(const struct uninstall *uninstall)
{
    struct error error = {0};
    const struct undo undo = {.journal = uninstall->journal, .arena = uninstall->arena, .without_kubelet = uninstall->force};
    DESCRIPTOR_CLEANUP int lock = node_lock(&error);
    if (lock < 0) {
        progress_problem("%s", error.message);
        return EXIT_STILL_IN;
    }
    journal_release(uninstall->journal);
    if (journal_phase(uninstall->journal) == INSTALL_INSTALLED &&
        !journal_set_phase(uninstall->journal, INSTALL_REMOVING, &error)) {
        progress_problem("%s", error.message);
        return EXIT_STILL_IN;
    }
    return end(undo_all(&undo));
}

static int run(const struct uninstall *uninstall)
{
    enum install_phase phase = uninstall->journal ? journal_phase(uninstall->journal) : INSTALL_NONE;
    if (phase == INSTALL_NONE) {
        if (uninstall->journal && !uninstall->check) {
            journal_clear(uninstall->journal, NULL); /* of an install that was interrupted before it had changed anything */
        }
        return nothing_to_undo(uninstall);
    }
    if (phase == INSTALL_INSTALLED || uninstall->check) {
        bool forced = uninstall->force && !uninstall->check;
        progress_of(forced ? "uninstall: forced" : "uninstall"); /* reasons that do not count are not refusals */
        bool may = may_be_done(uninstall);
        progress_of("uninstall");
        if (!may && (uninstall->check || !uninstall->force)) {
            progress_problem("crigate remains installed%s", uninstall->check ? "" : "; use --force to uninstall it anyway");
            return EXIT_STILL_IN;
        }
    }
    if (uninstall->check) {
        return show(uninstall);
    }
    if (phase != INSTALL_INSTALLED) {
        progress_say(phase == INSTALL_INSTALLING ? "An earlier install was interrupted. Undoing it:"
                                                 : "An earlier uninstall was interrupted. Continuing it:");
    }
    return do_it(uninstall);
}

int uninstall_command(int argc, char **argv)
{
    struct error error = {0};
    struct uninstall uninstall = {0};
    int status = read_options(&uninstall, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (uninstall.on_host.folder) {
        return on_host_uninstall(&uninstall.on_host);
    }
    progress_of("uninstall");
    if (geteuid() != 0) {
        progress_problem("only root may do this: sudo crigate uninstall");
        return EXIT_STILL_IN;
    }
    if (!systemd_is_running()) {
        progress_problem("this node does not use systemd, so crigate install cannot have been used here; docs/kubelet.md "
                         "describes how to point the kubelet back by hand");
        return EXIT_STILL_IN;
    }
    interrupts_catch();
    uninstall.arena = arena_new(MEMORY);
    uninstall.journal = uninstall.arena ? journal_open(false, uninstall.arena, &error) : NULL;
    if (!uninstall.arena || (!uninstall.journal && error.code != STATUS_NOT_FOUND)) {
        progress_problem("%s", uninstall.arena ? error.message : "out of memory");
        undo_explain_damage(&error);
        status = EXIT_STILL_IN;
    } else {
        status = run(&uninstall);
    }
    if (uninstall.journal) {
        journal_close(uninstall.journal);
    }
    arena_unref(uninstall.arena);
    return status;
}
