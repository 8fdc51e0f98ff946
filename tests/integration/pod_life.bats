#!/usr/bin/env bats
# A whole pod's life, for every package that callers speak and every dialect that runtimes speak, on the primary and on a second
# runtime of another dialect behind the same socket.

load gateway

BUSYBOX=docker.io/library/busybox:latest

# package DIALECT: what its methods' paths start with.
package() {
    case $1 in
    v1_9) echo /runtime. ;;
    v1_12 | v1alpha2) echo /runtime.v1alpha2. ;;
    v1) echo /runtime.v1. ;;
    esac
}

# live RUNTIME: one pod with one container, from pull to removal. Ids have to start with $ID_PREFIX, images with $IMAGE_PREFIX.
live() {
    local config image digest pod container answer
    config=$(pod web "$(to "$1")")
    image=$IMAGE_PREFIX$BUSYBOX

    digest=$(pull "$image" "$config")
    [[ $digest =~ ^sha256:[0-9a-f]{64}$ ]]
    answer=$(call ImageStatus "{\"image\":{\"image\":\"$image\"}}")
    expect ".image.id == \"$digest\" and .image.repoTags == [\"$image\"]" "$answer"
    expect ".image.repoDigests[0] | startswith(\"${IMAGE_PREFIX}docker.io/library/busybox@sha256:\")" "$answer"
    expect ".image.id == \"$digest\"" "$(call ImageStatus "{\"image\":{\"image\":\"$digest\"}}")"
    expect "[.images[] | select(.repoTags == [\"$image\"] and .id == \"$digest\")] | length == 1" "$(call ListImages)"
    expect '.imageFilesystems | length == 2' "$(call ImageFsInfo)"

    pod=$(run_pod "$config")
    [[ $pod =~ ^"$ID_PREFIX"[0-9a-f]{64}$ ]]
    answer=$(call PodSandboxStatus "{\"podSandboxId\":\"$pod\"}")
    expect ".status | .id == \"$pod\" and .metadata.name == \"web\" and (has(\"state\") | not)" "$answer"
    expect ".items | length == 1 and .[0].id == \"$pod\"" "$(call ListPodSandbox)"
    expect ".items | length == 1" "$(call ListPodSandbox "{\"filter\":{\"id\":\"$pod\"}}")"

    # kubelet names the image by what PullImage answered.
    container=$(create_container "$pod" "$config" "$digest" '.envs = [{key: "COLOUR", value: "red"}]')
    [[ $container =~ ^"$ID_PREFIX"[0-9a-f]{64}$ ]]
    # Created is the state's default, as ready is a pod's: JSON leaves it out.
    expect '.status | has("state") | not' "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
    call StartContainer "{\"containerId\":\"$container\"}"
    answer=$(call ContainerStatus "{\"containerId\":\"$container\"}")
    expect ".status.id == \"$container\" and .status.state == \"CONTAINER_RUNNING\"" "$answer"
    expect ".status.image.image == \"$image\"" "$answer"
    expect ".status.imageRef | startswith(\"${IMAGE_PREFIX}docker.io/library/busybox@sha256:\")" "$answer"
    answer=$(call ListContainers)
    expect ".containers | length == 1 and .[0].id == \"$container\" and .[0].podSandboxId == \"$pod\"" "$answer"
    expect ".containers[0].imageRef == \"$digest\"" "$answer"
    expect '.containers | length == 1' "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"$pod\",\"id\":\"$container\"}}")"

    answer=$(call ExecSync "{\"containerId\":\"$container\",\"cmd\":[\"echo\",\"hello\"],\"timeout\":\"5\"}")
    expect '.stdout | @base64d | rtrimstr("\n") == "hello"' "$answer"
    expect '.url | startswith("http://127.0.0.1:")' \
        "$(call Exec "{\"containerId\":\"$container\",\"cmd\":[\"sh\"],\"stdin\":true}")"
    expect ".stats.attributes.id == \"$container\"" "$(call ContainerStats "{\"containerId\":\"$container\"}")"
    expect ".stats | length == 1 and .[0].attributes.id == \"$container\"" "$(call ListContainerStats)"
    call UpdateContainerResources "{\"containerId\":\"$container\",\"linux\":{\"cpuShares\":\"512\"}}"

    call StopContainer "{\"containerId\":\"$container\",\"timeout\":\"1\"}"
    expect '.status | .state == "CONTAINER_EXITED" and .exitCode == 143' \
        "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
    call RemoveContainer "{\"containerId\":\"$container\"}"
    run -5 call ContainerStatus "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    expect '.status.state == "SANDBOX_NOTREADY"' "$(call PodSandboxStatus "{\"podSandboxId\":\"$pod\"}")"
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    [ "$(call ListPodSandbox)" = "{}" ]
    call RemoveImage "{\"image\":{\"image\":\"$image\"}}"
    [ "$(call ListImages)" = "{}" ]
}

# check_journal RUNTIME DIALECT: all that arrived was in the runtime's own package, words and names.
check_journal() {
    local entries method
    entries=$(jq -sc '[.[] | select(.method | endswith("/Version") | not)]' "$1.journal")
    expect "all(.[]; .method | startswith(\"$(package "$2")\"))" "$entries"
    expect 'all(.[]; .unknown_fields == 0 and .request != null)' "$entries"
    expect 'all(.[]; .code == "OK" or (.code == "NOT_FOUND" and (.method | endswith("/ContainerStatus"))))' "$entries"
    expect '[.[].request | tostring | select(contains("second.local__") or contains("second.local/"))] == []' "$entries"
    for method in PullImage ImageStatus RunPodSandbox PodSandboxStatus CreateContainer StartContainer ExecSync Exec \
        ContainerStatus ContainerStats UpdateContainerResources StopContainer RemoveContainer StopPodSandbox RemovePodSandbox \
        RemoveImage; do
        [ "$(asked "$1" "$method")" -ge 1 ]
    done
    expect '.[0].request.image.image == "docker.io/library/busybox:latest"' "$(journal "$1" PullImage | jq -sc .)"
    # One pod and one container, by the ids that the runtime gave them.
    expect '[.[].request.containerId | values] | unique | length == 1 and (.[0] | test("^[0-9a-f]{64}$"))' "$entries"
    expect '[.[].request.podSandboxId | values] | unique | length == 1 and (.[0] | test("^[0-9a-f]{64}$"))' "$entries"
}

# lives CALLER PRIMARY SECOND: dialects of the caller, the primary and the second runtime.
lives() {
    API=$1
    start_runtime main "$2" --image-fs-mountpoint /
    start_runtime second.local "$3"
    write_map "main, api: $2" "second.local, api: $3"
    start_node
    ID_PREFIX='' IMAGE_PREFIX='' live main
    # All that the primary got was its own; lists and the image's digest are for everybody.
    [ "$(asked second.local RunPodSandbox)" = 0 ]
    ID_PREFIX=second.local__ IMAGE_PREFIX=second.local/ live second.local
    [ "$(asked main RunPodSandbox)" = 1 ]
    check_journal main "$2"
    check_journal second.local "$3"
}

@test "a caller of v1 in front of v1 and v1_9" {
    lives v1 v1 v1_9
}

@test "a caller of v1 in front of v1alpha2 and v1" {
    lives v1 v1alpha2 v1
}

@test "a caller of v1 in front of v1_12 and v1alpha2" {
    lives v1 v1_12 v1alpha2
}

@test "a caller of v1 in front of v1_9 and v1_12" {
    lives v1 v1_9 v1_12
}

@test "a caller of v1alpha2 in front of v1 and v1_9" {
    lives v1alpha2 v1 v1_9
}

@test "a caller of v1alpha2 in front of v1alpha2 and v1" {
    lives v1alpha2 v1alpha2 v1
}

@test "a caller of v1alpha2 in front of v1_12 and v1alpha2" {
    lives v1alpha2 v1_12 v1alpha2
}

@test "a caller of v1alpha2 in front of v1_9 and v1_12" {
    lives v1alpha2 v1_9 v1_12
}

@test "a caller of v1_9 in front of v1 and v1_9" {
    lives v1_9 v1 v1_9
}

@test "a caller of v1_9 in front of v1alpha2 and v1" {
    lives v1_9 v1alpha2 v1
}

@test "a caller of v1_9 in front of v1_12 and v1alpha2" {
    lives v1_9 v1_12 v1alpha2
}

@test "a caller of v1_9 in front of v1_9 and v1_12" {
    lives v1_9 v1_9 v1_12
}
