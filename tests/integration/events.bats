#!/usr/bin/env bats
# GetContainerEvents: the events of all runtimes as one stream, each step of each life once, whatever happens to the runtimes.

load gateway

BUSYBOX=docker.io/library/busybox:latest

# listen NAME: a caller that takes events for as long as the test lasts; NAME.log gets them, one a line.
listen() {
    start "$1" "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api v1 --compact GetContainerEvents
}

# told NAME ID: the steps in the life of a pod or container that the listener heard of, in their order.
told() {
    grep '^{' "$1.log" | jq -r --arg id "$2" 'select(.containerId == $id) | .containerEventType // "CONTAINER_CREATED_EVENT" |
        ltrimstr("CONTAINER_") | rtrimstr("_EVENT")' | tr '\n' ' '
}

# tells NAME ID STEP...: whether these, and no others, were heard of.
tells() {
    local name=$1 id=$2
    shift 2
    [ "$(told "$name" "$id")" = "${*:+$* }" ]
}

# heard NAME ID STEP...: waits for that.
heard() {
    eventually 10 tells "$@" || {
        echo "of $2, $1 heard: $(told "$1" "$2")"
        return 1
    }
}

# event NAME ID STEP: one event that the listener heard.
event() {
    grep '^{' "$1.log" | jq -c --arg id "$2" --arg type "CONTAINER_$3_EVENT" \
        'select(.containerId == $id and (.containerEventType // "CONTAINER_CREATED_EVENT") == $type)'
}

# watched RUNTIME [COUNT]: whether that many lists of the runtime have been compared with what was told.
watched() {
    [ "$(asked "$1" ListContainers)" -ge "${2:-1}" ]
}

# end_listening NAME: the listener goes, as an operator's Ctrl-C has it.
end_listening() {
    crash "$1"
}

# live RUNTIME LISTENER...: a pod with a container from beginning to end; every listener hears every step once.
live() {
    local runtime=$1 config pod container name
    shift
    config=$(pod "web-$RANDOM" "$(to "$runtime")")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED; done
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    for name in "$@"; do heard "$name" "$container" CREATED; done
    call StartContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED; done
    call StopContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED STOPPED; done
    call RemoveContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED STOPPED DELETED; done
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED STOPPED; done
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED STOPPED DELETED; done
    POD=$pod
    CONTAINER=$container
}

# node MAIN VM: two runtimes of these dialects and the gateway before them, with a listener.
node() {
    start_runtime main "$1" --state main.state
    start_runtime vm v1_9 --state vm.state
    write_map main "vm, image_prefix: \"\"" 2>/dev/null
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched main 2
    eventually 10 watched vm 2
}

@test "every step of every life is told once, of a runtime that streams and of one that cannot" {
    node v1
    live main ear
    [[ $POD != vm__* ]]
    live vm ear
    [[ $POD == vm__* && $CONTAINER == vm__* ]]
    end_listening ear
}
