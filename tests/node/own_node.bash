# Tests of what goes wrong around install and uninstall: each ends with a message, and with a node that is as it was or as its owner left
# it. Each test has a node of its own.
# shellcheck shell=bash

source "$BATS_TEST_DIRNAME/node.bash"

ENV_FILE=/var/lib/kubelet/kubeadm-flags.env

setup() {
    set +T # see eventually.bash
    BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
    halt
}

# take_node FIXTURE: boots a node, and notes what is there.
take_node() {
    boot "$1"
    note_files
}

# note_files: all that is there counts as before from now on.
note_files() {
    snapshot >"$BATS_TEST_TMPDIR/before"
}

as_before() {
    unchanged "$BATS_TEST_TMPDIR/before" && is_off
}

# kubelet_fault FAULT [ENDPOINT]: from its next start on, the kubelet behaves like this.
kubelet_fault() {
    printf 'version=%s\nfault=%s\nfault_at=%s\n' "$version" "$1" "${2:-}" | write /etc/kubelet-stand-in
}

# refuses MESSAGE COMMAND...: crigate does not do that, says why, and changes nothing.
refuses() {
    run crigate "${@:2}"
    [ "$status" = 2 ]
    has "$1"
    as_before
}
