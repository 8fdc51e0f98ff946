#!/usr/bin/env bats
# Plugins see and change pods and containers: at each stage, for every package that callers speak and every dialect that runtimes
# speak.

load gateway
load plugins

IMAGE=docker.io/library/busybox:latest

# The life of a pod with one container; sets $pod and $container. The caller has the cgroup parent /kubepods/pod1.
live() {
    local config
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1" | .labels = {app: "web"}')
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$IMAGE" \
        '.envs = [{key: "COLOUR", value: "red"}, {key: "SIZE", value: "big"}] | .annotations = {a: "1"} |
         .linux.resources = {cpuShares: "512", cpuQuota: "20000", cpuPeriod: "100000"}')
    call StartContainer "{\"containerId\":\"$container\"}"
    call UpdateContainerResources "{\"containerId\":\"$container\",\"linux\":{\"cpuShares\":\"1024\"}}"
}

end() {
    call StopContainer "{\"containerId\":\"$container\"}"
    call RemoveContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
}

prepare() {
    pull "$IMAGE" >/dev/null
}

# one_plugin [OPTION...]: a node of one runtime, and a plugin that is known.
one_plugin() {
    start_runtime node "${RUNTIME_API:-v1}"
    write_map node
    hooks_on "${HOOK_KEYS:-}"
    start_plugin koordlet "$@"
    start_node -v 3
    eventually 10 knows_plugins koordlet
    prepare
}

# life_with_changes CALLER RUNTIME: a plugin changes something at each stage, and the runtime gets it.
life_with_changes() {
    local request
    API=$1 RUNTIME_API=$2
    one_plugin \
        --set 'PreRunPodSandbox:labels[tier]=batch' --set 'PreRunPodSandbox:annotations[seen]=yes' \
        --set PreRunPodSandbox:cgroup_parent=/kubepods/besteffort/pod1 \
        --set PreCreateContainer:container_resources.cpu_quota=-1 \
        --set PreCreateContainer:container_resources.cpuset_cpus=0-1 \
        --set 'PreCreateContainer:container_annotations[b]=2' \
        --set 'PreCreateContainer:container_envs[GPU]=7' --remove 'PreCreateContainer:container_envs[SIZE]' \
        --set PreUpdateContainerResources:container_resources.memory_limit_in_bytes=1000000
    live
    request=$(arrived node RunPodSandbox)
    expect '.request.config | .labels == {app: "web", tier: "batch"} and .annotations == {seen: "yes"}' "$request"
    expect '.request.config.linux.cgroupParent == "/kubepods/besteffort/pod1"' "$request"
    request=$(arrived node CreateContainer)
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/besteffort/pod1"' "$request"
    expect '.request.sandboxConfig.labels == {app: "web"}' "$request"
    expect '.request.config | .annotations == {a: "1", b: "2"} and [.envs[].key] == ["COLOUR", "GPU"]' "$request"
    expect '.request.config.linux.resources ==
        {cpuShares: "512", cpuQuota: "-1", cpuPeriod: "100000", cpusetCpus: "0-1"}' "$request"
    expect '.request.linux == {cpuShares: "1024", memoryLimitInBytes: "1000000"}' "$(arrived node UpdateContainerResources)"
    end
    eventually 10 test "$(times_hooked koordlet PostStopPodSandbox)" = 1
    expect '.podMeta == {name: "web", uid: "uid-web", namespace: "shop"} and .cgroupParent == "/kubepods/pod1"' \
        "$(hooked koordlet PreRunPodSandbox)"
    request=$(hooked koordlet PreStartContainer)
    expect ".containerMeta == {name: \"main\", id: \"$container\"} and .podLabels == {app: \"web\", tier: \"batch\"}" "$request"
    expect '.containerEnvs | has("GPU") and has("COLOUR")' "$request"
    expect '.podCgroupParent == "/kubepods/besteffort/pod1" and .containerResources.cpuQuota == "-1"' "$request"
    expect '.containerResources | .cpuShares == "1024" and .cpuQuota == "-1"' "$(hooked koordlet PreUpdateContainerResources)"
    for hook in PostStartContainer PostStopContainer; do
        expect ".containerMeta.id == \"$container\"" "$(hooked koordlet $hook)"
    done
    ! grep -q 'big' crigate.log
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1" {
    life_with_changes v1 v1
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1alpha2" {
    life_with_changes v1 v1alpha2
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1_12" {
    life_with_changes v1 v1_12
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1_9" {
    life_with_changes v1 v1_9
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1" {
    life_with_changes v1alpha2 v1
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1alpha2" {
    life_with_changes v1alpha2 v1alpha2
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1_12" {
    life_with_changes v1alpha2 v1_12
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1_9" {
    life_with_changes v1alpha2 v1_9
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1" {
    life_with_changes v1_9 v1
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1alpha2" {
    life_with_changes v1_9 v1alpha2
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1_12" {
    life_with_changes v1_9 v1_12
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1_9" {
    life_with_changes v1_9 v1_9
}
