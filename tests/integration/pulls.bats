#!/usr/bin/env bats
# `pulls` of a runtime: so many pulls are under way at once, and the others wait in the order of their pods.

load gateway

# start_pull NAME POD: a pull of the image NAME for that pod, or for none.
start_pull() {
    local sandbox=""
    [ -z "${2:-}" ] || sandbox=", \"sandboxConfig\": {\"metadata\": {\"name\": \"$2\", \"uid\": \"$2\", \"namespace\": \"x\"}}"
    start_call "$1" PullImage "{\"image\": {\"image\": \"registry.example/$1\"}$sandbox}"
}

# pulls_are STATE...: whether those of the calls under way are in these states, the oldest call first.
pulls_are() {
    calls_show "[.calls | sort_by(.id) | .[].state] == $(jq -nc '$ARGS.positional' --args "$@")"
}

calls_count() {
    "$CRIGATE_BUILD/crigate" calls --config crigate.yaml -o json | jq '.calls | length'
}

# under_way COUNT WAITING: whether so many pulls are at the runtime, and so many wait.
under_way() {
    calls_show "[.calls[].state] | (map(select(. == \"asking\")) | length) == $1 and (map(select(. == \"waiting for other pulls\")) | length) == $2"
}

# started IMAGE...: whether these pulls have reached the runtime, in that order.
started() {
    [ "$(sed -n 's/.*"method":"[^"]*PullImage".*registry.example\/\([a-z0-9-]*\)".*/\1/p' main.journal | xargs)" = "$*" ]
}

@test "pods are served in the order in which they came, and a pod's pulls in theirs" {
    local i
    start_runtime main v1 --hold PullImage=go
    write_map "main, pulls: 1"
    start_node
    start_pull first web
    eventually 10 pulls_are asking
    start_pull web-2 web
    eventually 10 pulls_are asking "waiting for other pulls"
    start_pull db-1 db
    eventually 10 pulls_are asking "waiting for other pulls" "waiting for other pulls"
    start_pull alone
    eventually 10 eval '[ "$(calls_count)" = 4 ]'
    start_pull web-3 web
    eventually 10 eval '[ "$(calls_count)" = 5 ]'
    touch go
    for i in first web-2 db-1 alone web-3; do
        finish "$i"
    done
    eventually 5 started first web-2 web-3 db-1 alone
}

@test "no more than that many at once, at each runtime by itself" {
    local i
    start_runtime main v1 --hold PullImage=go
    start_runtime other.io v1
    write_map "main, pulls: 2" other.io
    start_node
    for i in 1 2 3 4 5; do
        start_pull "image$i" "pod$i"
    done
    eventually 10 under_way 2 3
    call PullImage '{"image": {"image": "other.io/busybox"}}'
    under_way 2 3
    # Other calls do not wait.
    call ListImages >/dev/null
    touch go
    for i in 1 2 3 4 5; do
        finish "image$i"
    done
    [ "$(asked main PullImage)" = 5 ]
}

@test "a pull whose caller gives up while it waits never starts" {
    start_runtime main v1 --hold PullImage=go
    write_map "main, pulls: 1"
    start_node
    start_pull first web
    eventually 10 pulls_are asking
    run -4 call --timeout 1s PullImage '{"image": {"image": "registry.example/late"}}'
    eventually 10 pulls_are asking
    start_pull last web
    eventually 10 pulls_are asking "waiting for other pulls"
    touch go
    finish first
    finish last
    started first last
}

@test "a reload lets more of them go, or all" {
    start_runtime main v1 --hold PullImage=go
    write_map "main, pulls: 1"
    start_node
    start_pull a pod1
    start_pull b pod2
    start_pull c pod3
    start_pull d pod4
    eventually 10 under_way 1 3
    write_map "main, pulls: 2"
    kill -HUP "${PIDS[crigate]}"
    eventually 10 under_way 2 2
    write_map main
    kill -HUP "${PIDS[crigate]}"
    eventually 10 under_way 4 0
    touch go
    for i in a b c d; do
        finish "$i"
    done
}

@test "pulls that wait when the runtime is lost fail, and later ones go on" {
    start_runtime main v1 --hold PullImage=go
    write_map "main, pulls: 1"
    start_node
    start_pull a pod1
    start_pull b pod2
    eventually 10 eval '[ "$(calls_count)" = 2 ]'
    crash main
    finish a 14
    finish b 14
    start_runtime main v1
    eventually 10 runtime_ready main 2
    call PullImage '{"image": {"image": "registry.example/c"}}'
}

@test "a stop ends pulls that wait" {
    start_runtime main v1 --hold PullImage=go
    write_map "main, pulls: 1"
    add_to_map "limits: {shutdown_grace: 500ms, startup_grace: 10s}"
    start_node
    start_pull a pod1
    start_pull b pod2
    eventually 10 eval '[ "$(calls_count)" = 2 ]'
    stop crigate
    wait "${PIDS[a]}" || true
    wait "${PIDS[b]}" || true
    unset "PIDS[a]" "PIDS[b]"
}
