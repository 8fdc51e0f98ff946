#!/usr/bin/env bats
# The gateway is killed, loses what it had stored, or is taken over in the middle of a pod's life: the hooks that follow see all that
# those before have made of the pod and its container, and the kernel has it.

setup_file() {
    load plugin.bash
    crictl pull "$BUSYBOX"
    remember gateway crigate
}

setup() {
    load plugin.bash
    recall
    [ -e "$LAB/plugin.pid" ] || start_plugin
}

teardown_file() {
    load plugin.bash
    recall
    remove_pods
    stop_plugin
    if [ "$gateway" = successor ]; then
        lab_stop successor
    fi
}

# begin_gateway NAME [OPTION...]: starts one with the map of the one before.
begin_gateway() {
    local name=$1
    shift
    lab_daemon "$name" "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5 "$@"
    remember gateway "$name"
    gateway=$name
}

# ---- what happens to the gateway ----

none() {
    true
}

killed() {
    lab_stop "$gateway" KILL || true
    begin_gateway "$gateway"
    lab_wait 15 lab_answers "$LAB/crigate.sock"
}

killed_with_its_state() {
    lab_stop "$gateway" KILL || true
    rm -rf "$LAB/crigate.state"
    begin_gateway "$gateway"
    lab_wait 15 lab_answers "$LAB/crigate.sock"
}

taken_over() {
    local former=$gateway next=crigate
    [ "$former" = successor ] || next=successor
    begin_gateway "$next" --takeover
    lab_wait 20 test -s "$LAB/$former.status"
    [ "$(cat "$LAB/$former.status")" = 0 ]
    rm "$LAB/$former.pid"
    [ "$("$E2E_BUILD/crigate" status --config "$LAB/crigate.yaml" -o json | jq .pid)" = "$(cat "$LAB/$next.pid")" ]
}

# ---- what must hold ----

# hook_sees HOOK NAME FILTER: whether jq's filter is true of the last request of that hook, and the pod in it is complete.
hook_sees() {
    local request
    lab_wait 10 was_hooked "$1" "$2"
    request=$(hooked "$1" "$2")
    expect ".podMeta == {name: \"$2\", uid: \"uid-of-$2\", namespace: \"e2e\", attempt: 1}" "$request"
    expect "(.podLabels // .labels) == {suite: \"e2e\", pod: \"$2\", tier: \"batch\"}" "$request"
    expect "(.podAnnotations // .annotations) == {note: \"a note on $2\", seen: \"yes\"}" "$request"
    expect "(.podCgroupParent // .cgroupParent) == \"$PLUGIN_PARENT\"" "$request"
    expect "$3" "$request"
}

# container_seen SHARES QUOTA: what hooks must see of the container.
container_seen() {
    cat <<END
.containerMeta == {name: .podMeta.name, attempt: 1, id: "$container"} and .containerAnnotations == {a: "1", b: "2"} and
.containerEnvs == {COLOUR: "blue", SHAPE: "round", GPU: "7"} and
(.containerResources | .cpuPeriod == "50000" and .cpuQuota == "$2" and .cpuShares == "$1" and .cpusetCpus == "$CPU" and
    .memoryLimitInBytes == "67108864")
END
}

# lives_on AFTER_POD AFTER_CREATE AFTER_START NAME: the life of a pod and its container, with one of the functions above run after each
# of three steps.
lives_on() {
    local pod container name=$4
    pod=$(run_pod "$name")
    "$1"
    container=$(make_container "$pod" "$name")
    hook_sees PreCreateContainer "$name" '.containerEnvs == {COLOUR: "red", SIZE: "big", SHAPE: "round"}'
    "$2"
    crictl start "$container"
    hook_sees PreStartContainer "$name" "$(container_seen 262144 30000)"
    hook_sees PostStartContainer "$name" "$(container_seen 262144 30000)"
    as_given "$container"
    "$3"
    crictl update --cpu-share 2 "$container"
    hook_sees PreUpdateContainerResources "$name" "$(container_seen 2 30000)"
    as_given "$container" "$LIMITS_UPDATED"
    "$3"
    crictl stop --timeout 0 "$container"
    hook_sees PostStopContainer "$name" "$(container_seen 2 45000)"
    "$3"
    crictl stopp "$pod"
    hook_sees PostStopPodSandbox "$name" true
    lab_wait 10 settled
    [ "$(plugins '[.plugins[].failures, .after.dropped] | add')" = 0 ]
}

@test "kill -9 between RunPodSandbox and CreateContainer" {
    lives_on killed none none killed-pod
}

@test "kill -9 between CreateContainer and StartContainer" {
    lives_on none killed none killed-made
}

@test "kill -9 while a container runs" {
    lives_on none none killed killed-running
}

@test "kill -9, and the state folder is gone, between RunPodSandbox and CreateContainer" {
    lives_on killed_with_its_state none none stateless-pod
}

@test "kill -9, and the state folder is gone, between CreateContainer and StartContainer" {
    lives_on none killed_with_its_state none stateless-made
}

@test "kill -9, and the state folder is gone, while a container runs" {
    lives_on none none killed_with_its_state stateless-running
}

@test "kill -9, and the state folder is gone, at each step" {
    lives_on killed_with_its_state killed_with_its_state killed_with_its_state stateless
}

@test "a container of a pod that is known by another container only is in the plugin's cgroup" {
    local pod first second
    pod=$(run_pod shared)
    first=$(make_container "$pod" shared)
    killed_with_its_state
    crictl start "$first"
    second=$(crictl create "$pod" "$(container_config second 'exec sleep 6000' "$ASKED")" "$BATS_FILE_TMPDIR/pod-shared.json")
    crictl start "$second"
    as_given "$second"
}

@test "a takeover between RunPodSandbox and CreateContainer" {
    lives_on taken_over none none taken-pod
}

@test "a takeover between CreateContainer and StartContainer" {
    lives_on none taken_over none taken-made
}

@test "a takeover while a container runs" {
    lives_on none none taken_over taken-running
}

# in_hooks: whether a call waits for plugins.
in_hooks() {
    "$E2E_BUILD/crigate" calls --config "$LAB/crigate.yaml" -o json | jq -e 'any(.calls[]; .state == "in hooks")'
}

# meanwhile COMMAND...: runs it while the plugin is slow, and a takeover in the middle of it. Its output goes to $LAB/tmp/meanwhile.
meanwhile() {
    kill -USR1 "$(cat "$LAB/plugin.pid")"
    "$@" >"$LAB/tmp/meanwhile" 3>&- &
    local job=$!
    lab_wait 10 in_hooks
    taken_over
    wait "$job"
    kill -USR2 "$(cat "$LAB/plugin.pid")"
}

@test "a takeover while RunPodSandbox and CreateContainer wait for the plugin" {
    local pod container name=taken-meanwhile
    stop_plugin
    # For long enough that the call is seen in its hooks, and for less than a plugin may take.
    start_plugin --late 5000
    meanwhile run_pod "$name"
    pod=$(cat "$LAB/tmp/meanwhile")
    meanwhile make_container "$pod" "$name"
    container=$(cat "$LAB/tmp/meanwhile")
    crictl start "$container"
    hook_sees PreStartContainer "$name" "$(container_seen 262144 30000)"
    as_given "$container"
}

@test "a plugin that has left: its pods' containers stay in its cgroup, also after kill -9" {
    local pod name container
    pod=$(run_pod left)
    stop_plugin
    for name in before after; do
        container=$(crictl create "$pod" "$(container_config "$name" 'exec sleep 6000' "$ASKED")" \
            "$BATS_FILE_TMPDIR/pod-left.json")
        crictl start "$container"
        in_cgroup "$container" "$PLUGIN_PARENT"
        [ "$(limits "$container")" = "$LIMITS_ASKED" ]
        killed
    done
}

@test "what a container has become while no plugin was there is asked for, not believed to be as it was stored" {
    local pod container
    pod=$(run_pod meanwhile)
    container=$(make_container "$pod" meanwhile)
    crictl start "$container"
    lab_stop "$gateway" KILL || true
    lab_stop plugin
    rm "$LAB/plugins/plugin.json"
    begin_gateway "$gateway"
    lab_wait 15 lab_answers "$LAB/crigate.sock"
    crictl update --cpu-share 2 "$container"
    start_plugin
    crictl stop --timeout 0 "$container"
    hook_sees PostStopContainer meanwhile "$(container_seen 2 30000)"
}

@test "a plugin that comes late, as a pod that was made without it is under way, is told what the runtime knows of it" {
    local pod container
    stop_plugin
    pod=$(run_pod late)
    container=$(make_container "$pod" late)
    start_plugin
    crictl start "$container"
    lab_wait 10 was_hooked PreStartContainer late
    local request
    request=$(hooked PreStartContainer late)
    expect ".podCgroupParent == \"$LAB_CGROUP/late\" and .podLabels == {suite: \"e2e\", pod: \"late\"}" "$request"
    expect '.containerEnvs == {COLOUR: "red", SIZE: "big", SHAPE: "round"}' "$request"
    expect ".containerResources | .cpuQuota == \"20000\" and .cpuShares == \"512\" and .cpusetCpus == \"$CPUS\"" "$request"
    as_asked "$container" late
    crictl update --cpu-share 2 "$container"
    [ "$(limits "$container")" = "cpus $CPUS quota 45000 period 100000 shares 2 memory 134217728" ]
}
