# The laboratory of the end-to-end tests: a private containerd with a registry to pull from, and what stands in front of it.
# Sourced by `suite`, which starts the daemons, and by the bats files, which look at them.
# shellcheck shell=bash
#
# Everything lives under $LAB, a tmpfs in namespaces of the tests' own (see `run`), so nothing has to be taken down one by one.
# The exception is the cgroup of the pods, which lab_end removes.

export LAB=/run/crigate-e2e CRI_CONFIG_FILE=/run/crigate-e2e/crictl.yaml
export LAB_CGROUP

# lab_daemon NAME COMMAND...: starts a daemon. Its output goes to NAME.log; its exit status, when it ends, to NAME.status.
lab_daemon() {
    local name=$1
    shift
    rm -f "$LAB/$name.status"
    (
        lab_close_descriptors
        "$@" &
        echo $! >"$LAB/$name.pid"
        status=0
        wait $! || status=$?
        echo "$status" >"$LAB/$name.status"
    ) >>"$LAB/$name.log" 2>&1 </dev/null &
    disown
    lab_wait 5 test -s "$LAB/$name.pid"
}

# lab_close_descriptors: lets go of what the caller had open. bats waits for everybody who holds its pipes.
lab_close_descriptors() {
    local path
    for path in "/proc/$BASHPID/fd/"*; do
        ((${path##*/} <= 2)) || eval "exec ${path##*/}>&-"
    done
}

# lab_stop NAME [SIGNAL]: ends a daemon and waits until it is gone. Succeeds if it ended with status 0.
lab_stop() {
    local name=$1 signal=${2:-TERM}
    kill -"$signal" "$(cat "$LAB/$name.pid")"
    lab_wait 20 test -s "$LAB/$name.status" || return 1
    rm -f "$LAB/$name.pid"
    [ "$(cat "$LAB/$name.status")" = 0 ]
}

# lab_wait SECONDS COMMAND...: runs the command until it succeeds; fails when the time is up. The seconds are those of a machine that has
# little else to do: a busy one gets three times as many, which cost nothing unless the test fails.
lab_wait() {
    local end=$((SECONDS + 3 * $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < end)) || return 1
        sleep 0.1
    done
}

# lab_answers SOCKET: whether a CRI server answers there.
lab_answers() {
    crictl --timeout 2s --runtime-endpoint "unix://$1" --image-endpoint "unix://$1" version
}

# lab_point_crictl SOCKET: makes that the place where crictl asks when it is not told otherwise.
lab_point_crictl() {
    printf 'runtime-endpoint: unix://%s\nimage-endpoint: unix://%s\ntimeout: 20\n' "$1" "$1" >"$CRI_CONFIG_FILE"
}

lab_registry_config() {
    cat <<EOF
version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: $LAB/registry}}
http: {addr: "127.0.0.1:5000"}
EOF
}

# lab_containerd_config NAME: what is not containerd's own default keeps it inside $LAB and lets it run without CAP_SYS_RESOURCE.
lab_containerd_config() {
    cat <<EOF
version = 2
root = "$LAB/$1/root"
state = "$LAB/$1/state"
[grpc]
  address = "$LAB/$1.sock"
[plugins."io.containerd.internal.v1.opt"]
  path = "$LAB/$1/opt"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "registry.k8s.io/pause:e2e"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  stats_collect_period = 1
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$LAB/$1/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "$LAB/hosts"
EOF
}

# lab_cni_config NAME BRIDGE SUBNET: a network of its own for a containerd.
lab_cni_config() {
    cat <<EOF
{
  "cniVersion": "0.4.0",
  "name": "crigate-e2e-$1",
  "plugins": [
    {
      "type": "bridge", "bridge": "$2", "isGateway": true, "ipMasq": true,
      "ipam": {
        "type": "host-local", "dataDir": "$LAB/$1/ipam", "ranges": [[{"subnet": "$3"}]],
        "routes": [{"dst": "0.0.0.0/0"}]
      }
    },
    {"type": "portmap", "capabilities": {"portMappings": true}}
  ]
}
EOF
}

# A public registry's name leads to the registry of the laboratory, so that images are pulled by the names people use.
lab_registry_hosts() {
    cat <<EOF
server = "http://127.0.0.1:5000"
[host."http://127.0.0.1:5000"]
  capabilities = ["pull", "resolve"]
EOF
}

lab_start_registry() {
    lab_registry_config >"$LAB/registry.yaml"
    lab_daemon registry docker-registry serve "$LAB/registry.yaml"
    lab_wait 20 skopeo copy --quiet --insecure-policy --dest-tls-verify=false "docker-archive:$E2E_IMAGES/busybox.tar" \
        docker://127.0.0.1:5000/library/busybox:e2e
}

# lab_containerd [NAME]: starts one that lab_start_containerd has made before.
lab_containerd() {
    local name=${1:-containerd}
    lab_daemon "$name" containerd --config "$LAB/$name.toml"
    lab_wait 30 lab_answers "$LAB/$name.sock"
}

# lab_start_containerd [NAME BRIDGE SUBNET]: makes a containerd with socket, folders and network of its own, and starts it.
lab_start_containerd() {
    local name=${1:-containerd}
    mkdir -p "$LAB/$name/cni" "$LAB/hosts/docker.io"
    lab_cni_config "$name" "${2:-crigate0}" "${3:-10.201.0.0/24}" >"$LAB/$name/cni/10-e2e.conflist"
    lab_registry_hosts >"$LAB/hosts/docker.io/hosts.toml"
    lab_containerd_config "$name" >"$LAB/$name.toml"
    lab_containerd "$name" || return 1
    ctr --address "$LAB/$name.sock" --namespace k8s.io images import "$E2E_IMAGES/pause.tar"
}

lab_start_crisim() {
    lab_daemon crisim "$E2E_BUILD/crisim" --listen "unix://$LAB/crisim.sock" --api v1_9 --name sim
    lab_wait 10 test -S "$LAB/crisim.sock"
}

# lab_start_sim: one that speaks v1, streams events, and holds its pods when it is killed.
lab_start_sim() {
    lab_daemon sim "$E2E_BUILD/crisim" --listen "unix://$LAB/sim.sock" --api v1 --name sim --state "$LAB/sim.json"
    lab_wait 10 lab_answers "$LAB/sim.sock"
}

# lab_containerd_in_map API, lab_crisim_in_map, lab_sim_in_map: their entries in the gateway's runtime map.
lab_containerd_in_map() {
    printf '  - name: containerd\n    endpoint: unix://%s/containerd.sock\n    primary: true\n    api: %s\n' "$LAB" "$1"
}

lab_crisim_in_map() {
    printf '  - name: virtlet.cloud\n    endpoint: unix://%s/crisim.sock\n    api: v1_9\n' "$LAB"
}

lab_sim_in_map() {
    printf '  - name: sim.cloud\n    endpoint: unix://%s/sim.sock\n' "$LAB"
}

# lab_map RUNTIMES [NAME]: a gateway's runtime map with these lines under `runtimes:`.
lab_map() {
    local name=${2:-crigate}
    printf 'listen: unix://%s/%s.sock\nstate: %s/%s.state\nruntimes:\n%s\n' "$LAB" "$name" "$LAB" "$name" "$1"
}

# lab_start_gateway RUNTIMES [NAME [PROGRAM]]: starts a gateway with these lines under `runtimes:`.
lab_start_gateway() {
    local name=${2:-crigate}
    lab_map "$1" "$name" >"$LAB/$name.yaml"
    lab_daemon "$name" "$E2E_BUILD/${3:-crigate}" --config "$LAB/$name.yaml" -v 5
    lab_wait 15 lab_answers "$LAB/$name.sock"
}

# lab_end: stops all that is still running in the namespaces (shims outlive containerd), then removes the pods' cgroups.
lab_end() {
    local pids
    pids=$(ps -e -o pid= | grep -vwE "1|$$|$BASHPID" | tr '\n' ' ') || true
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill -KILL $pids 2>/dev/null || true
    sleep 0.2
    find /sys/fs/cgroup -depth -type d \( -path "*$LAB_CGROUP" -o -path "*$LAB_CGROUP/*" \) -exec rmdir {} + 2>/dev/null || true
}
