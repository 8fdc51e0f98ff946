#!/usr/bin/env bats
# A real koordlet's hooks behind crigate: its own server, plugins and file. A pod of the batch class says in an annotation what it may
# use; koordlet makes resources of that, and the runtime must get them, whatever the caller and the runtime speak.
# `make test-koordlet` builds the koordlet.

load ../../integration/gateway
load ../../integration/plugins

IMAGE=docker.io/library/busybox:latest
SPEC='{"containers": {"main": {
    "requests": {"kubernetes.io/batch-cpu": "500", "kubernetes.io/batch-memory": "512Mi"},
    "limits": {"kubernetes.io/batch-cpu": "500", "kubernetes.io/batch-memory": "512Mi"}}}}'

# start_koordlet: with NRI off, as docs/hooks.md advises; the other flags replace paths that its DaemonSet mounts.
start_koordlet() {
    start koordlet "$CRIGATE_BUILD/peers/koordlet/koordlet" --enable-nri-runtime-hook=false --runtime-hooks-addr "$PWD/koordlet.sock" \
        --runtime-hooks-host-endpoint "$PWD/koordlet.sock" --runtime-hooks-config-path "$PWD/plugins" -v 5
}

koordlet_is_ready() {
    plugins_state '.plugins | length == 1 and .[0].name == "koordlet.json" and .[0].state == "ready"'
}

# batch_pod CALLER RUNTIME: runs a pod of the batch class; the runtime gets koordlet's values, and the caller's own variables.
batch_pod() {
    local config pod container request
    API=$1
    start_runtime node "$2"
    write_map node
    hooks_on
    start_node -v 3
    start_koordlet
    eventually 30 koordlet_is_ready
    pull "$IMAGE" >/dev/null
    config=$(pod web '.labels = {"koordinator.sh/qosClass": "BE"} | .linux.cgroupParent = "/kubepods/besteffort/podu1"' |
        jq -c --arg spec "$SPEC" '.annotations = {"node.koordinator.sh/extended-resource-spec": $spec}')
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$IMAGE" \
        '.metadata.name = "main" | .envs = [{key: "COLOUR", value: "red"}] | .linux.resources = {cpuShares: "2"}')
    request=$(arrived node CreateContainer)
    expect '.request.config.linux.resources | .cpuShares == "512" and .cpuQuota == "50000" and .memoryLimitInBytes == "536870912"' "$request"
    expect '.request.config.envs == [{key: "COLOUR", value: "red"}]' "$request"
    call StartContainer "{\"containerId\":\"$container\"}"
    plugins_state '.plugins[0] | .calls >= 2 and .failures == 0'
}

@test "koordlet: a v1 caller and a v1 runtime" {
    batch_pod v1 v1
}

@test "koordlet: a caller of 1.9" {
    batch_pod v1_9 v1
}

@test "koordlet: a caller of 1.12" {
    batch_pod v1_12 v1
}

@test "koordlet: a v1alpha2 caller" {
    batch_pod v1alpha2 v1
}

@test "koordlet: a runtime of 1.9" {
    batch_pod v1 v1_9
}

@test "koordlet: a runtime of 1.12" {
    batch_pod v1 v1_12
}

@test "koordlet: a v1alpha2 runtime" {
    batch_pod v1 v1alpha2
}

@test "koordlet: it is killed and comes back; meanwhile its failure policy, Ignore, lets pods run" {
    local config
    batch_pod v1 v1
    crash koordlet
    config=$(pod other)
    run_pod "$config" >/dev/null
    start_koordlet
    eventually 30 koordlet_is_ready
}
