/* What only containers have: CDI devices and the stop signal. */
#include "translate/model/model.h"

#include <stdio.h>

#define CDI_ANNOTATION_PREFIX "cdi.k8s.io/"

/* The devices that annotations name, sorted so that as many devices can be looked up in as many names. */
struct device_names {
    struct bytes *names;
    size_t count;
};

static void sift_down(struct bytes *heap, size_t count, size_t parent)
{
    size_t child;
    while ((child = 2 * parent + 1) < count) {
        child += child + 1 < count && bytes_compare(heap[child], heap[child + 1]) < 0;
        if (bytes_compare(heap[parent], heap[child]) >= 0) {
            return;
        }
        struct bytes moved = heap[parent];
        heap[parent] = heap[child];
        heap[child] = moved;
        parent = child;
    }
}

/* A heap sort, because qsort may allocate. */
static void sort(struct bytes *names, size_t count)
{
    for (size_t i = count / 2; i > 0; i--) {
        sift_down(names, count, i - 1);
    }
    for (size_t end = count; end > 1; end--) {
        struct bytes largest = names[0];
        names[0] = names[end - 1];
        names[end - 1] = largest;
        sift_down(names, end - 1, 0);
    }
}

/* The value of a CDI annotation is a list of device names separated by commas. */
static const char *device_list(const Model__ContainerConfig__AnnotationsEntry *annotation)
{
    bool names_devices = strncmp(annotation->key, CDI_ANNOTATION_PREFIX, strlen(CDI_ANNOTATION_PREFIX)) == 0;
    return names_devices ? annotation->value : "";
}

static size_t count_names(const Model__ContainerConfig *container)
{
    size_t count = 0;
    for (size_t i = 0; i < container->n_annotations; i++) {
        count++;
        for (const char *comma = device_list(container->annotations[i]); (comma = strchr(comma, ',')) != NULL; comma++) {
            count++;
        }
    }
    return count;
}

static bool collect_names(struct model *model, struct device_names *devices, struct error *error)
{
    const Model__ContainerConfig *container = model->container;
    *devices = (struct device_names){.names = model_alloc(model, count_names(container) * sizeof *devices->names, error)};
    for (size_t i = 0; devices->names && i < container->n_annotations; i++) {
        const char *list = device_list(container->annotations[i]);
        while (*list != '\0') {
            size_t length = strcspn(list, ",");
            devices->names[devices->count++] = bytes_of(list, length);
            list += length + (list[length] == ',');
        }
    }
    sort(devices->names, devices->count);
    return devices->names != NULL;
}

static bool is_named(const struct device_names *devices, struct bytes device)
{
    size_t low = 0, high = devices->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = bytes_compare(device, devices->names[middle]);
        if (order == 0) {
            return device.len > 0;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

/* CDI devices for a dialect without them. If an annotation requests the same device, the field is left out and counted: the
   runtime may not read the annotation. Other devices are refused. */
bool normalise_cdi_devices(struct model *model, struct error *error)
{
    Model__ContainerConfig *container = model->container;
    if (!container || container->n_cdi_devices == 0) {
        return true;
    }
    struct device_names annotated;
    if (!collect_names(model, &annotated, error)) {
        return false;
    }
    for (size_t i = 0; i < container->n_cdi_devices; i++) {
        char field[48];
        snprintf(field, sizeof field, "CDI_devices[%zu].name", i);
        if (is_named(&annotated, bytes_of_string(container->cdi_devices[i]->name))) {
            model_drop(model, RULE_ContainerConfig_CDI_devices, field);
        } else if (!model_refuse(model, error, RULE_ContainerConfig_CDI_devices, field,
                                 "lacks it, and no annotation " CDI_ANNOTATION_PREFIX "... asks for that device")) {
            return false;
        }
    }
    container->n_cdi_devices = 0;
    container->cdi_devices = NULL;
    model->changed = true;
    return true;
}

/* A stop signal for a dialect without it: refused unless it is the runtime's default. */
bool normalise_stop_signal(struct model *model, struct error *error)
{
    if (!model->container || model->container->stop_signal == MODEL__SIGNAL__SIGNAL_RUNTIME_DEFAULT) {
        return true;
    }
    return model_refuse(model, error, RULE_ContainerConfig_stop_signal, "stop_signal",
                        "lacks it, and would stop the container by the runtime's default signal");
}
