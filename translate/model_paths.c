/* Masked and read-only paths of containers. */
#include "model.h"

#include "report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What kubelets of today say for a container without wishes of its own. Not const: messages of the model point here. */
static char *masked_today[] = {
    "/proc/acpi",
    "/proc/asound",
    "/proc/interrupts",
    "/proc/kcore",
    "/proc/keys",
    "/proc/latency_stats",
    "/proc/sched_debug",
    "/proc/scsi",
    "/proc/timer_list",
    "/proc/timer_stats",
    "/sys/devices/virtual/powercap",
    "/sys/firmware",
};
static char *readonly_today[] = {
    "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};

/* What kubelets said when the lists were new, after the defaults of the runtimes of that time. Later generations only went
   further: /proc/asound from read-only to masked, then powercap, /proc/interrupts and thermal_throttle of each CPU. */
static const char *const masked_at_first[] = {
    "/proc/acpi",        "/proc/kcore",       "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
    "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware",
};
static const char *const readonly_at_first[] = {
    "/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};

static bool fill_defaults(struct model *model, struct error *error)
{
    if (!model_require_security(model, error)) {
        return false;
    }
    Model__LinuxContainerSecurityContext *security = model_container_security(model);
    if (security->privileged || security->n_masked_paths > 0 || security->n_readonly_paths > 0) {
        return true;
    }
    security->masked_paths = masked_today;
    security->n_masked_paths = COUNT(masked_today);
    security->readonly_paths = readonly_today;
    security->n_readonly_paths = COUNT(readonly_today);
    model->masked_paths_assumed = true;
    model->changed = true;
    return true;
}

/* Fills today's default masked and read-only paths for a container that is not privileged: runtimes of the source's time masked
   on their own. */
bool normalise_masked_paths_default(struct model *model, struct error *error)
{
    return !model->container || fill_defaults(model, error);
}

/* The same, only when the listening socket is said to have callers that lack the fields and the container says neither. */
bool normalise_masked_paths_of_old_caller(struct model *model, struct error *error)
{
    return !model->container || !model->caller_lacks_masked_paths || fill_defaults(model, error);
}

static bool contains(char *const *paths, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(paths[i], path) == 0) {
            return true;
        }
    }
    return false;
}

/* Refuses lists that leave open what the runtime closes on its own. */
static bool refuse_less_than_default(const struct model *model, const Model__LinuxContainerSecurityContext *security,
                                     struct error *error)
{
    if (security->n_masked_paths == 0 && security->n_readonly_paths == 0) {
        return model_refuse(model, error, "linux.security_context.masked_paths",
                            "an unmasked /proc cannot be said: the runtime's dialect lacks the field, and its default masks");
    }
    for (size_t i = 0; i < COUNT(masked_at_first); i++) {
        if (!contains(security->masked_paths, security->n_masked_paths, masked_at_first[i])) {
            return model_refuse(model, error, "linux.security_context.masked_paths",
                                "%s is not in it, but the runtime's dialect lacks the field, and its default masks that path",
                                masked_at_first[i]);
        }
    }
    for (size_t i = 0; i < COUNT(readonly_at_first); i++) {
        if (!contains(security->readonly_paths, security->n_readonly_paths, readonly_at_first[i]) &&
            !contains(security->masked_paths, security->n_masked_paths, readonly_at_first[i])) {
            return model_refuse(model, error, "linux.security_context.readonly_paths",
                                "%s is not in it, but the runtime's dialect lacks the field, and its default protects that path",
                                readonly_at_first[i]);
        }
    }
    return true;
}

static bool says_more(char *const *paths, size_t count, const char *const *known, size_t known_count)
{
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < known_count && strcmp(paths[i], known[k]) != 0) {
            k++;
        }
        if (k == known_count) {
            return true;
        }
    }
    return false;
}

/* Masked and read-only paths for a dialect without them, whose runtimes mask on their own: lists that leave open what those mask
   are refused, more than those mask is counted. */
bool normalise_masked_paths(struct model *model, struct error *error)
{
    Model__LinuxContainerSecurityContext *security = model_container_security(model);
    if (!security) {
        return true;
    }
    if (!security->privileged && !model->masked_paths_assumed) {
        if (!refuse_less_than_default(model, security, error)) {
            return false;
        }
        if (says_more(security->masked_paths, security->n_masked_paths, masked_at_first, COUNT(masked_at_first))) {
            report_drop_field(model->report, "LinuxContainerSecurityContext.masked_paths");
        }
        if (says_more(security->readonly_paths, security->n_readonly_paths, readonly_at_first, COUNT(readonly_at_first))) {
            report_drop_field(model->report, "LinuxContainerSecurityContext.readonly_paths");
        }
    }
    if (security->n_masked_paths > 0 || security->n_readonly_paths > 0) {
        security->n_masked_paths = 0;
        security->masked_paths = NULL;
        security->n_readonly_paths = 0;
        security->readonly_paths = NULL;
        model->changed = true;
    }
    return true;
}
