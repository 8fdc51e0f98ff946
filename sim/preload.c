/* Creates the initial pods, containers and images of a simulated runtime, as a kubelet would have. */
#include "sim/simulation.h"

#include <stdio.h>

#include "sim/common/fields.h"
#include "sim/ids.h"

#define CONTAINERS_A_POD 3

static const char *const workloads[] = {"web", "cache", "queue", "billing", "search", "metrics", "gateway", "ledger"};

/* The names of one preloaded workload. */
struct workload {
    unsigned number;
    char pod_name[64];
    char uid[40];
    const char *namespace_name;
};

static struct workload workload_of(unsigned number)
{
    struct workload workload = {.number = number, .namespace_name = number % 4 == 0 ? "kube-system" : "production"};
    char digits[ID_SIZE];
    char seed[32];
    snprintf(seed, sizeof seed, "workload %u", number);
    id_of_text(seed, digits);
    const char *name = workloads[number % (sizeof workloads / sizeof *workloads)];
    snprintf(workload.pod_name, sizeof workload.pod_name, "%s-%.10s-%05u", name, digits, number);
    snprintf(workload.uid, sizeof workload.uid, "%.8s-%.4s-4%.3s-8%.3s-%.12s", digits, digits + 8, digits + 12, digits + 16,
             digits + 20);
    return workload;
}

static void set_kubernetes_labels(struct json_object *labels, const struct workload *workload)
{
    field_set_text(labels, "io.kubernetes.pod.name", workload->pod_name);
    field_set_text(labels, "io.kubernetes.pod.namespace", workload->namespace_name);
    field_set_text(labels, "io.kubernetes.pod.uid", workload->uid);
}

static struct json_object *pod_config_of(const struct workload *workload)
{
    struct json_object *config = json_object_new_object();
    struct json_object *metadata = field_new_object(config, "metadata");
    field_set_text(metadata, "name", workload->pod_name);
    field_set_text(metadata, "uid", workload->uid);
    field_set_text(metadata, "namespace", workload->namespace_name);
    field_set_text(config, "hostname", workload->pod_name);
    char directory[160];
    snprintf(directory, sizeof directory, "/var/log/pods/%s_%s_%s", workload->namespace_name, workload->pod_name, workload->uid);
    field_set_text(config, "logDirectory", directory);
    struct json_object *labels = field_new_object(config, "labels");
    field_set_text(labels, "app", workloads[workload->number % (sizeof workloads / sizeof *workloads)]);
    field_set_text(labels, "pod-template-hash", "5d59d67564");
    set_kubernetes_labels(labels, workload);
    struct json_object *annotations = field_new_object(config, "annotations");
    field_set_text(annotations, "kubernetes.io/config.seen", "2026-01-05T08:11:42.304918371Z");
    field_set_text(annotations, "kubernetes.io/config.source", "api");
    struct json_object *linux_config = field_new_object(config, "linux");
    field_set_text(linux_config, "cgroupParent", "/kubepods/burstable");
    struct json_object *options = field_new_object(field_new_object(linux_config, "securityContext"), "namespaceOptions");
    field_set_text(options, "pid", "CONTAINER");
    return config;
}

static struct json_object *container_config_of(const struct workload *workload, unsigned container, const char *image)
{
    struct json_object *config = json_object_new_object();
    char name[32];
    snprintf(name, sizeof name, "container-%u", container);
    field_set_text(field_new_object(config, "metadata"), "name", name);
    field_set_text(field_new_object(config, "image"), "image", image);
    struct json_object *labels = field_new_object(config, "labels");
    set_kubernetes_labels(labels, workload);
    field_set_text(labels, "io.kubernetes.container.name", name);
    struct json_object *annotations = field_new_object(config, "annotations");
    field_set_text(annotations, "io.kubernetes.container.hash", "8a7f3c21");
    field_set_text(annotations, "io.kubernetes.container.restartCount", "0");
    field_set_text(annotations, "io.kubernetes.container.terminationMessagePath", "/dev/termination-log");
    field_set_text(annotations, "io.kubernetes.container.terminationMessagePolicy", "File");
    field_set_text(annotations, "io.kubernetes.pod.terminationGracePeriod", "30");
    char log_path[48];
    snprintf(log_path, sizeof log_path, "%s/0.log", name);
    field_set_text(config, "logPath", log_path);
    struct json_object *mount = json_object_new_object();
    field_set_text(mount, "containerPath", "/etc/hosts");
    char host_path[128];
    snprintf(host_path, sizeof host_path, "/var/lib/kubelet/pods/%s/etc-hosts", workload->uid);
    field_set_text(mount, "hostPath", host_path);
    json_object_array_add(field_new_array(config, "mounts"), mount);
    struct json_object *resources = field_new_object(field_new_object(config, "linux"), "resources");
    field_set_number(resources, "cpuPeriod", 100000);
    field_set_number(resources, "cpuShares", 256);
    field_set_number(resources, "memoryLimitInBytes", 268435456);
    return config;
}

static bool preload_container(struct simulation *simulation, const struct workload *workload, const struct pod *pod,
                              unsigned number, const char *image, struct error *error)
{
    char seed[48];
    char id[ID_SIZE];
    snprintf(seed, sizeof seed, "container %u", number);
    id_of_text(seed, id);
    struct json_object *config = container_config_of(workload, number % CONTAINERS_A_POD, image);
    struct container *container = simulation_create_container(simulation, pod->id, config, pod->config, id, error);
    json_object_put(config);
    return container && simulation_start_container(simulation, container, error);
}

static struct pod *preload_pod(struct simulation *simulation, const struct workload *workload, struct error *error)
{
    char seed[48];
    char id[ID_SIZE];
    snprintf(seed, sizeof seed, "pod %u", workload->number);
    id_of_text(seed, id);
    struct json_object *config = pod_config_of(workload);
    struct pod *pod = simulation_run_pod(simulation, config, "", id, error);
    json_object_put(config);
    return pod;
}

static bool preload_image(struct simulation *simulation, const char *name, struct error *error)
{
    struct json_object *spec = json_object_new_object();
    field_set_text(spec, "image", name);
    bool pulled = simulation_pull_image(simulation, spec, error) != NULL;
    json_object_put(spec);
    return pulled;
}

bool simulation_preload(struct simulation *simulation, unsigned containers, unsigned images, struct error *error)
{
    /* Containers need an image, even if no images were requested. */
    unsigned needed = containers > 0 && images == 0 ? 1 : images;
    char image[96];
    for (unsigned i = 0; i < needed; i++) {
        snprintf(image, sizeof image, "registry.example.com/shop/%s:1.%u", workloads[i % 8], i);
        if (!preload_image(simulation, image, error)) {
            return false;
        }
    }
    struct workload workload = {0};
    struct pod *pod = NULL;
    for (unsigned i = 0; i < containers; i++) {
        if (i % CONTAINERS_A_POD == 0) {
            workload = workload_of(i / CONTAINERS_A_POD);
            pod = preload_pod(simulation, &workload, error);
        }
        snprintf(image, sizeof image, "registry.example.com/shop/%s:1.%u", workloads[i % needed % 8], i % needed);
        if (!pod || !preload_container(simulation, &workload, pod, i, image, error)) {
            return false;
        }
    }
    return true;
}
