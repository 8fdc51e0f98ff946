#!/usr/bin/env bats
# A caller's trace context, traceparent and tracestate (W3C Trace Context), as runtimes get it.

load gateway

PARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01

# state: with characters that only a careless proxy touches, and as long as the longest that all systems must pass on: 512 characters.
state() {
    local text='rojo=00f067aa0ba902b7,congo@t-1=~!#$%&()*+-./:;<>?@[]^_`{|} x,'
    while ((${#text} < 500)); do
        text+="k${#text}=v,"
    done
    text+='z='
    while ((${#text} < 512)); do
        text+=y
    done
    printf %s "$text"
}

# traced METHOD [JSON]: such a call.
traced() {
    call --metadata "traceparent=$PARENT" --metadata "tracestate=$(state)" "$@"
}

# came RUNTIME METHOD: fails unless the last such call came there with the trace context as it was.
came() {
    expect "$(jq -n --arg parent "$PARENT" --arg state "$(state)" -r \
        '".metadata | .traceparent == \($parent | tojson) and .tracestate == \($state | tojson)"')" "$(arrived "$1" "$2")"
}

# untraced RUNTIME METHOD: fails unless there were such calls, and none of them had a trace context.
untraced() {
    journal "$1" "$2" | jq -se 'length > 0 and all(.[]; .metadata | has("traceparent") or has("tracestate") | not)'
}

node() {
    start_runtime main v1 --containers 2
    start_runtime vm.local v1alpha2 --containers 2
    write_map main vm.local
    start_node
}

@test "a call to one runtime has the caller's trace context there, in each dialect" {
    local api
    [ "$(state | wc -c)" = 512 ]
    for api in v1_9 v1_12 v1alpha2 v1; do
        start_runtime "$api" "$api"
        write_map "$api"
        start_node
        traced RunPodSandbox "{\"config\":$(pod web)}"
        came "$api" RunPodSandbox
        traced Version
        came "$api" Version
        stop crigate
        stop "$api"
    done
}

@test "a call that fails at the runtime, and one that crigate does not know, have it" {
    start_runtime main v1 --fail StopPodSandbox=INTERNAL
    write_map main
    start_node
    run -13 traced StopPodSandbox '{"podSandboxId":"x"}'
    came main StopPodSandbox
    : >request
    run -12 traced --raw --raw-request request /runtime.v1.RuntimeService/FutureThing
    came main FutureThing
}

@test "of a call to several runtimes, each gets the same: their spans are children of one" {
    node
    traced ListContainers
    came main ListContainers
    came vm.local ListContainers
    traced ListImages
    came main ListImages
    came vm.local ListImages
}

@test "a streamed list has it at runtimes that stream, and at those that are asked for whole lists instead" {
    node
    traced StreamContainers
    came main StreamContainers
    came vm.local ListContainers
    [ "$(asked vm.local StreamContainers)" = 0 ]
}

@test "what crigate asks by itself belongs to no trace: probes, first lists, and the stream of events that all callers share" {
    node
    untraced main Version
    untraced vm.local ListPodSandbox
    start_call listener --metadata "traceparent=$PARENT" --metadata "tracestate=$(state)" GetContainerEvents
    eventually 15 eval '[ "$("$CRIGATE_BUILD/crigate" calls -o json --config crigate.yaml | jq -r ".calls[0].state")" = streaming ]'
    run_pod "$(pod web)"
    eventually 15 grep -q containerEventType listener.log
    crash listener
    stop crigate
    stop main
    untraced main GetContainerEvents
}

@test "a call without one gets none" {
    node
    call ListContainers
    untraced main ListContainers
    untraced vm.local ListContainers
}

@test "with one runtime in the map, the metadata that arrives is the caller's, and nothing else is" {
    start_runtime main v1
    write_map main
    start_node
    traced ListContainers
    came main ListContainers
    local direct
    direct=$("$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/main.sock" --api v1 --metadata a=b Version >/dev/null &&
        arrived main Version | jq -c '.metadata | del(.a) | keys')
    [ "$(arrived main ListContainers | jq -c '.metadata | del(.traceparent, .tracestate) | keys')" = "$direct" ]
}
