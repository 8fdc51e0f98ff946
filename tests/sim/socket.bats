#!/usr/bin/env bats
# The simulated runtime at its socket, asked by `crigate call`. CRIGATE_BUILD names the folder of the programs.

bats_require_minimum_version 1.5.0

load ../eventually

setup() {
    set +T # see eventually.bash
    SOCKET="$BATS_TEST_TMPDIR/crisim.sock"
    JOURNAL="$BATS_TEST_TMPDIR/journal"
    LOG="$BATS_TEST_TMPDIR/log"
}

teardown() {
    if [ -n "${PID:-}" ]; then
        stop_crisim
    fi
}

# start_crisim OPTION...: starts one and waits until it listens.
start_crisim() {
    "$CRIGATE_BUILD/crisim" --listen "unix://$SOCKET" --journal "$JOURNAL" "$@" >"$LOG" 2>&1 3>&- &
    PID=$!
    for _ in $(seq 300); do
        if grep -q "^crisim: listening on " "$LOG"; then
            return 0
        fi
        sleep 0.1
    done
    cat "$LOG"
    return 1
}

# Fails when the program did not end with 0, as it does not after a leak in a sanitized build.
stop_crisim() {
    local pid=$PID
    PID=
    kill -TERM "$pid"
    wait "$pid" || { cat "$LOG"; return 1; }
}

# call DIALECT METHOD [JSON]
call() {
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$SOCKET" --compact --timeout 20s --api "$@"
}

# life DIALECT: a whole pod, from pull to remove.
life() {
    local pod container pod_config='{"metadata":{"name":"web","uid":"u1","namespace":"shop"},"logDirectory":"/var/log/pods/web"}'
    call "$1" PullImage '{"image":{"image":"busybox"}}'
    pod=$(call "$1" RunPodSandbox "{\"config\":$pod_config}" | jq -r .podSandboxId)
    container=$(call "$1" CreateContainer "{\"podSandboxId\":\"$pod\",\"sandboxConfig\":$pod_config,
        \"config\":{\"metadata\":{\"name\":\"main\"},\"image\":{\"image\":\"busybox\"},\"logPath\":\"main.log\"}}" | jq -r .containerId)
    call "$1" StartContainer "{\"containerId\":\"$container\"}"
    [ "$(call "$1" ExecSync "{\"containerId\":\"$container\",\"cmd\":[\"echo\",\"hello\"]}" | jq -r '.stdout | @base64d')" = hello ]
    [ "$(call "$1" ContainerStatus "{\"containerId\":\"$container\"}" | jq -r '.status.state + .status.logPath')" = \
        CONTAINER_RUNNING/var/log/pods/web/main.log ]
    [ "$(call "$1" ListContainers "{\"filter\":{\"podSandboxId\":\"$pod\"}}" | jq -r '.containers[].id')" = "$container" ]
    [ "$(call "$1" ListContainerStats | jq -r '.stats[].attributes.id')" = "$container" ]
    call "$1" StopContainer "{\"containerId\":\"$container\",\"timeout\":\"1\"}"
    [ "$(call "$1" ContainerStatus "{\"containerId\":\"$container\"}" | jq -r '.status | .state + " \(.exitCode)"')" = \
        "CONTAINER_EXITED 143" ]
    call "$1" StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    call "$1" RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    [ "$(call "$1" ListPodSandbox)" = "{}" ]
    run -5 call "$1" ContainerStatus "{\"containerId\":\"$container\"}"
}

@test "a pod lives and dies in v1_9" {
    start_crisim --api v1_9
    life v1_9
}

@test "a pod lives and dies in v1_12" {
    start_crisim --api v1_12
    life v1_12
}

@test "a pod lives and dies in v1alpha2" {
    start_crisim --api v1alpha2
    life v1alpha2
}

@test "a pod lives and dies in v1" {
    start_crisim --api v1
    life v1
}

@test "a dialect that was not asked for is an unknown service" {
    start_crisim --api v1_9,v1alpha2
    call v1_9 Version
    call v1alpha2 Version
    run -12 call v1 Version
    [[ $output =~ "unknown service runtime.v1.RuntimeService" ]]
}

@test "the image service can have a socket of its own" {
    start_crisim --api v1 --image-listen "unix://$SOCKET.images"
    call v1 Version
    run -12 call v1 ListImages
    [[ $output =~ "unknown service runtime.v1.ImageService" ]]
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$SOCKET.images" ListImages
    stop_crisim
    [ ! -e "$SOCKET.images" ]
}

@test "a call that hangs holds no other up, and the journal tells its end" {
    start_crisim --api v1 --hang Status
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$SOCKET" --timeout 12s Status 3>&- &
    local hanging=$!
    eventually 20 grep -q PENDING "$JOURNAL"
    call v1 Version
    kill -0 "$hanging"
    local code=0
    wait "$hanging" || code=$?
    [ "$code" -eq 4 ]
    eventually 20 grep -q CANCELLED "$JOURNAL"
    [ "$(jq -r 'select(.method | endswith("/Status")) | .code' "$JOURNAL" | paste -sd ' ')" = "PENDING CANCELLED" ]
    [ "$(jq 'select(.code == "PENDING") | .timeout_ms > 0 and .timeout_ms <= 12200' "$JOURNAL")" = true ]
}

@test "calls that take long take it at the same time" {
    start_crisim --api v1 --latency 4000
    local start=$EPOCHREALTIME pids=() pid
    for _ in 1 2 3 4; do
        call v1 Version 3>&- &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid"
    done
    local milliseconds=$(((${EPOCHREALTIME/./} - ${start/./}) / 1000))
    [ "$milliseconds" -ge 4000 ]
    [ "$milliseconds" -lt 15000 ] # one after the other would take 16 s
}

@test "a method fails as often as told" {
    start_crisim --api v1 --fail Version=UNAVAILABLE:2
    run -14 call v1 Version
    run -14 call v1 Version
    call v1 Version
}

@test "an answer can be garbage, or big" {
    start_crisim --api v1 --garbage RuntimeConfig --oversize Status=5000000
    run -13 call v1 RuntimeConfig
    [ "$(call v1 Status | wc -c)" -gt 5000000 ]
}

@test "the journal holds request, metadata, unknown fields and code" {
    start_crisim --api v1
    # filter { id: "a", 99: 1 }
    printf '\x0a\x06\x0a\x01a\x98\x06\x01' >"$BATS_TEST_TMPDIR/request"
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$SOCKET" --metadata color=red --metadata blob-bin=AAE= \
        --raw-request "$BATS_TEST_TMPDIR/request" ListContainers
    run -5 call v1 PodSandboxStatus '{"podSandboxId":"x"}'
    jq -se '.[0] | .method == "/runtime.v1.RuntimeService/ListContainers" and .request == {"filter":{"id":"a"}} and
        .metadata.color == "red" and .metadata["blob-bin"] == "AAE=" and .code == "OK" and .unknown_fields == 1 and
        .request_base64 == "CgYKAWGYBgE=" and (has("timeout_ms") | not)' "$JOURNAL"
    jq -se '.[1] | .code == "NOT_FOUND" and (.message | endswith("not found"))' "$JOURNAL"
}

@test "a part of a line that a killed process left in the journal is a line of its own" {
    printf '{"method":"/runtime' >"$JOURNAL"
    start_crisim --api v1
    call v1 Version
    stop_crisim
    start_crisim --api v1
    call v1 Version
    [ "$(head -n 1 "$JOURNAL")" = '{"method":"/runtime (cut off)' ]
    sed 1d "$JOURNAL" | jq -se '[.[].code] == ["OK", "OK"]'
}

@test "a request without a message gets an answer" {
    start_crisim --api v1
    run -13 "$CRIGATE_BUILD/crigate" call --endpoint "unix://$SOCKET" --no-message Version
    call v1 Version
}

@test "events tell what becomes of pods and containers" {
    start_crisim --api v1
    call v1 GetContainerEvents >"$BATS_TEST_TMPDIR/events" 3>&- &
    local subscriber=$!
    eventually 20 grep -q GetContainerEvents "$JOURNAL"
    life v1
    eventually 20 eval '[ "$(grep -c CONTAINER_DELETED_EVENT "$BATS_TEST_TMPDIR/events")" = 2 ]'
    kill "$subscriber"
    wait "$subscriber" || true
    [ "$(jq -r '.containerEventType // "CONTAINER_CREATED_EVENT"' "$BATS_TEST_TMPDIR/events" | sort | uniq -c |
        awk '{ printf "%s=%s ", $2, $1 }')" = \
        "CONTAINER_CREATED_EVENT=2 CONTAINER_DELETED_EVENT=2 CONTAINER_STARTED_EVENT=2 CONTAINER_STOPPED_EVENT=2 " ]
    # The one that is left must not be written to any more.
    life v1
}

@test "a streamed list comes in parts and ends" {
    start_crisim --api v1 --containers 250
    [ "$(call v1 StreamContainers | wc -l)" -eq 3 ]
    [ "$(call v1 StreamContainers | jq '.containers | length' | paste -sd +)" = 100+100+50 ]
}

@test "stream URLs come in three styles" {
    local style expected=
    for style in full host path; do
        start_crisim --api v1 --containers 1 --stream-url-style "$style" --stream-port 4321
        id=$(call v1 ListContainers | jq -r '.containers[0].id')
        call v1 Exec "{\"containerId\":\"$id\",\"cmd\":[\"sh\"]}" | jq -r .url >>"$BATS_TEST_TMPDIR/urls"
        stop_crisim
    done
    [ "$(sed 's/[0-9a-f]\{8\}$/TOKEN/' "$BATS_TEST_TMPDIR/urls" | paste -sd ' ')" = \
        "http://127.0.0.1:4321/exec/TOKEN //[::]:4321/cri/exec/TOKEN /cri/exec/TOKEN" ]
}

@test "the socket has the mode asked for, goes at the end, and a stale one is replaced" {
    start_crisim --api v1 --unix-mode 0600
    [ "$(stat -c %a "$SOCKET")" = 600 ]
    kill -KILL "$PID"
    wait "$PID" || true
    PID=
    [ -S "$SOCKET" ]
    start_crisim --api v1
    call v1 Version
    stop_crisim
    [ ! -e "$SOCKET" ]
}

@test "a socket that somebody listens on is left alone" {
    start_crisim --api v1
    run -1 "$CRIGATE_BUILD/crisim" --listen "unix://$SOCKET" --api v1
    [[ $output =~ "another program is listening there" ]]
    call v1 Version
}

@test "wrong options are told and answered with 2" {
    run -2 "$CRIGATE_BUILD/crisim"
    [[ $output =~ "--listen and --api are needed" ]]
    run -2 "$CRIGATE_BUILD/crisim" --listen unix:relative --api v1
    [[ $output =~ "expected unix:///absolute/path" ]]
    run -2 "$CRIGATE_BUILD/crisim" --listen unix:///x --api v2
    [[ $output =~ "expected v1_9, v1_12, v1alpha2 or v1" ]]
    run -2 "$CRIGATE_BUILD/crisim" --listen unix:///x --api v1 --fail Nothing=UNKNOWN
    [[ $output =~ "expected the name of an RPC" ]]
    run -2 "$CRIGATE_BUILD/crisim" --listen unix:///x --api v1 --fail Version=BAD
    [[ $output =~ "expected the name of a gRPC status code" ]]
    run -0 "$CRIGATE_BUILD/crisim" --help
    run -0 "$CRIGATE_BUILD/crisim" --version
}
