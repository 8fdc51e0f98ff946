#!/usr/bin/env bats
# Kubelets, runtimes and services that are not as expected, power cuts, and upgrades.

load own_node

# unit_has_called NAME: whether the kubelet of that unit has made its calls. All kubelets write to one log.
unit_has_called() {
    unit=$1.service has_called
}

@test "of two kubelets both are listed, and one can be chosen" {
    local name pids pid
    take_node kubeadm-1.31
    inside systemctl disable --now kubelet
    inside rm -r /usr/lib/systemd/system/kubelet.service{,.d} /etc/systemd/system/multi-user.target.wants/kubelet.service || true
    for name in one two; do
        printf '[Service]\nEnvironmentFile=%s\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --healthz-port=%s $KUBELET_KUBEADM_ARGS\n' \
            "$ENV_FILE" "$((10248 + ${#pids}))" | write "/etc/systemd/system/$name.service"
        pids=1
    done
    inside systemctl daemon-reload
    inside systemctl start one two
    eventually 20 unit_has_called one
    eventually 20 unit_has_called two
    note_files
    run crigate install
    [ "$status" = 2 ]
    for name in one two; do
        pid=$(inside systemctl show --property MainPID --value "$name")
        has "$pid"
    done
    has "--kubelet"
    as_before
}

@test "without a kubelet nothing is done" {
    take_node kubeadm-1.31
    inside systemctl disable --now kubelet
    inside rm -r /usr/lib/systemd/system/kubelet.service{,.d}
    inside systemctl daemon-reload
    note_files
    refuses "kubelet" install
    run crigate preflight
    [ "$status" = 2 ]
}

@test "a kubelet of another user, or in a container, is not the node's" {
    take_node kubeadm-1.31
    inside systemctl disable --now kubelet
    inside rm -r /usr/lib/systemd/system/kubelet.service{,.d}
    printf '[Service]\nUser=12\nExecStart=/usr/bin/kubelet --config=/var/lib/kubelet/config.yaml\nStandardError=null\n' |
        write /etc/systemd/system/theirs.service
    printf '[Service]\nExecStart=/usr/bin/unshare --pid --fork --mount-proc --kill-child /usr/bin/kubelet --config=/var/lib/kubelet/config.yaml %s\n' \
        --container-runtime-endpoint=unix:///run/containerd/containerd.sock | write /etc/systemd/system/contained.service
    echo 'fault=hang' | inside tee -a /etc/kubelet-stand-in
    inside systemctl daemon-reload
    inside systemctl start theirs contained
    note_files
    refuses "kubelet" install
}

@test "without systemd nothing is done, and preflight works" {
    take_node kubeadm-1.31
    inside mv /run/systemd /run/hidden
    run crigate install
    [ "$status" = 2 ]
    has "systemd"
    unchanged "$BATS_TEST_TMPDIR/before"
    run crigate preflight
    has "$version"
    unchanged "$BATS_TEST_TMPDIR/before"
    inside test ! -e /var/lib/crigate
}

@test "a socket path that is taken is reported, and stays" {
    take_node kubeadm-1.31
    inside mkdir -p /run/crigate
    echo mine | write /run/crigate/crigate.sock
    refuses "/run/crigate/crigate.sock" install --timeout 5s
    [ "$(inside cat /run/crigate/crigate.sock)" = mine ]
    eventually 20 calls_directly
}

@test "a runtime that does not answer is reported" {
    take_node kubeadm-1.31
    inside systemctl stop containerd
    refuses "/run/containerd/containerd.sock does not answer" install --timeout 5s
    # One of which nothing but the socket is known has no name.
    inside sed -i s#/var/run/containerd/containerd.sock#/run/other/other.sock# /var/lib/kubelet/kubeadm-flags.env
    inside systemctl restart kubelet
    run -2 crigate install --timeout 5s
    has "the kubelet's runtime at unix:///run/other/other.sock does not answer"
}

@test "two installs at once do not get into each other's way" {
    take_node kubeadm-1.31
    inside crigate install >"$BATS_TEST_TMPDIR/one" 2>&1 &
    inside crigate install >"$BATS_TEST_TMPDIR/two" 2>&1 || true
    wait $! || true
    cat "$BATS_TEST_TMPDIR"/{one,two}
    eventually 10 calls_through
    run -0 crigate install
    run -0 crigate uninstall
    as_before
}

@test "with pods in another runtime, uninstall is refused and says which" {
    take_node kubeadm-1.31
    inside systemd-run --quiet --unit=second /usr/bin/crisim --listen unix:///run/second.sock --api v1 --name second --containers 1
    eventually 10 inside test -S /run/second.sock
    run -0 crigate install --runtime second=unix:///run/second.sock
    run crigate uninstall
    [ "$status" = 2 ]
    has "second"
    calls_through
    inside systemctl stop second
    run crigate uninstall
    [ "$status" = 2 ]
    run crigate uninstall --force
    [ "$status" = 0 ]
    as_before
}

# as_crigate_says: what `install` prints for a node whose files it does not edit.
as_crigate_says() {
    printf 'kubelet-arg:\n- max-pods=200\n- container-runtime-endpoint=unix:///run/crigate/crigate.sock\n' |
        inside tee -a /etc/rancher/k3s/config.yaml >/dev/null
}

@test "a node whose files crigate does not edit is led to crigate in its own way" {
    take_node k3s-1.31
    inside cp -p /etc/rancher/k3s/config.yaml /run/before
    refuses "add to the list under kubelet-arg: container-runtime-endpoint=unix:///run/crigate/crigate.sock" install
    as_crigate_says
    run -0 crigate install
    eventually 10 calls_through
    run -0 crigate verify
    has "/etc/rancher/k3s/config.yaml:"
    # Without crigate, the kubelet would call nobody.
    run -2 crigate uninstall
    has "kubelet-arg in /etc/rancher/k3s/config.yaml"
    calls_through
    inside cp -p /run/before /etc/rancher/k3s/config.yaml
    restart_kubelet
    run -0 crigate uninstall
    as_before
}

@test "after a power cut, the kubelet calls crigate again" {
    take_node kubeadm-1.31
    run -0 crigate install
    "$HERE/node" reboot "$NODE"
    eventually 20 calls_through
    eventually 20 healthy
    run -0 crigate verify
    run -0 crigate uninstall
    as_before
}

@test "a kubeadm upgrade to 1.37 that takes the flag away is reported by verify" {
    take_node kubeadm-1.31
    run -0 crigate install
    # What kubeadm upgrade does on the way: the flag goes, and both files get the socket of the Node's annotation.
    inside sed -i 's/--container-runtime-endpoint=[^ "]* *//' "$ENV_FILE"
    inside sed -i 's,^containerRuntimeEndpoint:.*,containerRuntimeEndpoint: unix:///var/run/containerd/containerd.sock,' /var/lib/kubelet/config.yaml
    printf 'apiVersion: kubelet.config.k8s.io/v1beta1\ncontainerRuntimeEndpoint: unix:///var/run/containerd/containerd.sock\nkind: KubeletConfiguration\n' |
        write /var/lib/kubelet/instance-config.yaml
    inside sed -i 's/ *--pod-infra-container-image=[^ "]*//' "$ENV_FILE"
    echo "version=v1.37.0" | write /etc/kubelet-stand-in
    inside systemctl restart kubelet
    eventually 20 calls_directly
    run crigate verify
    [ "$status" != 0 ]
    has "/var/lib/kubelet/config.yaml"
    run -0 crigate install
    eventually 10 calls_through
    run -0 crigate verify
}
