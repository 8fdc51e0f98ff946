#!/usr/bin/env bats
# Peers that take more than their share, with frames that no library of gRPC sends: they harm nobody but themselves.

load gateway

# raw BEHAVIOUR [NUMBER]: a caller that does that, in the foreground.
raw() {
    "$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" "$@"
}

# start_raw NAME BEHAVIOUR [NUMBER]: the same in the background.
start_raw() {
    local name=$1
    shift
    start "$name" "$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" "$@"
}

# start_raw_runtime NAME BEHAVIOUR [NUMBER]
start_raw_runtime() {
    local name=$1
    shift
    rm -f "$name.log"
    start "$name" "$CRIGATE_BUILD/raw_peer" --listen "$PWD/$name.sock" "$@"
    eventually 15 grep -q "listening on" "$name.log"
}

# bystander: a caller of Version, twenty times a second, beside what follows; `bystander_was_served COUNT` ends it, and fails
# unless all its calls were answered, so many of them.
bystander() {
    start bystander "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 20
}

bystander_was_served() {
    stop bystander
    expect ".failed == 0 and .calls >= $1" "$(tail -n 1 bystander.log)"
}

status() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock --output json || true
}

@test "calls that are reset as soon as they are made keep nobody waiting" {
    start_runtime main v1
    write_map main
    start_node
    bystander
    expect '.stalled | not' "$(raw resets 5)"
    # Without turns it is about ten.
    bystander_was_served 50
}

@test "a caller that calls without end keeps nobody waiting" {
    start_runtime main v1
    write_map main
    start_node
    bystander
    expect '.stalled | not' "$(raw calls 5)"
    bystander_was_served 50
}

@test "a caller's header without end costs it its connection, and nobody else anything" {
    start_runtime main v1
    write_map main
    start_node
    bystander
    for behaviour in endless-header endless-headers; do
        expect '.broken and .sent <= 100' "$(raw $behaviour)"
    done
    call Version
    grep -q "closed the connection of a caller, pid [1-9][0-9]*, uid [0-9]*: it sent a block of headers of more than" crigate.log
    bystander_was_served 1
}

@test "a runtime's header without end makes it a runtime that hangs, and keeps nobody waiting" {
    start_runtime main v1 --containers 3
    start_raw_runtime other endless-header
    write_map main other
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 grep -q "runtime other: closed the connection to unix://.*: it sent a block of headers of more than" crigate.log
    bystander
    expect '.runtimes[1].state == "hanging"' "$(status)"
    expect '.runtimes[1].note | test("it sent a block of headers")' "$(status)"
    expect '.containers | length == 3' "$(call ListContainers)"
    bystander_was_served 1
}

# ---- compression ----

@test "a compressed request is refused, and not read" {
    start_runtime main v1 --containers 3
    write_map main
    start_node
    local answer
    answer=$(raw compressed)
    expect '.last_words | test("grpc-status.12.*Compression algorithm .gzip. is disabled")' "$answer"
    [ "$(asked main ListContainers)" = 1 ] # the gateway's own
    call ListContainers
}

@test "a runtime that compresses its answers is told apart from one that lacks an RPC" {
    start_runtime main v1 --containers 3
    start_raw_runtime other compressed
    write_map main "other, when_away: fail"
    start_crigate
    eventually 10 runtime_ready other
    run -12 call ListContainers
    [[ $output =~ "UNIMPLEMENTED: crigate: runtime other compresses its answers, and crigate takes only what is not compressed" ]]
}
