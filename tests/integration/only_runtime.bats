#!/usr/bin/env bats
# The only runtime of a node stops answering: its callers wait as they would without the gateway, and people are told.

load gateway

BUDGET_MS=1000

# node [MORE_KEYS]: one runtime that gets little time.
node() {
    start_runtime main v1 --containers 3
    write_map "main, budget: ${BUDGET_MS}ms${1:-}"
    start_node
    eventually 10 eval '[ "$(asked main ListContainers)" -ge 1 ]'
    POD=$(field '.items[0].id' "$(call ListPodSandbox)")
    CONTAINER=$(field '.containers[0].id' "$(call ListContainers)")
}

freeze() {
    kill -STOP "${PIDS[$1]}"
}

thaw() {
    kill -CONT "${PIDS[$1]}"
}

status() {
    "$CRIGATE_BUILD/crigate" status --config crigate.yaml "$@"
}

# is_in STATE: what status says of the runtime.
is_in() {
    [ "$(status -o json | jq -r '.runtimes[] | select(.name == "main") | .state')" = "$1" ]
}

# hangs [COUNT]: whether the gateway has noticed that the runtime does not answer, that many times by now.
hangs() {
    [ "$(grep -c "runtime main: has not answered for" crigate.log)" -ge "${1:-1}" ]
}

# under_way COUNT: whether that many calls are waiting for the runtime.
under_way() {
    [ "$(status -o json | jq -r '.runtimes[0].calls')" -ge "$1" ]
}

# ended_well NAME...: all these calls end, and without an error.
ended_well() {
    local name
    for name in "$@"; do
        finish "$name" || return
    done
}

@test "calls wait for it, those that found out and those that come later, and it counts as hanging" {
    node
    freeze main
    start_call pods ListPodSandbox
    start_call status ContainerStatus "{\"containerId\":\"$CONTAINER\"}"
    start_call streamed StreamContainers
    eventually 10 hangs
    grep -q "runtime main: has not answered for [0-9]* s; its calls wait, as long as their callers do, until it answers again" crigate.log
    start_call containers ListContainers
    start_call version Version
    start_call node_status Status
    start_call stop StopPodSandbox "{\"podSandboxId\":\"$POD\"}"
    : >request
    start_call unknown --raw --raw-request request /runtime.v1.RuntimeService/FromTheFuture
    eventually 10 under_way 5
    is_in hanging
    run -2 status
    [[ $output =~ "   has not answered for "[0-9]+" s ("(ListPodSandbox|ContainerStatus|StreamContainers)")" ]]
    grep -q "until it answers again; unanswered: [A-Z]" crigate.log
    # One clock: since the call that was not answered.
    status -o json | jq -e '.runtimes[0] | (.sinceMilliseconds / 1000 | floor) - (.note | capture("for (?<s>[0-9]+) s").s | tonumber) | . == 0 or . == 1' >/dev/null
    # Nothing ends before the runtime goes on, though the budget has passed for each.
    run -4 call --timeout $((BUDGET_MS * 3 / 2))ms Version
    local name
    for name in pods status streamed containers version node_status stop unknown; do
        run ! ended "$name"
    done
    thaw main
    ended_well pods status streamed containers version node_status stop
    finish unknown 12 # UNIMPLEMENTED, as the runtime says it
    expect '.items | length == 1' "$(cat pods.log)"
    expect '.containers | length == 3' "$(cat containers.log)"
    eventually 10 is_in ready
    [ "$(grep -c "has not answered for" crigate.log)" = 1 ]
    # It hangs again, and is told of again.
    freeze main
    start_call again ListPodSandbox
    eventually 10 hangs 2
    thaw main
    ended_well again
}

@test "a caller's own deadline ends its call, and no other" {
    node
    freeze main
    start_call patient ListPodSandbox
    eventually 10 hangs
    run -4 call --timeout 500ms ListPodSandbox
    run -4 call --timeout 500ms Version
    run ! ended patient
    thaw main
    ended_well patient
}

@test "a list that alone hangs is waited for, told of once, and keeps nothing else waiting" {
    start_runtime main v1 --containers 3 --hang ListContainers
    write_map "main, budget: ${BUDGET_MS}ms"
    start_node
    run -4 call --timeout 3s ListContainers
    hangs
    call Version
    expect '.items | length == 1' "$(call ListPodSandbox)"
    run -4 call --timeout 3s ListContainers
    [ "$(grep -c "has not answered for" crigate.log)" = 1 ]
}

@test "an only runtime that answers, but later than its budget, is not down" {
    start_runtime main v1 --containers 3 --slow ListContainers=1500 --slow Version=1500
    write_map "main, budget: ${BUDGET_MS}ms"
    start_node
    call ListContainers >/dev/null
    hangs
    call Version >/dev/null
    run -1 status
    [[ $output =~ "has not answered for "[0-9]+" s (ListContainers); it answers other calls, or answers late" ]]
    [ "$(status -o json | jq -r '.runtimes[0].answersLate, .health' | tr '\n' ' ')" = "true degraded " ]
    status -o prometheus | grep -qx 'crigate_runtime_up{runtime="main"} 1'
    status -o prometheus | grep -qx 'crigate_runtime_hanging{runtime="main"} 1'
}

@test "an answer that is put together of several waits for it, too" {
    start_runtime main v1_9 --containers 3
    write_map "main, budget: ${BUDGET_MS}ms"
    start_node
    freeze main
    start_call stats ListPodSandboxStats
    eventually 10 hangs
    run -4 call --timeout 500ms Version
    run ! ended stats
    thaw main
    ended_well stats
    expect '.stats | length == 1' "$(cat stats.log)"
}

@test "with when_away: last-known, what was last seen of it answers as soon as the budget is over" {
    node ", when_away: last-known"
    freeze main
    expect '.items | length == 1' "$(call ListPodSandbox)"
    hangs
    expect '.containers | length == 3' "$(call ListContainers)"
    grep -q "runtime main: unavailable; serving its last-known state" crigate.log
    # Nothing stands for these.
    start_call version Version
    start_call status PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    run -4 call --timeout $((BUDGET_MS * 3 / 2))ms Status
    run ! ended version
    run ! ended status
    thaw main
    ended_well version status
}

@test "a second runtime in the map brings the budget back, and without it there is none again" {
    node
    start_runtime vm.local v1
    cp crigate.yaml alone.yaml
    write_map "main, budget: ${BUDGET_MS}ms" vm.local
    eventually 10 runtime_ready vm.local
    freeze main
    run -14 call ListPodSandbox
    [[ $output =~ "UNAVAILABLE: crigate: runtime main did not answer ListPodSandbox within its budget of $BUDGET_MS ms" ]]
    run -14 call Version
    [[ $output =~ "UNAVAILABLE: crigate: runtime main has not answered for" ]]
    grep -q "runtime main: has not answered for [0-9]* s; its calls fail until it answers again" crigate.log
    # While it hangs: a map with it alone.
    mv alone.yaml crigate.yaml
    eventually 10 eval '[ "$(grep -c "the runtime map was reloaded" crigate.log)" = 2 ]'
    start_call version Version
    run -4 call --timeout $((BUDGET_MS * 3 / 2))ms Status
    run ! ended version
    thaw main
    ended_well version
    eventually 10 is_in ready
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

@test "the gateway stops in bounded time while calls wait" {
    start_runtime main v1 --containers 3
    write_map "main, budget: ${BUDGET_MS}ms"
    add_to_map "limits: {shutdown_grace: 500ms}"
    start_node
    freeze main
    start_call pods ListPodSandbox
    start_call version Version
    eventually 10 hangs
    kill -TERM "${PIDS[crigate]}"
    finish crigate
    grep -q "2 calls did not end in time; cancelling them" crigate.log
    eventually 10 ended pods
    eventually 10 ended version
    crash pods
    crash version
    thaw main
    eventually 10 ask main v1 Version # one that is asked to end in the very moment of its return may not hear of it
}

@test "another process takes over while calls wait, and they end well" {
    node
    freeze main
    start_call pods ListPodSandbox
    eventually 10 hangs
    start heir "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 20 grep -q "taken over: this process now serves the socket" heir.log
    run ! ended pods
    thaw main
    ended_well pods
    finish crigate
    eventually 10 grep -q "runtime main: ready" heir.log
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

# ---- what a kubelet would see ----

LOOPS=(ListPodSandbox ListContainers Version Status ListPodSandboxStats)

# loops NAME SOCKET DEADLINE_MS: as many callers as a kubelet has loops, ten calls a second each.
loops() {
    local method
    for method in "${LOOPS[@]}"; do
        start "$1.$method" "$CRIGATE_BUILD/steady_caller" "unix://$PWD/$2.sock" 10 "$method" "$3"
    done
}

# count_failures NAME: ends these callers; FAILURES becomes how many of their calls failed.
count_failures() {
    local method
    FAILURES=0
    for method in "${LOOPS[@]}"; do
        stop "$1.$method"
        FAILURES=$((FAILURES + $(jq .failed "$1.$method.log")))
    done
}

# ten_more: waits until the runtime has been asked by each loop of each set some times more.
ten_more() {
    local before
    before=$(asked main Status)
    eventually 10 eval '[ "$(asked main Status)" -ge '$((before + 10))' ]'
}

# stall DEADLINE_MS SECONDS: the runtime stops for that long under two sets of callers, one of them through the gateway. DIRECT and
# THROUGH become their failures.
stall() {
    node
    loops direct main "$1"
    loops through crigate "$1"
    ten_more
    freeze main
    run -4 call --timeout "$2s" Version
    thaw main
    ten_more
    count_failures direct
    DIRECT=$FAILURES
    count_failures through
    THROUGH=$FAILURES
    grep -q "has not answered for" crigate.log
    echo "failures: $DIRECT directly, $THROUGH through the gateway"
}

@test "callers that have more time than the runtime stalls for see no error, as without the gateway" {
    stall 20000 3
    [ "$DIRECT" = 0 ]
    [ "$THROUGH" = 0 ]
}

@test "callers that have less see about as many errors as without the gateway" {
    stall 1500 4
    ((DIRECT >= ${#LOOPS[@]}))
    # The stall falls differently on each, and a busy machine as well; failing at once would cost ten times as many.
    ((THROUGH <= 4 * DIRECT))
}

@test "a composition ends with its caller, however long the runtime hangs" {
    start_runtime main v1_9 --containers 3
    write_map "main, budget: ${BUDGET_MS}ms"
    start_node
    call ListPodSandbox >/dev/null
    freeze main
    # Without a deadline.
    start stats "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api v1 ListPodSandboxStats
    start config "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api v1 RuntimeConfig
    eventually 10 hangs
    crash stats
    crash config
    eventually 5 eval '[ "$(status -o json | jq .calls)" = 0 ]'
    thaw main
    eventually 15 runtime_ready main 2
}

@test "verify: a list that the runtime fails is no difference to report" {
    needs root eval '[ "$(id -u)" = 0 ]'
    start_runtime main v1 --fail ListContainers=INTERNAL
    write_map main
    start_node
    run -1 "$CRIGATE_BUILD/crigate" verify --config crigate.yaml
    [[ $output == *"warning  lists: ListContainers of unix://$PWD/main.sock: "*"; next: read the log of the runtime at that socket"* ]]
}
