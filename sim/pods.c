/* The handlers of pods. */
#include "sim/handlers.h"

#include <string.h>

#include "sim/common/fields.h"
#include "sim/verbose.h"

struct pod *requested_pod(const struct exchange *exchange, struct error *error)
{
    return simulation_pod(exchange->simulation, field_text(exchange->request, "podSandboxId"), error);
}

/* The namespace options of a pod's or container's config, or NULL. */
static struct json_object *namespace_options(struct json_object *config)
{
    return field_child(field_child(field_child(config, "linux"), "securityContext"), "namespaceOptions");
}

static void mode_from_flag(struct json_object *options, const char *flag, const char *mode, const char *otherwise)
{
    field_set_text(options, mode, field_flag(options, flag) ? "NODE" : otherwise);
}

/* Old dialects have flags where newer ones have modes; the simulation stores modes. */
static void adopt_namespace_flags(const struct exchange *exchange, struct json_object *config)
{
    struct json_object *options = namespace_options(config);
    if (exchange->namespace_flags && options) {
        mode_from_flag(options, "hostNetwork", "network", NULL);
        mode_from_flag(options, "hostPid", "pid", "CONTAINER");
        mode_from_flag(options, "hostIpc", "ipc", NULL);
    }
}

bool run_pod_sandbox(struct exchange *exchange, struct error *error)
{
    struct json_object *config = field_child(exchange->request, "config");
    adopt_namespace_flags(exchange, config);
    const char *handler = field_text(exchange->request, "runtimeHandler");
    struct pod *pod = simulation_run_pod(exchange->simulation, config, handler, NULL, error);
    if (!pod) {
        return false;
    }
    field_set_text(exchange->response, "podSandboxId", pod->id);
    return true;
}

bool gone_is_done(const struct exchange *exchange, const struct error *error)
{
    return error->code == STATUS_NOT_FOUND && !exchange->simulation->settings->errors_without_codes;
}

bool stop_pod_sandbox(struct exchange *exchange, struct error *error)
{
    struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return gone_is_done(exchange, error) || error_wrap(error, "an error occurred when try to find sandbox \"%s\"",
                                                           field_text(exchange->request, "podSandboxId"));
    }
    simulation_stop_pod(exchange->simulation, pod);
    return true;
}

bool remove_pod_sandbox(struct exchange *exchange, struct error *error)
{
    struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return gone_is_done(exchange, error) || error_wrap(error, "an error occurred when try to find sandbox \"%s\"",
                                                           field_text(exchange->request, "podSandboxId"));
    }
    simulation_remove_pod(exchange->simulation, pod);
    return true;
}

/* The options in both forms; encoding leaves out the one that the caller's dialect lacks. */
static void put_namespaces(struct json_object *pod_status, struct json_object *config)
{
    struct json_object *options = namespace_options(config);
    struct json_object *linux_status = field_new_object(pod_status, "linux");
    struct json_object *shown = field_new_object(field_new_object(linux_status, "namespaces"), "options");
    static const char *const spellings[][2] = {{"network", "hostNetwork"}, {"pid", "hostPid"}, {"ipc", "hostIpc"}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const char *mode = field_text(options, spellings[i][0]);
        field_set_text(shown, spellings[i][0], mode);
        field_set_flag(shown, spellings[i][1], strcmp(mode, "NODE") == 0);
    }
    field_set_text(shown, "targetId", field_text(options, "targetId"));
    field_share(shown, "usernsOptions", field_child(options, "usernsOptions"));
}

static const char *pod_state_name(const struct pod *pod)
{
    return pod->ready ? "SANDBOX_READY" : "SANDBOX_NOTREADY";
}

/* The common fields of a list's item and a status. */
static struct json_object *pod_message(const struct pod *pod)
{
    struct json_object *message = json_object_new_object();
    field_set_text(message, "id", pod->id);
    field_share(message, "metadata", field_child(pod->config, "metadata"));
    field_set_text(message, "state", pod_state_name(pod));
    field_set_number(message, "createdAt", pod->created_at);
    field_share(message, "labels", field_child(pod->config, "labels"));
    field_share(message, "annotations", field_child(pod->config, "annotations"));
    field_set_text(message, "runtimeHandler", pod->handler);
    return message;
}

struct json_object *pod_status_message(const struct pod *pod)
{
    struct json_object *message = pod_message(pod);
    field_set_text(field_new_object(message, "network"), "ip", pod->ready ? pod->ip : "");
    put_namespaces(message, pod->config);
    return message;
}

bool pod_sandbox_status(struct exchange *exchange, struct error *error)
{
    const struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return error_wrap(error, "an error occurred when try to find sandbox");
    }
    struct json_object *response = exchange->response;
    json_object_object_add(response, "status", pod_status_message(pod));
    json_object_object_add(response, "containersStatuses", container_status_messages(exchange->simulation, pod));
    field_set_number(response, "timestamp", simulation_now());
    if (field_flag(exchange->request, "verbose")) {
        put_pod_info(exchange->simulation, pod, response);
    }
    return true;
}

bool pod_passes(const struct exchange *exchange, const struct pod *pod)
{
    struct json_object *filter = field_child(exchange->request, "filter");
    const char *id = field_text(filter, "id");
    struct json_object *state = field_child(filter, "state");
    const char *wanted = field_text(state, "state");
    return strncmp(pod->id, id, strlen(id)) == 0 &&
           (!state || strcmp(*wanted ? wanted : "SANDBOX_READY", pod_state_name(pod)) == 0) &&
           field_map_has(field_child(pod->config, "labels"), field_child(filter, "labelSelector"));
}

bool list_pod_sandbox(struct exchange *exchange, struct error *error)
{
    (void)error;
    struct json_object *items = field_new_array(exchange->response, "items");
    const struct list *pods = &exchange->simulation->pods;
    for (size_t i = 0; i < pods->count; i++) {
        if (pod_passes(exchange, pods->items[i])) {
            json_object_array_add(items, pod_message(pods->items[i]));
        }
    }
    return true;
}

bool update_pod_sandbox_resources(struct exchange *exchange, struct error *error)
{
    const struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return error_wrap(error, "failed to find sandbox");
    }
    struct json_object *linux_config = field_child(pod->config, "linux");
    if (!linux_config) {
        linux_config = field_new_object(pod->config, "linux");
    }
    field_share(linux_config, "overhead", field_child(exchange->request, "overhead"));
    field_share(linux_config, "resources", field_child(exchange->request, "resources"));
    exchange->simulation->generation++;
    return true;
}

bool checkpoint_pod(struct exchange *exchange, struct error *error)
{
    const struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return error_wrap(error, "failed to find sandbox");
    }
    return pod->ready || error_set(error, STATUS_FAILED_PRECONDITION, "sandbox \"%s\" is not ready", pod->id);
}

/* Creates and starts a container of a restored pod. */
static bool restore_container(struct exchange *exchange, const struct pod *pod, struct json_object *config,
                              struct json_object *restored, struct error *error)
{
    struct container *container = simulation_create_container(exchange->simulation, pod->id, config, pod->config, NULL, error);
    if (!container || !simulation_start_container(exchange->simulation, container, error)) {
        return false;
    }
    struct json_object *item = json_object_new_object();
    field_set_text(item, "name", field_text(field_child(config, "metadata"), "name"));
    field_set_text(item, "containerId", container->id);
    json_object_array_add(restored, item);
    return true;
}

bool restore_pod(struct exchange *exchange, struct error *error)
{
    if (!run_pod_sandbox(exchange, error)) {
        return false;
    }
    struct pod *pod = simulation_pod(exchange->simulation, field_text(exchange->response, "podSandboxId"), error);
    struct json_object *configs = field_child(exchange->request, "containerConfigs");
    struct json_object *restored = field_new_array(exchange->response, "restoredContainers");
    for (size_t i = 0; configs && i < json_object_array_length(configs); i++) {
        if (!restore_container(exchange, pod, json_object_array_get_idx(configs, i), restored, error)) {
            simulation_remove_pod(exchange->simulation, pod);
            return false;
        }
    }
    return true;
}
