#!/usr/bin/env bats
# Streamed lists: those of all runtimes as one stream, from the runtimes' own streams or from their lists, at the caller's pace.

load gateway

# The six, and by which name items come in a message of each and in the list that answers the same.
STREAMS=(
    "StreamPodSandboxes podSandboxes ListPodSandbox items"
    "StreamContainers containers ListContainers containers"
    "StreamContainerStats containerStats ListContainerStats stats"
    "StreamPodSandboxStats podSandboxStats ListPodSandboxStats stats"
    "StreamPodSandboxMetrics podSandboxMetrics ListPodSandboxMetrics podMetrics"
    "StreamImages images ListImages images"
)

# node [OPTION...]: a runtime that streams, with the options, and one beside it that does not.
node() {
    start_runtime main v1 --containers 6 --images 3 "$@"
    start_runtime vm.local v1alpha2 --containers 6 --images 2
    write_map "main, budget: 60s" "vm.local, budget: 60s"
    start_node
}

# ids FIELD: the ids of all items of the messages that come, sorted; the field is that of the items.
ids() {
    jq -r --arg field "$1" '.[$field] // [] | .[] | .id // .attributes.id // .podSandboxId' | sort
}

# containers_of NAME: how many containers of the messages in NAME.log there are.
containers_in() {
    grep '^{' "$1.log" | jq -s '[.[].containers // [] | length] | add // 0'
}

# sent RUNTIME METHOD: how many messages the runtime had sent when the last stream of that list ended.
sent() {
    field .sent "$(arrived "$1" "$2")"
}

# memory: the most that the gateway had in memory since the last forget_memory, in KiB.
memory() {
    sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/${PIDS[crigate]}/status"
}

forget_memory() {
    echo 5 >"/proc/${PIDS[crigate]}/clear_refs"
}

# start_slow NAME METHOD: a caller that takes the beginning of the first message, and the rest only when there is a file NAME.go. Its
# messages come to NAME.log.
start_slow() {
    # shellcheck disable=SC2016
    start "$1" bash -c '"$0" call --endpoint "$1" --compact --max-message 64MiB "$2" | {
        dd bs=1 count=100 status=none
        until [ -e "$3.go" ]; do sleep 0.05; done
        cat
    }
    exit "${PIPESTATUS[0]}"' "$CRIGATE_BUILD/crigate" "unix://$PWD/crigate.sock" "$2" "$1"
    eventually 40 eval '[ "$(stat -c %s "'"$1"'.log")" = 100 ]'
}

# bounded BEFORE KIB: whether it never had more than that much more than before. Sanitizers keep what is freed (address), and notes
# about all memory that was touched (thread).
bounded() {
    local most=$2
    if grep -qE '__[at]san_init' "$CRIGATE_BUILD/crigate"; then
        most=$((8 * most))
    fi
    echo "at rest $1 KiB, at most $(memory) KiB"
    (($(memory) - $1 < most))
}

# resident: what it has now.
resident() {
    sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/${PIDS[crigate]}/status"
}

@test "each of the six lists comes as a stream, with what its list has, from runtimes that stream and those that do not" {
    node
    local row stream field list items
    for row in "${STREAMS[@]}"; do
        read -r stream field list items <<<"$row"
        diff <(call "$stream" | ids "$field") <(call "$list" | ids "$items")
        [ "$(asked main "$stream")" = 1 ]
        [ "$(asked vm.local "$stream")" = 0 ]
    done
    [ "$(call StreamContainers | ids containers | grep -c '^vm.local__')" = 6 ]
    [ "$(call StreamContainers | ids containers | grep -vc '^vm.local__')" = 6 ]
}

@test "a message of a stream is translated as the list is" {
    node
    diff <(call StreamContainers | jq -c '.containers[]' | sort) <(call ListContainers | jq -c '.containers[]' | sort)
    diff <(call StreamPodSandboxes | jq -c '.podSandboxes[]' | sort) <(call ListPodSandbox | jq -c '.items[]' | sort)
    diff <(call StreamImages | jq -c '.images[]' | sort) <(call ListImages | jq -c '.images[]' | sort)
}

@test "a runtime of each dialect is streamed to a caller of v1; older callers are told that there is no such method" {
    local api
    for api in v1_9 v1_12 v1alpha2 v1; do
        start_runtime "$api" "$api" --containers 4 --images 1
        write_map "$api"
        start_node
        [ "$(call StreamContainers | ids containers | wc -l)" = 4 ]
        [ "$(call StreamPodSandboxes | ids podSandboxes | wc -l)" = 2 ]
        [ "$(call StreamContainerStats | ids containerStats | wc -l)" = 4 ]
        [ "$(call StreamImages | ids images | wc -l)" -ge 1 ]
        run -12 call --raw --raw-request /dev/null /runtime.v1alpha2.RuntimeService/StreamContainers
        run -12 call --raw --raw-request /dev/null /runtime.RuntimeService/StreamContainers
        stop crigate
        stop "$api"
    done
}

@test "filters are those of the lists: of one runtime, of its ids without the prefix, and of nothing" {
    node
    local pod
    pod=$(call StreamPodSandboxes | ids podSandboxes | grep '^vm.local__' | head -n 1)
    diff <(call StreamContainers "{\"filter\":{\"podSandboxId\":\"$pod\"}}" | ids containers) \
        <(call ListContainers "{\"filter\":{\"podSandboxId\":\"$pod\"}}" | ids containers)
    expect ".request.filter.podSandboxId == \"${pod#vm.local__}\"" "$(arrived vm.local ListContainers)"
    [ "$(asked main StreamContainers)" = 0 ]
    pod=$(call StreamPodSandboxes | ids podSandboxes | grep -v '^vm.local__' | head -n 1)
    [ "$(call StreamPodSandboxes "{\"filter\":{\"id\":\"$pod\"}}" | ids podSandboxes)" = "$pod" ]
    expect ".request.filter.id == \"$pod\"" "$(arrived main StreamPodSandboxes)"
    # A container of one runtime in a pod of another: nobody has to be asked.
    run -0 call StreamContainers "{\"filter\":{\"id\":\"vm.local__1\",\"podSandboxId\":\"$pod\"}}"
    [ -z "$output" ]
    run -0 call StreamContainers '{"filter":{"labelSelector":{"nobody":"has this"}}}'
    [ -z "$output" ]
}

@test "a stream of many messages has every item once" {
    node --containers 2500
    call StreamContainers >stream
    [ "$(wc -l <stream)" -ge 26 ]
    [ "$(ids containers <stream | wc -l)" = 2506 ]
    [ "$(ids containers <stream | uniq -d)" = "" ]
    diff <(ids containers <stream) <(call ListContainers | ids containers)
}

@test "a runtime that fails midway fails the stream with its own words, be it the primary or another" {
    start_runtime main v1 --containers 500 --break StreamContainers=2:DATA_LOSS
    start_runtime other.io v1 --containers 500 --break StreamPodSandboxes=1:ABORTED
    write_map main other.io
    start_node -v 2
    run -15 call StreamContainers
    [[ $output =~ "DATA_LOSS: StreamContainers was told to break" ]]
    run -10 call StreamPodSandboxes
    [[ $output =~ "ABORTED: StreamPodSandboxes was told to break" ]]
    grep -q "2 StreamContainers .*code=DATA_LOSS" crigate.log
    call StreamImages >/dev/null
}

@test "a runtime that is lost midway fails the stream" {
    start_runtime main v1 --containers 5
    start_runtime other.io v1 --containers 500 --stall StreamContainers=2
    write_map main other.io
    start_node
    start_call stream StreamContainers
    eventually 10 eval '[ "$(containers_in stream)" -ge 205 ]'
    crash other.io
    finish stream 14
    grep -q "UNAVAILABLE: crigate: the connection to runtime other.io" stream.log
}

@test "a message that is none fails the stream, and only this one" {
    start_runtime main v1 --containers 5
    start_runtime other.io v1 --containers 500 --spoil StreamContainers=1
    write_map main other.io
    start_node
    run -13 call StreamContainers
    [[ $output =~ "INTERNAL: crigate: the answer of runtime other.io cannot be read" ]]
    [ "$(call StreamPodSandboxes | ids podSandboxes | wc -l)" = 169 ]
    # The runtime was told that nobody listens any more.
    eventually 5 eval '[ "$(asked other.io StreamContainers)" = 1 ]'
}

@test "a runtime that never sends goes over its budget; one that stops midway as well" {
    start_runtime main v1 --containers 5
    start_runtime other.io v1 --containers 500 --stall StreamContainers=1 --stall StreamImages=0 --images 3
    write_map main "other.io, budget: 3s"
    start_node
    run -14 call StreamContainers
    [[ $output =~ "UNAVAILABLE: crigate: runtime other.io did not answer StreamContainers within its budget of 3000 ms" ]]
    eventually 10 runtime_ready other.io 1
    eventually 10 eval 'call PodSandboxStats "{\"podSandboxId\":\"$(ask other.io v1 ListPodSandbox | jq -r .items[0].id | sed s/^/other.io__/)\"}"'
    # Nothing was told yet: images of a runtime that cannot be asked are left out, as in the list.
    run -0 --separate-stderr call StreamImages
    [ "$(ids images <<<"$output" | grep -c .)" -ge 1 ]
    eventually 5 eval '[ "$(asked other.io StreamImages)" = 1 ]'
    expect '.code == "CANCELLED" and .sent == 0' "$(arrived other.io StreamImages)"
}

@test "a runtime that is away is told of as it was last seen, or left out, or fails the stream, as its lists are" {
    start_runtime main v1 --containers 4
    start_runtime kept.io v1 --containers 400
    start_runtime left.io v1 --containers 4
    write_map main "kept.io" "left.io, when_away: omit"
    start_node -v 5
    local before after
    eventually 10 eval '[ "$(asked kept.io ListContainers)" -ge 1 ]'
    before=$(call StreamContainers | ids containers)
    crash kept.io
    crash left.io
    eventually 10 grep -q "runtime left.io: connection to .* lost" crigate.log
    after=$(call StreamContainers | ids containers)
    diff <(grep -v '^left.io' <<<"$before") - <<<"$after"
    [ "$(grep -c '^kept.io__' <<<"$after")" = 400 ]
    # Statistics are not kept.
    [ "$(call StreamContainerStats | ids containerStats | grep -c .)" = 4 ]
    crash main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    run -14 call StreamImages
    [[ $output =~ "UNAVAILABLE: crigate: runtime main has been unavailable" ]]
}

@test "what is streamed is remembered for when the runtime is away" {
    start_runtime main v1
    start_runtime other.io v1 --containers 6
    write_map main other.io
    start_node
    local pod config
    config=$(pod seen)
    # Behind the gateway's back, so that only a list can tell.
    pod=other.io__$(ask other.io v1 RunPodSandbox "{\"config\":$config}" | jq -r .podSandboxId)
    call StreamPodSandboxes | ids podSandboxes | grep -qx "$pod"
    crash other.io
    eventually 10 grep -q "runtime other.io: connection to .* lost" crigate.log
    call StreamPodSandboxes | ids podSandboxes | grep -qx "$pod"
    call ListPodSandbox | ids items | grep -qx "$pod"
}

@test "a runtime that says it has no such stream is asked for its list, and not for the stream again" {
    node --fail StreamContainers=UNIMPLEMENTED --fail StreamPodSandboxes=UNIMPLEMENTED --fail StreamImages=UNIMPLEMENTED
    [ "$(call StreamContainers | ids containers | wc -l)" = 12 ]
    [ "$(call StreamContainers | ids containers | wc -l)" = 12 ]
    call StreamPodSandboxes
    call StreamImages
    [ "$(asked main StreamContainers)" = 1 ]
    [ "$(asked main ListContainers)" -ge 2 ]
    grep -q "runtime main: does not stream its lists (it does not support StreamContainers); callers get streams made from" crigate.log
    [ "$(grep -c "runtime main: .*Stream" crigate.log)" = 1 ]
    # It comes back as it was: that is no news.
    stop main
    start_runtime main v1 --containers 6 --fail StreamPodSandboxes=UNIMPLEMENTED
    eventually 15 runtime_ready main 2
    call StreamPodSandboxes
    [ "$(asked main StreamPodSandboxes)" = 2 ]
    [ "$(grep -c "runtime main: .*Stream" crigate.log)" = 1 ]
    # Another process may have it.
    stop main
    rm main.journal
    start_runtime main v1 --containers 6
    eventually 15 runtime_ready main 3
    [ "$(call StreamContainers | ids containers | wc -l)" = 12 ]
    [ "$(asked main StreamContainers)" = 1 ]
}

@test "a runtime alone that has no such streams gives its lists, whole, also where nothing in them has to change" {
    local stream method field list items count options=()
    for stream in "${STREAMS[@]}"; do
        options+=(--fail "${stream%% *}=UNIMPLEMENTED")
    done
    start_runtime main v1 --containers 6 --images 3 "${options[@]}"
    write_map "main, when_away: fail"
    start_node
    for stream in "${STREAMS[@]}"; do
        read -r method field list items <<<"$stream"
        count=$(call "$list" | jq --arg items "$items" '.[$items] | length')
        echo "$method: $count"
        [ "$count" -gt 0 ]
        [ "$(call "$method" | jq -s --arg field "$field" '[.[][$field] // [] | .[]] | length')" = "$count" ]
    done
}

@test "a caller that leaves ends the runtimes' streams" {
    start_runtime main v1 --containers 2 --stall StreamContainers=1
    start_runtime other.io v1 --containers 500 --stall StreamContainers=3
    write_map "main, budget: 60s" "other.io, budget: 60s"
    start_node -v 2
    start_call stream StreamContainers
    eventually 10 eval '[ "$(containers_in stream)" = 302 ]'
    [ "$(asked other.io StreamContainers)" = 0 ]
    crash stream
    eventually 10 eval '[ "$(asked other.io StreamContainers)" = 1 ] && [ "$(asked main StreamContainers)" = 1 ]'
    expect '.code == "CANCELLED" and .sent == 3' "$(arrived other.io StreamContainers)"
    eventually 5 grep -q "StreamContainers .*code=CANCELLED .*messages=4" crigate.log
}

@test "the caller's deadline is the runtimes'" {
    start_runtime main v1 --containers 500 --stall StreamContainers=2
    write_map "main, budget: 60s"
    start_node
    run -4 call --timeout 3s StreamContainers
    eventually 10 eval '[ "$(asked main StreamContainers)" = 1 ]'
    expect '.timeout_ms <= 3200 and .sent == 2' "$(arrived main StreamContainers)"
}

@test "what came before a failure is not lost on the way" {
    start_runtime main v1 --containers 500 --stall StreamContainers=3
    start_runtime other.io v1 # alone, main would have all the caller's time
    write_map "main, budget: 5s" other.io
    start_node -v 2
    start_call stream StreamContainers
    finish stream 14
    [ "$(containers_in stream)" = 300 ]
}

@test "a caller that reads late hears of a failure, which does not wait for it" {
    start_runtime main v1 --containers 1000 --break StreamContainers=3:DATA_LOSS
    write_map main
    start_node -v 2
    start_slow late StreamContainers
    eventually 10 grep -q "StreamContainers .*code=DATA_LOSS" crigate.log
    [ "$(asked main StreamContainers)" = 1 ]
    # The gateway waits for a second for what is on its way to leave.
    eventually 10 calls_show '.calls == []'
    touch late.go
    finish late 15
    grep -q "DATA_LOSS: StreamContainers was told to break" late.log
}

@test "a slow caller slows the runtime, and the gateway holds little meanwhile" {
    start_runtime main v1 --containers 3000 --oversize StreamContainers=1000000
    write_map "main, budget: 60s"
    start_node
    call StreamImages >/dev/null
    local before
    before=$(resident)
    forget_memory
    start_slow slow StreamContainers
    eventually 10 at_rest crigate
    # Of thirty messages of 1 MB, the runtime could send only a few.
    bounded "$before" $((12 * 1024))
    [ "$(asked main StreamContainers)" = 0 ]
    touch slow.go
    finish slow
    [ "$(grep -c '^{' slow.log)" = 30 ]
    expect '.sent == 30 and .code == "OK"' "$(arrived main StreamContainers)"
}

@test "streams that nobody reads are bounded, then refused, and disturb nobody" {
    start_runtime main v1 --containers 1000
    write_map "main, budget: 60s"
    add_to_map 'limits: {streams: 40}'
    start_node
    call StreamImages >/dev/null
    local before
    before=$(resident)
    forget_memory
    start flood "$CRIGATE_BUILD/unread_streams" "unix://$PWD/crigate.sock" /runtime.v1.RuntimeService/StreamContainers 1000
    eventually 20 eval '[ "$(grep -c "^8 crigate: too many streaming calls at once" flood.log)" = 960 ]'
    run -8 call StreamContainers
    [[ $output =~ "RESOURCE_EXHAUSTED: crigate: too many streaming calls at once; raise limits.streams in the runtime map" ]]
    call --timeout 60s ListContainers >/dev/null
    call Version >/dev/null
    bounded "$before" $((40 * 512 + 8 * 1024))
    [ "$(wc -l <flood.log)" = 960 ]
    crash flood
    eventually 10 call StreamContainers
}

@test "a list over the limit of a message is taken from the runtime's stream" {
    start_runtime main v1 --containers 500 --oversize ListContainers=200000
    write_map main
    add_to_map 'limits: {message_size: 96KiB}'
    start_node
    # The gateway itself has asked once.
    eventually 10 eval '[ "$(asked main StreamContainers)" = 1 ]'
    [ "$(call ListContainers | ids containers | wc -l)" = 500 ]
    [ "$(asked main ListContainers)" = 2 ]
    [ "$(asked main StreamContainers)" = 2 ]
}

@test "what a runtime holds is learned although its lists are over the limit" {
    start_runtime main v1
    start_runtime other.io v1 --containers 500 --oversize ListContainers=200000
    write_map main other.io
    add_to_map 'limits: {message_size: 128KiB}'
    start_node
    run ! grep "cannot list what it holds" crigate.log
    eventually 10 eval '[ "$(asked other.io StreamContainers)" = 1 ] && [ "$(asked other.io StreamPodSandboxes)" = 0 ]'
    crash other.io
    eventually 10 grep -q "runtime other.io: connection to .* lost" crigate.log
    [ "$(call --max-message 64MiB ListContainers | ids containers | wc -l)" = 500 ]
}

@test "so is one that the runtime itself refuses to send, of one runtime beside another" {
    start_runtime main v1 --containers 6
    start_runtime other.io v1 --containers 300 --fail ListContainers=RESOURCE_EXHAUSTED
    write_map main other.io
    start_node
    [ "$(call ListContainers | ids containers | wc -l)" = 306 ]
    [ "$(asked other.io StreamContainers)" = 2 ] # once by the gateway itself
    # Where there is no stream, the failure stands.
    stop other.io
    start_runtime other.io v1 --containers 300 --fail ListContainerStats=RESOURCE_EXHAUSTED --fail StreamContainerStats=UNIMPLEMENTED
    eventually 15 runtime_ready other.io 2
    [ "$(call ListContainerStats | ids stats | wc -l)" = 6 ]
    stop main
    start_runtime main v1 --containers 6 --fail ListContainerStats=RESOURCE_EXHAUSTED --fail StreamContainerStats=UNIMPLEMENTED
    eventually 15 runtime_ready main 2
    run -8 call ListContainerStats
    [[ $output =~ "RESOURCE_EXHAUSTED: ListContainerStats was told to fail" ]]
}

@test "a reload and SIGTERM let streams finish" {
    start_runtime main v1 --containers 500 --stall StreamContainers=2
    start_runtime other.io v1 --containers 6
    write_map "main, budget: 5s" other.io
    start_node
    start_call stream StreamContainers
    eventually 10 eval '[ "$(containers_in stream)" -ge 200 ]'
    write_map "main, budget: 5s"
    kill -HUP "${PIDS[crigate]}"
    [ "$(call StreamPodSandboxes | ids podSandboxes | wc -l)" -ge 167 ]
    finish stream 14
    [ "$(containers_in stream)" = 206 ]
}

@test "a takeover leaves a streamed list to the old process, which ends when it has ended" {
    start_runtime main v1 --containers 3000 --hang Status
    write_map "main, budget: 60s"
    start_node
    start_slow slow StreamContainers
    PIDS[old]=${PIDS[crigate]}
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "taken over: this process now serves" crigate.log
    [ "$(call StreamContainers | ids containers | wc -l)" = 3000 ]
    # It waits for the slow one longer than for callers to go.
    eventually 10 grep -q "stopping; 1 calls in flight" crigate.log
    run -4 call --timeout 1500ms Status
    run ! ended old
    touch slow.go
    local outcome=0
    finish slow || outcome=$?
    finish old
    run ! grep -q "cancelling" crigate.log
    # gRPC C core in the caller drops what it has not read yet when it writes to a connection that the other side has closed.
    grep -q "UNAVAILABLE: Broken pipe" slow.log || [ "$outcome,$(ids containers <slow.log | wc -l)" = 0,3000 ]
}

@test "SIGTERM gives a stream the grace, and cuts it off then" {
    start_runtime main v1 --containers 3000
    write_map main
    add_to_map 'limits: {shutdown_grace: 1s}'
    start_node
    start_slow slow StreamContainers
    stop crigate
    touch slow.go
    finish slow 14
    (($(containers_in slow) < 3000))
}
