#include "sim/verbose.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/common/fields.h"
#include "sim/common/memory.h"
#include "translate/schema/schema.h"

/* ---- messages as Go's encoding/json writes them ---- */

static struct json_object *go_message(const struct schema_message *message, struct json_object *json);

static int32_t enum_number(const struct schema_enum *enumeration, struct json_object *json)
{
    const char *name = json_object_get_string(json);
    for (uint16_t i = 0; i < enumeration->value_count; i++) {
        if (strcmp(enumeration->values[i].name, name) == 0) {
            return enumeration->values[i].number;
        }
    }
    return json_object_get_int(json);
}

static struct json_object *go_value(const struct schema_field *field, struct json_object *json)
{
    switch ((enum field_type)field->type) {
    case FIELD_INT64:
        return json_object_new_int64(json_object_get_int64(json));
    case FIELD_UINT64:
        return json_object_new_uint64(json_object_get_uint64(json));
    case FIELD_ENUM:
        return json_object_new_int(enum_number(field->enumeration, json));
    case FIELD_MESSAGE:
        return go_message(field->message, json);
    default:
        return json_object_get(json);
    }
}

static struct json_object *go_list(const struct schema_field *field, struct json_object *json)
{
    struct json_object *list = json_object_new_array();
    for (size_t i = 0; i < json_object_array_length(json); i++) {
        json_object_array_add(list, go_value(field, json_object_array_get_idx(json, i)));
    }
    return list;
}

/* Names as in the .proto file, numbers as numbers, enums by number, without default values. NULL for NULL. */
static struct json_object *go_message(const struct schema_message *message, struct json_object *json)
{
    struct json_object *go = json ? json_object_new_object() : NULL;
    for (uint16_t i = 0; go && i < message->field_count; i++) {
        const struct schema_field *field = &message->fields[i];
        struct json_object *value = field_child(json, field->json_name);
        if (value) {
            bool list = field->repeated && !field->map;
            json_object_object_add(go, field->name,
                                   field->map ? json_object_get(value)
                                   : list     ? go_list(field, value)
                                              : go_value(field, value));
        }
    }
    return go;
}

static struct json_object *go_form(const char *message, struct json_object *json)
{
    return go_message(schema_message_by_name(DIALECT_MODEL, message), json);
}

/* ---- OCI specifications ---- */

static void put_assignment(struct json_object *environment, const char *name, const char *value)
{
    char *text = sim_text("%s=%s", name, value);
    json_object_array_add(environment, json_object_new_string(text));
    free(text);
}

/* First what images and runtimes set. */
static void put_environment(struct json_object *process, struct json_object *config)
{
    struct json_object *environment = field_new_array(process, "env");
    struct json_object *variables = field_child(config, "envs");
    put_assignment(environment, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    for (size_t i = 0; variables && i < json_object_array_length(variables); i++) {
        struct json_object *variable = json_object_array_get_idx(variables, i);
        put_assignment(environment, field_text(variable, "key"), field_text(variable, "value"));
    }
}

static void put_hugepages(struct json_object *limits, struct json_object *resources)
{
    struct json_object *asked = field_child(resources, "hugepageLimits");
    struct json_object *list = asked ? field_new_array(limits, "hugepageLimits") : NULL;
    for (size_t i = 0; list && i < json_object_array_length(asked); i++) {
        struct json_object *item = json_object_new_object();
        struct json_object *limit = json_object_array_get_idx(asked, i);
        field_set_text(item, "pageSize", field_text(limit, "pageSize"));
        json_object_object_add(item, "limit", json_object_new_int64(field_number(limit, "limit")));
        json_object_array_add(list, item);
    }
}

static void put_limit(struct json_object *limits, const char *key, struct json_object *resources, const char *from)
{
    int64_t number = field_number(resources, from);
    if (number != 0) {
        json_object_object_add(limits, key, json_object_new_int64(number));
    }
}

static void put_limits(struct json_object *specification, struct json_object *resources)
{
    struct json_object *limits = field_new_object(field_new_object(specification, "linux"), "resources");
    struct json_object *cpu = field_new_object(limits, "cpu");
    put_limit(cpu, "shares", resources, "cpuShares");
    put_limit(cpu, "quota", resources, "cpuQuota");
    put_limit(cpu, "period", resources, "cpuPeriod");
    field_set_text(cpu, "cpus", field_text(resources, "cpusetCpus"));
    field_set_text(cpu, "mems", field_text(resources, "cpusetMems"));
    struct json_object *memory = field_new_object(limits, "memory");
    put_limit(memory, "limit", resources, "memoryLimitInBytes");
    put_limit(memory, "swap", resources, "memorySwapLimitInBytes");
    put_hugepages(limits, resources);
    field_share(limits, "unified", field_child(resources, "unified"));
}

static struct json_object *container_specification(const struct container *container)
{
    struct json_object *resources = field_child(container->resources, "linux");
    struct json_object *specification = json_object_new_object();
    field_set_text(specification, "ociVersion", "1.2.0");
    struct json_object *process = field_new_object(specification, "process");
    put_environment(process, container->config);
    put_limit(process, "oomScoreAdj", resources, "oomScoreAdj");
    put_limits(specification, resources);
    return specification;
}

/* The name of a slice, without the slices above it: CRI-O keeps no more of a cgroup parent. */
static const char *cgroup_parent(struct json_object *config)
{
    const char *parent = field_text(field_child(config, "linux"), "cgroupParent");
    const char *slash = strrchr(parent, '/');
    size_t length = strlen(parent);
    bool slice = length > 6 && strcmp(parent + length - 6, ".slice") == 0;
    return slice && slash ? slash + 1 : parent;
}

static void put_resources_annotation(struct json_object *annotations, const char *key, struct json_object *resources)
{
    struct json_object *go = go_form("LinuxContainerResources", resources);
    json_object_object_add(annotations, key,
                           json_object_new_string(go ? json_object_to_json_string_ext(go, JSON_C_TO_STRING_PLAIN) : "null"));
    json_object_put(go);
}

static struct json_object *pod_specification(const struct pod *pod)
{
    struct json_object *linux_config = field_child(pod->config, "linux");
    struct json_object *specification = json_object_new_object();
    field_set_text(specification, "ociVersion", "1.2.0");
    struct json_object *annotations = field_new_object(specification, "annotations");
    json_object_object_add(annotations, "io.kubernetes.cri-o.CgroupParent", json_object_new_string(cgroup_parent(pod->config)));
    json_object_object_add(annotations, "io.kubernetes.cri-o.RuntimeHandler", json_object_new_string(pod->handler));
    put_resources_annotation(annotations, "pod-linux-overhead.crio.io", field_child(linux_config, "overhead"));
    put_resources_annotation(annotations, "pod-linux-resources.crio.io", field_child(linux_config, "resources"));
    return specification;
}

/* ---- info ---- */

/* Takes over `info`. */
static void put_info(struct json_object *response, struct json_object *info)
{
    field_set_text(field_new_object(response, "info"), "info", json_object_to_json_string_ext(info, JSON_C_TO_STRING_PLAIN));
    json_object_put(info);
}

static struct json_object *crio_pod(const struct pod *pod)
{
    struct json_object *info = json_object_new_object();
    field_set_text(info, "image", "registry.k8s.io/pause:3.10");
    json_object_object_add(info, "pid", json_object_new_int64(pod->ready ? pod->pid : 0));
    json_object_object_add(info, "runtimeSpec", pod_specification(pod));
    return info;
}

static struct json_object *containerd_pod(const struct pod *pod, bool plain)
{
    struct json_object *info = json_object_new_object();
    json_object_object_add(info, "pid", json_object_new_int64(pod->ready ? pod->pid : 0));
    field_set_text(info, "processStatus", pod->ready ? "running" : "deleted");
    json_object_object_add(info, "netNamespaceClosed", json_object_new_boolean(!pod->ready));
    json_object_object_add(info, "runtimeHandler", json_object_new_string(pod->handler));
    field_set_text(info, "runtimeType", "io.containerd.runc.v2");
    json_object_object_add(info, "config", plain ? json_object_get(pod->config) : go_form("PodSandboxConfig", pod->config));
    return info;
}

void put_pod_info(const struct simulation *simulation, const struct pod *pod, struct json_object *response)
{
    enum verbose_info form = simulation->settings->verbose_info;
    if (form != VERBOSE_NONE) {
        put_info(response, form == VERBOSE_CRIO ? crio_pod(pod) : containerd_pod(pod, form == VERBOSE_PLAIN));
    }
}

static struct json_object *crio_container(const struct container *container)
{
    struct json_object *info = json_object_new_object();
    field_set_text(info, "sandboxID", container->pod->id);
    json_object_object_add(info, "pid", json_object_new_int64(container->pid));
    json_object_object_add(info, "runtimeSpec", container_specification(container));
    json_object_object_add(info, "privileged", json_object_new_boolean(false));
    return info;
}

static struct json_object *containerd_container(const struct container *container, bool plain)
{
    struct json_object *info = json_object_new_object();
    field_set_text(info, "sandboxID", container->pod->id);
    json_object_object_add(info, "pid", json_object_new_int64(container->pid));
    json_object_object_add(info, "removing", json_object_new_boolean(false));
    field_set_text(info, "snapshotKey", container->id);
    field_set_text(info, "snapshotter", "overlayfs");
    field_set_text(info, "runtimeType", "io.containerd.runc.v2");
    if (plain) {
        field_share(info, "config", container->config);
    } else {
        json_object_object_add(info, "config", go_form("ContainerConfig", container->config));
        json_object_object_add(info, "runtimeSpec", container_specification(container));
    }
    return info;
}

void put_container_info(const struct simulation *simulation, const struct container *container, struct json_object *response)
{
    enum verbose_info form = simulation->settings->verbose_info;
    if (form != VERBOSE_NONE) {
        put_info(response,
                 form == VERBOSE_CRIO ? crio_container(container) : containerd_container(container, form == VERBOSE_PLAIN));
    }
}
