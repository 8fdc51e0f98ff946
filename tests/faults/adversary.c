#include "tests/faults/adversary.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/common/memory.h"
#include "tests/faults/chance.h"
#include "tests/faults/event.h"

enum fault {
    FAULT_KILL,    /* kill -9, started again after a while */
    FAULT_PAUSE,   /* SIGSTOP, and SIGCONT after a while */
    FAULT_LATE,    /* answers come late for a while */
    FAULT_REPLACE, /* killed, and one that speaks another dialect comes in its place */
    FAULT_UNPLUG,  /* its socket is deleted; after a while it is killed and started again */
    FAULT_FILL,    /* killed; the next one is stopped as soon as it listens, and its socket filled with connections */
    FAULT_CROWD,   /* SIGSTOP, and its connection from the gateway filled with requests; SIGCONT after a while */
    RUNTIME_FAULTS,

    FAULT_GATEWAY_KILL = RUNTIME_FAULTS, /* kill -9, and started again */
    FAULT_GATEWAY_STOP,                  /* SIGTERM, and started again when it has ended */
    FAULT_TAKEOVER,                      /* another gateway takes over */
    FAULT_TAKEOVER_KILLED,               /* one of the two is killed meanwhile */
    FAULT_STALLED_CALLER,                /* a caller that reads nothing, and then SIGTERM or a takeover */
    FAULTS,
};

static const char *const fault_names[FAULTS] = {
    [FAULT_KILL] = "kill -9",
    [FAULT_PAUSE] = "SIGSTOP",
    [FAULT_LATE] = "late answers",
    [FAULT_REPLACE] = "replaced by another dialect",
    [FAULT_UNPLUG] = "socket deleted",
    [FAULT_FILL] = "socket full",
    [FAULT_CROWD] = "connection full",
    [FAULT_GATEWAY_KILL] = "gateway: kill -9",
    [FAULT_GATEWAY_STOP] = "gateway: SIGTERM",
    [FAULT_TAKEOVER] = "gateway: --takeover",
    [FAULT_TAKEOVER_KILLED] = "gateway: --takeover and kill -9",
    [FAULT_STALLED_CALLER] = "gateway: caller that does not read",
};

/* A runtime is left alone until it listens again; a gateway, too, but not for ever. */
#define START_MS 20000
#define TAKEOVER_MS 20000
#define STOP_MS 20000

enum condition {
    WELL,
    STARTING, /* until it listens */
    FILLING,  /* until it listens, and its socket is filled before anybody has come to it, or few */
    STRICKEN, /* by `fault`, until `due` */
};

struct victim {
    enum condition condition;
    enum fault fault;
    int64_t due;
};

enum gateway_condition {
    GATEWAY_WELL,
    GATEWAY_STARTING,
    GATEWAY_DOWN,     /* killed; started again at `due` */
    GATEWAY_STOPPING, /* must have ended at `due` */
    GATEWAY_LEAVING,  /* a successor is taking over, which must be over at `due` */
};

struct adversary {
    struct node *node;
    struct chance chance;
    unsigned wanted;
    unsigned gateway_wanted;
    bool gentle;
    unsigned done;
    unsigned gateway_done;
    unsigned counts[FAULTS];
    unsigned takeovers_done;
    unsigned takeovers_failed;
    int64_t next;         /* fault of a runtime */
    int64_t next_gateway; /* fault of the gateway */
    struct victim victims[PEER_COUNT];
    enum gateway_condition gateway;
    bool stalled;       /* a caller reads nothing: the next fault is one that it could stand in the way of */
    bool killed;        /* one of the two that take part in this takeover was */
    bool half;          /* or one of the last takeover's: whoever is left may still be about to end ... */
    int64_t half_until; /* ... until then */
    bool killing;       /* one of the two that take part in a takeover is to be killed at `kill_at` */
    int64_t kill_at;
    int64_t due;
};

static int64_t in_milliseconds(unsigned milliseconds)
{
    return event_now() + milliseconds * NANOSECONDS_A_MILLISECOND;
}

struct adversary *adversary_new(struct node *node, uint64_t seed, unsigned faults, unsigned gateway_faults, bool gentle)
{
    struct adversary *adversary = sim_zeroed(1, sizeof *adversary);
    *adversary =
        (struct adversary){.node = node, .chance = {seed}, .wanted = faults, .gateway_wanted = gateway_faults, .gentle = gentle};
    adversary->gateway = GATEWAY_STARTING;
    adversary->due = in_milliseconds(START_MS);
    for (unsigned i = 0; i < PEER_COUNT; i++) {
        adversary->victims[i] = (struct victim){.condition = STARTING, .due = in_milliseconds(START_MS)};
    }
    adversary->next = in_milliseconds(1500);
    adversary->next_gateway = in_milliseconds(3000);
    return adversary;
}

void adversary_free(struct adversary *adversary)
{
    free(adversary);
}

static void count(struct adversary *adversary, enum fault fault)
{
    adversary->counts[fault]++;
    if (fault < RUNTIME_FAULTS) {
        adversary->done++;
    } else {
        adversary->gateway_done++;
    }
}

/* Whether the process has ended; then how, and it is forgotten. */
static bool has_ended(pid_t *pid, int *status)
{
    if (*pid > 0 && waitpid(*pid, status, WNOHANG) == *pid) {
        *pid = 0;
        return true;
    }
    return false;
}

static void tell_end(const char *who, int status)
{
    event_violation("%s ended by itself: %s %d", who, WIFSIGNALED(status) ? "signal" : "exit status",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
}

/* Ends that no fault explains: of a signal, or of a sanitizer, which has exit statuses of its own. */
static bool is_crash(int status)
{
    return WIFSIGNALED(status) || WEXITSTATUS(status) > EXIT_FAILURE;
}

/* ---- runtimes ---- */

/* A while in which lists would take too long if they waited for a connection that takes no bytes. */
#define LONG_CROWD_MS 6500

#define MORE_FAULTS 10

/* How long it takes a stalled caller to send more than its connection takes of the answers. */
#define STALLED_MS 500

/* Mostly shorter than the gateway's patience, sometimes much longer. */
static unsigned some_time(struct chance *chance)
{
    unsigned kind = chance_below(chance, 10);
    return kind < 5 ? chance_below(chance, 150) : kind < 9 ? 100 + chance_below(chance, 500) : 600 + chance_below(chance, 1400);
}

static void strike(struct adversary *adversary, unsigned number, enum fault fault)
{
    struct node_runtime *runtime = &adversary->node->runtimes[number];
    struct victim *victim = &adversary->victims[number];
    unsigned span = some_time(&adversary->chance);
    if (fault == FAULT_CROWD && chance_below(&adversary->chance, 4) == 0) {
        span = LONG_CROWD_MS;
    }
    char path[NODE_PATH_SIZE];
    event_note("runtime %s: %s for %u ms", runtime->name, fault_names[fault], span);
    switch (fault) {
    case FAULT_PAUSE:
        kill(runtime->pid, SIGSTOP);
        break;
    case FAULT_CROWD:
        kill(runtime->pid, SIGSTOP);
        node_crowd_runtime(adversary->node, number);
        break;
    case FAULT_LATE:
        kill(runtime->pid, SIGUSR1);
        break;
    case FAULT_UNPLUG:
        node_path(adversary->node, runtime->name, "sock", path);
        unlink(path);
        break;
    case FAULT_FILL:
        node_kill(&runtime->pid);
        node_start_runtime(adversary->node, number);
        break;
    default: /* kill, replace */
        node_kill(&runtime->pid);
        break;
    }
    bool filling = fault == FAULT_FILL;
    *victim = (struct victim){filling ? FILLING : STRICKEN, fault, in_milliseconds(filling ? START_MS : span)};
    count(adversary, fault);
}

static void fill(struct adversary *adversary, unsigned number)
{
    struct node_runtime *runtime = &adversary->node->runtimes[number];
    struct victim *victim = &adversary->victims[number];
    kill(runtime->pid, SIGSTOP);
    if (!node_fill_runtime(adversary->node, number)) {
        event_violation("the socket of runtime %s cannot be filled: %s; raise the limit of open files", runtime->name,
                        strerror(errno));
    }
    event_note("runtime %s: its socket is full, with %zu connections", runtime->name, runtime->stranger_count);
    victim->condition = STRICKEN;
    victim->due = in_milliseconds(some_time(&adversary->chance));
}

static void recover(struct adversary *adversary, unsigned number)
{
    struct node_runtime *runtime = &adversary->node->runtimes[number];
    struct victim *victim = &adversary->victims[number];
    event_note("runtime %s: %s is over", runtime->name, fault_names[victim->fault]);
    node_drain_runtime(adversary->node, number);
    node_disperse_crowd(adversary->node, number);
    if (victim->fault == FAULT_LATE) {
        kill(runtime->pid, SIGUSR2);
        victim->condition = WELL;
        return;
    }
    if (victim->fault == FAULT_PAUSE || victim->fault == FAULT_FILL || victim->fault == FAULT_CROWD) {
        kill(runtime->pid, SIGCONT);
        victim->condition = WELL;
        return;
    }
    if (victim->fault == FAULT_REPLACE) {
        runtime->dialect = runtime->dialects[runtime->dialect + 1] ? runtime->dialect + 1 : 0;
        event_note("runtime %s: speaks %s now", runtime->name, runtime->dialects[runtime->dialect]);
    }
    node_kill(&runtime->pid);
    node_start_runtime(adversary->node, number);
    *victim = (struct victim){.condition = STARTING, .due = in_milliseconds(START_MS)};
}

static void step_runtime(struct adversary *adversary, unsigned number)
{
    struct node_runtime *runtime = &adversary->node->runtimes[number];
    struct victim *victim = &adversary->victims[number];
    int status;
    if (has_ended(&runtime->pid, &status)) {
        tell_end(runtime->name, status);
        node_start_runtime(adversary->node, number);
        *victim = (struct victim){.condition = STARTING, .due = in_milliseconds(START_MS)};
    }
    bool due = event_now() >= victim->due;
    if (victim->condition == STRICKEN && due) {
        recover(adversary, number);
    } else if (victim->condition == FILLING && node_runtime_listens(adversary->node, number)) {
        fill(adversary, number);
    } else if (victim->condition == STARTING && node_runtime_listens(adversary->node, number)) {
        victim->condition = WELL;
    } else if ((victim->condition == STARTING || victim->condition == FILLING) && due) {
        event_violation("runtime %s does not listen", runtime->name);
        victim->due = in_milliseconds(START_MS);
    }
}

static void strike_any(struct adversary *adversary)
{
    unsigned number = chance_below(&adversary->chance, PEER_COUNT);
    for (unsigned i = 0; i < PEER_COUNT; i++, number = (number + 1) % PEER_COUNT) {
        if (adversary->victims[number].condition == WELL) {
            enum fault any = (enum fault)chance_below(&adversary->chance, RUNTIME_FAULTS);
            strike(adversary, number, adversary->gentle ? FAULT_LATE : any);
            return;
        }
    }
}

/* ---- the gateway ---- */

static void start_gateway(struct adversary *adversary)
{
    adversary->node->gateway = node_start_gateway(adversary->node, false);
    adversary->gateway = GATEWAY_STARTING;
    adversary->half = false;
    adversary->due = in_milliseconds(START_MS);
}

static void strike_gateway(struct adversary *adversary, enum fault fault)
{
    struct node *node = adversary->node;
    struct chance *chance = &adversary->chance;
    event_note("%s", fault_names[fault]);
    count(adversary, fault);
    switch (fault) {
    case FAULT_GATEWAY_KILL:
        node_kill(&node->gateway);
        adversary->gateway = GATEWAY_DOWN;
        adversary->due = in_milliseconds(chance_below(chance, 4) ? 0 : some_time(chance));
        break;
    case FAULT_GATEWAY_STOP:
        kill(node->gateway, SIGTERM);
        adversary->gateway = GATEWAY_STOPPING;
        adversary->due = in_milliseconds(STOP_MS);
        break;
    case FAULT_STALLED_CALLER:
        node_start_stalled_caller(node);
        adversary->stalled = true;
        break;
    default: /* takeovers */
        node->successor = node_start_gateway(node, true);
        adversary->gateway = GATEWAY_LEAVING;
        adversary->due = in_milliseconds(TAKEOVER_MS);
        adversary->killed = false;
        adversary->killing = fault == FAULT_TAKEOVER_KILLED;
        adversary->kill_at = in_milliseconds(chance_below(chance, 80));
        break;
    }
}

/* The takeover is over when one of the two has ended. */
static void step_takeover(struct adversary *adversary)
{
    struct node *node = adversary->node;
    int status = 0;
    if (adversary->killing && event_now() >= adversary->kill_at) {
        bool old = chance_below(&adversary->chance, 2);
        event_note("kill -9 of the %s gateway", old ? "old" : "new");
        adversary->killing = false;
        adversary->killed = true;
        adversary->half = true;
        adversary->half_until = in_milliseconds(TAKEOVER_MS);
        node_kill(old ? &node->gateway : &node->successor);
    }
    bool old_ended = node->gateway == 0 || has_ended(&node->gateway, &status);
    bool new_ended = node->successor == 0 || has_ended(&node->successor, &status);
    if (is_crash(status)) {
        tell_end("a gateway in a takeover", status);
    }
    if (new_ended && !adversary->half) {
        event_violation("the takeover failed although nobody was killed: exit status %d", WEXITSTATUS(status));
    }
    if (new_ended) {
        event_note("the takeover failed");
        adversary->takeovers_failed++;
    } else if (old_ended) {
        event_note("the takeover is done");
        adversary->takeovers_done++;
        adversary->half = adversary->killed;
        node->gateway = node->successor;
        node->successor = 0;
    } else if (event_now() >= adversary->due) {
        event_violation("the takeover does not end");
        node_kill(&node->successor);
        new_ended = true;
    } else {
        return;
    }
    if (node->gateway == 0) {
        start_gateway(adversary);
    } else {
        adversary->gateway = GATEWAY_STARTING;
        adversary->due = in_milliseconds(START_MS);
    }
}

static void step_starting(struct adversary *adversary)
{
    int status;
    if (has_ended(&adversary->node->gateway, &status)) {
        if (!adversary->half || is_crash(status)) {
            tell_end("the starting gateway", status);
        }
        start_gateway(adversary);
    } else if (node_gateway_listens(adversary->node)) {
        adversary->gateway = GATEWAY_WELL;
    } else if (event_now() >= adversary->due) {
        event_violation("the gateway does not listen");
        adversary->due = in_milliseconds(START_MS);
    }
}

static void step_stopping(struct adversary *adversary)
{
    int status = 0;
    if (has_ended(&adversary->node->gateway, &status)) {
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            tell_end("the stopping gateway", status);
        }
        start_gateway(adversary);
    } else if (event_now() >= adversary->due) {
        event_violation("the gateway does not stop");
        node_kill(&adversary->node->gateway);
        start_gateway(adversary);
    }
}

static void step_gateway(struct adversary *adversary)
{
    int status;
    switch (adversary->gateway) {
    case GATEWAY_WELL:
        if (has_ended(&adversary->node->gateway, &status)) {
            if (!adversary->half || is_crash(status)) {
                tell_end("the gateway", status);
            }
            start_gateway(adversary);
        }
        break;
    case GATEWAY_STARTING:
        step_starting(adversary);
        break;
    case GATEWAY_DOWN:
        if (event_now() >= adversary->due) {
            start_gateway(adversary);
        }
        break;
    case GATEWAY_STOPPING:
        step_stopping(adversary);
        break;
    case GATEWAY_LEAVING:
        step_takeover(adversary);
        break;
    }
}

/* ---- both ---- */

static enum fault next_gateway_fault(struct adversary *adversary)
{
    if (adversary->gentle) {
        return FAULT_TAKEOVER;
    }
    if (adversary->stalled) {
        adversary->stalled = false;
        return chance_below(&adversary->chance, 2) ? FAULT_GATEWAY_STOP : FAULT_TAKEOVER;
    }
    return RUNTIME_FAULTS + chance_below(&adversary->chance, FAULTS - RUNTIME_FAULTS);
}

/* A gateway fault may come while runtimes are stricken, and the other way round. */
void adversary_step(struct adversary *adversary, bool rest)
{
    for (unsigned i = 0; i < PEER_COUNT; i++) {
        step_runtime(adversary, i);
    }
    step_gateway(adversary);
    int64_t now = event_now();
    if (!rest && now >= adversary->next && adversary->done < adversary->wanted) {
        strike_any(adversary);
        adversary->next = in_milliseconds(50 + chance_below(&adversary->chance, 500));
    }
    if (!rest && now >= adversary->next_gateway && adversary->gateway == GATEWAY_WELL &&
        adversary->gateway_done < adversary->gateway_wanted) {
        strike_gateway(adversary, next_gateway_fault(adversary));
        adversary->next_gateway = in_milliseconds(adversary->stalled ? STALLED_MS : 500 + chance_below(&adversary->chance, 5000));
    }
}

bool adversary_is_done(const struct adversary *adversary)
{
    return adversary->done >= adversary->wanted && adversary->gateway_done >= adversary->gateway_wanted;
}

void adversary_go_on(struct adversary *adversary)
{
    adversary->wanted += MORE_FAULTS;
}

bool adversary_is_quiet(const struct adversary *adversary)
{
    for (unsigned i = 0; i < PEER_COUNT; i++) {
        if (adversary->victims[i].condition != WELL) {
            return false;
        }
    }
    return adversary->gateway == GATEWAY_WELL;
}

bool adversary_gateway_is_settled(const struct adversary *adversary)
{
    bool half = adversary->half && event_now() < adversary->half_until;
    return adversary->gateway == GATEWAY_WELL && adversary->node->successor == 0 && !half;
}

unsigned adversary_failed_takeovers(const struct adversary *adversary)
{
    return adversary->takeovers_failed;
}

void adversary_print_progress(const struct adversary *adversary, FILE *out)
{
    fprintf(out, "%u of %u faults of runtimes, %u of %u of the gateway", adversary->done, adversary->wanted,
            adversary->gateway_done, adversary->gateway_wanted);
}

void adversary_print(const struct adversary *adversary, FILE *out)
{
    fprintf(out, "faults:");
    for (unsigned i = 0; i < FAULTS; i++) {
        fprintf(out, "%s %s %u", i > 0 ? "," : "", fault_names[i], adversary->counts[i]);
    }
    fprintf(out, "; %u takeovers done, %u failed\n", adversary->takeovers_done, adversary->takeovers_failed);
}
