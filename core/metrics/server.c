#include "core/metrics/server.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/clock.h"
#include "base/system/descriptor.h"
#include "core/metrics/text.h"
#include "core/metrics/visit.h"

#define MOST_VISITS 16
#define RETRY_SECONDS 2
/* Many scrapers, or a hostile one, share a look: the worker is asked at most this often. */
#define LOOK_LASTS (50 * NANOSECONDS_A_MILLISECOND)

struct metrics_server {
    metrics_look_at *look_at;
    void *state;
    pthread_t thread;
    int wake; /* an eventfd */

    pthread_mutex_t lock;
    struct metrics_address wanted; /* from here under the lock */
    int adopted;
    bool changed;
    bool handed_over; /* the socket is another process's */
    bool ended;
    struct metrics_endpoint endpoint; /* changed by the thread only */
    struct error last_error;

    struct visit_host host; /* from here the thread's own */
    struct event woken;
    struct event connects;
    struct event again;
    struct metrics_look look;
    int64_t looked; /* clock_ns(); 0: never */
};

/* ---- requests ---- */

static const struct metrics_look *look(struct metrics_server *server)
{
    if (server->looked == 0 || clock_ns() - server->looked >= LOOK_LASTS) {
        metric_samples_free(server->look.samples);
        server->look = (struct metrics_look){0};
        server->look_at(server->state, &server->look);
        server->looked = clock_ns();
    }
    return &server->look;
}

static unsigned answer_metrics(const struct metrics_look *seen, struct bytes accept, struct buffer *body, const char **type)
{
    enum metric_format format = metric_format_accepted(accept);
    if (!seen->samples || !metric_text_write(seen->samples, format, body)) {
        body->len = 0;
        return 503; /* half of the series would look like all */
    }
    *type = metric_format_type(format);
    return 200;
}

static unsigned answer_with(bool good, const char *otherwise, struct buffer *body)
{
    buffer_append(body, bytes_of_string(good ? "ok\n" : otherwise), 256);
    return good ? 200 : 503;
}

static unsigned on_request(void *state, struct bytes path, struct bytes accept, struct buffer *body, const char **type)
{
    struct metrics_server *server = state;
    if (bytes_equal(path, bytes_of_string("/metrics"))) {
        return answer_metrics(look(server), accept, body, type);
    }
    if (bytes_equal(path, bytes_of_string("/healthz"))) {
        return answer_with(look(server)->alive, "the thread that serves calls does not answer\n", body);
    }
    if (bytes_equal(path, bytes_of_string("/readyz"))) {
        return answer_with(look(server)->ready, "the primary is not ready\n", body);
    }
    buffer_append(body, bytes_of_string("the paths are /metrics, /healthz and /readyz\n"), 256);
    return 404;
}

/* One more than fits ends another, so that nobody can keep others out. */
static void on_connection(evutil_socket_t fd, short happened, void *state)
{
    struct metrics_server *server = state;
    (void)happened;
    int connection = accept4((int)fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS) {
            const struct timeval pause = {.tv_sec = 1};
            event_del(&server->connects);
            evtimer_add(&server->again, &pause);
        }
        return;
    }
    if (server->host.count >= MOST_VISITS) {
        visit_end_least(&server->host);
    }
    visit_begin(&server->host, connection);
}

/* ---- the socket ---- */

static void accept_connections(struct metrics_server *server)
{
    event_assign(&server->connects, server->host.base, server->endpoint.fd, EV_READ | EV_PERSIST, on_connection, server);
    event_add(&server->connects, NULL);
}

static void close_endpoint(struct metrics_server *server)
{
    if (server->endpoint.fd >= 0) {
        event_del(&server->connects);
        metrics_endpoint_close(&server->endpoint, server->handed_over);
    }
}

/* Logs a reason once. */
static void note_failure(struct metrics_server *server, const struct error *error)
{
    if (strcmp(error->message, server->last_error.message) != 0) {
        server->last_error = *error;
        log_line(LOG_SERIOUS, "metrics: %s; trying again every %d s", error->message, RETRY_SECONDS);
    }
}

static void set_mode(struct metrics_server *server)
{
    struct error error;
    if (!metrics_endpoint_set_mode(&server->endpoint, &server->wanted, &error)) {
        note_failure(server, &error);
    }
}

/* One that was handed over may have the mode of another map. */
static bool open_endpoint(struct metrics_server *server, struct error *error)
{
    int adopted = server->adopted;
    server->adopted = -1;
    if (adopted >= 0 && metrics_endpoint_adopt(&server->endpoint, &server->wanted, adopted)) {
        set_mode(server);
        return true;
    }
    return metrics_endpoint_open(&server->endpoint, &server->wanted, error);
}

/* Makes the socket what it should be. Under the lock. */
static void settle(struct metrics_server *server)
{
    struct error error = {0};
    const struct timeval retry = {.tv_sec = RETRY_SECONDS};
    bool same = server->endpoint.fd >= 0 && metrics_address_equal(&server->endpoint.at, &server->wanted);
    evtimer_del(&server->again);
    if (server->handed_over || server->wanted.length == 0) {
        close_endpoint(server);
        descriptor_close(&server->adopted);
        return;
    }
    if (same) {
        set_mode(server);
        event_add(&server->connects, NULL);
        return;
    }
    close_endpoint(server);
    if (open_endpoint(server, &error)) {
        server->last_error = (struct error){0};
        log_notice("metrics: served at %s", metrics_address_text(&server->wanted).text);
        accept_connections(server);
    } else {
        note_failure(server, &error);
        evtimer_add(&server->again, &retry);
    }
}

static void on_again(evutil_socket_t fd, short happened, void *state)
{
    struct metrics_server *server = state;
    (void)fd;
    (void)happened;
    pthread_mutex_lock(&server->lock);
    settle(server);
    pthread_mutex_unlock(&server->lock);
}

static void on_woken(evutil_socket_t fd, short happened, void *state)
{
    struct metrics_server *server = state;
    eventfd_t count;
    (void)happened;
    eventfd_read((int)fd, &count);
    pthread_mutex_lock(&server->lock);
    if (server->changed) {
        server->changed = false;
        settle(server);
    }
    if (server->ended) {
        event_base_loopbreak(server->host.base);
    }
    pthread_mutex_unlock(&server->lock);
}

/* ---- the thread ---- */

static void *run(void *state)
{
    struct metrics_server *server = state;
    event_base_dispatch(server->host.base);
    return NULL;
}

/* One thread uses it, and it must not look at the environment. */
static struct event_base *make_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;
    if (config) {
        event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
        base = event_base_new_with_config(config);
        event_config_free(config);
    }
    return base;
}

static void free_server(struct metrics_server *server)
{
    if (server->host.base) {
        event_base_free(server->host.base);
    }
    metric_samples_free(server->look.samples);
    descriptor_close(&server->wake);
    descriptor_close(&server->adopted);
    pthread_mutex_destroy(&server->lock);
    free(server);
}

struct metrics_server *metrics_server_start(metrics_look_at *look_at, void *state, struct error *error)
{
    struct metrics_server *server = calloc(1, sizeof *server);
    if (!server) {
        error_out_of_memory(error);
        return NULL;
    }
    *server = (struct metrics_server){.look_at = look_at,
                                      .state = state,
                                      .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
                                      .adopted = -1,
                                      .endpoint.fd = -1,
                                      .host = {.base = make_base(), .answer = on_request, .state = server}};
    pthread_mutex_init(&server->lock, NULL);
    TAILQ_INIT(&server->host.visits);
    bool good = server->wake >= 0 && server->host.base;
    if (good) {
        event_assign(&server->woken, server->host.base, server->wake, EV_READ | EV_PERSIST, on_woken, server);
        evtimer_assign(&server->again, server->host.base, on_again, server);
        good = event_add(&server->woken, NULL) == 0 && pthread_create(&server->thread, NULL, run, server) == 0;
    }
    if (!good) {
        error_set(error, STATUS_RESOURCE_EXHAUSTED, "cannot start the thread for metrics: %s", strerror(errno));
        free_server(server);
        return NULL;
    }
    return server;
}

void metrics_server_listen(struct metrics_server *server, const struct metrics_address *at, int adopted)
{
    pthread_mutex_lock(&server->lock);
    server->wanted = *at;
    descriptor_close(&server->adopted);
    server->adopted = adopted;
    server->changed = true;
    pthread_mutex_unlock(&server->lock);
    eventfd_write(server->wake, 1);
}

struct json_object *metrics_server_describe(struct metrics_server *server)
{
    struct json_object *json = NULL;
    pthread_mutex_lock(&server->lock);
    if (server->wanted.length > 0) {
        json = json_object_new_object();
        json_add(json, "listen", json_object_new_string(metrics_address_text(&server->wanted).text));
        if (server->last_error.code != STATUS_OK) {
            json_add(json, "problem", json_object_new_string(server->last_error.message));
        }
    }
    pthread_mutex_unlock(&server->lock);
    return json;
}

int metrics_server_lend(struct metrics_server *server)
{
    pthread_mutex_lock(&server->lock);
    int copy = server->endpoint.fd >= 0 ? fcntl(server->endpoint.fd, F_DUPFD_CLOEXEC, 0) : -1;
    pthread_mutex_unlock(&server->lock);
    return copy;
}

void metrics_server_hand_over(struct metrics_server *server)
{
    pthread_mutex_lock(&server->lock);
    server->handed_over = true;
    server->changed = true;
    pthread_mutex_unlock(&server->lock);
    eventfd_write(server->wake, 1);
}

void metrics_server_stop(struct metrics_server *server)
{
    if (!server) {
        return;
    }
    pthread_mutex_lock(&server->lock);
    server->ended = true;
    pthread_mutex_unlock(&server->lock);
    eventfd_write(server->wake, 1);
    pthread_join(server->thread, NULL);
    while (!TAILQ_EMPTY(&server->host.visits)) {
        visit_end(TAILQ_FIRST(&server->host.visits));
    }
    close_endpoint(server);
    free_server(server);
}
