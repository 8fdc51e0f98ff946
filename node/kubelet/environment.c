#include "node/kubelet/environment.h"

#include <string.h>

#include "node/systemd/join.h"

#define PLUGIN_FLAG "network-plugin"
#define HAIRPIN_FLAG "hairpin-mode"

/* Options of kubelets from 1.9 to 1.23 that their dockershim goes by, and that cri-dockerd has, too (kubelet 1.18 and 1.22,
   cri-dockerd 0.3.0 to 0.4.3). The cgroup driver it takes from Docker. */
static const char *const shared[] = {
    PLUGIN_FLAG,
    "cni-conf-dir",
    "cni-bin-dir",
    "cni-cache-dir",
    "network-plugin-mtu",
    HAIRPIN_FLAG,
    "pod-infra-container-image",
    "docker-endpoint",
    "image-pull-progress-deadline",
    "runtime-request-timeout",
    "runtime-cgroups",
};

/* Whether a shell, and an environment file, take it as it is. */
static bool is_plain(const char *value)
{
    return value[strspn(value, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._+-:,@=")] == '\0';
}

/* The value in force; NULL: nothing sets it. */
static const char *value_of(const struct kubelet_flags *flags, const char *hairpin_mode, const char *name)
{
    const struct kubelet_flag *flag = kubelet_flags_last(flags, name);
    if (flag) {
        return flag->value;
    }
    if (strcmp(name, HAIRPIN_FLAG) == 0 && hairpin_mode[0]) {
        return hairpin_mode;
    }
    return strcmp(name, PLUGIN_FLAG) == 0 ? "" : NULL;
}

static bool check(const char *name, const char *value, struct error *error)
{
    if (!is_plain(value)) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the kubelet's --%s has characters that crigate does not write into " DOCKER_SHIM_ENVIRONMENT, name);
    }
    if (strcmp(name, PLUGIN_FLAG) == 0 && strcmp(value, "kubenet") == 0) {
        return error_set(error, STATUS_FAILED_PRECONDITION,
                         "the kubelet has --network-plugin=kubenet, which keeps the addresses of running pods only in its "
                         "memory: move the node to CNI first");
    }
    return true;
}

bool docker_environment_text(const char *program, const struct kubelet_flags *flags, const char *hairpin_mode,
                             struct arena *arena, struct bytes *text, struct error *error)
{
    const char *options = "";
    for (size_t i = 0; i < sizeof shared / sizeof shared[0]; i++) {
        const char *value = value_of(flags, hairpin_mode, shared[i]);
        if (!value) {
            continue;
        }
        if (!check(shared[i], value, error)) {
            return false;
        }
        options = join_strings(arena, options, options[0] ? " " : "", "--", shared[i], "=", value, (char *)NULL);
        if (!options) {
            return error_out_of_memory(error);
        }
    }
    const char *whole = join_strings(
        arena, "# The options of the kubelet's built-in dockershim, for " DOCKER_SHIM_UNIT ". Written by `crigate install`.\n",
        "CRI_DOCKERD=", program, "\nCRI_DOCKERD_FLAGS=\"", options, "\"\n", (char *)NULL);
    *text = whole ? bytes_of_string(whole) : bytes_of(NULL, 0);
    return whole || error_out_of_memory(error);
}
