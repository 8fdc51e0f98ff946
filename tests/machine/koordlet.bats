#!/usr/bin/env bats
# docs/hooks.md, "koordlet on a node": its lines are typed as they stand there on a clean Debian 12, after `crigate install`, with a real
# koordlet. There is no cluster: a stand-in for kubectl starts koordlet with the flag of the patch, and with the mounts of its DaemonSet.

load machine

# What a pod of the batch class may use; koordlet makes resources of it.
SPEC='{"containers": {"main": {
    "requests": {"kubernetes.io/batch-cpu": "500", "kubernetes.io/batch-memory": "512Mi"},
    "limits": {"kubernetes.io/batch-cpu": "500", "kubernetes.io/batch-memory": "512Mi"}}}}'

setup_file() {
    load machine
    start_machine
    cp "$MACHINE_DEBS"/crigate_[0-9]*_"$(dpkg --print-architecture)".deb "$MACHINE_BUILD/peers/koordlet/koordlet" "$(path /srv)"
    stand_in_for_kubectl >"$(path /usr/local/bin/kubectl)"
    inside chmod 755 /usr/local/bin/kubectl
    inside sh -c 'apt-get install --yes /srv/crigate_*.deb && crigate install'
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || { explain_failure && inside journalctl --no-pager --lines 30 --unit koordlet.service; }
}

teardown_file() {
    load machine
    stop_machine
}

stand_in_for_kubectl() {
    cat <<'SCRIPT'
#!/bin/bash
set -euo pipefail
[ "${*:1:5}" = "-n koordinator-system patch daemonset koordlet" ]
flag=$(sed -nE 's/^.*"path": "[^"]*\/args\/-", "value": "(--[^"]*)".*$/\1/p' <<<"${!#}")
mkdir -p /run/koordlet /etc/runtime/hookserver.d
systemd-run --quiet --unit koordlet --property Restart=always \
    --property "BindPaths=/run/koordlet:/host-var-run-koordlet /etc/runtime/hookserver.d:/host-etc-hookserver /sys/fs/cgroup:/host-cgroup" \
    /srv/koordlet "${flag:?}"
SCRIPT
}

# documented: the lines of the page, one of which is left to koordlet's DaemonSet.
documented() {
    sed -n '/^## koordlet on a node$/,/^## /s/^    //p' "$BATS_TEST_DIRNAME/../../docs/hooks.md"
}

# batch_pod NAME: runs a pod of the batch class through crigate, as a kubelet does; prints its container.
batch_pod() {
    local pod container config
    config=$(jq -nc --arg name "$1" --arg spec "$SPEC" '{
        metadata: {name: $name, uid: $name, namespace: "default"}, labels: {"koordinator.sh/qosClass": "BE"},
        annotations: {"node.koordinator.sh/extended-resource-spec": $spec}, log_directory: "/var/log/pods",
        linux: {cgroup_parent: ("/kubepods/besteffort/pod" + $name)}}')
    pod=$(call /run/crigate/crigate.sock RunPodSandbox "{\"config\": $config}" | jq -r .podSandboxId)
    container=$(jq -nc --arg pod "$pod" --argjson config "$config" --arg image "$IMAGE" '{
        podSandboxId: $pod, sandboxConfig: $config, config: {
            metadata: {name: "main"}, image: {image: $image}, command: ["sleep", "1000"], linux: {resources: {cpu_shares: "2"}}}}')
    container=$(call /run/crigate/crigate.sock CreateContainer "$container" | jq -r .containerId)
    call /run/crigate/crigate.sock StartContainer "{\"containerId\": \"$container\"}" >/dev/null
    echo "$container"
}

# resources CONTAINER: those that its first process runs with, as the kernel has them: shares or weight, quota, memory.
resources() {
    local pid
    pid=$(inside ctr --namespace k8s.io tasks list | awk -v id="$1" '$1 == id { print $2 }')
    # shellcheck disable=SC2016
    inside bash -c '
        while IFS=: read -r _ controllers path; do
            case ,$controllers, in
            *,cpu,*) cd "/sys/fs/cgroup/cpu$path" && cat cpu.shares cpu.cfs_quota_us ;;
            *,memory,*) cd "/sys/fs/cgroup/memory$path" && cat memory.limit_in_bytes ;;
            ,,) [ ! -e "/sys/fs/cgroup$path/cpu.max" ] || { cd "/sys/fs/cgroup$path" && cat cpu.weight cpu.max memory.max; } ;;
            esac
        done </proc/'"$pid"'/cgroup | sort -n | xargs'
}

# koordlet_is_ready: by the last line of the page.
koordlet_is_ready() {
    inside bash -c "$(documented | tail -n 1)" | grep -E '^koordlet\.json +ready'
}

@test "before, a pod of the batch class gets what its kubelet says" {
    [[ $(resources "$(batch_pod before)") == "-1 2 "* ]]
}

@test "the lines of the page are typed; koordlet is ready, and nothing but hooks.yaml was written by hand" {
    local line
    [ "$(documented | wc -l)" = 5 ]
    while read -r line; do
        echo "$line"
        inside bash -c "$line" </dev/null
    done < <(documented | head -n 4)
    eventually 30 koordlet_is_ready
    run -0 crigate hooks
    inside test -s /etc/runtime/hookserver.d/koordlet.json
    run -0 crigate verify
}

@test "then such a pod gets koordlet's values" {
    local got
    got=$(resources "$(batch_pod after)")
    echo "$got"
    # Half a processor: 512 of 1024 shares, 50 of 100 ms; 512 MiB.
    [[ $got == "512 50000 536870912" ]]
    crigate hooks -o json | jq -e '.plugins[0] | .calls >= 2 and .failures == 0'
}

@test "without the drop-in there are no hooks, and uninstall takes crigate out" {
    inside rm /etc/crigate/crigate.d/hooks.yaml
    eventually 20 eval "crigate hooks | grep -i off"
    [[ $(resources "$(batch_pod later)") == "-1 2 "* ]]
    run -0 crigate uninstall
    healthy
}
