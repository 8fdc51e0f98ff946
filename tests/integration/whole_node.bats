#!/usr/bin/env bats
# What is told of the node as a whole when several runtimes are asked, and the RPCs that came last.

load gateway

@test "Status has every handler that leads somewhere, under the name that leads there, and the features that all have" {
    local answer
    start_runtime main v1 --handler runc --handler kata
    start_runtime vm.local v1 --handler kvm --handler qemu
    write_map main "vm.local, handlers: {kata: kvm}"
    start_node
    answer=$(call Status)
    # The primary's own kata can be reached by nobody, nor what the map does not name of the other.
    expect '[.runtimeHandlers[] | .name // ""] == ["", "runc", "kata"]' "$answer"
    expect '.runtimeHandlers[2].features.userNamespaces' "$answer"
    expect '.features.supplementalGroupsPolicy' "$answer"
    expect '.status.conditions | length == 2' "$answer"
}

@test "Status loses another runtime's handlers while it is away, and nothing else" {
    start_runtime main v1
    start_runtime vm.local v1 --handler kvm
    write_map main "vm.local, handlers: {kata: kvm}"
    start_node
    expect '[.runtimeHandlers[] | .name // ""] == ["", "kata"]' "$(call Status)"
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    expect '[.runtimeHandlers[] | .name // ""] == [""] and (.status.conditions | length == 2)' "$(call Status)"
}

@test "a runtime that tells of no features leaves none in common" {
    start_runtime main v1
    start_runtime old.local v1alpha2
    write_map main old.local
    start_node
    expect '(.features | has("supplementalGroupsPolicy") | not) and (.runtimeHandlers | length == 1)' "$(call Status)"
}

@test "a runtime that tells of no handlers has those that the map lists for it, without features" {
    local answer
    start_runtime main v1
    start_runtime old.local v1alpha2 --handler kvm
    write_map main "old.local, handlers: {legacy: kvm}"
    start_node
    answer=$(call Status)
    expect '[.runtimeHandlers[] | .name // ""] == ["", "legacy"]' "$answer"
    expect '(.runtimeHandlers[0] | has("features")) and (.runtimeHandlers[1] | has("features") | not)' "$answer"
    crash old.local
    eventually 10 grep -q "runtime old.local: connection to .* lost" crigate.log
    expect '[.runtimeHandlers[] | .name // ""] == [""]' "$(call Status)"
}

@test "if the primary tells of no handlers, pods without one still have theirs" {
    start_runtime old v1alpha2
    start_runtime vm.local v1 --handler kvm
    write_map old "vm.local, handlers: [kvm]"
    start_node
    expect '[.runtimeHandlers[] | .name // ""] == ["", "kvm"]' "$(call Status)"
}

@test "callers that know no handlers ask the primary alone" {
    local api
    start_runtime main v1
    start_runtime vm.local v1 --handler kvm
    write_map main "vm.local, handlers: {kata: kvm}"
    start_node
    for API in v1alpha2 v1_9; do
        expect '.status.conditions | length == 2' "$(call Status)"
    done
    [ "$(asked main Status) $(asked vm.local Status)" = "2 0" ]
}

@test "a filesystem that two runtimes share is told once, the primary's first" {
    start_runtime main v1 --image-fs-mountpoint /var/lib/one
    start_runtime second v1 --image-fs-mountpoint /var/lib/two
    start_runtime third v1alpha2 --image-fs-mountpoint /var/lib/one
    write_map main second third
    start_node
    expect '[.imageFilesystems[].fsId.mountpoint] == ["/var/lib/one", "/var/lib/two"]' "$(call ImageFsInfo)"
}

@test "metrics of all runtimes are one list, and each is described once" {
    local names
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    names=$(ask main v1 ListMetricDescriptors | jq -c '[.descriptors[].name]')
    [ "$(jq length <<<"$names")" -gt 0 ]
    expect "[.descriptors[].name] == $names" "$(call ListMetricDescriptors)"
    expect '[.podMetrics[].podSandboxId | startswith("vm.local__")] == [false, true]' "$(call ListPodSandboxMetrics)"
    expect '[.podMetrics[1].containerMetrics[].containerId | startswith("vm.local__")] | length == 3 and all' \
        "$(call ListPodSandboxMetrics)"
}

@test "checkpoints are made and restored on the runtime that holds the pod, with ids inside" {
    local pod container image restored
    start_runtime main v1
    start_runtime vm.local v1 --images 1
    write_map main vm.local
    start_node
    pod=$(run_pod "$(pod web "$(to vm.local)")")
    image=$(ask vm.local v1 ListImages | jq -r '.images[0].id')
    container=$(create_container "$pod" "$(pod web)" "$image")
    call StartContainer "{\"containerId\":\"$container\"}"
    call CheckpointContainer "{\"containerId\":\"$container\",\"location\":\"/tmp/c.tar\"}"
    call CheckpointPod "{\"podSandboxId\":\"$pod\",\"outputPath\":\"/tmp/p.tar\",\"containerIds\":[\"$container\"]}"
    expect ".request.podSandboxId == \"${pod#vm.local__}\" and .request.containerIds == [\"${container#vm.local__}\"]" \
        "$(arrived vm.local CheckpointPod)"
    call UpdatePodSandboxResources "{\"podSandboxId\":\"$pod\",\"resources\":{\"cpuShares\":\"512\"}}"
    expect ".request.podSandboxId == \"${pod#vm.local__}\" and .request.resources.cpuShares == \"512\"" \
        "$(arrived vm.local UpdatePodSandboxResources)"
    restored=$(call RestorePod "$(jq -nc --argjson config "$(pod again "$(to vm.local)")" --arg image "$image" \
        '{checkpointPath: "/tmp/p.tar", config: $config,
          containerConfigs: [{metadata: {name: "main"}, image: {image: $image}}]}')")
    expect '.podSandboxId | startswith("vm.local__")' "$restored"
    expect '[.restoredContainers[].containerId | startswith("vm.local__")] | length == 1 and all' "$restored"
    # Both are known from then on.
    expect '.status.metadata.name == "again"' "$(call PodSandboxStatus "$(jq -c '{podSandboxId}' <<<"$restored")")"
    expect '.status.id | startswith("vm.local__")' \
        "$(call ContainerStatus "$(jq -c '{containerId: .restoredContainers[0].containerId}' <<<"$restored")")"
    run -5 call CheckpointContainer '{"containerId":"vm.local__nothing","location":"/tmp/c.tar"}'
    [ "$(asked main CheckpointPod) $(asked main RestorePod) $(asked main UpdatePodSandboxResources)" = "0 0 0" ]
}
