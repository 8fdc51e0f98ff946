/* The handlers of the node as a whole, and its stream of events. */
#include "sim/handlers.h"

#include "sim/common/fields.h"

bool version(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation_settings *settings = exchange->simulation->settings;
    field_set_text(exchange->response, "version", "0.1.0");
    field_set_text(exchange->response, "runtimeName", settings->name);
    field_set_text(exchange->response, "runtimeVersion", settings->version);
    field_set_text(exchange->response, "runtimeApiVersion", exchange->api_version);
    return true;
}

static void put_condition(struct json_object *conditions, const char *type)
{
    struct json_object *condition = json_object_new_object();
    field_set_text(condition, "type", type);
    field_set_flag(condition, "status", true);
    json_object_array_add(conditions, condition);
}

static void put_handler(struct json_object *handlers, const char *name, bool has_features)
{
    struct json_object *handler = json_object_new_object();
    field_set_text(handler, "name", name);
    if (has_features) {
        struct json_object *features = field_new_object(handler, "features");
        field_set_flag(features, "recursiveReadOnlyMounts", true);
        field_set_flag(features, "userNamespaces", true);
    }
    json_object_array_add(handlers, handler);
}

static void put_features(struct json_object *response, const struct simulation_settings *settings)
{
    struct json_object *handlers = field_new_array(response, "runtimeHandlers");
    put_handler(handlers, "", !settings->no_features);
    for (size_t i = 0; i < settings->handler_count; i++) {
        put_handler(handlers, settings->handlers[i], !settings->no_features);
    }
    if (!settings->no_features) {
        field_set_flag(field_new_object(response, "features"), "supplementalGroupsPolicy", true);
    }
}

/* containerd's configuration as in its verbose status, as far as others read it. */
static void put_verbose_info(struct json_object *response, const char *said)
{
    static const char config[] = "{\"containerd\":{\"defaultRuntimeName\":\"runc\",\"runtimes\":{\"runc\":{\"runtimeType\":"
                                 "\"io.containerd.runc.v2\",\"options\":{\"SystemdCgroup\":false}}}},\"sandboxImage\":"
                                 "\"registry.k8s.io/pause:3.9\",\"systemdCgroup\":false}";
    struct json_object *info = field_new_object(response, "info");
    field_set_text(info, "config", said ? said : config);
    field_set_text(info, "lastCNILoadStatus", "OK");
}

bool status(struct exchange *exchange, struct error *error)
{
    (void)error;
    struct json_object *response = exchange->response;
    struct json_object *conditions = field_new_array(field_new_object(response, "status"), "conditions");
    put_condition(conditions, "RuntimeReady");
    put_condition(conditions, "NetworkReady");
    const struct simulation_settings *settings = exchange->simulation->settings;
    put_features(response, settings);
    bool has_info = !settings->status_config || *settings->status_config;
    if (has_info && field_flag(exchange->request, "verbose")) {
        put_verbose_info(response, settings->status_config);
    }
    return true;
}

bool runtime_config(struct exchange *exchange, struct error *error)
{
    (void)error;
    field_set_text(field_new_object(exchange->response, "linux"), "cgroupDriver", "CGROUPFS");
    return true;
}

bool update_runtime_config(struct exchange *exchange, struct error *error)
{
    (void)exchange;
    (void)error;
    return true; /* the simulated pods' addresses don't follow the node's range */
}

bool get_container_events(struct exchange *exchange, struct error *error)
{
    (void)exchange;
    (void)error;
    return true; /* everything is sent as events */
}

struct json_object *event_message(const struct simulation *simulation, enum event_type type, const struct pod *pod,
                                  const struct container *container)
{
    static const char *const names[] = {
        [EVENT_CREATED] = "CONTAINER_CREATED_EVENT",
        [EVENT_STARTED] = "CONTAINER_STARTED_EVENT",
        [EVENT_STOPPED] = "CONTAINER_STOPPED_EVENT",
        [EVENT_DELETED] = "CONTAINER_DELETED_EVENT",
    };
    struct json_object *message = json_object_new_object();
    field_set_text(message, "containerId", container ? container->id : pod->id);
    field_set_text(message, "containerEventType", names[type]);
    field_set_number(message, "createdAt", simulation_now());
    json_object_object_add(message, "podSandboxStatus", pod_status_message(pod));
    json_object_object_add(message, "containersStatuses", container_status_messages(simulation, pod));
    return message;
}
