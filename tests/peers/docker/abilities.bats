#!/usr/bin/env bats
# What translate/runtimes.yaml says that runtimes take and ignore, on the runtimes themselves: asked directly, they make a pod or container that
# is not what was asked for, as can be seen from inside it; through the gateway the request is refused, or passed on and counted. And what newer
# runtimes honour passes, and has its effect.

setup_file() {
    load_all
    mkdir -p /var/run/cdi
    cdi_device >/var/run/cdi/given.json
    lab_start_crio
    lab_start_containerd_2
    lab_start_gateway "$(in_map containerd)" through-containerd
    lab_start_gateway "$(in_map cri-dockerd)" through-cri-dockerd
    lab_start_gateway "$(in_map crio)" through-crio
    lab_start_gateway "$(in_map containerd-2)" through-containerd-2
    local runtime
    for runtime in containerd cri-dockerd crio containerd-2; do
        ask "$runtime" PullImage "{\"image\": {\"image\": \"$BUSYBOX\"}}"
    done
    mkdir -p "$LAB/tree/below"
    mount -t tmpfs tmpfs "$LAB/tree/below"
    printf '#!/bin/sh\necho executed\n' >"$LAB/tree/program"
    chmod 755 "$LAB/tree/program"
    # Runtimes' own seccomp profiles forbid what they do not name.
    echo '{"defaultAction": "SCMP_ACT_ALLOW"}' >"$LAB/allow-all.json"
}

setup() {
    load_all
}

teardown_file() {
    load_all
    local name
    for name in through-containerd through-cri-dockerd through-crio through-containerd-2; do
        lab_stop "$name"
    done
}

load_all() {
    load ../../e2e/terminal.bash
    load docker.bash
    load others.bash
}

in_map() {
    printf '  - {name: node, endpoint: "unix://%s/%s.sock", primary: true}\n' "$LAB" "$1"
}

# cdi_device: a device that runtimes which know CDI give by its name, crigate.example/null=given.
cdi_device() {
    jq -n '{cdiVersion: "0.5.0", kind: "crigate.example/null", devices: [{name: "given",
        containerEdits: {deviceNodes: [{path: "/dev/given", hostPath: "/dev/null", type: "c", major: 1, minor: 3}]}}]}'
}

# ask SOCKET METHOD [REQUEST]
ask() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/$1.sock" --timeout 60s --compact "${@:2}"
}

# pod NAME [FILTER]: a request for a pod.
pod() {
    mkdir -p "$LAB/logs/$1"
    jq -n --compact-output --arg name "$1" --arg logs "$LAB/logs/$1" --arg cgroup "$LAB_CGROUP/$1" --arg lab "$LAB" '{config: {
        metadata: {name: $name, namespace: "e2e", uid: ("uid-of-" + $name)}, logDirectory: $logs,
        linux: {cgroupParent: $cgroup, securityContext: {namespaceOptions: {pid: "CONTAINER"}}}}} | '"${2:-.}"
}

# container POD_ID POD_REQUEST [FILTER]: a request for a container, whose configuration the filter changes.
container() {
    jq -n --compact-output --arg pod "$1" --argjson of "$2" --arg image "$BUSYBOX" --arg tree "$LAB/tree" --arg lab "$LAB" '{
        podSandboxId: $pod, sandboxConfig: $of.config, config: ({
            metadata: {name: "main"}, image: {image: $image, userSpecifiedImage: $image}, command: ["sh", "-c", "trap exit TERM; while :; do sleep 0.1; done"], logPath: "main.log",
            linux: {securityContext: {namespaceOptions: {pid: "CONTAINER"}}}} | '"${3:-.}"')}'
}

# make SOCKET METHOD REQUEST: the same as ask, and prints the id in the answer.
make() {
    ask "$@" | jq --raw-output '.podSandboxId // .containerId'
}

# started SOCKET POD_ID POD_REQUEST [FILTER]: makes and starts a container, and prints its id.
started() {
    local container
    container=$(make "$1" CreateContainer "$(container "${@:2}")") || return
    ask "$1" StartContainer "{\"containerId\": \"$container\"}" >/dev/null || return
    echo "$container"
}

# says SOCKET CONTAINER COMMAND: what the shell prints in the container.
says() {
    ask "$1" ExecSync "$(jq -n --arg id "$2" --arg command "$3" '{containerId: $id, cmd: ["sh", "-c", $command], timeout: "20"}')" |
        jq --raw-output '.stdout // "" | @base64d'
}

# inside SOCKET NAME POD_FILTER CONTAINER_FILTER COMMAND: makes a pod with a container there, and prints what the command prints in it.
inside() {
    local request pod container
    request=$(pod "$2" "$3")
    pod=$(make "$1" RunPodSandbox "$request") || return
    container=$(started "$1" "$pod" "$request" "$4") || return
    says "$1" "$container" "$5"
    end "$1" "$pod"
}

# refused_pod RUNTIME FILTER PATH: the gateway refuses the pod for that field, and the runtime has not seen it.
refused_pod() {
    run -3 ask "through-$1" RunPodSandbox "$(pod refused "$2")"
    [[ $output == *"crigate: $3: the runtime "*" ignores it: "* ]]
    [[ $(ask "$1" ListPodSandbox) != *uid-of-refused* ]]
}

# refused_container RUNTIME FILTER PATH: the same for a container, in a pod that asks for nothing.
refused_container() {
    local request pod
    request=$(pod plain)
    pod=$(make "through-$1" RunPodSandbox "$request")
    run -3 ask "through-$1" CreateContainer "$(container "$pod" "$request" "$2")"
    [[ $output == *"crigate: $3: the runtime "*" ignores it: "* ]]
    [ "$(ask "$1" ListContainers "{\"filter\": {\"podSandboxId\": \"$pod\"}}")" = "{}" ]
    end "$1" "$pod"
}

# counted RUNTIME: what the gateway has passed on to be ignored, and how often.
counted() {
    "$E2E_BUILD/crigate" status --config "$LAB/through-$1.yaml" -o json | jq --compact-output '.runtimes[0].ignored'
}

# counted_since RUNTIME BEFORE: the same since it was BEFORE.
counted_since() {
    jq --compact-output --null-input --argjson before "$2" --argjson after "$(counted "$1")" \
        '$after | with_entries(.value -= ($before[.key] // 0)) | map_values(select(. > 0))'
}

# passed_on RUNTIME CONTAINER_FILTER COMMAND SEEN COUNTED: a container sees that, whether it is asked for directly or through the gateway, which
# has counted these fields.
passed_on() {
    local before
    [ "$(inside "$1" passed . "$2" "$3")" = "$4" ]
    before=$(counted "$1")
    [ "$(inside "through-$1" passed . "$2" "$3")" = "$4" ]
    [ "$(counted_since "$1" "$before")" = "$5" ]
}

# stopped_by SOCKET: the exit status of a container that asks to be stopped by SIGUSR1, and tells signals apart by it.
stopped_by() {
    local request pod container
    request=$(pod stopped)
    pod=$(make "$1" RunPodSandbox "$request") || return
    container=$(make "$1" CreateContainer "$(container "$pod" "$request" ".stopSignal = \"SIGNAL_SIGUSR1\" | .command =
        [\"sh\", \"-c\", \"trap 'exit 10' USR1; trap 'exit 15' TERM; touch /tmp/ready; while :; do sleep 0.1; done\"]")") || return
    ask "$1" StartContainer "{\"containerId\": \"$container\"}" >/dev/null || return
    lab_wait 10 says "$1" "$container" "cat /tmp/ready"
    ask "$1" StopContainer "{\"containerId\": \"$container\", \"timeout\": \"20\"}" >/dev/null
    ask "$1" ContainerStatus "{\"containerId\": \"$container\"}" | jq .status.exitCode
    end "$1" "$pod"
}

# updated SOCKET RESOURCES: makes a container without swap and updates its resources. Prints how much memory with swap it then has, and what
# runc was told.
updated() {
    local request pod container
    request=$(pod updated)
    pod=$(make "$1" RunPodSandbox "$request") || return
    container=$(started "$1" "$pod" "$request" "$NO_SWAP") || return
    ask "$1" UpdateContainerResources "$(jq -n --arg id "$container" "{containerId: \$id, linux: $2}")" >/dev/null || return
    echo "$(says "$1" "$container" "$MEMORY_AND_SWAP") $(jq --compact-output '[.memory.limit, .hugepageLimits, .unified]' "$LAB/specs/$container.update.json")"
    end "$1" "$pod"
}

# profiles ID: what seccomp does by default with calls of a container or sandbox of Docker Engine, and the security options it was made with.
profiles() {
    echo "$(jq --raw-output .linux.seccomp.defaultAction "$LAB/specs/$1.json") $(docker inspect --format '{{json .HostConfig.SecurityOpt}}' "$1")"
}

# end SOCKET POD
end() {
    ask "$1" StopPodSandbox "{\"podSandboxId\": \"$2\"}" >/dev/null
    ask "$1" RemovePodSandbox "{\"podSandboxId\": \"$2\"}" >/dev/null
}

# What is asked for, and how it is seen from inside.

USER_NAMESPACE='{mode: "POD", uids: [{hostId: 100000, containerId: 0, length: 65536}], gids: [{hostId: 100000, containerId: 0, length: 65536}]}'
POD_OF_USERS=".config.linux.securityContext.namespaceOptions.usernsOptions = $USER_NAMESPACE"
CONTAINER_OF_USERS=".linux.securityContext.namespaceOptions.usernsOptions = $USER_NAMESPACE"
ROOT_IS="awk '{ print \$2 }' /proc/self/uid_map"

# The image has uid 1000 in group 50000.
STRICT='.linux.securityContext += {runAsUser: {value: "1000"}, supplementalGroups: ["5"], supplementalGroupsPolicy: "Strict"}'

# There is a mount of its own below.
READ_ONLY='.mounts = [{containerPath: "/mnt", hostPath: $tree, readonly: true, recursiveReadOnly: true}]'
WRITE='touch /mnt/below/file 2>/dev/null && echo written || echo refused'

NO_EXEC='.mounts = [{containerPath: "/mnt", hostPath: $tree, mountOptions: ["noexec"]}]'
EXECUTE='/mnt/program 2>/dev/null || echo refused'

# It is root's on the node.
OWNED_BY='stat -c %u:%g /mnt/program'

AMBIENT='.linux.securityContext += {runAsUser: {value: "1000"}, capabilities: {addAmbientCapabilities: ["NET_BIND_SERVICE"]}}'
CAPABILITIES='sed -n "s/^Cap\(Eff\|Amb\):.//p" /proc/1/status | uniq'

CDI='.CDI_devices = [{name: "crigate.example/null=given"}]'
DEVICE='test -c /dev/given && echo there || echo missing'

# 64 MiB of memory, and as much swap.
SWAP='.linux.resources = {memoryLimitInBytes: "67108864", memorySwapLimitInBytes: "134217728"}'
NO_SWAP='.linux.resources = {memoryLimitInBytes: "67108864", memorySwapLimitInBytes: "67108864"}'
# In cgroup v1, or in v2, which counts swap apart.
MEMORY_AND_SWAP='cd /sys/fs/cgroup; cat memory/memory.memsw.limit_in_bytes 2>/dev/null || echo $(($(cat memory.max) + $(cat memory.swap.max)))'

MORE='{memoryLimitInBytes: "100663296", memorySwapLimitInBytes: "201326592", hugepageLimits: [{pageSize: "2MB", limit: "4194304"}],
    unified: {"memory.high": "1000000"}}'

# cri-dockerd reads AppArmor's for a container under its older name.
PROFILES='.linux.securityContext += {seccomp: {profileType: "Localhost", localhostRef: ($lab + "/allow-all.json")},
    apparmor: {profileType: "Localhost", localhostRef: "docker-default"}}'
UNKNOWN_APPARMOR='.linux.securityContext += {apparmor: {profileType: "Localhost", localhostRef: "unknown"}}'

@test "user namespaces: containerd 1.6 and cri-dockerd run the pod as the node's root; through the gateway it is refused" {
    local runtime
    for runtime in containerd cri-dockerd; do
        [ "$(inside "$runtime" users "$POD_OF_USERS" "$CONTAINER_OF_USERS" "$ROOT_IS")" = 0 ]
        refused_pod "$runtime" "$POD_OF_USERS" config.linux.security_context.namespace_options.userns_options
    done
}

@test "strict supplemental groups: containerd 1.6 and cri-dockerd let the image's groups in; through the gateway it is refused" {
    local runtime
    for runtime in containerd cri-dockerd; do
        [ "$(inside "$runtime" groups . "$STRICT" "id -G")" = "1000 5 50000" ]
        refused_container "$runtime" "$STRICT" config.linux.security_context.supplemental_groups_policy
        refused_pod "$runtime" ".config$STRICT" config.linux.security_context.supplemental_groups_policy
    done
}

@test "recursive read-only mounts: containerd 1.6 leaves a mount below writable; through the gateway it is refused" {
    [ "$(inside containerd tree . "$READ_ONLY" "$WRITE")" = written ]
    refused_container containerd "$READ_ONLY" "config.mounts[0].recursive_read_only"
}

@test "mount options: all of them execute programs in spite of noexec; through the gateway it is refused" {
    local runtime
    for runtime in containerd cri-dockerd crio containerd-2; do
        [ "$(inside "$runtime" options . "$NO_EXEC" "$EXECUTE")" = executed ]
        refused_container "$runtime" "$NO_EXEC" "config.mounts[0].mount_options[0]"
    done
}

@test "what CRI-O 1.36 and containerd 2 honour passes through the gateway, and has its effect" {
    local runtime
    for runtime in crio containerd-2; do
        [ "$(inside "through-$runtime" groups . "$STRICT" "id -G")" = "1000 5" ]
        [ "$(inside "through-$runtime" tree . "$READ_ONLY" "$WRITE")" = refused ]
        [ "$(counted "$runtime")" = "{}" ]
    done
}

@test "stop signals: containerd 1.6 and cri-dockerd send SIGTERM; through the gateway, too, and that is counted and logged once" {
    local runtime
    for runtime in containerd cri-dockerd; do
        [ "$(stopped_by "$runtime")" = 15 ]
        [ "$(stopped_by "through-$runtime")" = 15 ]
        [ "$(counted "$runtime")" = '{"ContainerConfig.stop_signal":1}' ]
        [ "$(stopped_by "through-$runtime")" = 15 ]
        [ "$(counted "$runtime")" = '{"ContainerConfig.stop_signal":2}' ]
        [ "$(grep -c "accepts ContainerConfig.stop_signal in requests but ignores it" "$LAB/through-$runtime.log")" = 1 ]
    done
}

@test "stop signals: CRI-O 1.36 and containerd 2 send the one that is asked for, and nothing is counted" {
    local runtime
    for runtime in crio containerd-2; do
        [ "$(stopped_by "through-$runtime")" = 10 ]
        [ "$(counted "$runtime")" = "{}" ]
    done
}

@test "huge pages and settings of cgroup v2: Docker Engine is not told of them; through the gateway they pass, and are counted" {
    local request pod container before
    before=$(counted cri-dockerd)
    request=$(pod resources)
    pod=$(make through-cri-dockerd RunPodSandbox "$request")
    container=$(make through-cri-dockerd CreateContainer "$(container "$pod" "$request" \
        '.linux.resources = {hugepageLimits: [{pageSize: "2MB", limit: "4194304"}], unified: {"memory.high": "1000000"}, cpuShares: "512"}')")
    ask through-cri-dockerd StartContainer "{\"containerId\": \"$container\"}"
    [ "$(jq --compact-output '.linux.resources | [.hugepageLimits, .unified, .cpu.shares]' "$LAB/specs/$container.json")" = "[null,null,512]" ]
    end through-cri-dockerd "$pod"
    [ "$(counted_since cri-dockerd "$before")" = '{"LinuxContainerResources.hugepage_limits":1,"LinuxContainerResources.unified":1}' ]
}

@test "mapped volumes: containerd 1.6 and cri-dockerd leave files with their owners; through the gateway it is refused" {
    local runtime field mapped
    for runtime in containerd cri-dockerd; do
        for field in uidMappings gidMappings; do
            mapped=".mounts = [{containerPath: \"/mnt\", hostPath: \$tree, $field: [{hostId: 100000, containerId: 0, length: 65536}]}]"
            [ "$(inside "$runtime" mapped . "$mapped" "$OWNED_BY")" = 0:0 ]
            refused_container "$runtime" "$mapped" "config.mounts[0].${field}[0]"
        done
    done
}

@test "ambient capabilities: none of them gives any to a process that is not root; through the gateway it is the same, and counted" {
    local runtime
    for runtime in containerd cri-dockerd crio containerd-2; do
        passed_on "$runtime" "$AMBIENT" "$CAPABILITIES" 0000000000000000 '{"Capability.add_ambient_capabilities":1}'
    done
}

@test "CDI devices: containerd 1.6 leaves them out; through the gateway it is the same, and counted" {
    passed_on containerd "$CDI" "$DEVICE" missing '{"ContainerConfig.CDI_devices":1}'
}

@test "CDI devices: CRI-O 1.36 and containerd 2 give them, and nothing is counted" {
    local runtime
    for runtime in crio containerd-2; do
        passed_on "$runtime" "$CDI" "$DEVICE" there '{}'
    done
}

@test "swap: cri-dockerd allows none; through the gateway it is the same, and counted" {
    passed_on cri-dockerd "$SWAP" "$MEMORY_AND_SWAP" 67108864 '{"LinuxContainerResources.memory_swap_limit_in_bytes":1}'
}

@test "swap: containerd and CRI-O 1.36 allow what is asked for, and nothing is counted" {
    local runtime
    for runtime in containerd crio containerd-2; do
        passed_on "$runtime" "$SWAP" "$MEMORY_AND_SWAP" 134217728 '{}'
    done
}

@test "updates: CRI-O 1.36 and cri-dockerd ignore swap and huge pages, and cri-dockerd settings of cgroup v2; through the gateway it is the same, and counted" {
    local runtime before
    local -A ignored=([crio]='{"LinuxContainerResources.hugepage_limits":1,"LinuxContainerResources.memory_swap_limit_in_bytes":1}'
        [cri-dockerd]='{"LinuxContainerResources.hugepage_limits":1,"LinuxContainerResources.memory_swap_limit_in_bytes":1,"LinuxContainerResources.unified":1}')
    for runtime in crio cri-dockerd; do
        [ "$(updated "$runtime" "$MORE")" = '100663296 [100663296,null,null]' ]
        before=$(counted "$runtime")
        [ "$(updated "through-$runtime" "$MORE")" = '100663296 [100663296,null,null]' ]
        [ "$(counted_since "$runtime" "$before")" = "${ignored[$runtime]}" ]
    done
}

@test "profiles of the pod's own process: cri-dockerd leaves it Docker Engine's; through the gateway it is the same, and counted" {
    local socket request pod container before
    before=$(counted cri-dockerd)
    for socket in cri-dockerd through-cri-dockerd; do
        request=$(pod profiles ".config$PROFILES")
        pod=$(make "$socket" RunPodSandbox "$request")
        container=$(started "$socket" "$pod" "$request" "$PROFILES | .linux.securityContext.apparmorProfile = \"localhost/docker-default\"")
        [ "$(profiles "$pod")" = 'SCMP_ACT_ERRNO ["no-new-privileges"]' ]
        [[ $(profiles "$container") == 'SCMP_ACT_ALLOW '*'"apparmor=docker-default"'* ]]
        end "$socket" "$pod"
    done
    [ "$(counted_since cri-dockerd "$before")" = '{"LinuxSandboxSecurityContext.apparmor":1,"LinuxSandboxSecurityContext.seccomp":1}' ]
}

@test "AppArmor for the pod's own process: containerd takes what it refuses for a container; through the gateway it is the same, and counted" {
    local runtime socket request pod before
    for runtime in containerd containerd-2; do
        before=$(counted "$runtime")
        for socket in "$runtime" "through-$runtime"; do
            request=$(pod profiles ".config$UNKNOWN_APPARMOR")
            pod=$(make "$socket" RunPodSandbox "$request")
            run -2 ask "$socket" CreateContainer "$(container "$pod" "$request" "$UNKNOWN_APPARMOR")"
            [[ $output == *apparmor* ]]
            end "$socket" "$pod"
        done
        [ "$(counted_since "$runtime" "$before")" = '{"LinuxSandboxSecurityContext.apparmor":1}' ]
    done
}

@test "what kubelets send for every container asks for nothing" {
    local before
    before=$(counted cri-dockerd)
    inside through-cri-dockerd defaults '.config.linux.securityContext.namespaceOptions.usernsOptions = {mode: "NODE"}' \
        '.linux.securityContext += {supplementalGroupsPolicy: "Merge", namespaceOptions: {pid: "CONTAINER", usernsOptions: {mode: "NODE"}}} |
         .linux.resources = {hugepageLimits: [{pageSize: "2MB", limit: "0"}], unified: {"memory.oom.group": "1"},
            memoryLimitInBytes: "67108864", memorySwapLimitInBytes: "67108864"}' true
    [ "$(counted cri-dockerd)" = "$before" ]
}

@test "a map that is lenient about a field lets it through" {
    sed -i 's/  - {\(name: node.*\)}$/  - {\1, translation: {lenient: [NamespaceOption.userns_options]}}/' "$LAB/through-cri-dockerd.yaml"
    "$E2E_BUILD/crigate" reload --config "$LAB/through-cri-dockerd.yaml"
    [ "$(inside through-cri-dockerd users "$POD_OF_USERS" "$CONTAINER_OF_USERS" "$ROOT_IS")" = 0 ]
    [ "$("$E2E_BUILD/crigate" status --config "$LAB/through-cri-dockerd.yaml" -o json |
        jq '.runtimes[0].ignored["NamespaceOption.userns_options"]')" -ge 1 ]
}
