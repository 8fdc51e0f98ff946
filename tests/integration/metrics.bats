#!/usr/bin/env bats
# Metrics: what is counted, which series there are, and the sockets on which they are served.

load gateway
load plugins

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    start_runtime main v1
    start_runtime vm.local v1_9
    write_map main vm.local
    add_to_map "metrics: {listen: \"unix://$PWD/metrics.sock\"}"
}

# scrape [PATH [OPTION...]]: what the running gateway answers.
scrape() {
    local path=${1:-metrics}
    shift $(($# > 0))
    curl --silent --show-error --fail --max-time 20 --unix-socket metrics.sock "$@" "http://localhost/$path"
}

# value SERIES: the value of one series; nothing if there is none.
value() {
    scrape | awk -v series="$1" 'index($0, series " ") == 1 { print substr($0, length(series) + 2) }'
}

# has SERIES VALUE: whether it has that value.
has() {
    [ "$(value "$1")" = "$2" ]
}

# total PREFIX: the sum of all series that begin with that.
total() {
    scrape | awk -v prefix="$1" 'index($0, prefix) == 1 { sum += $NF } END { print sum + 0 }'
}

# series: the names and labels of all of them.
series() {
    scrape | sed -e '/^#/d' -e 's/ [^ ]*$//'
}

take_over() {
    PIDS[old]=${PIDS[crigate]}
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "taken over: this process now serves" crigate.log
}

# left TEXT: whether no line has it.
left() {
    ! scrape | grep -q "$1"
}

reload() {
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
}

@test "counts equal what the runtimes were asked" {
    start_node
    eventually 10 runtime_ready vm.local
    for name in a b c; do
        run_pod "$(pod $name)"
        run_pod "$(pod "$name-vm" "$(to vm.local)")"
    done
    run -5 call PodSandboxStatus '{"podSandboxId": "none"}'
    for runtime in main vm.local; do
        [ "$(asked $runtime RunPodSandbox)" = 3 ]
        eventually 10 has "crigate_upstream_duration_seconds_count{method=\"RunPodSandbox\",runtime=\"$runtime\"}" 3
        eventually 10 has "crigate_rpc_duration_seconds_count{method=\"RunPodSandbox\",runtime=\"$runtime\"}" 3
        eventually 10 has "crigate_upstream_duration_seconds_bucket{method=\"RunPodSandbox\",runtime=\"$runtime\",le=\"+Inf\"}" 3
    done
    eventually 10 has 'crigate_rpc_requests_total{method="RunPodSandbox",runtime="main",caller_api="v1",runtime_api="v1",code="OK"}' 3
    eventually 10 has 'crigate_rpc_requests_total{method="RunPodSandbox",runtime="vm.local",caller_api="v1",runtime_api="v1_9",code="OK"}' 3
    eventually 10 has 'crigate_rpc_requests_total{method="PodSandboxStatus",runtime="main",caller_api="v1",runtime_api="v1",code="NOT_FOUND"}' 1
    eventually 10 has 'crigate_pods{runtime="main"}' 3
    eventually 10 has 'crigate_pods{runtime="vm.local"}' 3
    call ListPodSandbox
    eventually 10 has 'crigate_rpc_requests_total{method="ListPodSandbox",runtime="*",caller_api="v1",runtime_api="*",code="OK"}' 1
    eventually 10 has crigate_rpc_in_flight 0
}

@test "10,000 invented methods make no new series" {
    start_node
    crowd() {
        "$CRIGATE_BUILD/crowd" "unix://$PWD/crigate.sock" invented '{}' "$1" 60000
    }
    crowd 10
    eventually 10 has 'crigate_rpc_requests_total{method="other",runtime="",caller_api="",runtime_api="",code="UNIMPLEMENTED"}' 5
    series >before
    for _ in 1 2 3 4 5; do
        crowd 2000
    done
    all_are_counted() {
        [ "$(total 'crigate_rpc_requests_total{method="other"')" -ge 10010 ]
    }
    eventually 10 all_are_counted
    series >after
    diff before after
}

@test "a call whose request never comes counts for its method" {
    start_node
    run -3 call --no-message --raw /runtime.v1.RuntimeService/PullImage
    run -3 call --no-message --raw /runtime.v1alpha2.ImageService/PullImage
    eventually 10 has 'crigate_rpc_requests_total{method="PullImage",runtime="",caller_api="v1alpha2",runtime_api="",code="INVALID_ARGUMENT"}' 1
    eventually 10 has 'crigate_rpc_requests_total{method="other",runtime="",caller_api="v1",runtime_api="",code="INVALID_ARGUMENT"}' 1
}

@test "a call that lasts is seen while it lasts" {
    stop main
    start_runtime main v1 --hang PullImage
    start_node
    start_call pull PullImage '{"image": {"image": "docker.io/library/busybox:latest"}}'
    eventually 10 has 'crigate_upstream_in_flight{runtime="main"}' 1
    [[ $(value 'crigate_rpc_oldest_seconds{runtime="main",method="PullImage"}') =~ ^[0-9.e-]+$ ]]
    crash pull
    eventually 10 has 'crigate_rpc_requests_total{method="PullImage",runtime="main",caller_api="v1",runtime_api="v1",code="CANCELLED"}' 1
    eventually 10 left crigate_rpc_oldest_seconds
}

@test "after a reconnect, what the runtime reports of itself is replaced" {
    start_node
    eventually 10 runtime_ready vm.local
    scrape | grep -q '^crigate_runtime_info{runtime="vm.local",name="crisim",'
    eventually 10 has 'crigate_runtime_reconnects_total{runtime="vm.local"}' 0
    stop vm.local
    eventually 10 has 'crigate_runtime_up{runtime="vm.local"}' 0
    run -0 scrape readyz # the primary is there
    start_runtime vm.local v1 --name "$(printf 'a"b\\c%0100d' 7)" --runtime-version 9.9
    eventually 10 has 'crigate_runtime_up{runtime="vm.local"}' 1
    [ "$(scrape | grep -c '^crigate_runtime_info{runtime="vm.local"')" = 1 ]
    scrape | grep -F 'crigate_runtime_info{runtime="vm.local",name="a\"b\\c' | grep -F 'version="9.9",api="v1"} 1'
    [ "$(scrape | grep '^crigate_runtime_info{runtime="vm.local"' | wc -c)" -lt 160 ] # it is cut
    eventually 10 has 'crigate_runtime_reconnects_total{runtime="vm.local"}' 1
}

@test "a primary that is away makes it not ready, and is still healthy" {
    start_node
    eventually 10 scrape readyz
    stop main
    eventually 10 has 'crigate_runtime_up{runtime="main"}' 0
    run ! scrape readyz
    scrape healthz
}

@test "a runtime that leaves the map takes its series away" {
    start_node
    eventually 10 runtime_ready vm.local
    call ListPodSandbox
    series | grep -q 'runtime="vm.local"'
    write_map main
    add_to_map "metrics: {listen: \"unix://$PWD/metrics.sock\"}"
    reload
    eventually 10 left vm.local
}

@test "refused and dropped fields are counted" {
    start_node
    eventually 10 runtime_ready vm.local
    run -3 call RunPodSandbox "{\"config\":$(pod web "$(to vm.local)" | jq -c '.linux.security_context.namespace_options.userns_options = {"mode": "POD"}')}"
    scrape | grep '^crigate_translation_refused_total{.*runtime="vm.local"} 1$'
}

@test "a reload opens, moves and closes the socket; a refused map is seen" {
    write_map main
    start_node
    [ ! -e metrics.sock ]
    add_to_map "metrics: {listen: \"unix://$PWD/metrics.sock\", mode: '0640'}"
    reload
    eventually 10 scrape healthz
    [ "$(stat -c %a metrics.sock)" = 640 ]
    local hash
    hash=$(value crigate_config_hash)
    cp crigate.yaml good.yaml
    add_to_map 'nonsense: 1'
    run -1 reload
    eventually 10 has crigate_config_last_reload_successful 0
    eventually 10 has crigate_config_hash "$hash"
    mv good.yaml crigate.yaml
    reload
    eventually 10 has crigate_config_last_reload_successful 1
    sed -i 's/metrics.sock/other.sock/' crigate.yaml
    reload
    eventually 10 curl --silent --fail --unix-socket other.sock http://localhost/metrics
    [ ! -e metrics.sock ]
    sed -i '/^metrics:/d' crigate.yaml
    reload
    eventually 10 test ! -e other.sock
    call Version
}

@test "an address that is taken stops nothing, and is tried again" {
    mkdir metrics.sock
    start_node
    call Version
    eventually 10 grep -q "metrics: .*metrics.sock exists and is not a socket; trying again" crigate.log
    rmdir metrics.sock
    eventually 10 scrape healthz
    [ "$(grep -c "exists and is not a socket" crigate.log)" = 1 ]
}

@test "a takeover hands the socket on: no scrape fails" {
    start_node
    eventually 10 scrape healthz
    local inode
    inode=$(stat -c %i metrics.sock)
    (while [ ! -e enough ]; do scrape >/dev/null || touch failed; done) 3>&- &
    local scraper=$!
    take_over
    eventually 20 ended old
    wait "${PIDS[old]}"
    unset "PIDS[old]"
    scrape >/dev/null
    touch enough
    wait "$scraper"
    [ ! -e failed ]
    [ "$(stat -c %i metrics.sock)" = "$inode" ]
    stop crigate
    [ ! -e metrics.sock ]
}

@test "crigate status prints the same, without the process" {
    start_node
    "$CRIGATE_BUILD/crigate" status -o prometheus --control state/control.sock >printed
    grep -q '^crigate_runtime_up{runtime="main"} 1$' printed
    run ! grep '^process_' printed
    scrape | sed -e '/^#/d' -e 's/[{ ].*//' | grep -v '^process_' | sort -u >served
    sed -e '/^#/d' -e 's/[{ ].*//' printed | sort -u | diff - served
    stop crigate
    run -2 "$CRIGATE_BUILD/crigate" status -o prometheus --control state/control.sock
}

# Forty busy runtimes have as much.
@test "crigate status prints metrics of many megabytes" {
    mkdir state
    start server python3 -c '
import json, os, socket
listening = socket.socket(socket.AF_UNIX)
listening.bind("state/new.sock")
listening.listen()
os.rename("state/new.sock", "state/control.sock")
connection, _ = listening.accept()
connection.recv(4096)
connection.sendall(json.dumps({"metrics": "x{a=\"b\"} 1\n" * 1000000}).encode() + b"\n")'
    eventually 10 test -S state/control.sock
    "$CRIGATE_BUILD/crigate" status -o prometheus --control state/control.sock >printed
    [ "$(grep -c '^x{a="b"} 1$' printed)" = 1000000 ]
    finish server
}

@test "hostile HTTP delays no call and takes no memory" {
    start_node
    eventually 10 scrape healthz
    local before
    (while [ ! -e enough ]; do
        curl --silent --output /dev/null --unix-socket metrics.sock -H "X: $(printf '%090000d' 1)" http://localhost/metrics || true
        curl --silent --output /dev/null --unix-socket metrics.sock --data "@$CRIGATE_BUILD/crisim" http://localhost/metrics || true
    done) 3>&- &
    local flood=$!
    for _ in $(seq 20); do
        call Version >/dev/null
    done
    before=$(value process_resident_memory_bytes)
    for _ in $(seq 60); do
        call Version >/dev/null
    done
    touch enough
    wait "$flood"
    # Sanitizers keep what was freed.
    ! plain_build || [ "$(value process_resident_memory_bytes)" -lt $((before + 16 * 1024 * 1024)) ]
    eventually 10 has 'crigate_rpc_requests_total{method="Version",runtime="main",caller_api="v1",runtime_api="v1",code="OK"}' 80
}

@test "--check-config reports what the unit needs for a port, and who can reach it" {
    sed -i 's#^metrics:.*#metrics: {listen: "0.0.0.0:9464"}#' crigate.yaml
    run -0 "$CRIGATE_BUILD/crigate" --check-config crigate.yaml
    [[ $output == *"warning: metrics.listen: anyone who reaches 0.0.0.0:9464 can read the metrics"* ]]
    [[ $output == *"note: crigate.service has no network: for metrics.listen, 0.0.0.0:9464, it needs a drop-in with RestrictAddressFamilies=AF_INET "* ]]
    # Who else may connect must be said: there is no command that is right.
    [[ $output != *"daemon-reload"* ]]
    sed -i 's#^metrics:.*#metrics: {listen: "unix:///run/crigate/metrics.sock"}#' crigate.yaml
    run -0 "$CRIGATE_BUILD/crigate" --check-config crigate.yaml
    [[ $output != *metrics* ]]
}

@test "hooks are counted as the plugin saw them; a plugin that leaves takes its series away" {
    hooks_on
    start_plugin one
    start_node
    eventually 10 knows_plugins one
    run_pod "$(pod a)"
    run_pod "$(pod b)"
    [ "$(times_hooked one PreRunPodSandbox)" = 2 ]
    eventually 10 has 'crigate_hook_duration_seconds_count{plugin="one.json",stage="PreRunPodSandbox",result="ok"}' 2
    has 'crigate_plugin_up{plugin="one.json"}' 1
    stop one
    rm -f plugins/one.json
    eventually 10 left 'plugin="one'
}

@test "events that callers get are counted" {
    start_node
    start_call listener GetContainerEvents
    eventually 10 has crigate_rpc_in_flight 1
    run_pod "$(pod a)"
    some_events() {
        [ "$(value crigate_events_total)" -gt 0 ]
    }
    eventually 10 some_events
    crash listener
}
