# A Debian 12 with containerd from its own packages, booted, with a kubelet. Nothing of the machine that it runs on is in its reach or
# changes. See `run` for the variables.
# shellcheck shell=bash

bats_require_minimum_version 1.5.0

# shellcheck source=tests/eventually.bash
source "${BASH_SOURCE[0]%/*}/../eventually.bash"

MACHINE=${BATS_FILE_TMPDIR:?}/machine
IMAGE=registry.k8s.io/busybox:e2e

# What the pod does: a line each second, with a number and the time at which this process was started, in a folder of the machine.
# shellcheck disable=SC2016 # the pod's shell expands it
LIFE='n=0; while n=$((n + 1)); do echo "$n $(cut -d" " -f22 /proc/1/stat)" >>/life/lines; sleep 1; done'

jq() {
    gojq "$@"
}

# ---- the machine ----

# start_machine: boots, and waits for containerd and the kubelet.
start_machine() {
    mkdir "$MACHINE"
    setsid unshare --mount --propagation private "$BATS_TEST_DIRNAME/keeper" "$MACHINE" </dev/null >"$MACHINE.log" 2>&1 3>&- 4>&- &
    disown
    eventually 90 inside systemctl is-active --quiet multi-user.target || { cat "$MACHINE.log" && return 1; }
    import pause
    import busybox
    eventually 60 healthy
}

# stop_machine: and waits until its cgroups are gone, too.
stop_machine() {
    kill -KILL "$(cat "$MACHINE.pid")"
    eventually 40 eval "! kill -0 $(cat "$MACHINE.keeper")"
}

# inside COMMAND...: on the machine, as root. It knows no proxy, and no file of where the tests run.
inside() {
    nsenter --target "$(cat "$MACHINE.pid")" --mount --pid --net --ipc --uts --cgroup --root --wd \
        env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# path PATH: of the machine, as seen from here.
path() {
    echo "/proc/$(cat "$MACHINE.pid")/root$1"
}

import() {
    inside ctr --namespace k8s.io images import - <"$MACHINE_BUILD/e2e/images/$1.tar"
}

crigate() {
    inside crigate "$@"
}

# has TEXT: whether the last command that `run` ran printed it.
has() {
    [[ $output == *"$1"* ]] || {
        echo "not in the output: $1"
        return 1
    }
}

# explain_failure: what there is to know of the machine.
explain_failure() {
    [ -z "${output:-}" ] || echo "$output"
    inside systemctl status --no-pager --lines 15 kubelet.service crigate.service crigate.socket containerd.service || true
}

# ---- the kubelet, and calls ----

# get PORT PATH: what the machine answers there.
get() {
    nsenter --target "$(cat "$MACHINE.pid")" --net python3 -c '
import sys, urllib.request
print(urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}{sys.argv[2]}", timeout=5).read().decode())' "$@"
}

healthy() {
    [ "$(get 10248 /healthz)" = ok ]
}

# call SOCKET METHOD [REQUEST]: a CRI call to a socket of the machine.
call() {
    local socket=$1
    shift
    "$MACHINE_BUILD/crigate" call --endpoint "unix://$(path "$socket")" --compact "$@"
}

# begin_calls: two callers that keep their connection to crigate, as kubelets do.
begin_calls() {
    local socket
    socket=unix://$(path /run/crigate/crigate.sock)
    "$MACHINE_BUILD/steady_caller" "$socket" 50 ListContainers >"$MACHINE.calls.1" 3>&- &
    CALLERS=($!)
    "$MACHINE_BUILD/steady_caller" "$socket" 50 >"$MACHINE.calls.2" 3>&- &
    CALLERS+=($!)
    sleep 0.5
}

# end_calls: fails if one of their calls failed.
end_calls() {
    sleep 0.5
    kill "${CALLERS[@]}"
    wait "${CALLERS[@]}"
    cat "$MACHINE".calls.{1,2}
    jq -es 'length == 2 and all(.[]; .calls > 10 and .failed == 0)' "$MACHINE".calls.{1,2}
}

# ---- the pod ----

# start_pod: by the kubelet, from a file; a stand-in starts none, and the test does in its place.
start_pod() {
    local pod container config
    inside mkdir -p /srv/life /var/log/pods/life
    if [ "$MACHINE_FORM" = real ]; then
        jq -n --arg image "$IMAGE" --arg life "$LIFE" '{
            apiVersion: "v1", kind: "Pod", metadata: {name: "life", namespace: "default"},
            spec: {
                containers: [{name: "main", image: $image, imagePullPolicy: "IfNotPresent", command: ["sh", "-c", $life],
                    volumeMounts: [{name: "life", mountPath: "/life"}]}],
                volumes: [{name: "life", hostPath: {path: "/srv/life"}}]}}' >"$(path /etc/kubernetes/manifests)/life.yaml"
        return
    fi
    config='{"metadata": {"name": "life", "uid": "life", "namespace": "default"}, "logDirectory": "/var/log/pods/life"}'
    pod=$(call /run/containerd/containerd.sock RunPodSandbox "{\"config\": $config}" | jq -r .podSandboxId)
    container=$(jq -nc --arg pod "$pod" --argjson config "$config" --arg image "$IMAGE" --arg life "$LIFE" '{
        podSandboxId: $pod, sandboxConfig: $config, config: {
            metadata: {name: "main"}, image: {image: $image}, command: ["sh", "-c", $life], log_path: "main.log",
            mounts: [{container_path: "/life", host_path: "/srv/life"}]}}')
    container=$(call /run/containerd/containerd.sock CreateContainer "$container" | jq -r .containerId)
    call /run/containerd/containerd.sock StartContainer "{\"containerId\": \"$container\"}"
}

# containers SOCKET: all of them, a line each: pod, name, attempt, state, id.
containers() {
    call "$1" ListContainers | jq -r '.containers[]? | [.podSandboxId, .metadata.name, .metadata.attempt // 0, .state, .id] | join(" ")' | sort
}

lines() {
    wc -l <"$(path /srv/life/lines)"
}

# lives_on: whether the pod's process is the one that wrote the first line, each line is there, and more come.
lives_on() {
    local before
    before=$(lines)
    eventually 30 eval "[ \$(lines) -gt $((before + 1)) ]"
    awk 'NR == 1 { started = $2 } $1 != NR || $2 != started || NF != 2 { print "line " NR ": " $0; exit 1 }' "$(path /srv/life/lines)"
    containers /run/containerd/containerd.sock | diff "$MACHINE.containers" -
}

# ---- files ----

# touched: the folders that the package and the installation write to. Of a real kubelet's own, only what is not its state.
TOUCHED=(/etc /usr /opt /var/lib/kubelet/{config.yaml,instance-config.yaml,kubeadm-flags.env} /var/lib/crigate)

# keep NAME: a copy of the files, and what `diff` does not see: owners, modes, times, extended attributes.
keep() {
    mkdir "$MACHINE.$1"
    (cd "$(path /)" && cp --archive --parents etc opt var/lib/kubelet/{config.yaml,instance-config.yaml,kubeadm-flags.env} "$MACHINE.$1")
    list >"$MACHINE.$1.list"
}

list() {
    (cd "$(path /)" && python3 "$BATS_TEST_DIRNAME/../node/snapshot.py" "${TOUCHED[@]#/}")
    inside find / -xdev \( -path /var/lib/dpkg -o -path /var/cache -o -path /var/log -o -path /srv \) -prune -o -name '*crigate*' -print
}

# files_as_kept NAME: whether what the copy has is as it was then.
files_as_kept() {
    local file
    for file in etc opt var/lib/kubelet/{config.yaml,instance-config.yaml,kubeadm-flags.env}; do
        diff --recursive --no-dereference "$MACHINE.$1/$file" "$(path "/$file")"
    done
}

# as_kept NAME: whether all is, with owners, modes, times and extended attributes, and nothing that is crigate's by name has come or gone.
as_kept() {
    files_as_kept "$1"
    diff "$MACHINE.$1.list" <(list)
}
