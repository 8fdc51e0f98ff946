#!/usr/bin/env bats
# Two programs that speak CRI for one Docker Engine, each with checkpoints of its own, one after the other: what `crigate install` relies on
# where cri-dockerd takes the place of a kubelet's dockershim. Both are cri-dockerd here, which is dockershim's code with another name. Each
# test goes on where the one before it stopped.

SECOND=$LAB/second.sock

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
    lab_point_crictl "$LAB/cri-dockerd.sock"
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

setup_file() {
    load ../../e2e/terminal.bash
    load docker.bash
    mkdir "$LAB/second"
    lab_daemon second cri-dockerd --container-runtime-endpoint "unix://$SECOND" --docker-endpoint "$DOCKER_HOST" \
        --cri-dockerd-root-directory "$LAB/second" --network-plugin cni --cni-bin-dir /usr/lib/cni \
        --cni-conf-dir "$LAB/cri-dockerd/cni" --cni-cache-dir "$LAB/cri-dockerd/cni-cache" \
        --pod-infra-container-image registry.k8s.io/pause:e2e --streaming-bind-addr 127.0.0.1
    lab_wait 30 lab_answers "$SECOND"
}

teardown_file() {
    load ../../e2e/terminal.bash
    lab_point_crictl "$LAB/cri-dockerd.sock"
    remove_pods
    lab_stop second
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    echo "$1=$2" >>"$BATS_FILE_TMPDIR/ids"
}

# life ID: the process of a container, and when it started.
life() {
    docker inspect --format '{{.State.Pid}} {{.State.StartedAt}}' "$1"
}

# same_lists: as crigate install compares them before it touches a kubelet.
same_lists() {
    "$E2E_BUILD/list_comparison" "unix://$LAB/cri-dockerd.sock" "unix://$SECOND" v1 5
}

# has_rules PORT: whether the node leads a port of its own to a pod.
has_rules() {
    iptables-save --table nat 2>/dev/null | grep --quiet -- "--dport $1 "
}

@test "the second lists what the first made, to the last label" {
    crictl pull "$BUSYBOX"
    pod=$(crictl runp "$(pod_config web '.port_mappings = [{protocol: 0, container_port: 8080, host_port: 18080}]')")
    container=$(run_container "$pod" server 'exec httpd -f -p 8080 -h /www')
    host=$(crictl runp "$(pod_config host '.linux.security_context.namespace_options.network = 2')")
    remember pod "$pod"
    remember container "$container"
    remember host "$host"
    remember before "'$(life "$container")'"
    remember address "$(crictl inspectp "$pod" | jq --raw-output .status.network.ip)"
    run -0 same_lists
    [ "$(crictl pods --quiet | wc -l)" = 2 ]
}

@test "the second knows the pod's address, so that a kubelet keeps the pod, and reaches into its containers" {
    lab_point_crictl "$SECOND"
    run -0 crictl inspectp "$pod"
    [ "$(field .status.state "$output")" = SANDBOX_READY ]
    [ "$(field .status.network.ip "$output")" = "$address" ]
    run -0 crictl inspectp "$host"
    [ "$(field .status.linux.namespaces.options.network "$output")" = NODE ]
    run -0 crictl exec --sync "$container" echo inside
    [ "$output" = inside ]
    [ "$(life "$container")" = "$before" ]
    run -0 busybox wget -q -O - http://10.203.0.1:18080/
    [ "$output" = "served from a pod" ]
}

@test "the second makes a container in the first's pod, and a pod that the first knows" {
    lab_point_crictl "$SECOND"
    beside=$(run_container "$pod" beside 'exec sleep 1000')
    [ "$(readlink "/proc/$(docker_process "$beside")/ns/net")" = "$(readlink "/proc/$(docker_process "$pod")/ns/net")" ]
    younger=$(run_pod younger)
    lab_point_crictl "$LAB/cri-dockerd.sock"
    run -0 same_lists
    run -0 crictl inspectp "$younger"
    [[ $(field .status.network.ip "$output") =~ ^10\.203\.0\.[0-9]+$ ]]
    run -0 crictl stopp "$younger"
    run -0 crictl rmp "$younger"
    run ! docker inspect "$younger"
}

@test "the second removes the first's pods, with their processes and addresses; only CNI's rules for host ports stay" {
    has_rules 18080
    pids="$(docker_process "$pod") $(docker_process "$container") $(docker_process "$host")"
    lab_point_crictl "$SECOND"
    crictl stopp "$pod" "$host"
    crictl rmp "$pod" "$host"
    for pid in $pids; do
        [ ! -e "/proc/$pid" ]
    done
    [ -z "$(docker ps --all --quiet)" ]
    [ ! -e "$LAB/cri-dockerd/ipam/crigate-e2e-cri-dockerd/$address" ]
    run ! busybox ping -c 1 -W 1 "$address"
    # What docs/install.md says, and preflight warns of. Once cri-dockerd knows how to do better, this shows it.
    has_rules 18080
}

@test "the first still knows of the pods that the second removed, and a kubelet has it forget them" {
    # As kubelets ask, without a filter: cri-dockerd adds pods of which it has but checkpoints.
    run -0 "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/cri-dockerd.sock" ListPodSandbox
    [ "$(field '.items | map(.id) | sort | join(" ")' "$output")" = "$(printf '%s\n' "$pod" "$host" | sort | paste --serial --delimiters ' ')" ]
    [ "$(field '.items[].state' "$output" | sort -u)" = SANDBOX_NOTREADY ]
    run -0 same_lists
    crictl stopp "$pod" "$host"
    run -0 "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/cri-dockerd.sock" ListPodSandbox
    [ "$(field '.items | length' "$output")" = 0 ]
    [ -z "$(ls "$LAB/cri-dockerd/sandbox")" ]
    # It knew of the host's port.
    ! has_rules 18080
}
