#!/usr/bin/env bats
# What the log tells at each level, and what it never tells.

load gateway

# all_kinds: a failed call, one that changes state, one of status and one of a list.
all_kinds() {
    run -5 call ContainerStatus '{"containerId":"nowhere"}'
    run_pod "$(pod web)"
    call Status
    call ListContainers
}

# told METHOD: how many lines tell of such calls.
told() {
    grep -cE "Z [0-9] $1( |$)" crigate.log || true
}

# node LEVEL [OPTION...]
node() {
    start_runtime main v1
    write_map main
    start_crigate -v "$@"
    eventually 10 call --timeout 2s Version
    all_kinds
}

@test "level 0 is silent" {
    node 0
    [ ! -s crigate.log ]
}

@test "level 1 tells of starting, of stopping and of runtimes" {
    node 1
    grep -q "crigate .* serves unix://.*/crigate.sock for 1 runtime, primary main" crigate.log
    grep -q "runtime main: ready" crigate.log
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "0 0 0 0" ]
    stop crigate
    tail -n 1 crigate.log | grep -q "stopped"
}

@test "level 2 tells of failed calls" {
    node 2
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "1 0 0 0" ]
    grep " ContainerStatus " crigate.log | grep -q 'code=NOT_FOUND .*runtimes=\["main"\] reason=.*nowhere'
    run ! grep -q request= crigate.log
}

@test "level 3 tells of calls that change state: when they begin, with the request, and when they end, with the response" {
    local id
    node 3
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "1 1 0 0" ]
    grep "begin RunPodSandbox" crigate.log | grep 'request=.*"name":"web"' >begun
    grep "Z 3 RunPodSandbox" crigate.log | grep 'code=OK .*response=.*podSandboxId' >ended
    # One number joins the two, and nothing is in both.
    id=$(grep -o 'call=[0-9]*' begun)
    [ "$id" = "$(grep -o 'call=[0-9]*' ended)" ]
    run ! grep -q response= begun
    run ! grep -q request= ended
    # A call that is logged only because it failed has no beginning.
    [ "$(grep -c "begin " crigate.log)" = 1 ]
}

@test "a call that hangs is in the log from level 3 on" {
    start_runtime main v1 --hang RunPodSandbox
    write_map main
    start_node -v 3
    start_call caller RunPodSandbox "{\"config\":$(pod web)}"
    eventually 10 grep -q 'begin RunPodSandbox .*"name":"web"' crigate.log
    [ "$(told RunPodSandbox)" = 0 ]
    crash caller
    eventually 10 grep -q 'Z 2 RunPodSandbox .*code=CANCELLED' crigate.log
}

# ---- another level for a while ----

# log ARGUMENT...: crigate log for this test's crigate.
log() {
    "$CRIGATE_BUILD/crigate" log --config crigate.yaml "$@"
}

@test "crigate log changes the level for a while, says who did, and what it never shows stays hidden" {
    start_runtime main v1
    write_map main
    start_node -v 1
    [ "$(log)" = "level 1" ]
    [ "$(log 5 --for 30m)" = "level 5 for 1800 s, then 1" ]
    grep -q "the log level was changed temporarily level=5 milliseconds=1[78][0-9]* pid=[0-9]* uid=$(id -u)$" crigate.log
    call PullImage "{\"image\":{\"image\":\"app:1\"},\"auth\":$AUTH}"
    [ "$(told PullImage)" = 1 ]
    [ "$(log default)" = "level 1" ]
    call ListContainers
    [ "$(told ListContainers)" = 0 ]
    # It ends by itself.
    log 5 --for 1s
    eventually 10 grep -q "the log level is 1 again" crigate.log
    call ListContainers
    [ "$(told ListContainers)" = 0 ]
    secret_free
}

@test "crigate log refuses what makes no sense" {
    start_runtime main v1
    write_map main
    start_node -v 1
    run -64 log 6
    run -64 log 3 --for 25h
    run -64 log 3 --for 0s
    run -64 log --for 10m
    run -64 log 3 --pod a --runtime b
    run -1 log 3 --runtime nobody
    [[ $output =~ "no runtime of that name" ]]
    [ "$(log)" = "level 1" ]
    stop crigate
    run -2 log 3
}

@test "crigate log for one runtime shows that one's calls only" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node -v 1
    [ "$(log 3 --runtime vm.local --for 1h)" = "level 3 for the runtime vm.local for 3600 s, then 1" ]
    call PullImage '{"image":{"image":"app:1"}}'
    call PullImage '{"image":{"image":"vm.local/app:2"}}'
    [ "$(told PullImage)" = 1 ]
    grep "begin PullImage" crigate.log | grep -q 'vm.local/app:2'
}

@test "crigate log for one pod shows the calls for it and its containers only" {
    local uid config id other
    start_runtime main v1
    write_map main
    start_node -v 1
    pull busybox
    config=$(pod web)
    other=$(run_pod "$(pod other)")
    id=$(run_pod "$config")
    uid=$(jq -r .metadata.uid <<<"$config")
    log 5 --pod "$uid"
    # A list shows which id the pod has, but is no call for it.
    call ListPodSandbox
    [ "$(told ListPodSandbox)" = 0 ]
    call PodSandboxStatus "{\"podSandboxId\":\"$other\"}"
    [ "$(told PodSandboxStatus)" = 0 ]
    call PodSandboxStatus "{\"podSandboxId\":\"$id\"}"
    [ "$(told PodSandboxStatus)" = 1 ]
    create_container "$id" "$config" busybox
    [ "$(told CreateContainer)" = 1 ]
    call StartContainer "{\"containerId\":\"$(call ListContainers | jq -r '.containers[0].id')\"}"
    [ "$(told StartContainer)" = 1 ]
}

@test "another level survives a takeover" {
    start_runtime main v1
    write_map main
    start_node -v 1
    log 3 --for 2h
    start heir "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 20 grep -q "taken over: " heir.log
    finish crigate
    [[ "$(log)" =~ ^"level 3 for 7"[0-9]+" s, then 1"$ ]]
    call PullImage '{"image":{"image":"app:1"}}'
    grep -q "begin PullImage" heir.log
    log default
    stop heir
}

# ---- the journal ----

# with_journal COMMAND...: under a standard error that a journal reads, in a mount namespace of its own whose /run has a socket like
# journald's. What arrives there is in `entries`, one JSON object each.
with_journal() {
    exec unshare --mount bash -eu -c '
        mount -t tmpfs none /run
        mkdir -p /run/systemd/journal
        python3 "$0" /run/systemd/journal/socket entries >/dev/null &
        for ((i = 0; i < 100; i++)); do [ ! -S /run/systemd/journal/socket ] || break; sleep 0.1; done
        exec 2>>stderr.txt
        export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)
        exec "$@"' "$BATS_TEST_DIRNAME/fake_journal.py" "$@"
}

@test "journald gets priorities and fields" {
    start_runtime main v1
    write_map main
    : >entries
    start crigate with_journal "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3
    eventually 10 call --timeout 2s Version
    all_kinds
    eventually 10 jq -se 'any(.[]; .CRIGATE_METHOD == ["RunPodSandbox"] and .CRIGATE_CODE == ["OK"])' entries
    jq -se '[.[] | select(.CRIGATE_METHOD == ["RunPodSandbox"])] | length == 2 and all(.[]; .PRIORITY == ["6"]) and
        .[0].CRIGATE_CALL == .[1].CRIGATE_CALL and .[1].CRIGATE_RUNTIME == ["main"] and
        (.[0].MESSAGE[0] | startswith("begin RunPodSandbox ") and contains("request="))' entries
    # journalctl -p warning: what is wrong, and nothing else.
    jq -se '[.[] | select((.PRIORITY[0] | tonumber) <= 4)] | length == 1 and .[0].CRIGATE_METHOD == ["ContainerStatus"] and
        .[0].CRIGATE_CODE == ["NOT_FOUND"]' entries
    jq -se 'any(.[]; .CRIGATE_RUNTIME == ["main"] and .PRIORITY == ["5"] and (.MESSAGE[0] | startswith("runtime main: ready")))' entries
    jq -se 'all(.[]; .SYSLOG_IDENTIFIER == ["crigate"])' entries
    [ ! -s stderr.txt ]
}

@test "without journald's socket, lines go to standard error with their priority" {
    start_runtime main v1
    write_map main
    : >stderr.txt
    # shellcheck disable=SC2016
    start crigate unshare --mount bash -eu -c '
        mount -t tmpfs none /run
        exec 2>>stderr.txt
        export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)
        exec "$@"' _ "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 grep -q "^<5>crigate .* serves unix://" stderr.txt
}

# ---- the audit file ----

# audit_map: of `main`, with an audit file.
audit_map() {
    write_map main
    printf 'audit: {path: %s/audit.log}\n' "$PWD" >>crigate.yaml
}

@test "each call that changes something has a line in the audit file, without a secret" {
    start_runtime main v1
    audit_map
    start_node
    pull busybox
    run -2 call PullImage "{\"image\":{\"image\":\"https://alice:hunter2@registry.example/app:1\"},\"auth\":$AUTH}"
    call PullImage '{"image":{"annotations":{"token":"hunter2"}}}' || true # an image without a name
    run_pod "$(pod web)"
    call ListContainers
    call Status
    stop crigate
    [ "$(stat -c %a audit.log)" = 600 ]
    jq -se 'map(.method) | index("ListContainers") == null and index("Status") == null and index("PullImage") != null' audit.log
    jq -se "any(.[]; .method == \"RunPodSandbox\" and .metadata.name == \"web\" and .code == \"OK\" and .runtimes == [\"main\"] and
        .caller.uid == $(id -u) and .caller.pid > 0 and .caller.program == \"crigate\" and (.podSandboxId | length) > 0)" audit.log
    run ! grep -aE 'hunter2|opensesame|bearer-of-all|refresh-me' audit.log
}

# waits_in STATE: whether a call does.
waits_in() {
    "$CRIGATE_BUILD/crigate" calls -o json --config crigate.yaml | jq -e --arg state "$1" 'any(.calls[]; .state == $state)'
}

@test "a call whose caller hangs up has an end in the log and a line in the audit file, wherever it was" {
    start_runtime vm.local v1
    GRACE=60s write_map main "vm.local, ids: plain, budget: 1m"
    printf 'audit: {path: %s/audit.log}\n' "$PWD" >>crigate.yaml
    start_crigate -v 3
    start_call parked PullImage '{"image":{"image":"parked:1"}}'
    eventually 10 waits_in "waiting for the primary"
    crash parked
    eventually 10 eval 'jq -se "length == 1 and .[0].method == \"PullImage\" and .[0].code == \"CANCELLED\"" audit.log'

    start_runtime main v1 --hang RunPodSandbox
    eventually 15 runtime_ready main
    eventually 15 runtime_ready vm.local
    start_call asked RunPodSandbox "{\"config\":$(pod web)}"
    eventually 10 waits_in asking
    crash asked
    eventually 10 eval 'jq -se "length == 2 and .[1].metadata.name == \"web\" and .[1].code == \"CANCELLED\" and .[1].caller.pid > 0" audit.log'

    kill -STOP "${PIDS[vm.local]}"
    start_call searched StopContainer '{"containerId":"0123456789abcdef"}'
    eventually 10 waits_in "finding the owner"
    crash searched
    kill -CONT "${PIDS[vm.local]}"
    eventually 10 eval 'jq -se "length == 3 and .[2].method == \"StopContainer\"" audit.log'
    # Each beginning has its end.
    diff <(grep -o 'begin .* call=[0-9]*' crigate.log | grep -o '[0-9]*$') <(grep 'milliseconds=' crigate.log | grep -v There | grep -o 'call=[0-9]*' | cut -d= -f2)
}

@test "SIGUSR1 has the audit file opened again, and a link in its place is not followed" {
    start_runtime main v1
    audit_map
    start_node
    pull one
    eventually 10 grep -q PullImage audit.log
    mv audit.log audit.log.1
    kill -USR1 "${PIDS[crigate]}"
    eventually 10 test -e audit.log
    pull two
    eventually 10 grep -q '"two"' audit.log
    run ! grep -q '"two"' audit.log.1
    mv audit.log audit.log.2
    : >elsewhere
    ln -s elsewhere audit.log
    kill -USR1 "${PIDS[crigate]}"
    eventually 10 grep -q "audit: cannot open .*/audit.log: " crigate.log
    pull three
    eventually 10 grep -q '"three"' audit.log.2
    [ ! -s elsewhere ]
    # Without a map that wants it, the signal changes nothing.
    write_map main
    "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    kill -USR1 "${PIDS[crigate]}"
    pull four
    run ! grep -q '"four"' audit.log.2
}

@test "a full disk takes no call, and status counts the lines that are lost" {
    start_runtime main v1
    audit_map
    # shellcheck disable=SC2016
    start crigate bash -c 'trap "" XFSZ; ulimit -f 1; exec "$0" "$@" 2> >(cat >&1)' "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 call --timeout 2s Version
    local i
    for ((i = 0; i < 20; i++)); do
        pull "image-number-$i"
    done
    [ "$(stat -c %s audit.log)" -le 1024 ]
    eventually 10 eval '"$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -e ".audit.lost > 0 and .audit.open"'
}

# What a disk that hangs does to a write, strace does here: it holds each write to the file for ten minutes, and no other call of the
# kernel's. LeakSanitizer would trace the process, too.
@test "a disk that does not answer takes no call: status, reload, rotation and a stop go on as well" {
    start_runtime main v1
    audit_map
    start crigate env ASAN_OPTIONS=detect_leaks=0 strace -D -f --seccomp-bpf -qq -o strace.out -P "$PWD/audit.log" -e trace=write -e inject=write:delay_enter=600s \
        "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 20 call --timeout 2s Version
    PIDS[tracer]=$(sed -n 's/^TracerPid:[^0-9]*//p' "/proc/${PIDS[crigate]}/status")
    local round
    for ((round = 0; round < 20; round++)); do
        pull "image-number-$round"
    done
    [ ! -s audit.log ]
    "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -e '.audit.lost == 0 and .audit.open'
    kill -USR1 "${PIDS[crigate]}"
    "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    pull one-more
    # Another file does not wait for that one.
    sed -i "s,audit: .*,audit: {path: $PWD/other.log}," crigate.yaml
    "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    pull elsewhere
    eventually 10 grep -q elsewhere other.log
    # The kernel keeps the process until strace lets its thread go.
    kill -TERM "${PIDS[crigate]}"
    eventually 20 grep -q "Z 1 stopped" crigate.log
    crash tracer
    finish crigate
    [ ! -s audit.log ]
}

@test "a disk on which the audit file cannot be opened, nor not opened, keeps nobody from starting, and takes no call" {
    start_runtime main v1
    audit_map
    start crigate env ASAN_OPTIONS=detect_leaks=0 strace -D -f --seccomp-bpf -qq -o strace.out -P "$PWD/audit.log" -e trace=openat -e inject=openat:delay_enter=600s \
        "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 20 call --timeout 2s Version
    PIDS[tracer]=$(sed -n 's/^TracerPid:[^0-9]*//p' "/proc/${PIDS[crigate]}/status")
    pull one
    "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq -e '.audit | .lost == 0 and (.open | not)'
    kill -USR1 "${PIDS[crigate]}"
    "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    pull two
    sed -i "s,audit: .*,audit: {path: $PWD/other.log}," crigate.yaml
    "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    pull three
    eventually 10 grep -q three other.log
    [ ! -e audit.log ]
    kill -TERM "${PIDS[crigate]}"
    eventually 20 grep -q "Z 1 stopped" crigate.log
    crash tracer
    finish crigate
}

@test "level 4 tells of status calls, too" {
    node 4
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "1 1 1 0" ]
}

@test "level 5 tells of lists, too" {
    node 5
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "1 1 1 1" ]
}

@test "with --log-format json every line is an object" {
    node 5 --log-format json
    # Text of callers must not break out of its line.
    call PodSandboxStatus '{"podSandboxId":"a\nb\"c\u001b[31m"}' || true
    call_raw /runtime.v1.RuntimeService/PodSandboxStatus '\x0a\x03\xff\xc3\x28' || true
    call_raw $'/no.such\n/thing' '' || true
    call_raw /runtime.v1.RuntimeService/Version '\xff\xff' || true
    stop crigate
    [ "$(wc -l <crigate.log)" -ge 8 ]
    iconv -f UTF-8 -t UTF-8 <crigate.log >/dev/null
    jq -se 'all(.[]; (.time | length == 24) and (.level | type == "number") and (.message | type == "string"))' crigate.log
    [ "$(jq -c 'select(type == "object")' crigate.log | wc -l)" = "$(wc -l <crigate.log)" ]
    jq -se '[.[] | select(.message == "RunPodSandbox")] | length == 1 and .[0].code == "OK" and .[0].runtimes == ["main"] and
        .[0].level == 3' crigate.log
    jq -se '[.[] | select(.message == "begin RunPodSandbox")] | length == 1 and .[0].request.config.metadata.name == "web"' crigate.log
}

@test "text of callers cannot forge a line of the text log" {
    node 5
    call PodSandboxStatus '{"podSandboxId":"a\n2026-01-01T00:00:00.000Z 1 forged\u001b[31m"}' || true
    run ! grep -E '^2026-01-01|^forged' crigate.log
    run ! grep -q $'\033' crigate.log
}

@test "control characters above ASCII, DEL, what reorders text and what is no character are escaped, in either format" {
    local format
    for format in text json; do
        node 5 --log-format "$format"
        call PodSandboxStatus '{"podSandboxId":"a\u009b31mb\u007f\u0085c\u202e\u00e4\u20ac"}' || true
        call_raw /runtime.v1.RuntimeService/PodSandboxStatus '\x0a\x04\x9b31m' || true
        call_raw $'/no.such\x7f/thing\xc2\x9b' '' || true
        stop crigate
        stop main
        run ! grep -qP '\x7f|\xc2[\x80-\x9f]|\xe2\x80\xae' crigate.log
        iconv -f UTF-8 -t UTF-8 <crigate.log >/dev/null
        grep -qF 'a\u009b31mb\u007f\u0085c\u202eä€' crigate.log
        if [ "$format" = json ]; then
            jq -se 'any(.[]; .request.podSandboxId? == "a\u009b31mb\u007f\u0085c\u202eä€")' crigate.log
        fi
        rm crigate.log
    done
}

# ---- what is secret ----

# secret_free: no part of a secret is in the log of the gateway.
secret_free() {
    stop crigate
    [ -s crigate.log ]
    run ! grep -aE 'hunter2|opensesame|bearer-of-all|refresh-me|aHVudGVy' crigate.log
}

AUTH='{"username":"alice","password":"hunter2","auth":"opensesame","identityToken":"refresh-me","registryToken":"bearer-of-all"}'

@test "a credential of PullImage is nowhere in the log, whichever dialects" {
    local api
    start_runtime main v1_9
    start_runtime vm.local v1
    write_map main vm.local
    start_node -v 5
    for api in v1 v1alpha2 v1_9; do
        API=$api
        call PullImage "{\"image\":{\"image\":\"app:1\"},\"auth\":$AUTH}"
        call PullImage "{\"image\":{\"image\":\"vm.local/app:1\"},\"auth\":$AUTH}"
    done
    # The runtimes got them, and the log tells of the calls.
    for name in main vm.local; do
        expect '.request.auth | .password == "hunter2" and .auth == "opensesame" and .identityToken == "refresh-me" and
            .registryToken == "bearer-of-all"' "$(arrived $name PullImage)"
    done
    [ "$(told PullImage)" = 6 ]
    grep PullImage crigate.log | grep -q alice
    secret_free
}

@test "a credential is nowhere in the log of a call that fails, in either format" {
    start_runtime main v1 --fail PullImage=UNAUTHENTICATED
    write_map main
    start_node -v 5 --log-format json
    run -16 call PullImage "{\"image\":{\"image\":\"app:1\"},\"auth\":$AUTH}"
    # auth { password: "hunter2" NUL }, auth twice, a password that is followed by a field without end.
    run -3 call_raw /runtime.v1.ImageService/PullImage '\x12\x0a\x12\x08hunter2\x00'
    [[ ! $output =~ hunter2 ]]
    run -3 call_raw /runtime.v1.ImageService/PullImage '\x12\x09\x12\x07hunter2\x12\x09\x12\x07hunter2'
    [[ ! $output =~ hunter2 ]]
    run -3 call_raw /runtime.v1.ImageService/PullImage '\x12\x09\x12\x07hunter2\x0a\x7f'
    [[ ! $output =~ hunter2 ]]
    # An unknown field, which may be a secret of the future.
    run -16 call_raw /runtime.v1.ImageService/PullImage '\x12\x0b\xba\x3e\x08hunter22'
    secret_free
}

@test "values of a container's environment are in the log only when asked for" {
    local config id option
    start_runtime main v1
    write_map main
    for option in '' --log-environment; do
        # shellcheck disable=SC2086
        start_node -v 5 $option
        pull busybox
        config=$(pod "web$option")
        id=$(run_pod "$config")
        create_container "$id" "$config" busybox '.envs = [{key: "DATABASE", value: "hunter2"}]'
        call ContainerStatus "{\"containerId\":\"$(call ListContainers | jq -r '.containers[0].id')\",\"verbose\":true}"
        stop crigate
        grep CreateContainer crigate.log | grep -q DATABASE
        if [ -z "$option" ]; then
            run ! grep -q hunter2 crigate.log
            rm crigate.log
        fi
    done
    grep CreateContainer crigate.log | grep -q hunter2
}

@test "what a command printed, and where a terminal can be had, is not in the log" {
    local id
    start_runtime main v1 --containers 1
    write_map main
    start_node -v 5
    id=$(call ListContainers | jq -r '.containers[0].id')
    call ExecSync "{\"containerId\":\"$id\",\"cmd\":[\"echo\",\"-n\",\"x\"]}"
    local printed url
    printed=$(call ExecSync "{\"containerId\":\"$id\",\"cmd\":[\"echo\",\"loud\"]}" | jq -r .stdout)
    url=$(call Exec "{\"containerId\":\"$id\",\"cmd\":[\"sh\"],\"stdout\":true}" | jq -r .url)
    run ! grep -qF -e "$printed" -e "${url##*/}" crigate.log
}

@test "no secret is in a field of the journal, the audit file, the calls under way or the metrics" {
    local config id
    start_runtime main v1 --hang ImageStatus
    audit_map
    : >entries
    start crigate with_journal "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 5
    eventually 10 call --timeout 2s Version
    pull busybox
    config=$(pod web)
    id=$(run_pod "$config")
    create_container "$id" "$config" busybox '.envs = [{key: "DATABASE", value: "hunter2"}]'
    run create_container "$id" "$config" "https://alice:hunter2@registry.example/app:1"
    call PullImage "{\"image\":{\"image\":\"https://alice:hunter2@registry.example/app:1\"},\"auth\":$AUTH}" || true
    call_raw /runtime.v1.ImageService/PullImage '\x12\x0a\x12\x08hunter2\x00' || true
    start_call waiting ImageStatus '{"image": {"image": "https://alice:hunter2@registry.example/app:1"}}'
    eventually 10 grep -q '"begin ImageStatus' entries
    "$CRIGATE_BUILD/crigate" calls --config crigate.yaml >shown
    "$CRIGATE_BUILD/crigate" calls --config crigate.yaml -o json >>shown
    "$CRIGATE_BUILD/crigate" top --config crigate.yaml -n 1 >>shown
    "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o prometheus >>shown
    crash waiting
    eventually 10 jq -se 'any(.[]; .CRIGATE_METHOD == ["ImageStatus"] and .CRIGATE_CODE == ["CANCELLED"])' entries
    stop crigate
    jq -se 'any(.[]; .CRIGATE_METHOD == ["CreateContainer"] and (.CRIGATE_REASON[0] // "" | contains("://***@registry.example")))' entries
    grep -q CreateContainer audit.log
    grep -q ImageStatus shown
    run ! grep -aE 'hunter2|opensesame|bearer-of-all|refresh-me|aHVudGVy' entries audit.log shown
}

# ---- unknown fields ----

# Fields 999 in the request, in the configuration of the pod, and in its metadata.
FUTURE_POD='\x0a\x11\x0a\x0c\x0a\x01n\x12\x01u\x1a\x01s\xb8\x3e\x01\xb8\x3e\x01\xb8\x3e\x01'

@test "fields of the future survive between sides of one package" {
    start_runtime main v1
    write_map main
    start_node
    call_raw /runtime.v1.RuntimeService/RunPodSandbox "$FUTURE_POD"
    expect '.unknown_fields == 3 and .request.config.metadata.name == "n"' "$(arrived main RunPodSandbox)"
    call_raw /runtime.v1.RuntimeService/ListContainers '\x0a\x06\x0a\x01a\xb8\x3e\x01'
    expect '.request_base64 == "CgYKAWG4PgE="' "$(arrived main ListContainers)"
}

@test "fields of the future are taken out between packages" {
    start_runtime main v1alpha2
    write_map main
    start_node
    call_raw /runtime.v1.RuntimeService/RunPodSandbox "$FUTURE_POD"
    expect '.unknown_fields == 0 and .request.config.metadata == {"name": "n", "uid": "u", "namespace": "s"}' \
        "$(arrived main RunPodSandbox)"
    call_raw /runtime.v1.RuntimeService/ListContainers '\x0a\x06\x0a\x01a\xb8\x3e\x01'
    expect '.request_base64 == "CgMKAWE="' "$(arrived main ListContainers)"
}

@test "user and password in the name of an image are not in the log, in either format" {
    local format
    for format in text json; do
        node 5 --log-format "$format"
        call PullImage '{"image":{"image":"http://alice:hunter2@registry.example:5000/app:1"}}' || true
        call PullImage '{"image":{"image":"http://alice:hunter2@shared.example/app:1"}}' || true
        call PullImage '{"image":{"image":"https://opensesame@registry.example/app:1"}}' || true
        call PullImage '{"image":{"image":"https://alice:hunt\"hunter2@registry.example"}}' || true
        call ImageStatus '{"image":{"image":"docker-pullable://busybox@sha256:0123"}}' || true
        call ImageStatus '{"image":{"image":"docker-pullable://example.org/app@sha256:0123"}}' || true
        grep -qF '://***@registry.example:5000/app:1' crigate.log
        grep -qF '://***@registry.example/app:1' crigate.log
        grep -qF 'docker-pullable://busybox@sha256:0123' crigate.log
        grep -qF 'docker-pullable://example.org/app@sha256:0123' crigate.log
        secret_free
        stop main
        rm crigate.log
    done
}

@test "warnings about the map are lines of the log, at the start, at a takeover and at a reload, as text and as JSON" {
    local format warning
    start_runtime main v1
    start_runtime vm.local v1
    write_map main "vm.local, image_prefix: kata"
    warning='crigate.yaml:[0-9]+:[0-9]+: warning: image_prefix: the kubelet turns kata/NAME into '
    for format in text json; do
        rm -f crigate.log heir.log
        start_crigate --log-format $format
        kill -HUP "${PIDS[crigate]}"
        eventually 10 grep -q "the runtime map was reloaded" crigate.log
        kill -HUP "${PIDS[crigate]}" # the same again is not news
        eventually 10 eval '[ "$(grep -c "the runtime map was reloaded" crigate.log)" = 2 ]'
        start heir "$CRIGATE_BUILD/crigate" --config crigate.yaml --log-format $format --takeover
        eventually 20 grep -q "taken over: " heir.log
        finish crigate
        stop heir
        if [ $format = json ]; then
            [ "$(jq -r 'select(.level == 1 and .time) | .message' crigate.log | grep -cE "^$warning")" = 2 ]
            [ "$(jq -r 'select(.level == 1 and .time) | .message' heir.log | grep -cE "^$warning")" = 1 ]
        else
            [ "$(grep -cE "^[0-9T:.-]+Z 1 $warning" crigate.log)" = 2 ]
            [ "$(grep -cE "^[0-9T:.-]+Z 1 $warning" heir.log)" = 1 ]
        fi
    done
    # Mistakes are as well where a machine reads; else, and at level 0, they are for people.
    echo 'nonsense: 1' >>crigate.yaml
    run -78 "$CRIGATE_BUILD/crigate" --config crigate.yaml --log-format json
    expect '.level == 1 and (.message | test("unknown key"))' "$(grep nonsense <<<"$output")"
    run -78 "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 0
    [[ $output =~ ^crigate.yaml:[0-9]+:[0-9]+: ]]
}

@test "passwords with characters that do not belong into URLs are not in the log, nor in what a runtime says of them" {
    local format image pod
    for format in text json; do
        node 5 --log-format "$format"
        pod=$(run_pod "$(pod secretive)")
        for image in 'https://alice:a#hunter2@registry.example/app:1' 'https://alice:a?hunter2@registry.example/app:1' \
            'https://alice:1/hunter2@registry.example/app:1' 'https://alice:a hunter2@registry.example/app:1'; do
            run create_container "$pod" "$(pod secretive)" "$image"
            [[ $output =~ "failed to resolve image \"$image\"" ]]
            call PullImage "$(jq -nc --arg image "$image" '{image: {image: $image}}')" || true
        done
        [ "$(grep -cF '://***@registry.example/app:1' crigate.log)" -ge 8 ]
        grep -F 'failed to resolve image' crigate.log | grep -qF '://***@registry.example/app:1'
        secret_free
        stop main
        rm crigate.log
    done
}

# ---- who asks again and again ----

@test "of equal refusals of statuses and lists, a line tells of the first; all are counted" {
    start_runtime main v1
    write_map main
    start_node -v 2
    crash main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    local round
    for ((round = 0; round < 5; round++)); do
        run -14 call Version
        run -14 call ListContainers
        run -12 call --raw --raw-request /dev/null /grpc.reflection.v1.ServerReflection/Info
    done
    [ "$(told Version) $(told ListContainers) $(grep -c 'Z 2 call .*Reflection/Info' crigate.log)" = "1 1 1" ]
    # What would change something has a line each time.
    for ((round = 0; round < 3; round++)); do
        run -14 call PullImage '{"image":{"image":"app:1"}}'
    done
    [ "$(told PullImage)" = 3 ]
    # A different outcome is a different line; a success in between makes the next refusal the first.
    start_runtime main v1 --fail Version=INTERNAL:3
    eventually 15 runtime_ready main 2
    call Version
    crash main
    eventually 10 eval '[ "$(grep -c "runtime main: connection to .* lost" crigate.log)" = 2 ]'
    run -14 call Version
    [ "$(grep -c 'Z 2 Version .*code=UNAVAILABLE' crigate.log)" = 2 ]
    # All lines are there where somebody asked for that level.
    "$CRIGATE_BUILD/crigate" log 5 --config crigate.yaml
    for ((round = 0; round < 3; round++)); do
        run -14 call ListContainers
    done
    [ "$(grep -c 'Z 2 ListContainers ' crigate.log)" = 4 ]
    "$CRIGATE_BUILD/crigate" status -o prometheus --config crigate.yaml |
        grep 'crigate_rpc_requests_total{method="ListContainers".*code="UNAVAILABLE"' | grep ' 8$'
}
