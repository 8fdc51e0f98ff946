#!/usr/bin/env bats
# A plugin changes a pod, its container and an update of it, and the kernel has what the plugin said. Each test goes on where the one
# before it stopped.

setup_file() {
    load plugin.bash
    crictl pull "$BUSYBOX"
    start_plugin
}

setup() {
    load plugin.bash
    recall
}

teardown_file() {
    load plugin.bash
    remove_pods
    stop_plugin
}

@test "a pod has the labels, the annotations and the cgroup parent that the plugin set" {
    pod=$(run_pod web)
    remember pod "$pod"
    expect '.podMeta == {name: "web", uid: "uid-of-web", namespace: "e2e", attempt: 1}' "$(hooked PreRunPodSandbox web)"
    expect ".cgroupParent == \"$LAB_CGROUP/web\" and .labels == {suite: \"e2e\", pod: \"web\"}" "$(hooked PreRunPodSandbox web)"
    run -0 crictl inspectp "$pod"
    expect '.status.labels == {suite: "e2e", pod: "web", tier: "batch"}' "$output"
    expect '.status.annotations == {note: "a note on web", seen: "yes"}' "$output"
    [ "$(cgroup_of "$(field .info.pid "$output")" cpu)" = "$PLUGIN_PARENT/$pod" ]
    [ "$(crictl pods --quiet --no-trunc --label tier=batch)" = "$pod" ]
}

@test "a container that is made is told to run with what the plugin set" {
    container=$(make_container "$pod" web)
    remember container "$container"
    run -0 crictl inspect "$container"
    expect '.status.state == "CONTAINER_CREATED" and .status.annotations == {a: "1", b: "2"}' "$output"
    expect "$(printf '.info.runtimeSpec.linux | .cgroupsPath == "%s/%s" and .resources.cpu.cpus == "%s"' \
        "$PLUGIN_PARENT" "$container" "$CPU")" "$output"
    expect ".podLabels.tier == \"batch\" and .podAnnotations.seen == \"yes\" and .podCgroupParent == \"$PLUGIN_PARENT\"" \
        "$(hooked PreCreateContainer web)"
    expect '.containerEnvs == {COLOUR: "red", SIZE: "big", SHAPE: "round"}' "$(hooked PreCreateContainer web)"
}

@test "its process has the CPUs, the quota, the shares, the memory, the environment and the cgroup that the plugin set" {
    crictl start "$container"
    as_given "$container"
    [ "$(sed -nE 's/^Cpus_allowed_list:\s*//p' "/proc/$(process "$container")/status")" = "$CPU" ]
    run -0 crictl exec --sync "$container" sh -c 'echo "$COLOUR $GPU $SIZE"'
    [ "$output" = "blue 7 " ]
}

@test "the plugin knows the container, with its id, before and after it starts" {
    lab_wait 10 was_hooked PostStartContainer web
    local hook
    for hook in PreStartContainer PostStartContainer; do
        expect ".containerMeta == {name: \"web\", attempt: 1, id: \"$container\"} and .podCgroupParent == \"$PLUGIN_PARENT\"" \
            "$(hooked $hook web)"
        expect '.containerEnvs == {COLOUR: "blue", SHAPE: "round", GPU: "7"}' "$(hooked $hook web)"
        expect ".containerResources | .cpusetCpus == \"$CPU\" and .cpuQuota == \"30000\"" "$(hooked $hook web)"
    done
}

@test "an update has the caller's shares and the plugin's quota, and leaves the rest as it was" {
    run -0 crictl update --cpu-share 2 "$container"
    as_given "$container" "$LIMITS_UPDATED"
    expect ".containerResources | .cpuShares == \"2\" and .cpuQuota == \"30000\" and .cpusetCpus == \"$CPU\"" \
        "$(hooked PreUpdateContainerResources web)"
}

@test "a second container of the pod is in the plugin's cgroup, too" {
    local second
    second=$(crictl create "$pod" "$(container_config second 'exec sleep 6000' "$ASKED")" "$BATS_FILE_TMPDIR/pod-web.json")
    crictl start "$second"
    as_given "$second"
}

@test "the plugin learns once that the container and the pod have stopped" {
    crictl stop --timeout 0 "$container"
    crictl stop --timeout 0 "$container"
    lab_wait 10 was_hooked PostStopContainer web
    expect ".containerMeta.id == \"$container\" and .containerResources.cpuQuota == \"45000\"" "$(hooked PostStopContainer web)"
    crictl stopp "$pod"
    crictl stopp "$pod"
    lab_wait 10 was_hooked PostStopPodSandbox web
    expect ".cgroupParent == \"$PLUGIN_PARENT\" and .labels.tier == \"batch\"" "$(hooked PostStopPodSandbox web)"
    lab_wait 10 settled
    run -0 jq -c 'select(.hook | startswith("PostStop")) | [.hook, .request.containerMeta.id]' "$LAB/plugin.journal"
    [ "$(grep -c "PostStopContainer.*$container" <<<"$output")" = 1 ]
    [ "$(grep -c PostStopPodSandbox <<<"$output")" = 1 ]
}

@test "crigate hooks counts the calls, and none failed" {
    [ "$(plugins '.plugins[0] | .calls >= 9 and .changes >= 4 and .failures == 0')" = true ]
    [ "$(plugins '[.after.dropped, (.problems | length)] | add')" = 0 ]
}

@test "no value of a variable is in the log" {
    grep -q "plugin plugin.json changed .*before CreateContainer" "$LAB/crigate.log"
    run ! grep -E 'round|blue' "$LAB/crigate.log"
}
