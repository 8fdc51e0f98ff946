#include "translate/rebuild/rebuild.h"

#include "translate/bytes/packing.h"
#include "translate/bytes/slice.h"
#include "translate/json/scan.h"
#include "translate/lists/item.h"
#include "translate/rebuild/environment.h"
#include "translate/rebuild/resources.h"
#include "translate/schema/field_copy.h"

static uint32_t number_of(const char *message, const char *field)
{
    return schema_number_by_name(schema_message_by_name(DIALECT_MODEL, message), field);
}

/* ---- the answer ---- */

struct answer {
    struct bytes status;
    struct bytes id;
    struct bytes info; /* the JSON text under "info"; empty: none */
};

static void read_info(struct bytes response, uint32_t number, struct bytes *info)
{
    struct wire_reader reader = wire_reader_of(response);
    struct wire_field field;
    while (reader.at < reader.end && wire_read_field(&reader, &field)) {
        bool entry = field.number == number && field.type == WIRE_LENGTH;
        if (entry && bytes_equal(wire_last_payload(field.payload, 1), bytes_of_string("info"))) {
            *info = wire_last_payload(field.payload, 2);
        }
    }
    *info = info->len <= REBUILD_JSON_SIZE ? *info : (struct bytes){0};
}

static bool read_answer(enum id_kind kind, struct bytes response, struct answer *answer, struct error *error)
{
    const char *type = kind == ID_POD ? "PodSandboxStatusResponse" : "ContainerStatusResponse";
    const char *status_type = kind == ID_POD ? "PodSandboxStatus" : "ContainerStatus";
    *answer = (struct answer){0};
    if (!status_is_well_formed(kind, DIALECT_MODEL, response)) {
        return error_set(error, STATUS_INTERNAL, "the answer is not a valid %s", type);
    }
    answer->status = wire_last_payload(response, number_of(type, "status"));
    answer->id = wire_last_payload(answer->status, number_of(status_type, "id"));
    if (answer->id.len == 0) {
        return error_set(error, STATUS_INTERNAL, "the answer has no status with an id");
    }
    read_info(response, number_of(type, "info"), &answer->info);
    return true;
}

/* Starts facts with what has the same form in a status and in a configuration. */
static bool copy_status(const struct answer *answer, const char *from, const char *to, const char *const *names,
                        struct walk_output *output, struct error *error)
{
    const struct field_copy copy = {
        .from = schema_message_by_name(DIALECT_MODEL, from),
        .to = schema_message_by_name(DIALECT_MODEL, to),
        .names = names,
    };
    if (field_copy_run(&copy, answer->status, output, error)) {
        return true;
    }
    return error->code == STATUS_RESOURCE_EXHAUSTED || error_set(error, STATUS_INTERNAL, "the answer is malformed");
}

/* Ends facts with their part `linux`. */
static bool put_linux(const char *type, const ProtobufCMessage *part, struct walk_output *output, struct error *error)
{
    struct bytes packed;
    if (!arena_pack(output->arena, part, &packed)) {
        return error_no_memory(error);
    }
    return packed.len == 0 || walk_output_put_field(output, number_of(type, "linux"), packed) || error_no_memory(error);
}

/* ---- pods ---- */

struct pod_sources {
    Model__LinuxPodSandboxConfig linux_part;
    Model__LinuxContainerResources overhead;
    Model__LinuxContainerResources resources;
    struct bytes handler;
    unsigned missing;
};

static void take_parent(char *parent, struct pod_sources *sources)
{
    if (parent) {
        sources->linux_part.cgroup_parent = parent;
        sources->missing &= ~(unsigned)REBUILD_NO_PARENT;
    }
}

/* false: there is a value, but of another type. */
static bool read_limits(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources,
                        Model__LinuxContainerResources **shown)
{
    if (rebuild_resources_of_config(json, arena, resources)) {
        *shown = resources;
        return true;
    }
    return json.len == 0 || bytes_equal(json, bytes_of_string("null"));
}

/* containerd: what a configuration lacks, the kubelet did not send. */
static void read_pod_config(struct bytes config, struct arena *arena, struct pod_sources *sources)
{
    enum { PARENT, OVERHEAD, RESOURCES, COUNT };
    struct bytes linux_json, values[COUNT], text;
    if (!json_scan_pick(config, (const char *const[]){"linux"}, 1, &linux_json) ||
        (!json_scan_pick(linux_json, (const char *const[COUNT]){"cgroup_parent", "overhead", "resources"}, COUNT, values) &&
         linux_json.len > 0)) {
        return;
    }
    sources->missing = 0;
    if (json_scan_string(values[PARENT], arena, &text)) {
        take_parent(arena_string(arena, text), sources);
    } else if (values[PARENT].len > 0) {
        sources->missing |= REBUILD_NO_PARENT;
    }
    read_limits(values[OVERHEAD], arena, &sources->overhead, &sources->linux_part.overhead);
    if (!read_limits(values[RESOURCES], arena, &sources->resources, &sources->linux_part.resources)) {
        sources->missing |= REBUILD_NO_RESOURCES;
    }
}

/* What the pod was updated to. */
static void read_updated(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources,
                         Model__LinuxContainerResources **shown)
{
    struct bytes limits;
    json_scan_pick(json, (const char *const[]){"linux"}, 1, &limits);
    read_limits(limits, arena, resources, shown);
}

/* Resources as JSON within a string: `null` means that there are none. */
static bool read_annotation(struct bytes json, struct arena *arena, Model__LinuxContainerResources *resources,
                            Model__LinuxContainerResources **shown)
{
    struct bytes text;
    return json_scan_string(json, arena, &text) && read_limits(text, arena, resources, shown);
}

/* CRI-O: annotations of the specification, with names up to 1.34 and after. */
static void read_pod_annotations(struct bytes specification, struct arena *arena, struct pod_sources *sources)
{
    enum { PARENT, HANDLER, OVERHEAD, OVERHEAD_OLD, RESOURCES, RESOURCES_OLD, COUNT };
    static const char *const keys[COUNT] = {
        "io.kubernetes.cri-o.CgroupParent",     "io.kubernetes.cri-o.RuntimeHandler", "pod-linux-overhead.crio.io",
        "io.kubernetes.cri-o.PodLinuxOverhead", "pod-linux-resources.crio.io",        "io.kubernetes.cri-o.PodLinuxResources",
    };
    struct bytes annotations, values[COUNT], text;
    json_scan_pick(specification, (const char *const[]){"annotations"}, 1, &annotations);
    json_scan_pick(annotations, keys, COUNT, values);
    if (json_scan_string(values[PARENT], arena, &text)) {
        take_parent(slice_path(text, arena), sources);
    }
    if (json_scan_string(values[HANDLER], arena, &text)) {
        sources->handler = text;
    }
    struct bytes overhead = values[OVERHEAD].len > 0 ? values[OVERHEAD] : values[OVERHEAD_OLD];
    struct bytes resources = values[RESOURCES].len > 0 ? values[RESOURCES] : values[RESOURCES_OLD];
    read_annotation(overhead, arena, &sources->overhead, &sources->linux_part.overhead);
    if (read_annotation(resources, arena, &sources->resources, &sources->linux_part.resources)) {
        sources->missing &= ~(unsigned)REBUILD_NO_RESOURCES;
    }
}

static void read_pod_info(struct bytes info, struct arena *arena, struct pod_sources *sources)
{
    enum { CONFIG, SPECIFICATION, OVERHEAD, RESOURCES, COUNT };
    struct bytes values[COUNT];
    json_scan_pick(info, (const char *const[COUNT]){"config", "runtimeSpec", "overhead", "resources"}, COUNT, values);
    read_pod_annotations(values[SPECIFICATION], arena, sources);
    read_pod_config(values[CONFIG], arena, sources);
    read_updated(values[OVERHEAD], arena, &sources->overhead, &sources->linux_part.overhead);
    read_updated(values[RESOURCES], arena, &sources->resources, &sources->linux_part.resources);
}

bool rebuild_pod(struct bytes response, struct arena *arena, struct rebuilt_pod *pod, struct error *error)
{
    static const char *const names[] = {"metadata", "labels", "annotations", NULL};
    struct answer answer;
    struct walk_output output;
    struct pod_sources sources = {.missing = REBUILD_NO_PARENT | REBUILD_NO_RESOURCES};
    if (!read_answer(ID_POD, response, &answer, error)) {
        return false;
    }
    model__linux_pod_sandbox_config__init(&sources.linux_part);
    model__linux_container_resources__init(&sources.overhead);
    model__linux_container_resources__init(&sources.resources);
    read_pod_info(answer.info, arena, &sources);
    if (!walk_output_start(&output, arena, answer.status.len)) {
        return error_no_memory(error);
    }
    if (!copy_status(&answer, "PodSandboxStatus", "PodSandboxConfig", names, &output, error) ||
        !put_linux("PodSandboxConfig", &sources.linux_part.base, &output, error)) {
        return false;
    }
    struct bytes handler = wire_last_payload(answer.status, number_of("PodSandboxStatus", "runtime_handler"));
    *pod = (struct rebuilt_pod){
        .id = answer.id,
        .handler = handler.len > 0 ? handler : sources.handler,
        .facts = walk_output_finish(&output),
        .missing = sources.missing,
    };
    return true;
}

/* ---- containers ---- */

static bool read_status_resources(const struct answer *answer, struct arena *arena, Model__LinuxContainerResources *resources)
{
    struct bytes in_force = wire_last_payload(answer->status, number_of("ContainerStatus", "resources"));
    struct wire_field field;
    return wire_last_field(in_force, number_of("ContainerResources", "linux"), WIRE_LENGTH, &field) &&
           rebuild_resources_of_message(field.payload, arena, resources);
}

static bool read_config_resources(struct bytes config, struct arena *arena, Model__LinuxContainerResources *resources)
{
    struct bytes linux_json, limits;
    if (!json_scan_pick(config, (const char *const[]){"linux"}, 1, &linux_json)) {
        return false;
    }
    bool picked = json_scan_pick(linux_json, (const char *const[]){"resources"}, 1, &limits);
    return rebuild_resources_of_config(limits, arena, resources) || (limits.len == 0 && (picked || linux_json.len == 0));
}

static bool put_container_resources(const Model__LinuxContainerResources *resources, struct walk_output *output,
                                    struct error *error)
{
    Model__LinuxContainerResources copy = *resources;
    Model__LinuxContainerConfig linux_part = MODEL__LINUX_CONTAINER_CONFIG__INIT;
    linux_part.resources = &copy;
    return put_linux("ContainerConfig", &linux_part.base, output, error);
}

bool rebuild_container(struct bytes response, struct arena *arena, struct rebuilt_container *container, struct error *error)
{
    enum { CONFIG, SPECIFICATION, POD, COUNT };
    static const char *const names[] = {"metadata", "annotations", NULL};
    struct answer answer;
    struct bytes values[COUNT];
    struct walk_output output;
    Model__LinuxContainerResources resources = MODEL__LINUX_CONTAINER_RESOURCES__INIT;
    *container = (struct rebuilt_container){0};
    if (!read_answer(ID_CONTAINER, response, &answer, error)) {
        return false;
    }
    json_scan_pick(answer.info, (const char *const[COUNT]){"config", "runtimeSpec", "sandboxID"}, COUNT, values);
    bool configured = read_config_resources(values[CONFIG], arena, &resources);
    bool specified = rebuild_resources_of_specification(values[SPECIFICATION], arena, &resources);
    bool reported = read_status_resources(&answer, arena, &resources);
    bool known = configured || specified || reported;
    if (!walk_output_start(&output, arena, answer.status.len)) {
        return error_no_memory(error);
    }
    if (!copy_status(&answer, "ContainerStatus", "ContainerConfig", names, &output, error) ||
        (known && !put_container_resources(&resources, &output, error))) {
        return false;
    }
    container->facts = walk_output_finish(&output);
    container->id = answer.id;
    container->missing = known ? 0 : REBUILD_NO_RESOURCES;
    if (!rebuild_environment(values[CONFIG], values[SPECIFICATION], arena, &container->environment)) {
        container->missing |= REBUILD_NO_ENVIRONMENT;
    }
    if (!json_scan_string(values[POD], arena, &container->pod_id)) {
        container->pod_id = (struct bytes){0};
    }
    return true;
}

const char *rebuild_missing_text(unsigned missing)
{
    static const char *const texts[] = {
        NULL,
        "cgroup parent",
        "resources",
        "cgroup parent, resources",
        "environment",
        "cgroup parent, environment",
        "resources, environment",
        "cgroup parent, resources, environment",
    };
    return texts[missing & (REBUILD_NO_PARENT | REBUILD_NO_RESOURCES | REBUILD_NO_ENVIRONMENT)];
}
