#!/usr/bin/env bats
# Sockets that take no more bytes, because the other side does not read: budgets, deadlines and the end of the process hold all
# the same.

load gateway

# More small requests than a socket takes while nobody reads it.
CROWD=2000

# node [BUDGET]: a primary, and a runtime that is stopped in a moment. The crowd may be as large as it is.
node() {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main "vm.local, budget: ${1:-1s}"
    add_to_map "limits: {startup_grace: 10s, shutdown_grace: 2s, calls: 4000}"
    start_node
    eventually 10 eval '[ "$(asked vm.local ListContainers)" -ge 1 ]'
    CONTAINERS=$(call ListContainers)
    CONTAINER=$(field '[.containers[] | .id | select(startswith("vm.local__"))][0]' "$CONTAINERS")
}

# fill MILLISECONDS: stops the runtime and puts the crowd's calls under way to it, which have that long.
fill() {
    kill -STOP "${PIDS[vm.local]}"
    start crowd "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" StartContainer "{\"containerId\": \"$CONTAINER\"}" "$CROWD" "$1"
    eventually 20 grep -q 'all calls are under way' crowd.log
    eventually 20 eval '[ "$(calls_to vm.local)" -gt $((CROWD / 2)) ]'
}

status() {
    "$CRIGATE_BUILD/crigate" status -o json --control "$PWD/state/control.sock" || true
}

calls_to() {
    status | jq --arg name "$1" '.runtimes[] | select(.name == $name) | .calls'
}

state_of() {
    status | jq -r --arg name "$1" '.runtimes[] | select(.name == $name) | .state'
}

resident_kb() {
    awk '/^VmRSS/ { print $2 }' "/proc/${PIDS[crigate]}/status"
}

in_order() {
    jq '.containers |= sort_by(.id)' <<<"$1"
}

@test "a runtime that does not read, with 2000 calls under way to it: lists keep to its budget and tell what was last seen" {
    node
    fill 60000
    local before
    [ "$(in_order "$(call --timeout 20s ListContainers)")" = "$(in_order "$CONTAINERS")" ]
    [ "$(state_of vm.local)" = hanging ]
    before=$(asked main ListContainers)
    [ "$(in_order "$(call --timeout 20s ListContainers)")" = "$(in_order "$CONTAINERS")" ]
    [ "$(asked main ListContainers)" -gt "$before" ]
    kill -CONT "${PIDS[vm.local]}"
    eventually 15 runtime_ready vm.local 2
    call StopContainer "{\"containerId\": \"$CONTAINER\"}"
    eventually 30 ended crowd
}

@test "calls to a runtime that does not read end at their deadlines, and nothing of them stays" {
    node
    local before
    before=$(resident_kb)
    fill 12000
    eventually 20 ended crowd
    grep -q "$CROWD DEADLINE_EXCEEDED" crowd.log || grep -q 'UNAVAILABLE' crowd.log
    eventually 5 eval '[ "$(calls_to vm.local)" = 0 ]'
    [ "$(state_of vm.local)" = hanging ]
    # It took 60 MiB and more. Sanitizers keep what was freed.
    ! plain_build || eventually 10 eval '[ "$(resident_kb)" -lt $((before + 16 * 1024)) ]'
    [ "$(state_of vm.local)" = hanging ]
    kill -CONT "${PIDS[vm.local]}"
    eventually 5 eval '[ "$(status | jq .calls)" = 0 ]'
    call ListContainers
}

@test "callers that give up, before any deadline, tell that a runtime does not read" {
    node
    fill 60000
    # What does not answer for less than its budget does not hang.
    eventually 10 calls_show 'any(.calls[]; .ageMilliseconds > 1500)'
    crash crowd
    eventually 10 eval '[ "$(state_of vm.local)" = hanging ]'
    kill -CONT "${PIDS[vm.local]}"
    eventually 15 runtime_ready vm.local 2
    call StopContainer "{\"containerId\": \"$CONTAINER\"}"
}

@test "a runtime that did not read for less than its budget does not hang" {
    node 60s
    fill 12000
    eventually 20 ended crowd
    [ "$(state_of vm.local)" = ready ]
    kill -CONT "${PIDS[vm.local]}"
    call ListContainers
}

@test "SIGTERM ends a gateway whose runtime does not read" {
    node
    fill 60000
    kill -TERM "${PIDS[crigate]}"
    finish crigate
    grep -q 'calls did not end in time; cancelling them' crigate.log
    crash crowd
    kill -CONT "${PIDS[vm.local]}"
}

@test "a takeover ends a gateway whose runtime does not read" {
    node
    fill 60000
    call ListContainers
    [ "$(state_of vm.local)" = hanging ]
    start successor "$CRIGATE_BUILD/crigate" --takeover --config crigate.yaml
    eventually 15 grep -q 'taken over' successor.log
    finish crigate
    kill -CONT "${PIDS[vm.local]}"
    [ "$(in_order "$(call ListContainers)")" = "$(in_order "$CONTAINERS")" ]
    crash crowd
    stop successor
}

# stall: a caller that has asked for more than its socket takes, and reads none of it.
stall() {
    start stalled "$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" stall "$CROWD"
    eventually 20 grep -q "\"ready\": $CROWD" stalled.log
    eventually 10 eval '[ "$(asked main Version)" -gt "$CROWD" ]'
    [ "$(status | jq .calls)" -gt 100 ]
}

@test "a caller that does not read keeps nobody else waiting, and SIGTERM ends the gateway" {
    node
    stall
    call Version
    kill -TERM "${PIDS[crigate]}"
    finish crigate
    crash stalled
}

@test "a caller that does not read does not keep a process after a takeover" {
    node
    stall
    start successor "$CRIGATE_BUILD/crigate" --takeover --config crigate.yaml
    eventually 15 grep -q 'taken over' successor.log
    finish crigate
    call Version
    crash stalled
    stop successor
}

@test "SIGTERM ends a gateway whose runtime does not read, and whose socket has another name by now" {
    start_runtime main v1
    start_runtime elsewhere v1 --containers 3
    # The connection cannot be told by the name that the runtime gave its socket.
    mv elsewhere.sock vm.local.sock
    write_map main "vm.local, budget: 1s"
    add_to_map "limits: {startup_grace: 10s, shutdown_grace: 1s, calls: 4000}"
    start_node
    CONTAINER=$(field '.containers[0].id' "$(call ListContainers)")
    kill -STOP "${PIDS[elsewhere]}"
    start crowd "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" StartContainer "{\"containerId\": \"$CONTAINER\"}" "$CROWD" 60000
    eventually 20 eval '[ "$(calls_to vm.local)" -gt $((CROWD / 2)) ]'
    kill -TERM "${PIDS[crigate]}"
    finish crigate
    crash crowd
    kill -CONT "${PIDS[elsewhere]}"
}

@test "calls to a socket of images that is not read leave nothing behind either, though the runtime is well" {
    start_runtime main v1
    start images "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/unused.sock" --image-listen "unix://$PWD/images.sock" --api v1
    eventually 15 grep -q "listening on" images.log
    start_runtime vm.local v1
    write_map main "vm.local, budget: 500ms, image_endpoint: 'unix://$PWD/images.sock'"
    add_to_map "limits: {startup_grace: 10s, shutdown_grace: 2s, calls: 4000}"
    start_node
    eventually 10 call ListImages
    run -1 grep "left out" crigate.log
    local before
    before=$(resident_kb)
    kill -STOP "${PIDS[images]}"
    start crowd "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" PullImage '{"image": {"image": "vm.local/a:b"}}' "$CROWD" 3000
    eventually 20 ended crowd
    eventually 5 eval '[ "$(calls_to vm.local)" = 0 ]'
    # The next one finds out that it is still so.
    call ListImages
    ! plain_build || eventually 10 eval '[ "$(resident_kb)" -lt $((before + 16 * 1024)) ]'
    kill -CONT "${PIDS[images]}"
    eventually 10 eval 'call --timeout 5s PullImage "{\"image\": {\"image\": \"vm.local/a:b\"}}"'
}
