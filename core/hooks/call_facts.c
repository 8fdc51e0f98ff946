#include "core/hooks/call_facts.h"

#include "core/hooks/handover.h"
#include "core/hooks/time_left.h"
#include "translate/schema/peek.h"

bool call_facts_about_pod(enum hook_point point)
{
    return point == HOOK_RUN_POD || point == HOOK_STOP_POD;
}

/* Whether the call is about a container that exists. */
static bool about_container(enum hook_point point)
{
    return !call_facts_about_pod(point) && point != HOOK_CREATE_CONTAINER;
}

/* NULL: no memory, or a reload has put another runtime in its place. */
static struct known *known_of(const struct call_facts *facts)
{
    const struct runtime *runtime = facts->target.runtime;
    return runtime->replaced
               ? NULL
               : known_open(&facts->hooks->known, facts->target.request->generation->map, runtime, facts->hooks->files);
}

/* Whether a plugin is called before or after the call. */
static bool has_hook(const struct call_facts *facts)
{
    const struct plugin_set *plugins = &facts->hooks->plugins;
    return plugin_set_wants(plugins, (struct hook_stage){facts->point, HOOK_BEFORE}) ||
           plugin_set_wants(plugins, (struct hook_stage){facts->point, HOOK_AFTER});
}

/* ---- from the request ---- */

static struct bytes peek(const struct call_facts *facts, enum peek what)
{
    return peek_bytes(facts->target.request->method, facts->target.runtime->dialect, what, facts->target.sent);
}

static void read_request(struct call_facts *call)
{
    struct hook_facts *facts = &call->facts;
    const struct bytes *configurations = call->target.configurations;
    facts->pod_id = peek(call, PEEK_POD);
    facts->container_id = peek(call, PEEK_CONTAINER);
    facts->handler = peek(call, PEEK_HANDLER);
    call->has_environment = call->point == HOOK_CREATE_CONTAINER;
    facts->pod = call->sent_pod = configurations[MODEL_POD];
    facts->container = configurations[MODEL_CONTAINER];
}

static bool is_same(struct bytes a, struct bytes b)
{
    return a.data == b.data && a.len == b.len;
}

bool call_facts_reduce(struct call_facts *call, struct error *error)
{
    struct hook_facts *facts = &call->facts;
    struct bytes pod = facts->pod, container = facts->container;
    bool pod_of_request = is_same(pod, call->sent_pod); /* else what is known of it has taken its place */
    if (call->reduced) {
        return true;
    }
    if ((pod_of_request && !hook_facts_of(MODEL_POD, pod, call->arena, &pod, error)) ||
        (is_same(container, call->target.configurations[MODEL_CONTAINER]) &&
         !hook_facts_of(MODEL_CONTAINER, container, call->arena, &container, error))) {
        return false;
    }
    facts->pod = pod;
    facts->container = container;
    call->sent_pod = pod_of_request ? pod : call->sent_pod;
    call->reduced = true;
    return true;
}

/* ---- from what is known ---- */

/* Whether the pod runs below another cgroup than the caller of a CreateContainer believes. Only a plugin can have caused that. */
static bool has_other_parent(const struct call_facts *call, const struct known_pod *pod)
{
    struct bytes parent = hook_facts_cgroup_parent(pod->facts);
    return parent.len > 0 && !bytes_equal(parent, hook_facts_cgroup_parent(call->sent_pod));
}

static bool take_pod(struct call_facts *call, const struct known_pod *pod, struct error *error)
{
    struct hook_facts *facts = &call->facts;
    facts->handler = arena_copy(call->arena, pod->handler);
    facts->pod = arena_copy(call->arena, pod->facts);
    call->parent_changed = call->point == HOOK_CREATE_CONTAINER && has_other_parent(call, pod);
    return facts->pod.data || pod->facts.len == 0 || error_no_memory(error);
}

static bool take_container(struct call_facts *call, const struct known_container *container, struct error *error)
{
    struct hook_facts *facts = &call->facts;
    const struct bytes parts[] = {container->facts, container->environment};
    facts->pod_id = arena_copy(call->arena, container->pod_id);
    facts->container = arena_join(call->arena, parts, 2);
    call->has_environment = container->has_environment;
    if (!facts->container.data && container->facts.len > 0) {
        return error_no_memory(error);
    }
    return call->point != HOOK_UPDATE_CONTAINER ||
           hook_facts_update(facts->container, call->target.configurations[MODEL_RESOURCES], call->arena, &facts->container,
                             error);
}

/* Takes what is known. false, with `error` as it was: something has to be asked for. */
static bool take_known(struct call_facts *call, struct error *error)
{
    const struct known *known = known_of(call);
    struct known_pod pod;
    struct known_container container = {0};
    bool has_container = about_container(call->point);
    if (!known || (has_container && !fact_store_container(known->store, call->facts.container_id, &container)) ||
        !fact_store_pod(known->store, has_container ? container.pod_id : call->facts.pod_id, &pod)) {
        return false;
    }
    if (has_container && !container.has_environment && has_hook(call) && plugin_set_wants_environments(&call->hooks->plugins)) {
        return false;
    }
    return take_pod(call, &pod, error) && (!has_container || take_container(call, &container, error));
}

/* ---- from the runtime ---- */

static void log_missing(const struct call_facts *call, struct known *known, const char *missing)
{
    if (!known->missing_logged) {
        known->missing_logged = true;
        log_line(LOG_SERIOUS,
                 "runtime %s: does not report everything that plugins need about pods and containers created earlier: %s; hooks "
                 "are called without it",
                 call->target.runtime->entry->name, missing);
    }
}

/* What is known is newer than what the runtime reports of the time when it was made. */
static void learn_found(struct call_facts *call, const struct lookup_result *result)
{
    struct known *known = known_of(call);
    struct known_pod pod;
    struct known_container before;
    struct known_container container = result->container;
    if (!known) {
        return;
    }
    if (result->pod_id.len > 0 && !fact_store_pod(known->store, result->pod_id, &pod)) {
        pod = result->pod;
        pod.parent_changed = call->point == HOOK_CREATE_CONTAINER && has_other_parent(call, &pod);
        known_pod(known, result->pod_id, &pod);
    }
    if (about_container(call->point)) {
        if (fact_store_container(known->store, result->container_id, &before)) {
            container.facts = arena_copy(call->arena, before.facts);
            container.stopped = before.stopped;
        }
        /* What the runtime does not report, it is not asked for again. */
        container.has_environment = plugin_set_wants_environments(&call->hooks->plugins);
        if (!container.has_environment) {
            container.environment = (struct bytes){0};
        }
        known_container(known, result->container_id, &container);
    }
    if (result->missing) {
        log_missing(call, known, result->missing);
    }
}

/* Callers may shorten ids. What is known goes by whole ones, and plugins get these. */
static bool take_id(const struct call_facts *call, struct bytes whole, struct bytes *id, struct error *error)
{
    if (id->len == 0 || whole.len <= id->len || !bytes_start_with(whole, *id)) {
        return true;
    }
    *id = arena_copy(call->arena, whole);
    return id->data || error_no_memory(error);
}

static bool take_ids(struct call_facts *call, const struct lookup_result *result, struct error *error)
{
    struct hook_facts *facts = &call->facts;
    return about_container(call->point) ? take_id(call, result->container_id, &facts->container_id, error)
                                        : take_id(call, result->pod_id, &facts->pod_id, error);
}

static void on_looked_up(void *state, const struct lookup_result *result)
{
    struct call_facts *call = state;
    struct error error = result->error;
    call->lookup = NULL;
    if (error.code == STATUS_OK && take_ids(call, result, &error)) {
        learn_found(call, result);
        if (!take_known(call, &error) && error.code == STATUS_OK) {
            take_pod(call, &result->pod, &error);
            if (error.code == STATUS_OK && about_container(call->point)) {
                take_container(call, &result->container, &error);
            }
        }
    }
    call->found(call, &error);
}

static void look_up(struct call_facts *call)
{
    struct runtime *runtime = call->target.runtime;
    bool has_container = about_container(call->point);
    int64_t half = time_left_half(call->target.request);
    call->lookup = lookup_start(runtime, has_container ? ID_CONTAINER : ID_POD,
                                has_container ? call->facts.container_id : call->facts.pod_id,
                                half < runtime->entry->budget ? half : runtime->entry->budget, on_looked_up, call);
    if (!call->lookup) {
        struct error error;
        error_set(&error, STATUS_UNAVAILABLE, "runtime %s cannot be queried", runtime->entry->name);
        call->found(call, &error);
    }
}

/* Whether it is worth to ask the runtime. An update is learned for later hooks, and containers go below the changed cgroup parent
   of their pod. */
static bool must_be_known(const struct call_facts *call)
{
    bool always = call->point == HOOK_CREATE_CONTAINER || call->point == HOOK_UPDATE_CONTAINER;
    return always ? call->hooks->plugins.stages != 0 : has_hook(call);
}

void call_facts_find(struct call_facts *call)
{
    struct error error = {0};
    handover_read(call->hooks, call->target.request->generation);
    read_request(call);
    if (call->point == HOOK_RUN_POD || take_known(call, &error) || error.code != STATUS_OK || !must_be_known(call)) {
        call->found(call, &error);
    } else {
        look_up(call);
    }
}

void call_facts_cancel(struct call_facts *call)
{
    if (call->lookup) {
        lookup_cancel(call->lookup);
        call->lookup = NULL;
    }
}

/* ---- learning ---- */

static bool makes_other_parent(const struct call_facts *call)
{
    struct bytes sent = hook_facts_cgroup_parent(call->sent_pod);
    return call->point == HOOK_RUN_POD && !bytes_equal(sent, hook_facts_cgroup_parent(call->facts.pod));
}

static void learn_pod(struct call_facts *call, struct known *known)
{
    known_pod(known, call->facts.pod_id,
              &(struct known_pod){
                  .handler = call->facts.handler, .facts = call->facts.pod, .parent_changed = makes_other_parent(call)});
}

static void learn_container(struct call_facts *call, struct known *known)
{
    struct known_container container = {.pod_id = call->facts.pod_id};
    struct known_container before;
    struct bytes environment;
    /* It may have been stopped while it was updated. */
    container.stopped = call->point == HOOK_UPDATE_CONTAINER &&
                        fact_store_container(known->store, call->facts.container_id, &before) && before.stopped;
    if (!hook_facts_split(call->facts.container, call->arena, &container.facts, &environment)) {
        return;
    }
    if (call->has_environment && plugin_set_wants_environments(&call->hooks->plugins)) {
        container.environment = environment;
        container.has_environment = true;
    }
    known_container(known, call->facts.container_id, &container);
}

static bool learn(struct call_facts *call, struct bytes new_id)
{
    /* The last plugin may have gone after it changed the cgroup parent. */
    struct known *known = call->hooks->plugins.stages != 0 || makes_other_parent(call) ? known_of(call) : NULL;
    if (!known || (call->facts.pod.len == 0 && call->facts.container.len == 0)) {
        return false;
    }
    switch (call->point) {
    case HOOK_RUN_POD:
        call->facts.pod_id = arena_copy(call->arena, new_id);
        learn_pod(call, known);
        return true;
    case HOOK_CREATE_CONTAINER:
        call->facts.container_id = arena_copy(call->arena, new_id);
        learn_container(call, known);
        return true;
    case HOOK_UPDATE_CONTAINER:
        learn_container(call, known);
        return true;
    case HOOK_STOP_POD:
        return known_stop(known, ID_POD, call->facts.pod_id);
    case HOOK_STOP_CONTAINER:
        return known_stop(known, ID_CONTAINER, call->facts.container_id);
    case HOOK_START_CONTAINER:
        return true;
    case HOOK_NONE:
    case HOOK_POINT_COUNT:
        break;
    }
    return false;
}

bool call_facts_learn(struct call_facts *call, struct bytes new_id)
{
    struct error error = {0};
    bool learned = call_facts_reduce(call, &error) && learn(call, new_id);
    if (learned && call->point != HOOK_START_CONTAINER) { /* a start changes nothing of what is known */
        bool of_pod = call_facts_about_pod(call->point);
        handover_note(call->hooks, call->target.request->generation->map, call->target.runtime, of_pod ? ID_POD : ID_CONTAINER,
                      of_pod ? call->facts.pod_id : call->facts.container_id);
    }
    return learned;
}
