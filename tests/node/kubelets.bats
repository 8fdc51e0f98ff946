#!/usr/bin/env bats
# The kubelet does not come back.

load own_node

@test "a kubelet that ends at crigate's endpoint is led back to its runtime" {
    take_node kubeadm-1.31
    kubelet_fault exit unix:///run/crigate/crigate.sock
    note_files
    refuses "the node has been restored" install --timeout 8s
    eventually 20 calls_directly
    healthy
    inside test ! -e /var/lib/crigate/install
}

@test "a kubelet that hangs, or is not well, at crigate's endpoint is led back to its runtime" {
    local fault
    take_node kubeadm-1.34
    for fault in hang sick; do
        echo "the kubelet is to $fault"
        kubelet_fault "$fault" unix:///run/crigate/crigate.sock
        note_files
        refuses "the node has been restored" install --timeout 8s
        eventually 20 calls_directly
        healthy
    done
}

@test "a kubelet that was not well before is left alone" {
    take_node kubeadm-1.31
    kubelet_fault sick
    note_files
    restart_kubelet
    refuses "unhealthy" install
    calls_directly
}

# comes_down: whether systemd waits before it starts the kubelet again.
comes_down() {
    [ "$(inside systemctl show --property SubState --value kubelet)" = auto-restart ]
}

@test "a kubelet that its runtime keeps down comes up with crigate, and is down again without" {
    take_node kubeadm-1.31
    # The runtime of an old node under a kubelet of today.
    inside sed -i 's/--api [^ ]*/--api v1alpha2/' /usr/lib/systemd/system/containerd.service
    # It lives and waits for about as long.
    inside mkdir -p /run/systemd/system/kubelet.service.d
    printf '[Service]\nRestartSec=100ms\n' | write /run/systemd/system/kubelet.service.d/often.conf
    inside systemctl daemon-reload
    inside systemctl restart containerd
    inside systemctl restart --no-block kubelet
    eventually 20 comes_down
    inside grep "unknown service runtime.v1.RuntimeService" /run/kubelet.log
    note_files
    for _ in {1..8}; do
        run crigate preflight
        has "unknown service"
        has "the kubelet is not running"
        grep -A 1 '^NODE$' <<<"$output" | grep -q '^  without crigate  *the kubelet would stop'
    done
    run -0 crigate install
    eventually 10 calls_through
    healthy
    run crigate verify
    [ "$status" -le 1 ]
    run crigate uninstall
    [ "$status" = 2 ]
    has "the kubelet would stop"
    calls_through
    run -0 crigate uninstall --force
    has "uninstall: forced: the remaining runtime"
    as_before
    eventually 20 comes_down
}

@test "a kubelet that does not come up for another reason is left alone" {
    take_node kubeadm-1.31
    kubelet_fault exit
    inside systemctl restart --no-block kubelet
    eventually 20 comes_down
    note_files
    refuses "unhealthy" install
}

@test "an install that is interrupted is undone" {
    take_node kubeadm-1.31
    kubelet_fault hang unix:///run/crigate/crigate.sock
    note_files
    inside timeout --signal=INT --foreground 4 crigate install --timeout 60s >"$BATS_TEST_TMPDIR/out" 2>&1 || true
    cat "$BATS_TEST_TMPDIR/out"
    as_before
    eventually 20 calls_directly
}

@test "a kubelet that does not start because of its image service's package is cured" {
    take_node drop-in-1.33
    inside sed -i 's/--api v1 /--api v1alpha2 /' /etc/systemd/system/lazy.service
    inside systemctl daemon-reload
    inside systemctl restart lazy
    inside systemctl restart kubelet
    eventually 20 eval 'inside grep -q "unknown service runtime.v1.ImageService" /run/kubelet.log'
    note_files
    run -1 crigate preflight
    has 'without crigate, the kubelet would stop with "unknown service runtime.v1.ImageService": its image service at unix:///run/lazy/images.sock does not serve it'
    run -0 crigate install
    eventually 20 calls_through
    eventually 20 healthy
    run -0 crigate verify
    run -2 crigate uninstall
    has "the remaining image service, at unix:///run/lazy/images.sock, does not speak runtime.v1"
    calls_through
    run -0 crigate uninstall --force
    as_before
}
