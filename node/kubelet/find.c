#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/clock.h"
#include "node/kubelet/process.h"
#include "node/kubelet/read.h"
#include "node/systemd/run.h"
#include "node/systemd/started.h"
#include "node/systemd/unit_command.h"

#define MOST_CANDIDATES 64
#define MOST_UNFIT 16                      /* of them: any user can start many processes that look like a kubelet */
#define PROCESS_MEMORY ((size_t)64 << 20)  /* for what /proc shows of one process */
#define UNIT_MEMORY ((size_t)16 << 20)     /* for the files of one unit */
#define SETTLED (3 * NANOSECONDS_A_SECOND) /* after which a kubelet that systemd has restarted counts as one that runs */
#define LOOK_EVERY (20 * NANOSECONDS_A_MILLISECOND)

/* Units that have a kubelet in them, and what they say about the node. */
static const struct {
    const char *name;
    enum kubelet_layout layout;
    enum {
        STARTED,  /* the main process is the kubelet, or one that its command line says to start it */
        BUILT_IN, /* the main process is the kubelet, whatever its name */
        KEPT_UP,  /* the main process starts a kubelet again whenever it ends */
    } kind;
} known_units[] = {
    {"kubelet.service", KUBELET_PLAIN, STARTED},
    {"k3s.service", KUBELET_K3S, BUILT_IN},
    {"k3s-agent.service", KUBELET_K3S, BUILT_IN},
    {"rke2-server.service", KUBELET_RKE2, STARTED},
    {"rke2-agent.service", KUBELET_RKE2, STARTED},
    {"snap.microk8s.daemon-kubelite.service", KUBELET_MICROK8S, BUILT_IN},
    {"snap.kubelet-eks.daemon.service", KUBELET_EKS_SNAP, STARTED},
    {"snap.k8s.kubelet.service", KUBELET_CANONICAL, STARTED},
    {"snap.kubelet.daemon.service", KUBELET_PLAIN, STARTED}, /* a charm's or not: by what is on the node */
    {"k0sworker.service", KUBELET_K0S, KEPT_UP},
};

#define KNOWN_UNITS (sizeof known_units / sizeof known_units[0])

/* A process that looks like a kubelet. */
struct candidate {
    struct process process;
    const char *why_not;
    bool rootless;
    bool is_multiple;
    size_t unit; /* in known_units; KNOWN_UNITS: none of them */
};

struct finding {
    struct arena *arena;
    struct error *error;
    struct systemd_unit units[KNOWN_UNITS];
    struct candidate candidates[MOST_CANDIDATES];
    size_t count, unfit_count;
    pid_t named; /* by --kubelet; 0: none */
};

static const char *print(struct arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

static const char *print(struct arena *arena, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char *copy = arena_string(arena, bytes_of_string(text));
    return copy ? copy : "";
}

/* The unit among the known ones whose main process it is, or in whose cgroup. */
static size_t unit_of(const struct finding *finding, const struct process *process)
{
    for (size_t i = 0; i < KNOWN_UNITS; i++) {
        if (finding->units[i].loaded && finding->units[i].main_pid == process->pid) {
            return i;
        }
    }
    for (size_t i = 0; process->unit && i < KNOWN_UNITS; i++) {
        if (finding->units[i].loaded && strcmp(known_units[i].name, process->unit) == 0) {
            return i;
        }
    }
    return KNOWN_UNITS;
}

static bool is_main_process(const struct finding *finding, pid_t pid)
{
    for (size_t i = 0; i < KNOWN_UNITS; i++) {
        if (finding->units[i].loaded && finding->units[i].main_pid == pid) {
            return true;
        }
    }
    return false;
}

/* Whether it is one of several programs in one, and called with "kubelet" as its first argument: hyperkube, or whatever a unit
 * has. */
static bool is_multiple(const struct finding *finding, const struct process *process)
{
    return process->argument_count > 1 && strcmp(process->arguments[1], "kubelet") == 0 &&
           (strcmp(basename(process->program), "hyperkube") == 0 || is_main_process(finding, process->pid));
}

/* The path of the name "kubelet" by which a program of another name was started, as a link to it; NULL: it was not. */
static const char *linked_path(const struct process *process, struct arena *arena)
{
    const char *called = process->argument_count > 0 ? process->arguments[0] : "";
    char path[PATH_MAX];
    struct stat link, program;
    bool same = strcmp(basename(called), "kubelet") == 0 && run_find_program(called, path, sizeof path) &&
                stat(path, &link) == 0 && stat(process->program, &program) == 0 && link.st_dev == program.st_dev &&
                link.st_ino == program.st_ino;
    return same ? arena_string(arena, bytes_of_string(path)) : NULL;
}

/* Why the process cannot be the node's kubelet, or NULL. */
static const char *why_not(struct finding *finding, const struct candidate *candidate)
{
    const struct process *process = &candidate->process;
    bool main = candidate->unit < KNOWN_UNITS && finding->units[candidate->unit].main_pid == process->pid;
    bool built_in = main && known_units[candidate->unit].kind == BUILT_IN;
    if (!candidate->is_multiple && !built_in && strcmp(basename(process->program), "kubelet") != 0) {
        return print(finding->arena, "only calls itself kubelet: its program is %s", process->program);
    }
    if (process->other_pid_namespace) {
        return "runs in a container (another PID namespace)";
    }
    if (process->uid != 0) {
        return print(finding->arena, "runs as uid %u", (unsigned)process->uid);
    }
    if (process->other_user_namespace) {
        return "runs without root privileges (another user namespace)";
    }
    bool hardened = main && !process->other_etc; /* systemd may give a service mounts of its own, with the same files */
    if (process->other_mount_namespace && !hardened) {
        return "runs in a container (another mount namespace)";
    }
    if (process->other_root) {
        return "runs in another root folder";
    }
    return NULL;
}

static struct candidate describe(struct finding *finding, const struct process *process)
{
    struct candidate candidate = {
        .process = *process, .is_multiple = is_multiple(finding, process), .unit = unit_of(finding, process)};
    const char *path = linked_path(process, finding->arena);
    candidate.process.program = path ? path : process->program;
    candidate.rootless = process->uid != 0 || process->other_user_namespace;
    candidate.why_not = why_not(finding, &candidate);
    return candidate;
}

/* Whether the process may be shown as a kubelet at all. */
static bool looks_like_kubelet(const struct finding *finding, const struct process *process)
{
    for (size_t i = 0; i < KNOWN_UNITS; i++) {
        if (known_units[i].kind == BUILT_IN && finding->units[i].loaded && finding->units[i].main_pid == process->pid) {
            return true;
        }
    }
    const char *called = process->argument_count > 0 ? basename(process->arguments[0]) : "";
    return strcmp(basename(process->program), "kubelet") == 0 || strcmp(called, "kubelet") == 0 || is_multiple(finding, process);
}

/* A child that the kubelet has forked, and that has not become another program yet, is none. */
static void drop_children(struct finding *finding)
{
    size_t kept = 0;
    for (size_t i = 0; i < finding->count; i++) {
        bool child = false;
        for (size_t j = 0; j < finding->count; j++) {
            child = child || (finding->candidates[j].process.pid == finding->candidates[i].process.parent &&
                              strcmp(finding->candidates[j].process.program, finding->candidates[i].process.program) == 0);
        }
        if (!child) {
            finding->candidates[kept++] = finding->candidates[i];
        }
    }
    finding->count = kept;
}

/* Of one that is only shown, nothing but that is kept: its command line may be as long as its owner likes. */
static void shorten(struct finding *finding, struct candidate *candidate)
{
    const char *program = arena_string(finding->arena, bytes_of_string(candidate->process.program));
    candidate->process.program = program ? program : "";
    candidate->process.unit = NULL;
    candidate->process.arguments = NULL;
    candidate->process.argument_count = 0;
}

static void add_candidate(struct finding *finding, const struct process *process)
{
    struct process whole = *process;
    struct candidate candidate = describe(finding, process);
    bool shown_only = candidate.why_not && process->pid != finding->named;
    if (finding->count == MOST_CANDIDATES || (shown_only && finding->unfit_count == MOST_UNFIT)) {
        return;
    }
    if (shown_only) {
        finding->unfit_count++;
        shorten(finding, &candidate);
    } else if (process_read(process->pid, finding->arena, &whole) && looks_like_kubelet(finding, &whole)) {
        candidate = describe(finding, &whole);
    } else {
        return;
    }
    finding->candidates[finding->count++] = candidate;
}

/* In memory of its own: the command lines of all processes together may be very long. */
static bool look_at(struct finding *finding, pid_t pid)
{
    struct process process;
    struct arena *arena = arena_new(PROCESS_MEMORY);
    if (!arena) {
        return error_out_of_memory(finding->error);
    }
    if (process_read(pid, arena, &process) && looks_like_kubelet(finding, &process)) {
        add_candidate(finding, &process);
    }
    arena_unref(arena);
    return true;
}

/* Main processes of units come first, and the one that was named: no number of others can take their place. */
static bool comes_first(const struct finding *finding, pid_t pid)
{
    return pid == finding->named || is_main_process(finding, pid);
}

static bool find_candidates(struct finding *finding)
{
    size_t count;
    const pid_t *pids = process_list(finding->arena, &count);
    if (!pids) {
        return error_set(finding->error, STATUS_INTERNAL, "cannot read /proc");
    }
    for (int first = 1; first >= 0; first--) {
        for (size_t i = 0; i < count; i++) {
            if (comes_first(finding, pids[i]) == first && !look_at(finding, pids[i])) {
                return false;
            }
        }
    }
    drop_children(finding);
    return true;
}

static bool find_units(struct finding *finding)
{
    for (size_t i = 0; i < KNOWN_UNITS && systemd_is_running(); i++) {
        if (!systemd_show(known_units[i].name, finding->arena, &finding->units[i], finding->error)) {
            return false;
        }
    }
    return true;
}

/* For messages of the caller. */
static bool show_candidates(const struct finding *finding, struct kubelet_search *search)
{
    struct kubelet_candidate *shown = arena_zalloc(finding->arena, (finding->count + 1) * sizeof *shown);
    for (size_t i = 0; shown && i < finding->count; i++) {
        const struct candidate *candidate = &finding->candidates[i];
        shown[i] = (struct kubelet_candidate){
            .pid = candidate->process.pid, .program = candidate->process.program, .why_not = candidate->why_not};
    }
    search->candidates = shown;
    search->candidate_count = shown ? finding->count : 0;
    return shown || error_out_of_memory(finding->error);
}

static const struct candidate *choose_named(const struct finding *finding, pid_t pid)
{
    for (size_t i = 0; i < finding->count; i++) {
        const struct candidate *candidate = &finding->candidates[i];
        if (candidate->process.pid == pid) {
            if (!candidate->why_not || (candidate->rootless && !candidate->process.other_pid_namespace)) {
                return candidate;
            }
            error_set(finding->error, STATUS_FAILED_PRECONDITION, "process %ld is not this node's kubelet: it %s", (long)pid,
                      candidate->why_not);
            return NULL;
        }
    }
    error_set(finding->error, STATUS_FAILED_PRECONDITION, "process %ld is not a kubelet", (long)pid);
    return NULL;
}

/* The only one, if there is one. `count` gets how many there are. */
static const struct candidate *choose_only(const struct finding *finding, size_t *count)
{
    const struct candidate *chosen = NULL;
    *count = 0;
    for (size_t i = 0; i < finding->count; i++) {
        if (!finding->candidates[i].why_not) {
            chosen = &finding->candidates[i];
            ++*count;
        }
    }
    return chosen;
}

/* What the process says of itself, and its unit. */
static bool take_process(const struct finding *finding, const struct candidate *candidate, struct kubelet *kubelet)
{
    const struct process *process = &candidate->process;
    kubelet->pid = process->pid;
    kubelet->program = process->program;
    kubelet->arguments = process->arguments;
    kubelet->argument_count = process->argument_count;
    kubelet->rootless = candidate->rootless;
    if (candidate->is_multiple) {
        kubelet->arguments++;
        kubelet->argument_count--;
    }
    if (candidate->unit < KNOWN_UNITS) {
        kubelet->unit = finding->units[candidate->unit];
        kubelet->layout = known_units[candidate->unit].layout;
    } else if (process->unit && systemd_is_running()) {
        return systemd_show(process->unit, finding->arena, &kubelet->unit, finding->error);
    }
    return true;
}

/* Whether the files of the unit say that it runs a kubelet. */
static bool runs_kubelet(const struct systemd_unit *unit)
{
    struct error ignored;
    struct arena *arena = arena_new(UNIT_MEMORY);
    const struct unit_command *command = arena ? unit_command_read(unit, arena, &ignored) : NULL;
    bool runs = command && started_is_kubelet(&command->command, command->program);
    arena_unref(arena);
    return runs;
}

/* Whether the kubelet of the unit is not running at this moment: systemd is about to start it, or it has ended since systemd was
   asked. A unit whose main process is not a kubelet, and that runs none, has no kubelet. */
static bool is_between_lives(const struct finding *finding, size_t unit)
{
    const struct systemd_unit *shown = &finding->units[unit];
    for (size_t i = 0; i < finding->count; i++) {
        if (finding->candidates[i].unit == unit) {
            return false;
        }
    }
    return shown->main_pid == 0 || !process_is_there(shown->main_pid) || known_units[unit].kind == KEPT_UP || runs_kubelet(shown);
}

/* Leaves what the unit's files say, and its state between two lives of the kubelet. */
static void forget_process(struct kubelet *kubelet)
{
    kubelet->pid = 0;
    kubelet->program = "";
    kubelet->arguments = NULL;
    kubelet->argument_count = 0;
    if (kubelet->unit.main_pid != 0) {
        kubelet->unit.main_pid = 0;
        kubelet->unit.active = "activating";
    }
}

/* A unit whose kubelet is not running still describes one. */
static bool take_stopped_unit(const struct finding *finding, struct kubelet *kubelet)
{
    for (size_t i = 0; i < KNOWN_UNITS; i++) {
        if (finding->units[i].loaded && finding->units[i].fragment[0] && is_between_lives(finding, i)) {
            kubelet->unit = finding->units[i];
            kubelet->layout = known_units[i].layout;
            forget_process(kubelet);
            return true;
        }
    }
    return false;
}

/* Whether systemd starts the kubelet again and again. At whatever moment of that it is looked at, it shall be found alike: one
   that was restarted counts as running once it has not ended for a while. */
static bool ends_soon(const struct kubelet *kubelet)
{
    const struct systemd_unit *unit = &kubelet->unit;
    const struct timespec pause = {.tv_nsec = LOOK_EVERY};
    if (!unit->loaded || unit->restarts == 0 || unit->main_started == 0) {
        return false;
    }
    while (process_is_there(kubelet->pid)) {
        if (clock_ns() >= unit->main_started + SETTLED) {
            return false;
        }
        nanosleep(&pause, NULL);
    }
    return true;
}

/* Lists the candidates in the error. */
static bool refuse(const struct finding *finding, enum status_code code, const char *begin, bool only_fit)
{
    struct error listed;
    error_set(&listed, code, "%s", begin);
    for (size_t i = 0; i < finding->count; i++) {
        const struct candidate *candidate = &finding->candidates[i];
        size_t len = strlen(listed.message);
        if (!only_fit || !candidate->why_not) {
            snprintf(listed.message + len, sizeof listed.message - len, "; process %ld, %s%s%s", (long)candidate->process.pid,
                     candidate->process.program, candidate->why_not ? ", " : "", candidate->why_not ? candidate->why_not : "");
        }
    }
    return error_set(finding->error, code, "%s", listed.message);
}

static bool choose(const struct finding *finding, const struct kubelet_search *search, struct kubelet *kubelet)
{
    size_t count;
    if (search->pid > 0) {
        const struct candidate *named = choose_named(finding, search->pid);
        return named && take_process(finding, named, kubelet);
    }
    const struct candidate *only = choose_only(finding, &count);
    if (count > 1) {
        return refuse(finding, STATUS_FAILED_PRECONDITION, "there are several kubelets; choose one with --kubelet PID", true);
    }
    if (only) {
        if (!take_process(finding, only, kubelet)) {
            return false;
        }
        if (kubelet->unit.fragment && kubelet->unit.fragment[0] && ends_soon(kubelet)) {
            forget_process(kubelet);
        }
        return true;
    }
    return take_stopped_unit(finding, kubelet) || refuse(finding, STATUS_NOT_FOUND, "there is no kubelet on this node", false);
}

bool kubelet_find(struct kubelet_search *search, struct arena *arena, struct kubelet *kubelet, struct error *error)
{
    struct finding *finding = arena_zalloc(arena, sizeof *finding);
    *kubelet = (struct kubelet){.program = "", .version.text = "", .arguments = NULL};
    if (!finding) {
        return error_out_of_memory(error);
    }
    finding->arena = arena;
    finding->error = error;
    finding->named = search->pid;
    if (!find_units(finding) || !find_candidates(finding) || !show_candidates(finding, search) ||
        !choose(finding, search, kubelet)) {
        return false;
    }
    return kubelet_read(kubelet, arena, error);
}
