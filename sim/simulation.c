#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/ids.h"
#include "sim/list.h"

/* As a shell counts a process that a signal ended. */
#define EXIT_CODE_KILLED 137
#define EXIT_CODE_TERMINATED 143
#define EXIT_CODE_START_FAILED 128

static const char *const container_state_names[] = {
    [CONTAINER_CREATED] = "CONTAINER_CREATED",
    [CONTAINER_RUNNING] = "CONTAINER_RUNNING",
    [CONTAINER_EXITED] = "CONTAINER_EXITED",
};

const char *container_state_name(enum container_state state)
{
    return container_state_names[state];
}

int64_t simulation_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void tell(struct simulation *simulation, enum event_type type, const struct pod *pod, const struct container *container)
{
    simulation->generation++;
    if (simulation->on_event) {
        simulation->on_event(simulation->event_state, type, pod, container);
    }
}

static void pod_free(struct pod *pod)
{
    json_object_put(pod->config);
    free(pod->name);
    free(pod->handler);
    free(pod);
}

static void container_free(struct container *container)
{
    json_object_put(container->config);
    json_object_put(container->resources);
    free(container->name);
    free(container->log_path);
    free(container->image_id);
    free(container);
}

void simulation_init(struct simulation *simulation, const struct simulation_settings *settings)
{
    *simulation = (struct simulation){.settings = settings, .generation = 1};
}

void simulation_clear(struct simulation *simulation)
{
    simulation->on_event = NULL;
    for (size_t i = 0; i < simulation->containers.count; i++) {
        container_free(simulation->containers.items[i]);
    }
    for (size_t i = 0; i < simulation->pods.count; i++) {
        pod_free(simulation->pods.items[i]);
    }
    while (simulation->images.count > 0) {
        simulation_remove_image(simulation, simulation->images.items[simulation->images.count - 1]);
    }
    list_clear(&simulation->containers);
    list_clear(&simulation->pods);
    list_clear(&simulation->images);
}

/* Pods and containers both begin with their id, so one search serves both. */
_Static_assert(offsetof(struct pod, id) == 0 && offsetof(struct container, id) == 0, "the id comes first");

static void *find_by_id(const struct list *list, const char *id, struct error *error)
{
    size_t length = strlen(id);
    void *found = NULL;
    for (size_t i = 0; length > 0 && i < list->count; i++) {
        if (strncmp(list->items[i], id, length) != 0) {
            continue;
        }
        if (found) {
            error_set(error, STATUS_UNKNOWN, "ID '%s' is ambiguous", id);
            return NULL;
        }
        found = list->items[i];
    }
    if (!found) {
        error_set(error, STATUS_NOT_FOUND, "not found");
    }
    return found;
}

struct pod *simulation_pod(const struct simulation *simulation, const char *id, struct error *error)
{
    return find_by_id(&simulation->pods, id, error);
}

struct container *simulation_container(const struct simulation *simulation, const char *id, struct error *error)
{
    return find_by_id(&simulation->containers, id, error);
}

static bool has_handler(const struct simulation *simulation, const char *handler)
{
    if (!*handler) {
        return true;
    }
    for (size_t i = 0; i < simulation->settings->handler_count; i++) {
        if (strcmp(simulation->settings->handlers[i], handler) == 0) {
            return true;
        }
    }
    return false;
}

static bool on_host_network(struct json_object *pod_config)
{
    struct json_object *linux_config = field_child(pod_config, "linux");
    struct json_object *options = field_child(field_child(linux_config, "securityContext"), "namespaceOptions");
    return strcmp(field_text(options, "network"), "NODE") == 0;
}

static bool reserve_pod_name(const struct simulation *simulation, const char *name, struct error *error)
{
    for (size_t i = 0; i < simulation->pods.count; i++) {
        const struct pod *other = simulation->pods.items[i];
        if (strcmp(other->name, name) == 0) {
            return error_set(error, STATUS_UNKNOWN, "failed to reserve sandbox name \"%s\": name \"%s\" is reserved for \"%s\"",
                             name, name, other->id);
        }
    }
    return true;
}

static char *name_of_pod(struct json_object *metadata)
{
    return sim_text("%s_%s_%s_%lld", field_text(metadata, "name"), field_text(metadata, "namespace"), field_text(metadata, "uid"),
                    (long long)field_number(metadata, "attempt"));
}

struct pod *simulation_run_pod(struct simulation *simulation, struct json_object *config, const char *handler, const char *id,
                               struct error *error)
{
    struct json_object *metadata = field_child(config, "metadata");
    if (!metadata) {
        error_set(error, STATUS_UNKNOWN, "sandbox config must include metadata");
        return NULL;
    }
    char *name = name_of_pod(metadata);
    if (!reserve_pod_name(simulation, name, error)) {
        free(name);
        return NULL;
    }
    if (!has_handler(simulation, handler)) {
        free(name);
        error_set(error, STATUS_UNKNOWN, "failed to get sandbox runtime: no runtime for \"%s\" is configured", handler);
        return NULL;
    }
    struct pod *pod = sim_zeroed(1, sizeof *pod);
    if (id) {
        strcpy(pod->id, id);
    } else {
        id_random(pod->id);
    }
    pod->name = name;
    pod->ready = true;
    pod->created_at = simulation_now();
    pod->config = json_object_get(config);
    pod->handler = sim_text("%s", handler);
    pod->pid = 1000 + ++simulation->processes;
    if (!on_host_network(config)) {
        snprintf(pod->ip, sizeof pod->ip, "10.88.%u.%u", pod->pid / 250 % 256, pod->pid % 250 + 2);
    }
    list_add(&simulation->pods, pod);
    tell(simulation, EVENT_CREATED, pod, NULL);
    tell(simulation, EVENT_STARTED, pod, NULL);
    return pod;
}

void simulation_stop_pod(struct simulation *simulation, struct pod *pod)
{
    for (size_t i = 0; i < simulation->containers.count; i++) {
        struct container *container = simulation->containers.items[i];
        if (container->pod == pod) {
            simulation_stop_container(simulation, container, 0);
        }
    }
    if (pod->ready) {
        pod->ready = false;
        tell(simulation, EVENT_STOPPED, pod, NULL);
    }
}

void simulation_remove_pod(struct simulation *simulation, struct pod *pod)
{
    simulation_stop_pod(simulation, pod);
    for (size_t i = simulation->containers.count; i > 0; i--) {
        struct container *container = simulation->containers.items[i - 1];
        if (container->pod == pod) {
            simulation_remove_container(simulation, container);
        }
    }
    list_remove(&simulation->pods, pod);
    tell(simulation, EVENT_DELETED, pod, NULL);
    pod_free(pod);
}

static bool reserve_container_name(const struct simulation *simulation, const char *name, struct error *error)
{
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *other = simulation->containers.items[i];
        if (strcmp(other->name, name) == 0) {
            return error_set(error, STATUS_UNKNOWN, "failed to reserve container name \"%s\": name \"%s\" is reserved for \"%s\"",
                             name, name, other->id);
        }
    }
    return true;
}

/* What must exist before a container is created. */
struct container_needs {
    struct pod *pod;
    struct image *image;
};

/* As in CRI-O, which checks the signature of the image under the name that the user requested. */
static bool check_signature(const struct simulation *simulation, const char *name, const struct image *image, struct error *error)
{
    if (!simulation->settings->signature_policy) {
        return true;
    }
    if (!*name) {
        return error_set(error, STATUS_UNKNOWN, "user specified image not specified, cannot verify image signature");
    }
    bool is_id = strncmp(image->id, name, strlen(name)) == 0 || strcmp(image->id + strlen("sha256:"), name) == 0;
    return (!is_id && simulation_image(simulation, name) == image) ||
           error_set(error, STATUS_UNKNOWN, "SignatureValidationFailed: %s does not name image %s", name, image->id);
}

static bool check_container(struct simulation *simulation, const char *pod_id, struct json_object *config,
                            struct container_needs *needs, struct error *error)
{
    needs->pod = simulation_pod(simulation, pod_id, error);
    if (!needs->pod) {
        return error_wrap(error, "failed to find sandbox id \"%s\"", pod_id);
    }
    if (!needs->pod->ready) {
        return error_set(error, STATUS_NOT_FOUND,
                         "failed to get sandbox container task: no running task found: task %s not found: "
                         "not found",
                         needs->pod->id);
    }
    if (!field_child(config, "metadata")) {
        return error_set(error, STATUS_UNKNOWN, "container config must include metadata");
    }
    const char *image = field_text(field_child(config, "image"), "image");
    needs->image = simulation_image(simulation, image);
    if (!needs->image && simulation->settings->any_image) {
        needs->image = simulation_pull_image(simulation, field_child(config, "image"), error);
    }
    if (!needs->image) {
        return error_set(error, STATUS_NOT_FOUND, "failed to resolve image \"%s\": not found", image);
    }
    const char *name = field_text(field_child(config, "image"), "userSpecifiedImage");
    return check_signature(simulation, name, needs->image, error);
}

/* ContainerResources of a new container, or NULL if its config has none. */
static struct json_object *resources_of(struct json_object *config)
{
    struct json_object *linux_resources = field_child(field_child(config, "linux"), "resources");
    struct json_object *windows_resources = field_child(field_child(config, "windows"), "resources");
    if (!linux_resources && !windows_resources) {
        return NULL;
    }
    struct json_object *resources = json_object_new_object();
    field_share(resources, "linux", linux_resources);
    field_share(resources, "windows", windows_resources);
    return resources;
}

static char *log_path_of(struct json_object *pod_config, struct json_object *config)
{
    const char *directory = field_text(pod_config, "logDirectory");
    const char *path = field_text(config, "logPath");
    return *directory && *path ? sim_text("%s/%s", directory, path) : NULL;
}

struct container *simulation_create_container(struct simulation *simulation, const char *pod_id, struct json_object *config,
                                              struct json_object *pod_config, const char *id, struct error *error)
{
    struct container_needs needs = {0};
    if (!check_container(simulation, pod_id, config, &needs, error)) {
        return NULL;
    }
    struct json_object *metadata = field_child(config, "metadata");
    char *name =
        sim_text("%s_%s_%lld", field_text(metadata, "name"), needs.pod->name, (long long)field_number(metadata, "attempt"));
    if (!reserve_container_name(simulation, name, error)) {
        free(name);
        return NULL;
    }
    struct container *container = sim_zeroed(1, sizeof *container);
    if (id) {
        strcpy(container->id, id);
    } else {
        id_random(container->id);
    }
    container->name = name;
    container->pod = needs.pod;
    container->created_at = simulation_now();
    container->config = json_object_get(config);
    container->resources = resources_of(config);
    container->log_path = log_path_of(pod_config, config);
    container->image_id = sim_text("%s", needs.image->id);
    list_add(&simulation->containers, container);
    tell(simulation, EVENT_CREATED, container->pod, container);
    return container;
}

static void end_container(struct simulation *simulation, struct container *container, int exit_code, const char *reason)
{
    container->state = CONTAINER_EXITED;
    container->finished_at = simulation_now();
    container->exit_code = exit_code;
    container->reason = reason;
    container->pid = 0;
    tell(simulation, EVENT_STOPPED, container->pod, container);
}

bool simulation_start_container(struct simulation *simulation, struct container *container, struct error *error)
{
    if (container->state != CONTAINER_CREATED) {
        return error_set(error, STATUS_UNKNOWN, "failed to set starting state for container \"%s\": container is in %s state",
                         container->id, container_state_name(container->state));
    }
    if (!container->pod->ready) {
        end_container(simulation, container, EXIT_CODE_START_FAILED, "StartError");
        return error_set(error, STATUS_UNKNOWN, "sandbox container \"%s\" is not running", container->pod->id);
    }
    container->state = CONTAINER_RUNNING;
    container->started_at = simulation_now();
    container->pid = 1000 + ++simulation->processes;
    tell(simulation, EVENT_STARTED, container->pod, container);
    return true;
}

void simulation_stop_container(struct simulation *simulation, struct container *container, int64_t timeout)
{
    if (container->state == CONTAINER_RUNNING) {
        end_container(simulation, container, timeout > 0 ? EXIT_CODE_TERMINATED : EXIT_CODE_KILLED, "Error");
    }
}

void simulation_remove_container(struct simulation *simulation, struct container *container)
{
    simulation_stop_container(simulation, container, 0);
    list_remove(&simulation->containers, container);
    tell(simulation, EVENT_DELETED, container->pod, container);
    container_free(container);
}
