#include "docker/proxy/serve.h"

#include <errno.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/service/manager.h"
#include "docker/proxy/entrance.h"
#include "docker/proxy/life.h"

/* Descriptors that are not connections: the log, the loop, the socket, plugins. */
#define RESERVED 64

#define HOOKS_GRACE 5000 /* milliseconds that hooks after requests have at the end */

struct server {
    struct proxy proxy;
    struct entrance *entrance;
    int signals;
    struct event signalled;
    struct event grace;
};

/* ---- the end ---- */

static void on_freed(void *state)
{
    struct server *server = state;
    if (server->entrance) {
        entrance_has_room(server->entrance);
    }
    if (server->proxy.draining && server->proxy.connection_count == 0) {
        event_base_loopbreak(server->proxy.base);
    }
}

static void on_grace_over(evutil_socket_t fd, short happened, void *state)
{
    struct server *server = state;
    (void)fd;
    (void)happened;
    log_line(LOG_SERIOUS, "%zu connections still have requests in progress; closing them", server->proxy.connection_count);
    event_base_loopbreak(server->proxy.base);
}

static void drain(struct server *server)
{
    unsigned grace = server->proxy.settings->shutdown_grace;
    struct timeval time = {.tv_sec = grace / 1000, .tv_usec = (suseconds_t)(grace % 1000) * 1000};
    service_manager_stopping();
    entrance_stop(server->entrance);
    server->proxy.draining = true;
    struct relay *next = NULL;
    for (struct relay *one = server->proxy.relays; one; one = next) {
        next = one->next;
        life_drain(one);
    }
    if (server->proxy.connection_count == 0) {
        event_base_loopbreak(server->proxy.base);
    }
    event_add(&server->grace, &time);
}

static void on_signal(evutil_socket_t fd, short happened, void *state)
{
    struct server *server = state;
    struct signalfd_siginfo info;
    (void)happened;
    if (read((int)fd, &info, sizeof info) != sizeof info) {
        return;
    }
    log_notice("signal: %s", strsignal((int)info.ssi_signo));
    if (server->proxy.draining) {
        event_base_loopbreak(server->proxy.base);
    } else {
        drain(server);
    }
}

/* ---- the begin ---- */

/* How many callers there can be, with two descriptors each. */
static size_t connections_possible(size_t wanted)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return wanted;
    }
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    size_t files = (size_t)limit.rlim_cur;
    size_t most = files > (size_t)2 * RESERVED ? (files - RESERVED) / 2 : files / 4;
    if (most < wanted) {
        log_line(LOG_SERIOUS, "the process may open %zu files, enough for %zu callers; raise LimitNOFILE= of the service", files,
                 most);
    }
    return most < wanted ? most : wanted;
}

static bool watch_signals(struct server *server, struct error *error)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    server->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (server->signals < 0) {
        return error_set(error, STATUS_UNAVAILABLE, "cannot watch signals: %s", strerror(errno));
    }
    event_assign(&server->signalled, server->proxy.base, server->signals, EV_READ | EV_PERSIST, on_signal, server);
    evtimer_assign(&server->grace, server->proxy.base, on_grace_over, server);
    event_add(&server->signalled, NULL);
    return true;
}

/* One thread uses it, it must report what closes early, and it must not look at the environment. */
static struct event_base *make_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;
    if (config) {
        event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
        event_config_require_features(config, EV_FEATURE_ET | EV_FEATURE_EARLY_CLOSE);
        base = event_base_new_with_config(config);
        event_config_free(config);
    }
    return base;
}

static bool open_hooks(struct server *server, struct error *error)
{
    const struct docker_proxy_settings *settings = server->proxy.settings;
    const struct hook_thread_settings hooks = {
        .docker = settings->docker,
        .folder = settings->hooks,
        .timeout = settings->hooks_timeout,
        .skip_label = settings->skip_label,
        .skip_value = settings->skip_value,
    };
    server->proxy.hooks = settings->hooks ? hook_thread_open(&hooks, server->proxy.base, error) : NULL;
    return !settings->hooks || server->proxy.hooks;
}

static bool open_server(struct server *server, struct error *error)
{
    const struct docker_proxy_settings *settings = server->proxy.settings;
    server->proxy.base = make_base();
    if (!server->proxy.base) {
        return error_set(error, STATUS_UNAVAILABLE, "this kernel's epoll cannot be used");
    }
    if (!watch_signals(server, error)) {
        return false;
    }
    if (!open_hooks(server, error)) {
        return false;
    }
    server->entrance = entrance_open(&server->proxy, connections_possible((size_t)settings->connections), error);
    return server->entrance != NULL;
}

static void close_server(struct server *server)
{
    struct entrance *entrance = server->entrance;
    server->entrance = NULL;
    entrance_close(entrance);
    while (server->proxy.relays) {
        life_end(server->proxy.relays);
    }
    hook_thread_close(server->proxy.hooks, HOOKS_GRACE);
    if (server->signals >= 0) {
        event_del(&server->signalled);
        event_del(&server->grace);
        descriptor_close(&server->signals);
    }
    if (server->proxy.base) {
        event_base_free(server->proxy.base);
    }
}

int docker_proxy_serve(const struct docker_proxy_settings *settings)
{
    struct error error = {0};
    struct server server = {.proxy = {.settings = settings, .freed = on_freed, .state = &server}, .signals = -1};
    TAILQ_INIT(&server.proxy.idle);
    bool good = open_server(&server, &error);
    if (good) {
        log_notice("crigate docker-proxy " CRIGATE_VERSION " serves unix://%s in front of unix://%s", settings->listen,
                   settings->docker);
        service_manager_status("serves unix://%s in front of unix://%s", settings->listen, settings->docker);
        service_manager_ready();
        event_base_dispatch(server.proxy.base);
    } else {
        log_line(LOG_SERIOUS, "crigate docker-proxy: %s", error.message);
    }
    close_server(&server);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
