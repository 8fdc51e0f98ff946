#!/usr/bin/env bats
# The kubelet does not come back.

load own_node

@test "a kubelet that ends at crigate's endpoint is led back to its runtime" {
    take_node kubeadm-1.31
    kubelet_fault exit unix:///run/crigate/crigate.sock
    note_files
    refuses "the node is as before" install --timeout 3s
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
        refuses "the node is as before" install --timeout 3s
        eventually 20 calls_directly
        healthy
    done
}

@test "a kubelet that was not well before is left alone" {
    take_node kubeadm-1.31
    kubelet_fault sick
    note_files
    inside systemctl restart kubelet
    eventually 20 calls_directly
    refuses "not well" install
    calls_directly
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
