#include "core/daemon/serve.h"

#include <grpc/grpc.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log/audit.h"
#include "base/log/log.h"
#include "core/daemon/reload.h"
#include "core/daemon/sockets.h"
#include "core/gateway/start.h"
#include "core/gateway/status.h"
#include "core/gateway/stop.h"
#include "core/service/process_limits.h"
#include "core/transport/c_core.h"

/* ---- what the gateway reports, on its worker ---- */

static void on_gateway_ready(void *state)
{
    eventfd_write(((struct daemon *)state)->gateway_ready.fd, 1);
}

static void on_gateway_drained(void *state)
{
    eventfd_write(((struct daemon *)state)->gateway_drained.fd, 1);
}

static void on_gateway_changed(void *state)
{
    reload_show_state(&((struct daemon *)state)->gateway);
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

/* Writes what waits, for a second at most. */
static void close_audit(void)
{
    struct error error;
    audit_use(NULL, &error);
}

/* C core still has connections that do not end, or a server that has just begun, and pointers to what would be freed. */
static _Noreturn void exit_at_once(struct daemon *daemon, bool good)
{
    sockets_close(daemon);
    exposition_end(&daemon->exposition);
    close_audit();
    log_notice("stopped");
    _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Runs once the daemon has its sockets. Owns the map from now on. */
static bool run(struct daemon *daemon, struct runtime_map *map, bool take_over, struct error *error)
{
    struct gateway *gateway = &daemon->gateway;
    log_notice("crigate " CRIGATE_VERSION " %s %s for %zu runtime%s, primary %s", take_over ? "takes over" : "serves",
               map->listen.address, map->runtime_count, map->runtime_count == 1 ? "" : "s", map->runtimes[map->primary].name);
    const struct gateway_callbacks callbacks = {
        .state = daemon, .started = on_gateway_ready, .drained = on_gateway_drained, .changed = on_gateway_changed};
    atomic_store(&daemon->is_main, !take_over);
    reload_use_audit(map);
    if (!gateway_init(gateway, map, take_over, &callbacks)) {
        log_line(LOG_SERIOUS, "cannot %s: out of memory", take_over ? "take over" : "start");
        exit_at_once(daemon, false);
    }
    plugin_supply_begin(&daemon->plugins, gateway, map);
    watchdog_init(&daemon->watchdog, &gateway->worker);
    watchdog_begin(&daemon->watchdog, daemon->watchdog_interval);
    exposition_begin(&daemon->exposition, gateway, map, take_over);
    const struct control_reporter reporters[] = {
        {gateway_reports, gateway, &gateway->worker},
        {exposition_reports, &daemon->exposition, NULL},
        {plugin_supply_reports, &daemon->plugins, NULL},
        {sockets_reports, daemon, NULL},
        {0},
    };
    memcpy(daemon->reporters, reporters, sizeof reporters);
    bool started = sockets_start(daemon, error);
    if (!started) {
        gateway_stop(gateway, true);
    }
    if (!gateway_run(gateway)) {
        exit_at_once(daemon, started && !daemon->failed);
    }
    return started;
}

int serve(struct runtime_map *map, const struct runtime_map_source *source, bool take_over)
{
    struct error error = {0};
    struct daemon *daemon = calloc(1, sizeof *daemon);
    bool good = false;
    tune_heap();
    descriptors_raise();
    transport_init();
    if (!daemon) {
        error_set(&error, STATUS_RESOURCE_EXHAUSTED, "out of memory");
        runtime_map_free(map);
    } else {
        daemon->source = *source;
        if (sockets_open(daemon, map, take_over, &error)) {
            good = run(daemon, map, take_over, &error) && !daemon->failed;
        } else {
            runtime_map_free(map);
        }
        sockets_close(daemon);
        exposition_end(&daemon->exposition); /* now that no request for its socket can come any more */
        plugin_supply_end(&daemon->plugins);
        free(daemon);
    }
    close_audit();
    grpc_shutdown();
    if (error.code != STATUS_OK) {
        log_line(LOG_SERIOUS, "cannot %s: %s", take_over ? "take over" : "start", error.message);
    } else {
        log_notice("stopped");
    }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
