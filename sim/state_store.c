#include "sim/state_store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "sim/list.h"

/* The reasons for a container's end: the simulation stores pointers to constants. */
static const char *const reasons[] = {"Error", "StartError"};

static struct json_object *json_of_pod(const struct pod *pod)
{
    struct json_object *json = json_object_new_object();
    field_set_text(json, "id", pod->id);
    field_set_text(json, "name", pod->name);
    field_set_flag(json, "ready", pod->ready);
    field_set_number(json, "createdAt", pod->created_at);
    field_share(json, "config", pod->config);
    field_set_text(json, "handler", pod->handler);
    field_set_text(json, "ip", pod->ip);
    field_set_number(json, "pid", pod->pid);
    return json;
}

static struct json_object *json_of_container(const struct container *container)
{
    struct json_object *json = json_object_new_object();
    field_set_text(json, "id", container->id);
    field_set_text(json, "name", container->name);
    field_set_text(json, "podId", container->pod->id);
    field_set_number(json, "state", container->state);
    field_set_number(json, "createdAt", container->created_at);
    field_set_number(json, "startedAt", container->started_at);
    field_set_number(json, "finishedAt", container->finished_at);
    field_set_number(json, "exitCode", container->exit_code);
    field_set_text(json, "reason", container->reason);
    field_share(json, "config", container->config);
    field_share(json, "resources", container->resources);
    field_set_text(json, "logPath", container->log_path);
    field_set_text(json, "imageId", container->image_id);
    field_set_number(json, "pid", container->pid);
    return json;
}

static struct json_object *json_of_simulation(const struct simulation *simulation)
{
    struct json_object *json = json_object_new_object();
    field_set_number(json, "processes", simulation->processes);
    struct json_object *pods = field_new_array(json, "pods");
    for (size_t i = 0; i < simulation->pods.count; i++) {
        json_object_array_add(pods, json_of_pod(simulation->pods.items[i]));
    }
    struct json_object *containers = field_new_array(json, "containers");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        json_object_array_add(containers, json_of_container(simulation->containers.items[i]));
    }
    /* All data of an image follows from the name by which it was pulled. */
    struct json_object *images = field_new_array(json, "images");
    for (size_t i = 0; i < simulation->images.count; i++) {
        const struct image *image = simulation->images.items[i];
        json_object_array_add(images, json_object_get(image->spec));
    }
    return json;
}

bool state_store_save(const struct simulation *simulation, const char *path, struct error *error)
{
    char draft[4096];
    snprintf(draft, sizeof draft, "%s.new", path);
    struct json_object *json = json_of_simulation(simulation);
    bool saved = json_object_to_file_ext(draft, json, JSON_C_TO_STRING_PLAIN) == 0 && rename(draft, path) == 0;
    json_object_put(json);
    return saved || error_set(error, STATUS_INTERNAL, "%s: cannot keep the state: %s", path, strerror(errno));
}

static void load_pod(struct simulation *simulation, struct json_object *json)
{
    struct pod *pod = sim_zeroed(1, sizeof *pod);
    snprintf(pod->id, sizeof pod->id, "%s", field_text(json, "id"));
    pod->name = sim_text("%s", field_text(json, "name"));
    pod->ready = field_flag(json, "ready");
    pod->created_at = field_number(json, "createdAt");
    pod->config = json_object_get(field_child(json, "config"));
    pod->handler = sim_text("%s", field_text(json, "handler"));
    snprintf(pod->ip, sizeof pod->ip, "%s", field_text(json, "ip"));
    pod->pid = (unsigned)field_number(json, "pid");
    list_add(&simulation->pods, pod);
}

static bool load_container(struct simulation *simulation, struct json_object *json, struct error *error)
{
    struct pod *pod = simulation_pod(simulation, field_text(json, "podId"), error);
    if (!pod) {
        return error_wrap(error, "container %s is in no pod", field_text(json, "id"));
    }
    struct container *container = sim_zeroed(1, sizeof *container);
    snprintf(container->id, sizeof container->id, "%s", field_text(json, "id"));
    container->name = sim_text("%s", field_text(json, "name"));
    container->pod = pod;
    container->state = (enum container_state)field_number(json, "state");
    container->created_at = field_number(json, "createdAt");
    container->started_at = field_number(json, "startedAt");
    container->finished_at = field_number(json, "finishedAt");
    container->exit_code = (int)field_number(json, "exitCode");
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        if (strcmp(reasons[i], field_text(json, "reason")) == 0) {
            container->reason = reasons[i];
        }
    }
    container->config = json_object_get(field_child(json, "config"));
    container->resources = json_object_get(field_child(json, "resources"));
    container->log_path = *field_text(json, "logPath") ? sim_text("%s", field_text(json, "logPath")) : NULL;
    container->image_id = sim_text("%s", field_text(json, "imageId"));
    container->pid = (unsigned)field_number(json, "pid");
    list_add(&simulation->containers, container);
    return true;
}

static bool load_all(struct simulation *simulation, struct json_object *json, struct error *error)
{
    simulation->processes = (unsigned)field_number(json, "processes");
    struct json_object *images = field_child(json, "images");
    for (size_t i = 0; i < json_object_array_length(images); i++) {
        if (!simulation_pull_image(simulation, json_object_array_get_idx(images, i), error)) {
            return false;
        }
    }
    struct json_object *pods = field_child(json, "pods");
    for (size_t i = 0; i < json_object_array_length(pods); i++) {
        load_pod(simulation, json_object_array_get_idx(pods, i));
    }
    struct json_object *containers = field_child(json, "containers");
    for (size_t i = 0; i < json_object_array_length(containers); i++) {
        if (!load_container(simulation, json_object_array_get_idx(containers, i), error)) {
            return false;
        }
    }
    return true;
}

bool state_store_load(struct simulation *simulation, const char *path, struct error *error)
{
    if (access(path, F_OK) != 0) {
        return true;
    }
    struct json_object *json = json_object_from_file(path);
    bool whole = json && json_object_is_type(field_child(json, "images"), json_type_array) &&
                 json_object_is_type(field_child(json, "pods"), json_type_array) &&
                 json_object_is_type(field_child(json, "containers"), json_type_array);
    bool good = whole ? load_all(simulation, json, error) : error_set(error, STATUS_DATA_LOSS, "not a state that was kept");
    json_object_put(json);
    return good || error_wrap(error, "%s", path);
}
