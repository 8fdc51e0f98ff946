#!/usr/bin/env bats
# What a runtime of a known name and version accepts in requests but ignores: refused, or passed on and counted. (Each entry of the table
# has its unit test; here the whole way is tried.)

load gateway
load plugins

IMAGE=docker.io/library/busybox:latest
DOCKER="--name docker --runtime-version 27.3.1 --no-features"
OLD_CONTAINERD="--name containerd --runtime-version 1.6.20~ds1"

USERNS='.linux.securityContext.namespaceOptions = {pid: "CONTAINER", usernsOptions: {mode: "POD"}}'
UNIFIED='.linux.resources.unified = {"memory.high": "100000000", "memory.oom.group": "1"}'

# node DIALECT OPTIONS [KEYS]: a node of one runtime with these options, and an image on it.
node() {
    # shellcheck disable=SC2086
    start_runtime main "$1" --state held $2
    write_map "main${3:+, $3}"
    start_node -v 3
    pull "$IMAGE" >/dev/null
}

# status_of_main FILTER: what jq finds in the description of the runtime.
status_of_main() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock -o json | jq -c ".runtimes[0] | $1"
}

# refused_pod CONFIG: runs the pod, which has to be refused.
refused_pod() {
    run -3 call RunPodSandbox "{\"config\":$1}"
}

# container NAME FILTER: a container of a pod of its own, whose request is changed by the filter.
container() {
    local config pod
    config=$(pod "$1")
    pod=$(run_pod "$config") || return
    create_container "$pod" "$config" "$IMAGE" "$2"
}

# times_logged TEXT: how many lines of crigate's log have it.
times_logged() {
    grep -cF -- "$1" crigate.log || true
}

logged() {
    [ "$(times_logged "$1")" -gt 0 ]
}

@test "a user namespace that cri-dockerd would ignore is refused, and it is not asked" {
    node v1 "$DOCKER"
    refused_pod "$(pod web "$USERNS")"
    [[ $output =~ "INVALID_ARGUMENT: crigate: config.linux.security_context.namespace_options.userns_options: the runtime cri-dockerd ignores it: the pod would run as the node's root; to send the request anyway, set \"translation: {lenient: [NamespaceOption.userns_options]}\" for this runtime in the runtime map" ]]
    [ "$(asked main RunPodSandbox)" = 0 ]
    run_pod "$(pod web '.linux.securityContext.namespaceOptions = {pid: "CONTAINER", usernsOptions: {mode: "NODE"}}')"
    expect '.ignored == {}' "$(status_of_main .)"
}

@test "a refusal names containerd's version, and what the map makes lenient is passed on and counted" {
    node v1 "$OLD_CONTAINERD --no-features"
    refused_pod "$(pod web "$USERNS")"
    [[ $output =~ "the runtime containerd 1.6.20~ds1 ignores it" ]]
    write_map "main, translation: {lenient: [NamespaceOption.userns_options]}"
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    run_pod "$(pod web "$USERNS")"
    expect '.request.config.linux.securityContext.namespaceOptions.usernsOptions == {}' "$(arrived main RunPodSandbox)"
    expect '. == {"NamespaceOption.userns_options": 1}' "$(status_of_main .ignored)"
    expect '. == {}' "$(status_of_main .letThrough)"
    logged "runtime main: containerd 1.6.20~ds1 accepts NamespaceOption.userns_options in requests but ignores it: the pod would run as the node's root"
}

@test "tuning passes on, is counted each time, and logged once" {
    node v1 "$DOCKER"
    container one "$UNIFIED"
    container two "$UNIFIED"
    expect '.request.config.linux.resources.unified == {"memory.high": "100000000", "memory.oom.group": "1"}' \
        "$(arrived main CreateContainer)"
    expect '. == {"LinuxContainerResources.unified": 2}' "$(status_of_main .ignored)"
    [ "$(times_logged 'accepts LinuxContainerResources.unified in requests but ignores it')" = 1 ]
    container three '.linux.resources.hugepageLimits = [{pageSize: "2MB", limit: "4096"}, {pageSize: "1GB"}]'
    expect '. == {"LinuxContainerResources.hugepage_limits": 1, "LinuxContainerResources.unified": 2}' "$(status_of_main .ignored)"
    [ "$(times_logged 'in requests but ignores it')" = 2 ]
    "$CRIGATE_BUILD/crigate" status --control state/control.sock | grep -F "main: fields that it accepts in requests but ignores: "
    # The reply's line of log has them, too.
    grep -F '"ignored":["LinuxContainerResources.unified"]' crigate.log || grep -F 'ignored=["LinuxContainerResources.unified"]' crigate.log
}

@test "what kubelets send to every container is neither counted nor logged" {
    node v1 "$DOCKER"
    container one '.linux.resources = {unified: {"memory.oom.group": "1", "memory.swap.max": "0"},
        hugepageLimits: [{pageSize: "2MB"}, {pageSize: "1GB"}], memoryLimitInBytes: "1000000", memorySwapLimitInBytes: "1000000"}
        | .linux.securityContext = {supplementalGroupsPolicy: "Merge",
            namespaceOptions: {pid: "CONTAINER", usernsOptions: {mode: "NODE"}}}'
    expect '. == {}' "$(status_of_main .ignored)"
    [ "$(times_logged 'ignores it')" = 0 ]
}

@test "tuning that the map makes strict is refused" {
    node v1 "$DOCKER" "translation: {strict: [LinuxContainerResources.unified, unknown]}"
    expect '. == {"lenient": [], "strict": ["unknown", "LinuxContainerResources.unified"]}' "$(status_of_main .translation)"
    "$CRIGATE_BUILD/crigate" --config crigate.yaml --print-config |
        grep -Fx '    translation: {strict: [unknown, LinuxContainerResources.unified]}'
    run container one "$UNIFIED"
    [[ $output =~ "config.linux.resources.unified[".*"the runtime cri-dockerd ignores it".*"remove \"translation: {strict: [LinuxContainerResources.unified]}\" of this runtime in the runtime map" ]]
    [ "$(asked main CreateContainer)" = 0 ]
    container two '.linux.resources.unified = {"memory.oom.group": "1"}'
}

@test "a runtime that is not known gets what its dialect has, and the log names each field once" {
    node v1 "--name containerd-fork --runtime-version 1.6.20 --no-features"
    run_pod "$(pod web "$USERNS")"
    run_pod "$(pod second "$USERNS")"
    container unified "$UNIFIED"
    expect '. == {}' "$(status_of_main .ignored)"
    [ "$(asked main Status)" = 0 ]
    [ "$(times_logged "runtime main: crigate does not know containerd-fork: if it ignores NamespaceOption.userns_options, as some runtimes do, the pod would run as the node's root; such requests pass")" = 1 ]
    [ "$(times_logged 'crigate does not know')" = 1 ]
}

@test "a version that cannot be read is judged as the strictest release, and the log says so" {
    node v1 "--name containerd --runtime-version 20240101 --no-features"
    logged "runtime main: the version of containerd cannot be read: fields that any of its releases ignores count as ignored, and are refused if they confine"
    refused_pod "$(pod web "$USERNS")"
    [[ $output =~ "the runtime containerd of an unknown version ignores it" ]]
    [ "$(asked main RunPodSandbox)" = 0 ]
}

@test "what the runtime reports in Status wins over its version" {
    node v1 "$OLD_CONTAINERD --handler kata"
    eventually 10 run_pod "$(pod web "$USERNS")"
    run_pod "$(pod kata "$USERNS")" kata
    container group '.linux.securityContext.supplementalGroupsPolicy = "Strict"'
    expect '. == {}' "$(status_of_main .ignored)"
    [ "$(asked main Status)" = 1 ]
    # A handler that it does not report.
    run -3 call RunPodSandbox "{\"runtimeHandler\":\"runsc\",\"config\":$(pod other "$USERNS")}"
    [[ $output =~ "ignores it" ]]
    [ "$(asked main RunPodSandbox)" = 3 ]
}

@test "a runtime whose Status fails is judged by its version" {
    node v1 "$OLD_CONTAINERD --fail Status=INTERNAL"
    refused_pod "$(pod web "$USERNS")"
    [[ $output =~ "ignores it" ]]
    container one '.linux.resources.cpuShares = "2"'
}

@test "a newer version of the runtime is asked for what the old one ignored, and an old one again is refused and logged anew" {
    node v1 "$DOCKER"
    refused_pod "$(pod web "$USERNS")"
    container one "$UNIFIED"
    [ "$(times_logged 'accepts LinuxContainerResources.unified')" = 1 ]
    stop main
    start_runtime main v1 --state held --name containerd --runtime-version 2.0.4
    eventually 15 runtime_ready main 2
    run_pod "$(pod web "$USERNS")"
    container two "$UNIFIED"
    expect '. == {"LinuxContainerResources.unified": 1}' "$(status_of_main .ignored)"
    stop main
    # shellcheck disable=SC2086
    start_runtime main v1 --state held $DOCKER
    eventually 15 runtime_ready main 3
    refused_pod "$(pod again "$USERNS")"
    container three "$UNIFIED"
    [ "$(times_logged 'accepts LinuxContainerResources.unified')" = 2 ]
}

@test "the same version that comes back is not logged anew" {
    node v1 "$DOCKER"
    container one "$UNIFIED"
    stop main
    # shellcheck disable=SC2086
    start_runtime main v1 --state held $DOCKER
    eventually 15 runtime_ready main 2
    container two "$UNIFIED"
    [ "$(times_logged 'accepts LinuxContainerResources.unified')" = 1 ]
    expect '. == {"LinuxContainerResources.unified": 2}' "$(status_of_main .ignored)"
}

@test "a request of another dialect is judged as the runtime gets it" {
    node v1alpha2 "--name docker --runtime-version 20.10.24+dfsg1"
    refused_pod "$(pod web "$USERNS")"
    [[ $output =~ "the runtime dockershim ignores it" ]]
    API=v1alpha2
    container one "$UNIFIED"
    expect '. == {"LinuxContainerResources.unified": 1}' "$(status_of_main .ignored)"
}

@test "a runtime that is an older version when plugins have ended does not get what it would ignore" {
    local status=0
    start_runtime main v1 --state held --name containerd --runtime-version 2.0.4
    write_map main
    hooks_on 'timeout: 30s'
    start_plugin koordlet --hooks PreRunPodSandbox
    start_node -v 3
    eventually 15 plugins_state '.plugins[0].state == "ready"'
    kill -STOP "${PIDS[koordlet]}"
    start_call run RunPodSandbox "{\"config\":$(pod web "$USERNS")}"
    eventually 15 calls_show '.calls[0].state == "in hooks"'
    crash main
    start_runtime main v1 --state held --name containerd --runtime-version 1.6.20 --no-features
    eventually 15 runtime_ready main 2
    [ "$(times_hooked koordlet PreRunPodSandbox)" = 0 ] # it has not answered yet
    kill -CONT "${PIDS[koordlet]}"
    wait "${PIDS[run]}" || status=$?
    unset "PIDS[run]"
    [ "$status" != 0 ]
    grep -q 'UNAVAILABLE.*changed its version after the call arrived; retry' run.log
    [ "$(asked main RunPodSandbox)" = 0 ]
}

# hooked_node POLICY [KEYS]: a node on cri-dockerd with a plugin that adds a setting of cgroup v2 to each container.
hooked_node() {
    # shellcheck disable=SC2086
    start_runtime main v1 $DOCKER
    write_map "main${2:+, $2}"
    hooks_on
    start_plugin koordlet --policy "$1" --hooks PreCreateContainer \
        --set 'PreCreateContainer:container_resources.unified[memory.high]=1000'
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
}

@test "tuning that a plugin adds passes and is counted" {
    hooked_node Fail
    container one .
    expect '.request.config.linux.resources.unified == {"memory.high": "1000"}' "$(arrived main CreateContainer)"
    expect '. == {"LinuxContainerResources.unified": 1}' "$(status_of_main .ignored)"
    plugins_state '.plugins[0].failures == 0'
}

@test "Ignore: what a plugin adds and the runtime must not ignore is the plugin's failure, and the container is created without it" {
    hooked_node Ignore "translation: {strict: [LinuxContainerResources.unified]}"
    container one .
    expect '.request.config.linux.resources.unified == null' "$(arrived main CreateContainer)"
    expect '. == {}' "$(status_of_main .ignored)"
    plugins_state '.plugins[0].failures == 1'
    logged 'the runtime cri-dockerd ignores it'
}

@test "Fail: what a plugin adds and the runtime must not ignore fails the call, in the plugin's name" {
    hooked_node Fail "translation: {strict: [LinuxContainerResources.unified]}"
    run container one .
    [[ $output =~ koordlet ]]
    [ "$(asked main CreateContainer)" = 0 ]
    plugins_state '.plugins[0].failures == 1'
}
