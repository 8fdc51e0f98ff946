#include "translate/docker/facts.h"

#include "translate/bytes/output.h"
#include "translate/bytes/packing.h"
#include "translate/docker/labels.h"
#include "translate/docker/object.h"
#include "translate/docker/parent.h"
#include "translate/schema/schema.h"

static uint32_t number_of(const char *message, const char *field)
{
    return schema_number_by_name(schema_message_by_name(DIALECT_MODEL, message), field);
}

/* ---- what kind of container it is ---- */

static bool read_kind(const struct docker_sources *sources, struct arena *arena, struct docker_container *container,
                      struct error *error)
{
    struct docker_labels labels;
    struct docker_label label;
    if (!docker_labels_open(sources->labels, false, arena, &labels, error)) {
        return false;
    }
    while (docker_labels_next(&labels, &label, error)) {
        if (label.kind == DOCKER_TYPE) {
            container->of_pod = bytes_equal(label.value, bytes_of_string("podsandbox"));
        } else if (label.kind == DOCKER_SANDBOX_ID) {
            container->sandbox_id = label.value;
        }
    }
    if (container->of_pod) {
        container->sandbox_id = (struct bytes){0};
    }
    container->kubernetes = container->of_pod || container->sandbox_id.len > 0;
    return error->code == STATUS_OK;
}

/* ---- messages ---- */

/* An entry of a map, or a variable: both have the key as field 1 and the value as field 2. */
static bool put_pair(struct walk_output *output, uint32_t number, struct bytes key, struct bytes value)
{
    size_t expected = key.len + value.len + (size_t)2 * (1 + WIRE_MAX_VARINT);
    size_t opened = walk_output_open(output, number, expected);
    return opened != SIZE_MAX && walk_output_put_field(output, 1, key) &&
           (value.len == 0 || walk_output_put_field(output, 2, value)) && walk_output_close(output, opened, expected);
}

/* Packs a message as a field of facts; one that is empty is left out. */
static bool put_message(struct walk_output *output, uint32_t number, const ProtobufCMessage *message)
{
    struct bytes packed;
    return arena_pack(output->arena, message, &packed) && (packed.len == 0 || walk_output_put_field(output, number, packed));
}

/* ---- pods ---- */

static bool put_pod_metadata(const struct docker_name *name, bool of_pod, struct walk_output *output)
{
    struct arena *arena = output->arena;
    Model__PodSandboxMetadata metadata = MODEL__POD_SANDBOX_METADATA__INIT;
    metadata.name = arena_string(arena, name->pod);
    metadata.uid = arena_string(arena, name->uid);
    metadata.namespace_ = arena_string(arena, name->space);
    metadata.attempt = of_pod ? name->attempt : 0;
    return metadata.name && metadata.uid && metadata.namespace_ &&
           put_message(output, number_of("PodSandboxConfig", "metadata"), &metadata.base);
}

static bool put_parent(struct bytes parent, struct walk_output *output)
{
    Model__LinuxPodSandboxConfig part = MODEL__LINUX_POD_SANDBOX_CONFIG__INIT;
    part.cgroup_parent = arena_string(output->arena, parent);
    return part.cgroup_parent && put_message(output, number_of("PodSandboxConfig", "linux"), &part.base);
}

/* The labels of a sandbox; of a container those that name its pod. false without an error: no memory. */
static bool put_pod_labels(const struct docker_sources *sources, const struct docker_container *container,
                           struct walk_output *output, struct error *error)
{
    uint32_t numbers[] = {[DOCKER_LABEL] = number_of("PodSandboxConfig", "labels"),
                          [DOCKER_ANNOTATION] = number_of("PodSandboxConfig", "annotations")};
    struct docker_labels labels;
    struct docker_label label;
    if (!docker_labels_open(sources->labels, container->of_pod, output->arena, &labels, error)) {
        return false;
    }
    while (docker_labels_next(&labels, &label, error)) {
        bool of_pod = container->of_pod
                          ? label.kind == DOCKER_LABEL || label.kind == DOCKER_ANNOTATION
                          : label.kind == DOCKER_LABEL && bytes_start_with(label.key, bytes_of_string("io.kubernetes.pod."));
        if (of_pod && !put_pair(output, numbers[label.kind], label.key, label.value)) {
            return false;
        }
    }
    return error->code == STATUS_OK;
}

static bool make_pod(const struct docker_sources *sources, struct arena *arena, struct docker_container *container,
                     struct error *error)
{
    struct walk_output output;
    struct bytes path;
    if (!docker_parent_path(container->parent, arena, &path, error)) {
        return false;
    }
    if (!walk_output_start(&output, arena, sources->labels.len) ||
        !put_pod_metadata(&sources->name, container->of_pod, &output) || !put_pod_labels(sources, container, &output, error) ||
        !put_parent(path, &output)) {
        return error->code != STATUS_OK ? false : error_no_memory(error);
    }
    container->facts.pod = walk_output_finish(&output);
    return true;
}

/* ---- containers ---- */

bool docker_variable_read(struct bytes json, struct arena *arena, struct bytes *key, struct bytes *value, bool *has_value,
                          struct error *error)
{
    struct bytes text;
    if (!docker_read_text("Env", json, arena, &text, error)) {
        return false;
    }
    const uint8_t *equals = text.len > 0 ? memchr(text.data, '=', text.len) : NULL;
    *has_value = equals && equals != text.data;
    if (*has_value) {
        *key = bytes_of(text.data, (size_t)(equals - text.data));
        *value = bytes_after(text, key->len + 1);
    }
    return true;
}

static bool put_environment(struct bytes environment, struct walk_output *output, struct error *error)
{
    uint32_t number = number_of("ContainerConfig", "envs");
    struct json_scan scan;
    struct bytes none, item, key, value;
    bool has_value;
    if (docker_is_null(environment)) {
        return true;
    }
    if (!json_scan_open(environment, false, &scan)) {
        return error_set(error, STATUS_INVALID_ARGUMENT, "Env: not an array");
    }
    while (json_scan_next(&scan, &none, &item)) {
        if (!docker_variable_read(item, output->arena, &key, &value, &has_value, error)) {
            return false;
        }
        if (has_value && !put_pair(output, number, key, value)) {
            return error_no_memory(error);
        }
    }
    return !scan.malformed || error_set(error, STATUS_INVALID_ARGUMENT, "Env: not JSON");
}

static bool put_annotations(struct bytes object, struct walk_output *output, struct error *error)
{
    uint32_t number = number_of("ContainerConfig", "annotations");
    struct docker_labels labels;
    struct docker_label label;
    if (!docker_labels_open(object, false, output->arena, &labels, error)) {
        return false;
    }
    while (docker_labels_next(&labels, &label, error)) {
        if (label.kind == DOCKER_ANNOTATION && !put_pair(output, number, label.key, label.value)) {
            return error_no_memory(error);
        }
    }
    return error->code == STATUS_OK;
}

static bool put_container_metadata(const struct docker_name *name, struct walk_output *output)
{
    Model__ContainerMetadata metadata = MODEL__CONTAINER_METADATA__INIT;
    metadata.name = arena_string(output->arena, name->container);
    metadata.attempt = name->attempt;
    return metadata.name && put_message(output, number_of("ContainerConfig", "metadata"), &metadata.base);
}

static bool put_resources(Model__LinuxContainerResources *resources, struct walk_output *output)
{
    Model__LinuxContainerConfig part = MODEL__LINUX_CONTAINER_CONFIG__INIT;
    part.resources = resources;
    return put_message(output, number_of("ContainerConfig", "linux"), &part.base);
}

static bool make_container(const struct docker_sources *sources, Model__LinuxContainerResources *resources, struct arena *arena,
                           struct docker_container *container, struct error *error)
{
    struct walk_output output;
    if (!walk_output_start(&output, arena, sources->labels.len + sources->environment.len) ||
        !put_container_metadata(&sources->name, &output) || !put_resources(resources, &output)) {
        return error_no_memory(error);
    }
    if (!put_environment(sources->environment, &output, error) || !put_annotations(sources->labels, &output, error)) {
        return false;
    }
    container->facts.container = walk_output_finish(&output);
    return true;
}

bool docker_facts_read(const struct docker_sources *sources, struct arena *arena, struct docker_container *container,
                       struct error *error)
{
    struct docker_settings settings;
    Model__LinuxContainerResources resources;
    *error = (struct error){0};
    if (!read_kind(sources, arena, container, error) || !container->kubernetes) {
        return error->code == STATUS_OK;
    }
    if (!docker_settings_read(sources->settings, DOCKER_SETTING_COUNT, arena, &settings, &resources, error) ||
        !docker_read_text("CgroupParent", settings.values[DOCKER_CGROUP_PARENT], arena, &container->parent, error)) {
        return error_wrap(error, "HostConfig");
    }
    container->facts.handler = bytes_of_string("docker");
    return make_pod(sources, arena, container, error) &&
           (container->of_pod || make_container(sources, &resources, arena, container, error));
}
