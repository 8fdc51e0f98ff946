/* Masked and read-only paths of containers. */
#include "translate/model/model.h"

#define MASKED_PATHS "linux.security_context.masked_paths"
#define READONLY_PATHS "linux.security_context.readonly_paths"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The lists of today's kubelets for a container without special settings. Not const: messages of the model point here. */
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

/* The lists of kubelets when the fields were new, which repeat the defaults of the runtimes of that time. Later versions only
   became stricter: /proc/asound from read-only to masked, then powercap, /proc/interrupts and thermal_throttle of each CPU. */
static const char *const masked_at_first[] = {
    "/proc/acpi",        "/proc/kcore",       "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
    "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware",
};
static const char *const readonly_at_first[] = {
    "/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger",
};

/* Whether the container would see all of /proc and /sys, by chance or because it is to. */
static bool is_unmasked(const Model__LinuxContainerSecurityContext *security)
{
    return !security || (!security->privileged && security->n_masked_paths == 0 && security->n_readonly_paths == 0);
}

static bool fill_defaults(struct model *model, struct error *error)
{
    if (!model_require_security(model, error)) {
        return false;
    }
    Model__LinuxContainerSecurityContext *security = model_container_security(model);
    if (!is_unmasked(security)) {
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

/* Fills in today's default masked and read-only paths for a container that is not privileged, because runtimes of the source's
   time masked by themselves. */
bool normalise_masked_paths_default(struct model *model, struct error *error)
{
    return !model->container || fill_defaults(model, error);
}

/* The same, only if the caller is known to lack the fields. */
bool normalise_masked_paths_of_old_caller(struct model *model, struct error *error)
{
    if (!model->container || model->caller_lacks_masked_paths) {
        return !model->container || fill_defaults(model, error);
    }
    if (model->unmasked && is_unmasked(model_container_security(model))) {
        *model->unmasked = true;
    }
    return true;
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

/* The first of those paths that the container leaves open, or NULL. */
static const char *first_open(const Model__LinuxContainerSecurityContext *security, const char *const *paths, size_t count,
                              bool readable)
{
    for (size_t i = 0; i < count; i++) {
        bool closed = contains(security->masked_paths, security->n_masked_paths, paths[i]) ||
                      (readable && contains(security->readonly_paths, security->n_readonly_paths, paths[i]));
        if (!closed) {
            return paths[i];
        }
    }
    return NULL;
}

/* Refuses lists that leave open what the runtime closes by itself. */
static bool refuse_less_than_default(const struct model *model, const Model__LinuxContainerSecurityContext *security,
                                     struct error *error)
{
    if (security->n_masked_paths == 0 && security->n_readonly_paths == 0) {
        return model_refuse(model, error, RULE_LinuxContainerSecurityContext_masked_paths, MASKED_PATHS,
                            "lacks it: the list is empty, which requests an unmasked /proc, but the runtime masks its own list");
    }
    const char *open = first_open(security, masked_at_first, COUNT(masked_at_first), false);
    if (open && !model_refuse(model, error, RULE_LinuxContainerSecurityContext_masked_paths, MASKED_PATHS,
                              "lacks it: %s is not in it, but the runtime masks that path", open)) {
        return false;
    }
    open = first_open(security, readonly_at_first, COUNT(readonly_at_first), true);
    return !open || model_refuse(model, error, RULE_LinuxContainerSecurityContext_readonly_paths, READONLY_PATHS,
                                 "lacks it: %s is not in it, but the runtime protects that path", open);
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

/* Masked and read-only paths for a dialect without them, whose runtimes mask by themselves: refuses lists that leave open what
   those mask, and counts additional paths. */
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
            model_drop(model, RULE_LinuxContainerSecurityContext_masked_paths, "linux.security_context.masked_paths");
        }
        if (says_more(security->readonly_paths, security->n_readonly_paths, readonly_at_first, COUNT(readonly_at_first))) {
            model_drop(model, RULE_LinuxContainerSecurityContext_readonly_paths, "linux.security_context.readonly_paths");
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
