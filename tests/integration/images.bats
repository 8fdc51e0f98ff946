#!/usr/bin/env bats
# Images of pods on another runtime than the primary: without a prefix, and with the same words that a kubelet uses.

load gateway

# node [MORE_KEYS]: a primary, and a runtime for virtual machines.
node() {
    start_runtime main v1
    start_runtime vm.local v1 --handler kvm
    write_map main "vm.local, handlers: [kvm]${1:-}"
    start_node
}

# status IMAGE: what ImageStatus answers.
status() {
    call ImageStatus "{\"image\":{\"image\":\"$1\"}}"
}

# ---- pulls ----

@test "an image is pulled where its pod is, known by the pod's uid alone" {
    node
    run_pod "$(pod web)" kvm
    # The annotation, or handler, that sent the pod there is not in what the pull says.
    pull registry.example/app:1 "$(pod web)"
    expect '.request.image.image == "registry.example/app:1"' "$(arrived vm.local PullImage)"
    run_pod "$(pod db "$(to vm.local)")"
    pull registry.example/db:1 "$(pod db)"
    expect '.request.image.image == "registry.example/db:1"' "$(arrived vm.local PullImage)"
    pull registry.example/app:2 "$(pod other)"
    [ "$(asked main PullImage) $(asked vm.local PullImage)" = "1 2" ]
    # Pods of the primary, and a uid that came back on another runtime.
    run_pod "$(pod here)"
    pull registry.example/app:3 "$(pod here)"
    [ "$(asked main PullImage)" = 2 ]
    run_pod "$(pod db '.metadata.attempt = 1')"
    pull registry.example/db:2 "$(pod db)"
    [ "$(asked main PullImage)" = 3 ]
}

@test "callers of any time pull where their pod is" {
    node
    local api
    for api in v1 v1alpha2 v1_9; do
        API=$api run_pod "$(pod "web-$api" "$(to vm.local)")"
        API=$api pull "app:$api" "$(pod "web-$api")"
    done
    [ "$(asked main PullImage) $(asked vm.local PullImage)" = "0 3" ]
}

@test "credentials reach the runtime that pulls, and nobody and nothing else" {
    node
    run_pod "$(pod web)" kvm
    call PullImage "{\"image\":{\"image\":\"app:1\"},\"auth\":{\"username\":\"bob\",\"password\":\"hunter2secret\"},\"sandboxConfig\":$(pod web)}"
    expect '.request.auth.password == "hunter2secret"' "$(arrived vm.local PullImage)"
    stop crigate # which saves its state
    run -1 grep -r "hunter2secret" main.journal crigate.log state
}

@test "a digest is pulled by one runtime, and the others see no password" {
    local digest method
    digest=sha256:$(printf 'ab%.0s' {1..32})
    node ", default: true"
    for method in PullImage ImageStatus RemoveImage; do
        call "$method" "{\"image\":{\"image\":\"$digest\"}$([ $method = PullImage ] && echo ',"auth":{"password":"hunter2secret"}')}" || true
    done
    [ "$(asked main PullImage) $(asked vm.local PullImage)" = "0 1" ]
    [ "$(asked main RemoveImage) $(asked vm.local RemoveImage)" = "1 1" ]
    grep -q hunter2secret vm.local.journal
    run -1 grep -r "hunter2secret" main.journal crigate.log state
}

# ---- an image that the primary has, and the pod's runtime has not ----

# missing_on_vm IMAGE [NAME]: the primary has the image, a pod on vm.local asks for it (under NAME) in vain. Sets CONFIG and POD.
missing_on_vm() {
    CONFIG=$(pod web)
    pull "$1" >/dev/null
    POD=$(run_pod "$CONFIG" kvm)
    expect '.image.id | startswith("sha256:")' "$(status "$1")"
    run -5 create_container "$POD" "$CONFIG" "${2:-$1}"
    [ "$(asked main CreateContainer)" = 0 ]
}

@test "after a container failed for want of its image, the image is absent once, so that it is pulled there" {
    node
    missing_on_vm registry.example/app:1
    local asked
    asked=$(asked main ImageStatus)
    [ "$(status registry.example/app:1)" = "{}" ]
    [ "$(asked main ImageStatus)" = "$asked" ]
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
    pull registry.example/app:1 "$CONFIG"
    expect '.request.image.image == "registry.example/app:1"' "$(arrived vm.local PullImage)"
    create_container "$POD" "$CONFIG" registry.example/app:1
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
}

@test "kubelets name the image of a container by the id that they were told" {
    node
    local id
    CONFIG=$(pod web)
    pull registry.example/app:1 >/dev/null
    POD=$(run_pod "$CONFIG" kvm)
    id=$(field .image.id "$(status registry.example/app:1)")
    run -5 create_container "$POD" "$CONFIG" "$id"
    [ "$(status registry.example/app:1)" = "{}" ]
    expect ".image.id == \"$id\"" "$(status registry.example/app:1)"
    pull registry.example/app:1 "$CONFIG"
    create_container "$POD" "$CONFIG" "$id"
    expect ".image.id == \"$id\"" "$(status registry.example/app:1)"
}

@test "what is missed twice before it is asked for is absent once" {
    node
    missing_on_vm registry.example/app:1
    run -5 create_container "$POD" "$CONFIG" registry.example/app:1
    [ "$(status registry.example/app:1)" = "{}" ]
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
    # Missed again, absent again.
    run -5 create_container "$POD" "$CONFIG" registry.example/app:1
    [ "$(status registry.example/app:1)" = "{}" ]
}

@test "others are not told absent: another image, another way to say where, another failure" {
    node
    pull registry.example/other:1
    missing_on_vm registry.example/app:1
    expect '.image.id | startswith("sha256:")' "$(status registry.example/other:1)"
    pull vm.local/registry.example/app:1
    # Asked for where it is, it is there, and that takes nothing away.
    expect '.image.id | startswith("sha256:")' "$(status vm.local/registry.example/app:1)"
    [ "$(status registry.example/app:1)" = "{}" ]
    # A container that fails for another reason misses no image.
    call StopPodSandbox "{\"podSandboxId\":\"$POD\"}"
    run create_container "$POD" "$CONFIG" registry.example/app:1
    [ "$status" != 0 ]
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
    # Nor does one on the primary, whose word counts.
    local config id
    config=$(pod here)
    id=$(run_pod "$config")
    run -5 create_container "$id" "$config" registry.example/never-pulled:1
    [ "$(status registry.example/never-pulled:1)" = "{}" ]
    pull registry.example/never-pulled:1 >/dev/null
    expect '.image.id | startswith("sha256:")' "$(status registry.example/never-pulled:1)"
}

@test "an image that a kubelet of 1.9 misses on a runtime of 1.9's time" {
    API=v1_9
    start_runtime main v1
    start_runtime old.local v1_9
    write_map main old.local
    start_node
    local config id
    config=$(pod web "$(to old.local)")
    pull registry.example/app:1
    expect '.image.id | startswith("sha256:")' "$(status registry.example/app:1)"
    id=$(run_pod "$config")
    run -5 create_container "$id" "$config" registry.example/app:1
    [ "$(status registry.example/app:1)" = "{}" ]
    pull registry.example/app:1 "$config"
    expect '.request.image.image == "registry.example/app:1"' "$(arrived old.local PullImage)"
    create_container "$id" "$config" registry.example/app:1
}

@test "with plain ids images have no prefix, and go where their pod is" {
    start_runtime main v1
    start_runtime vm.local v1 --handler kvm
    write_map main "vm.local, handlers: [kvm], ids: plain"
    start_node
    missing_on_vm registry.example/app:1
    [ "$(status registry.example/app:1)" = "{}" ]
    pull registry.example/app:1 "$CONFIG"
    create_container "$POD" "$CONFIG" registry.example/app:1
    expect '.images | all(.repoTags == ["registry.example/app:1"])' "$(call ListImages)"
}

@test "CRI-O, which knows ids as digits alone, gets the id that the primary told in that way" {
    start_runtime main v1
    start_runtime other.local v1 --name cri-o
    write_map main other.local
    start_node
    local id config
    pull registry.example/app:1
    id=$(field .image.id "$(status registry.example/app:1)")
    [[ $id == sha256:* ]]
    config=$(pod web "$(to other.local)")
    run create_container "$(run_pod "$config")" "$config" "$id"
    expect ".request.config.image.image == \"${id#sha256:}\"" "$(arrived other.local CreateContainer)"
    config=$(pod here)
    create_container "$(run_pod "$config")" "$config" "$id"
    expect ".request.config.image.image == \"$id\"" "$(arrived main CreateContainer)"
}

# ---- a runtime that wants to hear how the user named an image ----

# strict_node: a runtime that makes containers only of images that the user named, beside another.
strict_node() {
    start_runtime main v1 --signature-policy
    start_runtime vm.local v1 --signature-policy
    write_map main vm.local
    start_node
    POD=$(run_pod "$(pod web)")
    VM_POD=$(run_pod "$(pod db "$(to vm.local)")")
}

# named RUNTIME NAME: by which name the last container of the runtime was asked for.
named() {
    expect ".code == \"OK\" and .request.config.image.userSpecifiedImage == \"$2\"" "$(arrived "$1" CreateContainer)"
}

@test "callers that cannot say how the user named an image are spoken for" {
    strict_node
    local api id n=0
    for api in v1alpha2 v1_9; do
        API=$api
        # By the id that a pull, or a question, told.
        id=$(pull "app:$api" "$(pod web)")
        create_container "$POD" "$(pod web)" "$id" ".metadata.attempt = $((++n))"
        named main "app:$api"
        ask main v1 PullImage "{\"image\":{\"image\":\"registry.example/there:$api\"}}"
        id=$(field .image.id "$(status "registry.example/there:$api")")
        create_container "$POD" "$(pod web)" "$id" ".metadata.attempt = $((++n))"
        named main "registry.example/there:$api"
        # By a repository digest, as kubelets of 1.9 do, and by a name.
        id=$(field '.image.repoDigests[0]' "$(status "app:$api")")
        create_container "$POD" "$(pod web)" "$id" ".metadata.attempt = $((++n))"
        named main "app:$api"
        create_container "$POD" "$(pod web)" "docker.io/library/app:$api" ".metadata.attempt = $((++n))"
        named main "docker.io/library/app:$api"
        # Another runtime hears its own name for it.
        id=$(pull "vm.local/shop:$api")
        create_container "$VM_POD" "$(pod db)" "$id" ".metadata.attempt = $((++n))"
        named vm.local "shop:$api"
    done
}

@test "callers of v1 that say nothing of how the user named an image, as kubelets before 1.28, are spoken for to CRI-O" {
    start_runtime main v1 --signature-policy --name cri-o
    write_map main
    start_node
    local id
    POD=$(run_pod "$(pod web)")
    id=$(pull registry.example/app:1 "$(pod web)")
    create_container "$POD" "$(pod web)" "$id"
    named main registry.example/app:1
    ask main v1 PullImage '{"image":{"image":"registry.example/there:1"}}'
    id=$(field .image.id "$(status registry.example/there:1)")
    create_container "$POD" "$(pod web)" "$id" '.metadata.attempt = 1'
    named main registry.example/there:1
    create_container "$POD" "$(pod web)" registry.example/app:1 '.metadata.attempt = 2'
    named main registry.example/app:1
    # What the caller says itself stays.
    create_container "$POD" "$(pod web)" "$id" '.metadata.attempt = 3 | .image.userSpecifiedImage = "registry.example/there:1"'
    named main registry.example/there:1
    run create_container "$POD" "$(pod web)" "$id" '.metadata.attempt = 4 | .image.userSpecifiedImage = "registry.example/app:1"'
    expect '.request.config.image.userSpecifiedImage == "registry.example/app:1"' "$(arrived main CreateContainer)"
}

@test "how the user named an image is not made up" {
    strict_node
    local id
    id=$(pull app:1 "$(pod web)")
    # A caller of v1 could have said it, as far as is known of this runtime; and another than the one that asked by the name speaks for itself.
    run -2 create_container "$POD" "$(pod web)" "$id"
    [[ $output == *"user specified image not specified"* ]]
    API=v1alpha2
    run -2 create_container "$POD" "$(pod web)" "$id"
    [[ $output == *"user specified image not specified"* ]]
    expect '.image.id' "$(status "$id")"
    run -2 create_container "$POD" "$(pod web)" "$id"
    status app:1
    create_container "$POD" "$(pod web)" "$id"
    named main app:1
}
