#include "docker/hooks/hooks.h"

#include <stdlib.h>

#include "docker/hooks/rebuild.h"

static void on_idle(void *state)
{
    struct docker_hooks *hooks = state;
    if (!hooks->ending) {
        hooks->settings.idle(hooks->settings.state);
    }
}

struct docker_hooks *docker_hooks_new(const struct docker_hooks_settings *settings)
{
    struct docker_hooks *hooks = calloc(1, sizeof *hooks);
    if (!hooks) {
        return NULL;
    }
    hooks->settings = *settings;
    hooks->trim.worker = settings->worker;
    plugin_set_init(&hooks->plugins, settings->worker);
    after_init(&hooks->after, on_idle, hooks);
    hooks->store = fact_store_new();
    hooks->client = docker_client_start(settings->docker, settings->worker);
    hooks->rebuild = docker_rebuild_new(hooks);
    if (!hooks->store || !hooks->client || !hooks->rebuild) {
        docker_hooks_free(hooks);
        return NULL;
    }
    return hooks;
}

void docker_hooks_free(struct docker_hooks *hooks)
{
    hooks->ending = true;
    after_cancel(&hooks->after);
    plugin_set_clear(&hooks->plugins);
    docker_rebuild_free(hooks->rebuild);
    docker_client_stop(hooks->client);
    memory_trim_end(&hooks->trim);
    fact_store_free(hooks->store);
    free(hooks);
}

void docker_hooks_set_plugins(struct docker_hooks *hooks, const struct plugin_list *list)
{
    if (!plugin_set_put(&hooks->plugins, list)) {
        return;
    }
    if (hooks->plugins.stages == 0) {
        /* Nothing is learned any more, so that what is known would become wrong. */
        docker_rebuild_stop(hooks->rebuild);
        fact_store_forget_unchanged(hooks->store);
        return;
    }
    if (!plugin_set_wants_environments(&hooks->plugins)) {
        fact_store_forget_environments(hooks->store);
    }
    docker_rebuild_start(hooks->rebuild);
}

size_t docker_hooks_pending(const struct docker_hooks *hooks)
{
    return after_pending(&hooks->after);
}
