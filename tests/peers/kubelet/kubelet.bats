#!/usr/bin/env bats
# crigate comes onto the node of a real kubelet and goes again. The kubelet has no cluster, and takes pods from files. Tests go on where
# the one before stopped. `make test-kubelet` builds the kubelet.

load ../../node/node

FIXTURE=$BATS_TEST_DIRNAME/node

setup_file() {
    load ../../node/node
    HERE=$BATS_TEST_DIRNAME/../../node
    NODE=$BATS_FILE_TMPDIR/node
    "$HERE/node" boot "$BATS_TEST_DIRNAME/node" "$NODE"
    # shellcheck source=/dev/null
    source "$BATS_TEST_DIRNAME/node/description"
    mark_files
    eventually 60 healthy
}

setup() {
    HERE=$BATS_TEST_DIRNAME/../../node
    NODE=$BATS_FILE_TMPDIR/node
    unit=kubelet.service program=/usr/bin/kubelet runtime_name=
    # shellcheck source=/dev/null
    source "$FIXTURE/description"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
}

teardown_file() {
    load ../../node/node
    HERE=$BATS_TEST_DIRNAME/../../node
    NODE=$BATS_FILE_TMPDIR/node
    halt
}


# snapshot: as node.bash's, without what a kubelet itself writes among its files.
snapshot() {
    inside python3 - /etc /usr/lib/systemd /usr/local /opt /var/lib/kubelet/{config.yaml,instance-config.yaml,kubeadm-flags.env} \
        <"$HERE/snapshot.py"
}

# crigate_sees_kubelet: whether the kubelet's process is among the callers, and calls.
crigate_sees_kubelet() {
    crigate status -o json | jq -e --argjson pid "$(kubelet_pid)" '.callers | any(.pid == $pid and .calls > 0 and .last_call_ms < 20000)'
}

# pods: what the kubelet says of its pods, a line each.
pods() {
    inside python3 -c '
import json, urllib.request
for pod in json.load(urllib.request.urlopen("http://127.0.0.1:10255/pods")).get("items") or []:
    status = (pod["status"].get("containerStatuses") or [{}])[0]
    print(pod["metadata"]["name"], pod["status"]["phase"], status.get("containerID"), status.get("restartCount"))'
}

pod_runs() {
    [[ $(pods) == "still-here-worker-1 Running containerd://"*" 0" ]]
}

@test "a pod runs before crigate comes" {
    write /etc/kubernetes/manifests/pod.yaml <<'END'
apiVersion: v1
kind: Pod
metadata: {name: still-here, namespace: default}
spec:
  hostNetwork: true
  containers:
  - {name: main, image: "docker.io/library/busybox:latest", imagePullPolicy: IfNotPresent}
END
    eventually 60 pod_runs
    pods >"$BATS_FILE_TMPDIR/pods"
    snapshot >"$BATS_FILE_TMPDIR/before"
}

@test "preflight finds the kubelet, its version and its endpoint, and nothing against crigate" {
    run crigate preflight
    [ "$status" = 0 ]
    has "$version"
    has "$origin"
}

@test "install leads its calls through crigate; the pod is the same" {
    run crigate install
    [ "$status" = 0 ]
    eventually 30 crigate_sees_kubelet
    healthy
    eventually 30 pod_runs
    pods | diff "$BATS_FILE_TMPDIR/pods" -
}

@test "verify finds nothing wrong" {
    run crigate verify
    [ "$status" = 0 ]
}

@test "a bypass leads its calls past crigate and back, and the kubelet goes on" {
    local pid
    pid=$(kubelet_pid)
    run crigate bypass on
    [ "$status" = 0 ]
    run ! inside systemctl is-active --quiet crigate.service
    healthy
    run crigate bypass off
    [ "$status" = 0 ]
    eventually 30 crigate_sees_kubelet
    [ "$(kubelet_pid)" = "$pid" ]
}

@test "uninstall leaves each byte as before; the pod is the same" {
    run crigate uninstall
    [ "$status" = 0 ]
    is_off
    unchanged "$BATS_FILE_TMPDIR/before"
    eventually 30 pod_runs
    pods | diff "$BATS_FILE_TMPDIR/pods" -
}

@test "a kubelet that does not start at crigate's endpoint is led back to its runtime" {
    inside mkdir -p /etc/systemd/system/kubelet.service.d
    write /etc/systemd/system/kubelet.service.d/refuse.conf <<'END'
[Service]
ExecStartPre=/bin/grep -q containerd/containerd.sock /var/lib/kubelet/config.yaml
END
    inside systemctl daemon-reload
    snapshot >"$BATS_FILE_TMPDIR/before"
    run crigate install --timeout 5s
    [ "$status" = 2 ]
    has "the node is as before"
    unchanged "$BATS_FILE_TMPDIR/before"
    is_off
    eventually 60 healthy
}
