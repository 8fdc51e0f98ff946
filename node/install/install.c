#include "node/install/install.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/options/options.h"
#include "base/options/output.h"
#include "base/system/descriptor.h"
#include "base/system/interrupt.h"
#include "core/control/bypass_record.h"
#include "core/control/crigate_status.h"
#include "core/map/load.h"
#include "node/deploy/facts.h"
#include "node/deploy/node_lock.h"
#include "node/install/on_host.h"
#include "node/install/progress.h"
#include "node/install/steps.h"
#include "node/install/undo.h"
#include "node/kubelet/healthz.h"
#include "node/kubelet/layout.h"
#include "node/kubelet/wait.h"
#include "node/systemd/systemd.h"

enum {
    EXIT_IN = 0,
    EXIT_NOT_SEEN = 1,
    EXIT_NOT_IN = 2,
};

#define MEMORY ((size_t)1 << 30)
#define DEFAULT_TIMEOUT 90000
#define HEALTHZ_TIMEOUT 5000

enum { DRY_RUN = 256, RUNTIME, KUBELET, REPLACE_MAP, CRICTL, TIMEOUT, ONCE, HOST };

struct request {
    bool dry_run;
    bool replace_map;
    bool crictl;
    bool once;
    unsigned timeout;
    struct survey_options survey;
    const char *named[RUNTIMES_FOUND_MOST];
    struct on_host on_host;
};

static const struct option_row rows[] = {
    {DRY_RUN, "dry-run", NULL, "show what would change, as differences of files and a list of steps; write nothing",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct request, dry_run)},
    {RUNTIME, "runtime", "NAME=SOCKET",
     "a runtime for the runtime map besides those at the usual sockets; may be repeated. With the kubelet's current endpoint, it "
     "names the primary",
     COMPLETE_FILE, NULL, OPTION_OWN},
    {KUBELET, "kubelet", "PID", "the kubelet's process, if there are several", COMPLETE_NOTHING, NULL,
     OPTION_PID(struct request, survey.kubelet)},
    {REPLACE_MAP, "replace-map", NULL, "overwrite a runtime map that does not fit; uninstall restores it", COMPLETE_NOTHING, NULL,
     OPTION_FLAG(struct request, replace_map)},
    {CRICTL, "crictl", NULL,
     "create " CRICTL_FILE
     " if it names no runtime, so that crictl calls crigate; without this, it is changed only if it names the "
     "runtime",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct request, crictl)},
    {TIMEOUT, "timeout", "TIME", "how long the kubelet may take to become healthy and call crigate (90s)", COMPLETE_NOTHING, NULL,
     OPTION_TIME(struct request, timeout)},
    {ONCE, "once", NULL, "do nothing if crigate was installed here before, whatever crigate verify reports; implied by --host",
     COMPLETE_NOTHING, NULL, OPTION_FLAG(struct request, once)},
    {HOST, "host", "FOLDER",
     "from a privileged container: install on the host, whose /proc is mounted at FOLDER/proc, with a copy of this program; the "
     "host's systemd runs it, so that it continues if the container ends",
     COMPLETE_FOLDER, NULL, OPTION_TEXT(struct request, on_host.folder)},
    {OPTION_ROW_HELP},
};

const struct command_line install_command_line = {
    .command = "install",
    .synopsis = "crigate install [--dry-run] [--runtime NAME=SOCKET]... [--kubelet PID] [--replace-map] [--crictl]\n"
                "               [--timeout TIME] [--once]\n"
                "crigate install --host FOLDER [OPTION]...",
    .about =
        "Installs crigate between this node's kubelet and its container runtime: writes the runtime map, starts "
        "crigate.service,\ncompares the runtime's answers with and without crigate, points the kubelet at crigate, restarts the "
        "kubelet, and\nwaits until it is healthy and its calls arrive. If a step fails, the node is restored. Running pods are "
        "not affected.\ncrigate uninstall restores every file byte for byte. Needs root and systemd. See docs/install.md.",
    .rows = rows,
    .row_count = sizeof rows / sizeof rows[0],
    .after = "Exit status: 0 crigate is installed, or was already, 1 it is installed, but the kubelet is not running, so its "
             "calls\ncould not be checked, 2 not possible, or failed and undone, 64 wrong arguments.",
};

/* ---- options ---- */

/* What an option means for the same command on the host. -1 to continue, else the exit status. */
static int take_option(struct request *request, int key, const char *value)
{
    struct on_host *on_host = &request->on_host;
    switch (key) {
    case REPLACE_MAP:
        on_host_pass(on_host, "--replace-map", NULL);
        break;
    case CRICTL:
        on_host_pass(on_host, "--crictl", NULL);
        break;
    case RUNTIME:
        if (request->survey.named_count == RUNTIMES_FOUND_MOST) {
            return command_usage_error("install", "at most %d runtimes", RUNTIMES_FOUND_MOST);
        }
        request->named[request->survey.named_count++] = value;
        on_host_pass(on_host, "--runtime", value);
        break;
    case KUBELET:
        on_host_pass(on_host, "--kubelet", value);
        break;
    case TIMEOUT:
        on_host_pass(on_host, "--timeout", value);
        break;
    case HOST: /* A pod may start again at any time, such as when its node is unhealthy: the kubelet must not be restarted then.
                */
        on_host_pass(on_host, "--once", NULL);
        break;
    }
    return -1;
}

static int read_options(struct request *request, int argc, char **argv)
{
    int key, status = -1;
    const char *value;
    struct options_reader reader;
    options_begin(&reader, &install_command_line, request, argc, argv);
    while (status < 0 && (key = options_next(&reader, &value)) != OPTIONS_END) {
        status = take_option(request, key, value);
    }
    status = status < 0 ? reader.status : status;
    request->survey.named = request->named;
    if (status < 0 && request->on_host.folder && request->dry_run) {
        return command_usage_error("install", "--dry-run cannot be used with --host");
    }
    return status < 0 ? options_check_operands(&install_command_line, argc, argv, 0) : status;
}

/* ---- what an earlier one has left ---- */

/* An install or uninstall that was interrupted is completed or undone. */
static bool heal(const struct install *install)
{
    enum install_phase phase = journal_phase(install->journal);
    if (phase != INSTALL_INSTALLING && phase != INSTALL_REMOVING) {
        return true;
    }
    progress_say(phase == INSTALL_INSTALLING ? "An earlier install was interrupted. Undoing it first:"
                                             : "An earlier uninstall was interrupted. Completing it first:");
    const struct undo undo = {.journal = install->journal, .arena = install->arena};
    interrupts_hold();
    enum undo_outcome outcome = undo_all(&undo);
    return outcome == UNDO_COMPLETE || outcome == UNDO_ALMOST;
}

/* A dry run leaves that alone. */
static void report_cut_off(const struct install *install)
{
    enum install_phase phase = install->journal ? journal_phase(install->journal) : INSTALL_NONE;
    if (phase == INSTALL_INSTALLING || phase == INSTALL_REMOVING) {
        progress_say("An earlier %s was interrupted. It would be %s first; what follows starts from the files as they are now.",
                     phase == INSTALL_INSTALLING ? "install" : "uninstall", phase == INSTALL_INSTALLING ? "undone" : "completed");
    }
}

/* ---- what is there ---- */

static void print_refusal(const struct install *install, const struct error *error)
{
    const struct survey *survey = &install->node.survey;
    progress_problem("%s", error->message);
    /* One that was found, but whose files cannot be read, needs no choice. */
    bool choose = !survey->has_kubelet && survey->kubelet.pid == 0;
    for (size_t i = 0; choose && i < survey->search.candidate_count; i++) {
        const struct kubelet_candidate *candidate = &survey->search.candidates[i];
        progress_problem("process %d, %s: %s", (int)candidate->pid, candidate->program,
                         candidate->why_not ? candidate->why_not : "to choose it: crigate install --kubelet PID");
    }
    for (size_t i = 0; survey->has_plan && survey->plan.impossible && i < survey->plan.by_hand_count; i++) {
        progress_problem("by hand: %s", survey->plan.by_hand[i]);
    }
    /* Where nothing lasts, nothing leads the kubelet to crigate. */
    if (survey->has_plan && survey->plan.impossible && survey->plan.by_hand_count > 0 &&
        !layout_writes(survey->kubelet.layout, "/")) {
        progress_problem("once the kubelet's endpoint is crigate's, run crigate install again: it does the rest");
    }
}

/* Whether nothing of the map is lost except what would be written again. */
static bool map_has_no_more(const struct install *install)
{
    struct runtime_map *map = runtime_map_load_good(RUNTIME_MAP_DEFAULT_PATH);
    bool no_more = map && map->runtime_count <= install->node.map.runtime_count;
    runtime_map_free(map);
    return no_more;
}

/* A map that an earlier install wrote, and that has not been changed since, may be written again: the kubelet's endpoints have
   changed. */
static void take_own_map(struct install *install)
{
    struct map_plan *map = &install->node.map_plan;
    size_t count = install->journal && map->decision == MAP_DIFFERS ? journal_file_count(install->journal) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct journal_file *file = journal_file_at(install->journal, i);
        bool is_map = file->exists && strcmp(file->path, RUNTIME_MAP_DEFAULT_PATH) == 0;
        if (is_map && bytes_equal(file->after, map->file.before.text) && map_has_no_more(install)) {
            map->decision = MAP_WRITE;
        }
    }
}

static bool map_may_be_written(const struct install *install)
{
    const struct map_plan *map = &install->node.map_plan;
    if (map->decision != MAP_DIFFERS) {
        return true;
    }
    progress_problem(RUNTIME_MAP_DEFAULT_PATH " does not fit this node: %s", map->why.message);
    progress_problem("change it, or overwrite it with --replace-map; the difference from a map that fits:");
    text_diff_print(RUNTIME_MAP_DEFAULT_PATH, map->file.before.text, map->file.after, stderr);
    return false;
}

/* Whether the kubelet is healthy before anything is changed: otherwise, its health could not be checked afterwards. A kubelet
   that only lacks crigate need not be healthy. */
static bool kubelet_is_well(const struct install *install)
{
    const struct kubelet *kubelet = &install->node.survey.kubelet;
    struct error error = {.message = "it exits soon after each start"};
    bool down = kubelet->pid <= 0 && systemd_state_is(kubelet->unit.active, "activating");
    if (install->node.survey.plan.file_count == 0 || install->kept_down ||
        (!down &&
         (kubelet->pid <= 0 || !kubelet->healthz_address || healthz_ask(kubelet->healthz_address, HEALTHZ_TIMEOUT, &error)))) {
        return true;
    }
    progress_problem("the kubelet is already unhealthy: %s", error.message);
    progress_problem("fix that first: otherwise crigate could not tell whether the kubelet is healthy behind it");
    return false;
}

static bool no_bypass(void)
{
    struct bypass_record record;
    if (!bypass_record_find(&record)) {
        return true;
    }
    progress_problem("the kubelet's calls have bypassed crigate since %s: end the bypass first, with crigate bypass off",
                     record.readable ? record.since : "an unknown time");
    return false;
}

static bool calls_arrive(const struct install *install)
{
    struct error error;
    const char *control = node_plan_control(install->arena);
    struct json_object *status = control ? crigate_status(control, &error) : NULL;
    bool arrive = status && crigate_status_primary_ready(status, &error) &&
                  crigate_status_calls_of(status, install->node.survey.kubelet.pid) > 0;
    json_object_put(status);
    return arrive;
}

/* A kubelet of today asks for runtime.v1 and ends where there is none; one of yesterday does not find its package in a new
 * runtime. */
static bool is_kept_down(const struct install *install)
{
    const struct survey *survey = &install->node.survey;
    return survey_needs_crigate(survey) && !survey->calls_crigate;
}

/* Whether nothing is left to do. */
static bool is_installed(const struct install *install)
{
    const struct node_plan *node = &install->node;
    return node->survey.plan.file_count == 0 && node->map_plan.decision == MAP_FITS && !node->writes_unit &&
           install->calls_arrive;
}

/* ---- doing it ---- */

/* Room for the journal, and for each of the files that an undo writes, beside the present ones. */
static size_t room_to_undo(const struct install *install)
{
    const struct plan *plan = &install->node.survey.plan;
    size_t room = (size_t)64 << 10;
    for (size_t i = 0; i < plan->file_count; i++) {
        room += plan->files[i].before.text.len;
    }
    return room + install->node.map_plan.file.before.text.len + install->node.crictl.file.before.text.len;
}

static bool record_start(const struct install *install, struct error *error)
{
    struct journal *journal = install->journal;
    const struct kubelet *kubelet = &install->node.survey.kubelet;
    const struct process_identity process = process_identity(kubelet->pid);
    return journal_set_phase(journal, INSTALL_INSTALLING, error) && journal_reserve(journal, room_to_undo(install), error) &&
           journal_set_fact(journal, FACT_ENDPOINT, install->node.endpoint, error) &&
           journal_set_fact(journal, FACT_DIRECT, install->node.direct, error) &&
           (!kubelet->unit.loaded || journal_set_fact(journal, FACT_KUBELET_UNIT, kubelet->unit.name, error)) &&
           (!kubelet->healthz_address || journal_set_fact(journal, FACT_HEALTHZ, kubelet->healthz_address, error)) &&
           (!install->kept_down || journal_set_fact(journal, FACT_KUBELET_KEPT_DOWN, "yes", error)) &&
           journal_set_fact(journal, FACT_KUBELET_PROCESS, kubelet->pid > 0 ? process.text : KUBELET_DID_NOT_RUN, error);
}

static int give_up(const struct install *install, const struct error *error)
{
    interrupts_hold();
    progress_problem("%s", error->code == STATUS_CANCELLED ? "stopped by a signal" : error->message);
    progress_say("Restoring the node:");
    const struct undo undo = {.journal = install->journal, .arena = install->arena, .without_kubelet = true};
    enum undo_outcome outcome = undo_all(&undo);
    if (outcome == UNDO_COMPLETE || outcome == UNDO_ALMOST) {
        progress_problem("not installed; the node has been restored");
    } else {
        progress_problem("not installed; run crigate uninstall to undo the rest");
    }
    return EXIT_NOT_IN;
}

static void warn_of_crictl(const struct install *install)
{
    if (install->node.crictl.warning) {
        progress_say("Warning: crictl is left as it is: %s", install->node.crictl.warning);
    }
}

static int finish(const struct install *install)
{
    const struct survey *survey = &install->node.survey;
    for (size_t i = 0; i < survey->plan.warning_count; i++) {
        progress_say("Warning: %s", survey->plan.warnings[i]);
    }
    warn_of_crictl(install);
    for (size_t i = 0; i < survey->plan.by_hand_count; i++) {
        progress_say("To be done by hand: %s", survey->plan.by_hand[i]);
    }
    if (survey->kubelet.pid <= 0 && !install_step_wanted(install, STEP_KUBELET)) {
        progress_say(
            "crigate is installed. The kubelet is not running, so its calls could not be checked. Once it runs: crigate verify");
        return EXIT_NOT_SEEN;
    }
    progress_say(
        "crigate is installed, and the kubelet's calls pass through it. To check: crigate verify. To remove: crigate uninstall");
    return EXIT_IN;
}

/* crigate is installed, and the kubelet is pointed at it, but something is not running: does nothing that would have to be
   undone. */
static int repair(struct install *install)
{
    struct error error = {0};
    progress_say("Already installed, but with problems:");
    if (install_steps_run(install, &error)) {
        return finish(install);
    }
    progress_problem("%s", error.code == STATUS_CANCELLED ? "stopped by a signal" : error.message);
    progress_problem("crigate is installed, but with problems: see crigate verify");
    return EXIT_NOT_IN;
}

/* Also where an installation was overridden, as by an upgrade of kubeadm: then this is one more on top of it, and undone with it.
 */
static int do_it(struct install *install)
{
    struct error error = {0};
    if (record_start(install, &error) && install_steps_run(install, &error) &&
        journal_set_phase(install->journal, INSTALL_INSTALLED, &error)) {
        return finish(install);
    }
    return give_up(install, &error);
}

static int show(const struct install *install)
{
    const struct plan *plan = &install->node.survey.plan;
    node_plan_print_files(&install->node);
    progress_say("Steps:");
    install_steps_print(install);
    for (size_t i = 0; i < plan->warning_count; i++) {
        progress_say("Warning: %s", plan->warnings[i]);
    }
    warn_of_crictl(install);
    for (size_t i = 0; i < plan->by_hand_count; i++) {
        progress_say("To be done by hand afterwards: %s", plan->by_hand[i]);
    }
    progress_say("Nothing was written.");
    return EXIT_IN;
}

static int run_steps(const struct request *request, struct install *install)
{
    struct error error = {0};
    if (request->dry_run) {
        report_cut_off(install);
    } else if (!heal(install)) {
        return EXIT_NOT_IN;
    }
    if (request->once && install->journal && journal_phase(install->journal) == INSTALL_INSTALLED) {
        progress_say("Already installed on this node. To check: crigate verify");
        return EXIT_IN;
    }
    if (!no_bypass()) {
        return EXIT_NOT_IN;
    }
    if (!survey_take(&request->survey, install->arena, &install->node.survey, &error)) {
        return command_usage_error("install", "%s", error.message);
    }
    if (!node_plan_make(&install->node, request->replace_map, request->crictl, install->arena, &error)) {
        print_refusal(install, &error);
        return EXIT_NOT_IN;
    }
    take_own_map(install);
    install->calls_arrive = calls_arrive(install);
    install->kept_down = is_kept_down(install);
    if (is_installed(install)) {
        progress_say("Already installed: the kubelet, process %d, calls crigate at %s.", (int)install->node.survey.kubelet.pid,
                     install->node.endpoint);
        return EXIT_IN;
    }
    if (!map_may_be_written(install) || !kubelet_is_well(install)) {
        return EXIT_NOT_IN;
    }
    if (request->dry_run) {
        return show(install);
    }
    bool installed = journal_phase(install->journal) == INSTALL_INSTALLED;
    return installed && install->node.survey.plan.file_count == 0 ? repair(install) : do_it(install);
}

/* No bypass or uninstall may run in between. */
static int run(const struct request *request, struct install *install)
{
    struct error error = {0};
    DESCRIPTOR_CLEANUP int lock = request->dry_run ? -1 : node_lock(&error);
    if (lock < 0 && !request->dry_run) {
        progress_problem("%s", error.message);
        return EXIT_NOT_IN;
    }
    return run_steps(request, install);
}

/* The journal, and its lock. A dry run makes none; it needs none. */
static bool open_journal(const struct request *request, struct install *install, struct error *error)
{
    install->journal = journal_open(!request->dry_run, install->arena, error);
    return install->journal || (request->dry_run && error->code == STATUS_NOT_FOUND);
}

int install_command(int argc, char **argv)
{
    struct request request = {.timeout = DEFAULT_TIMEOUT};
    struct error error = {0};
    int status = read_options(&request, argc, argv);
    if (status >= 0) {
        return status;
    }
    if (request.on_host.folder) {
        return on_host_install(&request.on_host);
    }
    progress_of("install");
    if (geteuid() != 0) {
        progress_problem("only root may do this: sudo crigate install");
        return EXIT_NOT_IN;
    }
    if (!systemd_is_running()) {
        progress_problem("this node does not use systemd. Start crigate with this node's service manager, point the kubelet at "
                         "it as docs/kubelet.md describes, and check with crigate verify");
        return EXIT_NOT_IN;
    }
    interrupts_catch();
    struct install install = {.arena = arena_new(MEMORY), .timeout = request.timeout};
    if (!install.arena || !open_journal(&request, &install, &error)) {
        progress_problem("%s", install.arena ? error.message : "out of memory");
        undo_explain_damage(&error);
        status = EXIT_NOT_IN;
    } else {
        status = run(&request, &install);
    }
    if (install.journal) {
        journal_close(install.journal);
    }
    arena_unref(install.arena);
    return status;
}
