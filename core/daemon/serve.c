#include "core/daemon/serve.h"

#include <grpc/grpc.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log/audit.h"
#include "base/log/log.h"
#include "core/daemon/daemon.h"
#include "core/daemon/exposition.h"
#include "core/daemon/to_gateway.h"
#include "core/gateway/drain.h"
#include "core/gateway/reload.h"
#include "core/gateway/start.h"
#include "core/gateway/status.h"
#include "core/gateway/stop.h"
#include "core/gateway/takeover.h"
#include "core/loop/worker_request.h"
#include "core/map/load.h"
#include "core/service/manager.h"
#include "core/service/process_limits.h"
#include "core/transport/c_core.h"

/* A worker that takes longer for a request is stuck. */
#define WORKER_PATIENCE_MS 5000
/* For what has to be done, but not waited for. */
#define AT_ONCE_MS 1
/* While the process before waits for this one to serve. */
#define TAKE_MS 1000

/* That the service manager's line for people is waited for: a worker that is stuck writes it later. */
#define SHOW_MS 200

#define REFUSED_MAP "; the newest runtime map was refused"

struct program {
    struct gateway gateway;
    struct daemon *daemon;
    struct watchdog watchdog;
    struct drain drain;
    struct runtime_map_source source;
    struct exposition exposition;
    bool failed;             /* could not take over */
    atomic_bool is_main;     /* the service manager's: its line for people is this process's */
    atomic_bool map_refused; /* the newest runtime map is not in force */

    struct plugin_supply plugins; /* on the poll thread, once that runs */

    struct control_reporter reporters[5];
};

static void on_stop(void *state, int signal)
{
    struct program *program = state;
    log_notice("signal: %s", strsignal(signal));
    gateway_stop(&program->gateway, true);
}

/* ---- on the worker ---- */

/* The service manager's line for people. One that its full queue does not take is overtaken by the next change. */
static void show_state(struct gateway *gateway)
{
    const struct program *program = gateway->callbacks.state;
    char text[512];
    if (atomic_load(&program->is_main)) {
        gateway_summary(gateway, text, sizeof text - sizeof REFUSED_MAP);
        strcat(text, atomic_load(&program->map_refused) ? REFUSED_MAP : "");
        service_manager_try_status(text);
    }
}

static void on_changed(void *state)
{
    show_state(&((struct program *)state)->gateway);
}

/* What the gateway does on its worker: puts a new map in force, or `act`. */
struct gateway_request {
    struct worker_request request;
    struct gateway *gateway;
    struct runtime_map *map; /* until the gateway has it */
    void (*act)(struct gateway *gateway);
    struct error error;
    bool good;
};

static void run_request(struct worker_request *request)
{
    struct gateway_request *own = (struct gateway_request *)(void *)request;
    if (own->act) {
        own->act(own->gateway);
        own->good = true;
    } else {
        own->good = gateway_reload(own->gateway, own->map, &own->error);
        own->map = NULL;
    }
}

static void free_request(struct worker_request *request)
{
    struct gateway_request *own = (struct gateway_request *)(void *)request;
    runtime_map_free(own->map);
    free(own);
}

/* Owns the map from now on. */
static bool run_on_worker_within(struct program *program, struct runtime_map *map, void (*act)(struct gateway *gateway),
                                 unsigned milliseconds, struct error *error)
{
    struct gateway_request *own = calloc(1, sizeof *own);
    if (!own) {
        runtime_map_free(map);
        return error_set(error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    }
    worker_request_init(&own->request, run_request, free_request);
    own->gateway = &program->gateway;
    own->map = map;
    own->act = act;
    bool good = worker_request_send(&own->request, &program->gateway.worker, milliseconds, error);
    if (good) {
        good = own->good;
        *error = own->error;
    }
    worker_request_drop(&own->request);
    return good;
}

static bool run_on_worker(struct program *program, struct runtime_map *map, void (*act)(struct gateway *gateway),
                          struct error *error)
{
    return run_on_worker_within(program, map, act, WORKER_PATIENCE_MS, error);
}

static void on_plugins_changed(void *state)
{
    plugin_supply_look(&((struct program *)state)->plugins);
}

/* ---- reload ---- */

/* A gateway without its audit file is better than none. */
static void use_audit(const struct runtime_map *map)
{
    struct error error;
    if (!audit_use(map->audit.path, &error)) {
        log_line(LOG_SERIOUS, "%s; its lines are lost until SIGUSR1, when it is tried again", error.message);
    }
}

static enum reload reload(struct program *program, FILE *report)
{
    struct runtime_map_problems problems = {0};
    struct error error = {0};
    struct runtime_map *map = runtime_map_load_from(&program->source, &problems);
    runtime_map_problems_print(&problems, program->source.path, report);
    runtime_map_problems_clear(&problems);
    if (!map) {
        exposition_map_refused(&program->exposition);
        return RELOAD_REFUSED;
    }
    enum reload outcome = RELOAD_DONE;
    if (!daemon_can_apply_map(program->daemon, map, &error)) {
        runtime_map_free(map);
        outcome = RELOAD_REFUSED;
    } else if (!run_on_worker(program, map, NULL, &error)) {
        outcome = RELOAD_PUT_OFF;
    } else {
        /* The map is in force, and lives until the next reload, which runs on this thread too. */
        plugin_supply_apply_map(&program->plugins, map);
        exposition_apply_map(&program->exposition, map);
        use_audit(map);
        outcome = daemon_apply_map(program->daemon, map, &error) ? RELOAD_DONE : RELOAD_REFUSED;
    }
    if (outcome != RELOAD_DONE) {
        exposition_map_refused(&program->exposition);
        fprintf(report, "%s\n", error.message);
    }
    return outcome;
}

static enum reload on_reload(void *state, FILE *report)
{
    struct program *program = state;
    struct error error = {0};
    enum reload outcome = reload(program, report);
    atomic_store(&program->map_refused, outcome != RELOAD_DONE);
    run_on_worker_within(program, NULL, show_state, SHOW_MS, &error);
    return outcome;
}

static bool map_has_changed(void *state)
{
    return runtime_map_has_changed(&((const struct program *)state)->source);
}

/* ---- one process after another ---- */

static bool before_takeover(void *state, int *memory, struct error *error)
{
    struct program *program = state;
    struct error ignored = {0};
    bool good = run_on_worker(program, NULL, gateway_lend, error);
    *memory = good ? program->gateway.handover : -1;
    if (!good) { /* it may come late */
        run_on_worker_within(program, NULL, gateway_take_back, AT_ONCE_MS, &ignored);
    }
    return good;
}

static void on_takeover_failed(void *state)
{
    struct error error = {0};
    if (!run_on_worker(state, NULL, gateway_take_back, &error)) {
        log_line(LOG_SERIOUS, "what was lent to the other process is not taken back yet: %s", error.message);
    }
}

static void on_handed_over(void *state)
{
    struct program *program = state;
    atomic_store(&program->is_main, false);
    watchdog_stop(&program->watchdog);
    exposition_hand_over(&program->exposition);
    drain_begin(&program->drain, &program->gateway);
}

static void on_successor_lost(void *state, bool early)
{
    struct error error = {0};
    if (early) {
        log_line(LOG_SERIOUS, "the process that took over has ended; this one still ends its calls");
    }
    bool done = run_on_worker(state, NULL, gateway_successor_lost, &error);
    if (!done && error.code != STATUS_UNAVAILABLE) { /* a worker that has ended has written it by then */
        log_line(LOG_SERIOUS, "what plugins must know of pods that are being made is not saved: %s", error.message);
    }
}

static void on_successor_has_all(void *state)
{
    struct error ignored = {0}; /* else this process writes again what that one has */
    run_on_worker(state, NULL, gateway_successor_has_all, &ignored);
}

static void on_about_to_serve(void *state, int memory)
{
    struct program *program = state;
    struct error failure = {0};
    program->gateway.handover = memory;
    if (!run_on_worker_within(program, NULL, gateway_take_memory, TAKE_MS, &failure)) {
        log_line(LOG_SERIOUS, "what plugins must know of pods is not taken from the previous process yet: %s", failure.message);
    }
}

static void on_took_over(void *state, uint64_t watchdog, int metrics, const struct error *error)
{
    struct program *program = state;
    if (error) {
        log_line(LOG_SERIOUS, "cannot take over: %s", error->message);
        program->failed = true;
        gateway_stop(&program->gateway, true);
        return;
    }
    struct error failure = {0};
    exposition_take_over(&program->exposition, metrics);
    watchdog_begin(&program->watchdog, watchdog);
    log_notice("taken over: this process serves the socket now");
    atomic_store(&program->is_main, true);
    run_on_worker_within(program, NULL, show_state, SHOW_MS, &failure);
    if (!run_on_worker(program, NULL, gateway_take_part, &failure)) {
        log_line(LOG_SERIOUS, "what the previous process knew is not used: %s", failure.message);
    }
}

static bool on_predecessor_drained(void *state)
{
    struct error failure = {0};
    bool done = run_on_worker(state, NULL, gateway_predecessor_drained, &failure);
    if (!done) {
        log_line(LOG_SERIOUS, "the end of the previous process cannot be processed: %s", failure.message);
    }
    return done;
}

/* ---- calls back ---- */

static int lend_metrics(void *state)
{
    return exposition_lend(&((struct program *)state)->exposition);
}

static void on_gateway_ready(void *state)
{
    daemon_gateway_ready(((struct program *)state)->daemon);
}

static void on_gateway_drained(void *state)
{
    daemon_gateway_drained(((struct program *)state)->daemon);
}

/* ---- start and end ---- */

void serve_block_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* Page faults cost more than free memory that is kept for the next big message; when the process is idle, it is given back. One
   heap for all threads: C core allocates and frees on different threads, and several heaps would each keep free memory. */
static void tune_heap(void)
{
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_MMAP_THRESHOLD, 32 * 1024 * 1024);
    mallopt(M_TRIM_THRESHOLD, 32 * 1024 * 1024);
}

static bool open_daemon(struct program *program, const struct runtime_map *map, bool take_over, struct error *error)
{
    const struct daemon_callbacks callbacks = {
        .stop = on_stop,
        .reload = on_reload,
        .map_has_changed = map_has_changed,
        .plugins_changed = on_plugins_changed,
        .before_takeover = before_takeover,
        .takeover_failed = on_takeover_failed,
        .handed_over = on_handed_over,
        .successor_lost = on_successor_lost,
        .successor_has_all = on_successor_has_all,
        .about_to_serve = on_about_to_serve,
        .took_over = on_took_over,
        .predecessor_drained = on_predecessor_drained,
        .lend_metrics = lend_metrics,
        .state = program,
    };
    program->daemon = daemon_open(map, take_over, &callbacks, error);
    return program->daemon != NULL;
}

/* Writes what waits, for a second at most. */
static void close_audit(void)
{
    struct error error;
    audit_use(NULL, &error);
}

/* C core still has connections that do not end, or a server that has just begun, and pointers to what would be freed. */
static _Noreturn void exit_at_once(struct program *program, bool good)
{
    daemon_close(program->daemon);
    exposition_end(&program->exposition);
    close_audit();
    log_notice("stopped");
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Runs once the daemon has its sockets. Owns the map from now on. */
static bool run(struct program *program, struct runtime_map *map, bool take_over, struct error *error)
{
    struct gateway *gateway = &program->gateway;
    log_notice("crigate " CRIGATE_VERSION " %s %s for %zu runtime%s, primary %s", take_over ? "takes over" : "serves",
               map->listen.address, map->runtime_count, map->runtime_count == 1 ? "" : "s", map->runtimes[map->primary].name);
    const struct gateway_callbacks callbacks = {
        .state = program, .started = on_gateway_ready, .drained = on_gateway_drained, .changed = on_changed};
    atomic_store(&program->is_main, !take_over);
    use_audit(map);
    if (!gateway_init(gateway, map, take_over, &callbacks)) {
        log_line(LOG_SERIOUS, "cannot %s: out of memory", take_over ? "take over" : "start");
        exit_at_once(program, false);
    }
    plugin_supply_begin(&program->plugins, gateway, map);
    watchdog_init(&program->watchdog, &gateway->worker);
    watchdog_begin(&program->watchdog, take_over ? 0 : service_manager_watchdog());
    exposition_begin(&program->exposition, gateway, map, take_over);
    const struct control_reporter reporters[] = {
        {gateway_reports, gateway, &gateway->worker},
        {exposition_reports, &program->exposition, NULL},
        {plugin_supply_reports, &program->plugins, NULL},
        {daemon_reports, program->daemon, NULL},
        {0},
    };
    memcpy(program->reporters, reporters, sizeof reporters);
    bool started = daemon_start(program->daemon, &gateway->server.callers, program->reporters, error);
    if (!started) {
        gateway_stop(gateway, true);
    }
    if (!gateway_run(gateway)) {
        exit_at_once(program, started && !program->failed);
    }
    return started;
}

int serve(struct runtime_map *map, const struct runtime_map_source *source, bool take_over)
{
    struct error error = {0};
    struct program *program = calloc(1, sizeof *program);
    tune_heap();
    descriptors_raise();
    transport_init();
    bool good = program || error_set(&error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
    if (good) {
        program->source = *source;
        good = open_daemon(program, map, take_over, &error);
    }
    if (good) {
        good = run(program, map, take_over, &error) && !program->failed;
    } else {
        runtime_map_free(map);
    }
    daemon_close(program ? program->daemon : NULL);
    if (program) {
        exposition_end(&program->exposition); /* now that no request for its socket can come any more */
        plugin_supply_end(&program->plugins);
    }
    free(program);
    close_audit();
    grpc_shutdown();
    if (error.code != STATUS_OK) {
        log_line(LOG_SERIOUS, "cannot %s: %s", take_over ? "take over" : "start", error.message);
    } else {
        log_notice("stopped");
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
