#!/usr/bin/env bats
# What a runtime is asked for hooks about pods and containers that nobody saw being made: in every dialect, and in the forms in which
# runtimes answer. The gateway is not running here; lookup_talk asks as it does.

load gateway

# node DIALECT [OPTION...]: a runtime with a pod and a container in it, POD and CONTAINER.
node() {
    local api=$1 config
    start_runtime main "$api" "${@:2}"
    write_map "main, api: $api"
    config=$(pod web '.labels = {app: "web"} | .annotations = {"a/b": "c"} | .linux.cgroupParent = "/kubepods.slice/kubepods-podu1.slice"')
    ask main "$api" PullImage '{"image":{"image":"busybox"}}'
    POD=$(field .podSandboxId "$(ask main "$api" RunPodSandbox "$(jq -nc --argjson config "$config" '{config: $config}')")")
    CONTAINER=$(field .containerId "$(ask main "$api" CreateContainer "$(jq -nc --arg pod "$POD" --argjson config "$config" \
        '{podSandboxId: $pod, sandboxConfig: $config, config: {metadata: {name: "main", attempt: 2}, image: {image: "busybox"},
          annotations: {x: "y"}, envs: [{key: "B", value: "2"}, {key: "A", value: "1 < 2"}],
          linux: {resources: {cpuPeriod: 100000, cpuQuota: 50000, oomScoreAdj: 7, cpusetCpus: "0"}}}}')")")
}

# lookup pod|container ID [MILLISECONDS [cancel]]
lookup() {
    "$CRIGATE_BUILD/lookup_talk" crigate.yaml "$1" "$2" "${3:-10000}" ${4:+"$4"} 2>lookup.log
}

fresh() {
    stop main
    rm -f main.sock main.journal
}

POD_FACTS='.podId == $pod and .pod.metadata.name == "web" and .pod.labels == {app: "web"} and .pod.annotations == {"a/b": "c"}'

# expect_found FILTER JSON: what is true of each answer, and more.
expect_found() {
    jq -e --arg pod "$POD" --arg container "$CONTAINER" ".code == \"OK\" and $POD_FACTS and ($1)" <<<"$2" >/dev/null || {
        jq . <<<"$2"
        return 1
    }
}

PARENT='.pod.linux.cgroupParent == "/kubepods.slice/kubepods-podu1.slice" and .parentChanged'
MADE='.containerId == $container and .containersPod == $pod and .container.metadata == {name: "main", attempt: 2}
    and .container.annotations == {x: "y"}'
LIMITS='.container.linux.resources == {cpuPeriod: "100000", cpuQuota: "50000", oomScoreAdj: "7", cpusetCpus: "0"}'

@test "a runtime with containerd's info gives all facts, in every dialect" {
    local api
    for api in v1_9 v1_12 v1alpha2 v1; do
        node "$api" --verbose-info containerd
        expect_found "$PARENT and (has(\"missing\") | not) and (.pod.hostname | not)" "$(lookup pod "$POD")"
        expect_found "$PARENT and $MADE and $LIMITS and (has(\"missing\") | not) and .environment and
            .container.envs == [{key: \"B\", value: \"2\"}, {key: \"A\", value: \"1 < 2\"}]" "$(lookup container "$CONTAINER")"
        fresh
    done
}

@test "a runtime with CRI-O's info gives all facts, with the variables of the image" {
    local api
    for api in v1_9 v1alpha2 v1; do
        node "$api" --verbose-info crio
        expect_found "$PARENT and (has(\"missing\") | not)" "$(lookup pod "$POD")"
        expect_found "$PARENT and $MADE and $LIMITS and (has(\"missing\") | not) and .environment and
            (.container.envs | map(.key)) == [\"PATH\", \"B\", \"A\"]" "$(lookup container "$CONTAINER")"
        fresh
    done
}

@test "a runtime without info gives what its status and its lists have" {
    node v1 --verbose-info none
    expect_found '.missing == "cgroup parent, resources" and (.parentChanged | not)' "$(lookup pod "$POD")"
    expect_found "$MADE and $LIMITS and (.environment | not) and .missing == \"cgroup parent, environment\"" \
        "$(lookup container "$CONTAINER")"
    expect ".request.filter.id == \"$CONTAINER\"" "$(arrived main ListContainers)"
    fresh
    node v1_9 --verbose-info none
    expect_found "$MADE and .missing == \"cgroup parent, resources, environment\"" "$(lookup container "$CONTAINER")"
}

@test "resources are those after the last update" {
    local form
    for form in containerd crio none; do
        node v1 --verbose-info "$form"
        ask main v1 UpdateContainerResources "{\"containerId\":\"$CONTAINER\",\"linux\":{\"cpuQuota\":\"-1\",\"cpusetCpus\":\"2-3\"}}"
        expect_found "$MADE and .container.linux.resources ==
            {cpuPeriod: \"100000\", cpuQuota: \"-1\", oomScoreAdj: \"7\", cpusetCpus: \"2-3\"}" "$(lookup container "$CONTAINER")"
        fresh
    done
}

@test "what is not there is NOT_FOUND, also on runtimes that only answer UNKNOWN" {
    node v1
    expect '.code == "NOT_FOUND"' "$(lookup pod nothing)"
    expect '.code == "NOT_FOUND"' "$(lookup container nothing)"
    [ "$(asked main ListContainers)" = 0 ]
    fresh
    node v1_9 --errors-without-codes
    expect '.code == "NOT_FOUND"' "$(lookup pod nothing)"
    expect '.code == "NOT_FOUND"' "$(lookup container nothing)"
    fresh
    node v1 --fail ContainerStatus=UNKNOWN --fail PodSandboxStatus=UNKNOWN
    expect '.code == "UNKNOWN"' "$(lookup pod "$POD")"
    expect '.code == "UNKNOWN"' "$(lookup container "$CONTAINER")"
    fresh
    node v1 --fail ContainerStatus=UNKNOWN --fail ListContainers=INTERNAL
    expect '.code == "UNKNOWN"' "$(lookup container "$CONTAINER")"
}

@test "a container whose pod cannot be found is not found" {
    node v1 --verbose-info none --fail PodSandboxStatus=NOT_FOUND
    expect '.code == "NOT_FOUND"' "$(lookup container "$CONTAINER")"
}

@test "garbage is INTERNAL" {
    local method
    node v1 --garbage PodSandboxStatus
    expect '.code == "INTERNAL"' "$(lookup pod "$POD")"
    expect '.code == "INTERNAL"' "$(lookup container "$CONTAINER")"
    fresh
    node v1 --garbage ContainerStatus
    expect '.code == "INTERNAL"' "$(lookup container "$CONTAINER")"
    fresh
    node v1 --verbose-info none --garbage ListContainers
    expect '.code == "INTERNAL"' "$(lookup container "$CONTAINER")"
}

@test "all questions together end with the time given" {
    node v1 --hang PodSandboxStatus
    expect '.code == "DEADLINE_EXCEEDED"' "$(lookup pod "$POD" 300)"
    expect '.code == "DEADLINE_EXCEEDED"' "$(lookup container "$CONTAINER" 300)"
    fresh
    node v1 --slow ContainerStatus=600 --hang PodSandboxStatus
    expect '.code == "DEADLINE_EXCEEDED"' "$(lookup container "$CONTAINER" 900)"
}

@test "a lookup that is cancelled ends without an answer" {
    node v1 --slow PodSandboxStatus=5000
    expect '.cancelled' "$(lookup pod "$POD" 10000 cancel)"
    expect '.cancelled' "$(lookup container "$CONTAINER" 10000 cancel)"
}

@test "a runtime that dies in the middle ends the lookup" {
    node v1 --hang PodSandboxStatus
    start talk "$CRIGATE_BUILD/lookup_talk" crigate.yaml pod "$POD" 60000
    eventually 15 grep -q '"code":"PENDING"' main.journal
    crash main
    finish talk
    expect '.code == "UNAVAILABLE"' "$(tail -n 1 talk.log)"
}
