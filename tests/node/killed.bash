# install and uninstall are killed at each step, as by SIGKILL or a power cut in the middle: whichever command comes next brings the node
# back, or the work to its end. strace kills crigate as it is about to make its first, second, … call of a kind: what replaces a file,
# what removes one, and what awaits the end of another program (systemctl).
# shellcheck shell=bash

source "$BATS_TEST_DIRNAME/node.bash"

RENAME=rename,renameat,renameat2,linkat
REMOVE=unlinkat,rmdir
AWAIT=wait4,waitid

setup() {
    set +T # see eventually.bash
    BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR
    boot "${KILL_FIXTURE:-kubeadm-1.34}"
    snapshot >"$BATS_TEST_TMPDIR/before"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
    halt
}

# killed_at CALLS NUMBER ARGUMENT...: runs crigate; succeeds if it was killed, fails if it got through before that call.
killed_at() {
    local status=0
    inside strace --output=/dev/null --trace="$1" --inject="$1:signal=SIGKILL:when=$2" crigate "${@:3}" >"$BATS_TEST_TMPDIR/out" 2>&1 ||
        status=$?
    if [ "$status" = 0 ]; then
        return 1
    fi
    [ "$status" = 137 ] || {
        echo "crigate ${*:3} ended with status $status"
        cat "$BATS_TEST_TMPDIR/out"
        exit 1
    }
}

# brought_back: nothing of crigate is left.
brought_back() {
    unchanged "$BATS_TEST_TMPDIR/before"
    eventually 20 calls_directly
    is_off
    inside test ! -e /var/lib/crigate/install/journal.json
}

# A kill and the way back take three to ten seconds. `make test` kills at one call in KILL_STRIDE, `make test-killed` (KILL_STRIDE=1) at each.
KILL_STRIDE=${KILL_STRIDE:-10}

# kill_install CALLS LEAST [STEP]: at each of these calls, or each STEPth, of which there are at least that many. What comes next is
# uninstall; after some, install.
kill_install() {
    local number=1
    while killed_at "$1" "$number" install; do
        echo "install was killed at call $number of $1"
        if ((number % 4 == 3)); then
            run -0 crigate install
            echo "$output"
            eventually 20 calls_through
        fi
        run -0 crigate uninstall
        echo "$output"
        brought_back
        number=$((number + KILL_STRIDE * ${3:-1}))
    done
    echo "$((number - 1)) calls of $1"
    ((number > $2))
    eventually 20 calls_through
}

# kill_uninstall CALLS LEAST [STEP]: the same of uninstall; the next one goes on.
kill_uninstall() {
    local number=1
    run -0 crigate install
    while killed_at "$1" "$number" uninstall; do
        echo "uninstall was killed at call $number of $1"
        run -0 crigate uninstall
        echo "$output"
        brought_back
        run -0 crigate install
        number=$((number + KILL_STRIDE * ${3:-1}))
    done
    echo "$((number - 1)) calls of $1"
    ((number > $2))
    brought_back
}
