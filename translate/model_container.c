/* What only containers have: CDI devices and the stop signal. */
#include "model.h"

#include <stdio.h>

#define CDI_ANNOTATION_PREFIX "cdi.k8s.io/"

/* The value of such an annotation is a list of device names with commas between. */
static bool list_names(const char *list, const char *name)
{
    size_t length = strlen(name);
    while (length > 0) {
        size_t item = strcspn(list, ",");
        if (item == length && memcmp(list, name, length) == 0) {
            return true;
        }
        if (list[item] == '\0') {
            break;
        }
        list += item + 1;
    }
    return false;
}

static bool is_annotated(const Model__ContainerConfig *container, const char *device)
{
    for (size_t i = 0; i < container->n_annotations; i++) {
        if (strncmp(container->annotations[i]->key, CDI_ANNOTATION_PREFIX, strlen(CDI_ANNOTATION_PREFIX)) == 0 &&
            list_names(container->annotations[i]->value, device)) {
            return true;
        }
    }
    return false;
}

/* CDI devices for a dialect without them: gone where annotations ask for the same devices, else refused. */
bool normalise_cdi_devices(struct model *model, struct error *error)
{
    Model__ContainerConfig *container = model->container;
    if (!container || container->n_cdi_devices == 0) {
        return true;
    }
    for (size_t i = 0; i < container->n_cdi_devices; i++) {
        char field[48];
        snprintf(field, sizeof field, "CDI_devices[%zu].name", i);
        if (!is_annotated(container, container->cdi_devices[i]->name) &&
            !model_refuse(model, error, RULE_ContainerConfig_CDI_devices, field,
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
