#!/usr/bin/env bats
# Hooks when something changes under them: the gateway stops, the runtime changes, plugins go, ids are shortened.

load gateway
load plugins

IMAGE=docker.io/library/busybox:latest

# one_plugin [OPTION...]: a node of one runtime, and a plugin that is known.
one_plugin() {
    start_runtime node v1
    write_map node
    hooks_on "${HOOK_KEYS:-}"
    start_plugin koordlet "$@"
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
}

# make: a pod with one container; sets $config, $pod and $container.
make() {
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1"')
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$IMAGE" '.envs = [{key: "COLOUR", value: "red"}]')
}

@test "a stop ends well when the plugin hangs that hooks of one pod wait for" {
    one_plugin --hooks PostStartContainer,PostStopContainer,PostStopPodSandbox --hang '*'
    make
    call StartContainer "{\"containerId\":\"$container\"}"
    call StopContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    stop crigate
    [ "$(times_hooked koordlet PostStartContainer)" -ge 1 ]
}

@test "a runtime that speaks another dialect when plugins have ended does not get what was meant for the one before" {
    local status=0
    start_runtime node v1 --state held
    write_map node
    hooks_on 'timeout: 30s'
    start_plugin koordlet
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
    config=$(pod web)
    pod=$(run_pod "$config")
    kill -STOP "${PIDS[koordlet]}"
    start_call create CreateContainer "$(jq -nc --arg pod "$pod" --argjson config "$config" --arg image "$IMAGE" \
        '{podSandboxId: $pod, sandboxConfig: $config, config: {metadata: {name: "main"}, image: {image: $image}}}')"
    eventually 15 calls_show '.calls[0].state == "in hooks"'
    crash node
    start_runtime node v1_9 --state held
    eventually 15 runtime_ready node 2
    [ "$(times_hooked koordlet PreCreateContainer)" = 0 ] # it has not answered yet
    kill -CONT "${PIDS[koordlet]}"
    wait "${PIDS[create]}" || status=$?
    unset "PIDS[create]"
    [ "$status" != 0 ]
    grep -q 'UNAVAILABLE.*retry' create.log
    [ "$(asked node CreateContainer)" = 0 ]
}

@test "a plugin that answers DEADLINE_EXCEEDED at once does not hang" {
    one_plugin --fail PreRunPodSandbox=DEADLINE_EXCEEDED
    run_pod "$(pod web)"
    run_pod "$(pod second)"
    plugins_state '.plugins[0] | .state == "ready" and .failures == 2 and .calls == 2'
}

@test "a plugin that answers with two messages fails at once, and does not hang" {
    HOOK_KEYS='timeout: 60s' one_plugin --messages PreRunPodSandbox=2
    call --timeout 50s RunPodSandbox "{\"config\":$(pod web)}"
    plugins_state '.plugins[0] | .state == "ready" and .failures == 1'
    grep -q 'plugin koordlet.json: INTERNAL: the answer has more than one message' crigate.log
}

@test "a plugin that never answers hangs, also if no caller has as much time as its timeout" {
    HOOK_KEYS='timeout: 4s' one_plugin --hang PreRunPodSandbox
    for name in one two three; do
        call --timeout 4s RunPodSandbox "{\"config\":$(pod $name)}"
    done
    grep -q 'plugin koordlet.json: hangs' crigate.log
}

@test "a plugin that accepts connections and says nothing on any of them keeps callers waiting once, not once a connection" {
    start_runtime node v1
    write_map node
    hooks_on 'timeout: 500ms'
    start mute socat "UNIX-LISTEN:$PWD/mute.sock,fork" 'SYSTEM:cat >/dev/null'
    eventually 15 test -S mute.sock
    echo "{\"remote-endpoint\": \"$PWD/mute.sock\", \"runtime-hooks\": [\"PreRunPodSandbox\"]}" >plugins/mute.json
    start_node
    eventually 10 knows_plugins mute
    run_pod "$(pod first)"
    plugins_state '.plugins[0] | .state == "hanging" and .calls == 1 and .skipped == 0'
    eventually 40 grep -q 'plugin mute.json: its connection has ended' crigate.log
    run_pod "$(pod second)"
    run_pod "$(pod third)"
    plugins_state '.plugins[0] | .calls == 1 and .skipped == 2'
    crash mute
}

# once_stopped POD: stops it again, and fails unless its hook was called once.
once_stopped() {
    call StopPodSandbox "{\"podSandboxId\":\"$1\"}"
    call Version
    eventually 5 plugins_state '.after.waiting == 0 and .after.running == 0'
    [ "$(times_hooked koordlet PostStopPodSandbox)" = 1 ]
}

@test "a pod that the process before stopped while it handed over was stopped" {
    start_runtime node v1 --hold StopPodSandbox=stop.go --hold RunPodSandbox=run.go
    write_map node
    hooks_on
    start_plugin koordlet
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
    touch run.go
    make
    rm run.go
    # While the process before may create something, it goes on to pass on what it knows.
    start_call second RunPodSandbox "{\"config\":$(pod second)}"
    start_call end StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3 --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    touch stop.go
    finish end
    touch run.go
    finish second
    finish crigate
    cat next.log >>crigate.log
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
    eventually 5 was_hooked koordlet PostStopPodSandbox 1
    once_stopped "$pod"
}

@test "a pod that the process before stopped after it had made its last one was stopped" {
    start_runtime node v1 --hold StopPodSandbox=stop.go
    write_map node
    hooks_on
    start_plugin koordlet
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
    make
    start_call end StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    eventually 15 calls_show '.calls[0].state == "asking"'
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3 --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    touch stop.go
    finish end
    finish crigate
    cat next.log >>crigate.log
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
    eventually 5 was_hooked koordlet PostStopPodSandbox 1
    once_stopped "$pod"
}

@test "what is known of a runtime goes with it when a reload puts another in its place" {
    one_plugin
    make
    plugins_state '.known | .pods == 1 and .containers == 1'
    start_runtime other v1
    sed -i "s|/node.sock|/other.sock|" crigate.yaml
    kill -HUP "${PIDS[crigate]}"
    eventually 10 runtime_ready node 2
    plugins_state '.known | .pods == 0 and .containers == 0'
}

@test "a changed cgroup parent stays after a restart without plugins" {
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1"')
    pod=$(run_pod "$config")
    crash crigate
    rm plugins/koordlet.json
    start_node -v 3
    create_container "$pod" "$config" "$IMAGE"
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/other"' "$(arrived node CreateContainer)"
}

@test "a changed cgroup parent stays for a pod that a reload excepts from hooks" {
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1" | .labels = {alone: "yes"}')
    pod=$(run_pod "$config")
    sed -i 's|^hooks: {|&skip: {label: alone, value: "yes"}, |' crigate.yaml
    kill -HUP "${PIDS[crigate]}"
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    create_container "$pod" "$config" "$IMAGE"
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/other"' "$(arrived node CreateContainer)"
    run ! was_hooked koordlet PreCreateContainer 1
}

@test "a changed cgroup parent stays although the last plugin goes before the runtime has answered" {
    start_runtime node v1 --hold RunPodSandbox=run.go
    write_map node
    hooks_on
    start_plugin koordlet --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pull "$IMAGE" >/dev/null
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1"')
    start_call run RunPodSandbox "{\"config\":$config}"
    eventually 5 was_hooked koordlet PreRunPodSandbox 1
    eventually 15 calls_show '.calls[0].state == "asking"'
    rm plugins/koordlet.json
    eventually 5 plugins_state '.plugins == []'
    [ "$(asked node RunPodSandbox)" = 0 ] # it has not answered yet
    touch run.go
    finish run
    pod=$(field .podSandboxId "$(tail -n 1 run.log)")
    create_container "$pod" "$config" "$IMAGE"
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/other"' "$(arrived node CreateContainer)"
}

@test "what no plugin has a hook for is not asked for" {
    start_runtime node v1 --fail ContainerStatus=INTERNAL
    write_map node
    hooks_on
    start_node -v 3
    pull "$IMAGE" >/dev/null
    make
    start_plugin koordlet --policy Fail --hooks PreCreateContainer
    eventually 10 knows_plugins koordlet
    call StartContainer "{\"containerId\":\"$container\"}"
    call StopContainer "{\"containerId\":\"$container\"}"
    [ "$(asked node ContainerStatus)" = 0 ]
    [ "$(asked node PodSandboxStatus)" = 0 ]
    create_container "$pod" "$config" "$IMAGE" '.metadata.name = "second"'
    [ "$(asked node PodSandboxStatus)" = 1 ]
    [ "$(times_hooked koordlet PreCreateContainer)" = 1 ]
}

@test "shortened ids: plugins get whole ones, and the hook after a stop is called once" {
    one_plugin
    make
    call StopContainer "{\"containerId\":\"${container:0:12}\"}"
    call StopContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"${pod:0:12}\"}"
    eventually 5 was_hooked koordlet PostStopPodSandbox 1
    [ "$(times_hooked koordlet PostStopContainer)" = 1 ]
    expect ".containerMeta.id == \"$container\"" "$(hooked koordlet PostStopContainer)"
    once_stopped "$pod"
}
