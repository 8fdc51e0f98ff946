#include "docker/hooks/exchange.h"

#include <stdlib.h>

#include "translate/docker/answers.h"

/* For facts, answers of Docker and what plugins make of the body. */
#define EXCHANGE_MEMORY ((size_t)128 << 20)

static void report(struct docker_exchange *exchange)
{
    exchange->done(exchange->state, &exchange->verdict);
}

void docker_exchange_pass(struct docker_exchange *exchange)
{
    exchange->point = HOOK_NONE;
    report(exchange);
}

void docker_exchange_fail(struct docker_exchange *exchange, const struct error *error)
{
    exchange->verdict = (struct docker_verdict){.error = *error};
    report(exchange);
}

/* ---- what is sent ---- */

/* Writes into the body what the plugins made of the facts. */
static bool write_body(struct docker_exchange *exchange, const struct hook_facts *facts, struct error *error)
{
    struct docker_verdict verdict = {.changed = true};
    bool written = true;
    if (exchange->point == HOOK_RUN_POD || exchange->point == HOOK_CREATE_CONTAINER) {
        written = docker_create_write(exchange->body, &exchange->made, &exchange->original, facts, exchange->arena, &verdict.body,
                                      error);
    } else if (exchange->point == HOOK_UPDATE_CONTAINER) {
        written = docker_update_write(exchange->body, exchange->original.container, facts->container, exchange->arena,
                                      &verdict.body, error);
    } else {
        verdict.changed = false;
    }
    if (written) {
        exchange->verdict = verdict;
    }
    return written;
}

/* ---- the turns of the plugins ---- */

static int64_t on_patience(void *state)
{
    (void)state;
    return INT32_MAX; /* a request has no deadline: plugins have their own */
}

static bool on_reduce(void *state, struct error *error)
{
    (void)state;
    (void)error;
    return true; /* what plugins may not see was never taken into the facts */
}

static bool on_take(void *state, const struct hook_facts *merged, struct error *error)
{
    struct docker_exchange *exchange = state;
    if (!write_body(exchange, merged, error)) {
        return error_wrap(error, "its changes cannot be sent to Docker");
    }
    exchange->facts = *merged;
    return true;
}

static void on_round_done(void *state, const struct error *error)
{
    if (error->code == STATUS_OK) {
        report(state);
    } else {
        docker_exchange_fail(state, error);
    }
}

static const char *name_of(enum docker_route_kind kind)
{
    switch (kind) {
    case DOCKER_CREATE:
        return "Docker's create";
    case DOCKER_START:
        return "Docker's start";
    case DOCKER_STOP:
        return "Docker's stop";
    case DOCKER_UPDATE:
        return "Docker's update";
    case DOCKER_OTHER:
    case DOCKER_REMOVE:
        break;
    }
    return "a request";
}

struct plugin_round *docker_exchange_round(struct docker_exchange *exchange)
{
    static const struct plugin_round_callbacks callbacks = {
        .patience = on_patience, .reduce = on_reduce, .take = on_take, .done = on_round_done};
    if (!exchange->round) {
        const struct plugin_round_call call = {.set = &exchange->hooks->plugins,
                                               .stage = {exchange->point, HOOK_BEFORE},
                                               .arena = exchange->arena,
                                               .name = name_of(exchange->route->kind),
                                               .facts = &exchange->facts,
                                               .original = &exchange->original,
                                               .callbacks = &callbacks,
                                               .state = exchange};
        exchange->round = plugin_round_new(&call);
    }
    return exchange->round;
}

/* ---- with the facts ---- */

static bool is_skipped(const struct docker_exchange *exchange)
{
    const struct docker_hooks_settings *settings = &exchange->hooks->settings;
    struct bytes value = hook_facts_label(exchange->facts.pod, bytes_of_string(settings->skip_label));
    return value.data && bytes_equal(value, bytes_of_string(settings->skip_value));
}

/* What a request says beside the container that it names. */
static bool read_rest(struct docker_exchange *exchange, struct error *error)
{
    struct bytes resources;
    if (exchange->route->kind == DOCKER_START && exchange->body.len > EXCHANGE_NO_BODY) {
        return error_set(error, STATUS_INVALID_ARGUMENT,
                         "a Kubernetes container is being started with its own settings, which no plugin has seen");
    }
    return exchange->point != HOOK_UPDATE_CONTAINER ||
           (docker_update_read(exchange->body, exchange->arena, &resources, error) &&
            hook_facts_update(exchange->facts.container, resources, exchange->arena, &exchange->facts.container, error));
}

void docker_exchange_found(struct docker_exchange *exchange)
{
    struct error error = {0};
    if (!read_rest(exchange, &error)) {
        docker_exchange_fail(exchange, &error);
        return;
    }
    if (exchange->point == HOOK_NONE) {
        report(exchange);
        return;
    }
    exchange->found = true;
    exchange->original = exchange->facts;
    exchange->left_alone = is_skipped(exchange);
    struct plugin_round *round = docker_exchange_round(exchange);
    if (!round) {
        error_no_memory(&error);
    }
    if (!round || (exchange->other_parent && !write_body(exchange, &exchange->facts, &error))) {
        docker_exchange_fail(exchange, &error);
        return;
    }
    if (exchange->left_alone) {
        plugin_round_skip(round);
    }
    plugin_round_run(round);
}

/* ---- answers ---- */

static bool makes_other_parent(const struct docker_exchange *exchange)
{
    struct bytes sent = hook_facts_cgroup_parent(exchange->original.pod);
    return exchange->point == HOOK_RUN_POD && !bytes_equal(sent, hook_facts_cgroup_parent(exchange->facts.pod));
}

/* Without plugins, nothing but changed cgroup parents is known. */
static bool learns_made(const struct docker_exchange *exchange)
{
    return exchange->found && (exchange->hooks->plugins.stages != 0 || exchange->other_parent || makes_other_parent(exchange));
}

/* Learns of what was made. */
static bool learn_made(struct docker_exchange *exchange, struct bytes answer)
{
    struct docker_hooks *hooks = exchange->hooks;
    struct bytes id;
    struct error error = {0};
    struct docker_known pod;
    if (!docker_created_read(answer, exchange->arena, &id, &error)) {
        log_line(LOG_FAILED, "the data that plugins need about a new container will be read when it is needed: %s",
                 error.message);
        return false;
    }
    if (exchange->point == HOOK_RUN_POD) {
        exchange->facts.pod_id = id;
        docker_known_put_pod(hooks, &exchange->facts, makes_other_parent(exchange));
        return true;
    }
    exchange->facts.container_id = id;
    if (exchange->other_parent && docker_known_pod(hooks, exchange->facts.pod_id, exchange->arena, &pod)) {
        docker_known_put_pod(hooks, &pod.facts, true);
    }
    docker_known_put_container(hooks, &exchange->facts, exchange->has_environment, exchange->arena);
    return true;
}

/* Learns from an answer about what exists. Whether the stage after the request is due. */
static bool learn_changed(struct docker_exchange *exchange, int status)
{
    struct docker_hooks *hooks = exchange->hooks;
    const struct hook_facts *facts = &exchange->facts;
    switch (exchange->point) {
    case HOOK_START_CONTAINER:
        if (status == 204) {
            docker_known_started(hooks, facts->container_id, exchange->arena);
        }
        return status == 204;
    case HOOK_STOP_CONTAINER:
        return (status == 204 || status == 304) && fact_store_stop(hooks->store, ID_CONTAINER, facts->container_id);
    case HOOK_STOP_POD:
        return (status == 204 || status == 304) && fact_store_stop(hooks->store, ID_POD, facts->pod_id);
    case HOOK_UPDATE_CONTAINER:
        if (status == 200) {
            docker_known_put_container(hooks, facts, exchange->has_environment, exchange->arena);
        }
        return status == 200;
    default:
        return false;
    }
}

void docker_exchange_answered(struct docker_exchange *exchange, int status, struct bytes body)
{
    struct docker_hooks *hooks = exchange->hooks;
    enum docker_route_kind kind = exchange->route->kind;
    bool after = false;
    if (kind == DOCKER_CREATE) {
        after = status == 201 && learns_made(exchange) && learn_made(exchange, body);
    } else if (kind == DOCKER_REMOVE ? status == 204 || status == 404 : status == 404) {
        docker_known_remove(hooks,
                            exchange->facts.container_id.len > 0 ? exchange->facts.container_id : exchange->route->container);
    } else if (exchange->found) {
        after = learn_changed(exchange, status);
    }
    if (after && !exchange->left_alone) {
        after_add(&hooks->after, &hooks->plugins, 0, (struct hook_stage){exchange->point, HOOK_AFTER}, &exchange->facts);
    }
}

/* ---- from outside ---- */

struct docker_exchange *docker_exchange_start(struct docker_hooks *hooks, const struct docker_route *route, struct bytes body,
                                              void (*done)(void *state, const struct docker_verdict *verdict), void *state)
{
    struct docker_exchange *exchange = calloc(1, sizeof *exchange);
    struct arena *arena = arena_new(EXCHANGE_MEMORY);
    if (!exchange || !arena) {
        free(exchange);
        arena_unref(arena);
        return NULL;
    }
    *exchange =
        (struct docker_exchange){.hooks = hooks, .arena = arena, .route = route, .body = body, .done = done, .state = state};
    docker_exchange_find(exchange);
    return exchange;
}

void docker_exchange_end(struct docker_exchange *exchange)
{
    if (exchange->lookup) {
        docker_lookup_cancel(exchange->lookup);
    }
    if (exchange->round) {
        plugin_round_cancel(exchange->round);
        plugin_round_end(exchange->round);
    }
    memory_trim_used(&exchange->hooks->trim, arena_used(exchange->arena) + exchange->body.len);
    arena_unref(exchange->arena);
    free(exchange);
}
