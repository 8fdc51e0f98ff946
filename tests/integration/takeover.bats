#!/usr/bin/env bats
# What is lost when a takeover breaks off: in each of its states (core/daemon/takeover_server.h), by the other process, by a full
# disk, or by a map that changes. Nothing must be.

load gateway
load plugins

eval "stop_all() $(declare -f teardown | tail -n +2)"

teardown() {
    stop_all
    ! mountpoint -q state || umount state
}

# making_node [OPTION...]: a node whose plugin moves pods to another cgroup parent, which the runtime does not report, and that makes no
# pod before there is a file pod.go. The options are the runtime's.
making_node() {
    start_runtime node v1 --verbose-info none --hold RunPodSandbox=pod.go "$@"
    write_map node
    hooks_on
    start_plugin koordlet --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    start_node -v 3
    eventually 10 knows_plugins koordlet
}

# start_pod: calls for a pod; its id is in pod.log once it is made. begin_pod: the same when the runtime has begun with it.
start_pod() {
    start_call pod RunPodSandbox "{\"config\":$(pod web '.linux.cgroupParent = "/kubepods/pod1"')}"
}

begin_pod() {
    start_pod
    eventually 15 calls_show '[.calls[].state] == ["asking"]'
}

# hand_over: another process takes over, `next`.
hand_over() {
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3 --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
}

# begin_talk: the test is the other process of a takeover, and has the descriptors.
begin_talk() {
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered '"takeover":1,'
}

# fresh_one_knows: whether a process that is started now knows where the pod is.
fresh_one_knows() {
    mv crigate.log old.log
    start_node -v 3
    eventually 10 knows_plugins koordlet
    call StopPodSandbox "$(grep podSandboxId pod.log)"
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
    expect '.cgroupParent == "/kubepods/other"' "$(hooked koordlet PostStopPodSandbox)"
}

@test "OFFERED: what is made until the other process gives up is known after a crash" {
    making_node
    touch pod.go
    begin_talk
    start_pod
    finish pod
    close_talk
    eventually 10 grep -q "the takeover failed" crigate.log
    eventually 10 test -s state/node.facts
    crash crigate
    fresh_one_knows
}

@test "OFFERED: a reload waits for the end of it" {
    start_runtime main v1
    start_runtime late v1
    write_map main
    start_node
    begin_talk
    write_map main late
    run -2 "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    [[ $output == *"another process is about to take over; try again in a moment"* ]]
    kill -HUP "${PIDS[crigate]}"
    run ! grep -q "the runtime map was reloaded" crigate.log
    close_talk
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    eventually 10 runtime_ready late
}

@test "HANDED_OVER: what is made after the other process was killed is known, also if it is the first" {
    making_node
    begin_pod
    hand_over
    crash next
    eventually 10 grep -q "the process that took over has ended" crigate.log
    touch pod.go
    finish pod
    finish crigate
    fresh_one_knows
}

@test "HANDED_OVER: a runtime on which the process before still makes a pod is not taken out of the map" {
    start_runtime main v1
    start_runtime other v1 --hold RunPodSandbox=pod.go
    write_map main other
    start_node
    start_call pod RunPodSandbox "{\"config\":$(pod web "$(to other)")}"
    eventually 15 calls_show '[.calls[].state] == ["asking"]'
    hand_over
    write_map main
    eventually 10 grep -q "runtime other would be removed, but the process before may still create pods there" next.log
    touch pod.go
    finish pod
    finish crigate
    kill -HUP "${PIDS[next]}"
    eventually 10 grep -q "runtime other would be removed, but still owns 1 pods" next.log
}

@test "DRAINED: what the other process was given and has not read when it is killed is known" {
    making_node
    begin_pod
    hand_over
    kill -STOP "${PIDS[next]}"
    touch pod.go
    finish pod
    finish crigate
    crash next
    fresh_one_knows
}

@test "a full disk: what cannot be written while the other process is lost is written when there is room" {
    needs root eval '[ "$(id -u)" = 0 ]'
    mkdir -m 700 state
    mount -t tmpfs -o size=256k,mode=700 tmpfs state
    making_node --hold UpdateRuntimeConfig=rest.go
    begin_pod
    # While this one is under way, the process before does not end.
    start_call rest UpdateRuntimeConfig '{}'
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    hand_over
    dd if=/dev/zero of=state/full bs=1k 2>dd.log || true
    crash next
    eventually 10 grep -q "the process that took over has ended" crigate.log
    touch pod.go
    finish pod
    eventually 10 grep -q "cannot write .*No space left" crigate.log
    rm state/full
    touch rest.go
    finish rest
    finish crigate
    fresh_one_knows
}
