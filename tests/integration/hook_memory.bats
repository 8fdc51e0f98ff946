#!/usr/bin/env bats
# What is known of pods and containers for plugins takes no more than its share of memory, and is gone when they are.

load gateway
load plugins

IMAGE=docker.io/library/busybox:latest

# make_pods OPTION...: has a caller make pods with containers, which are created and started; all calls must succeed.
make_pods() {
    "$CRIGATE_BUILD/bench-pods" "unix://$PWD/crigate.sock" --samples "$BATS_TEST_DIRNAME/../bench/samples" "$@"
}

# status_mib KEY: a size of the gateway's process.
status_mib() {
    awk -v key="$1:" '$1 == key { print int($2 / 1024) }' "/proc/${PIDS[crigate]}/status"
}

# known FILTER: whether jq's filter is true of what the gateway knows of pods and containers.
known() {
    plugins_state ".known | $1"
}

# node_with_plugin HOOKS: a runtime that reports environments as containerd does, and a plugin for these hooks.
node_with_plugin() {
    start_runtime node v1 --verbose-info containerd
    write_map node
    add_to_map "limits: {memory: ${MEMORY:-256MiB}, message_size: 8MiB}"
    hooks_on 'timeout: 30s'
    start_plugin koordlet --hooks "$1"
    start_node
    eventually 10 knows_plugins koordlet
}

# create_large NAME: a container with an environment of 40 KiB; sets $container.
create_large() {
    local config pod
    config=$(pod "$1")
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$IMAGE" '.envs = [{key: "WHO", value: "'"$1"'"}, {key: "BIG", value: ("x" * 40960)}]')
}

@test "environments are forgotten before memory is short, and plugins still get them" {
    local early late
    MEMORY=64MiB node_with_plugin PreStartContainer
    pull "$IMAGE"
    create_large early
    early=$container
    known '.containers == 1 and .environmentBytes > 40960'
    make_pods --pods 100 --containers 10 --environment 40960
    known '.pods == 101 and .containers == 1001'
    # Five eighths of the limit, and some more. All environments alone are 40 MiB. Sanitizers take more memory than the program: the
    # limit does not count there.
    if plain_build; then
        known '.environmentBytes < 30 * 1024 * 1024'
        [ "$(status_mib VmHWM)" -lt 48 ]
    fi
    create_large late
    late=$container
    for container in "$early" "$late"; do
        call StartContainer "{\"containerId\":\"$container\"}"
        expect ".containerMeta.id == \"$container\" and (.containerEnvs.BIG | length) == 40960" "$(hooked koordlet PreStartContainer)"
    done
    expect '.containerEnvs.WHO == "late"' "$(hooked koordlet PreStartContainer)"
    if plain_build; then
        expect ".request == {containerId: \"$early\", verbose: true}" "$(arrived node ContainerStatus)"
    fi
    [ "$(times_hooked koordlet PreStartContainer)" = 1002 ]
    ! grep -q "limits.memory" crigate.log
}

@test "nothing stays of pods that are gone, in memory or in the state folder" {
    local before file
    node_with_plugin PreRunPodSandbox,PreCreateContainer,PreStartContainer,PostStartContainer,PostStopContainer,PostStopPodSandbox
    make_pods --pods 200 --containers 1 --remove
    known '.pods == 0 and .containers == 0 and .environmentBytes == 0'
    before=$(status_mib VmRSS)
    make_pods --pods 800 --containers 1 --remove
    known '.pods == 0 and .containers == 0 and .environmentBytes == 0'
    eventually 10 was_hooked koordlet PostStopPodSandbox 1000
    # A file with 800 pods and containers would have a megabyte.
    for file in state/*.facts; do
        [ "$(stat -c %s "$file")" -lt 100000 ]
    done
    if plain_build; then
        [ "$(status_mib VmRSS)" -le $((before + 2)) ]
    fi
}
