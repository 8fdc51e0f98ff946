#include "tests/faults/plugin_adversary.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "sim/common/memory.h"
#include "tests/faults/chance.h"
#include "tests/faults/event.h"

enum fault {
    FAULT_KILL,    /* kill -9, started again after a while */
    FAULT_PAUSE,   /* SIGSTOP, and SIGCONT after a while */
    FAULT_LATE,    /* answers come late for a while */
    FAULT_RESTART, /* SIGTERM, started again after a while */
    FAULT_REPLACE, /* another process on another socket; the one before ends after a while */
    FAULT_STAGES,  /* the file names other stages */
    FAULT_BAD,     /* the file is bad for a while */
    FAULT_REMOVED, /* the file is gone for a while */
    FAULTS,
};

static const char *const fault_names[FAULTS] = {
    [FAULT_KILL] = "kill -9",    [FAULT_PAUSE] = "SIGSTOP",        [FAULT_LATE] = "late answers",
    [FAULT_RESTART] = "SIGTERM", [FAULT_REPLACE] = "replaced",     [FAULT_STAGES] = "other stages",
    [FAULT_BAD] = "bad file",    [FAULT_REMOVED] = "file removed",
};

static const char *const bad_files[] = {"{\"remote-endpoint\": ", "", "{\"failure-policy\": \"Fail\"}"};

/* Between two questions of what is in force. */
#define ASK_MS 60

struct victim {
    bool stricken; /* by `fault`, until `due` */
    enum fault fault;
    int64_t due;
    bool confirmed;    /* the gateway calls it for the stages of its file, or it has no good file */
    int64_t bad_since; /* of its file */
};

struct plugin_adversary {
    struct node *node;
    struct history *history;
    struct chance chance;
    unsigned wanted;
    unsigned done;
    unsigned counts[FAULTS];
    int64_t next;
    int64_t next_question;
    int64_t stepped; /* when the last step began */
    unsigned gateway_starts;
    struct victim victims[PLUGIN_COUNT];
};

static int64_t in_milliseconds(unsigned milliseconds)
{
    return event_now() + milliseconds * NANOSECONDS_A_MILLISECOND;
}

/* ---- files ---- */

static void write_file(struct plugin_adversary *adversary, unsigned plugin, unsigned stages)
{
    event_note("plugin %s: its file names stages 0x%02x and place %u", plugin_names[plugin], stages,
               adversary->node->plugins[plugin].place);
    history_file(adversary->history, plugin, stages, event_now());
    plugin_write_file(adversary->node, plugin, stages);
    adversary->victims[plugin].confirmed = false;
}

static void spoil_file(struct plugin_adversary *adversary, unsigned plugin, bool remove)
{
    struct victim *victim = &adversary->victims[plugin];
    victim->bad_since = event_now();
    victim->confirmed = true;
    if (remove) {
        history_file(adversary->history, plugin, 0, victim->bad_since);
    }
    plugin_spoil_file(adversary->node, plugin, remove ? NULL : bad_files[chance_below(&adversary->chance, 3)]);
}

/* Most stages. Those of pods are what the test is most about. */
static unsigned some_stages(struct chance *chance)
{
    unsigned stages = (unsigned)chance_next(chance) | (unsigned)chance_next(chance);
    return (stages & ALL_STAGES) | (1U << (chance_below(chance, 2) ? STAGE_PRE_RUN_POD : STAGE_PRE_CREATE));
}

/* A gateway without any plugin forgets what it knows: at least one has a good file. */
static bool others_are_good(const struct plugin_adversary *adversary, unsigned plugin)
{
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        if (i != plugin && (adversary->node->plugins[i].stages == 0 || !adversary->victims[i].confirmed)) {
            return false;
        }
    }
    return true;
}

/* ---- the gateway ---- */

/* A gateway that starts while a file is bad has nothing that was good before. */
static void note_gateway(struct plugin_adversary *adversary, bool settled)
{
    int64_t now = event_now();
    if (!settled) {
        history_gateway_disturbed(adversary->history, adversary->stepped, now);
    }
    adversary->stepped = now;
    if (adversary->gateway_starts == adversary->node->gateway_starts) {
        return;
    }
    adversary->gateway_starts = adversary->node->gateway_starts;
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        if (adversary->node->plugins[i].stages == 0) {
            history_not_read(adversary->history, i, adversary->victims[i].bad_since);
        }
    }
}

static void ask_gateway(struct plugin_adversary *adversary)
{
    unsigned stages[PLUGIN_COUNT];
    bool wanted = false;
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        wanted = wanted || !adversary->victims[i].confirmed;
    }
    if (!wanted || event_now() < adversary->next_question) {
        return;
    }
    adversary->next_question = in_milliseconds(ASK_MS);
    if (!plugin_stages_in_force(adversary->node, stages)) {
        return;
    }
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        if (!adversary->victims[i].confirmed && stages[i] == adversary->node->plugins[i].stages) {
            adversary->victims[i].confirmed = true;
            history_confirmed(adversary->history, i, stages[i], event_now());
        }
    }
}

/* ---- faults ---- */

/* Mostly shorter than the timeout of hooks, sometimes much longer. */
static unsigned some_time(struct chance *chance)
{
    unsigned kind = chance_below(chance, 10);
    return kind < 5 ? chance_below(chance, 200) : kind < 9 ? 200 + chance_below(chance, 600) : 800 + chance_below(chance, 1600);
}

/* Begins the fault; whether it lasts. */
static bool begin(struct plugin_adversary *adversary, unsigned plugin, enum fault fault)
{
    struct node_plugin *own = &adversary->node->plugins[plugin];
    switch (fault) {
    case FAULT_KILL:
        node_kill(&own->pid);
        break;
    case FAULT_PAUSE:
        kill(own->pid, SIGSTOP);
        break;
    case FAULT_LATE:
        kill(own->pid, SIGUSR1);
        break;
    case FAULT_RESTART:
        kill(own->pid, SIGTERM);
        waitpid(own->pid, NULL, 0);
        own->pid = 0;
        break;
    case FAULT_REPLACE:
        own->superseded = own->pid;
        own->place++;
        plugin_start(adversary->node, plugin);
        write_file(adversary, plugin, own->stages);
        break;
    case FAULT_STAGES:
        write_file(adversary, plugin, some_stages(&adversary->chance));
        return false;
    default: /* bad or removed */
        spoil_file(adversary, plugin, fault == FAULT_REMOVED);
        break;
    }
    return true;
}

static void recover(struct plugin_adversary *adversary, unsigned plugin)
{
    struct node_plugin *own = &adversary->node->plugins[plugin];
    struct victim *victim = &adversary->victims[plugin];
    event_note("plugin %s: %s is over", plugin_names[plugin], fault_names[victim->fault]);
    victim->stricken = false;
    switch (victim->fault) {
    case FAULT_PAUSE:
        kill(own->pid, SIGCONT);
        break;
    case FAULT_LATE:
        kill(own->pid, SIGUSR2);
        break;
    case FAULT_REPLACE:
        node_kill(&own->superseded);
        break;
    case FAULT_BAD:
    case FAULT_REMOVED:
        write_file(adversary, plugin, chance_below(&adversary->chance, 2) ? ALL_STAGES : some_stages(&adversary->chance));
        break;
    default: /* killed, ended */
        plugin_start(adversary->node, plugin);
        break;
    }
}

/* A plugin is left alone until it listens. */
static void strike(struct plugin_adversary *adversary, bool settled)
{
    unsigned plugin = chance_below(&adversary->chance, PLUGIN_COUNT);
    plugin = adversary->victims[plugin].stricken ? (plugin + 1) % PLUGIN_COUNT : plugin;
    struct victim *victim = &adversary->victims[plugin];
    enum fault fault = chance_below(&adversary->chance, FAULTS);
    if (victim->stricken || !plugin_listens(adversary->node, plugin) || (fault >= FAULT_REPLACE && !settled) ||
        (fault >= FAULT_BAD && !others_are_good(adversary, plugin))) {
        return;
    }
    unsigned span = some_time(&adversary->chance);
    event_note("plugin %s: %s for %u ms", plugin_names[plugin], fault_names[fault], span);
    adversary->done++;
    adversary->counts[fault]++;
    victim->stricken = begin(adversary, plugin, fault);
    victim->fault = fault;
    victim->due = in_milliseconds(span);
}

static void step_plugin(struct plugin_adversary *adversary, unsigned plugin, bool settled)
{
    struct node_plugin *own = &adversary->node->plugins[plugin];
    struct victim *victim = &adversary->victims[plugin];
    int status;
    if (own->pid > 0 && waitpid(own->pid, &status, WNOHANG) == own->pid) {
        event_violation("plugin %s ended by itself: status 0x%x", plugin_names[plugin], (unsigned)status);
        plugin_start(adversary->node, plugin);
    }
    if (victim->stricken && event_now() >= victim->due && (settled || victim->fault < FAULT_BAD)) {
        recover(adversary, plugin);
    }
}

/* ---- from outside ---- */

struct plugin_adversary *plugin_adversary_new(struct node *node, struct history *history, uint64_t seed, unsigned faults)
{
    struct plugin_adversary *adversary = sim_zeroed(1, sizeof *adversary);
    *adversary = (struct plugin_adversary){.node = node, .history = history, .chance = {seed}, .wanted = faults};
    adversary->stepped = event_now();
    adversary->next = in_milliseconds(1500);
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        plugin_start(node, i);
        write_file(adversary, i, ALL_STAGES);
    }
    return adversary;
}

void plugin_adversary_free(struct plugin_adversary *adversary)
{
    free(adversary);
}

void plugin_adversary_step(struct plugin_adversary *adversary, bool settled, bool rest)
{
    note_gateway(adversary, settled);
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        step_plugin(adversary, i, settled);
    }
    if (!rest && event_now() >= adversary->next && adversary->done < adversary->wanted) {
        strike(adversary, settled);
        adversary->next = in_milliseconds(50 + chance_below(&adversary->chance, 700));
    }
    if (settled) {
        ask_gateway(adversary);
    }
}

bool plugin_adversary_is_done(const struct plugin_adversary *adversary)
{
    return adversary->done >= adversary->wanted;
}

bool plugin_adversary_is_quiet(const struct plugin_adversary *adversary)
{
    for (unsigned i = 0; i < PLUGIN_COUNT; i++) {
        if (adversary->victims[i].stricken || !adversary->victims[i].confirmed) {
            return false;
        }
    }
    return true;
}

void plugin_adversary_print(const struct plugin_adversary *adversary, FILE *out)
{
    fprintf(out, "faults of plugins:");
    for (unsigned i = 0; i < FAULTS; i++) {
        fprintf(out, "%s %s %u", i > 0 ? "," : "", fault_names[i], adversary->counts[i]);
    }
    fputc('\n', out);
}
