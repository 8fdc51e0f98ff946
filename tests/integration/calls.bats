#!/usr/bin/env bats
# crigate calls, crigate top, and the log of calls that take long: what is under way, while it is.

load gateway
load plugins

# calls [OPTION...]: what is under way, as JSON.
calls() {
    "$CRIGATE_BUILD/crigate" calls -o json --config crigate.yaml "$@"
}

# under_way FILTER: whether jq's filter is true of what is under way.
under_way() {
    calls | jq -e "$1" >/dev/null
}

@test "a call that its runtime does not answer is seen with its runtime, caller and id" {
    local answer
    start_runtime main v1 --hang ContainerStatus --containers 1
    write_map main
    start_node
    start_call waiting ContainerStatus '{"containerId": "0123456789abcdef"}'
    eventually 10 under_way '.calls[0].state == "asking"'
    answer=$(calls)
    expect ".total == 1 and (.calls | length) == 1" "$answer"
    expect ".calls[0] | .method == \"ContainerStatus\" and .container == \"0123456789abcdef\" and .runtimes == [\"main\"]
        and .waitsFor == [\"main\"] and .pid == ${PIDS[waiting]} and .uid == $(id -u) and .program == \"crigate\"
        and .ageMilliseconds >= 0 and .id > 0 and (has(\"pod\") | not)" "$answer"
    run -0 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml
    [[ ${lines[0]} =~ ^ID\ +METHOD\ +STATE\ +AGE\ +RUNTIME\ +PID\ +UID\ +PROGRAM\ +FOR$ ]]
    [[ ${lines[1]} =~ ContainerStatus\ +asking\ +[0-9]+s\ +main\ +${PIDS[waiting]}\ +$(id -u)\ +crigate\ +container\ 0123456789abcdef$ ]]
    crash waiting
    eventually 10 under_way '.total == 0'
    run -0 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml
    [ "$output" = "no call is in progress" ]
}

@test "of a list that waits for one runtime, that one is named" {
    start_runtime main v1 --containers 1
    start_runtime vm.local v1alpha2 --containers 1
    write_map main vm.local
    start_node
    kill -STOP "${PIDS[vm.local]}"
    start_call list ListImages
    eventually 10 under_way '.calls[0].waitsFor == ["vm.local"]'
    expect '.calls[0] | .method == "ListImages" and .runtimes == ["main", "vm.local"]' "$(calls)"
    expect '.total == 1' "$(calls --runtime vm.local)"
    expect '.total == 1' "$(calls -r main)"
    kill -CONT "${PIDS[vm.local]}"
    finish list
    expect '.calls == [] and .total == 0' "$(calls --runtime vm.local)"
}

@test "a call for one runtime is not among those of another; a runtime that the map lacks is an error" {
    start_runtime main v1 --hang PullImage
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    start_call pull PullImage '{"image": {"image": "http://jane:hunter2@images.example/shop:1"}}'
    eventually 10 under_way '.calls[0].state == "asking"'
    expect '.total == 1' "$(calls --runtime main)"
    expect '.total == 0' "$(calls --runtime vm.local)"
    [[ "$(calls)" != *hunter2* ]]
    crash pull
    # A token that is longer than what is shown, and one whose end is nowhere near.
    local token
    for token in "$(printf 'hunter2%.0s' {1..300})" "$(printf 'hunter2%.0s' {1..4000})"; do
        start_call pull PullImage "{\"image\": {\"image\": \"https://jane:$token@images.example/shop:1\"}}"
        eventually 10 under_way '.calls[0] | .state == "asking" and (.image | startswith("https"))'
        [[ "$(calls)" != *hunter2* ]]
        [[ "$("$CRIGATE_BUILD/crigate" calls --config crigate.yaml)" != *hunter2* ]]
        crash pull
        eventually 10 under_way '.total == 0'
    done
    run -1 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml --runtime nobody
    [ "$output" = "crigate calls: the runtime map has no runtime nobody" ]
    run -64 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml --runtime ''
    run -64 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml -o yaml
}

@test "a call waits for the primary, and an unknown one is shown by its path, fit for a terminal" {
    GRACE=60s write_map main
    start_crigate
    start_call early Version
    start_call strange --raw --raw-request /dev/null $'/runtime.v1.RuntimeService/Odd\e[31m'
    eventually 10 under_way '[.calls[].state] == ["waiting for the primary", "waiting for the primary"]'
    expect '[.calls[].method] | sort == ["/runtime.v1.RuntimeService/Odd?[31m", "Version"]' "$(calls)"
    expect 'all(.calls[]; .runtimes == ["main"] and .waitsFor == [])' "$(calls)"
    crash strange
    start_runtime main v1
    finish early
}

@test "while new calls are refused because of a limit, status is not well" {
    start_runtime main v1 --hang ContainerStatus
    write_map main
    start_node
    sed '/^limits:/d' crigate.yaml >map.new
    echo 'limits: {calls: 1}' >>map.new
    mv map.new crigate.yaml
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    run -0 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    start_call waiting ContainerStatus '{"containerId": "0123"}'
    eventually 10 under_way '.total == 1'
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"New calls are refused: too many calls at once; raise limits.calls in the runtime map"* ]]
    run -8 call Version
    [[ $output == *"raise limits.calls in the runtime map"* ]]
    crash waiting
    eventually 10 eval '"$CRIGATE_BUILD/crigate" status --config crigate.yaml'
}

@test "a call waits in hooks, and then for its runtime" {
    start_runtime main v1 --hang RunPodSandbox
    write_map main
    hooks_on "timeout: 10s"
    start_plugin koordlet --hang PreRunPodSandboxHook
    start_node
    eventually 10 plugins_state '.plugins[0].state == "ready"'
    start_call run RunPodSandbox "$(jq -nc --argjson config "$(pod web)" '{config: $config}')"
    eventually 10 under_way '.calls[0] | .method == "RunPodSandbox" and .state == "in hooks" and .waitsFor == ["main"] and .plugin == "koordlet.json"'
    run "$CRIGATE_BUILD/crigate" calls --config crigate.yaml
    [[ $output == *"in hook koordlet.json "* ]]
    expect '.calls[0].podUid == "uid-web"' "$(calls)"
    eventually 20 under_way '.calls[0] | .state == "asking" and .plugin == null'
    crash run
}

@test "a listener to events is streaming" {
    start_runtime main v1
    write_map main
    start_node
    start_call listener GetContainerEvents
    eventually 10 under_way '.calls[0] | .method == "GetContainerEvents" and .state == "streaming"'
    crash listener
}

@test "a call that takes long is logged once while it runs; a pull and a listener are not" {
    start_runtime main v1 --hang ContainerStatus --hang PullImage
    write_map main
    start_node
    start_call listener GetContainerEvents
    start_call pull PullImage '{"image": {"image": "shop"}}'
    start_call waiting ContainerStatus '{"containerId": "0123"}'
    eventually 60 grep -q "a call is taking a long time" crigate.log
    [ "$(grep -c "a call is taking a long time" crigate.log)" = 1 ]
    grep "a call is taking a long time" crigate.log | grep "call=[0-9]" | grep "method=ContainerStatus" | grep "state=asking" | grep "container=0123" | grep -q main
    eventually 15 under_way 'all(.calls[]; .ageMilliseconds > 41000)'
    [ "$(grep -c "taking a long time" crigate.log)" = 1 ]
    crash waiting
    crash pull
    crash listener
}

@test "without a running crigate, calls and top end with 2" {
    write_map main
    run -2 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml
    [[ $output == "crigate calls: no crigate is listening at "* ]]
    run -2 "$CRIGATE_BUILD/crigate" top --config crigate.yaml
    [[ $output == "crigate top: no crigate is listening at "* ]]
}

# status_number FILTER: a number of crigate status.
status_number() {
    "$CRIGATE_BUILD/crigate" status -o json --config crigate.yaml | jq "$1"
}

@test "status counts the calls that came, and for each runtime those that ended and their time" {
    local came answered took
    start_runtime main v1 --latency 20 --fail ImageStatus=INTERNAL
    start_runtime vm.local v1
    write_map main "vm.local, handlers: [kvm]"
    start_node
    came=$(status_number .callsArrived)
    answered=$(status_number '.runtimes[0].answered')
    took=$(status_number '.runtimes[0].answeredMicroseconds')
    call Version
    call Version
    run -13 call ImageStatus '{"image": {"image": "shop"}}'
    [ "$(status_number .callsArrived)" = $((came + 3)) ]
    [ "$(status_number '.runtimes[0].answered')" = $((answered + 3)) ]
    # Each waited for the latency of the runtime at least.
    [ "$(status_number '.runtimes[0].answeredMicroseconds')" -ge $((took + 60000)) ]
    [ "$(status_number '.runtimes[1].answered')" = 0 ]
}

# ---- top ----

@test "top without a terminal prints as many pictures as asked for, the second with rates" {
    start_runtime main v1 --containers 1
    write_map main
    start_node
    run -0 "$CRIGATE_BUILD/crigate" top -n 2 --config crigate.yaml
    [[ $output != *$'\e'* ]]
    [ "$(grep -c "^crigate .*, pid ${PIDS[crigate]} " <<<"$output")" = 2 ]
    [ "$(grep -c "^no call is in progress$" <<<"$output")" = 2 ]
    [ "$(grep -cE "^main +primary +ready " <<<"$output")" = 2 ]
    [[ ${lines[0]} == *"calls a second: -   in flight: 0" ]]
    grep -qE "calls a second: [0-9]+\.[0-9]   in flight: 0" <<<"$output"
    for wrong in 0 -1 1x '' 1000001; do
        run -64 "$CRIGATE_BUILD/crigate" top -n "$wrong" --config crigate.yaml
    done
}

# on_terminal KEYS...: top on a terminal of its own; types the keys when a picture has come, and prints what it drew.
on_terminal() {
    python3 "$BATS_TEST_DIRNAME/terminal.py" "$@"
}

@test "top on a terminal draws, fits the new size, ends with q and with Ctrl-C, and leaves the terminal as it was" {
    start_runtime main v1 --hang ContainerStatus
    write_map main
    start_node
    start_call waiting ContainerStatus '{"containerId": "0123"}'
    eventually 10 under_way '.calls[0].state == "asking"'
    for key in q $'\x03'; do
        run -0 on_terminal "$key" "$CRIGATE_BUILD/crigate" top --config crigate.yaml
        expect '.settings_restored and .status == 0 and .widest_after_resize == 30 and .page_left and .cursor_shown' "$output"
        expect '.text | contains("ContainerStatus") and contains("main")' "$output"
    done
    run -0 on_terminal TERM "$CRIGATE_BUILD/crigate" top --config crigate.yaml
    expect '.settings_restored and .status == 0 and .page_left and .cursor_shown' "$output"
    crash waiting
}
