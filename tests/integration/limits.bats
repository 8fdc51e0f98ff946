#!/usr/bin/env bats
# Peers that take more than their share, with frames that no library of gRPC sends: they harm nobody but themselves.

load gateway

# raw BEHAVIOUR [NUMBER [TEXT]]: a caller that does that, in the foreground.
raw() {
    "$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" "$@"
}

# start_raw NAME BEHAVIOUR [NUMBER]: the same in the background.
start_raw() {
    local name=$1
    shift
    start "$name" "$CRIGATE_BUILD/raw_peer" "$PWD/crigate.sock" "$@"
}

# start_raw_runtime NAME BEHAVIOUR [NUMBER [TEXT]]
start_raw_runtime() {
    local name=$1
    shift
    rm -f "$name.log"
    start "$name" "$CRIGATE_BUILD/raw_peer" --listen "$PWD/$name.sock" "$@"
    eventually 15 grep -q "listening on" "$name.log"
}

# bystander: a caller of Version, twenty times a second, beside what follows. `bystander_was_served [SENT]` ends it, and fails unless
# all its calls were answered, and one at least for each 3,000 calls that another caller sent meanwhile: on a machine that is slow,
# both send less.
bystander() {
    start bystander "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 20
}

bystander_was_served() {
    stop bystander
    expect ".failed == 0 and .calls >= 1 and .calls * 3000 >= ${1:-0}" "$(tail -n 1 bystander.log)"
}

# keeps_nobody_waiting BEHAVIOUR: a caller that does so for three seconds. It sends about 1,000 calls for each of the bystander's, and
# 5,000 to 60,000 where a connection is read for as long as it has something to read.
keeps_nobody_waiting() {
    local report
    start_runtime main v1
    write_map main
    start_node
    bystander
    report=$(raw "$1" 3)
    expect '.sent > 0 and (.stalled | not)' "$report"
    bystander_was_served "$(field .sent "$report")"
}

status() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock --output json || true
}

@test "calls that are reset as soon as they are made keep nobody waiting" {
    keeps_nobody_waiting resets
}

@test "a caller that calls without end keeps nobody waiting" {
    keeps_nobody_waiting calls
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
    eventually 5 grep -q "closed the connection of a caller, pid [1-9][0-9]*, uid [0-9]*: it sent a block of headers of more than" crigate.log
    bystander_was_served
}

@test "a call that repeats a header until there are megabytes of metadata is refused, and goes to no runtime" {
    start_runtime main v1
    write_map main
    start_node
    local before answer
    before=$(asked main Version)
    answer=$(raw repeats 1)
    expect '.answers == 1 and (.last_words | test("64 KiB") | not)' "$answer"
    [ "$(asked main Version)" = $((before + 1)) ]
    answer=$(raw repeats 100)
    expect '(.last_words | test("grpc-status.8.*more than 64 KiB of metadata"))' "$answer"
    [ "$(asked main Version)" = $((before + 1)) ]
}

@test "a runtime's header without end makes it a runtime that hangs, and keeps nobody waiting" {
    start_runtime main v1 --containers 3
    start_raw_runtime other endless-header
    write_map main other
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 grep -q "runtime other: closed the connection to unix://.*: it sent a block of headers of more than" crigate.log
    bystander
    eventually 10 eval 'status | jq -e ".runtimes[1].state == \"hanging\""'
    expect '.runtimes[1].note | test("it sent a block of headers")' "$(status)"
    expect '.containers | length == 3' "$(call ListContainers)"
    bystander_was_served
}

# ---- compression ----

@test "a compressed request is refused, and not read" {
    start_runtime main v1 --containers 3
    write_map main
    start_node
    expect '.last_words | test("grpc-status.12.*Compression algorithm .gzip. is disabled")' "$(raw compressed 1 gzip)"
    # In an encoding that C core does not know, and without any.
    expect '.last_words | test("grpc-status.12.*crigate: the request is compressed")' "$(raw compressed 1 snappy)"
    expect '.last_words | test("grpc-status.12.*crigate: the request is compressed")' "$(raw compressed 1)"
    [ "$(asked main ListContainers)" = 1 ] # the gateway's own
    call ListContainers
}

@test "a runtime that compresses its answers is told apart from one that lacks an RPC" {
    start_runtime main v1 --containers 3
    start_raw_runtime zipped compressed 1 gzip
    start_raw_runtime snappy compressed 1 snappy
    start_raw_runtime bare compressed 1
    write_map main "zipped, when_away: fail" "snappy, when_away: fail" "bare, when_away: fail"
    start_crigate
    for runtime in zipped snappy bare; do
        eventually 10 runtime_ready $runtime
        run -12 call ContainerStatus "{\"containerId\":\"${runtime}__x\"}"
        [[ $output =~ "UNIMPLEMENTED: crigate: runtime $runtime compresses its answers, which crigate does not support" ]]
    done
}

@test "a compressed message of an only runtime is not passed on, by whatever way" {
    start_raw_runtime main compressed 1 snappy
    write_map main
    start_crigate
    eventually 10 runtime_ready main
    for path in FutureThing ListContainers StreamContainers; do
        run -12 call_raw "/runtime.v1.RuntimeService/$path" ''
        [[ $output =~ "UNIMPLEMENTED: crigate: runtime main compresses its answers" ]]
    done
}

# ---- memory ----

# peak: the most memory that the gateway has had, in MiB.
peak() {
    awk '/^VmHWM/ { print int($2 / 1024) }' "/proc/${PIDS[crigate]}/status"
}

# in_flight: calls in flight.
in_flight() {
    field .calls "$(status)"
}

@test "answers that nobody reads are given up before memory is short" {
    # Sanitizers have more memory of their own than all that the program takes.
    plain_build || return 0
    start_runtime main v1 --containers 1000
    write_map main
    add_to_map 'limits: {memory: 160MiB, shutdown_grace: 1s}'
    start_node
    # A thousand lists of nearly half a megabyte each, with windows for all of them.
    for i in 1 2 3 4 5 6 7 8 9 10; do
        start_raw "unread$i" unread 100
        eventually 20 grep -q ready "unread$i.log"
    done
    # New calls are refused, or connections are closed before it comes to that: which of them depends on how fast the callers are.
    eventually 20 grep -qE "limits.memory: [0-9]* of 160 MiB are used|has not read its answers, and memory is short" crigate.log
    # It goes on serving.
    eventually 20 call Version
    [ "$(peak)" -le $((160 + 64)) ]
}

# crowd COUNT CODES: that many callers want all containers at once; each must get a list, or one of these codes.
crowd() {
    "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" ListContainers '{}' "$1" 120000 | tee crowd.out
    [ "$(awk -v codes="^($2)\$" '$2 ~ codes { count += $1 } END { print count + 0 }' crowd.out)" = "$1" ]
}

@test "lists that many callers wait for at once take no more than limits.memory" {
    start_runtime main v1
    start_runtime big v1 --containers 2000
    write_map main "big, budget: 20s"
    add_to_map 'limits: {memory: 128MiB, shutdown_grace: 1s}'
    start_node
    eventually 10 eval '[ "$(call ListContainers | jq ".containers | length")" -ge 2000 ]'
    crowd 100 'OK|RESOURCE_EXHAUSTED'
    # What was last seen of it is one list for all.
    sed -i 's/budget: 20s/budget: 500ms/' crigate.yaml
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    kill -STOP "${PIDS[big]}"
    crowd 100 OK
    kill -CONT "${PIDS[big]}"
    ! plain_build || [ "$(peak)" -le 128 ]
}

@test "calls whose messages do not come take no more than their share" {
    start_runtime main v1
    write_map main
    add_to_map 'limits: {calls: 200, shutdown_grace: 1s}'
    start_node
    start_raw halves halves 3000
    eventually 20 grep -q ready halves.log
    eventually 10 eval '[ "$(in_flight)" = 100 ]'
    call Version
    stop halves
    eventually 10 eval '[ "$(in_flight)" = 0 ]'
}

@test "callers that do not read their answers make room for others" {
    start_runtime main v1
    write_map main
    add_to_map 'limits: {calls: 200, shutdown_grace: 1s}'
    start_node
    for name in one other; do
        start_raw $name hoard 100
        eventually 10 grep -q ready $name.log
    done
    eventually 10 eval '[ "$(in_flight)" = 200 ]'
    eventually 20 call Version
    eventually 5 grep -q "closed the connection of a caller, pid .*: it has not read its answers, and too many calls are waiting" crigate.log
}

# ---- connections ----

@test "callers beyond limits.connections are refused, and those that are there served on" {
    start_runtime main v1
    write_map main
    add_to_map 'limits: {connections: 20}'
    start_node
    bystander
    start_raw many connections 100
    eventually 10 grep -q ready many.log
    eventually 10 grep -q "refused a connection: 20 callers are connected (limits.connections) .*pid=" crigate.log
    run -14 call --timeout 10s Version
    expect '.runtimes[0].state == "ready"' "$(status)"
    stop many
    eventually 10 call Version
    bystander_was_served
}

@test "descriptors are kept back for runtimes and for crigate status" {
    start_runtime main v1
    write_map main
    (
        ulimit -n 64
        exec "$CRIGATE_BUILD/crigate" --config crigate.yaml >>crigate.log 2>&1 3>&-
    ) &
    PIDS[crigate]=$!
    eventually 10 runtime_ready main
    grep -q "limits.connections: the process may open 64 files, enough for [0-9]* connections; raise LimitNOFILE=" crigate.log
    start_raw many connections 200
    eventually 10 grep -q ready many.log
    eventually 10 grep -q "refused a connection" crigate.log
    crash main
    start_runtime main v1
    eventually 20 runtime_ready main 2
    expect '.runtimes[0].state == "ready"' "$(status)"
    stop many
    eventually 10 call Version
}

@test "a connection without calls is closed after limits.idle" {
    start_runtime main v1
    write_map main
    add_to_map 'limits: {connections: 5, idle: 1s}'
    start_node
    start_raw silent connections 5
    eventually 10 grep -q ready silent.log
    eventually 20 call Version
}

# ---- what is nobody's fault ----

@test "500 pods that start at once, and calls that are cancelled in between, lose no connection" {
    start_runtime main v1
    write_map main
    start_node
    expect '.answers == 500 and (.broken | not)' "$(raw burst 500)"
    expect '.items | length == 500' "$(call ListPodSandbox)"
    run ! grep -q "closed the connection" crigate.log
}

@test "a runtime's header without end is told of as well where a link leads to its socket" {
    start_runtime main v1 --containers 3
    start_raw_runtime other endless-header
    write_map main other
    ln -s "$PWD" link
    sed -i "s,$PWD/other.sock,$PWD/link/other.sock," crigate.yaml
    start_crigate
    eventually 10 runtime_ready main
    eventually 10 grep -q "runtime other: closed the connection to unix://.*: it sent a block of headers of more than" crigate.log
    eventually 10 eval 'status | jq -e ".runtimes[1].state == \"hanging\""'
    [ "$(wc -l <crigate.log)" -le 10 ]
}

sockets() {
    find "/proc/${PIDS[crigate]}/fd" -lname 'socket:*' | wc -l
}

# What crigate has to answer to the PINGs fills the socket, so that C core is never done with it.
@test "nothing stays of the connection to a runtime that floods crigate and does not read, once the map lacks it" {
    local before
    start_runtime main v1 --containers 3
    write_map main
    start_node
    before=$(sockets)
    start_raw_runtime other pings 120
    cp crigate.yaml alone.yaml
    write_map main other
    eventually 10 grep -q "runtime other: ready" crigate.log
    eventually 10 at_rest other # the socket is full
    run ! ended other
    mv alone.yaml crigate.yaml
    eventually 15 eval '[ "$(grep -c "map was reloaded" crigate.log)" = 2 ]'
    eventually 15 eval '[ "$(sockets)" -le '"$before"' ]'
}
