#!/usr/bin/env bats
# Which runtime a new pod, an id or an image belongs to.

load gateway

# Two runtimes, the second with more keys in the map.
two_runtimes() {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main "vm.local$1"
    start_node
}

# ---- new pods ----

@test "a prefix without an id is nobody's id" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    [ "$(call ListPodSandbox '{"filter":{"id":"vm.local__"}}')" = "{}" ]
    [ "$(call ListContainers '{"filter":{"id":"vm.local__"}}')" = "{}" ]
    [ "$(call ListContainers '{"filter":{"podSandboxId":"vm.local__"}}')" = "{}" ]
    run -5 call PodSandboxStatus '{"podSandboxId":"vm.local__"}'
    run -5 call ContainerStatus '{"containerId":"vm.local__"}'
    [ "$(asked vm.local PodSandboxStatus) $(asked vm.local ContainerStatus)" = "0 0" ]
}

@test "a pod's annotation sends it to the runtime that it names" {
    two_runtimes
    [[ $(run_pod "$(pod web "$(to vm.local)")") =~ ^vm.local__ ]]
    [[ $(run_pod "$(pod web "$(to main)")") =~ ^[0-9a-f]{64}$ ]]
    [ "$(asked main RunPodSandbox) $(asked vm.local RunPodSandbox)" = "1 1" ]
}

@test "the annotation's key can be changed" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    add_to_map 'routing: {annotation: example.com/runtime}'
    start_node
    [[ $(run_pod "$(pod web '.annotations["example.com/runtime"] = "vm.local"')") =~ ^vm.local__ ]]
    [[ $(run_pod "$(pod other "$(to vm.local)")") =~ ^[0-9a-f]{64}$ ]]
}

@test "an annotation that names no runtime is refused with the names of those that there are" {
    two_runtimes
    run -3 call RunPodSandbox "{\"config\":$(pod web "$(to kata)")}"
    [[ $output =~ "INVALID_ARGUMENT: crigate: annotation kubernetes.io/target-runtime names runtime \"kata\"" ]]
    [[ $output =~ "it has main, vm.local" ]]
    [ "$(asked main RunPodSandbox) $(asked vm.local RunPodSandbox)" = "0 0" ]
}

@test "a handler sends a pod to the runtime that lists it, an annotation goes before it" {
    start_runtime main v1 --handler runc-fast
    start_runtime vm.local v1 --handler kvm
    write_map main "vm.local, handlers: [kvm]"
    start_node
    [[ $(run_pod "$(pod web)" kvm) =~ ^vm.local__ ]]
    expect '.request.runtimeHandler == "kvm"' "$(arrived vm.local RunPodSandbox)"
    # The primary lists none, so it may serve any.
    [[ $(run_pod "$(pod fast)" runc-fast) =~ ^[0-9a-f]{64}$ ]]
    run -2 call RunPodSandbox "{\"config\":$(pod both "$(to main)"),\"runtimeHandler\":\"kvm\"}"
    [[ $output =~ "no runtime for \"kvm\" is configured" ]]
}

@test "a handler is renamed on the way, and back in answers" {
    start_runtime main v1
    start_runtime vm.local v1 --handler qemu-5
    write_map main 'vm.local, handlers: {vm: qemu-5, plain: ""}'
    start_node
    local id
    id=$(run_pod "$(pod web)" vm)
    expect '.request.runtimeHandler == "qemu-5"' "$(arrived vm.local RunPodSandbox)"
    expect '.status.runtimeHandler == "vm"' "$(call PodSandboxStatus "{\"podSandboxId\":\"$id\"}")"
    expect '.items[0].runtimeHandler == "vm"' "$(call ListPodSandbox)"
    [[ $(run_pod "$(pod plain)" plain) =~ ^vm.local__ ]]
    expect '.request | has("runtimeHandler") | not' "$(arrived vm.local RunPodSandbox)"
}

@test "a handler that nobody lists is refused when the primary says which it has" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map "main, handlers: [runc]" "vm.local, handlers: [kvm]"
    start_node
    run -3 call RunPodSandbox "{\"config\":$(pod web),\"runtimeHandler\":\"gvisor\"}"
    [[ $output =~ "INVALID_ARGUMENT: crigate: runtime handler \"gvisor\" is not served by any runtime" ]]
}

@test "a 1.9 runtime gets a handler's pods only when the map lists the handler for it" {
    start_runtime main v1_9
    start_runtime old v1_9
    write_map main "old, handlers: [legacy]"
    start_node
    [[ $(run_pod "$(pod web)" legacy) =~ ^old__ ]]
    run -3 call RunPodSandbox "{\"config\":$(pod web),\"runtimeHandler\":\"other\"}"
    [[ $output =~ runtime_handler ]]
    [ "$(asked main RunPodSandbox)" = 0 ]
}

# ---- ids ----

# How often a runtime was asked for a list with a filter; the gateway asks for whole ones by itself.
filtered() {
    journal "$1" "$2" | jq -c 'select(.request.filter)' | wc -l
}

@test "a filter by id asks only the owner" {
    two_runtimes
    local mine theirs
    mine=$(run_pod "$(pod mine)")
    theirs=$(run_pod "$(pod theirs "$(to vm.local)")")
    expect ".items | length == 1 and .[0].id == \"$theirs\"" "$(call ListPodSandbox "{\"filter\":{\"id\":\"$theirs\"}}")"
    expect ".items | length == 1 and .[0].id == \"$mine\"" "$(call ListPodSandbox "{\"filter\":{\"id\":\"$mine\"}}")"
    call ListContainers "{\"filter\":{\"podSandboxId\":\"$theirs\"}}"
    call ListContainerStats "{\"filter\":{\"podSandboxId\":\"$theirs\"}}"
    call ListPodSandboxStats "{\"filter\":{\"id\":\"$theirs\"}}"
    [ "$(filtered main ListPodSandbox) $(filtered vm.local ListPodSandbox)" = "1 1" ]
    [ "$(filtered main ListContainers) $(filtered vm.local ListContainers)" = "0 1" ]
    [ "$(filtered main ListContainerStats) $(filtered vm.local ListContainerStats)" = "0 1" ]
    [ "$(filtered main ListPodSandboxStats) $(filtered vm.local ListPodSandboxStats)" = "0 1" ]
    expect ".request.filter.podSandboxId == \"${theirs#vm.local__}\"" "$(journal vm.local ListContainers | jq -c 'select(.request.filter)')"
}

@test "a filter by a container and a pod of different runtimes finds nothing and asks nobody" {
    two_runtimes
    [ "$(call ListContainers '{"filter":{"id":"abc","podSandboxId":"vm.local__def"}}')" = "{}" ]
    [ "$(filtered main ListContainers) $(filtered vm.local ListContainers)" = "0 0" ]
}

@test "ids with odd characters go to the primary as they are" {
    two_runtimes
    local id
    for id in 'vm.local_x' 'vm.localx__y' '__' 'other__x' 'ÜÄ€\n\t\\x' '../../etc/passwd' 'main__abc' '%n%s' 'a b'; do
        run -5 call PodSandboxStatus "$(jq -nc --arg id "$id" '{podSandboxId: $id}')"
        expect ".request.podSandboxId == $(jq -nc --arg id "$id" '$id')" "$(arrived main PodSandboxStatus)"
    done
    [ "$(asked vm.local PodSandboxStatus)" = 0 ]
    # The first prefix counts, and only once.
    run -5 call PodSandboxStatus '{"podSandboxId":"vm.local__vm.local__x"}'
    expect '.request.podSandboxId == "vm.local__x"' "$(arrived vm.local PodSandboxStatus)"
}

# ---- images ----

@test "an image goes by its prefix, and comes back with it" {
    two_runtimes
    pull vm.local/registry.example/app:1
    pull registry.example/app:2
    expect '.request.image.image == "registry.example/app:1"' "$(arrived vm.local PullImage)"
    expect '.request.image.image == "registry.example/app:2"' "$(arrived main PullImage)"
    expect '[.images[].repoTags[]] | sort == ["registry.example/app:2", "vm.local/registry.example/app:1"]' "$(call ListImages)"
    call RemoveImage '{"image":{"image":"vm.local/registry.example/app:1"}}'
    expect '[.images[].repoTags[]] == ["registry.example/app:2"]' "$(call ListImages)"
    expect '.request.image.image == "registry.example/app:1"' "$(arrived vm.local RemoveImage)"
    [ "$(asked main RemoveImage)" = 0 ]
}

@test "a prefix that is no registry's name is known behind docker.io/, where kubelets put it" {
    start_runtime main v1
    start_runtime kata v1
    write_map main kata
    start_node
    pull docker.io/kata/busybox:latest
    expect '.request.image.image == "busybox:latest"' "$(arrived kata PullImage)"
    pull kata/busybox:latest
    [ "$(asked main PullImage) $(asked kata PullImage)" = "0 2" ]
}

@test "the image prefix can differ from the name" {
    two_runtimes ", image_prefix: registry.vm/images"
    pull registry.vm/images/app:1
    pull vm.local/app:1
    expect '.request.image.image == "app:1"' "$(arrived vm.local PullImage)"
    expect '.request.image.image == "vm.local/app:1"' "$(arrived main PullImage)"
    expect '[.images[].repoTags[]] | any(startswith("registry.vm/images/"))' "$(call ListImages)"
}

@test "an image goes by its spec's annotations first" {
    two_runtimes
    call PullImage '{"image":{"image":"app:1","annotations":{"kubernetes.io/target-runtime":"vm.local"}}}'
    expect '.request.image.image == "app:1"' "$(arrived vm.local PullImage)"
    call ImageStatus '{"image":{"image":"app:1","annotations":{"kubernetes.io/target-runtime":"vm.local"}}}'
    [ "$(asked main PullImage) $(asked main ImageStatus)" = "0 0" ]
    run -3 call PullImage '{"image":{"image":"app:1","annotations":{"kubernetes.io/target-runtime":"nobody"}}}'
    [[ $output =~ "names runtime \"nobody\"" ]]
}

@test "an image goes by its spec's handler next" {
    two_runtimes ", handlers: {vm: qemu}"
    call PullImage "{\"image\":{\"image\":\"app:1\",\"runtimeHandler\":\"vm\"},\"sandboxConfig\":$(pod web "$(to main)")}"
    expect '.request.image | .image == "app:1" and .runtimeHandler == "qemu"' "$(arrived vm.local PullImage)"
    [ "$(asked main PullImage)" = 0 ]
}

@test "an image goes by the pod that it is pulled for next" {
    two_runtimes
    pull app:1 "$(pod web "$(to vm.local)")"
    expect '.request.image.image == "app:1"' "$(arrived vm.local PullImage)"
    [ "$(asked main PullImage)" = 0 ]
}

@test "a digest names content: whoever has it answers" {
    two_runtimes
    local digest nowhere=sha256:0000000000000000000000000000000000000000000000000000000000000000
    digest=$(pull vm.local/registry.example/app:1)
    [[ $digest =~ ^sha256: ]]
    expect ".image.id == \"$digest\" and .image.repoTags == [\"vm.local/registry.example/app:1\"]" \
        "$(call ImageStatus "{\"image\":{\"image\":\"$digest\"}}")"
    expect ".image.id == \"$digest\"" "$(call ImageStatus "{\"image\":{\"image\":\"${digest#sha256:}\"}}")"
    [ "$(call ImageStatus "{\"image\":{\"image\":\"$nowhere\"}}")" = "{}" ]
    call RemoveImage "{\"image\":{\"image\":\"$digest\"}}"
    [ "$(call ListImages)" = "{}" ]
}

@test "a digest that nobody has is unknown, not absent, while a runtime is away" {
    two_runtimes
    crash vm.local
    run -14 call ImageStatus '{"image":{"image":"sha256:0000000000000000000000000000000000000000000000000000000000000000"}}'
}

@test "a container of an image that another runtime has is refused" {
    two_runtimes
    local config id
    pull vm.local/app:1
    config=$(pod web)
    id=$(run_pod "$config")
    run -9 create_container "$id" "$config" vm.local/app:1
    [[ $output =~ "FAILED_PRECONDITION: crigate: ".*vm.local/app:1.*vm.local ]]
    [ "$(asked main CreateContainer) $(asked vm.local CreateContainer)" = "0 0" ]
}

@test "a container in another runtime's pod can name its image with prefix, without, and by digest" {
    two_runtimes
    local config id digest name
    config=$(pod web "$(to vm.local)")
    digest=$(pull app:1 "$config")
    id=$(run_pod "$config")
    for name in vm.local/app:1 app:1 "$digest"; do
        create_container "$id" "$config" "$name" ".metadata.name = \"c\" + (\"$name\" | @base64)"
        expect ".request.config.image.image == \"${name#vm.local/}\"" "$(arrived vm.local CreateContainer)"
    done
}
