#!/usr/bin/env bats
# A node moves from one containerd, which is spoken to in v1alpha2, to another, in v1, with running pods on both: no container is
# restarted and no id changes. The gateway is put in front of running pods, killed, replaced, and taken out again.
# Each test goes on where the one before it stopped.

LAB_OLD=$LAB/old.sock
LAB_NEW=$LAB/containerd.sock

setup_file() {
    load ../terminal.bash
    at "$LAB_NEW" rmi "$BUSYBOX" || true
    lab_point_crictl "$LAB_OLD"
    crictl pull "$BUSYBOX"
}

setup() {
    load ../terminal.bash
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

teardown() {
    end_calls
}

teardown_file() {
    load ../terminal.bash
    local name
    for name in crigate successor old; do
        [ ! -e "$LAB/$name.pid" ] || lab_stop "$name" KILL || true
    done
    rm -rf "$LAB/crigate.d"
    lab_point_crictl "$LAB_NEW"
    remove_pods
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    printf '%s=%q\n' "$1" "$2" >>"$BATS_FILE_TMPDIR/ids"
}

# at SOCKET ARGUMENTS...: crictl, asking there.
at() {
    local socket=$1
    shift
    crictl --runtime-endpoint "unix://$socket" --image-endpoint "unix://$socket" "$@"
}

# crigate COMMAND...: asks the running gateway.
crigate() {
    local command=$1
    shift
    "$E2E_BUILD/crigate" "$command" --config "$LAB/crigate.yaml" "$@"
}

# runtime NAME FILTER: what `crigate status` tells of a runtime.
runtime() {
    crigate status -o json | jq -r --arg name "$1" ".runtimes[] | select(.name == \$name) | $2"
}

runtime_is_ready() {
    [ "$(runtime "$1" .state)" = ready ]
}

SERVE='echo started; exec httpd -f -p 8080 -h /www'

# ---- what must not change ----

# identities [SOCKET]: a line for each pod and each container that runs, as crictl is told: id, state, attempt, when it was made and
# started, address; its process, and when that was started by the kernel's account.
identities() {
    local socket=${1:-$LAB/crigate.sock} line
    {
        at "$socket" inspectp
        at "$socket" inspect
    } | jq --slurp --raw-output 'flatten | .[] | select(.info.pid > 0) |
        [(.status | .id, .state, .metadata.attempt, .createdAt, .startedAt, .network.ip), .info.pid] |
        map(. // "-" | tostring) | join(" ")' | sort | while read -r line; do
        echo "$line $(cut -d ' ' -f 22 "/proc/${line##* }/stat")"
    done
}

# same FILE [SOCKET]: whether what runs is exactly what it was when the file was written.
same() {
    identities "${@:2}" | diff "$1" -
}

# took_away FILE ID...: takes the lines of these out of it.
took_away() {
    local file=$1 id
    shift
    for id in "$@"; do
        grep -q "^$id " "$file"
        sed -i "/^$id /d" "$file"
    done
}

# serves CONTAINER: whether it answers at its pod's address, has started once only, and takes commands.
serves() {
    local pod address
    pod=$(crictl inspect "$1" | jq -r .info.sandboxID)
    address=$(crictl inspectp "$pod" | jq -r .status.network.ip)
    # A container that was just started may be its shell still. Nothing of this passes the gateway.
    lab_wait 20 busybox wget -q -O /dev/null "http://$address:8080/"
    [ "$(busybox wget -q -O - "http://$address:8080/")" = "served from a pod" ]
    [ "$(crictl logs "$1")" = started ]
    [ "$(crictl exec "$1" hostname)" = "$(crictl inspectp "$pod" | jq -r .status.metadata.name)" ]
    [ "$(crictl exec --sync "$1" cat /proc/1/comm)" = httpd ]
}

# ---- calls all the while ----

# calls CONTAINER POD FILE: goes through some calls again and again. Writes for each when it began and ended, its exit status, and
# what it said. A list that is not what it was at first is as wrong as a call that failed.
calls() {
    local call output status begin state="--output go-template --template {{.status.state}}"
    while [ ! -e "$LAB/tmp/enough" ]; do
        for call in "pods --quiet --no-trunc" "inspect $state $1" "ps --quiet --no-trunc" "exec --sync $1 echo here" \
            "inspectp $state $2" version; do
            begin=${EPOCHREALTIME/[.,]/} status=0
            # shellcheck disable=SC2086
            output=$(crictl $call 2>&1 | sort && exit "${PIPESTATUS[0]}") || status=$?
            if [ "$status" = 0 ] && [ "$output" != "${expected[$call]:=$output}" ]; then
                status=differs
            fi
            echo "$begin ${EPOCHREALTIME/[.,]/} $status $call: ${output//$'\n'/ }"
        done
    done >"$3"
}

# begin_calls: two callers, each call a process and a connection of its own.
begin_calls() {
    local caller
    rm -f "$LAB/tmp/enough" "$LAB/tmp/calls".*
    callers=()
    for caller in "$keeper_web $keeper" "$fresh_web $fresh"; do
        (
            lab_close_descriptors
            declare -A expected=()
            # shellcheck disable=SC2086
            calls $caller "$LAB/tmp/calls.${caller##* }"
        ) </dev/null >>"$LAB/calls.log" 2>&1 &
        callers+=($!)
    done
    sleep 0.5
}

end_calls() {
    [ -n "${callers:-}" ] || return 0
    touch "$LAB/tmp/enough"
    wait "${callers[@]}"
    callers=
}

# failed_calls [FROM TO]: those that went wrong, but for those that were under way at some time between these two.
failed_calls() {
    awk -v from="${1:-0}" -v to="${2:-0}" '$3 != "0" && !($1 <= to && $2 >= from && $3 != "differs")' "$LAB/tmp/calls".*
}

# calls_go_on TIME: whether enough calls that began later went well. How long that takes is the machine's affair.
calls_go_on() {
    [ "$(awk -v time="$1" '$3 == "0" && $1 > time' "$LAB/tmp/calls".* | wc -l)" -ge 20 ]
}

# listens: whether somebody listens on the gateway's socket. A file that a killed process has left behind does not count.
listens() {
    grep -q " 00010000 .* $LAB/crigate.sock\$" /proc/net/unix
}

# ---- the gateway comes in ----

@test "pods run on the old runtime, without a gateway" {
    local name pod
    for name in keeper first second; do
        pod=$(run_pod "$name")
        remember "$name" "$pod"
        remember "${name}_web" "$(run_container "$pod" "$name-web" "$SERVE")"
    done
    run_container "$pod" second-aside "exec sleep 6000"
    identities "$LAB_OLD" >"$BATS_FILE_TMPDIR/old"
    [ "$(wc -l <"$BATS_FILE_TMPDIR/old")" = 7 ]
    [ "$(grep -cE "SANDBOX_READY|CONTAINER_RUNNING" "$BATS_FILE_TMPDIR/old")" = 7 ]
}

@test "the gateway is put in front of them: same ids, states and processes" {
    lab_start_gateway "  - {name: old, endpoint: 'unix://$LAB_OLD', primary: true, ids: plain, api: v1alpha2}"
    remember gateway crigate
    lab_point_crictl "$LAB/crigate.sock"
    same "$BATS_FILE_TMPDIR/old"
    [ "$(runtime old .dialect)" = v1alpha2 ]
    [ "$(runtime old .pods)" = 3 ]
    local list
    for list in "pods --output json" "ps --all --output json" "images --output json"; do
        # What v1 calls an image's id is not there in v1alpha2; containerd 1.6 leaves it empty in v1. Nor does it tell which image
        # is pinned: that is composed.
        # shellcheck disable=SC2086
        diff <(at "$LAB_OLD" $list | jq 'del(.. | .imageId?, .pinned?)') \
            <(crictl $list | jq 'del(.. | .imageId?, .pinned?)')
    done
    serves "$keeper_web"
    serves "$first_web"
    serves "$second_web"
}

# ---- two runtimes ----

@test "a drop-in brings in the new runtime for new pods, and the old one gets no more" {
    mkdir "$LAB/crigate.d"
    cat >"$LAB/crigate.d/50-move.yaml" <<EOF
runtimes:
  - {name: old, new_pods: false}
  - {name: new, endpoint: "unix://$LAB_NEW", ids: plain, default: true}
EOF
    lab_wait 10 runtime_is_ready new
    same "$BATS_FILE_TMPDIR/old"

    run ! run_pod unwanted '.annotations["kubernetes.io/target-runtime"] = "old"'
    [[ $output =~ "code = FailedPrecondition desc = crigate: runtime old takes no new pods" ]]
    fresh=$(run_pod fresh)
    remember fresh "$fresh"
    run -0 at "$LAB_NEW" pods --quiet --no-trunc
    [ "$output" = "$fresh" ]
    run -0 at "$LAB_OLD" pods --quiet --no-trunc
    [[ ! $output =~ $fresh ]]
}

@test "its image is pulled to the new runtime, as a kubelet goes about it, although the old one has it" {
    local config=$BATS_FILE_TMPDIR/pod-fresh.json
    run ! at "$LAB_NEW" inspecti "$BUSYBOX"
    crictl inspecti "$BUSYBOX"
    run ! crictl create --no-pull "$fresh" "$(container_config fresh-web "$SERVE")" "$config"
    run ! crictl inspecti "$BUSYBOX"
    [[ $output =~ "no such image" ]]
    crictl pull --pod-config "$config" "$BUSYBOX"
    at "$LAB_NEW" inspecti "$BUSYBOX"
    fresh_web=$(run_container "$fresh" fresh-web "$SERVE")
    remember fresh_web "$fresh_web"
}

@test "both are listed, and serve, by plain ids" {
    identities >"$BATS_FILE_TMPDIR/both"
    diff "$BATS_FILE_TMPDIR/both" <({ cat "$BATS_FILE_TMPDIR/old" && identities "$LAB_NEW"; } | sort)
    [ "$(wc -l <"$BATS_FILE_TMPDIR/both")" = 9 ]
    serves "$keeper_web"
    serves "$fresh_web"
    local use='[.stats[] | .memory.workingSetBytes.value | tonumber > 0] | length == 5 and all'
    lab_wait 10 sh -c "crictl stats --output json | jq --exit-status '$use'"
    run -0 crictl stats --output json
    [ "$(field '.stats[].attributes.id' "$output" | sort)" = "$(crictl ps --quiet --no-trunc | sort)" ]
    local container
    for container in "$keeper_web" "$fresh_web"; do
        run -0 crictl stats --output json --id "$container"
        [ "$(field '.stats | length' "$output")" = 1 ]
        [ "$(field '.stats[0].memory.workingSetBytes.value | tonumber > 0' "$output")" = true ]
    done
    [ "$(crigate owner "$keeper_web") $(crigate owner "$fresh_web")" = "old new" ]
}

# ---- the gateway dies, and is replaced ----

@test "kill -9 of the gateway: calls fail while nobody listens, and not afterwards; running sessions do not notice" {
    local killed back session
    # The session has begun before the kill, and ends after the gateway is back, however slow the machine is.
    local until_told='touch /tmp/session; until [ -e /tmp/back ]; do sleep 0.1; done; echo survived'
    begin_calls
    crictl exec "$keeper_web" sh -c "$until_told" >"$LAB/tmp/session" 3>&- &
    session=$!
    lab_wait 20 crictl exec --sync "$keeper_web" test -e /tmp/session

    killed=${EPOCHREALTIME/[.,]/}
    lab_stop "$gateway" KILL || true
    sleep 0.5
    lab_daemon "$gateway" "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5
    until listens; do
        sleep 0.01
    done
    back=${EPOCHREALTIME/[.,]/}
    lab_wait 60 calls_go_on "$back"
    end_calls

    run -0 failed_calls "$killed" "$back"
    [ -z "$output" ]
    crictl exec --sync "$keeper_web" touch /tmp/back
    wait "$session"
    [ "$(cat "$LAB/tmp/session")" = survived ]
    same "$BATS_FILE_TMPDIR/both"
}

@test "kill -9 of the gateway and its start with nothing remembered: nothing is missing either" {
    lab_stop "$gateway" KILL || true
    rm -rf "$LAB/crigate.state"
    lab_daemon "$gateway" "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5
    lab_wait 10 listens
    run -0 crictl exec --sync "$fresh_web" echo here
    same "$BATS_FILE_TMPDIR/both"
    [ "$(crigate owner "$keeper_web") $(crigate owner "$fresh_web")" = "old new" ]
}

@test "takeover: no call fails, and a long one ends in the process that leaves" {
    local next former begun long
    # What runs long runs as long as the test needs it to.
    local until_told='rm -f /tmp/go; touch /tmp/began; until [ -e /tmp/go ]; do sleep 0.1; done; rm /tmp/began; echo to the end'
    begin_calls
    for next in successor crigate; do
        former=$gateway
        crictl exec --sync "$keeper_web" sh -c "$until_told" >"$LAB/tmp/$former.long" 3>&- &
        long=$!
        lab_wait 20 crictl exec --sync "$keeper_web" test -e /tmp/began
        begun=${EPOCHREALTIME/[.,]/}
        lab_daemon "$next" "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5 --takeover
        remember gateway "$next"
        gateway=$next
        lab_wait 15 grep -q "taken over: this process now serves the socket" "$LAB/$next.log"
        [ ! -e "$LAB/$former.status" ] # it waits for the long call
        crictl exec --sync "$keeper_web" touch /tmp/go
        wait "$long"
        [ "$(cat "$LAB/tmp/$former.long")" = "to the end" ]
        lab_wait 15 test -s "$LAB/$former.status"
        [ "$(cat "$LAB/$former.status")" = 0 ]
        rm "$LAB/$former.pid"
        [ "$(crigate status -o json | jq .pid)" = "$(cat "$LAB/$next.pid")" ]
        lab_wait 60 calls_go_on "$begun"
        mv "$LAB/$former.log" "$LAB/$former-before.log"
    done
    end_calls
    run -0 failed_calls
    [ -z "$output" ]
    same "$BATS_FILE_TMPDIR/both"
}

# ---- the old runtime goes ----

# remove POD: stops and removes a pod with its containers, call by call, as a kubelet does.
remove() {
    local container containers
    containers=$(crictl ps --quiet --no-trunc --pod "$1")
    for container in $containers; do
        crictl stop --timeout 1 "$container"
        crictl rm "$container"
    done
    crictl stopp "$1"
    crictl rmp "$1"
    # shellcheck disable=SC2086
    took_away "$BATS_FILE_TMPDIR/both" "$1" $containers
}

@test "a pod of the old runtime is removed, and the others are as they were" {
    remove "$first"
    same "$BATS_FILE_TMPDIR/both"
    run ! crictl inspectp "$first"
    [[ $output =~ "code = NotFound" ]]
}

@test "the new runtime becomes the primary, and no call fails meanwhile" {
    begin_calls
    cat >"$LAB/crigate.d/50-move.yaml" <<EOF
runtimes:
  - {name: old, new_pods: false, primary: false}
  - {name: new, endpoint: "unix://$LAB_NEW", ids: plain, primary: true}
EOF
    crigate reload
    [ "$(runtime old .role) $(runtime new .role)" = "draining primary" ]
    sleep 1
    end_calls
    run -0 failed_calls
    [ -z "$output" ]
    same "$BATS_FILE_TMPDIR/both"
    later=$(run_pod later)
    remember later_web "$(run_container "$later" later-web "$SERVE")"
    [ "$(crigate owner "$later")" = new ]
    identities >"$BATS_FILE_TMPDIR/both"
}

@test "the old runtime is not taken out of the map while it owns pods" {
    rm "$LAB/crigate.d/50-move.yaml"
    lab_map "  - {name: new, endpoint: 'unix://$LAB_NEW', primary: true}" >"$LAB/crigate.yaml.new"
    mv "$LAB/crigate.yaml.new" "$LAB/crigate.yaml"
    run -1 crigate reload
    [[ $output =~ "runtime old would be removed, but still owns 2 pods" ]]
    same "$BATS_FILE_TMPDIR/both"
    serves "$keeper_web"

    remove "$second"
    run -1 crigate reload
    [[ $output =~ "runtime old would be removed, but still owns 1 pods" ]]
    same "$BATS_FILE_TMPDIR/both"
}

@test "empty, it is taken out, and ended" {
    remove "$keeper"
    run -0 at "$LAB_OLD" pods --quiet
    [ -z "$output" ]
    crigate reload
    [ "$(crigate status -o json | jq -c '[.runtimes[].name]')" = '["new"]' ]
    lab_stop old
    run -0 crigate status
    same "$BATS_FILE_TMPDIR/both"
}

# ---- the gateway goes ----

@test "without the gateway, the new runtime shows the same ids and processes" {
    lab_stop "$gateway"
    [ ! -e "$LAB/crigate.sock" ]
    same "$BATS_FILE_TMPDIR/both" "$LAB_NEW"
    [ "$(wc -l <"$BATS_FILE_TMPDIR/both")" = 4 ]
    lab_point_crictl "$LAB_NEW"
    serves "$fresh_web"
    serves "$later_web"
}
