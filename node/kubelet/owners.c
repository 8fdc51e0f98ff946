#include "node/kubelet/owners.h"

/* Sources: Bottlerocket's packages/kubernetes-*; Talos' kubelet_spec.go, which denies the option to extraArgs; OpenShift's
   machine-config-operator, templates/common; kOps' nodeup/pkg/model (kubelet.go, kops_configuration.go) and cluster_spec.md;
   Kubernetes' cluster/gce/gci (configure-helper.sh, node.yaml) and config-default.sh; amazon-eks-ami's nodeadm and bootstrap.sh;
   k0s' pkg/component/worker/kubelet.go, where --kubelet-extra-args come last; k3s' documentation of its configuration file;
   MicroK8s' and Canonical Kubernetes' args/kubelet; the charms kubernetes-worker; AKS' AgentBaker; kubespray's
   roles/kubernetes/node; Arch Linux' packages kubelet and kubeadm. */

#define SYSCONFIG "/etc/sysconfig/kubelet"
#define INSTANCE "/var/lib/kubelet/instance-config.yaml"
#define KUBEADM_CONFIG "/var/lib/kubelet/config.yaml"
#define EKS_CONFIG "/etc/kubernetes/kubelet/"
#define EKS_WHY "the kubelet's files belong to EKS, which rewrites them at each boot"

#define RANCHER_WAY(name)                                                                                                        \
    "{list}container-runtime-endpoint={endpoint} (not the key container-runtime-endpoint, with which " name                      \
    " does not start its containerd), then: systemctl restart {unit}"

const struct owner owners[KUBELET_LAYOUT_COUNT] = {
    [KUBELET_PLAIN] = {.name = "plain"},
    [KUBELET_BOTTLEROCKET] =
        {
            .name = "Bottlerocket",
            .evidence = {{{CLUE_SYSTEM, "bottlerocket"}},
                         {{CLUE_READS, EKS_CONFIG "env"}, {CLUE_CONFIG, EKS_CONFIG "config"}},
                         {{CLUE_PATH, "/usr/bin/apiclient"}, {CLUE_CONFIG, EKS_CONFIG "config"}}},
            .why = "the kubelet's files belong to Bottlerocket, which writes them from its settings and has none for the runtime "
                   "endpoint",
            .way = "the kubelet of Bottlerocket cannot be pointed at {endpoint}: use nodes with another system, such as Amazon "
                   "Linux",
            .writes = {"/"},
        },
    [KUBELET_TALOS] =
        {
            .name = "Talos",
            .evidence = {{{CLUE_SYSTEM, "talos"}}, {{CLUE_STARTER, "machined"}}},
            .why = "the kubelet's options belong to Talos, which does not allow container-runtime-endpoint in "
                   "machine.kubelet.extraArgs",
            .way = "the kubelet of Talos cannot be pointed at {endpoint}: use nodes with another system",
            .writes = {"/"},
        },
    [KUBELET_OPENSHIFT] =
        {
            .name = "OpenShift",
            .evidence = {{{CLUE_PATH, "/etc/machine-config-daemon"}},
                         {{CLUE_DROP_IN, "/10-mco-default-"}},
                         {{CLUE_READS, "/etc/node-sizing.env"}},
                         {{CLUE_SYSTEM, "rhcos"}, {CLUE_CONFIG, "/etc/kubernetes/kubelet.conf"}},
                         {{CLUE_SYSTEM, "scos"}, {CLUE_CONFIG, "/etc/kubernetes/kubelet.conf"}}},
            .why = "the kubelet's files belong to OpenShift's machine config operator, which rewrites them and marks a node "
                   "with "
                   "other files as degraded",
            .way = "in a MachineConfig of the node's pool, under spec.config.systemd.units, give kubelet.service under dropins a "
                   "90-crigate.conf with [Service], an empty ExecStart=, and the current ExecStart= with "
                   "--container-runtime-endpoint="
                   "{endpoint} in it; once the pool is updated: crigate install",
            .writes = {"/etc/systemd/system/kubelet.service", "/etc/kubernetes/"},
        },
    [KUBELET_KOPS] =
        {
            .name = "kops",
            .evidence = {{{CLUE_UNIT_FILE, "kops-configuration.service"}},
                         {{CLUE_PATH, "/opt/kops"}},
                         {{CLUE_PATH, "/var/cache/nodeup"}},
                         {{CLUE_READS, SYSCONFIG}, {CLUE_CONFIG, "/var/lib/kubelet/kubelet.conf"}}},
            .why =
                "the kubelet's files belong to kOps: nodeup writes " SYSCONFIG " again at each boot (kops-configuration.service)",
            .way =
                "kops edit cluster: under spec.fileAssets, add a file with path /etc/systemd/system/kubelet.service.d/"
                "90-crigate.conf, and as content the lines [Service], ExecStart= and ExecStart={program} \"$DAEMON_ARGS\" "
                "--container-runtime-endpoint={endpoint}; then kops update cluster --yes and kops rolling-update cluster --yes, "
                "or write this file on the node; then: systemctl daemon-reload, and crigate install",
            .writes = {SYSCONFIG, "/etc/default/kubelet", "/etc/systemd/system/kubelet.service", "/var/lib/kubelet/kubelet.conf"},
        },
    [KUBELET_GCE] =
        {
            .name = "GCE",
            .evidence = {{{CLUE_UNIT_FILE, "kube-node-configuration.service"}},
                         {{CLUE_PROGRAM, "/home/kubernetes/"}},
                         {{CLUE_CONFIG, "/home/kubernetes/"}}},
            .why = "the kubelet's files are rewritten at each boot, from the instance's metadata "
                   "(kube-node-configuration.service)",
            .way = "for kube-up.sh, set KUBE_CONTAINER_RUNTIME_ENDPOINT={endpoint}, which becomes CONTAINER_RUNTIME_ENDPOINT of "
                   "kube-env in the metadata of new instances; GKE has no setting for it",
        },
    [KUBELET_EKS_SNAP] =
        {
            .name = "EKS",
            .evidence = {{{CLUE_UNIT, "snap.kubelet-eks."}}, {{CLUE_PROGRAM, "/snap/kubelet-eks/"}}},
            .why = EKS_WHY,
            .way = "snap set kubelet-eks container-runtime-endpoint={endpoint} && snap restart kubelet-eks, at each boot (in the "
                   "node's user data)",
        },
    [KUBELET_EKS] =
        {
            .name = "EKS",
            .evidence = {{{CLUE_READS, "/etc/eks/"}},
                         {{CLUE_CONFIG, EKS_CONFIG "config.json"}},
                         {{CLUE_CONFIG, EKS_CONFIG "kubelet-config.json"}},
                         {{CLUE_UNIT_FILE, "nodeadm-config.service"}},
                         {{CLUE_DROP_IN, "/10-kubelet-args.conf"}, {CLUE_PATH, "/etc/eks"}}},
            .why = EKS_WHY,
            .way =
                "in the node's user data: for nodeadm, add --container-runtime-endpoint={endpoint} to spec.kubelet.flags of the "
                "NodeConfig; for bootstrap.sh, to --kubelet-extra-args",
        },
    [KUBELET_K0S] =
        {
            .name = "k0s",
            .evidence = {{{CLUE_STARTER, "k0s"}},
                         {{CLUE_UNIT, "k0sworker."}},
                         {{CLUE_UNIT, "k0scontroller."}},
                         {{CLUE_PROGRAM, "/k0s/bin/"}}},
            .why = "k0s starts the kubelet with options of its own, and rewrites its configuration at each start",
            .way = "add --kubelet-extra-args=--container-runtime-endpoint={endpoint} to the line ExecStart= of {unit}, as k0s "
                   "install "
                   "worker --force does (not --cri-socket, with which k0s does not start its containerd), then: systemctl "
                   "daemon-reload && systemctl restart {unit}",
            .writes = {"/var/lib/k0s/", "/run/k0s/"},
            .own_endpoint = "unix:///run/k0s/containerd.sock",
        },
    [KUBELET_K3S] =
        {
            .name = "k3s",
            .evidence = {{{CLUE_UNIT, "k3s."}}, {{CLUE_UNIT, "k3s-"}}, {{CLUE_STARTER, "k3s"}}},
            .why = "k3s gives its built-in kubelet the socket of the containerd that it starts itself (with docker: true, of its "
                   "built-in cri-dockerd); no file has this setting",
            .way = RANCHER_WAY("k3s"),
            .own_endpoint = "unix:///run/k3s/containerd/containerd.sock",
        },
    [KUBELET_RKE2] =
        {
            .name = "RKE2",
            .evidence = {{{CLUE_UNIT, "rke2-"}}, {{CLUE_STARTER, "rke2"}}},
            .why = "RKE2 gives its kubelet the socket of the containerd that it starts itself; no file has this setting",
            .way = RANCHER_WAY("RKE2"),
            .own_endpoint = "unix:///run/k3s/containerd/containerd.sock",
        },
    [KUBELET_MICROK8S] =
        {
            .name = "MicroK8s",
            .evidence = {{{CLUE_UNIT, "snap.microk8s."}}},
            .why =
                "the kubelet's options are in a folder of the snap microk8s, which is copied at each refresh: crigate does not "
                "edit it",
            .way = "in /var/snap/microk8s/current/args/kubelet, set --container-runtime-endpoint={endpoint}, then: snap restart "
                   "microk8s.daemon-kubelite",
            .own_endpoint = "unix:///var/snap/microk8s/common/run/containerd.sock",
        },
    [KUBELET_CANONICAL] =
        {
            .name = "Canonical Kubernetes",
            .evidence = {{{CLUE_UNIT, "snap.k8s."}}, {{CLUE_PROGRAM, "/snap/k8s/"}}},
            .why = "the kubelet's options belong to the snap k8s, which writes them: crigate does not edit them",
            .way = "in /var/snap/k8s/common/args/kubelet, set --container-runtime-endpoint={endpoint}, then: snap restart "
                   "k8s.kubelet; "
                   "for new nodes, the same under extra-node-kubelet-args of k8s bootstrap and k8s join-cluster",
        },
    [KUBELET_CHARMED] =
        {
            .name = "Charmed Kubernetes",
            .evidence = {{{CLUE_UNIT, "snap.kubelet."}, {CLUE_PATH, "/var/lib/juju"}},
                         {{CLUE_PROGRAM, "/snap/kubelet/"}, {CLUE_PATH, "/var/lib/juju"}}},
            .why = "the kubelet's options belong to the charm, which sets them again",
            .way = "juju config kubernetes-worker kubelet-extra-args=container-runtime-endpoint={endpoint} (keep the existing "
                   "arguments, separated by spaces), then: crigate install",
        },
    [KUBELET_SNAP] =
        {
            .name = "snap",
            .evidence = {{{CLUE_UNIT, "snap."}}, {{CLUE_PROGRAM, "/snap/kubelet/"}}},
            .why = "the kubelet's options belong to a snap, which makes them from its settings",
            .way = "snap set kubelet container-runtime-endpoint={endpoint} && snap restart kubelet",
        },
    [KUBELET_AKS] =
        {
            .name = "AKS",
            .evidence = {{{CLUE_PATH, "/opt/azure/containers/kubelet.sh"}},
                         {{CLUE_READS, "/etc/default/kubelet"}, {CLUE_PATH, "/opt/azure/containers"}}},
            .why =
                "an upgrade of the node image replaces an AKS node with one without crigate: use a DaemonSet, which installs it "
                "again, as docs/kubernetes.md describes",
        },
    /* Before kubespray: Arch Linux' own unit reads kubelet.env, too. */
    [KUBELET_KUBEADM] =
        {
            .name = "kubeadm",
            .evidence = {{{CLUE_READS, "/var/lib/kubelet/kubeadm-flags.env"}},
                         {{CLUE_DROP_IN, "kubeadm"}},
                         {{CLUE_CONFIG, KUBEADM_CONFIG}, {CLUE_PATH, INSTANCE}}},
        },
    [KUBELET_KUBESPRAY] =
        {
            .name = "kubespray",
            .evidence = {{{CLUE_READS, "/etc/kubernetes/kubelet.env"}, {CLUE_CONFIG, "/etc/kubernetes/kubelet-config.yaml"}},
                         {{CLUE_READS, "/etc/kubernetes/kubelet.env"}, {CLUE_OWN_UNIT, ""}}},
            .why = "kubespray rewrites the kubelet's files when it next runs: crigate verify then reports it, and crigate "
                   "install repairs it; to make the change permanent, set kubelet_custom_flags in its inventory to "
                   "--container-runtime-endpoint={endpoint}",
        },
};
