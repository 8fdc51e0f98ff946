/* The handlers of containers. */
#include "sim/handlers.h"

#include <string.h>

#include "sim/common/fields.h"
#include "sim/verbose.h"

struct container *requested_container(const struct exchange *exchange, struct error *error)
{
    return simulation_container(exchange->simulation, field_text(exchange->request, "containerId"), error);
}

/* The requested container; fails like most of containerd's calls if there is none. */
static struct container *find_container(const struct exchange *exchange, struct error *error)
{
    struct container *container = requested_container(exchange, error);
    if (!container) {
        error_wrap(error, "an error occurred when try to find container \"%s\"", field_text(exchange->request, "containerId"));
    }
    return container;
}

bool create_container(struct exchange *exchange, struct error *error)
{
    struct json_object *request = exchange->request;
    const struct container *container =
        simulation_create_container(exchange->simulation, field_text(request, "podSandboxId"), field_child(request, "config"),
                                    field_child(request, "sandboxConfig"), NULL, error);
    if (!container) {
        return false;
    }
    field_set_text(exchange->response, "containerId", container->id);
    return true;
}

bool start_container(struct exchange *exchange, struct error *error)
{
    struct container *container = find_container(exchange, error);
    return container && simulation_start_container(exchange->simulation, container, error);
}

bool stop_container(struct exchange *exchange, struct error *error)
{
    struct container *container = find_container(exchange, error);
    if (!container) {
        return gone_is_done(exchange, error); /* a missing container counts as stopped, as in containerd since 1.7 */
    }
    simulation_stop_container(exchange->simulation, container, field_number(exchange->request, "timeout"));
    return true;
}

bool remove_container(struct exchange *exchange, struct error *error)
{
    struct container *container = find_container(exchange, error);
    if (!container) {
        return gone_is_done(exchange, error);
    }
    simulation_remove_container(exchange->simulation, container);
    return true;
}

/* The common fields of a list's item and a status. */
static struct json_object *container_message(const struct simulation *simulation, const struct container *container)
{
    struct json_object *message = json_object_new_object();
    field_set_text(message, "id", container->id);
    field_share(message, "metadata", field_child(container->config, "metadata"));
    field_set_text(message, "state", container_state_name(container->state));
    field_set_number(message, "createdAt", container->created_at);
    field_share(message, "labels", field_child(container->config, "labels"));
    field_share(message, "annotations", field_child(container->config, "annotations"));
    if (!simulation->settings->digest_references) {
        field_set_text(message, "imageId", container->image_id);
    }
    return message;
}

/* The first of an image's names, or NULL. */
static const char *first_name(struct json_object *names)
{
    return json_object_get_string(json_object_array_get_idx(names, 0));
}

/* A status has the image's tag, and refers to the image by its digest; a list repeats what the request had. */
static void put_image(const struct simulation *simulation, const struct container *container, struct json_object *message)
{
    struct json_object *asked = field_child(container->config, "image");
    const struct image *image = simulation_image(simulation, container->image_id);
    const char *tag = image ? first_name(image->tags) : NULL;
    const char *digest = image ? first_name(image->digests) : NULL;
    if (tag) {
        struct json_object *spec = field_new_object(message, "image");
        field_set_text(spec, "image", tag);
        field_set_text(spec, "userSpecifiedImage", field_text(asked, "userSpecifiedImage"));
    } else {
        field_share(message, "image", asked);
    }
    field_set_text(message, "imageRef", digest ? digest : container->image_id);
}

/* The reference to an image in a list. */
static const char *listed_reference(const struct simulation *simulation, const struct container *container)
{
    const struct image *image = simulation_image(simulation, container->image_id);
    const char *digest = image ? first_name(image->digests) : NULL;
    return digest && simulation->settings->digest_references ? digest : container->image_id;
}

static void put_user(const struct container *container, struct json_object *message)
{
    struct json_object *context = field_child(field_child(container->config, "linux"), "securityContext");
    struct json_object *user = field_new_object(field_new_object(message, "user"), "linux");
    field_set_number(user, "uid", field_number(field_child(context, "runAsUser"), "value"));
    field_set_number(user, "gid", field_number(field_child(context, "runAsGroup"), "value"));
    field_share(user, "supplementalGroups", field_child(context, "supplementalGroups"));
}

struct json_object *container_status_message(const struct simulation *simulation, const struct container *container)
{
    struct json_object *message = container_message(simulation, container);
    field_set_number(message, "startedAt", container->started_at);
    field_set_number(message, "finishedAt", container->finished_at);
    field_set_number(message, "exitCode", container->exit_code);
    put_image(simulation, container, message);
    field_set_text(message, "reason", container->reason);
    field_share(message, "mounts", field_child(container->config, "mounts"));
    field_set_text(message, "logPath", container->log_path);
    field_share(message, "resources", container->resources);
    put_user(container, message);
    field_share(message, "stopSignal", field_child(container->config, "stopSignal"));
    return message;
}

struct json_object *container_status_messages(const struct simulation *simulation, const struct pod *pod)
{
    struct json_object *messages = json_object_new_array();
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        if (container->pod == pod) {
            json_object_array_add(messages, container_status_message(simulation, container));
        }
    }
    return messages;
}

bool container_status(struct exchange *exchange, struct error *error)
{
    const struct container *container = find_container(exchange, error);
    if (!container) {
        return false;
    }
    json_object_object_add(exchange->response, "status", container_status_message(exchange->simulation, container));
    if (field_flag(exchange->request, "verbose")) {
        put_container_info(exchange->simulation, container, exchange->response);
    }
    return true;
}

bool container_passes(const struct exchange *exchange, const struct container *container)
{
    struct json_object *filter = field_child(exchange->request, "filter");
    const char *id = field_text(filter, "id");
    const char *pod_id = field_text(filter, "podSandboxId");
    struct json_object *state = field_child(filter, "state");
    const char *wanted = field_text(state, "state");
    return strncmp(container->id, id, strlen(id)) == 0 && strncmp(container->pod->id, pod_id, strlen(pod_id)) == 0 &&
           (!state || strcmp(*wanted ? wanted : "CONTAINER_CREATED", container_state_name(container->state)) == 0) &&
           field_map_has(field_child(container->config, "labels"), field_child(filter, "labelSelector"));
}

bool list_containers(struct exchange *exchange, struct error *error)
{
    (void)error;
    struct json_object *items = field_new_array(exchange->response, "containers");
    const struct list *containers = &exchange->simulation->containers;
    for (size_t i = 0; i < containers->count; i++) {
        const struct container *container = containers->items[i];
        if (container_passes(exchange, container)) {
            struct json_object *item = container_message(exchange->simulation, container);
            field_set_text(item, "podSandboxId", container->pod->id);
            field_share(item, "image", field_child(container->config, "image"));
            field_set_text(item, "imageRef", listed_reference(exchange->simulation, container));
            json_object_array_add(items, item);
        }
    }
    return true;
}

static void share_all(struct json_object *to, struct json_object *from)
{
    struct json_object_iterator at = json_object_iter_begin(from);
    struct json_object_iterator end = json_object_iter_end(from);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        field_share(to, json_object_iter_peek_name(&at), json_object_iter_peek_value(&at));
    }
}

/* Limits that the request does not name stay unchanged. The old object may be shared with the container's config, which must keep
   the original values: so a new object is made. */
static void update_limits(struct container *container, struct json_object *request, const char *platform)
{
    struct json_object *update = field_child(request, platform);
    if (!update) {
        return;
    }
    if (!container->resources) {
        container->resources = json_object_new_object();
    }
    struct json_object *old = field_child(container->resources, platform);
    struct json_object *limits = json_object_new_object();
    if (old) {
        share_all(limits, old);
    }
    share_all(limits, update);
    json_object_object_add(container->resources, platform, limits);
}

bool update_container_resources(struct exchange *exchange, struct error *error)
{
    struct container *container = requested_container(exchange, error);
    if (!container) {
        return error_wrap(error, "failed to find container");
    }
    update_limits(container, exchange->request, "linux");
    update_limits(container, exchange->request, "windows");
    exchange->simulation->generation++;
    return true;
}

bool reopen_container_log(struct exchange *exchange, struct error *error)
{
    const struct container *container = find_container(exchange, error);
    if (!container) {
        return false;
    }
    return container->state == CONTAINER_RUNNING || error_set(error, STATUS_UNKNOWN, "container is not running");
}

bool checkpoint_container(struct exchange *exchange, struct error *error)
{
    const struct container *container = find_container(exchange, error);
    if (!container) {
        return false;
    }
    return container->state == CONTAINER_RUNNING ||
           error_set(error, STATUS_UNKNOWN, "container %s is in %s state. only %s containers can be checkpointed", container->id,
                     container_state_name(container->state), container_state_name(CONTAINER_RUNNING));
}
