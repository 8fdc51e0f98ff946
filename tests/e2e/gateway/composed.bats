#!/usr/bin/env bats
# What crigate puts together for a containerd that has not got it, or leaves it unsaid: its 1.6 lacks RuntimeConfig, says no image ids of
# containers and does not pin its sandbox image; told that it speaks runtime.v1alpha2, they are lacking there as well.

setup() {
    load ../terminal.bash
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

# ask METHOD [JSON]: asks the gateway as a caller of runtime.v1.
ask() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/crigate.sock" --api v1 --compact --timeout 20s "$@"
}

# ask_containerd METHOD [JSON]: the same behind the gateway's back.
ask_containerd() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/containerd.sock" --api v1 --compact --timeout 20s "$@"
}

@test "the cgroup driver is the one that containerd uses" {
    run -12 ask_containerd RuntimeConfig
    systemd=$(ask_containerd Status '{"verbose":true}' |
        jq '.info.config | fromjson | .containerd | .runtimes[.defaultRuntimeName].options.SystemdCgroup')
    [ "$systemd" = false ]
    [ "$(ask RuntimeConfig)" = '{"linux":{"cgroupDriver":"CGROUPFS"}}' ]
}

@test "statistics of pods are there, with their containers" {
    crictl pull "$BUSYBOX"
    pod=$(run_pod measured)
    container=$(run_container "$pod" measured 'sleep 60')
    answer=$(ask ListPodSandboxStats "{\"filter\":{\"id\":\"$pod\"}}")
    [ "$(field '.stats[0].attributes.id' "$answer")" = "$pod" ]
    [ "$(field '.stats[0].linux.containers[0].attributes.id' "$answer")" = "$container" ]
}

@test "the sandbox image is pinned, and no other" {
    sandbox_image=$(ask_containerd Status '{"verbose":true}' | jq -r '.info.config | fromjson | .sandboxImage')
    [ "$(ask ListImages | jq -r '.images[] | select(.pinned) | .repoTags[]')" = "$sandbox_image" ]
    [ "$(ask ImageStatus "{\"image\":{\"image\":\"$sandbox_image\"}}" | jq .image.pinned)" = true ]
}

@test "one image has one id in every answer" {
    id=$(field .imageRef "$(ask PullImage "{\"image\":{\"image\":\"$BUSYBOX\"}}")")
    pod=$(run_pod identified)
    container=$(run_container "$pod" identified 'sleep 60')
    [ "$(ask ImageStatus "{\"image\":{\"image\":\"$BUSYBOX\"}}" | jq -r .image.id)" = "$id" ]
    [ "$(ask ContainerStatus "{\"containerId\":\"$container\"}" | jq -r .status.imageId)" = "$id" ]
    [ "$(ask ListContainers "{\"filter\":{\"id\":\"$container\"}}" | jq -r '.containers[0] | .imageId // .imageRef')" = "$id" ]
}

@test "what is absent is NOT_FOUND, and a command that runs too long DEADLINE_EXCEEDED" {
    run -5 ask ContainerStatus '{"containerId":"absent"}'
    run -5 ask PodSandboxStatus '{"podSandboxId":"absent"}'
    pod=$(run_pod hurried)
    container=$(run_container "$pod" hurried 'sleep 60')
    run -4 ask ExecSync "{\"containerId\":\"$container\",\"cmd\":[\"sleep\",\"9\"],\"timeout\":\"1\"}"
}
