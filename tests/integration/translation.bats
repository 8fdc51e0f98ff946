#!/usr/bin/env bats
# What arrives at a runtime, in words of its own time, when the caller speaks another dialect: the differences in meaning that
# decide how a pod runs. (Every rule has its unit test; here the whole way is tried.)

load gateway

# A node whose runtime speaks DIALECT, with one image on it.
node() {
    start_runtime main "$1" "${@:2}"
    write_map "main, api: $1"
    start_node
    call PullImage '{"image":{"image":"busybox"}}'
}

# container FILTER: creates a pod and a container changed by the filter of jq, and prints its request as it arrived.
container() {
    local config pod
    config=$(pod web)
    pod=$(run_pod "$config") || return
    create_container "$pod" "$config" busybox "$1" >/dev/null || return
    arrived main CreateContainer | jq -c .request
}

@test "the pid namespace of a 1.9 caller's container is its own, as runtimes of that time had it" {
    node v1
    API=v1_9
    run_pod "$(pod web '.linux.securityContext = {}')"
    expect '.request.config.linux.securityContext.namespaceOptions == {"pid": "CONTAINER"}' "$(arrived main RunPodSandbox)"
    run_pod "$(pod other)"
    expect '.request.config.linux.securityContext.namespaceOptions == {"pid": "CONTAINER"}' "$(arrived main RunPodSandbox)"
    run_pod "$(pod third '.linux.securityContext.namespaceOptions = {hostNetwork: true, hostPid: true}')"
    expect '.request.config.linux.securityContext.namespaceOptions == {"network": "NODE", "pid": "NODE"}' \
        "$(arrived main RunPodSandbox)"
}

@test "the paths that old runtimes masked on their own are masked for a 1.9 caller's container" {
    node v1
    API=v1_9
    run_pod "$(pod first)"
    local request
    request=$(container .)
    expect '.config.linux.securityContext | (.maskedPaths | index("/proc/kcore")) and (.readonlyPaths | index("/proc/sys"))' \
        "$request"
    expect '.config.linux.securityContext.namespaceOptions.pid == "CONTAINER" and
        .sandboxConfig.linux.securityContext.namespaceOptions.pid == "CONTAINER"' "$request"
}

@test "a privileged container of a 1.9 caller is not masked" {
    node v1
    API=v1_9
    expect '.config.linux.securityContext | .privileged and (has("maskedPaths") or has("readonlyPaths") | not)' \
        "$(container '.linux.securityContext.privileged = true')"
}

@test "callers of 1.10, who know no masked paths, get them where the map says so" {
    start_runtime main v1
    write_map main
    sed -i 's/^listen: {/&callers: "1.10", /' crigate.yaml
    start_node
    API=v1alpha2
    call PullImage '{"image":{"image":"busybox"}}'
    expect '.config.linux.securityContext.maskedPaths | index("/proc/kcore")' "$(container .)"
}

@test "seccomp said as a string becomes the message that today's runtimes read" {
    local api
    start_runtime main v1
    write_map main
    start_node
    for api in v1_9 v1alpha2 v1; do
        API=$api
        run_pod "$(pod "string-$api" '.linux.securityContext.seccompProfilePath = "localhost//etc/seccomp.json"')"
        expect '.request.config.linux.securityContext.seccomp |
            .profileType == "Localhost" and .localhostRef == "/etc/seccomp.json"' "$(arrived main RunPodSandbox)"
        run_pod "$(pod "none-$api")"
        expect '.request.config.linux.securityContext.seccomp == null' "$(arrived main RunPodSandbox)"
    done
}

@test "what a 1.37 caller says reaches a 1.9 runtime in its own words" {
    node v1_9
    run_pod "$(pod web '.linux.securityContext = {seccomp: {profileType: "RuntimeDefault"},
        namespaceOptions: {network: "NODE", pid: "CONTAINER", usernsOptions: {mode: "NODE"}}}')"
    local entry
    entry=$(arrived main RunPodSandbox)
    expect '.method == "/runtime.RuntimeService/RunPodSandbox" and .unknown_fields == 0' "$entry"
    expect '.request.config.linux.securityContext == {
        "namespaceOptions": {"hostNetwork": true}, "seccompProfilePath": "docker/default"}' "$entry"
}

@test "what a 1.9 runtime cannot do is refused, and the runtime is not asked" {
    node v1_9
    run -3 call RunPodSandbox "{\"config\":$(pod web '.linux.securityContext.namespaceOptions.pid = "POD"')}"
    run -3 call RunPodSandbox "{\"config\":$(pod web '.linux.securityContext.runAsGroup = {value: 7}')}"
    [[ $output =~ "INVALID_ARGUMENT: crigate: ".*run_as_group ]]
    run -3 call RunPodSandbox \
        "{\"config\":$(pod web '.linux.securityContext.namespaceOptions = {pid: "CONTAINER", usernsOptions: {mode: "POD"}}')}"
    [[ $output =~ userns_options ]]
    [ "$(asked main RunPodSandbox)" = 0 ]
}

# status FILTER: what jq finds in the description of the runtime.
status_of_main() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock -o json | jq -c ".runtimes[0] | $1"
}

@test "what the map lets through is left out, counted by field, shown and told in the log" {
    local refusal name
    node v1_9
    run -3 call RunPodSandbox "{\"config\":$(pod web '.linux.securityContext.runAsGroup = {value: 7}')}"
    refusal=$output
    expect '. == "strict"' "$(status_of_main .translation)"
    # The refusal says what would let it through.
    name=$(sed -E 's/.*translation: \{lenient: \[([^]]*)\]\}.*/\1/' <<<"$refusal")
    [ "$name" = LinuxSandboxSecurityContext.run_as_group ]
    write_map "main, api: v1_9, translation: {lenient: [$name, config.linux.security_context.masked_paths]}"
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    run_pod "$(pod web '.linux.securityContext = {namespaceOptions: {pid: "CONTAINER"}, runAsGroup: {value: 7}}')"
    expect '.unknown_fields == 0 and (.request.config.linux.securityContext | has("runAsGroup") | not)' \
        "$(arrived main RunPodSandbox)"
    run_pod "$(pod other '.linux.securityContext.runAsGroup = {value: 8}')"
    # Nothing else is.
    run -3 call RunPodSandbox "{\"config\":$(pod third '.linux.securityContext.namespaceOptions.usernsOptions = {mode: "POD"}')}"
    expect '. == {"LinuxSandboxSecurityContext.run_as_group": 2}' "$(status_of_main .letThrough)"
    expect '. == ["LinuxContainerSecurityContext.masked_paths", "LinuxSandboxSecurityContext.run_as_group"]' \
        "$(status_of_main '.translation | sort')"
    run -0 "$CRIGATE_BUILD/crigate" status --control state/control.sock
    [[ $output =~ "main: fields lost, as translation in the runtime map allows: LinuxSandboxSecurityContext.run_as_group 2" ]]
    run -0 "$CRIGATE_BUILD/crigate" status --control state/control.sock -o prometheus
    [[ $output == *$'\ncrigate_translation_dropped_total{field="LinuxSandboxSecurityContext.run_as_group",runtime="main"} 2\n'* ]]
    # The first is told at once, what follows not before a minute is over.
    grep -q "runtime main: requests went to it without .*, 1 time: LinuxSandboxSecurityContext.run_as_group 1" crigate.log
    [ "$(grep -c "runtime main: requests went to it without" crigate.log)" = 1 ]
    # At the end, what was not told yet.
    stop crigate
    [ "$(grep -c "runtime main: requests went to it without .*, 1 time: LinuxSandboxSecurityContext.run_as_group 1" crigate.log)" = 2 ]
}

@test "a lenient runtime takes every container, except what no decoder agrees about" {
    node v1_9
    write_map "main, api: v1_9, translation: lenient"
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    run_pod "$(pod first '.linux.securityContext.namespaceOptions = {pid: "TARGET", targetId: "x"}')"
    container '.linux.securityContext = {privileged: false, supplementalGroupsPolicy: "Strict"} | .stopSignal = "SIGNAL_SIGTERM"
        | .mounts = [{containerPath: "/a", hostPath: "/b", recursiveReadOnly: true}]'
    expect '.unknown_fields == 0 and .request.config.mounts == [{"containerPath": "/a", "hostPath": "/b"}]' \
        "$(arrived main CreateContainer)"
    expect '."LinuxContainerSecurityContext.masked_paths" == 1 and ."Mount.recursive_read_only" == 1 and
        ."ContainerConfig.stop_signal" == 1' "$(status_of_main .letThrough)"
    # The same message twice.
    run -3 call_raw /runtime.v1.RuntimeService/RunPodSandbox '\x0A\x04\x0A\x00\x0A\x00'
    [[ $output =~ "INVALID_ARGUMENT: crigate: config.metadata: it occurs twice" ]]
    run -3 call RunPodSandbox "{\"config\":$(pod odd '.linux.securityContext.seccompProfilePath = "none/such"')}"
    [[ $output =~ "seccomp_profile_path: neither" ]]
}

@test "a field of a later version that another package cannot carry is counted and told" {
    node v1alpha2
    # field 5000 of the request, and of the configuration in it
    call_raw /runtime.v1.RuntimeService/RunPodSandbox '\x0A\x06\x0A\x00\xC0\xB8\x02\x01\xC0\xB8\x02\x01' || true
    expect '. == 2' "$(status_of_main .unknownFields)"
    grep -q "runtime main: requests went to it without what its dialect v1alpha2 cannot express, 2 times: fields that crigate does not know 2" \
        crigate.log
}

@test "what is left out of answers because it does no harm is counted too" {
    node v1
    expect '. == {}' "$(status_of_main .leftOut)"
    API=v1_9
    call ListImages
    expect '(."Image.pinned" // 0) + (."Image.spec" // 0) > 0' "$(status_of_main .leftOut)"
    expect '. == {}' "$(status_of_main .letThrough)"
}

@test "a message of RuntimeDefault is said to a 1.12 runtime as a string" {
    node v1_12
    run_pod "$(pod web '.linux.securityContext.seccomp = {profileType: "RuntimeDefault"}')"
    expect '.unknown_fields == 0 and .request.config.linux.securityContext.seccompProfilePath == "runtime/default"' \
        "$(arrived main RunPodSandbox)"
}

@test "a runtime of 1.12's time is known by its name and version" {
    start_runtime main v1_12 --name containerd --runtime-version v1.2.13
    write_map main
    start_node
    grep -q "runtime main: ready, containerd v1.2.13, speaks v1_12" crigate.log
    run_pod "$(pod web '.linux.securityContext.seccomp = {profileType: "RuntimeDefault"}')"
    expect '.method == "/runtime.v1alpha2.RuntimeService/RunPodSandbox" and .unknown_fields == 0' "$(arrived main RunPodSandbox)"
    run -12 call PodSandboxStats '{"podSandboxId":"x"}'
    [[ $output =~ "UNIMPLEMENTED: crigate: runtime main speaks v1_12, which has no PodSandboxStats" ]]
}

@test "the newest package that a runtime speaks is taken" {
    start_runtime main v1_9,v1alpha2,v1
    start_runtime other v1_9,v1alpha2
    start_runtime old v1_9
    write_map main other old
    start_node
    grep -q "runtime main: ready, .* speaks v1$" crigate.log
    grep -q "runtime other: ready, .* speaks v1alpha2$" crigate.log
    grep -q "runtime old: ready, .* speaks v1_9$" crigate.log
}

@test "an RPC that the runtime's time did not have, and that nothing stands for, is unimplemented" {
    node v1_9
    run -12 call ReopenContainerLog '{"containerId":"x"}'
    run -12 call CheckpointContainer '{"containerId":"x"}'
    run -12 call PodSandboxStats '{"podSandboxId":"x"}'
    [[ $output =~ "UNIMPLEMENTED: crigate: " ]]
}

@test "filesystems are named by device to a 1.9 caller, by directory to others" {
    start_runtime main v1 --image-fs-mountpoint /proc
    write_map main
    start_node
    expect '.imageFilesystems[0].fsId.mountpoint == "/proc"' "$(call ImageFsInfo)"
    # No device holds /proc: the identifier is left out rather than made up.
    API=v1_9
    expect '.imageFilesystems[0] | has("storageId") or has("fsId") | not' "$(call ImageFsInfo)"
}

@test "image_id and image_ref of a listed container are what each caller compares with the image's id" {
    local digest
    node v1
    digest=$(call ImageStatus '{"image":{"image":"busybox"}}' | jq -r .image.id)
    container . >/dev/null
    expect ".containers[0] | .imageId == \"$digest\"" "$(call ListContainers)"
    API=v1_9
    expect ".containers[0] | .imageRef == \"$digest\"" "$(call ListContainers)"
}
