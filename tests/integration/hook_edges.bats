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
