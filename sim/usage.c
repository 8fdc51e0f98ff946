/* The handlers of usage: numbers that grow with time and differ between containers, as in real runtimes. */
#include "sim/handlers.h"

#include <string.h>

#include "sim/common/fields.h"
#include "sim/ids.h"

#define MEBIBYTE 1048576U

/* The numbers of a container at one moment, or their sum for a pod. */
struct usage {
    int64_t at;
    uint64_t core_nanoseconds;
    uint64_t nanocores;
    uint64_t memory;
    uint64_t processes;
    uint64_t received;
};

static struct usage usage_of(const struct container *container, int64_t now)
{
    uint64_t character = hash_of_bytes(container->id, strlen(container->id), 0);
    struct usage usage = {.at = now};
    if (container->state == CONTAINER_RUNNING) {
        uint64_t age = (uint64_t)(now - container->started_at);
        usage.nanocores = 1000000 + character % 400000000;
        usage.core_nanoseconds = age / 1000 * (usage.nanocores / 1000) / 1000 + 1000000;
        usage.memory = (8 + character % 512) * MEBIBYTE + age / 1000000000 % MEBIBYTE;
        usage.processes = 1 + character % 20;
        usage.received = age / 1000000;
    }
    return usage;
}

static struct usage usage_of_pod(const struct simulation *simulation, const struct pod *pod, int64_t now)
{
    struct usage sum = {.at = now, .processes = pod->ready ? 1 : 0};
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        if (container->pod == pod) {
            struct usage usage = usage_of(container, now);
            sum.core_nanoseconds += usage.core_nanoseconds;
            sum.nanocores += usage.nanocores;
            sum.memory += usage.memory;
            sum.processes += usage.processes;
            sum.received += usage.received;
        }
    }
    return sum;
}

static void put_cpu(struct json_object *message, const struct usage *usage)
{
    struct json_object *cpu = field_new_object(message, "cpu");
    field_set_number(cpu, "timestamp", usage->at);
    field_set_wrapped(cpu, "usageCoreNanoSeconds", usage->core_nanoseconds);
    field_set_wrapped(cpu, "usageNanoCores", usage->nanocores);
}

static void put_memory(struct json_object *message, const struct usage *usage)
{
    struct json_object *memory = field_new_object(message, "memory");
    field_set_number(memory, "timestamp", usage->at);
    field_set_wrapped(memory, "workingSetBytes", usage->memory);
    field_set_wrapped(memory, "availableBytes", 1024 * (uint64_t)MEBIBYTE - usage->memory % MEBIBYTE);
    field_set_wrapped(memory, "usageBytes", usage->memory + MEBIBYTE);
    field_set_wrapped(memory, "rssBytes", usage->memory / 2);
    field_set_wrapped(memory, "pageFaults", usage->memory / 4096);
    field_set_wrapped(memory, "majorPageFaults", usage->memory / MEBIBYTE);
}

static struct json_object *container_stats_message(const struct simulation *simulation, const struct container *container)
{
    struct usage usage = usage_of(container, simulation_now());
    struct json_object *message = json_object_new_object();
    struct json_object *attributes = field_new_object(message, "attributes");
    field_set_text(attributes, "id", container->id);
    field_share(attributes, "metadata", field_child(container->config, "metadata"));
    field_share(attributes, "labels", field_child(container->config, "labels"));
    field_share(attributes, "annotations", field_child(container->config, "annotations"));
    if (container->state == CONTAINER_RUNNING) {
        put_cpu(message, &usage);
        put_memory(message, &usage);
        struct json_object *swap = field_new_object(message, "swap");
        field_set_number(swap, "timestamp", usage.at);
        field_set_wrapped(swap, "swapUsageBytes", 0);
    }
    struct json_object *layer = field_new_object(message, "writableLayer");
    field_set_number(layer, "timestamp", usage.at);
    field_set_text(field_new_object(layer, "fsId"), "mountpoint", simulation->settings->image_filesystem_mountpoint);
    field_set_text(field_new_object(layer, "storageId"), "uuid", simulation->settings->image_filesystem_uuid);
    field_set_wrapped(layer, "usedBytes", 24576);
    field_set_wrapped(layer, "inodesUsed", 7);
    return message;
}

bool container_stats(struct exchange *exchange, struct error *error)
{
    const struct container *container = requested_container(exchange, error);
    if (!container) {
        return error_wrap(error, "failed to find container");
    }
    json_object_object_add(exchange->response, "stats", container_stats_message(exchange->simulation, container));
    return true;
}

bool list_container_stats(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation *simulation = exchange->simulation;
    struct json_object *items = field_new_array(exchange->response, "stats");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        if (container->state == CONTAINER_RUNNING && container_passes(exchange, container)) {
            json_object_array_add(items, container_stats_message(simulation, container));
        }
    }
    return true;
}

static void put_network(struct json_object *message, const struct usage *usage)
{
    struct json_object *network = field_new_object(message, "network");
    field_set_number(network, "timestamp", usage->at);
    struct json_object *interface = field_new_object(network, "defaultInterface");
    field_set_text(interface, "name", "eth0");
    field_set_wrapped(interface, "rxBytes", usage->received);
    field_set_wrapped(interface, "rxErrors", 0);
    field_set_wrapped(interface, "txBytes", usage->received / 3);
    field_set_wrapped(interface, "txErrors", 0);
}

static struct json_object *pod_stats_message(const struct simulation *simulation, const struct pod *pod)
{
    struct usage usage = usage_of_pod(simulation, pod, simulation_now());
    struct json_object *message = json_object_new_object();
    struct json_object *attributes = field_new_object(message, "attributes");
    field_set_text(attributes, "id", pod->id);
    field_share(attributes, "metadata", field_child(pod->config, "metadata"));
    field_share(attributes, "labels", field_child(pod->config, "labels"));
    field_share(attributes, "annotations", field_child(pod->config, "annotations"));
    struct json_object *linux_stats = field_new_object(message, "linux");
    put_cpu(linux_stats, &usage);
    put_memory(linux_stats, &usage);
    put_network(linux_stats, &usage);
    struct json_object *process = field_new_object(linux_stats, "process");
    field_set_number(process, "timestamp", usage.at);
    field_set_wrapped(process, "processCount", usage.processes);
    struct json_object *items = field_new_array(linux_stats, "containers");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        if (container->pod == pod && container->state == CONTAINER_RUNNING) {
            json_object_array_add(items, container_stats_message(simulation, container));
        }
    }
    return message;
}

bool pod_sandbox_stats(struct exchange *exchange, struct error *error)
{
    const struct pod *pod = requested_pod(exchange, error);
    if (!pod) {
        return error_wrap(error, "an error occurred when trying to find sandbox %s",
                          field_text(exchange->request, "podSandboxId"));
    }
    json_object_object_add(exchange->response, "stats", pod_stats_message(exchange->simulation, pod));
    return true;
}

bool list_pod_sandbox_stats(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation *simulation = exchange->simulation;
    struct json_object *items = field_new_array(exchange->response, "stats");
    for (size_t i = 0; i < simulation->pods.count; i++) {
        const struct pod *pod = simulation->pods.items[i];
        if (pod->ready && pod_passes(exchange, pod)) {
            json_object_array_add(items, pod_stats_message(simulation, pod));
        }
    }
    return true;
}

#define CPU_METRIC "container_cpu_usage_seconds_total"
#define MEMORY_METRIC "container_memory_working_set_bytes"

static void put_descriptor(struct json_object *descriptors, const char *name, const char *help)
{
    struct json_object *descriptor = json_object_new_object();
    field_set_text(descriptor, "name", name);
    field_set_text(descriptor, "help", help);
    json_object_array_add(field_new_array(descriptor, "labelKeys"), json_object_new_string("id"));
    json_object_array_add(descriptors, descriptor);
}

bool list_metric_descriptors(struct exchange *exchange, struct error *error)
{
    (void)error;
    struct json_object *descriptors = field_new_array(exchange->response, "descriptors");
    put_descriptor(descriptors, CPU_METRIC, "Cumulative CPU time consumed, in seconds.");
    put_descriptor(descriptors, MEMORY_METRIC, "Current working set, in bytes.");
    return true;
}

static void put_metric(struct json_object *metrics, const char *name, const char *type, const char *id, uint64_t value,
                       int64_t at)
{
    struct json_object *metric = json_object_new_object();
    field_set_text(metric, "name", name);
    field_set_number(metric, "timestamp", at);
    field_set_text(metric, "metricType", type);
    json_object_array_add(field_new_array(metric, "labelValues"), json_object_new_string(id));
    field_set_wrapped(metric, "value", value);
    json_object_array_add(metrics, metric);
}

static void put_metrics(struct json_object *message, const char *id, const struct usage *usage)
{
    struct json_object *metrics = field_new_array(message, "metrics");
    put_metric(metrics, CPU_METRIC, "COUNTER", id, usage->core_nanoseconds / 1000000000, usage->at);
    put_metric(metrics, MEMORY_METRIC, "GAUGE", id, usage->memory, usage->at);
}

static struct json_object *pod_metrics_message(const struct simulation *simulation, const struct pod *pod)
{
    int64_t now = simulation_now();
    struct usage usage = usage_of_pod(simulation, pod, now);
    struct json_object *message = json_object_new_object();
    field_set_text(message, "podSandboxId", pod->id);
    put_metrics(message, pod->id, &usage);
    struct json_object *items = field_new_array(message, "containerMetrics");
    for (size_t i = 0; i < simulation->containers.count; i++) {
        const struct container *container = simulation->containers.items[i];
        if (container->pod == pod) {
            struct json_object *item = json_object_new_object();
            usage = usage_of(container, now);
            field_set_text(item, "containerId", container->id);
            put_metrics(item, container->id, &usage);
            json_object_array_add(items, item);
        }
    }
    return message;
}

bool list_pod_sandbox_metrics(struct exchange *exchange, struct error *error)
{
    (void)error;
    const struct simulation *simulation = exchange->simulation;
    struct json_object *items = field_new_array(exchange->response, "podMetrics");
    for (size_t i = 0; i < simulation->pods.count; i++) {
        json_object_array_add(items, pod_metrics_message(simulation, simulation->pods.items[i]));
    }
    return true;
}
