#!/usr/bin/env bats
# crictl events: every step in the lives of pods on two runtimes, of which containerd (of a release that has no events yet) is told of
# by comparing its lists, and sim.cloud streams. Across a kill and restart of either.

ON_SIM='.annotations["kubernetes.io/target-runtime"] = "sim.cloud"'


setup_file() {
    load ../terminal.bash
    crictl pull "$BUSYBOX"
    crictl pull "sim.cloud/$BUSYBOX"
    lab_daemon events crictl events
    # Both are compared with what is told from now on: a pod that comes and goes shows that.
    local pod
    for filter in . "$ON_SIM"; do
        pod=$(run_pod early "$filter")
        lab_wait 20 heard_any "$pod" || return 1
        crictl rmp --force "$pod"
    done
}

setup() {
    load ../terminal.bash
}

teardown_file() {
    load ../terminal.bash
    kill "$(cat "$LAB/events.pid")"
    remove_pods
}

# heard_any ID: whether crictl has shown anything of it.
heard_any() {
    [ -n "$(told "$1")" ]
}

# told ID: the steps that crictl has shown of a pod or container.
told() {
    jq -r --arg id "$1" 'select(.containerId == $id) | .containerEventType // "CONTAINER_CREATED_EVENT" |
        ltrimstr("CONTAINER_") | rtrimstr("_EVENT")' "$LAB/events.log" | tr '\n' ' '
}

# tells ID STEP...: whether it has shown these, and no others.
tells() {
    local id=$1
    shift
    [ "$(told "$id")" = "$* " ]
}

# heard ID STEP...: waits for that.
heard() {
    lab_wait 20 tells "$@" || {
        echo "of $1: $(told "$1")"
        return 1
    }
}

# sim_is_back: whether the gateway has found it a second time.
sim_is_back() {
    [ "$(grep -c "runtime sim.cloud: ready" "$LAB/crigate.log")" -ge 2 ]
}

# live JQ_FILTER IMAGE: a pod and a container from beginning to end.
live() {
    local pod container name=live-$RANDOM
    pod=$(run_pod "$name" "$1")
    heard "$pod" CREATED STARTED
    container=$(crictl create "$pod" "$(container_config main 'sleep 1000' ".image.image = \"$2\"")" "$BATS_FILE_TMPDIR/pod-$name.json")
    heard "$container" CREATED
    crictl start "$container"
    heard "$container" CREATED STARTED
    crictl stop --timeout 0 "$container"
    heard "$container" CREATED STARTED STOPPED
    crictl rm "$container"
    heard "$container" CREATED STARTED STOPPED DELETED
    crictl stopp "$pod"
    heard "$pod" CREATED STARTED STOPPED
    crictl rmp "$pod"
    heard "$pod" CREATED STARTED STOPPED DELETED
}

# run_one JQ_FILTER IMAGE: a pod with a container that runs; sets pod and container.
run_one() {
    pod=$(run_pod "one-$RANDOM" "$1")
    container=$(run_container "$pod" main 'sleep 1000' ".image.image = \"$2\"")
    heard "$pod" CREATED STARTED
    heard "$container" CREATED STARTED
}

@test "every step on containerd is shown once" {
    live . "$BUSYBOX"
}

@test "every step on the runtime that streams is shown once" {
    live "$ON_SIM" "sim.cloud/$BUSYBOX"
}

@test "events of both have the pod's status and those of its containers" {
    local filter pod container event
    for filter in . "$ON_SIM"; do
        run_one "$filter" "$([ "$filter" = . ] || echo sim.cloud/)$BUSYBOX"
        event=$(jq -c --arg id "$container" 'select(.containerId == $id and .containerEventType == "CONTAINER_STARTED_EVENT")' \
            "$LAB/events.log")
        [ "$(field .podSandboxStatus.id "$event")" = "$pod" ]
        [[ $(field .podSandboxStatus.metadata.uid "$event") == uid-of-one-* ]]
        [ "$(field '.containersStatuses[0].id' "$event")" = "$container" ]
        [ "$(field '.containersStatuses[0].state' "$event")" = CONTAINER_RUNNING ]
        crictl rmp --force "$pod"
        heard "$pod" CREATED STARTED STOPPED DELETED
        heard "$container" CREATED STARTED STOPPED DELETED
    done
}

@test "containerd is killed and comes back: what ended meanwhile is shown once, and all that follows" {
    local pod container pid
    run_one . "$BUSYBOX"
    pid=$(crictl inspect "$container" | jq .info.pid)
    lab_stop containerd KILL || true
    kill -KILL "$pid"
    lab_containerd
    lab_wait 20 lab_answers "$LAB/crigate.sock"
    heard "$container" CREATED STARTED STOPPED
    tells "$pod" CREATED STARTED
    crictl rmp --force "$pod"
    heard "$container" CREATED STARTED STOPPED DELETED
    heard "$pod" CREATED STARTED STOPPED DELETED
    live . "$BUSYBOX"
}

@test "the runtime that streams is killed and comes back: nothing is shown twice, and all that follows is shown" {
    local pod container
    run_one "$ON_SIM" "sim.cloud/$BUSYBOX"
    lab_stop sim KILL || true
    lab_start_sim
    # A status would not tell: what was last seen stands for the runtime while it is away.
    lab_wait 20 sim_is_back
    live "$ON_SIM" "sim.cloud/$BUSYBOX"
    tells "$container" CREATED STARTED
    crictl rmp --force "$pod"
    heard "$container" CREATED STARTED STOPPED DELETED
    heard "$pod" CREATED STARTED STOPPED DELETED
}
