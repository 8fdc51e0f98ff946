#!/usr/bin/env bats
# A runtime's image service is a peer of its own: it has its own dialect, and its own health.

load gateway

# start_images DIALECT [OPTION...]: an image service with nothing else.
start_images() {
    local api=$1
    shift
    rm -f images.log
    start images "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/unused.sock" --image-listen "unix://$PWD/images.sock" --api "$api" \
        --journal images.journal "$@"
    eventually 15 grep -q "listening on" images.log
}

# map_with_images [KEY...]: one runtime with such a service.
map_with_images() {
    local keys=""
    [ $# -eq 0 ] || keys=$(printf ', %s' "$@")
    write_map "main, image_endpoint: \"unix://$PWD/images.sock\"$keys"
}

# start_both: a node of the two, both ready.
start_both() {
    start_runtime main v1
    start_images v1
    map_with_images
    start_node
    eventually 15 runtime_ready main/images
}

state_of() {
    "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -r ".runtimes[0]$1.state"
}

@test "an image service of each age serves callers of each age, beside a runtime of each age" {
    local runtime images caller image
    for runtime in v1 v1alpha2 v1_12 v1_9; do
        for images in v1 v1alpha2 v1_12 v1_9; do
            rm -f ./*.journal
            start_runtime main "$runtime"
            start_images "$images"
            map_with_images "api: $runtime" "image_api: $images"
            rm -f crigate.log
            start_node
            eventually 15 runtime_ready main/images
            for caller in v1 v1alpha2 v1_9; do
                image=registry.example/$caller
                call --api "$caller" PullImage "{\"image\": {\"image\": \"$image\"}}"
                expect ".image.repoTags == [\"$image:latest\"]" "$(call --api "$caller" ImageStatus "{\"image\": {\"image\": \"$image\"}}")"
                expect '.images | length >= 1' "$(call --api "$caller" ListImages)"
            done
            run_pod "$(pod "pod-$images")"
            [ "$(asked main PullImage) $(asked images PullImage)" = "0 3" ]
            stop crigate
            crash main
            crash images
        done
    done
}

@test "the package of an image service is found, whatever the runtime speaks" {
    start_runtime main v1
    start_images v1alpha2
    map_with_images
    start_node
    eventually 15 grep -q "runtime main/images: ready, speaks v1alpha2$" crigate.log
    pull busybox
    expect '.images | length == 1' "$(call ListImages)"
    expect '.method == "/runtime.v1alpha2.ImageService/PullImage"' "$(arrived images PullImage)"
    [ "$(state_of "") $(state_of .images)" = "ready ready" ]
}

@test "an image service whose Version hangs, or whose ImageFsInfo fails, is ready all the same" {
    start_runtime main v1
    start_runtime proxy v1alpha2 --hang Version --fail ImageFsInfo=UNAVAILABLE
    write_map "main, image_endpoint: \"unix://$PWD/proxy.sock\""
    start_node
    eventually 15 grep -q "runtime main/images: ready, speaks v1alpha2$" crigate.log
    pull busybox
}

@test "one socket for both services can still be said to speak another package for images" {
    start_runtime main v1,v1alpha2
    write_map "main, image_api: v1alpha2"
    start_node
    eventually 15 runtime_ready main/images
    pull busybox
    expect '.method == "/runtime.v1alpha2.ImageService/PullImage"' "$(arrived main PullImage)"
    run_pod "$(pod one)"
    expect '.method == "/runtime.v1.RuntimeService/RunPodSandbox"' "$(arrived main RunPodSandbox)"
}

@test "while its image service is away, a runtime is degraded, and pods run" {
    start_both
    crash images
    eventually 15 eval '[ "$(state_of "") $(state_of .images)" = "degraded away" ]'
    run_pod "$(pod one)"
    run -14 call ListImages
    [[ $output == *"UNAVAILABLE: crigate: runtime main/images has been unavailable for "*" s: "* ]]
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"main/images "*"images "*"away "* ]]
    start_images v1
    eventually 20 runtime_ready main/images 2
    pull busybox
    [ "$(state_of "")" = ready ]
}

@test "pods of images that are there start while the image service is away" {
    local config pod
    start_both
    # Both have the image, as where an image service stores it in its runtime.
    pull busybox
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/main.sock" --api v1 PullImage '{"image": {"image": "busybox"}}'
    crash images
    eventually 15 eval '[ "$(state_of "")" = degraded ]'
    config=$(pod one)
    expect '.image.repoTags | length == 1' "$(call ImageStatus '{"image": {"image": "busybox"}}')"
    pod=$(run_pod "$config")
    create_container "$pod" "$config" busybox
    # Of one that the runtime does not know, it is not known whether the image service has it.
    run -14 call ImageStatus '{"image": {"image": "registry.example/other"}}'
    [[ $output == *"UNAVAILABLE: crigate: runtime main/images has been unavailable for "* ]]
    run -14 call PullImage '{"image": {"image": "registry.example/other"}}'
}

@test "a runtime that serves no images cannot stand in for its image service" {
    start_runtime main v1 --fail ImageStatus=UNIMPLEMENTED
    start_images v1
    map_with_images
    start_node
    eventually 15 runtime_ready main/images
    crash images
    eventually 15 eval '[ "$(state_of "")" = degraded ]'
    run -14 call ImageStatus '{"image": {"image": "busybox"}}'
    [[ $output == *"UNAVAILABLE: crigate: runtime main/images has been unavailable for "* ]]
}

@test "an image service that comes back with another package is probed again" {
    start_both
    crash images
    start_images v1_9
    eventually 20 grep -q "runtime main/images: ready, speaks v1_9$" crigate.log
    pull busybox
    [ "$(grep -c "runtime main: ready" crigate.log)" = 1 ]
}

@test "an image service that speaks no CRI is unsuitable, and only images suffer" {
    start_runtime main v1
    start_images v1 --fail ListImages=UNIMPLEMENTED
    GRACE=1s map_with_images
    start_node
    eventually 15 grep -q "runtime main/images: speaks no CRI version that crigate knows at unix://$PWD/images.sock: " crigate.log
    run_pod "$(pod one)"
    run -14 call ListImages
    [ "$(state_of "") $(state_of .images)" = "degraded unsuitable" ]
}

@test "an image service that hangs is named, and the runtime's own calls go on" {
    start_runtime main v1
    start_runtime vm.local v1
    start_images v1
    write_map main "vm.local, budget: 500ms, image_endpoint: \"unix://$PWD/images.sock\""
    start_node
    eventually 15 runtime_ready vm.local/images
    kill -STOP "${PIDS[images]}"
    call ListImages
    eventually 15 grep -q "runtime vm.local/images: has not answered for .* unanswered: ListImages" crigate.log
    run_pod "$(pod one "$(to vm.local)")"
    run -1 grep "runtime vm.local: has not answered" crigate.log
    kill -CONT "${PIDS[images]}"
    eventually 20 runtime_ready vm.local/images 2
    pull vm.local/busybox
}

@test "a proxy in front of the runtime, which passes Version on, tells its release" {
    start_runtime main v1
    start_runtime proxy v1alpha2 --name stargz --runtime-version 0.18.0
    write_map "main, image_endpoint: \"unix://$PWD/proxy.sock\""
    start_node
    eventually 15 grep -q "runtime main/images: ready, stargz 0.18.0, speaks v1alpha2$" crigate.log
}

@test "a reload keeps an image service that is the same, and replaces one with another dialect" {
    start_runtime main v1
    start_images v1,v1alpha2
    map_with_images
    start_node
    eventually 15 runtime_ready main/images
    map_with_images "budget: 7s"
    kill -HUP "${PIDS[crigate]}"
    eventually 15 grep -q "reloaded" crigate.log
    [ "$(grep -c "runtime main/images: ready" crigate.log)" = 1 ]
    map_with_images "image_api: v1alpha2"
    kill -HUP "${PIDS[crigate]}"
    eventually 15 grep -q "runtime main/images: ready, speaks v1alpha2$" crigate.log
    pull busybox
    expect '.method == "/runtime.v1alpha2.ImageService/PullImage"' "$(arrived images PullImage)"
}
