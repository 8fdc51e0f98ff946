# Waiting for what is to come, in the place of a delay that is long enough on one machine and not on another.
# shellcheck shell=bash

# eventually SECONDS COMMAND...: runs the command until it succeeds; fails when the time is up. The seconds are those of a machine that has
# little else to do: one with several tests at once, under sanitizers, gets three times as many, which cost nothing unless the test fails.
eventually() {
    local end=$((SECONDS + 3 * $1))
    shift
    until "$@" >/dev/null 2>&1; do
        if ((SECONDS >= end)); then
            echo "never came true: $*"
            return 1
        fi
        sleep 0.05
    done
}
