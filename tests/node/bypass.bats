#!/usr/bin/env bats
# `crigate bypass`: the kubelet's calls go past crigate and back, while its files stay as they are.

load node

setup_file() {
    load node
    boot kubeadm-1.31
    snapshot >"$BATS_FILE_TMPDIR/before"
    inside crigate install
    snapshot >"$BATS_FILE_TMPDIR/installed"
}

setup() {
    set +T # see eventually.bash
    NODE=$BATS_FILE_TMPDIR/node
    describe kubeadm-1.31
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
}

teardown_file() {
    load node
    NODE=$BATS_FILE_TMPDIR/node
    halt
}

# past_crigate: the kubelet's calls are answered at crigate's path, and crigate is not running.
past_crigate() {
    ! inside systemctl is-active --quiet crigate.service && inside test -L /run/crigate/crigate.sock && answered_since_mark && healthy
}

# mark: what the runtime was asked until now does not count.
mark() {
    MARK=$(inside grep -c ListContainers /run/runtime.journal)
}

answered_since_mark() {
    [ "$(inside grep -c ListContainers /run/runtime.journal)" -gt "$MARK" ]
}

@test "on: the kubelet's calls go past crigate, under the same process" {
    local pid
    pid=$(kubelet_pid)
    mark
    run -0 crigate bypass on
    has "crigate is bypassed. To end the bypass: crigate bypass off"
    eventually 20 past_crigate
    [ "$(kubelet_pid)" = "$pid" ]
    inside test -e /etc/tmpfiles.d/crigate-bypass.conf
    # For a reboot; the kubelet's files and the rest are as they were.
    diff <(snapshot | grep -v ^/etc/tmpfiles.d/crigate-bypass.conf) "$BATS_FILE_TMPDIR/installed"
}

@test "status and verify show the bypass" {
    run crigate verify
    [ "$status" = 1 ]
    has "bypass"
    run -1 crigate status
    [[ $output == "bypassed since "* ]]
}

@test "a start of crigate does not end it" {
    inside systemctl start crigate.service || true
    mark
    eventually 20 past_crigate
}

@test "a reboot does not end it" {
    "$HERE/node" reboot "$NODE"
    MARK=0
    eventually 30 past_crigate
    run crigate verify
    [ "$status" = 1 ]
}

@test "off: the kubelet's calls pass through crigate again, under the same process" {
    local pid
    pid=$(kubelet_pid)
    run -0 crigate bypass off
    has "calls pass through crigate again"
    inside systemctl is-active crigate.service
    inside test ! -L /run/crigate/crigate.sock
    eventually 20 healthy
    [ "$(kubelet_pid)" = "$pid" ]
    unchanged "$BATS_FILE_TMPDIR/installed"
    eventually 20 crigate verify
}

@test "on also works while crigate hangs" {
    inside systemctl kill --kill-whom=main --signal=STOP crigate.service
    mark
    run -0 crigate bypass on
    eventually 20 past_crigate
    run -0 crigate bypass off
    eventually 20 crigate verify
}

@test "uninstall during a bypass restores every byte" {
    run -0 crigate bypass on
    run -0 crigate uninstall
    unchanged "$BATS_FILE_TMPDIR/before"
    eventually 20 calls_directly
    inside test ! -e /var/lib/crigate/bypass
    inside test ! -L /run/crigate/crigate.sock
}

@test "on is refused where the kubelet would lose pods of another runtime, unless forced" {
    run -0 crigate install
    inside systemd-run --quiet --unit=second /usr/bin/crisim --listen unix:///run/second.sock --api v1 --name second --containers 1
    eventually 10 inside test -S /run/second.sock
    printf '  - {name: second.local, endpoint: "unix:///run/second.sock"}\n' | inside tee -a /etc/crigate/crigate.yaml
    inside crigate reload
    eventually 20 eval 'crigate status | grep -q "second.local.*ready"'
    run crigate bypass on
    [ "$status" = 2 ]
    has "second"
    inside systemctl is-active crigate.service
    mark
    run crigate bypass on --force
    [ "$status" -le 1 ]
    eventually 20 past_crigate
    run -0 crigate bypass off
    eventually 20 crigate verify
}
