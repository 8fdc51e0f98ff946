#!/usr/bin/env bats
# The CRI image services of real snapshotters between crigate and real releases of containerd, and an agent of v1alpha2. Needs root.
#
# CRIGATE_BUILD is the build folder, with the peers stargz-0.12, nydus-0.15, containerd-1.7, containerd-2.4 and crictl.

bats_require_minimum_version 1.5.0
PEERS=$CRIGATE_BUILD/peers
CRICTL=$PEERS/crictl/crictl

load ../../eventually

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    PIDS=()
}

teardown() {
    kill "${PIDS[@]}" 2>/dev/null || true
    wait || true
    [ -n "${BATS_TEST_COMPLETED:-}" ] || tail -n 30 ./*.log
}

# start NAME COMMAND...: its output goes to NAME.log.
start() {
    "${@:2}" >"$1.log" 2>&1 3>&- &
    PIDS+=($!)
}

# call SOCKET PACKAGE METHOD [JSON]
call() {
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/$1.sock" --api "$2" --compact "${@:3}"
}

# start_containerd PROGRAM DIALECT
start_containerd() {
    printf 'version = 2\nroot = "%s/root"\nstate = "%s/state"\n[grpc]\naddress = "%s/containerd.sock"\n[plugins."io.containerd.grpc.v1.cri".containerd]\nsnapshotter = "native"\n' \
        "$PWD" "$PWD" "$PWD" >config.toml
    start containerd "$1" --config config.toml
    eventually 20 call containerd "$2" Version
}

# start_crigate IMAGES: with that image service.
start_crigate() {
    printf 'listen: ["%s/crigate.sock", {address: "%s/agents.sock", access: read-only}]\nstate: "%s/crigate"\nruntimes: [{name: containerd, endpoint: "%s/containerd.sock", image_endpoint: "%s/%s.sock", primary: true}]\n' \
        "$PWD" "$PWD" "$PWD" "$PWD" "$PWD" "$1" >crigate.yaml
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 20 grep -q "runtime containerd/images: ready, speaks $2$" crigate.log
}

# check_agent: on the read-only socket, a caller of v1alpha2 reads, and changes nothing.
check_agent() {
    call agents v1alpha2 ListPodSandbox
    call agents v1alpha2 ListContainers
    run -7 call agents v1alpha2 StopContainer '{"containerId": "x"}'
    [[ $output == *"StopContainer may change something"* ]]
}

# crictl ENDPOINT IMAGE_ENDPOINT: lists images, as kubelets validate both services first.
crictl_images() {
    "$CRICTL" --config /dev/null --runtime-endpoint "unix://$PWD/$1.sock" --image-endpoint "unix://$PWD/$2.sock" images 2>&1
}

# check_stargz CONTAINERD: of the time of v1alpha2, which its own client asks containerd for.
check_stargz() {
    start_containerd "$1" v1alpha2
    start stargz "$PEERS/stargz-0.12/stargz" "$PWD/stargz.sock" "$PWD/containerd.sock"
    eventually 20 call stargz v1alpha2 ImageFsInfo
    run -1 crictl_images containerd stargz
    [[ $output == *"unknown service runtime.v1.ImageService"* ]]
    start_crigate stargz v1alpha2
    run -0 crictl_images crigate crigate
    check_agent
}

@test "stargz-snapshotter of v1alpha2 with Debian's containerd" {
    check_stargz containerd
}

@test "stargz-snapshotter of v1alpha2 with containerd 1.7" {
    check_stargz "$PEERS/containerd-1.7/containerd"
}

@test "stargz-snapshotter of v1alpha2, which containerd 2 does not serve, on top of crigate" {
    start_containerd "$PEERS/containerd-2.4/containerd" v1
    printf 'listen: "%s/crigate.sock"\nstate: "%s/crigate"\nruntimes: [{name: containerd, endpoint: "%s/containerd.sock", primary: true}]\n' "$PWD" "$PWD" "$PWD" >crigate.yaml
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 20 call crigate v1 Version
    start stargz "$PEERS/stargz-0.12/stargz" "$PWD/stargz.sock" "$PWD/crigate.sock"
    eventually 20 call stargz v1alpha2 ImageFsInfo
}

# check_nydus CONTAINERD
check_nydus() {
    start_containerd "$1" v1
    start nydus "$PEERS/nydus-0.15/nydus" "$PWD/nydus.sock" "$PWD/containerd.sock"
    eventually 20 call nydus v1 ImageFsInfo
    run -12 call nydus v1alpha2 ImageFsInfo
    [[ $output == *"unknown service runtime.v1alpha2.ImageService"* ]]
    start_crigate nydus v1
    run -0 crictl_images crigate crigate
    call crigate v1alpha2 ImageFsInfo
    check_agent
}

@test "nydus-snapshotter of v1 with Debian's containerd, and callers of v1alpha2" {
    check_nydus containerd
}

@test "nydus-snapshotter of v1 with containerd 2" {
    check_nydus "$PEERS/containerd-2.4/containerd"
}
