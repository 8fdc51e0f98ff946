#include "core/daemon/exposition.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/json/build.h"
#include "base/log/log.h"
#include "base/system/descriptor.h"
#include "core/control/protocol.h"
#include "core/gateway/metrics.h"
#include "core/loop/worker_request.h"
#include "core/map/print.h"
#include "core/metrics/process.h"
#include "core/metrics/text.h"

/* For the worker's part of an answer: a scrape has 10 s by default, and a probe of the kubelet 1 s. */
#define PATIENCE_MS 800

#define HASH_BITS 48 /* as many as fit into the value of a metric */

/* ---- a look ---- */

/* So many may wait for the worker; while it is stuck, more would only take memory. */
#define MOST_WAITING 4

struct look_request {
    struct worker_request request;
    struct exposition *exposition;
    struct metric_samples *samples; /* moved to who asked, if that is still waiting */
    bool ready;
};

static void run_look(struct worker_request *request)
{
    struct look_request *own = (struct look_request *)(void *)request;
    gateway_add_metrics(own->exposition->gateway, own->samples);
    own->ready = gateway_is_ready(own->exposition->gateway);
}

static void free_look(struct worker_request *request)
{
    struct look_request *own = (struct look_request *)(void *)request;
    metric_samples_free(own->samples);
    atomic_fetch_sub(&own->exposition->waiting, 1);
    free(own);
}

/* Without an answer of the worker, its part is missing. */
static void ask_worker(struct exposition *exposition, struct metrics_look *look)
{
    struct error error;
    bool may_wait = atomic_fetch_add(&exposition->waiting, 1) < MOST_WAITING;
    struct look_request *own = may_wait ? calloc(1, sizeof *own) : NULL;
    if (!own) {
        atomic_fetch_sub(&exposition->waiting, 1);
        return;
    }
    worker_request_init(&own->request, run_look, free_look);
    own->exposition = exposition;
    own->samples = metric_samples_new();
    if (own->samples && worker_request_send(&own->request, &exposition->gateway->worker, PATIENCE_MS, &error)) {
        look->samples = own->samples;
        look->alive = true;
        look->ready = own->ready;
        own->samples = NULL;
    }
    worker_request_drop(&own->request);
}

static void look_at(struct exposition *exposition, struct metrics_look *look)
{
    *look = (struct metrics_look){0};
    ask_worker(exposition, look);
    look->samples = look->samples ? look->samples : metric_samples_new();
    if (look->samples) {
        metric_add(look->samples, METRIC_BUILD_INFO, 1, (const char *[]){CRIGATE_VERSION});
        metric_add(look->samples, METRIC_WORKER_UP, look->alive, NULL);
        metric_add(look->samples, METRIC_CONFIG_LAST_RELOAD, atomic_load(&exposition->reloaded), NULL);
        metric_add(look->samples, METRIC_CONFIG_HASH, (double)atomic_load(&exposition->map_hash), NULL);
    }
}

static void look_at_all(void *state, struct metrics_look *look)
{
    look_at(state, look);
    if (look->samples) {
        metric_add_process(look->samples);
    }
}

/* ---- reports ---- */

static bool describe_text(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    struct metrics_look look;
    struct buffer text = {0};
    look_at(state, &look);
    bool good = look.samples && metric_text_write(look.samples, METRIC_FORMAT_TEXT, &text);
    if (good) {
        json_add(answer, CONTROL_METRICS, json_object_new_string_len((const char *)text.data, (int)text.len));
    }
    metric_samples_free(look.samples);
    buffer_clear(&text);
    return good || error_out_of_memory(error);
}

static bool describe_server(void *state, const char *argument, struct json_object *answer, struct error *error)
{
    (void)argument;
    (void)error;
    const struct exposition *exposition = state;
    struct json_object *server = exposition->server ? metrics_server_describe(exposition->server) : NULL;
    if (server) {
        json_add(answer, CONTROL_METRICS, server);
    }
    return true;
}

const struct control_report exposition_reports[] = {
    {CONTROL_METRICS, describe_text},
    {CONTROL_STATUS, describe_server},
    {0},
};

/* ---- the map ---- */

static uint64_t hash_of(const struct runtime_map *map)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out) {
        runtime_map_print(map, out);
        fclose(out);
    }
    uint64_t hash = text ? XXH3_64bits(text, size) : 0;
    free(text);
    return hash >> (64 - HASH_BITS);
}

static struct metrics_address address_of(const struct runtime_map *map)
{
    struct metrics_address address = {.mode = map->metrics.mode, .group = map->metrics.gid};
    if (map->metrics.listen) {
        address.address = *map->metrics.address;
        address.length = (socklen_t)map->metrics.length;
    }
    return address;
}

/* The thread begins with the first address. */
static void listen_there(struct exposition *exposition, int socket)
{
    struct error error;
    bool wanted = exposition->address.length > 0;
    if (wanted && !exposition->quiet && !exposition->server &&
        !(exposition->server = metrics_server_start(look_at_all, exposition, &error))) {
        log_line(LOG_SERIOUS, "metrics: %s", error.message);
    }
    if (exposition->server && !exposition->quiet) {
        metrics_server_listen(exposition->server, &exposition->address, socket);
    } else {
        descriptor_close(&socket);
    }
}

void exposition_begin(struct exposition *exposition, struct gateway *gateway, const struct runtime_map *map, bool quiet)
{
    exposition->gateway = gateway;
    exposition->quiet = quiet;
    exposition_apply_map(exposition, map);
}

void exposition_apply_map(struct exposition *exposition, const struct runtime_map *map)
{
    atomic_store(&exposition->map_hash, hash_of(map));
    atomic_store(&exposition->reloaded, true);
    exposition->address = address_of(map);
    listen_there(exposition, -1);
}

void exposition_map_refused(struct exposition *exposition)
{
    atomic_store(&exposition->reloaded, false);
}

/* ---- one process after another ---- */

int exposition_lend(const struct exposition *exposition)
{
    return exposition->server ? metrics_server_lend(exposition->server) : -1;
}

void exposition_hand_over(struct exposition *exposition)
{
    exposition->quiet = true;
    if (exposition->server) {
        metrics_server_hand_over(exposition->server);
    }
}

void exposition_take_over(struct exposition *exposition, int socket)
{
    exposition->quiet = false;
    listen_there(exposition, socket);
}

void exposition_end(struct exposition *exposition)
{
    metrics_server_stop(exposition->server);
    exposition->server = NULL;
}
