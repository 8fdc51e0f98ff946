#!/usr/bin/env bats
# What becomes of calls when a plugin is not there, by its failure policy; and the pods that no plugin is called for.

setup_file() {
    load plugin.bash
    crictl pull "$BUSYBOX"
}

setup() {
    load plugin.bash
}

teardown() {
    remove_plugin absent
    stop_plugin
    remove_pods
}

SKIPPED='.labels["runtimeproxy.koordinator.sh/skip-hookserver"] = "true"'
REFUSED="code = FailedPrecondition desc = crigate: plugin absent.json"

# live NAME [POD_FILTER]: makes a pod and a container in it, and starts it. Sets $pod and $container.
live() {
    pod=$(run_pod "$@")
    container=$(make_container "$pod" "$1")
    crictl start "$container"
}

# pods_made, containers_made: how many containerd has, in whatever state.
pods_made() {
    at_runtime pods --quiet | wc -l
}

containers_made() {
    at_runtime ps --all --quiet | wc -l
}

# has_cgroup NAME: whether there is a cgroup of that name below $LAB_CGROUP, of whatever controller.
has_cgroup() {
    find /sys/fs/cgroup -type d -path "*$LAB_CGROUP/$1" | grep -q .
}

@test "Fail: without the plugin there is no pod, and nothing is left of it" {
    add_absent absent Fail PreRunPodSandbox
    run ! run_pod refused
    [[ $output =~ $REFUSED ]]
    [ "$(pods_made)" = 0 ]
    run ! has_cgroup refused
    run ! grep -rl uid-of-refused "$LAB/containerd/root/io.containerd.grpc.v1.cri" "$LAB/containerd/state/io.containerd.grpc.v1.cri"

    remove_plugin absent
    run_pod web
    [ "$(pods_made)" = 1 ]
}

@test "Fail: without the plugin no container is made in a pod that runs" {
    local pod
    pod=$(run_pod web)
    add_absent absent Fail PreCreateContainer
    run ! make_container "$pod" web
    [[ $output =~ $REFUSED ]]
    [ "$(containers_made)" = 0 ]

    remove_plugin absent
    make_container "$pod" web
    [ "$(containers_made)" = 1 ]
}

@test "Fail: without the plugin a container that was made does not start, and nothing of it is lost" {
    local pod container
    pod=$(run_pod web)
    container=$(make_container "$pod" web)
    add_absent absent Fail PreStartContainer
    run ! crictl start "$container"
    [[ $output =~ $REFUSED ]]
    [ "$(at_runtime inspect "$container" | jq -r .status.state)" = CONTAINER_CREATED ]

    remove_plugin absent
    crictl start "$container"
    as_asked "$container" web
}

@test "Fail: without the plugin no update reaches the kernel, but the container can be stopped and removed" {
    live web
    add_absent absent Fail PreUpdateContainerResources PostStopContainer PostStopPodSandbox
    run ! crictl update --cpu-share 2 "$container"
    [[ $output =~ $REFUSED ]]
    as_asked "$container" web
    crictl stop --timeout 0 "$container"
    crictl rm "$container"
    crictl stopp "$pod"
    crictl rmp "$pod"
    [ "$(pods_made)" = 0 ]
}

@test "Fail: a gateway that was killed and started again lets no call pass before it knows the plugin" {
    local pod
    pod=$(run_pod web)
    add_absent absent Fail PreRunPodSandbox PreCreateContainer
    lab_stop crigate KILL || true
    lab_daemon crigate "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5
    lab_wait 15 lab_answers "$LAB/crigate.sock"
    run ! make_container "$pod" web
    [[ $output =~ $REFUSED ]]
    run ! run_pod other
    [[ $output =~ $REFUSED ]]
    [ "$(pods_made) $(containers_made)" = "1 0" ]
}

@test "Ignore: without the plugin all goes on as if there were none, and crigate hooks reports the failures" {
    add_absent absent Ignore PreRunPodSandbox PreCreateContainer PreStartContainer PreUpdateContainerResources
    live web
    as_asked "$container" web
    crictl update --cpu-share 2 "$container"
    [ "$(limits "$container")" = "${LIMITS_ASKED/shares 512/shares 2}" ]
    run "$E2E_BUILD/crigate" hooks --config "$LAB/crigate.yaml"
    [ "$status" = 1 ]
    [[ $output =~ absent\.json\ +away\ +Ignore ]]
    [[ $(plugins '.plugins[0].lastError') =~ absent\.sock ]]
}

@test "Ignore: a plugin that is there changes what another that is not leaves alone" {
    add_absent absent Ignore PreRunPodSandbox PreCreateContainer PreStartContainer PreUpdateContainerResources
    start_plugin
    live web
    as_given "$container"
    crictl update --cpu-share 2 "$container"
    as_given "$container" "$LIMITS_UPDATED"
}

@test "Fail: a plugin that is killed fails calls until it is back, and then changes them again" {
    local pod
    start_plugin --policy Fail
    pod=$(run_pod web)
    lab_stop plugin KILL || true
    run ! make_container "$pod" web
    [[ $output =~ "code = FailedPrecondition desc = crigate: plugin plugin.json" ]]
    [ "$(containers_made)" = 0 ]

    start_plugin --policy Fail
    container=$(make_container "$pod" web)
    crictl start "$container"
    as_given "$container"
}

@test "a pod with the label that skips hooks runs as its caller wanted, whatever the plugins" {
    start_plugin
    add_absent absent Fail PreRunPodSandbox PreCreateContainer PreStartContainer PreUpdateContainerResources
    live skipped "$SKIPPED"
    as_asked "$container" skipped
    crictl update --cpu-share 2 "$container"
    [ "$(limits "$container")" = "${LIMITS_ASKED/shares 512/shares 2}" ]
    crictl stop --timeout 0 "$container"
    crictl stopp "$pod"
    lab_wait 10 settled
    [ "$(times_hooked skipped)" = 0 ]
}

@test "the label skips hooks after a restart of the gateway, too" {
    local pod container
    start_plugin
    pod=$(run_pod skipped "$SKIPPED")
    lab_stop crigate KILL || true
    rm -rf "$LAB/crigate.state"
    lab_daemon crigate "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5
    lab_wait 15 lab_answers "$LAB/crigate.sock"
    container=$(make_container "$pod" skipped)
    crictl start "$container"
    as_asked "$container" skipped
    lab_wait 10 settled
    [ "$(times_hooked skipped)" = 0 ]
}
