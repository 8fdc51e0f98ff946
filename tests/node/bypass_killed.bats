#!/usr/bin/env bats
# `crigate bypass on` and `off` are killed at each step, and then the power is cut: the kubelet's calls are answered all the same, and
# the command that comes next goes on, or undoes. strace kills crigate as it is about to make its first, second, … call of a kind: what
# replaces a file, removes one, makes a link, has the disk write, and starts another program (systemctl; it makes pipes first).

load node

# `make test` kills at one call in KILL_STRIDE, `make test-killed` (KILL_STRIDE=1) at each.
KILL_STRIDE=${KILL_STRIDE:-8}

setup() {
    set +T # see eventually.bash
    BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
    boot kubeadm-1.31
    run -0 crigate install
    eventually 20 calls_through
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
    halt
}

# answered: how many lists of containers the runtime was asked for since the node was booted.
answered() {
    inside sh -c 'cat /run/runtime.journal 2>/dev/null | grep -c ListContainers || true'
}

# goes_on: whether the kubelet asks, and the runtime is asked, more than when `count` was set.
goes_on() {
    [ "$(answered)" -gt "$count" ]
}

# works: the kubelet's calls are answered from now on.
works() {
    count=$(answered)
    eventually 30 goes_on
}

# killed_at CALLS NUMBER VERB: runs bypass; succeeds if it was killed, fails if it got through before that call.
killed_at() {
    local status=0
    inside strace --output=/dev/null --trace="$1" --inject="$1:signal=SIGKILL:when=$2" crigate bypass "$3" >"$BATS_TEST_TMPDIR/out" 2>&1 ||
        status=$?
    [ "$status" = 137 ] || {
        [ "$status" = 0 ] || cat "$BATS_TEST_TMPDIR/out"
        return 1
    }
}

# kill_each VERB CALLS LEAST: at each of these calls, of which there are at least that many. After odd ones, off comes next; after even
# ones, on. After each third one, the power is cut.
kill_each() {
    local number=1 before=off
    [ "$1" = on ] || before=on
    while run -0 crigate bypass "$before" && killed_at "$2" "$number" "$1"; do
        echo "$1 was killed at call $number of $2"
        works
        if ((number % 3 == 0)); then
            "$HERE/node" reboot "$NODE"
            works
        fi
        if ((number % 2 == 0)); then
            run -0 crigate bypass on
            run -1 crigate bypass status
            works
        fi
        run -0 crigate bypass off
        run -0 crigate bypass status
        inside test ! -e /etc/tmpfiles.d/crigate-bypass.conf
        inside test ! -L /run/crigate/crigate.sock
        run -0 crigate verify --wait 30s
        number=$((number + KILL_STRIDE))
    done
    ((number > $3))
}

RENAME=rename,renameat,renameat2,linkat
REMOVE=unlink,unlinkat,rmdir

@test "on, killed as it replaces a file" {
    kill_each on "$RENAME" 2
}

@test "on, killed as it makes the link" {
    kill_each on symlink,symlinkat 1
}

@test "on, killed as the disk writes" {
    kill_each on fsync 3
}

@test "on, killed as it starts a program" {
    kill_each on pipe2 3
}

@test "off, killed as it removes a file" {
    kill_each off "$REMOVE" 3
}

@test "off, killed as it starts a program" {
    kill_each off pipe2 3
}
