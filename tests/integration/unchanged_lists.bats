#!/usr/bin/env bats
# Lists that say the same again: what callers get of them is kept and told again, and must be what it would be if it were made anew.

load gateway

# same_list FILE RUNTIME PREFIX [IMAGE_PREFIX]: whether a list of containers has just what the runtime says, with prefixes.
same_list() {
    jq --arg prefix "$3__" '[.containers[]? | select(.id | startswith($prefix))] | sort_by(.id)' "$1" >told
    ask "$2" v1 ListContainers | jq --arg prefix "$3__" --arg image "${4:-$3}/" \
        '[.containers[]? | .id |= $prefix + . | .podSandboxId |= $prefix + . | .image.image |= $image + .] | sort_by(.id)' | cmp - told
}

# list: the containers that the gateway tells, in the file `list`.
list() {
    call "$@" ListContainers >list
}

@test "a list in another order is the same list, until something changes" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 40 --shuffle ListContainers --shuffle ListPodSandbox
    write_map main vm.local
    start_node
    local i pod config id
    for i in $(seq 10); do
        list
        same_list list vm.local vm.local
        expect '.containers | length == 43' "$(cat list)"
        call ListPodSandbox >pods
        [ "$(jq '[.items[].id] | unique | length' pods)" = "$(($(ask main v1 ListPodSandbox | jq '.items | length') + \
            $(ask vm.local v1 ListPodSandbox | jq '.items | length')))" ]
    done
    config=$(pod web "$(to vm.local)")
    pod=$(run_pod "$config")
    pull vm.local/busybox >/dev/null
    for i in 1 2 3; do
        expect "[.items[].id] | index(\"$pod\")" "$(call ListPodSandbox)"
    done
    id=$(create_container "$pod" "$config" vm.local/busybox)
    for i in 1 2 3 4 5; do
        list
        same_list list vm.local vm.local
        expect ".containers | map(select(.id == \"$id\")) | length == 1 and .[0].state == null" "$(cat list)"
    done
    call StartContainer "{\"containerId\": \"$id\"}"
    for i in 1 2 3 4 5; do
        list
        same_list list vm.local vm.local
        expect ".containers | map(select(.id == \"$id\")) | .[0].state == \"CONTAINER_RUNNING\"" "$(cat list)"
        # What a status says that the list says too changes nothing.
        expect '.status.state == "CONTAINER_RUNNING"' "$(call ContainerStatus "{\"containerId\": \"$id\"}")"
    done
    # Behind the gateway's back as well.
    ask vm.local v1 StopContainer "{\"containerId\": \"${id#vm.local__}\"}"
    list
    same_list list vm.local vm.local
    ask vm.local v1 RemoveContainer "{\"containerId\": \"${id#vm.local__}\"}"
    for i in 1 2 3; do
        list
        same_list list vm.local vm.local
        expect '.containers | length == 43' "$(cat list)"
    done
}

@test "of lists that change each time, the last one is known when the runtime goes away" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 40 --vary ListContainers
    write_map main vm.local
    start_node
    local i before=
    for i in $(seq 9); do
        list
        expect '.containers | length == 43' "$(cat list)"
        [ "$(jq .containers list)" != "$before" ]
        before=$(jq .containers list)
    done
    crash vm.local
    for i in 1 2 3; do
        list
        [ "$(jq .containers list)" = "$before" ]
    done
}

# start_handlers: a node with pods of a RuntimeClass handler, which v1_9 cannot tell.
start_handlers() {
    start_runtime main v1 --containers 1
    start_runtime vm.local v1 --containers 20 --shuffle ListPodSandbox --handler kata
    write_map main "vm.local, handlers: [kata]"
    start_node
    local i
    for i in 1 2 3; do
        run_pod "$(pod "web-$i")" kata >/dev/null
    done
}

@test "each caller gets the list in its own dialect" {
    start_handlers
    local api i
    for i in 1 2 3; do
        for api in v1 v1alpha2 v1_9 v1_9; do
            call --api "$api" ListPodSandbox | jq '[.items[] | select(.id | startswith("vm.local__"))] | sort_by(.id)' >told
            ask vm.local v1 ListPodSandbox | jq --arg api "$api" '[.items[] | .id |= "vm.local__" + . |
                if $api == "v1_9" then del(.runtimeHandler) else . end] | sort_by(.id)' | cmp - told
            # Nothing is left that only other dialects know.
            [ "$(call --api "$api" --raw ListPodSandbox | grep -c --text kata)" -gt 0 ] || [ "$api" = v1_9 ]
            [ "$(call --api "$api" --raw ListPodSandbox | grep -c --text kata)" = 0 ] || [ "$api" != v1_9 ]
        done
    done
}

@test "another map gives other names at once" {
    start_runtime main v1 --containers 1
    start_runtime vm.local v1 --containers 20
    write_map main vm.local
    start_node
    local i
    for i in 1 2 3; do
        list
        same_list list vm.local vm.local
    done
    write_map main "vm.local, image_prefix: registry.example"
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    for i in 1 2 3; do
        list
        same_list list vm.local vm.local registry.example
    done
}

@test "another runtime at the same place has another list" {
    start_runtime main v1 --containers 1
    start_runtime vm.local v1 --containers 20
    write_map main vm.local
    start_node
    local i
    for i in 1 2 3; do
        list
    done
    same_list list vm.local vm.local
    crash vm.local
    start_runtime vm.local v1 --containers 7
    eventually 20 runtime_ready vm.local 2
    for i in 1 2 3; do
        list
        same_list list vm.local vm.local
        expect '.containers | length == 8' "$(cat list)"
    done
    # While it is away, the last one stands for it.
    crash vm.local
    eventually 10 eval '[ "$(grep -c "runtime vm.local: connection to .* lost" crigate.log)" = 2 ]'
    expect '.containers | length == 8' "$(call ListContainers)"
}

@test "a list of nothing repeats as well" {
    start_runtime main v1 --containers 2
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    local i
    for i in 1 2 3 4; do
        expect '.containers | length == 2' "$(call ListContainers)"
    done
    run_pod "$(pod web "$(to vm.local)")" >/dev/null
    for i in 1 2 3; do
        expect '[.items[].id | select(startswith("vm.local__"))] | length == 1' "$(call ListPodSandbox)"
        expect '.containers | length == 2' "$(call ListContainers)"
    done
}

@test "a filter's answer says nothing of the list" {
    start_runtime main v1 --containers 1
    start_runtime vm.local v1 --containers 20 --shuffle ListContainers
    write_map main vm.local
    start_node
    local i id
    list
    id=$(jq -r '.containers[-1].id' list)
    for i in 1 2 3; do
        expect ".containers | length == 1 and .[0].id == \"$id\"" "$(call ListContainers "{\"filter\": {\"id\": \"$id\"}}")"
        list
        same_list list vm.local vm.local
        expect '.containers | length == 21' "$(cat list)"
    done
}

@test "what is left out of a list is counted each time" {
    start_handlers
    # losses: how often something was left out of what that runtime said.
    losses() {
        "$CRIGATE_BUILD/crigate" status --control state/control.sock -o json |
            jq '.runtimes[] | select(.name == "vm.local") | [.leftOut[]] | add // 0'
    }
    local i
    for i in $(seq 7); do
        call --api v1_9 ListPodSandbox >/dev/null
        [ "$(losses)" = $((i * 3)) ]
    done
}
