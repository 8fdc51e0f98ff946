#!/usr/bin/env bats
# A runtime that stopped answering: it keeps nobody else waiting, is told of as it was last seen, and is back when it answers.

load gateway

BUDGET_MS=1000

# node [MORE_KEYS]: a primary, and a runtime with pods that gets little time.
node() {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1alpha2 --containers 3
    write_map main "vm.local, budget: ${BUDGET_MS}ms${1:-}"
    start_node
    eventually 10 eval '[ "$(asked vm.local ListContainers)" -ge 1 ]'
    PODS=$(call ListPodSandbox)
    CONTAINERS=$(call ListContainers)
    POD=$(field '.items[] | .id | select(startswith("vm.local__"))' "$PODS")
    CONTAINER=$(field '[.containers[] | .id | select(startswith("vm.local__"))][0]' "$CONTAINERS")
}

# freeze NAME, thaw NAME: the program stops answering, and goes on.
freeze() {
    kill -STOP "${PIDS[$1]}"
}

thaw() {
    kill -CONT "${PIDS[$1]}"
}

milliseconds() {
    local now
    now=$(date +%s%N)
    echo "$((now / 1000000))"
}

in_order() {
    jq '(.items, .containers) |= (. // [] | sort_by(.id))' <<<"$1"
}

same() {
    [ "$(in_order "$1")" = "$(in_order "$2")" ]
}

@test "the first list goes over the budget, the next ones do not wait, all tell what was last seen" {
    # So long that what else the machine does in 20 lists is less than 20 of it.
    local BUDGET_MS=2000 began took
    node
    freeze vm.local
    began=$(milliseconds)
    same "$(call ListPodSandbox)" "$PODS"
    took=$(($(milliseconds) - began))
    ((took >= BUDGET_MS && took < 10 * BUDGET_MS))
    grep -q "runtime vm.local: has not answered for [0-9]* s; its calls fail until it answers again" crigate.log
    # 20 lists that each waited would take 20 budgets.
    began=$(milliseconds)
    for _ in {1..10}; do
        same "$(call ListPodSandbox)" "$PODS"
        same "$(call ListContainers)" "$CONTAINERS"
    done
    took=$(($(milliseconds) - began))
    ((took < 20 * BUDGET_MS)) || {
        echo "20 lists took $took ms"
        return 1
    }
    [ "$(grep -c "runtime vm.local: unavailable; serving its last-known state" crigate.log)" = 1 ]
    [ "$(grep -c "has not answered for" crigate.log)" = 1 ]
    thaw vm.local
}

@test "a caller that has no time itself says nothing about the runtime" {
    BUDGET_MS=20000 node
    freeze vm.local
    run -4 call --timeout 300ms ListPodSandbox
    run -4 call --timeout 300ms ListContainers
    start_call leaving ListPodSandbox
    eventually 15 calls_show '.calls[0].method == "ListPodSandbox"'
    crash leaving
    thaw vm.local
    same "$(call ListPodSandbox)" "$PODS"
    [ "$(grep -c "runtime vm.local: unavailable; serving" crigate.log)" = 0 ]
    [ "$(grep -c "runtime vm.local: has not answered" crigate.log)" = 0 ]
    # What is its own loss is told all the same.
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    same "$(call ListPodSandbox)" "$PODS"
    grep -q "runtime vm.local: unavailable; serving its last-known state (first affected call: ListPodSandbox" crigate.log
}

# failed_for_seconds: whether a call fails, and says that the runtime has not answered for a second or more.
failed_for_seconds() {
    run -14 call StopPodSandbox "{\"podSandboxId\":\"$POD\"}"
    [[ $output =~ "has not answered for "[1-9][0-9]*" s" ]]
}

@test "calls to it fail at once and say for how long it has not answered" {
    node
    freeze vm.local
    call ListPodSandbox >/dev/null
    local began method
    began=$(milliseconds)
    for method in StopPodSandbox RemovePodSandbox PodSandboxStatus PodSandboxStats; do
        run -14 call "$method" "{\"podSandboxId\":\"$POD\"}"
        [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has not answered for "[0-9]+" s" ]]
    done
    run -14 call ExecSync "{\"containerId\":\"$CONTAINER\",\"cmd\":[\"true\"]}"
    run -14 run_pod "$(pod web "$(to vm.local)")"
    (($(milliseconds) - began < 20 * BUDGET_MS))
    eventually 5 failed_for_seconds
    thaw vm.local
}

@test "a status has the budget, too, and is told as it was last seen" {
    node
    local seen
    seen=$(call ContainerStatus "{\"containerId\":\"$CONTAINER\"}")
    freeze vm.local
    local began took
    began=$(milliseconds)
    run -14 call PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    took=$(($(milliseconds) - began))
    [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local did not answer PodSandboxStatus within its budget of $BUDGET_MS ms" ]]
    ((took >= BUDGET_MS && took < 10 * BUDGET_MS))
    # The image's id is what crigate adds to a live answer by asking further.
    diff <(call ContainerStatus "{\"containerId\":\"$CONTAINER\"}" | jq 'del(.status.imageId)') \
        <(jq 'del(.status.imageId)' <<<"$seen")
    same "$(call ListPodSandbox)" "$PODS"
    thaw vm.local
}

@test "calls to the primary do not wait for it" {
    local BUDGET_MS=2000 mine began
    node
    mine=$(field '.items[] | .id | select(startswith("vm.local__") | not)' "$PODS")
    freeze vm.local
    start_call list ListPodSandbox
    began=$(milliseconds)
    for _ in {1..10}; do
        call PodSandboxStatus "{\"podSandboxId\":\"$mine\"}" >/dev/null
        call Status >/dev/null
    done
    (($(milliseconds) - began < 20 * BUDGET_MS))
    finish list
    same "$(cat list.log)" "$PODS"
    thaw vm.local
}

@test "it is back soon after it answers again" {
    node
    freeze vm.local
    same "$(call ListPodSandbox)" "$PODS"
    thaw vm.local
    eventually 5 call PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    run_pod "$(pod new "$(to vm.local)")"
    expect '.items | length == 3' "$(call ListPodSandbox)"
    # It hangs again, and is told of again.
    freeze vm.local
    expect '.items | length == 3' "$(call ListPodSandbox)"
    [ "$(grep -c "runtime vm.local: has not answered for" crigate.log)" = 2 ]
    thaw vm.local
}

@test "it is back after a hang longer than a probe waits" {
    node
    freeze vm.local
    same "$(call ListPodSandbox)" "$PODS"
    eventually 10 eval '[ "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq ".runtimes[1].sinceMilliseconds")" -gt 6000 ]'
    same "$(call ListPodSandbox)" "$PODS"
    [ "$(grep -c "runtime vm.local:" crigate.log)" -le 5 ]
    thaw vm.local
    eventually 10 call PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
}

@test "one that is killed while it hangs, and comes back, is back" {
    node
    freeze vm.local
    same "$(call ListPodSandbox)" "$PODS"
    crash vm.local
    same "$(call ListPodSandbox)" "$PODS"
    start_runtime vm.local v1 --containers 3
    eventually 20 runtime_ready vm.local 2
    [ "$(field '[.items[].id] | sort' "$(call ListPodSandbox)")" = "$(field '[.items[].id] | sort' "$PODS")" ]
    call PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
}

@test "what runs long on it is not cut when it hangs" {
    node
    start_call exec ExecSync "{\"containerId\":\"$CONTAINER\",\"cmd\":[\"sleep\",\"2\"]}"
    eventually 15 calls_show '.calls[0].state == "asking"'
    freeze vm.local
    call ListPodSandbox >/dev/null
    grep -q "has not answered for" crigate.log
    run ! ended exec
    thaw vm.local
    finish exec
    expect '(.exitCode // 0) == 0' "$(cat exec.log)"
    expect '.code == "OK"' "$(arrived vm.local ExecSync)"
}

@test "a pull is not held to the budget" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --late 2500
    write_map main "vm.local, budget: ${BUDGET_MS}ms"
    start_node
    kill -USR1 "${PIDS[vm.local]}"
    pull vm.local/app:1
    expect '.code == "OK"' "$(arrived vm.local PullImage)"
    [ "$(grep -c "has not answered for" crigate.log)" = 0 ]
}

@test "only the lists hang: the log stays short, and lists tell what was last seen" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main "vm.local, budget: ${BUDGET_MS}ms"
    start_node
    CONTAINERS=$(call ListContainers)
    crash vm.local
    start_runtime vm.local v1 --containers 3 --hang ListContainers
    eventually 20 runtime_ready vm.local 2
    local lines began
    for _ in 1 2 3; do
        same "$(call ListContainers)" "$CONTAINERS"
    done
    lines=$(wc -l <crigate.log)
    began=$(milliseconds)
    for _ in {1..10}; do
        same "$(call ListContainers)" "$CONTAINERS"
    done
    (($(milliseconds) - began < 8 * BUDGET_MS)) || echo "10 lists waited for most of 10 budgets"
    [ "$(wc -l <crigate.log)" -le "$((lines + 5))" ]
}

@test "a primary that hangs fails its calls within its budget" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map "main, budget: ${BUDGET_MS}ms" vm.local
    start_node
    local id
    id=$(field '[.items[] | .id | select(startswith("vm.local__"))][0]' "$(call ListPodSandbox)")
    freeze main
    run -14 call ListPodSandbox
    [[ $output =~ "UNAVAILABLE: crigate: runtime main did not answer ListPodSandbox within its budget of $BUDGET_MS ms" ]]
    run -14 call ListPodSandbox
    [[ $output =~ "UNAVAILABLE: crigate: runtime main has not answered for" ]]
    run -14 call Version
    # The other's pods go on.
    call PodSandboxStatus "{\"podSandboxId\":\"$id\"}"
    thaw main
    eventually 5 call Version
    expect '.items | length == 2' "$(call ListPodSandbox)"
}

@test "SIGTERM ends the gateway while a runtime hangs" {
    node
    freeze vm.local
    call ListPodSandbox >/dev/null
    stop crigate
    thaw vm.local
    [ -s state/vm.local.lists ]
}

@test "calls that are lost on a frozen image socket do not make the runtime hang anew, one after the other" {
    start_runtime main v1
    start images "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/unused.sock" --image-listen "unix://$PWD/images.sock" --api v1
    eventually 15 grep -q "listening on" images.log
    start_runtime vm.local v1
    write_map main "vm.local, budget: ${BUDGET_MS}ms, image_endpoint: 'unix://$PWD/images.sock'"
    start_node
    eventually 10 call ListImages
    freeze images
    start crowd "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" PullImage '{"image": {"image": "vm.local/a:b"}}' 2000 2000
    eventually 20 ended crowd
    grep -q DEADLINE_EXCEEDED crowd.log
    call ListPodSandbox
    [ "$(grep -c 'runtime vm.local: has not answered for' crigate.log)" -le 2 ]
    thaw images
}
