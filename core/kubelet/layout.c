#include "core/kubelet/layout.h"

#include <string.h>

#include "core/command_line/join.h"
#include "core/kubelet/microk8s.h"

bool layout_is_outer(enum kubelet_layout layout)
{
    return layout == KUBELET_K3S || layout == KUBELET_RKE2;
}

/* k3s and RKE2 start their own containerd only while they have no endpoint of another: to set it would take the runtime away. */
static bool has_own_runtime(const struct kubelet *kubelet)
{
    return layout_is_outer(kubelet->layout) && kubelet->runtime_endpoint.source == KUBELET_SOURCE_DEFAULT;
}

const char *layout_obstacle(const struct kubelet *kubelet)
{
    if (kubelet->rootless) {
        return "the kubelet runs without root's rights: its files are its user's, and crigate does not edit them";
    }
    if (kubelet->dynamic_config) {
        return "the kubelet has --dynamic-config-dir: its configuration comes from the API server, not from this node's files";
    }
    if (has_own_runtime(kubelet)) {
        return kubelet->layout == KUBELET_K3S
                   ? "k3s gives the kubelet in it the socket of the containerd that it starts itself, and this is in no file"
                   : "RKE2 gives its kubelet the socket of the containerd that it starts itself, and this is in no file";
    }
    if (kubelet->layout == KUBELET_MICROK8S) {
        return "the kubelet's options are in a folder of the snap microk8s, which is copied at each refresh: crigate does not "
               "edit it";
    }
    if (kubelet->layout == KUBELET_EKS) {
        return "the kubelet's files are EKS', and written again at each boot";
    }
    if (kubelet->unclear) {
        return kubelet->unclear;
    }
    if (kubelet->version.major == 0) {
        return "the kubelet's version could not be found out (crigate runs PROGRAM --version only if nobody but root can write "
               "to the "
               "program), and which files it reads depends on that";
    }
    return NULL;
}

static const char *instruct_eks(const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    if (kubelet->unit.name && strncmp(kubelet->unit.name, "snap.", strlen("snap.")) == 0) {
        return join_strings(arena, "snap set kubelet-eks container-runtime-endpoint=", endpoint,
                            " && snap restart kubelet-eks, at each boot (in the node's user data)", (char *)NULL);
    }
    return join_strings(arena, "in the node's user data: for nodeadm, add --container-runtime-endpoint=", endpoint,
                        " to spec.kubelet.flags of the NodeConfig; for bootstrap.sh, to --kubelet-extra-args", (char *)NULL);
}

static const char *instruct_outer(const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    bool k3s = kubelet->layout == KUBELET_K3S;
    return join_strings(arena, "in /etc/rancher/", k3s ? "k3s" : "rke2",
                        "/config.yaml, add to the list under kubelet-arg: container-runtime-endpoint=", endpoint,
                        " (not the key container-runtime-endpoint, with which ", k3s ? "k3s" : "RKE2",
                        " does not start its containerd), then: systemctl restart ", kubelet->unit.name, (char *)NULL);
}

const char *layout_instruction(const struct kubelet *kubelet, const char *endpoint, struct arena *arena)
{
    if (has_own_runtime(kubelet) && kubelet->unit.name) {
        return instruct_outer(kubelet, endpoint, arena);
    }
    if (kubelet->layout == KUBELET_MICROK8S) {
        return join_strings(arena, "in " MICROK8S_ARGUMENTS ", set --container-runtime-endpoint=", endpoint,
                            ", then: snap restart microk8s.daemon-kubelite", (char *)NULL);
    }
    if (kubelet->layout == KUBELET_EKS) {
        return instruct_eks(kubelet, endpoint, arena);
    }
    if (kubelet->dynamic_config) {
        return join_strings(arena, "give the kubelet --container-runtime-endpoint=", endpoint,
                            " on its command line, and restart it", (char *)NULL);
    }
    bool in_config = kubelet->version.major == 0 || kubelet_is_since(kubelet, 1, 27);
    return join_strings(arena, "give the kubelet --container-runtime-endpoint=", endpoint,
                        in_config ? ", or its configuration file containerRuntimeEndpoint: " : "", in_config ? endpoint : "",
                        kubelet_is_since(kubelet, 1, 0) && !kubelet_is_since(kubelet, 1, KUBELET_FIRST_WITHOUT_DOCKER)
                            ? ", and --container-runtime=remote"
                            : "",
                        ", and restart it", (char *)NULL);
}
