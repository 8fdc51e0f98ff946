#include "docker/hooks/exchange.h"

/* ---- what cannot be known ---- */

static void log_unknown(const struct docker_exchange *exchange, const struct error *why)
{
    unsigned left_out;
    if (log_limit_allows(&exchange->hooks->unknown_logged, &left_out)) {
        log_line(LOG_SERIOUS, "cannot give plugins complete data about a Docker container: %s%s", why->message,
                 left_out > 0 ? " (and other requests since the last such line)" : "");
    }
}

/* Whether a request may go on about whose pod or container nothing can be found out. If not, it has failed. */
static bool may_go_on(struct docker_exchange *exchange, const struct error *why)
{
    const struct plugin_round *round = docker_exchange_round(exchange);
    struct error error = *why;
    if (round && !plugin_round_can_fail(round)) {
        log_unknown(exchange, why);
        return true;
    }
    error_wrap(&error, "cannot find the data that plugins need about this container");
    error.code = STATUS_FAILED_PRECONDITION;
    docker_exchange_fail(exchange, &error);
    return false;
}

/* ---- a new container ---- */

/* Its pod, as it is known. */
static void take_pod(struct docker_exchange *exchange, const struct hook_facts *pod)
{
    exchange->facts = exchange->made.facts;
    exchange->facts.pod_id = pod->pod_id;
    exchange->facts.handler = pod->handler;
    exchange->facts.pod = pod->pod;
    struct bytes parent = hook_facts_cgroup_parent(pod->pod);
    exchange->other_parent = parent.len > 0 && !bytes_equal(parent, hook_facts_cgroup_parent(exchange->made.facts.pod));
    docker_exchange_found(exchange);
}

static void on_pod(void *state, const struct docker_found *found)
{
    struct docker_exchange *exchange = state;
    struct error error = found->error;
    struct hook_facts pod = found->container.facts;
    exchange->lookup = NULL;
    if (error.code == STATUS_OK && !found->container.of_pod) {
        error_set(&error, STATUS_NOT_FOUND, "its pod does not belong to Kubernetes");
    }
    if (error.code == STATUS_OK) {
        pod.pod_id = found->container.id;
        take_pod(exchange, &pod);
    } else if (may_go_on(exchange, &error)) {
        exchange->facts = exchange->made.facts;
        exchange->facts.pod_id = exchange->made.sandbox_id;
        docker_exchange_found(exchange);
    }
}

static bool is_about_hooks(const struct docker_exchange *exchange)
{
    return exchange->hooks->plugins.stages != 0;
}

static void find_new_container(struct docker_exchange *exchange)
{
    struct docker_known known;
    struct error error = {0};
    exchange->point = HOOK_CREATE_CONTAINER;
    exchange->has_environment = true;
    if (docker_known_pod(exchange->hooks, exchange->made.sandbox_id, exchange->arena, &known)) {
        take_pod(exchange, &known.facts);
        return;
    }
    if (!is_about_hooks(exchange)) {
        docker_exchange_pass(exchange);
        return;
    }
    exchange->lookup = docker_lookup_start(exchange->hooks, exchange->made.sandbox_id, exchange->arena, on_pod, exchange);
    if (!exchange->lookup) {
        error_no_memory(&error);
        docker_exchange_fail(exchange, &error);
    }
}

static void find_new(struct docker_exchange *exchange)
{
    struct error error = {0};
    /* Without plugins, containers of a pod whose cgroup parent was changed still go there. */
    if (!is_about_hooks(exchange) && fact_store_changed_parents(exchange->hooks->store) == 0) {
        docker_exchange_pass(exchange);
    } else if (!docker_create_read(exchange->route->name, exchange->body, exchange->arena, &exchange->made, &error)) {
        docker_exchange_fail(exchange, &error);
    } else if (!exchange->made.kubernetes) {
        docker_exchange_pass(exchange);
    } else if (exchange->made.of_pod) {
        exchange->point = HOOK_RUN_POD;
        exchange->facts = exchange->made.facts;
        docker_exchange_found(exchange);
    } else {
        find_new_container(exchange);
    }
}

/* ---- a container that exists ---- */

/* No hook is called for the start and the update of a sandbox. */
static void take_sandbox(struct docker_exchange *exchange, const struct hook_facts *facts)
{
    exchange->facts = *facts;
    exchange->point = exchange->route->kind == DOCKER_STOP ? HOOK_STOP_POD : HOOK_NONE;
    docker_exchange_found(exchange);
}

static void take_container(struct docker_exchange *exchange, const struct hook_facts *facts, bool has_environment)
{
    exchange->facts = *facts;
    exchange->has_environment = has_environment;
    docker_exchange_found(exchange);
}

static void on_container(void *state, const struct docker_found *found)
{
    struct docker_exchange *exchange = state;
    const struct docker_container *container = &found->container;
    struct docker_known known;
    struct hook_facts facts = found->pod;
    exchange->lookup = NULL;
    if (found->error.code != STATUS_OK) {
        /* Docker refuses by itself what it does not have. */
        if (found->error.code == STATUS_NOT_FOUND || may_go_on(exchange, &found->error)) {
            docker_exchange_pass(exchange);
        }
    } else if (!container->kubernetes) {
        docker_exchange_pass(exchange);
    } else if (container->of_pod) {
        facts = container->facts;
        facts.pod_id = container->id;
        take_sandbox(exchange, &facts);
    } else if (docker_known_container(exchange->hooks, container->id, exchange->arena, &known)) {
        take_container(exchange, &known.facts, known.has_environment);
    } else {
        facts.container_id = container->id;
        facts.container = container->facts.container;
        take_container(exchange, &facts, true);
    }
}

static enum hook_point point_of(enum docker_route_kind kind)
{
    return kind == DOCKER_START ? HOOK_START_CONTAINER : kind == DOCKER_STOP ? HOOK_STOP_CONTAINER : HOOK_UPDATE_CONTAINER;
}

static bool has_hook(const struct docker_exchange *exchange, enum hook_point point)
{
    const struct plugin_set *plugins = &exchange->hooks->plugins;
    return plugin_set_wants(plugins, (struct hook_stage){point, HOOK_BEFORE}) ||
           plugin_set_wants(plugins, (struct hook_stage){point, HOOK_AFTER});
}

/* Whether it is worth to ask Docker: for hooks, for an update, which is learned for later hooks, and for a start with settings
   of its own (API before 1.24), which no container of Kubernetes' may have. */
static bool must_be_known(const struct docker_exchange *exchange)
{
    return is_about_hooks(exchange) && (has_hook(exchange, exchange->point) || exchange->route->kind == DOCKER_UPDATE ||
                                        (exchange->route->kind == DOCKER_STOP && has_hook(exchange, HOOK_STOP_POD)) ||
                                        (exchange->route->kind == DOCKER_START && exchange->body.len > EXCHANGE_NO_BODY));
}

/* What is known is not enough without the environment, if plugins want that. */
static bool is_enough(const struct docker_exchange *exchange, const struct docker_known *known)
{
    return known->has_environment || !has_hook(exchange, exchange->point) ||
           !plugin_set_wants_environments(&exchange->hooks->plugins);
}

static void find_existing(struct docker_exchange *exchange)
{
    struct docker_hooks *hooks = exchange->hooks;
    struct docker_known known;
    struct bytes id = exchange->route->container;
    struct error error = {0};
    exchange->point = point_of(exchange->route->kind);
    bool whole = docker_known_is_id(id);
    if (whole && docker_known_container(hooks, id, exchange->arena, &known) && is_enough(exchange, &known)) {
        take_container(exchange, &known.facts, known.has_environment);
    } else if (whole && docker_known_pod(hooks, id, exchange->arena, &known)) {
        take_sandbox(exchange, &known.facts);
    } else if (!must_be_known(exchange)) {
        docker_exchange_pass(exchange);
    } else if (!(exchange->lookup = docker_lookup_start(hooks, id, exchange->arena, on_container, exchange))) {
        error_no_memory(&error);
        docker_exchange_fail(exchange, &error);
    }
}

void docker_exchange_find(struct docker_exchange *exchange)
{
    switch (exchange->route->kind) {
    case DOCKER_CREATE:
        find_new(exchange);
        return;
    case DOCKER_START:
    case DOCKER_STOP:
    case DOCKER_UPDATE:
        find_existing(exchange);
        return;
    case DOCKER_OTHER:
    case DOCKER_REMOVE:
        docker_exchange_pass(exchange);
    }
}
