#include "docker/hooks/known.h"

#define ID_SIZE 64

/* Bytes of environments of all containers; more are forgotten, and asked for when they are needed. */
#define ENVIRONMENTS_LIMIT ((size_t)64 << 20)

bool docker_known_is_id(struct bytes text)
{
    bool good = text.len == ID_SIZE;
    for (size_t i = 0; good && i < text.len; i++) {
        good = (text.data[i] >= '0' && text.data[i] <= '9') || (text.data[i] >= 'a' && text.data[i] <= 'f');
    }
    return good;
}

bool docker_known_pod(const struct docker_hooks *hooks, struct bytes id, struct arena *arena, struct docker_known *known)
{
    struct known_pod pod;
    if (!fact_store_pod(hooks->store, id, &pod)) {
        return false;
    }
    *known = (struct docker_known){.facts = {.pod_id = arena_copy(arena, id),
                                             .handler = arena_copy(arena, pod.handler),
                                             .pod = arena_copy(arena, pod.facts)}};
    return known->facts.pod_id.data && known->facts.pod.len == pod.facts.len && (known->facts.pod.data || pod.facts.len == 0);
}

bool docker_known_container(const struct docker_hooks *hooks, struct bytes id, struct arena *arena, struct docker_known *known)
{
    struct known_container container;
    if (!fact_store_container(hooks->store, id, &container) || !docker_known_pod(hooks, container.pod_id, arena, known)) {
        return false;
    }
    const struct bytes parts[] = {container.facts, container.environment};
    known->facts.container_id = arena_copy(arena, id);
    known->facts.container = arena_join(arena, parts, 2);
    known->has_environment = container.has_environment;
    return known->facts.container_id.data && known->facts.container.data;
}

void docker_known_put_pod(struct docker_hooks *hooks, const struct hook_facts *facts, bool other_parent)
{
    fact_store_put_pod(hooks->store, facts->pod_id,
                       &(struct known_pod){.handler = facts->handler, .facts = facts->pod, .parent_changed = other_parent});
    hooks->made++;
}

static void put_container(struct docker_hooks *hooks, const struct hook_facts *facts, bool has_environment, bool stopped,
                          struct arena *arena)
{
    struct known_container container = {.pod_id = facts->pod_id, .stopped = stopped};
    struct bytes environment;
    if (!hook_facts_split(facts->container, arena, &container.facts, &environment)) {
        fact_store_remove(hooks->store, ID_CONTAINER, facts->container_id);
        return;
    }
    if (has_environment && plugin_set_wants_environments(&hooks->plugins)) {
        container.environment = environment;
        container.has_environment = true;
    }
    if (fact_store_environment_memory(hooks->store) + container.environment.len > ENVIRONMENTS_LIMIT) {
        fact_store_forget_environments(hooks->store);
    }
    fact_store_put_container(hooks->store, facts->container_id, &container);
    hooks->made++;
}

/* The rest of what is known is newer than what Docker reports of the time when it was asked. */
static void learn_environment(struct docker_hooks *hooks, const struct hook_facts *facts, struct arena *arena)
{
    struct bytes rest, environment;
    if (!plugin_set_wants_environments(&hooks->plugins) || !hook_facts_split(facts->container, arena, &rest, &environment)) {
        return;
    }
    if (fact_store_environment_memory(hooks->store) + environment.len > ENVIRONMENTS_LIMIT) {
        fact_store_forget_environments(hooks->store);
    }
    fact_store_set_environment(hooks->store, facts->container_id, environment);
}

static bool is_stopped(const struct docker_hooks *hooks, struct bytes container_id)
{
    struct known_container container;
    return fact_store_container(hooks->store, container_id, &container) && container.stopped;
}

void docker_known_put_container(struct docker_hooks *hooks, const struct hook_facts *facts, bool has_environment,
                                struct arena *arena)
{
    put_container(hooks, facts, has_environment, is_stopped(hooks, facts->container_id), arena);
}

void docker_known_inspected(struct docker_hooks *hooks, const struct docker_container *container, struct arena *arena)
{
    struct hook_facts facts = container->facts;
    struct known_pod pod;
    struct known_container before;
    if (container->of_pod) {
        facts.pod_id = container->id;
        if (!fact_store_pod(hooks->store, container->id, &pod)) {
            docker_known_put_pod(hooks, &facts, false);
            if (!container->running) {
                fact_store_stop(hooks->store, ID_POD, container->id);
            }
        }
        return;
    }
    facts.pod_id = container->sandbox_id;
    facts.container_id = container->id;
    if (!fact_store_container(hooks->store, container->id, &before)) {
        put_container(hooks, &facts, true, !container->running, arena);
    } else if (!before.has_environment) {
        learn_environment(hooks, &facts, arena);
    }
}

void docker_known_started(struct docker_hooks *hooks, struct bytes container_id, struct arena *arena)
{
    struct known_container container;
    if (!fact_store_container(hooks->store, container_id, &container) || !container.stopped) {
        return;
    }
    /* What the store has is only valid until it changes. */
    struct known_container copy = {.pod_id = arena_copy(arena, container.pod_id),
                                   .facts = arena_copy(arena, container.facts),
                                   .environment = arena_copy(arena, container.environment),
                                   .has_environment = container.has_environment};
    if (copy.pod_id.data && (copy.facts.data || container.facts.len == 0)) {
        copy.has_environment = copy.environment.data || container.environment.len == 0;
        fact_store_put_container(hooks->store, container_id, &copy);
    }
}

void docker_known_remove(struct docker_hooks *hooks, struct bytes id)
{
    fact_store_remove(hooks->store, ID_CONTAINER, id);
    fact_store_remove(hooks->store, ID_POD, id);
}
