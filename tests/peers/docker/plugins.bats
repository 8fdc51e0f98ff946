#!/usr/bin/env bats
# A pod as a kubelet with Docker built in makes it: its requests go through crigate docker-proxy to Docker Engine, and the kernel has what a plugin said. Each
# test goes on where the one before it stopped.

SANDBOX=k8s_POD_shim_e2e_uid-of-shim_0
CONTAINER=k8s_main_shim_e2e_uid-of-shim_0

# load_parts: plugins as in the end-to-end tests of hooks; the proxy is asked by its log, and containers are Docker Engine's.
load_parts() {
    load ../../e2e/hooks/plugin.bash
    load docker.bash
    knows() {
        grep -q "plugin $1.json: registered" "$LAB/docker-proxy.log"
    }
    process() {
        docker_process "$1"
    }
}

setup() {
    load_parts
    recall
}

setup_file() {
    load_parts
    mkdir -p -m 755 "$LAB/plugins"
    docker pull --quiet "$BUSYBOX"
    lab_daemon docker-proxy "$E2E_BUILD/crigate" docker-proxy --listen "unix://$LAB/docker-proxy.sock" --docker "$DOCKER_HOST" \
        --hooks "$LAB/plugins" -v 4
    lab_wait 10 grep -q 'serves unix' "$LAB/docker-proxy.log"
    start_plugin
}

teardown_file() {
    load_parts
    docker ps --all --quiet --filter label=io.kubernetes.docker.type | xargs --no-run-if-empty docker rm --force
    rm -f "$LAB/plugins/plugin.json"
    lab_stop plugin
    lab_stop docker-proxy
}

# api METHOD TARGET [BODY]: sends a request through the proxy, prints the answer, and fails unless it is a success.
api() {
    local body=()
    [ $# -lt 3 ] || body=(--header 'Content-Type: application/json' --data-binary "$3")
    curl --silent --show-error --fail-with-body --unix-socket "$LAB/docker-proxy.sock" --request "$1" "${body[@]}" "http://docker/v1.40$2"
}

# labels TYPE [FILTER]: those that the dockershim gives a container of that type.
labels() {
    jq -cn --arg type "$1" '{"io.kubernetes.docker.type": $type, "io.kubernetes.pod.name": "shim", "io.kubernetes.pod.namespace": "e2e",
        "io.kubernetes.pod.uid": "uid-of-shim"} | '"${2:-.}"
}

@test "a sandbox has the labels, the annotations and the cgroup parent that the plugin set" {
    run -0 api POST "/containers/create?name=$SANDBOX" "$(jq -cn --argjson labels "$(labels podsandbox '.app = "x" | .["annotation.a"] = "1"')" \
        --arg parent "$LAB_CGROUP/shim" '{Image: "registry.k8s.io/pause:e2e", Labels: $labels,
            HostConfig: {NetworkMode: "none", CgroupParent: $parent, CpuShares: 2, OomScoreAdj: 999}}')"
    remember pod "$(field .Id "$output")"
    recall
    api POST "/containers/$pod/start"
    run -0 docker inspect "$pod"
    expect '.[0].Config.Labels | .tier == "batch" and .["annotation.seen"] == "yes" and .["annotation.a"] == "1" and .app == "x"' "$output"
    expect ".[0].HostConfig.CgroupParent == \"$PLUGIN_PARENT\"" "$output"
    in_cgroup "$pod" "$PLUGIN_PARENT"
    expect ".cgroupParent == \"$LAB_CGROUP/shim\" and .annotations == {a: \"1\"} and .runtimeHandler == \"docker\"" \
        "$(hooked PreRunPodSandbox shim)"
}

@test "a container has the CPUs, the quota, the shares, the memory, the environment and the cgroup that the plugin set" {
    run -0 api POST "/containers/create?name=$CONTAINER" "$(jq -cn --arg parent "$LAB_CGROUP/shim" --arg cpus "$CPUS" --arg pod "$pod" \
        --argjson labels "$(labels container ".[\"io.kubernetes.sandbox.id\"] = \"$pod\"")" --arg image "$BUSYBOX" \
        '{Image: $image, Cmd: ["sleep", "6000"], Labels: $labels, Env: ["COLOUR=red", "SIZE=big", "SHAPE=round"],
            HostConfig: {NetworkMode: ("container:" + $pod), CgroupParent: $parent, CpusetCpus: $cpus, CpuPeriod: 100000,
                CpuQuota: 20000, CpuShares: 512, Memory: 134217728, OomScoreAdj: 999}}')"
    remember container "$(field .Id "$output")"
    recall
    api POST "/containers/$container/start"
    as_given "$container"
    lab_wait 10 was_hooked PostStartContainer shim
    expect ".containerMeta == {name: \"main\", id: \"$container\"} and .podLabels.tier == \"batch\"" "$(hooked PostStartContainer shim)"
}

@test "an update has what the plugin adds to it" {
    api POST "/containers/$container/update" '{"CpuShares":2}'
    as_given "$container" "$LIMITS_UPDATED"
}

@test "the docker client's containers pass, on the same socket" {
    run -0 docker --host "unix://$LAB/docker-proxy.sock" run --rm --network none --env COLOUR=green "$BUSYBOX" sh -c 'echo "$COLOUR"; exit 0'
    [ "$output" = green ]
    run -0 docker --host "unix://$LAB/docker-proxy.sock" exec "$container" sh -c 'echo "$COLOUR $GPU"'
    [ "$output" = "blue 7" ]
}

@test "after a restart of the proxy, the plugin knows them as before" {
    lab_stop docker-proxy
    : >"$LAB/docker-proxy.log"
    lab_daemon docker-proxy "$E2E_BUILD/crigate" docker-proxy --listen "unix://$LAB/docker-proxy.sock" --docker "$DOCKER_HOST" \
        --hooks "$LAB/plugins" -v 4
    lab_wait 10 grep -q '1 pods and 1 containers are known' "$LAB/docker-proxy.log"
    api POST "/containers/$container/update" '{"CpuShares":4}'
    expect ".containerMeta == {name: \"main\", id: \"$container\"} and .podCgroupParent == \"$PLUGIN_PARENT\" and .podLabels.app == \"x\" and
        .containerEnvs.GPU == \"7\" and .containerResources.memoryLimitInBytes == \"67108864\"" "$(hooked PreUpdateContainerResources shim)"
}

@test "Docker Engine is killed, and comes again: hooks go on" {
    lab_stop dockerd KILL || true # its exit status is that of the signal
    run ! api GET /_ping
    lab_docker
    run -0 api GET "/containers/$container/json"
    api POST "/containers/$pod/stop?t=0"
    lab_wait 10 was_hooked PostStopPodSandbox shim
}
