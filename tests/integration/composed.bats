#!/usr/bin/env bats
# Answers that crigate puts together for runtimes that do not give them themselves: in front of every dialect that they concern, for
# callers of every package that know the RPC.

load gateway

# As containerd 1.x writes its configuration.
SYSTEMD='{"containerd":{"defaultRuntimeName":"runc","runtimes":{"runc":{"options":{"SystemdCgroup":true}},
    "other":{"options":{"SystemdCgroup":false}}}},"systemdCgroup":false,"sandboxImage":"registry.k8s.io/pause:3.9"}'

# All that CRI-O's verbose status tells.
CRIO='{"sandboxImage":"registry.k8s.io/pause:3.9"}'

# node DIALECT KEYS [OPTION...]: a node with one runtime; KEYS are more of its map entry, such as ", storage: /var".
node() {
    start_runtime main "$1" "${@:3}"
    write_map "main, api: $1$2"
    start_node
}

# fresh: ends all, for a second node in one test.
fresh() {
    stop crigate
    stop main
    rm -rf crigate.sock main.sock main.journal crigate.log state
}

# ---- RuntimeConfig ----

@test "the cgroup driver of an older runtime is that of its default runtime, not of the legacy key" {
    local api
    for api in v1_9 v1_12 v1alpha2; do
        node "$api" "" --status-config "$SYSTEMD"
        expect '.linux == {}' "$(call RuntimeConfig)" # SYSTEMD is the enum's zero
        call RuntimeConfig
        [ "$(asked main Status)" = 1 ]
        expect '.request.verbose' "$(arrived main Status)"
        fresh
        node "$api" ""
        expect '.linux.cgroupDriver == "CGROUPFS"' "$(call RuntimeConfig)"
        fresh
    done
}

@test "so is that of a v1 runtime that lacks the RPC" {
    node v1 "" --fail RuntimeConfig=UNIMPLEMENTED --status-config "$SYSTEMD"
    expect '.linux == {}' "$(call RuntimeConfig)"
    [ "$(asked main RuntimeConfig)" = 1 ]
}

@test "the runtime map's cgroup driver comes first, and the runtime is not asked" {
    node v1_9 ", cgroup_driver: cgroupfs" --status-config "$SYSTEMD"
    expect '.linux.cgroupDriver == "CGROUPFS"' "$(call RuntimeConfig)"
    [ "$(asked main Status)" = 0 ]
    fresh
    node v1 ", cgroup_driver: systemd" --fail RuntimeConfig=UNIMPLEMENTED
    expect '.linux == {}' "$(call RuntimeConfig)"
    [ "$(asked main Status)" = 0 ]
}

@test "a runtime that has RuntimeConfig speaks for itself, whatever the map says" {
    node v1 ", cgroup_driver: systemd"
    expect '.linux.cgroupDriver == "CGROUPFS"' "$(call RuntimeConfig)"
    [ "$(asked main Status)" = 0 ]
}

@test "a cgroup driver that nobody tells is UNIMPLEMENTED, never a guess" {
    local config
    for config in "" "$CRIO" '{' '[]' 'null' '{"containerd":{"defaultRuntimeName":"runc","runtimes":{"runc":{"options":{}}}}}' \
        '{"containerd":{"defaultRuntimeName":"kata","runtimes":{"runc":{"options":{"SystemdCgroup":true}}}},"systemdCgroup":true}' \
        '{"containerd":{"defaultRuntimeName":"runc","runtimes":{"runc":{"options":{"SystemdCgroup":"true"}}}}}'; do
        node v1alpha2 "" --status-config "$config"
        run -12 call RuntimeConfig
        [[ $output =~ "UNIMPLEMENTED: crigate: runtime main does not report its cgroup driver; set cgroup_driver" ]]
        fresh
    done
}

@test "a runtime whose status fails now may tell its cgroup driver later" {
    node v1alpha2 "" --fail Status=UNAVAILABLE:1
    run -14 call RuntimeConfig
    [[ $output =~ "Status: Status was told to fail" ]]
    expect '.linux.cgroupDriver == "CGROUPFS"' "$(call RuntimeConfig)"
}

@test "a runtime that comes back with another cgroup driver is asked again" {
    node v1alpha2 ""
    expect '.linux.cgroupDriver == "CGROUPFS"' "$(call RuntimeConfig)"
    stop main
    start_runtime main v1alpha2 --status-config "$SYSTEMD"
    eventually 15 runtime_ready main 2
    expect '.linux == {}' "$(call RuntimeConfig)"
}

@test "a status that does not come in time makes the runtime hang" {
    start_runtime main v1alpha2 --hang Status
    start_runtime other.io v1 # alone, main would have all the caller's time
    write_map "main, api: v1alpha2, budget: 1s" other.io
    start_node
    run -14 call RuntimeConfig
    [[ $output =~ "Status: not answered within the budget of 1000 ms" ]]
    grep -q "runtime main: has not answered" crigate.log
}

@test "nobody else's status is a handshake: features and handlers are what the runtime says" {
    node v1alpha2 ""
    expect '(has("features") or has("runtimeHandlers")) | not' "$(call Status)"
}

# ---- ListPodSandboxStats ----

# placed STATS: the containers of statistics of pods, each with its pod.
placed() {
    jq -c '[.stats[] | .attributes.id as $pod | .linux.containers[]? | [$pod, .attributes.id]] | sort' <<<"$1"
}

@test "statistics of pods are composed of three lists for a runtime that lacks them" {
    local api runtime stats
    for runtime in v1_9 v1_12; do
        node "$runtime" "" --containers 7
        for api in v1alpha2 v1; do
            API=$api
            stats=$(call ListPodSandboxStats)
            expect '.stats | length == 3' "$stats"
            expect 'all(.stats[]; .attributes | .id and .metadata.name and .metadata.uid and .labels)' "$stats"
            expect 'all(.stats[].linux.containers[]; .cpu.usageCoreNanoSeconds and .memory.workingSetBytes)' "$stats"
            expect 'all(.stats[].linux; has("cpu") or has("memory") | not)' "$stats"
            [ "$(placed "$stats")" = "$(ask main "$runtime" ListContainers |
                jq -c '[.containers[] | [.podSandboxId, .id]] | sort')" ]
        done
        fresh
    done
}

@test "so are those of a v1 runtime that lacks the RPC, as it would answer itself" {
    start_runtime main v1 --containers 7 --fail ListPodSandboxStats=UNIMPLEMENTED:1
    write_map main
    start_node
    local composed own
    composed=$(call ListPodSandboxStats)
    own=$(call ListPodSandboxStats)
    [ "$(asked main ListPodSandboxStats)" = 2 ]
    [ "$(asked main ListContainerStats)" = 1 ]
    expect '.stats | length == 3' "$composed"
    [ "$(placed "$composed")" = "$(placed "$own")" ]
    [ "$(jq -c '[.stats[].attributes] | sort' <<<"$composed")" = "$(jq -c '[.stats[].attributes] | sort' <<<"$own")" ]
}

@test "composed statistics are filtered, and of ready pods only" {
    local config first second
    node v1_9 ""
    call PullImage '{"image":{"image":"busybox"}}'
    config=$(pod one '.labels = {app: "x", tier: "a"}')
    first=$(run_pod "$config")
    create_container "$first" "$config" busybox
    second=$(run_pod "$(pod two '.labels = {app: "x"}')")
    expect '.stats | length == 2' "$(call ListPodSandboxStats)"
    expect '.stats | length == 2' "$(call ListPodSandboxStats '{"filter":{"labelSelector":{"app":"x"}}}')"
    expect ".stats | length == 1 and .[0].attributes.id == \"$first\"" \
        "$(call ListPodSandboxStats '{"filter":{"labelSelector":{"app":"x","tier":"a"}}}')"
    expect ".stats | length == 1 and .[0].attributes.id == \"$second\" and (.[0].linux | has(\"containers\") | not)" \
        "$(call ListPodSandboxStats "{\"filter\":{\"id\":\"$second\"}}")"
    expect '.stats == null' "$(call ListPodSandboxStats '{"filter":{"id":"nope"}}')"
    call StopPodSandbox "{\"podSandboxId\":\"$first\"}"
    expect ".stats | length == 1 and .[0].attributes.id == \"$second\"" "$(call ListPodSandboxStats)"
}

@test "composed statistics of a second runtime bear its prefix, beside the primary's own" {
    start_runtime main v1 --containers 3
    start_runtime old v1_9 --containers 4
    write_map main "old, api: v1_9"
    start_node
    local stats
    stats=$(call ListPodSandboxStats)
    expect '[.stats[].attributes.id | startswith("old__")] == [false, true, true]' "$stats"
    expect 'all(.stats[1:][].linux.containers[]; .attributes.id | startswith("old__"))' "$stats"
    expect '[.stats[].linux.containers | length] | .[0] == 3 and (.[1:] | add) == 4' "$stats"
    local id
    id=$(field '.stats[1].attributes.id' "$stats")
    expect ".stats | length == 1 and .[0].attributes.id == \"$id\"" \
        "$(call ListPodSandboxStats "{\"filter\":{\"id\":\"$id\"}}")"
}

@test "a second runtime of which nothing can be composed is left out" {
    start_runtime main v1 --containers 3
    start_runtime old v1_9 --containers 4 --not-implemented ListContainerStats
    write_map main "old, api: v1_9"
    start_node
    expect '.stats | length == 1' "$(call ListPodSandboxStats)"
}

@test "as a stream, too" {
    local streamed
    node v1_9 "" --containers 7
    streamed=$(call StreamPodSandboxStats | jq -s '{stats: map(.podSandboxStats[])}')
    expect '.stats | length == 3' "$streamed"
    [ "$(placed "$streamed")" = "$(placed "$(call ListPodSandboxStats)")" ]
}

@test "statistics of one pod stay UNIMPLEMENTED" {
    node v1_9 "" --containers 3
    run -12 call PodSandboxStats '{"podSandboxId":"x"}'
    [[ $output =~ "UNIMPLEMENTED: crigate: runtime main speaks v1_9, which has no PodSandboxStats" ]]
}

# ---- not implemented ----

@test "the filesystem of images is composed from the storage that the map names" {
    local api runtime
    mkdir storage
    for runtime in v1_9 v1_12 v1alpha2 v1; do
        node "$runtime" ", storage: $PWD/storage" --not-implemented ImageFsInfo
        for api in v1alpha2 v1; do
            API=$api
            expect ".imageFilesystems | length == 1 and .[0].fsId.mountpoint == \"$PWD/storage\" and
                (.[0].timestamp | tonumber > 1500000000000000000) and (.[0].usedBytes.value | tonumber > 0)" \
                "$(call ImageFsInfo)"
        done
        expect '.containerFilesystems == .imageFilesystems' "$(call ImageFsInfo)"
        API=v1_9
        expect '.imageFilesystems | length == 1 and (.[0].usedBytes.value | tonumber > 0)' "$(call ImageFsInfo)"
        API=v1
        fresh
    done
}

@test "without a storage in the map, the answer that there is none passes" {
    node v1_9 "" --not-implemented ImageFsInfo
    run -12 call ImageFsInfo
    [[ $output =~ "UNIMPLEMENTED: not implemented" ]]
    fresh
    node v1 "" --fail ImageFsInfo=UNIMPLEMENTED
    run -12 call ImageFsInfo
    [[ $output =~ "UNIMPLEMENTED: ImageFsInfo was told to fail" ]]
}

@test "a storage that is not there is told" {
    node v1_9 ", storage: $PWD/nowhere" --not-implemented ImageFsInfo
    run -9 call ImageFsInfo
    [[ $output =~ "FAILED_PRECONDITION: crigate: the storage of runtime main, $PWD/nowhere, is not a folder" ]]
}

@test "the filesystem that a runtime tells itself passes, whatever the map says" {
    mkdir storage
    node v1 ", storage: $PWD/storage"
    expect '.imageFilesystems[0].fsId.mountpoint == "/var/lib/crisim/images"' "$(call ImageFsInfo)"
}

@test "a kubelet hears that containers of CRI-O are on the filesystem of its images, and of other runtimes what they say" {
    node v1 "" --name cri-o
    expect '.containerFilesystems == .imageFilesystems and (.imageFilesystems | length == 1)' "$(call ImageFsInfo)"
    API=v1alpha2
    expect '(.imageFilesystems | length == 1) and (has("containerFilesystems") | not)' "$(call ImageFsInfo)"
    fresh
    API=v1
    node v1 "" --name containerd
    expect '(.imageFilesystems | length == 1) and (has("containerFilesystems") | not)' "$(call ImageFsInfo)"
}

@test "statistics of containers that are not implemented are an empty list, and of one UNIMPLEMENTED" {
    local runtime
    for runtime in v1_9 v1; do
        node "$runtime" "" --containers 3 --not-implemented ListContainerStats --not-implemented ContainerStats
        for API in v1_9 v1alpha2 v1; do
            expect '. == {}' "$(call ListContainerStats)"
            run -12 call ContainerStats '{"containerId":"x"}'
            [[ $output =~ "UNIMPLEMENTED: not implemented" ]]
        done
        API=v1
        if [ "$runtime" = v1_9 ]; then
            run -12 call ListPodSandboxStats
            [[ $output =~ "runtime main speaks v1_9, which has no ListPodSandboxStats" ]]
        fi
        fresh
    done
}

# ---- pinned images ----

@test "the sandbox image of a runtime that does not say so is pinned" {
    local runtime
    for runtime in v1_9 v1_12 v1alpha2 v1; do
        node "$runtime" "" --unpinned --status-config "$CRIO"
        call PullImage '{"image":{"image":"registry.k8s.io/pause:3.9"}}'
        call PullImage '{"image":{"image":"registry.k8s.io/pause:3.8"}}'
        for API in v1alpha2 v1; do
            expect '[.images[] | select(.pinned) | .repoTags[0]] == ["registry.k8s.io/pause:3.9"]' "$(call ListImages)"
            expect '.image.pinned' "$(call ImageStatus '{"image":{"image":"registry.k8s.io/pause:3.9"}}')"
            expect '.image.id and (.image | has("pinned") | not)' "$(call ImageStatus '{"image":{"image":"registry.k8s.io/pause:3.8"}}')"
            expect '. == {}' "$(call ImageStatus '{"image":{"image":"absent"}}')"
        done
        [ "$(asked main Status)" = 1 ]
        API=v1_9
        expect '.images | length == 2' "$(call ListImages)"
        API=v1
        fresh
    done
}

@test "a sandbox image by a short name is found" {
    node v1 "" --unpinned --status-config '{"sandboxImage":"mypause"}'
    call PullImage '{"image":{"image":"mypause"}}'
    expect '.images[0] | .pinned and .repoTags == ["docker.io/library/mypause:latest"]' "$(call ListImages)"
}

@test "images of a second runtime are pinned by its own status, under its prefix" {
    start_runtime main v1
    start_runtime old v1_9 --unpinned --status-config "$CRIO"
    write_map main "old, api: v1_9, image_prefix: old.local"
    start_node
    call PullImage '{"image":{"image":"old.local/registry.k8s.io/pause:3.9"}}'
    expect '[.images[] | select(.pinned) | .repoTags[0]] == ["old.local/registry.k8s.io/pause:3.9"]' "$(call ListImages)"
}

@test "a runtime that pins its sandbox image is asked once" {
    node v1 ""
    call PullImage '{"image":{"image":"registry.k8s.io/pause:3.9"}}'
    expect '[.images[] | .pinned] == [true]' "$(call ListImages)"
    call ListImages
    call ImageStatus '{"image":{"image":"busybox"}}'
    [ "$(asked main Status)" = 1 ]
}

@test "an image list passes as it is when the status cannot be had" {
    node v1 "" --unpinned --fail Status=INTERNAL
    call PullImage '{"image":{"image":"registry.k8s.io/pause:3.9"}}'
    expect '.images | length == 1 and (.[0] | has("pinned") | not)' "$(call ListImages)"
}

@test "an image list is not late when the status hangs" {
    node v1 "" --unpinned --hang Status
    call PullImage '{"image":{"image":"registry.k8s.io/pause:3.9"}}'
    expect '.images | length == 1 and (.[0] | has("pinned") | not)' "$(call --timeout 6s ListImages)"
    ! grep -q "has not answered" crigate.log # the question had less time than the budget
}

# ---- codes ----

@test "what a list shows to be absent is NOT_FOUND, of a runtime without codes" {
    local runtime
    for runtime in v1_9 v1alpha2; do
        node "$runtime" "" --errors-without-codes --containers 3
        for API in v1_9 v1alpha2 v1; do
            for method in PodSandboxStatus StopPodSandbox RemovePodSandbox; do
                run -5 call "$method" '{"podSandboxId":"nope"}'
                [[ $output =~ "NOT_FOUND: crigate: runtime main has no pod nope" ]]
            done
            for method in ContainerStatus StopContainer RemoveContainer; do
                run -5 call "$method" '{"containerId":"nope"}'
                [[ $output =~ "NOT_FOUND: crigate: runtime main has no container nope" ]]
            done
        done
        API=v1
        fresh
    done
}

@test "what is there, or may be, keeps its failure" {
    local id
    start_runtime main v1_9 --containers 3 --fail StopContainer=UNKNOWN --fail ContainerStatus=UNKNOWN --fail PodSandboxStatus=INTERNAL
    write_map "main, api: v1_9"
    start_node
    id=$(field '.containers[0].id' "$(call ListContainers)")
    run -2 call StopContainer "{\"containerId\":\"$id\"}"
    [[ $output =~ "UNKNOWN: StopContainer was told to fail" ]]
    run -2 call StopContainer "{\"containerId\":\"${id:0:12}\"}"
    [[ $output =~ "UNKNOWN: StopContainer was told to fail" ]]
    run -13 call PodSandboxStatus '{"podSandboxId":"nope"}'
    fresh
    node v1_9 "" --errors-without-codes --fail ListContainers=INTERNAL
    run -2 call ContainerStatus '{"containerId":"nope"}'
    [[ $output =~ "UNKNOWN: " ]]
}

@test "a command that used up its timeout is DEADLINE_EXCEEDED, of a runtime without codes" {
    local id request
    for runtime in v1_9 v1; do
        node "$runtime" "" --errors-without-codes --containers 1
        id=$(field '.containers[0].id' "$(call ListContainers)")
        request='{"containerId":"'$id'","cmd":["sleep","9"],"timeout":"1"}'
        for API in v1_9 v1; do
            run -4 call ExecSync "$request"
            [[ $output =~ "DEADLINE_EXCEEDED: crigate: runtime main: the command ran longer than its timeout of 1 s" ]]
            # What fails before that, or has no timeout, fails as it did.
            run -2 call ExecSync '{"containerId":"'"$id"'","cmd":[],"timeout":"1"}'
            run -2 call ExecSync '{"containerId":"'"$id"'","cmd":[]}'
        done
        API=v1
        fresh
    done
}

# ---- image ids ----

@test "one image has one id in every answer of a runtime that refers to it by digest" {
    local runtime config pod id container
    for runtime in v1_9 v1_12 v1alpha2 v1; do
        node "$runtime" "" --digest-references
        for API in v1_9 v1alpha2 v1; do
            id=$(pull busybox)
            [ "$id" = "$(field '.image.id' "$(call ImageStatus '{"image":{"image":"busybox"}}')")" ]
            [[ $id == sha256:* ]]
        done
        API=v1
        config=$(pod web)
        pod=$(run_pod "$config")
        container=$(create_container "$pod" "$config" busybox)
        expect ".containers[0] | .imageId == \"$id\" and (.imageRef | contains(\"@sha256:\"))" "$(call ListContainers)"
        expect ".status | .imageId == \"$id\" and (.imageRef | contains(\"@sha256:\"))" \
            "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
        # The runtime is asked once: a digest names one content for ever.
        call ListContainers
        call ContainerStatus "{\"containerId\":\"$container\"}"
        [ "$(journal main ListImages | wc -l)" -le 1 ]
        # Callers that know no image_id compare image_ref of lists with the id.
        for API in v1_9 v1alpha2; do
            expect ".containers[0].imageRef == \"$id\"" "$(call ListContainers)"
            expect '.status.imageRef | contains("@sha256:")' "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
        done
        API=v1
        fresh
    done
}

@test "an image that is gone leaves its containers as they are listed" {
    local config pod container
    node v1 "" --digest-references
    pull busybox
    config=$(pod web)
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" busybox)
    stop crigate
    start_node
    call RemoveImage '{"image":{"image":"busybox"}}'
    expect '.containers | length == 1' "$(call ListContainers)"
    expect '.status.id' "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
}

@test "an id that is one already costs no question" {
    local config pod container
    node v1 ""
    pull busybox
    config=$(pod web)
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" busybox)
    call ListContainers
    call ContainerStatus "{\"containerId\":\"$container\"}"
    [ "$(asked main ImageStatus)" = 0 ]
    [ "$(asked main ListImages)" = 0 ]
}
