#!/usr/bin/env bats
# Kubelets of 1.9, 1.12, 1.18 and 1.36 on a node whose only runtime is Docker Engine: the life of a pod in the calls of each, with its own
# words and defaults. cri-dockerd itself serves only the newest of them.

setup_file() {
    load ../../e2e/terminal.bash
    load docker.bash
    mkdir -p "$LAB/volume"
    echo "a file of the node" >"$LAB/volume/file"
}

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
}

# What a test that failed has left would disturb the next.
teardown() {
    remove_pods
    docker rmi --force "$BUSYBOX" >/dev/null 2>&1 || true
}

# ask METHOD [REQUEST]: the call of $CALLER, and the answer.
ask() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/crigate.sock" --api "$API" --timeout 60s --compact "$@"
}


# What kubelets of those releases send for an ordinary container: who it runs as, confined how, with which limits.
security() {
    case $CALLER in
    1.9) echo '{"runAsUser": {"value": "1000"}, "seccompProfilePath": "runtime/default", "namespaceOptions": {}}' ;;
    1.12) echo '{"runAsUser": {"value": "1000"}, "seccompProfilePath": "runtime/default", "namespaceOptions": {"pid": "CONTAINER"}}' ;;
    1.18) echo '{"runAsUser": {"value": "1000"}, "seccompProfilePath": "runtime/default", "namespaceOptions": {"pid": "CONTAINER"},
        "maskedPaths": ["/proc/kcore", "/proc/keys"], "readonlyPaths": ["/proc/sys"]}' ;;
    1.36) echo '{"runAsUser": {"value": "1000"}, "seccomp": {"profileType": "RuntimeDefault"},
        "namespaceOptions": {"pid": "CONTAINER", "usernsOptions": {"mode": "NODE"}}, "supplementalGroupsPolicy": "Merge",
        "maskedPaths": ["/proc/kcore", "/proc/keys"], "readonlyPaths": ["/proc/sys"]}' ;;
    esac
}

resources() {
    local limits='{"cpuShares": "512", "cpuPeriod": "100000", "cpuQuota": "50000", "memoryLimitInBytes": "67108864", "oomScoreAdj": "500"}'
    if [ "$CALLER" = 1.36 ]; then
        jq -c '. + {memorySwapLimitInBytes: .memoryLimitInBytes, hugepageLimits: [{pageSize: "2MB", limit: "0"}, {pageSize: "1GB", limit: "0"}]}' <<<"$limits"
    else
        echo "$limits"
    fi
}

pod_request() {
    mkdir -p "$LAB/logs/$CALLER"
    jq -n --compact-output --arg caller "$CALLER" --arg logs "$LAB/logs/$CALLER" --arg cgroup "$LAB_CGROUP/$CALLER" --argjson security "$(security)" '{config: {
        metadata: {name: $caller, namespace: "e2e", uid: ("uid-of-" + $caller)}, hostname: "host", logDirectory: $logs,
        dnsConfig: {servers: ["10.1.2.3"], searches: ["svc.cluster.local"], options: ["ndots:5"]},
        labels: {suite: "e2e"}, annotations: {note: "kept"},
        linux: {cgroupParent: $cgroup, securityContext: ($security | del(.maskedPaths, .readonlyPaths, .runAsUser))}}}'
}

container_request() {
    jq -n --compact-output --arg pod "$1" --arg image "$2" --arg lab "$LAB" --argjson security "$(security)" --argjson resources "$(resources)" \
        --argjson pod_config "$(pod_request | jq .config)" '{podSandboxId: $pod, sandboxConfig: $pod_config, config: {
        metadata: {name: "main"}, image: {image: $image}, logPath: "main.log", labels: {suite: "e2e"},
        command: ["/bin/sh", "-c"], args: ["echo said; exec sleep 1000"], envs: [{key: "COLOUR", value: "blue"}],
        mounts: [{containerPath: "/mnt", hostPath: ($lab + "/volume"), readonly: true}],
        linux: {securityContext: $security, resources: $resources}}}'
}

# says COMMAND: what the shell prints within the container.
says() {
    ask ExecSync "$(jq -n --arg id "$container" --arg command "$1" '{containerId: $id, cmd: ["sh", "-c", $command], timeout: "20"}')" |
        jq -r '.stdout // "" | @base64d' # bytes
}

# has FILTER METHOD REQUEST: whether this is so in the answer.
has() {
    local answer
    answer=$(ask "${@:2}")
    jq --exit-status "$1" <<<"$answer" >/dev/null || {
        echo "$2: not so: $1: $answer"
        return 1
    }
}

life() {
    local image pod container pid
    CALLER=$1 API=$2
    has '.runtimeName == "docker"' Version
    has '[.status.conditions[] | select(.status)] | length == 2' Status
    # The image, as a kubelet looks for it and pulls it.
    has '.image == null' ImageStatus "{\"image\": {\"image\": \"$BUSYBOX\"}}"
    ask PullImage "{\"image\": {\"image\": \"$BUSYBOX\"}}"
    has '.image.repoTags == ["busybox:e2e"]' ImageStatus "{\"image\": {\"image\": \"$BUSYBOX\"}}"
    image=$(ask ImageStatus "{\"image\": {\"image\": \"$BUSYBOX\"}}" | jq -r .image.id)
    has '[.images[] | .repoTags[]?] | contains(["busybox:e2e"])' ListImages

    pod=$(ask RunPodSandbox "$(pod_request)" | jq -r .podSandboxId)
    has '.status | .network.ip != null and .annotations.note == "kept" and (.state // "SANDBOX_READY") == "SANDBOX_READY"' PodSandboxStatus "{\"podSandboxId\": \"$pod\"}"
    has ".items | length == 1 and .[0].id == \"$pod\"" ListPodSandbox '{"filter": {"labelSelector": {"suite": "e2e"}}}'

    container=$(ask CreateContainer "$(container_request "$pod" "$image")" | jq -r .containerId)
    ask StartContainer "{\"containerId\": \"$container\"}"
    has '.status | .state == "CONTAINER_RUNNING" and .mounts[0].readonly' ContainerStatus "{\"containerId\": \"$container\"}"
    has ".containers | length == 1 and .[0].id == \"$container\"" ListContainers "{\"filter\": {\"podSandboxId\": \"$pod\"}}"

    # What the container got, from inside.
    [ "$(says 'echo $COLOUR; hostname; id -u; cat /mnt/file; tail -n 1 /etc/resolv.conf; grep ^Seccomp: /proc/self/status | tr -d "\t"')" = "blue
host
1000
a file of the node
options ndots:5
Seccomp:2" ]
    [ "$(says 'head -c 1 /proc/kcore | wc -c; touch /mnt/new 2>/dev/null || echo read-only; cat /proc/1/comm')" = "0
read-only
sleep" ]
    pid=$(docker_process "$container")
    [[ $(cat "/proc/$pid/cgroup") =~ $LAB_CGROUP/$CALLER/$container ]]
    [ "$(cat "/proc/$pid/oom_score_adj")" = 500 ]
    [ "$(docker inspect --format '{{.HostConfig.Memory}} {{.HostConfig.CpuShares}} {{.HostConfig.CpuQuota}}' "$container")" = "67108864 512 50000" ]
    lab_wait 10 grep -q '"log":"said' "$LAB/logs/$CALLER/main.log"

    ask UpdateContainerResources "{\"containerId\": \"$container\", \"linux\": {\"cpuShares\": \"333\"}}"
    [ "$(docker inspect --format '{{.HostConfig.CpuShares}}' "$container")" = 333 ]
    has '.stats.attributes.id != null and (.stats.memory.workingSetBytes.value | tonumber) > 0' ContainerStats "{\"containerId\": \"$container\"}"
    has '.imageFilesystems[0].usedBytes.value | tonumber > 0' ImageFsInfo
    # Without a scheme, which kubelets read as http.
    has '.url | test("^//127.0.0.1:[0-9]+/")' Exec "{\"containerId\": \"$container\", \"cmd\": [\"true\"], \"stdout\": true}"

    ask StopContainer "{\"containerId\": \"$container\", \"timeout\": \"1\"}"
    [ ! -e "/proc/$pid" ]
    has '.status | .state == "CONTAINER_EXITED" and .exitCode == 137' ContainerStatus "{\"containerId\": \"$container\"}"
    ask RemoveContainer "{\"containerId\": \"$container\"}"
    ask StopPodSandbox "{\"podSandboxId\": \"$pod\"}"
    ask RemovePodSandbox "{\"podSandboxId\": \"$pod\"}"
    has '.items == null' ListPodSandbox '{"filter": {"labelSelector": {"suite": "e2e"}}}'
    [ -z "$(docker ps --all --quiet)" ]
    ask RemoveImage "{\"image\": {\"image\": \"$image\"}}"
    has '.image == null' ImageStatus "{\"image\": {\"image\": \"$BUSYBOX\"}}"
}

@test "cri-dockerd itself does not serve callers before v1" {
    local api
    CALLER=1.9
    for api in v1_9 v1_12 v1alpha2; do
        run "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/cri-dockerd.sock" --api "$api" Version
        [[ $status == 12 && $output == *"unknown service"* ]]
    done
}

@test "the life of a pod, as a kubelet of 1.9 asks for it" {
    life 1.9 v1_9
}

@test "the life of a pod, as a kubelet of 1.12 asks for it" {
    life 1.12 v1_12
}

@test "the life of a pod, as a kubelet of 1.18 asks for it" {
    life 1.18 v1alpha2
}

@test "the life of a pod, as a kubelet of 1.36 asks for it" {
    life 1.36 v1
}
