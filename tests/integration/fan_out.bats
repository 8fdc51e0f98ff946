#!/usr/bin/env bats
# Calls that more than one runtime answers, and what is said of the node as a whole.

load gateway

@test "lists of all runtimes are one list, the primary's part first" {
    start_runtime main v1 --containers 3 --images 2
    start_runtime vm.local v1_9 --containers 6 --images 1
    write_map main vm.local
    start_node
    local answer
    answer=$(call ListContainers)
    expect '.containers | length == 9 and ([.[:3][].id, .[:3][].podSandboxId | startswith("vm.local__")] | any | not)' "$answer"
    expect '[.containers[3:][] | .id, .podSandboxId | startswith("vm.local__")] | length == 12 and all' "$answer"
    expect '.items | length == 3' "$(call ListPodSandbox)"
    expect '.images | length == 3' "$(call ListImages)"
    expect '.stats | length == 9' "$(call ListContainerStats)"
    # A runtime that has no such RPC is asked for what the answer can be made of.
    expect '[.stats[].attributes.id | startswith("vm.local__")] == [false, true, true]' "$(call ListPodSandboxStats)"
}

@test "long lists of all runtimes are one, with nothing changed but names, for every caller" {
    start_runtime main v1 --containers 2000
    start_runtime vm.local v1 --containers 3000
    start_runtime old.local v1_9 --containers 1000
    write_map main "vm.local, budget: 60s" "old.local, budget: 60s"
    start_node
    local api from=0 runtime count
    for api in v1 v1alpha2 v1_9; do
        call --api "$api" ListContainers >whole
        expect '.containers | length == 6000' "$(cat whole)"
    done
    call ListContainers >whole
    for runtime in main:2000 vm.local:3000; do
        count=${runtime#*:} runtime=${runtime%:*}
        ask "$runtime" v1 ListContainers |
            jq --arg prefix "$([ "$runtime" = main ] || echo "${runtime}__")" --arg image "$([ "$runtime" = main ] || echo "$runtime/")" \
                '.containers[] | .id |= $prefix + . | .podSandboxId |= $prefix + . | .image.image |= $image + .' >direct
        jq ".containers[$from:$((from + count))][]" whole | cmp - direct
        from=$((from + count))
    done
    jq -r '.containers[5000:][].id' whole | cmp - <(ask old.local v1_9 ListContainers | jq -r '"old.local__" + .containers[].id')
    # Again, when they are known already.
    call ListContainers | cmp - whole
}

@test "lists stay whole while another runtime is dead, and the log says so once" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    expect '.containers | length == 6' "$(call ListContainers)"
    expect '.items | length == 2' "$(call ListPodSandbox)"
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    for _ in 1 2 3 4 5; do
        expect '.containers | length == 6' "$(call ListContainers)"
        expect '.items | length == 2' "$(call ListPodSandbox)"
    done
    [ "$(grep -c "runtime vm.local: unavailable; serving its last-known state" crigate.log)" = 1 ]
    # It comes back, goes again, and is told of again.
    start_runtime vm.local v1 --containers 3
    eventually 20 runtime_ready vm.local 2
    expect '.containers | length == 6' "$(call ListContainers)"
    crash vm.local
    eventually 10 eval '[ "$(grep -c "runtime vm.local: connection to .* lost" crigate.log)" = 2 ]'
    call ListContainers
    call ListContainers
    [ "$(grep -c "runtime vm.local: unavailable; serving its last-known state" crigate.log)" = 2 ]
}

@test "lists stay good while another runtime fails, and the log says so once" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --fail ListContainers=INTERNAL --fail ListPodSandbox=INTERNAL
    write_map main vm.local
    start_node
    for _ in 1 2 3; do
        expect '.containers | length == 3' "$(call ListContainers)"
    done
    [ "$(grep -c "runtime vm.local: left out of ListContainers, which fails there: INTERNAL: " crigate.log)" = 1 ]
}

@test "the log tells each way in which answers do without a runtime that is away, when it first happens" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    expect '.containers | length == 6' "$(call ListContainers)"
    call ListPodSandbox
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    for _ in 1 2 3; do
        call ImageFsInfo
        call ListImages
        call ListPodSandbox
        call ListContainers
    done
    [ "$(grep -c "runtime vm.local: unavailable; omitted where it has no last-known state (first affected call: ImageFsInfo): UNAVAILABLE: " crigate.log)" = 1 ]
    [ "$(grep -c "runtime vm.local: unavailable; serving its last-known state (first affected call: ListPodSandbox): UNAVAILABLE: " crigate.log)" = 1 ]
    [ "$(grep -cE "runtime vm.local: unavailable; (omitted|serving)" crigate.log)" = 2 ]
    crash main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    run -14 call ListPodSandbox
    run -14 call ListContainers
    [ "$(grep -c "runtime main: unavailable; calls to all runtimes fail (first affected call: ListPodSandbox): UNAVAILABLE: " crigate.log)" = 1 ]
    [ "$(grep -c "calls to all runtimes fail" crigate.log)" = 1 ]
}

@test "a primary that answers with an error is not called absent" {
    start_runtime main v1 --containers 3 --fail ListContainers=INTERNAL
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    for _ in 1 2 3; do
        run -13 call ListContainers
        expect '.items | length == 2' "$(call ListPodSandbox)"
    done
    [ "$(grep -c "runtime main: ListContainers fails there, and so for the whole node: INTERNAL: " crigate.log)" = 1 ]
    [ "$(grep -c "absence" crigate.log)" = 0 ]
    run -2 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"main: ListContainers fails there, and so for the whole node"* ]]
}

@test "a node is down, and not degraded, while its lists fail because of a runtime besides the primary" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main "vm.local, when_away: fail"
    start_node
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    run -14 call ListPodSandbox
    run -2 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"vm.local: ListPodSandbox fails there, and so for the whole node"* ]]
    write_map main "vm.local, when_away: omit"
    run -0 "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    call ListPodSandbox
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
}

@test "lists stay good while another runtime answers garbage" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --garbage ListContainers --garbage ListPodSandbox --garbage ImageFsInfo
    write_map main vm.local
    start_node
    expect '.containers | length == 3' "$(call ListContainers)"
    expect '.imageFilesystems | length == 1' "$(call ImageFsInfo)"
    grep -q "runtime vm.local: left out of ListContainers, which fails there: INTERNAL: " crigate.log
}

@test "a list waits for another runtime that hangs no longer than five seconds" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --hang ListContainers --hang ListPodSandbox
    write_map main vm.local
    start_node
    # Some seconds more for the call itself, which is slow under sanitizers.
    local began=$SECONDS most=7
    plain_build || most=14
    expect '.containers | length == 3' "$(call ListContainers)"
    ((SECONDS - began <= most))
    eventually 5 eval '[ -n "$(journal vm.local ListContainers | jq "select(.code == \"CANCELLED\")")" ]'
}

@test "a list of containers fails as long as a runtime tells of its pods but not of what is in them" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --fail ListContainers=INTERNAL:4
    write_map main vm.local
    start_node
    expect '.items | length == 2' "$(call ListPodSandbox)"
    run -13 call ListContainers
    eventually 10 eval 'expect ".containers | length == 6" "$(call ListContainers)"'
}

@test "a list fails at once while the primary is dead, as it would without a gateway" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    crash main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    local began=$SECONDS
    run -14 call ListContainers
    [[ $output =~ "UNAVAILABLE: crigate: runtime main has been unavailable" ]]
    run -14 call ListImages
    run -14 call ImageFsInfo
    run -14 call Version
    # Each would wait for five seconds at least.
    ((SECONDS - began <= 15))
    # What is the other's still works.
    local id
    id=$(ask vm.local v1 ListPodSandbox | jq -r '.items[0].id')
    expect '.containers | length == 3' "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"vm.local__$id\"}}")"
}

@test "a list fails as the primary's does" {
    start_runtime main v1 --fail ListPodSandbox=PERMISSION_DENIED
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    run -7 call ListPodSandbox
}

@test "ImageFsInfo tells of the primary's filesystem first, wherever the map has it" {
    start_runtime first v1 --image-fs-mountpoint /mnt/first
    start_runtime main v1 --image-fs-mountpoint /mnt/main
    start_runtime last v1 --image-fs-mountpoint /mnt/last
    write_map first main last
    sed -i -e 's/\(name: first.*primary: \)true/\1false/' -e 's/\(name: main.*primary: \)false/\1true/' crigate.yaml
    start_node
    expect '[.imageFilesystems[].fsId.mountpoint] == ["/mnt/main", "/mnt/first", "/mnt/last"]' "$(call ImageFsInfo)"
}

@test "UpdateRuntimeConfig reaches every runtime" {
    start_runtime main v1
    start_runtime vm.local v1_9
    write_map main vm.local
    start_node
    call UpdateRuntimeConfig '{"runtimeConfig":{"networkConfig":{"podCidr":"10.1.0.0/16"}}}'
    for name in main vm.local; do
        expect '.request.runtimeConfig.networkConfig.podCidr == "10.1.0.0/16"' "$(arrived $name UpdateRuntimeConfig)"
    done
}

@test "Status tells the primary's conditions, and of the others' state when verbose" {
    start_runtime main v1
    start_runtime vm.local v1_9 --name virtlet --runtime-version 1.0
    write_map main vm.local gone
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 runtime_ready vm.local
    expect '(.status.conditions | length > 0) and (.info // {} | keys | any(startswith("crigate.")) | not)' "$(call Status)"
    local api answer
    for api in v1 v1alpha2 v1_9; do
        API=$api
        answer=$(call Status '{"verbose":true}')
        expect '.status.conditions | length > 0' "$answer"
        expect '.info["crigate.runtime.vm.local"] | fromjson |
            .state == "ready" and .dialect == "v1_9" and .runtimeName == "virtlet"' "$answer"
        expect '.info["crigate.runtime.gone"] | fromjson | .state == "away" and (.reason | length > 0)' "$answer"
    done
}

@test "Version is the primary's, in words that each caller takes" {
    start_runtime main v1_9 --name dockershim --runtime-version 1.13.1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    local name='.version == "0.1.0" and .runtimeName == "dockershim" and .runtimeVersion == "1.13.1"'
    API=v1
    expect "$name and .runtimeApiVersion == \"v1\"" "$(call Version '{"version":"0.1.0"}')"
    API=v1alpha2
    expect "$name and .runtimeApiVersion == \"v1alpha2\"" "$(call Version)"
    API=v1_9
    expect "$name and (.runtimeApiVersion | length > 0)" "$(call Version)"
}

@test "a runtime called docker has Docker's API version, without which kubelets up to 1.12 do not start" {
    start_runtime main v1 --name docker --runtime-version 20.10.24
    write_map main
    start_node
    for API in v1 v1alpha2 v1_9; do
        expect '.runtimeName == "docker" and .runtimeApiVersion == "1.38.0"' "$(call Version)"
    done
}

@test "an RPC of the future reaches the primary untouched, and its answer the caller" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    run -12 call_raw /runtime.v1.RuntimeService/FutureThing '\x0a\x01x'
    [[ $output =~ "UNIMPLEMENTED: unknown method FutureThing for service runtime.v1.RuntimeService" ]]
    run -12 call_raw /runtime.v1.ImageService/FutureThing ''
    [[ $output =~ "unknown method FutureThing for service runtime.v1.ImageService" ]]
    [ "$(asked main FutureThing) $(asked vm.local FutureThing)" = "2 0" ]
}

@test "an RPC of the future in a package that the primary does not speak is unimplemented" {
    start_runtime main v1_9
    write_map main
    start_node
    run -12 call_raw /runtime.v1.RuntimeService/FutureThing ''
    [[ $output =~ "UNIMPLEMENTED: crigate: ".*FutureThing.*main ]]
    run -12 call_raw /runtime.RuntimeService/FutureThing ''
    [[ $output =~ "UNIMPLEMENTED: unknown method FutureThing for service runtime.RuntimeService" ]]
}

# exec_url CONTAINER: where a terminal in it can be had.
exec_url() {
    call Exec "{\"containerId\":\"$1\",\"cmd\":[\"sh\"],\"stdout\":true}" | jq -r .url
}

@test "a streaming URL that is a bare path is completed from the map, one without a scheme gets http:" {
    local id pod
    start_runtime main v1_9 --containers 3 --stream-url-style path
    start_runtime vm.local v1 --containers 3 --stream-url-style path
    start_runtime host.local v1 --containers 3 --stream-url-style host
    write_map "main, stream_url: \"http://127.0.0.1:11250/\"" "vm.local, stream_url: \"https://node:10250\"" \
        "host.local, stream_url: \"http://127.0.0.1:1\""
    start_node
    id=$(ask main v1_9 ListContainers | jq -r '.containers[0].id')
    pod=$(ask main v1_9 ListContainers | jq -r '.containers[0].podSandboxId')
    [[ $(exec_url "$id") == "http://127.0.0.1:11250/cri/exec/"* ]]
    expect '.url | startswith("http://127.0.0.1:11250/cri/attach/")' \
        "$(call Attach "{\"containerId\":\"$id\",\"stdout\":true}")"
    expect '.url | startswith("http://127.0.0.1:11250/cri/portforward/")' \
        "$(call PortForward "{\"podSandboxId\":\"$pod\",\"port\":[80]}")"
    id=$(ask vm.local v1 ListContainers | jq -r '.containers[0].id')
    [[ $(exec_url "vm.local__$id") == "https://node:10250/cri/exec/"* ]]
    [[ $(exec_url "host.local__$id") == "http://[::]:"*/cri/exec/* ]]
}

# What runs a command in a network of its own: without a default route, or with one through an interface that has the address 192.0.2.7.
NO_ROUTE=(unshare --map-root-user --net --)
ROUTE=("${NO_ROUTE[@]}" sh -c 'ip link set lo up && ip address add 192.0.2.7/24 dev lo && ip route add default via 192.0.2.1 dev lo &&
    exec "$@"' sh)

@test "bare paths of old runtimes lead to the address of the default route, those of others are told of, once" {
    local id
    needs "network namespaces" "${ROUTE[@]}" true
    start_runtime main v1_9 --containers 3 --stream-url-style path
    start_runtime vm.local v1 --containers 3 --stream-url-style path
    write_map main vm.local
    start crigate "${ROUTE[@]}" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 15 runtime_ready main
    eventually 15 runtime_ready vm.local
    run -0 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ ! $output =~ 11250 ]]

    id=$(ask main v1_9 ListContainers | jq -r '.containers[0].id')
    [[ $(exec_url "$id") == "http://192.0.2.7:11250/cri/exec/"* ]]
    [[ $(exec_url "$id") == "http://192.0.2.7:11250/cri/exec/"* ]]
    [ "$(grep -c "runtime main: answers Exec, Attach or PortForward with a bare path; callers are sent to http://192.0.2.7:11250" crigate.log)" = 1 ]
    id=$(ask vm.local v1 ListContainers | jq -r '.containers[0].id')
    [[ $(exec_url "vm.local__$id") == "/cri/exec/"* ]]
    [[ $(exec_url "vm.local__$id") == "/cri/exec/"* ]]
    [ "$(grep -c "runtime vm.local: .* bare path, which callers cannot reach; set its stream_url" crigate.log)" = 1 ]

    run -0 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output =~ "main: bare paths of Exec, Attach and PortForward lead to http://192.0.2.7:11250, the address of the default route" ]]
    expect '.runtimes[0] | .streamUrl == "http://192.0.2.7:11250" and .streamUrlFrom == "default route"' \
        "$("$CRIGATE_BUILD/crigate" status -o json --config crigate.yaml)"
}

@test "where there is no default route, bare paths pass, and it is told what to set" {
    local id
    needs "network namespaces" "${NO_ROUTE[@]}" true
    start_runtime main v1_9 --containers 3 --stream-url-style path
    write_map main
    start crigate "${NO_ROUTE[@]}" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 15 runtime_ready main
    id=$(ask main v1_9 ListContainers | jq -r '.containers[0].id')
    [[ $(exec_url "$id") == "/cri/exec/"* ]]
    grep -q "which callers cannot reach, and this node has no default route; set its stream_url" crigate.log
}
