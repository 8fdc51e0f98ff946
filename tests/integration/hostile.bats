#!/usr/bin/env bats
# Bad input from callers and runtimes: each gets the right code and a message that names the cause, and the gateway serves on.

load gateway


# looked_at RUNTIME: whether the gateway has made the calls of its own with which it gets to know a runtime.
looked_at() {
    [ "$(asked "$1" ListPodSandbox)" -ge 1 ] && [ "$(asked "$1" ListContainers)" -ge 1 ]
}

# node [OPTION...]: a primary of v1, whose options follow, and an older runtime beside it.
node() {
    start_runtime main v1 "$@"
    start_runtime old.local v1_9
    write_map main old.local
    start_node
    eventually 10 looked_at main
    eventually 10 looked_at old.local
}

# refused STATUS PATH BYTES TEXT: the request is refused with that status, the text names the cause, and no runtime sees it.
refused() {
    local before after
    before=$(cat main.journal old.local.journal | wc -l)
    run "-$1" call_raw "$2" "$3"
    [[ $output =~ "crigate: " ]]
    [[ $output =~ $4 ]] || {
        echo "expected $4 in: $output"
        return 1
    }
    after=$(cat main.journal old.local.journal | wc -l)
    [ "$before" = "$after" ]
}

# bytes COUNT: a pattern as long as that.
bytes() {
    head -c "$1" /dev/zero | tr '\0' a
}

# descriptors: how many files and sockets the gateway has open.
descriptors() {
    find "/proc/${PIDS[crigate]}/fd" -mindepth 1 | wc -l
}

@test "bytes that are no message are refused with the path of what is wrong" {
    node
    refused 3 /runtime.v1.RuntimeService/ListContainers '\xff\xff\xff' 'INVALID_ARGUMENT'
    # A length beyond the end, in the pod's metadata.
    refused 3 /runtime.v1.RuntimeService/RunPodSandbox '\x0a\x04\x0a\x02\x0a\x09' 'config.metadata'
    refused 3 /runtime.RuntimeService/RunPodSandbox '\x0a\x04\x0a\x02\x0a\x09' 'config.metadata'
    refused 3 /runtime.v1alpha2.RuntimeService/ListPodSandbox '\x0a\x02\x12\x7f' 'filter'
    # Field number 0, a varint without end, the wire types that do not exist.
    refused 3 /runtime.v1.RuntimeService/Version '\x00\x01' 'INVALID_ARGUMENT'
    refused 3 /runtime.v1.RuntimeService/Version '\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff' 'INVALID_ARGUMENT'
    refused 3 /runtime.v1.RuntimeService/Version '\x0e\x01' 'INVALID_ARGUMENT'
    refused 3 /runtime.v1.RuntimeService/Version '\x0f\x01' 'INVALID_ARGUMENT'
    call Version
}

@test "a message that occurs twice where one belongs is refused" {
    node
    # config { metadata { name: "a" } }, and again: a decoder here and one in the runtime might merge them otherwise.
    refused 3 /runtime.v1.RuntimeService/RunPodSandbox '\x0a\x05\x0a\x03\x0a\x01a\x0a\x05\x0a\x03\x0a\x01b' 'config'
    refused 3 /runtime.v1.RuntimeService/RunPodSandbox '\x0a\x0a\x0a\x03\x0a\x01a\x0a\x03\x0a\x01b' 'config.metadata'
    refused 3 /runtime.v1.RuntimeService/ListContainers '\x0a\x00\x0a\x00' 'filter'
    call Version
}

@test "a NUL in a text is refused" {
    node
    refused 3 /runtime.v1.RuntimeService/PodSandboxStatus '\x0a\x03a\x00b' 'pod_sandbox_id'
    refused 3 /runtime.v1.RuntimeService/RunPodSandbox '\x0a\x07\x0a\x05\x0a\x03a\x00b' 'config.metadata.name'
    refused 3 /runtime.v1alpha2.ImageService/ImageStatus '\x0a\x05\x0a\x03a\x00b' 'image.image'
    call Version
}

@test "a field of the wrong wire type is refused" {
    node
    # pod_sandbox_id as a number, timeout as bytes.
    refused 3 /runtime.v1.RuntimeService/PodSandboxStatus '\x08\x01' 'pod_sandbox_id'
    refused 3 /runtime.v1.RuntimeService/StopContainer '\x0a\x01a\x12\x01b' 'timeout'
    # config { linux { security_context { namespace_options { host_network: "x" } } } }: some decoders read that as true.
    refused 3 /runtime.RuntimeService/RunPodSandbox '\x0a\x09\x42\x07\x12\x05\x0a\x03\x0a\x01x' 'namespace_options.host_network'
    # Groups went out of use before CRI.
    refused 3 /runtime.v1.RuntimeService/Version '\x13\x14' 'INVALID_ARGUMENT'
    call Version
}

@test "a call without a message is refused" {
    node
    run -3 call --no-message Version
    [[ $output =~ "INVALID_ARGUMENT: crigate: the call has no request message" ]]
    run -3 call --no-message RunPodSandbox
    run -3 call --no-message --raw /runtime.v1.RuntimeService/FutureThing
    call Version
}

@test "a service that does not exist is unimplemented" {
    node
    refused 12 /runtime.v2.RuntimeService/Version '' 'UNIMPLEMENTED.*runtime\.v2\.RuntimeService/Version'
    refused 12 /grpc.reflection.v1.ServerReflection/ServerReflectionInfo '' 'UNIMPLEMENTED'
    refused 12 /containerd.services.containers.v1.Containers/List '' 'UNIMPLEMENTED'
    refused 12 /runtime.v1.Runtimeservice/Version '' 'UNIMPLEMENTED'
    refused 12 /x '' 'UNIMPLEMENTED'
    refused 12 /runtime.v1.RuntimeService '' 'UNIMPLEMENTED'
}

@test "metadata that cannot be sent on is the caller's error, whatever the method" {
    node
    local before
    before=$(cat main.journal old.local.journal | wc -l)
    expect '.sent > 90 and .answers == .sent' "$("$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" metadata)"
    [ "$before" = "$(cat main.journal old.local.journal | wc -l)" ]
    run -12 call_raw /runtime.v1.RuntimeService/FutureThing ''
    call Version
    run ! grep -q "transport refused" crigate.log
}

@test "metadata of a runtime that cannot be sent on is left out of its answers" {
    start main "$CRIGATE_BUILD/raw_peer" --listen "$PWD/main.sock" metadata
    eventually 10 test -S main.sock
    write_map main
    start_crigate
    eventually 10 runtime_ready main
    call ListContainers
    call_raw /runtime.v1.RuntimeService/Unknown ''
    run ! grep -q "transport refused" crigate.log
}

@test "messages of 20 MiB pass, either way" {
    node --oversize Status=20971520
    { printf '\x0a\x01x\x12\x80\x80\x80\x0a' && bytes 20971520; } >request
    run -5 call --raw-request request ExecSync
    journal main ExecSync | jq -e '.request.cmd[0] | length == 20971520'
    [ "$(call Status | wc -c)" -gt 20000000 ]
    # To another dialect, too.
    run -5 call --api v1_9 --raw-request request ExecSync
    [ "$(API=v1_9 call Status | wc -c)" -gt 20000000 ]
}

@test "a message larger than the limit exhausts it, either way" {
    start_runtime main v1 --oversize Status=2000000
    write_map main
    add_to_map 'limits: {message_size: 1MiB}'
    start_node
    { printf '\x0a\x01x\x12\x80\x80\x80\x01' && bytes 2097152; } >request
    run -8 call --raw-request request ExecSync
    [[ $output =~ RESOURCE_EXHAUSTED ]]
    [ "$(asked main ExecSync)" = 0 ]
    run -8 call Status
    [[ $output =~ RESOURCE_EXHAUSTED ]]
    call Version
}

@test "a message made to blow up when decoded is refused, and costs little" {
    local grown resident
    node
    resident() {
        awk '/^VmHWM/ { print $2 }' "/proc/${PIDS[crigate]}/status"
    }
    resident=$(resident)
    # config { envs: [{}, {}, …] } of 4 MiB: each two bytes long, fifty times that when decoded.
    {
        printf '\x0a\x01x\x12\x80\x80\x80\x02'
        yes "$(printf '\x32')" | head -c 4194304 | tr '\n' '\0'
    } >request
    run call --raw-request request CreateContainer
    [ "$status" = 8 ] || [ "$status" = 3 ]
    [[ $output =~ "crigate: " ]]
    grown=$(($(resident) - resident))
    echo "grew by $grown kB"
    ((grown < 300000))
    call Version
}

@test "many calls at once are capped" {
    start_runtime main v1 --hang Status
    write_map main
    add_to_map 'limits: {calls: 3}'
    start_node
    for caller in one two three; do
        start_call $caller Status
    done
    eventually 10 eval '[ "$(asked main Status)" = 3 ]'
    run -8 call Version
    [[ $output =~ "RESOURCE_EXHAUSTED: crigate: too many calls at once" ]]
    for caller in one two three; do
        crash $caller
    done
    eventually 10 call Version
}

@test "the smallest limit of messages serves many callers at once" {
    start_runtime main v1 --containers 30 --hang Status
    write_map main
    add_to_map 'limits: {message_size: 64KiB}'
    start_node
    for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
        start_call "caller$number" Status
    done
    eventually 20 eval '[ "$(asked main Status)" = 12 ]'
    expect '.containers | length == 30' "$(call ListContainers)"
    expect '.items | length == 10' "$(call ListPodSandbox)"
    for number in 1 2 3 4 5 6 7 8 9 10 11 12; do
        crash "caller$number"
    done
}

@test "callers that come and are killed at any moment leave nothing behind" {
    start_runtime main v1 --containers 30 --latency 20
    start_runtime old.local v1_9 --containers 30 --latency 40
    write_map main old.local
    start_node
    local before number
    before=$(descriptors)
    for number in $(seq 40); do
        start_call "caller$number" ListContainers
        if ((number % 4 == 0)); then
            crash "caller$((number - 3))"
            crash "caller$((number - 1))"
        fi
    done
    for number in $(seq 40); do
        ((number % 2 == 1)) || finish "caller$number"
    done
    eventually 10 eval '[ "$(descriptors)" -le "$before" ]'
    stop crigate
    grep -q "stopping; 0 calls in flight" crigate.log
}

@test "HTTP/1 and noise on the socket disturb nobody" {
    node --hang Status
    local before
    before=$(descriptors)
    start_call waiting Status
    eventually 10 eval '[ "$(asked main Status)" = 1 ]'
    printf 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n' | timeout 10 socat -t 1 - UNIX-CONNECT:crigate.sock >http1 || true
    head -c 100000 /dev/urandom | timeout 10 socat -t 1 - UNIX-CONNECT:crigate.sock >/dev/null || true
    # HTTP/2's preface, and then noise.
    { printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' && head -c 100000 /dev/urandom; } |
        timeout 10 socat -t 1 - UNIX-CONNECT:crigate.sock >/dev/null || true
    # A frame that says to be 16 MB long, and a connection that says nothing.
    printf 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\x00\x00\x00\x00\x00\x01' |
        timeout 10 socat -t 1 - UNIX-CONNECT:crigate.sock >/dev/null || true
    timeout 10 socat -u OPEN:/dev/null UNIX-CONNECT:crigate.sock
    call Version
    run ! ended waiting
    crash waiting
    eventually 10 eval '[ "$(descriptors)" -le "$before" ]'
}

@test "an answer that is no message is an internal error that names the runtime" {
    node --garbage ContainerStatus --garbage Status --garbage ListImages
    # Within one package the primary's answers pass as they are: it is the caller who cannot read them.
    run -13 call ContainerStatus '{"containerId":"x"}'
    run -13 call ListImages
    API=v1_9
    run -13 call Status
    [[ $output =~ "INTERNAL: crigate: the answer of runtime main cannot be read" ]]
    run -13 call ContainerStatus '{"containerId":"x"}'
    [[ $output =~ "INTERNAL: crigate: the answer of runtime main cannot be read" ]]
    call Version
}

@test "a runtime's message cannot control the terminal of crigate call" {
    start_runtime main v1
    write_map main
    start_node
    run -5 call ContainerStatus '{"containerId":"x\u007fy\u001bz"}'
    [[ $output == *'"x?y?z"'* ]]
}

@test "a runtime that answers the probe with garbage is not used" {
    start_runtime main v1
    start_runtime bad.local v1 --garbage Version
    write_map main bad.local
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 grep -q "runtime bad.local: .*" crigate.log
    run -14 call PodSandboxStatus '{"podSandboxId":"bad.local__x"}'
    [ "$(call ListPodSandbox)" = "{}" ]
}

@test "something else than a runtime behind an endpoint harms nobody" {
    start_runtime main v1
    start noise socat UNIX-LISTEN:noise.sock,fork,unlink-early "SYSTEM:head -c 5000 /dev/urandom"
    eventually 10 test -S noise.sock
    write_map main noise
    start_crigate
    eventually 10 runtime_ready main
    run -14 call PodSandboxStatus '{"podSandboxId":"noise__x"}'
    [ "$(call ListPodSandbox)" = "{}" ]
    crash noise
}
