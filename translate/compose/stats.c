/* Statistics for runtimes that lack them. */
#include <stdlib.h>

#include "generated/functions.h"
#include "model/api.pb-c.h"
#include "translate/bytes/output.h"
#include "translate/compose/compose.h"
#include "translate/compose/working_sets.h"
#include "translate/lists/item.h"
#include "translate/schema/field_copy.h"
#include "translate/walk/node.h"

/* Numbers of the model's fields in the answer. */
struct shape {
    const struct schema_message *pod;        /* PodSandbox */
    const struct schema_message *attributes; /* PodSandboxAttributes */
    uint32_t stats;                          /* of ListPodSandboxStatsResponse */
    uint32_t pod_attributes;                 /* of PodSandboxStats */
    uint32_t pod_linux;
    uint32_t pod_containers;       /* of LinuxPodSandboxStats */
    uint32_t container_stats;      /* of ListContainerStatsResponse */
    uint32_t container_attributes; /* of ContainerStats */
    uint32_t container_id;         /* of ContainerAttributes */
};

static uint32_t number_of(const char *message, const char *field)
{
    return schema_field_by_name(schema_message_by_name(DIALECT_MODEL, message), field)->number;
}

static struct shape shape_of_answer(void)
{
    return (struct shape){
        .pod = schema_message_by_name(DIALECT_MODEL, "PodSandbox"),
        .attributes = schema_message_by_name(DIALECT_MODEL, "PodSandboxAttributes"),
        .stats = number_of("ListPodSandboxStatsResponse", "stats"),
        .pod_attributes = number_of("PodSandboxStats", "attributes"),
        .pod_linux = number_of("PodSandboxStats", "linux"),
        .pod_containers = number_of("LinuxPodSandboxStats", "containers"),
        .container_stats = number_of("ListContainerStatsResponse", "stats"),
        .container_attributes = number_of("ContainerStats", "attributes"),
        .container_id = number_of("ContainerAttributes", "id"),
    };
}

/* ---- the pods of containers ---- */

struct place {
    struct bytes container;
    struct bytes pod;
};

/* One container's statistics, and their place. */
struct sample {
    struct bytes pod;
    struct bytes stats;
    bool taken; /* of the first of a pod: the pod has them */
};

static int compare_places(const void *a, const void *b)
{
    return bytes_compare(((const struct place *)a)->container, ((const struct place *)b)->container);
}

static int compare_samples(const void *a, const void *b)
{
    const struct sample *first = a, *second = b;
    int order = bytes_compare(first->pod, second->pod);
    return order != 0 ? order : (first->stats.data > second->stats.data) - (first->stats.data < second->stats.data);
}

static bool malformed(const struct composing *composing, struct error *error)
{
    return error_set(error, STATUS_INTERNAL, "a list of runtime %s cannot be read", composing->runtime_name);
}

static bool read_places(const struct composing *composing, struct bytes containers, struct place **places, size_t *count,
                        struct error *error)
{
    struct list_items items = list_items_of(ID_CONTAINER, DIALECT_MODEL, containers);
    struct list_item item;
    size_t n = 0;
    while (list_items_next(&items, &item)) {
        n++;
    }
    if (items.malformed) {
        return malformed(composing, error);
    }
    *places = composing_alloc(composing, (n + 1) * sizeof **places, error);
    if (!*places) {
        return false;
    }
    items = list_items_of(ID_CONTAINER, DIALECT_MODEL, containers);
    for (*count = 0; list_items_next(&items, &item); (*count)++) {
        (*places)[*count] = (struct place){.container = item.id, .pod = item.pod_sandbox_id};
    }
    qsort(*places, *count, sizeof **places, compare_places);
    return true;
}

/* The next statistics of a list, and the id of their container. false at the end, or if the list is malformed. */
static bool next_stats(const struct shape *shape, struct wire_reader *reader, struct bytes *stats, struct bytes *id, bool *well)
{
    struct wire_field field;
    struct bytes attributes;
    while (*well && reader->at < reader->end) {
        *well = wire_read_field(reader, &field);
        if (*well && field.number == shape->container_stats) {
            *stats = field.payload;
            *well = field.type == WIRE_LENGTH && wire_find_payload(*stats, shape->container_attributes, &attributes) &&
                    wire_find_payload(attributes, shape->container_id, id);
            return *well;
        }
    }
    return false;
}

/* The statistics of containers that are in the list of containers, ordered by pod and then by arrival. */
static bool read_samples(const struct composing *composing, const struct shape *shape, struct bytes list,
                         const struct place *places, size_t place_count, struct sample **samples, size_t *count,
                         struct error *error)
{
    struct wire_reader reader = wire_reader_of(list);
    struct bytes stats, id;
    bool well = true;
    size_t n = 0;
    while (next_stats(shape, &reader, &stats, &id, &well)) {
        n++;
    }
    if (!well) {
        return malformed(composing, error);
    }
    *samples = composing_alloc(composing, (n + 1) * sizeof **samples, error);
    if (!*samples) {
        return false;
    }
    reader = wire_reader_of(list);
    *count = 0;
    while (next_stats(shape, &reader, &stats, &id, &well)) {
        const struct place wanted = {.container = id};
        const struct place *place = bsearch(&wanted, places, place_count, sizeof *places, compare_places);
        if (place) {
            (*samples)[(*count)++] = (struct sample){.pod = place->pod, .stats = stats};
        }
    }
    qsort(*samples, *count, sizeof **samples, compare_samples);
    return true;
}

/* ---- pods ---- */

/* The first sample of a pod, or the place where it would be. */
static size_t first_of_pod(const struct sample *samples, size_t count, struct bytes pod)
{
    size_t low = 0;
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (bytes_compare(samples[middle].pod, pod) < 0) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    return low;
}

/* A pod appears once, even if a runtime lists it repeatedly: otherwise the answer to two lists could be as long as their product.
 */
static bool put_containers(struct walk_output *output, const struct shape *shape, struct bytes pod, struct sample *samples,
                           size_t count)
{
    size_t opened = walk_output_open(output, shape->pod_linux, 0);
    bool done = opened != SIZE_MAX;
    size_t first = first_of_pod(samples, count, pod);
    bool taken = first < count && samples[first].taken;
    for (size_t i = first; done && !taken && i < count && bytes_equal(samples[i].pod, pod); i++) {
        samples[i].taken = i == first;
        done = walk_output_put_field(output, shape->pod_containers, samples[i].stats);
    }
    return done && walk_output_close(output, opened, 0);
}

/* A pod uses more than the sum of its containers: the value is left out rather than added up. */
static bool put_pod(struct walk_output *output, const struct shape *shape, const struct list_item *pod, struct sample *samples,
                    size_t count, struct error *error)
{
    static const char *const names[] = {"id", "metadata", "labels", "annotations", NULL};
    const struct field_copy copy = {.from = shape->pod, .to = shape->attributes, .names = names};
    size_t opened = walk_output_open(output, shape->stats, 0);
    size_t attributes = opened == SIZE_MAX ? SIZE_MAX : walk_output_open(output, shape->pod_attributes, 0);
    if (attributes != SIZE_MAX && !field_copy_run(&copy, pod->message, output, error)) {
        return false;
    }
    bool done = attributes != SIZE_MAX && walk_output_close(output, attributes, 0) &&
                put_containers(output, shape, pod->id, samples, count) && walk_output_close(output, opened, 0);
    return done || error_no_memory(error);
}

static bool put_pods(struct composing *composing, const struct shape *shape, struct sample *samples, size_t count,
                     struct error *error)
{
    struct walk_output output;
    struct bytes pods = composing->answers[0];
    if (!walk_output_start(&output, composing->arena, pods.len + composing->answers[2].len)) {
        return error_no_memory(error);
    }
    struct list_items items = list_items_of(ID_POD, DIALECT_MODEL, pods);
    struct list_item pod;
    while (list_items_next(&items, &pod)) {
        if (!put_pod(&output, shape, &pod, samples, count, error)) {
            return false;
        }
    }
    composing->outcome = COMPOSED_ANSWER;
    composing->composed = walk_output_finish(&output);
    return !items.malformed || malformed(composing, error);
}

static bool copy_labels(const struct composing *composing, const Model__PodSandboxStatsFilter *from, Model__PodSandboxFilter *to,
                        struct error *error)
{
    size_t count = from->n_label_selector;
    Model__PodSandboxFilter__LabelSelectorEntry *entries = composing_alloc(composing, (count + 1) * sizeof *entries, error);
    to->label_selector = entries ? composing_alloc(composing, (count + 1) * sizeof(void *), error) : NULL;
    if (!to->label_selector) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        model__pod_sandbox_filter__label_selector_entry__init(&entries[i]);
        entries[i].key = from->label_selector[i]->key;
        entries[i].value = from->label_selector[i]->value;
        to->label_selector[i] = &entries[i];
    }
    to->n_label_selector = count;
    return true;
}

/* Only pods that are ready, as runtimes with this RPC do. */
static bool ask_for_pods(struct composing *composing, struct error *error)
{
    struct bytes bytes;
    if (!composing_request(composing, &bytes, error)) {
        return false;
    }
    const Model__ListPodSandboxStatsRequest *asked =
        composing_decode(composing, &model__list_pod_sandbox_stats_request__descriptor, bytes, error);
    if (!asked) {
        return false;
    }
    Model__PodSandboxStateValue ready = MODEL__POD_SANDBOX_STATE_VALUE__INIT;
    Model__PodSandboxFilter filter = MODEL__POD_SANDBOX_FILTER__INIT;
    Model__ListPodSandboxRequest request = MODEL__LIST_POD_SANDBOX_REQUEST__INIT;
    filter.state = &ready;
    if (asked->filter) {
        filter.id = asked->filter->id;
        if (!copy_labels(composing, asked->filter, &filter, error)) {
            return false;
        }
    }
    request.filter = &filter;
    return composing_ask(composing, "ListPodSandbox", &request.base, error);
}

/* ListPodSandboxStats from three lists: pods, containers (for their pods), statistics of containers. */
bool compose_pod_stats(struct composing *composing, struct error *error)
{
    if (composing->asked == 0) {
        return ask_for_pods(composing, error);
    }
    if (composing->asked < 3) {
        return composing_ask(composing, composing->asked == 1 ? "ListContainers" : "ListContainerStats", NULL, error);
    }
    struct shape shape = shape_of_answer();
    struct place *places = NULL;
    struct sample *samples = NULL;
    size_t place_count = 0;
    size_t sample_count = 0;
    struct bytes *stats = &composing->answers[2];
    return working_sets_correct(composing, *stats, stats, error) &&
           read_places(composing, composing->answers[1], &places, &place_count, error) &&
           read_samples(composing, &shape, *stats, places, place_count, &samples, &sample_count, error) &&
           put_pods(composing, &shape, samples, sample_count, error);
}

/* ListContainerStats of a runtime without statistics: an empty list. */
bool compose_no_stats(struct composing *composing, struct error *error)
{
    Model__ListContainerStatsResponse none = MODEL__LIST_CONTAINER_STATS_RESPONSE__INIT;
    return composing_answer(composing, &none.base, error);
}

/* ---- the filesystem of images ---- */

/* Containers are on the filesystem of images. */
static void share_filesystems(Model__ImageFsInfoResponse *response)
{
    response->container_filesystems = response->image_filesystems;
    response->n_container_filesystems = response->n_image_filesystems;
}

/* ImageFsInfo from the filesystem on which, by the runtime map, the runtime keeps images. */
bool compose_image_filesystem(struct composing *composing, struct error *error)
{
    const char *storage = composing->settings->storage;
    struct filesystem_usage usage;
    if (!storage) {
        return true;
    }
    if (!composing->node || !composing->node->usage_of_directory ||
        !composing->node->usage_of_directory(composing->node->state, bytes_of_string(storage), &usage)) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the storage of runtime %s, %s, is not a folder that crigate can read", composing->runtime_name,
                         storage);
    }
    Model__UInt64Value used = MODEL__UINT64_VALUE__INIT;
    Model__UInt64Value inodes = MODEL__UINT64_VALUE__INIT;
    Model__FilesystemIdentifier identifier = MODEL__FILESYSTEM_IDENTIFIER__INIT;
    Model__FilesystemUsage filesystem = MODEL__FILESYSTEM_USAGE__INIT;
    Model__FilesystemUsage *filesystems[] = {&filesystem};
    Model__ImageFsInfoResponse response = MODEL__IMAGE_FS_INFO_RESPONSE__INIT;
    used.value = usage.used_bytes;
    inodes.value = usage.inodes_used;
    identifier.mountpoint = arena_string(composing->arena, bytes_of_string(storage));
    if (!identifier.mountpoint) {
        return error_no_memory(error);
    }
    filesystem.timestamp = usage.taken_at;
    filesystem.fs_id = &identifier;
    filesystem.used_bytes = &used;
    filesystem.inodes_used = &inodes;
    response.image_filesystems = filesystems;
    response.n_image_filesystems = 1;
    share_filesystems(&response);
    return composing_answer(composing, &response.base, error);
}

/* ImageFsInfoResponse.container_filesystems of CRI-O before 1.29. Kubelets from 1.31 that read statistics from cAdvisor, which
   they do at CRI-O's socket, have no statistics at all without it (ImageFsStats in pkg/kubelet/stats/cadvisor_stats_provider.go).
 */
bool compose_container_filesystems(struct composing *composing, struct error *error)
{
    if (!dialect_has_field(composing->caller, "ImageFsInfoResponse", "container_filesystems")) {
        return true;
    }
    Model__ImageFsInfoResponse *response = composing_received(composing, &model__image_fs_info_response__descriptor, error);
    if (!response) {
        return false;
    }
    if (response->n_container_filesystems > 0 || response->n_image_filesystems == 0) {
        return true;
    }
    share_filesystems(response);
    return composing_answer(composing, &response->base, error);
}
