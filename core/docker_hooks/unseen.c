#include "core/docker_hooks/docker_hooks.h"
#include "core/docker_hooks/state.h"

/* The stages of plugins before a request of that kind. */
static uint32_t stages_of(enum docker_route_kind kind)
{
    switch (kind) {
    case DOCKER_CREATE:
        return hook_stage_bit((struct hook_stage){HOOK_RUN_POD, HOOK_BEFORE}) |
               hook_stage_bit((struct hook_stage){HOOK_CREATE_CONTAINER, HOOK_BEFORE});
    case DOCKER_START:
        return hook_stage_bit((struct hook_stage){HOOK_START_CONTAINER, HOOK_BEFORE});
    case DOCKER_UPDATE:
        return hook_stage_bit((struct hook_stage){HOOK_UPDATE_CONTAINER, HOOK_BEFORE});
    case DOCKER_STOP:
    case DOCKER_REMOVE:
    case DOCKER_OTHER:
        break;
    }
    return 0;
}

bool docker_hooks_pass_unseen(const struct docker_hooks *hooks, const struct docker_route *route, struct error *error)
{
    uint32_t stages = stages_of(route->kind);
    bool wanted = false;
    for (size_t i = 0; i < hooks->plugins.count; i++) {
        const struct plugin_settings *plugin = hooks->plugins.plugins[i]->settings;
        bool wants = (plugin->stages & stages) != 0;
        if (wants && plugin->fail) {
            return error_set(error, STATUS_RESOURCE_EXHAUSTED,
                             "its body is too long to be shown to the plugin %s, which must see it", plugin->name);
        }
        wanted |= wants;
    }
    if (wanted) {
        log_line(LOG_SERIOUS, "a request passes without hooks: its body is too long to be shown to plugins");
    }
    return true;
}
