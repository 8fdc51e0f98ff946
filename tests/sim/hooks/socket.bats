#!/usr/bin/env bats
# The simulated plugin at its socket, asked by `hook_call`. CRIGATE_BUILD names the folder of the programs.

bats_require_minimum_version 1.5.0

load ../../eventually

setup() {
    set +T # see eventually.bash
    SOCKET="$BATS_TEST_TMPDIR/plugin.sock"
    JOURNAL="$BATS_TEST_TMPDIR/journal"
    LOG="$BATS_TEST_TMPDIR/log"
    POD='{"podMeta":{"name":"web","uid":"u1","namespace":"shop"},"runtimeHandler":"runc","labels":{"app":"web"},
        "annotations":{"note":"a"},"cgroupParent":"/kubepods/pod1","overhead":{"cpuShares":"2"},"resources":{"cpuQuota":"-1"}}'
    CONTAINER='{"podMeta":{"name":"web"},"containerMeta":{"name":"main","attempt":1,"id":"ab12"},
        "containerAnnotations":{"note":"b"},"containerResources":{"cpuPeriod":"100000","cpuQuota":"50000","cpusetCpus":"0-3",
        "hugepageLimits":[{"pageSize":"2MB","limit":"4194304"}],"unified":{"memory.high":"1"}},"podResources":{"cpuShares":"2"},
        "podAnnotations":{"note":"a"},"podLabels":{"app":"web"},"podCgroupParent":"/kubepods/pod1",
        "containerEnvs":{"B":"2","A":"","C":"3"}}'
}

teardown() {
    if [ -n "${PID:-}" ]; then
        stop_hooksim
    fi
}

# start_hooksim OPTION...: starts one and waits until it listens.
start_hooksim() {
    "$CRIGATE_BUILD/hooksim" --listen "unix://$SOCKET" --journal "$JOURNAL" "$@" >"$LOG" 2>&1 3>&- &
    PID=$!
    for _ in $(seq 300); do
        if grep -q "^hooksim: listening on " "$LOG"; then
            return 0
        fi
        sleep 0.1
    done
    cat "$LOG"
    return 1
}

# Fails when the program did not end with 0, as it does not after a leak in a sanitized build.
stop_hooksim() {
    local pid=$PID
    PID=
    kill -TERM "$pid"
    wait "$pid" || { cat "$LOG"; return 1; }
}

# call METHOD [REQUEST]
call() {
    "$CRIGATE_BUILD/hook_call" "$SOCKET" "$@"
}

# The hooks of pods, then those of containers.
POD_HOOKS=(PreRunPodSandbox PostStopPodSandbox)
CONTAINER_HOOKS=(PreCreateContainer PreStartContainer PostStartContainer PostStopContainer PreUpdateContainerResources)

@test "every hook answers with what of the request an answer can hold" {
    local hook
    start_hooksim
    for hook in "${POD_HOOKS[@]}"; do
        [ "$(call "$hook" "$POD" | jq -S .)" = "$(jq -S '{labels, annotations, cgroupParent, resources}' <<<"$POD")" ]
    done
    for hook in "${CONTAINER_HOOKS[@]}"; do
        [ "$(call "$hook" "$CONTAINER" | jq -S .)" = \
            "$(jq -S '{containerAnnotations, containerResources, podCgroupParent, containerEnvs}' <<<"$CONTAINER")" ]
    done
    [ "$(jq -r .hook "$JOURNAL" | paste -sd ' ')" = "${POD_HOOKS[*]} ${CONTAINER_HOOKS[*]}" ]
}

@test "an echo keeps the order of the environment, and with --shuffle it does not" {
    start_hooksim
    [ "$(call PreCreateContainer "$CONTAINER" | jq -r '.containerEnvs | keys_unsorted | join("")')" = BAC ]
    stop_hooksim
    start_hooksim --shuffle
    [ "$(for _ in 1 2 3; do call PreCreateContainer "$CONTAINER"; done | jq -r '.containerEnvs | keys_unsorted | join("")' |
        sort | paste -sd ' ')" = "ACB BAC CBA" ]
}

@test "--empty answers nothing, besides what is set" {
    start_hooksim --empty --set 'PreCreateContainer:container_resources.cpuset_cpus=2'
    [ "$(call PreRunPodSandbox "$POD")" = "{}" ]
    [ "$(call PreCreateContainer "$CONTAINER")" = '{"containerResources":{"cpusetCpus":"2"}}' ]
}

@test "fields and entries of maps are set and removed" {
    start_hooksim --set '*:labels[a.b/c]=x=y' --set 'PreRunPodSandbox:cgroup_parent=/other' \
        --set 'PreRunPodSandbox:resources.unified[memory.min]=7' --set 'PreCreateContainer:container_resources.cpu_quota=-1' \
        --set 'PreCreateContainer:container_resources.hugepage_limits=[{"page_size":"1GB","limit":1}]' \
        --set 'PreCreateContainer:container_envs[NEW]=' --remove 'PreCreateContainer:container_envs[B]' \
        --remove 'PreCreateContainer:container_resources.cpuset_cpus' --remove '*:pod_cgroup_parent'
    call PreRunPodSandbox "$POD" | jq -e '.labels == {"app": "web", "a.b/c": "x=y"} and .cgroupParent == "/other" and
        .resources == {"cpuQuota": "-1", "unified": {"memory.min": "7"}} and .annotations == {"note": "a"}'
    call PreCreateContainer "$CONTAINER" | jq -e '.containerEnvs == {"A": "", "C": "3", "NEW": ""} and
        .containerResources == {"cpuPeriod": "100000", "cpuQuota": "-1", "unified": {"memory.high": "1"},
            "hugepageLimits": [{"pageSize": "1GB", "limit": "1"}]} and (has("podCgroupParent") | not)'
    call PreStartContainer "$CONTAINER" | jq -e '.containerEnvs.B == "2" and (has("podCgroupParent") | not)'
}

@test "the journal holds what was asked and what was answered" {
    start_hooksim --name other --set 'PreRunPodSandbox:labels[app]=db'
    call PreRunPodSandbox "$POD"
    jq -e --argjson pod "$POD" '.plugin == "other" and .hook == "PreRunPodSandbox" and .code == "OK" and .request == $pod and
        .method == "/runtime.v1alpha1.RuntimeHookService/PreRunPodSandboxHook" and .response.labels == {"app": "db"} and
        .response_size == (.response_base64 | @base64d | length) and .timeout_ms <= 20100 and .received <= .at and
        .unknown_fields == 0' "$JOURNAL"
}

@test "a hook fails as often as told" {
    start_hooksim --fail PreStartContainer=PERMISSION_DENIED:2
    run -7 call PreStartContainer "$CONTAINER"
    [ "$output" = "hooksim was told to fail PreStartContainer" ]
    call PreCreateContainer "$CONTAINER"
    run -7 call PreStartContainer "$CONTAINER"
    call PreStartContainer "$CONTAINER"
    [ "$(jq -r .code "$JOURNAL" | paste -sd ' ')" = "PERMISSION_DENIED OK PERMISSION_DENIED OK" ]
}

@test "a call that hangs or waits delays no other, and the journal records its end" {
    start_hooksim --hang PreStartContainer=1 --delay PostStartContainer=8000
    call PostStartContainer "$CONTAINER" 3>&- &
    local delayed=$!
    HOOK_CALL_TIMEOUT=10000 call PreStartContainer "$CONTAINER" 3>&- &
    local hanging=$! code=0
    # A call that its caller gives up before it arrives would leave the next one to hang.
    eventually 20 grep -q PENDING "$JOURNAL"
    call PreStartContainer "$CONTAINER"
    wait "$delayed"
    wait "$hanging" || code=$?
    [ "$code" = 4 ]
    eventually 20 grep -q CANCELLED "$JOURNAL"
    [ "$(jq -r 'select(.hook == "PreStartContainer") | .code' "$JOURNAL" | paste -sd ' ')" = "PENDING OK CANCELLED" ]
    jq -se 'map(select(.hook == "PostStartContainer")) | length == 1 and
        (.[0] | .code == "OK" and .at - .received >= 8000000000)' "$JOURNAL"
}

# took_signals: whether no signal waits for hooksim.
took_signals() {
    ! grep -qE '^(Sig|Shd)Pnd:.*[1-9a-f]' "/proc/$PID/status"
}

@test "answers are late between two signals" {
    start_hooksim --late 60000
    call PreRunPodSandbox "$POD"
    kill -USR1 "$PID"
    eventually 5 took_signals
    HOOK_CALL_TIMEOUT=10000 run -4 call PreRunPodSandbox "$POD"
    kill -USR2 "$PID"
    eventually 5 took_signals
    call PreRunPodSandbox "$POD"
    [ "$(jq -r .code "$JOURNAL" | paste -sd ' ')" = "OK OK OK" ]
}

@test "the process dies in a call, after as many as told" {
    start_hooksim --die PreCreateContainer=2
    call PreCreateContainer "$CONTAINER"
    call PreRunPodSandbox "$POD"
    call PreCreateContainer "$CONTAINER"
    run -14 call PreCreateContainer "$CONTAINER"
    local status=0
    wait "$PID" || status=$?
    PID=
    [ "$status" = 3 ]
    [ -S "$SOCKET" ]
    [ "$(jq -r .code "$JOURNAL" | paste -sd ' ')" = "OK OK OK DIED" ]
}

@test "answers can be garbage, another message, big, or have bytes appended" {
    start_hooksim --garbage PreRunPodSandbox=1 --other PostStopPodSandbox --other PreStartContainer \
        --oversize PreCreateContainer=5000000 --append 'PostStopContainer=1a012f*2'
    [ "$(call PreRunPodSandbox "$POD")" = ffffffffffffffffffffffff ]
    call PreRunPodSandbox "$POD" | jq -e '.labels == {"app": "web"}'
    call PostStopPodSandbox "$POD"
    call PreStartContainer "$CONTAINER"
    jq -se '.[2].response_base64 | @base64d | contains("C") and contains("d") and (contains("web") | not)' "$JOURNAL"
    jq -se '.[3].response_base64 | @base64d | contains("/e") and (contains("memory.high") | not)' "$JOURNAL"
    [ "$(call PreCreateContainer "$CONTAINER" | wc -c)" -gt 5000000 ]
    jq -se '.[4] | .response_size > 5000000 and .response == null and (has("response_base64") | not)' "$JOURNAL"
    call PostStopContainer '{}' | jq -e '. == {"podCgroupParent": "/"}'
    jq -se '.[5].response_base64 == "GgEvGgEv"' "$JOURNAL"
}

@test "each field can be there twice, and the message none or two times" {
    start_hooksim --twice PreRunPodSandbox --messages PreStartContainer=0 --messages PostStartContainer=2
    [ "$(call PreRunPodSandbox '{"labels":{"a":"b"},"cgroupParent":"/x"}')" = '{"labels":{"a":"b"},"cgroupParent":"/x"}' ]
    [ "$(jq -r .response_base64 "$JOURNAL")" = "$(printf '\n\x06\n\x01a\x12\x01b\x1a\x02/x\n\x06\n\x01a\x12\x01b\x1a\x02/x' |
        base64 -w0)" ]
    [ -z "$(call PreStartContainer "$CONTAINER" 2>/dev/null)" ]
    [ "$(call PostStartContainer "$CONTAINER" 2>/dev/null | jq -r .podCgroupParent | paste -sd ' ')" = \
        "/kubepods/pod1 /kubepods/pod1" ]
}

@test "requests that are no message, and methods that do not exist, are refused and do no harm" {
    start_hooksim
    run -13 call PreRunPodSandbox hex:ffffffff
    [[ $output =~ "error unmarshalling request" ]]
    run -13 call PreRunPodSandbox hex:2a02c328
    [[ $output =~ "invalid UTF-8" ]]
    run -13 call PreRunPodSandbox none
    run -12 call /runtime.v1alpha1.RuntimeHookService/PreRemoveRunPodSandboxHook none
    [ "$output" = "unknown method PreRemoveRunPodSandboxHook for service runtime.v1alpha1.RuntimeHookService" ]
    run -12 call /runtime.v1.RuntimeService/Version none
    # pod_meta { 99: 1 }, 98: 1
    call PreRunPodSandbox hex:0a03980601900601
    call PreRunPodSandbox "$POD"
    jq -se '(map(.code) == ["INTERNAL", "INTERNAL", "INTERNAL", "UNIMPLEMENTED", "UNIMPLEMENTED", "OK", "OK"]) and
        .[0].request_base64 == "/////w==" and .[5].unknown_fields == 2' "$JOURNAL"
}

@test "the plugin's file is written as real plugins write it" {
    mkdir "$BATS_TEST_TMPDIR/folder"
    start_hooksim --name koord --write-file "$BATS_TEST_TMPDIR/folder"
    local file=$BATS_TEST_TMPDIR/folder/koord.json
    jq -e --arg socket "$SOCKET" '.["remote-endpoint"] == $socket and .["failure-policy"] == "Ignore" and
        (.["runtime-hooks"] | length == 8 and contains(["PreRemoveRunPodSandbox"]))' "$file"
    grep -q "^$(printf '\t\t')\"PreRunPodSandbox\",$" "$file"
    stop_hooksim
    [ -f "$file" ]
    start_hooksim --write-file "$BATS_TEST_TMPDIR/folder:b.json" --policy Fail --hooks PreCreateContainer,NewHook
    jq -e '.["failure-policy"] == "Fail" and .["runtime-hooks"] == ["PreCreateContainer", "NewHook"]' \
        "$BATS_TEST_TMPDIR/folder/b.json"
    stop_hooksim
    run -1 "$CRIGATE_BUILD/hooksim" --listen "unix://$SOCKET" --write-file "$BATS_TEST_TMPDIR/missing"
    [[ $output =~ "missing/hooksim.json: No such file" ]]
    [ ! -e "$SOCKET" ]
}

@test "the socket goes at the end, a stale one is replaced, and one that somebody listens on is left alone" {
    start_hooksim
    kill -KILL "$PID"
    wait "$PID" || true
    PID=
    [ -S "$SOCKET" ]
    start_hooksim
    run -1 "$CRIGATE_BUILD/hooksim" --listen "unix://$SOCKET"
    [[ $output =~ "another program is listening there" ]]
    call PreRunPodSandbox "$POD"
    stop_hooksim
    [ ! -e "$SOCKET" ]
}

# refused TEXT OPTION...: that these options are reported with the text.
refused() {
    local text=$1
    shift
    run -2 "$CRIGATE_BUILD/hooksim" --listen unix:///x "$@"
    [[ $output == *"$text"* ]]
}

@test "wrong options are reported and answered with 2" {
    run -2 "$CRIGATE_BUILD/hooksim"
    [[ $output =~ "--listen is needed" ]]
    run -2 "$CRIGATE_BUILD/hooksim" --listen unix:relative
    [[ $output =~ "expected unix:///absolute/path" ]]
    refused "--fail PreRunPodSandbox: expected METHOD=VALUE" --fail PreRunPodSandbox
    refused "expected the name of a gRPC status code" --fail PreRunPodSandbox=BAD
    refused "expected the name of a hook" --hang Nothing
    refused "expected the name of a hook" --set 'Nothing:labels[a]=b'
    refused "expected a number" --hang '*=x'
    refused "expected METHOD=HEX" --append '*=xy'
    refused "expected METHOD:FIELD=VALUE" --set 'PreRunPodSandbox:labels[a]'
    refused "expected METHOD:FIELD or" --remove 'PreRunPodSandbox:labels[a'
    refused "expected a field of the answer" --set 'PreRunPodSandbox:container_envs[a]=b'
    refused "expected a field of the answer" --set '*:resources.cpu_quota=many'
    refused "expected a field of the answer" --set '*:cgroup_parent[a]=b'
    refused "expected a field of the answer" --set '*:labels={'
    refused "expected a field of the answer" --remove '*:resources.no_field'
    refused "not an option" word
    run -0 "$CRIGATE_BUILD/hooksim" --help
    run -0 "$CRIGATE_BUILD/hooksim" --version
}
