#!/usr/bin/env bats
# crigate comes onto the node of the fixture NODE_FIXTURE and goes again. Each test goes on where the one before it stopped.

load node

setup_file() {
    load node
    boot "$NODE_FIXTURE"
    snapshot >"$BATS_FILE_TMPDIR/before"
    kubelet_pid >"$BATS_FILE_TMPDIR/pid"
}

setup() {
    set +T # see eventually.bash
    NODE=$BATS_FILE_TMPDIR/node
    describe "$NODE_FIXTURE"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
}

teardown_file() {
    load node
    NODE=$BATS_FILE_TMPDIR/node
    halt
}

# to_be_edited: whether this is a node that install takes.
to_be_edited() {
    [ -n "$changes" ]
}

@test "preflight reports where the kubelet's endpoint comes from, and changes nothing" {
    run crigate preflight
    has "$version"
    has "$origin"
    if to_be_edited; then
        [ "$status" -le 1 ]
    else
        [ "$status" = 2 ]
    fi
    unchanged "$BATS_FILE_TMPDIR/before"
    inside test ! -e /var/lib/crigate
}

@test "preflight reports the same to a machine" {
    run crigate preflight -o json
    jq -e --argjson status "$status" --arg layout "$layout" --arg version "$version" --arg socket "$socket" --arg api "$api" \
        --argjson pid "$(kubelet_pid)" --arg changes "$changes" '
        .fitness == ["fit", "warnings", "impossible"][$status] and
        (.kubelet | .pid == $pid and .layout == $layout and (.version | startswith($version)) and (.endpoint | endswith($socket))) and
        ([.runtimes[] | select(.present)] | length == 1 and
            (.[0] | (.dialects | sort) == ($api | split(",") | sort) and .pods == 2 and .containers == 4)) and
        ([.install.changes[].file] | sort) == ($changes | split(" ") | map(select(. != "")))' <<<"$output"
}

@test "install --dry-run shows the change of each file, and makes none" {
    run crigate install --dry-run
    for path in $changes; do
        has "$path"
    done
    unchanged "$BATS_FILE_TMPDIR/before"
    inside test ! -e /var/lib/crigate
    [ "$(kubelet_pid)" = "$(cat "$BATS_FILE_TMPDIR/pid")" ]
}

@test "install leads the kubelet's calls through crigate" {
    run crigate install
    if ! to_be_edited; then
        [ "$status" = 2 ]
        unchanged "$BATS_FILE_TMPDIR/before"
        return
    fi
    [ "$status" -le 1 ]
    eventually 10 calls_through
    healthy
    inside systemctl is-active crigate.service
    inside systemctl is-enabled crigate.service
    [[ $(last_call) == *" 2 pods, 4 containers" ]]
}

@test "verify finds all as it should be" {
    to_be_edited || return 0
    run crigate verify
    [ "$status" = 0 ]
    run crigate status -o json
    jq -e --argjson pid "$(kubelet_pid)" '.callers | any(.pid == $pid and .calls > 0)' <<<"$output"
}

@test "install again changes nothing" {
    to_be_edited || return 0
    kubelet_pid >"$BATS_FILE_TMPDIR/pid"
    snapshot >"$BATS_FILE_TMPDIR/installed"
    run -0 crigate install
    unchanged "$BATS_FILE_TMPDIR/installed"
    [ "$(kubelet_pid)" = "$(cat "$BATS_FILE_TMPDIR/pid")" ]
}

@test "uninstall restores every byte, and the kubelet calls its runtime" {
    to_be_edited || return 0
    run -0 crigate uninstall --check
    unchanged "$BATS_FILE_TMPDIR/installed"
    run -0 crigate uninstall
    unchanged "$BATS_FILE_TMPDIR/before"
    eventually 10 calls_directly
    healthy
    is_off
    inside test ! -e /var/lib/crigate/install
}

@test "verify, and uninstall again, report that crigate is not installed" {
    to_be_edited || return 0
    run -2 crigate verify
    has "in use"
    [ "${#lines[@]}" = 1 ]
    run crigate uninstall
    has "not installed"
    unchanged "$BATS_FILE_TMPDIR/before"
}
