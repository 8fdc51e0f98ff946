#!/usr/bin/env bats
# Runtimes that come late, go and come back as something else; and what passes between caller and runtime beside the messages.

load gateway

# ---- coming and going ----

@test "a runtime that is absent at the start is used as soon as it comes" {
    start_runtime main v1
    write_map main late.local
    start_crigate
    eventually 10 runtime_ready main
    run -14 call RunPodSandbox "{\"config\":$(pod web "$(to late.local)")}"
    [[ $output =~ "UNAVAILABLE: crigate: runtime late.local has been unavailable for "[0-9]+" s: " ]]
    start_runtime late.local v1_9
    eventually 20 runtime_ready late.local
    [[ $(run_pod "$(pod web "$(to late.local)")") =~ ^late.local__ ]]
}

# under_probe: whether the runtime has been connected to, and has not answered.
under_probe() {
    [ "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -r '.runtimes[0].state')" = probing ]
}

@test "the only runtime is taken though it needs longer for Version than a runtime besides others would get" {
    start_runtime main v1 --slow Version=5600
    GRACE=3s write_map main
    start_crigate
    eventually 10 grep -q "runtime main: the primary did not start within its grace period; calls to it wait until it does" crigate.log
    # People are told meanwhile.
    eventually 15 grep -q "runtime main: does not answer at .*: Version was not answered within 5 s; crigate waits for the answer" crigate.log
    # As without the gateway, calls wait.
    call Version
    runtime_ready main
    [ "$(asked main Version)" = 2 ]
}

@test "calls to the only runtime wait for its answer to the probe, and fail once it fails or the connection is lost" {
    start_runtime main v1 --hold Version="$PWD/go"
    GRACE=0s write_map main
    start_crigate
    eventually 10 under_probe
    start_call waiting ListPodSandbox
    start_call lost Status
    run -4 call --timeout 300ms ListContainers
    run ! ended waiting
    crash main
    finish waiting 14
    finish lost 14
    start_runtime main v1 --fail Version=INTERNAL
    eventually 10 grep -q "runtime main: does not answer at .*: Version answered INTERNAL" crigate.log
    run -14 call ListPodSandbox
    [[ $output == *"Version answered INTERNAL"* ]]
}

@test "a runtime besides others gets its budget for Version, and is asked again after that" {
    start_runtime main v1
    start_runtime slow.local v1 --slow Version=5600
    start_runtime silent.local v1 --hang Version
    write_map main "slow.local, budget: 20s" silent.local
    start_crigate
    eventually 15 runtime_ready slow.local
    grep -q "runtime silent.local: does not answer at .*: Version was not answered within 5 s; trying again" crigate.log
    eventually 10 eval '[ "$(asked silent.local Version)" -ge 2 ]'
    run ! grep -q DEADLINE_EXCEEDED crigate.log
}

@test "a runtime that dies is missed at once, though no call is under way, and found again" {
    start_runtime main v1
    start_runtime other v1
    write_map main other
    start_node
    crash other
    eventually 10 grep -q "runtime other: connection to .* lost" crigate.log
    run -14 call RunPodSandbox "{\"config\":$(pod web "$(to other)")}"
    [[ $output =~ "UNAVAILABLE: crigate: runtime other has been unavailable for "[0-9]+" s: connection to " ]]
    start_runtime other v1
    eventually 10 runtime_ready other 2
}

@test "the same with C core's polling strategy poll, with which crigate does not see what C core reads" {
    start_runtime main v1
    start_runtime other v1
    write_map main other
    GRPC_POLL_STRATEGY=poll start_node
    crash other
    eventually 10 grep -q "runtime other: connection to .* lost" crigate.log
    start_runtime other v1
    eventually 10 runtime_ready other 2
    [[ $(run_pod "$(pod web "$(to other)")") =~ ^other__ ]]
}

@test "the log says why nothing answers" {
    start_runtime main v1
    start_runtime left.local v1
    crash left.local # its socket stays
    write_map main absent.local left.local
    start_crigate
    eventually 10 grep -q "runtime absent.local: nothing answers at .*absent.local.sock yet: there is no such socket; crigate keeps trying" crigate.log
    eventually 10 grep -q "runtime left.local: nothing answers at .*left.local.sock yet: no program is listening on that socket; crigate keeps trying" crigate.log
}

# noted NAME TEXT: what status says of that runtime, as its reason.
noted() {
    [[ $("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -r ".runtimes[] | select(.name == \"$1\") | .note") == *"$2"* ]]
}

@test "after a lost connection, the reason is what is wrong now, with the loss behind it, and each is logged once" {
    start_runtime main v1
    start_runtime other v1
    write_map main other
    start_node
    crash other # its socket stays
    eventually 10 noted other "connection to unix://$PWD/other.sock lost; now: no program is listening on that socket"
    rm other.sock
    eventually 10 noted other "lost; now: there is no such socket"
    eventually 10 grep -q "runtime other: nothing answers at .*other.sock any more: there is no such socket; crigate keeps trying" crigate.log
    [ "$(grep -c "runtime other: nothing answers at .*other.sock any more: no program is listening on that socket" crigate.log)" = 1 ]
    # It comes back, and says nothing.
    start_runtime other v1 --hang Version
    eventually 10 noted other "it is connected again, but has not answered Version yet"
}

@test "a call waits for the primary during the start-up grace" {
    GRACE=30s write_map main
    start_crigate
    # No failure, as it would be afterwards, but the caller's own deadline.
    run -4 call --timeout 300ms Version
    start_call waiting Version
    start_runtime main v1
    finish waiting
    expect '.runtimeName == "crisim"' "$(cat waiting.log)"
}

@test "a call of the future waits for the primary, too" {
    GRACE=30s write_map main
    start_crigate
    : >request
    start_call waiting --raw --raw-request request /runtime.v1.RuntimeService/FutureThing
    start_runtime main v1
    finish waiting 12
    grep -q "unknown method FutureThing" waiting.log
}

@test "when the primary does not come within the grace, calls that waited fail, and later ones at once" {
    GRACE=5s write_map main
    start_crigate
    run -14 call Version
    [[ $output =~ "UNAVAILABLE: crigate: runtime main has been unavailable" ]]
    grep -q "the primary did not start within its grace period" crigate.log
    run -14 call --timeout 4s Version
}

@test "a caller that leaves while its call waits makes room for others" {
    write_map main
    add_to_map 'limits: {startup_grace: 60s, shutdown_grace: 1s, calls: 1}'
    start_crigate
    for _ in 1 2 3 4; do
        run -4 call --timeout 300ms Version
    done
    : >request
    run -4 call --timeout 300ms --raw --raw-request request /runtime.v1.RuntimeService/FutureThing
    # It is no less served when the primary comes.
    start_call waiting Version
    start_runtime main v1
    finish waiting
}

@test "a reload with a primary that is there lets calls go on that waited for another" {
    start_runtime next v1 --name second
    GRACE=60s write_map main next
    start_crigate
    eventually 10 runtime_ready next
    : >request
    start_call waiting Version
    start_call future --raw --raw-request request /runtime.v1.RuntimeService/FutureThing
    run -4 call --timeout 300ms Version
    GRACE=60s write_map next main
    finish waiting
    expect '.runtimeName == "second"' "$(cat waiting.log)"
    finish future 12
    run -14 run_pod "$(pod web "$(to main)")"
}

@test "the gateway stops while calls wait for the primary" {
    write_map main
    add_to_map 'limits: {startup_grace: 30s, shutdown_grace: 100ms}'
    start_crigate
    run -4 call --timeout 300ms Version
    start_call waiting Version
    eventually 10 calls_show '.total == 1'
    stop crigate
    finish waiting 14
}

@test "a runtime that was killed and came back in another dialect is probed again" {
    local api
    start_runtime main v1
    write_map main
    start_node
    run_pod "$(pod before)"
    crash main
    start_runtime main v1_9
    eventually 20 runtime_ready main 2
    grep -q "runtime main: ready, .* speaks v1_9$" crigate.log
    run_pod "$(pod after)"
    expect '.method == "/runtime.RuntimeService/RunPodSandbox"' "$(arrived main RunPodSandbox)"
    crash main
    start_runtime main v1alpha2
    eventually 20 runtime_ready main 3
    run_pod "$(pod again)"
    expect '.method == "/runtime.v1alpha2.RuntimeService/RunPodSandbox"' "$(arrived main RunPodSandbox)"
}

@test "a call that loses its runtime on the way is unavailable, and says so" {
    start_runtime main v1 --hang StopPodSandbox
    write_map main
    start_node
    start_call waiting StopPodSandbox '{"podSandboxId":"x"}'
    eventually 10 eval '[ "$(asked main StopPodSandbox)" = 1 ]'
    crash main
    finish waiting 14
    grep -q "UNAVAILABLE: crigate: the connection to runtime main at .* was lost during the call" waiting.log
}

@test "a runtime whose images have a socket of their own is one runtime" {
    start_runtime main v1 --image-listen "unix://$PWD/images.sock"
    write_map "main, image_endpoint: \"unix://$PWD/images.sock\""
    start_node
    pull busybox
    expect '.images | length == 1' "$(call ListImages)"
    [ "$(call ListPodSandbox)" = "{}" ]
}

@test "image calls fail, and nothing else, while the images' socket is not there" {
    start_runtime main v1
    GRACE=1s write_map "main, image_endpoint: \"unix://$PWD/images.sock\""
    start_node
    run -14 call ListImages
    [[ $output == *"UNAVAILABLE: crigate: runtime main/images has been unavailable for "*" s: nothing answers at unix://$PWD/images.sock"* ]]
    [ "$(call ListPodSandbox)" = "{}" ]
    start_runtime images v1
    eventually 20 call ListImages
    pull busybox
    [ "$(asked main PullImage) $(asked images PullImage)" = "0 1" ]
}

@test "right after the start, lists wait for a first look at every runtime" {
    start_runtime main v1 --containers 3
    start_runtime slow.local v1 --containers 3 --latency 300
    write_map main slow.local
    start_crigate
    expect '.containers | length == 6' "$(call ListContainers)"
}

@test "right after the start, a call for one runtime waits for a first look at it" {
    start_runtime main v1
    start_runtime slow.local v1 --latency 300
    write_map main slow.local
    start_crigate
    eventually 10 runtime_ready main
    run -5 call PodSandboxStatus '{"podSandboxId":"slow.local__x"}'
    runtime_ready slow.local
}

@test "a runtime that never answers the probe is not waited for" {
    start_runtime main v1 --containers 3
    start_runtime mute.local v1 --hang Version
    write_map main mute.local
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 eval '[ "$(asked mute.local Version)" -ge 1 ]'
    local began=$SECONDS took
    expect '.containers | length == 3' "$(call ListContainers)"
    run -14 call PodSandboxStatus '{"podSandboxId":"mute.local__x"}'
    [[ $output =~ "UNAVAILABLE: crigate: runtime mute.local has been probing for " ]]
    took=$((SECONDS - began))
    # It takes about as long as calls do that have nobody to wait for.
    began=$SECONDS
    call ListContainers '{"filter":{"podSandboxId":"none"}}' | jq . >/dev/null
    call Version
    ((took <= 3 + SECONDS - began))
}

@test "a runtime that stands still delays nobody else, and goes on where it was" {
    start_runtime main v1
    start_runtime still.local v1
    write_map main "still.local, budget: 1m"
    start_node
    kill -STOP "${PIDS[still.local]}"
    start_call waiting RunPodSandbox "{\"config\":$(pod there "$(to still.local)")}"
    local began=$SECONDS
    run_pod "$(pod here)"
    call Version
    ((SECONDS - began <= 15))
    run ! ended waiting
    kill -CONT "${PIDS[still.local]}"
    finish waiting
    expect '.podSandboxId | startswith("still.local__")' "$(cat waiting.log)"
}

# ---- what passes ----

@test "the caller's deadline reaches the runtime, and passes" {
    start_runtime main v1 --hang Status
    write_map main
    start_node
    run -4 call --timeout 3s Status
    [[ $output =~ DEADLINE_EXCEEDED ]]
    # A little more is what gRPC's rounding on the way may make of it.
    expect '.timeout_ms > 0 and .timeout_ms <= 3200' "$(journal main Status | head -n 1)"
    eventually 10 eval '[ "$(arrived main Status | jq -r .code)" = CANCELLED ]'
    # Without one, the runtime sees none.
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" RuntimeConfig
    expect 'has("timeout_ms") | not' "$(arrived main RuntimeConfig)"
}

@test "an answer that comes too late is not waited for" {
    start_runtime main v1 --hold ListImages=go
    write_map main
    start_node
    run -4 call --timeout 2s ListImages
    eventually 10 eval '[ "$(arrived main ListImages | jq -r .code)" = CANCELLED ]'
    touch go
    call ListImages
}

@test "a caller that is killed in a call leaves no call behind" {
    start_runtime main v1 --hang StopPodSandbox
    write_map main
    start_node
    start_call caller StopPodSandbox '{"podSandboxId":"x"}'
    eventually 10 eval '[ "$(asked main StopPodSandbox)" = 1 ]'
    crash caller
    eventually 10 eval '[ "$(arrived main StopPodSandbox | jq -r .code)" = CANCELLED ]'
    call Version
    stop crigate
    grep -q "stopping; 0 calls in flight" crigate.log
}

@test "metadata reaches every runtime that is asked" {
    start_runtime main v1
    start_runtime vm.local v1_9
    write_map main vm.local
    start_node
    call --metadata traceparent=00-abc-def-01 --metadata blob-bin=AAEC --metadata colour=red --metadata colour=blue ListContainers
    for name in main vm.local; do
        expect '.metadata | .traceparent == "00-abc-def-01" and ."blob-bin" == "AAEC" and .colour == "red,blue"' \
            "$(arrived $name ListContainers)"
    done
    : >request
    run -12 call --metadata colour=green --raw --raw-request request /runtime.v1.RuntimeService/FutureThing
    expect '.metadata.colour == "green"' "$(arrived main FutureThing)"
}

@test "the runtime's code and message come back unchanged" {
    local index direct failures=(--fail Status=NOT_FOUND)
    # In the order of their numbers, from 1 on.
    local codes=(CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED
        RESOURCE_EXHAUSTED FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED)
    for index in "${!codes[@]}"; do
        failures+=(--fail "ExecSync=${codes[index]}:1")
    done
    start_runtime main v1_9 "${failures[@]}"
    write_map main
    start_node
    run -5 ask main v1_9 Status
    direct=$output
    run -5 call Status
    [ "$output" = "$direct" ]
    for index in "${!codes[@]}"; do
        run "-$((index + 1))" call ExecSync '{"containerId":"x"}'
        [[ $output =~ ^${codes[index]}: ]]
        [[ ! $output =~ crigate: ]]
    done
}

@test "an error text of 20 kB comes back whole" {
    start_runtime main v1 --fail StopPodSandbox=UNKNOWN --oversize StopPodSandbox=20000
    write_map main
    start_node
    # Of a pod that is there: of another, UNKNOWN becomes NOT_FOUND.
    local pod direct
    pod=$(run_pod "$(pod web)")
    run -2 ask main v1 StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    [ "${#output}" -ge 20000 ]
    direct=$output
    run -2 call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    [ "$output" = "$direct" ]
}

@test "a socket that crigate may not use is told as that" {
    local powerless=()
    start_runtime main v1
    chmod 0 main.sock
    if [ "$(id -u)" = 0 ]; then
        chown 1 main.sock
        powerless=(setpriv --bounding-set=-dac_override --inh-caps=-dac_override)
    fi
    write_map main
    start crigate "${powerless[@]}" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 15 grep -q "runtime main: nothing answers at .*main.sock yet: crigate has no permission to use it (see crigate --check-config)" crigate.log
    chmod 0666 main.sock
    eventually 15 runtime_ready main
}
