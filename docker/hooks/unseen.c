#include "docker/hooks/hooks.h"
#include "docker/hooks/state.h"

static uint32_t before(enum hook_point point)
{
    return hook_stage_bit((struct hook_stage){point, HOOK_BEFORE});
}

/* The stages of plugins before a request of that kind. A start with a long body may have settings (API before 1.24), which are
   for those that see what is made, too. */
static uint32_t stages_of(enum docker_route_kind kind)
{
    uint32_t of_create = before(HOOK_RUN_POD) | before(HOOK_CREATE_CONTAINER);
    switch (kind) {
    case DOCKER_CREATE:
        return of_create;
    case DOCKER_START:
        return before(HOOK_START_CONTAINER) | of_create;
    case DOCKER_UPDATE:
        return before(HOOK_UPDATE_CONTAINER);
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
