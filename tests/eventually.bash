# Waiting for what is to come, in the place of a delay that is long enough on one machine and not on another.
# shellcheck shell=bash
#
# Setups say `set +T`: bats notes the place of each command, for the case that it fails, which takes longer than most of them, and functions
# have hundreds. A test that fails still names its own line.

# eventually SECONDS COMMAND...: runs the command until it succeeds; fails when the time is up. The seconds are those of a machine that has
# little else to do: one with several tests at once, under sanitizers, gets three times as many, which cost nothing unless the test fails.
# What runs in the background is not $! afterwards.
eventually() {
    local end=$((SECONDS + 3 * $1)) silent
    shift
    ! "$@" >/dev/null 2>&1 || return 0
    exec {silent}<> <(:) # nothing is ever written there: read waits in place of a process
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS >= end)); then
            echo "never came true: $*"
            exec {silent}>&-
            return 1
        fi
        read -rt 0.05 -u "$silent" || true
    done
    exec {silent}>&-
}
