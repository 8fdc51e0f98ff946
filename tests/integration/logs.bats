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
    grep -q "crigate .* serves unix://.*/crigate.sock for 1 runtimes, primary main" crigate.log
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

@test "level 3 tells of calls that change state, with request and response" {
    node 3
    [ "$(told ContainerStatus) $(told RunPodSandbox) $(told Status) $(told ListContainers)" = "1 1 0 0" ]
    grep "RunPodSandbox" crigate.log | grep -q 'request=.*"name":"web".*response=.*podSandboxId'
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
        .[0].level == 3 and .[0].request.config.metadata.name == "web"' crigate.log
}

@test "text of callers cannot forge a line of the text log" {
    node 5
    call PodSandboxStatus '{"podSandboxId":"a\n2026-01-01T00:00:00.000Z 1 forged\u001b[31m"}' || true
    run ! grep -E '^2026-01-01|^forged' crigate.log
    run ! grep -q $'\033' crigate.log
}

@test "control characters above ASCII, DEL and what is no character are escaped, in either format" {
    local format
    for format in text json; do
        node 5 --log-format "$format"
        call PodSandboxStatus '{"podSandboxId":"a\u009b31mb\u007f\u0085c\u00e4\u20ac"}' || true
        call_raw /runtime.v1.RuntimeService/PodSandboxStatus '\x0a\x04\x9b31m' || true
        call_raw $'/no.such\x7f/thing\xc2\x9b' '' || true
        stop crigate
        stop main
        run ! grep -qP '\x7f|\xc2[\x80-\x9f]' crigate.log
        iconv -f UTF-8 -t UTF-8 <crigate.log >/dev/null
        grep -qF 'a\u009b31mb\u007f\u0085cä€' crigate.log
        if [ "$format" = json ]; then
            jq -se 'any(.[]; .request.podSandboxId? == "a\u009b31mb\u007f\u0085cä€")' crigate.log
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
