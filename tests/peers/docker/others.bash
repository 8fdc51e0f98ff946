# CRI-O and a containerd 2 in the laboratory of the end-to-end tests (tests/e2e/lab.bash). Sourced by the bats files.
# shellcheck shell=bash

lab_crio_config() {
    cat <<EOF
[crio]
root = "$LAB/crio/root"
runroot = "$LAB/crio/runroot"
storage_driver = "overlay"
log_dir = "$LAB/crio/logs"
version_file = "$LAB/crio/version"
clean_shutdown_file = "$LAB/crio/clean.shutdown"
[crio.api]
listen = "$LAB/crio.sock"
[crio.runtime]
conmon = "$E2E_BUILD/peers/crio-1.36/conmon"
conmon_cgroup = "pod"
cgroup_manager = "cgroupfs"
container_exits_dir = "$LAB/crio/exits"
container_attach_socket_dir = "$LAB/crio/attach"
namespaces_dir = "$LAB/crio/namespaces"
pinns_path = "$E2E_BUILD/peers/crio-1.36/pinns"
default_runtime = "runc"
# CRI-O does not survive a pod with ports where no nft is.
disable_hostport_mapping = true
[crio.runtime.runtimes.runc]
runtime_path = "$LAB/crio/runc-within-limits"
runtime_type = "oci"
runtime_root = "$LAB/crio/runc"
monitor_path = "$E2E_BUILD/peers/crio-1.36/conmon"
monitor_cgroup = "pod"
[crio.image]
pause_image = "registry.k8s.io/pause:e2e"
signature_policy = "$LAB/crio/policy.json"
[crio.network]
network_dir = "$LAB/crio/cni"
plugin_dirs = ["/usr/lib/cni"]
[crio.nri]
enable_nri = false
EOF
}

# lab_crio_registries: every registry is the laboratory's.
lab_crio_registries() {
    local name
    for name in docker.io registry.k8s.io k8s.gcr.io gcr.io; do
        printf '[[registry]]\nlocation = "%s"\n[[registry.mirror]]\nlocation = "127.0.0.1:5000"\ninsecure = true\n' "$name"
    done
}

# lab_start_crio: makes a CRI-O with sockets, folders and network of its own, and starts it.
lab_start_crio() {
    mkdir -p "$LAB/crio/cni" "$LAB/crio/conf.d" "$LAB/crio/namespaces" "$LAB/specs"
    lab_cni_config crio crigate3 10.204.0.0/24 >"$LAB/crio/cni/10-e2e.conflist"
    lab_crio_config >"$LAB/crio.conf"
    lab_crio_registries >"$LAB/crio/registries.conf"
    echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$LAB/crio/policy.json"
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/runc-within-limits" "$LAB/specs" >"$LAB/crio/runc-within-limits"
    chmod 755 "$LAB/crio/runc-within-limits"
    skopeo copy --quiet --insecure-policy --dest-tls-verify=false "docker-archive:$E2E_IMAGES/pause.tar" docker://127.0.0.1:5000/pause:e2e
    lab_daemon crio crio --config "$LAB/crio.conf" --config-dir "$LAB/crio/conf.d" --registries-conf "$LAB/crio/registries.conf"
    lab_wait 30 lab_answers "$LAB/crio.sock"
}

lab_containerd_2_config() {
    cat <<EOF
version = 3
root = "$LAB/containerd-2/root"
state = "$LAB/containerd-2/state"
[grpc]
  address = "$LAB/containerd-2.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$LAB/containerd-2/opt"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["/usr/lib/cni"]
    conf_dir = "$LAB/containerd-2/cni"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "registry.k8s.io/pause:e2e"
[plugins."io.containerd.cri.v1.images".registry]
  config_path = "$LAB/hosts"
EOF
}

# lab_start_containerd_2: the same for a containerd 2.
lab_start_containerd_2() {
    mkdir -p "$LAB/containerd-2/cni"
    lab_cni_config containerd-2 crigate4 10.205.0.0/24 >"$LAB/containerd-2/cni/10-e2e.conflist"
    lab_containerd_2_config >"$LAB/containerd-2.toml"
    # The other containerd's shim has the same name.
    PATH=$E2E_BUILD/peers/containerd-2.4:$PATH lab_daemon containerd-2 containerd --config "$LAB/containerd-2.toml"
    lab_wait 30 lab_answers "$LAB/containerd-2.sock" || return 1
    ctr --address "$LAB/containerd-2.sock" --namespace k8s.io images import "$E2E_IMAGES/pause.tar"
}
