# What suites of end-to-end tests share: how they begin, run variants of tests and end. Sourced by `suite`, and by that of tests/peers/docker.
# shellcheck shell=bash

# shellcheck source=tests/e2e/lab.bash
source "${BASH_SOURCE[0]%/*}/lab.bash"

# suite_begin DAEMON...: makes the laboratory in the namespaces that this process is the first of. If tests fail, the logs of these daemons
# are shown at the end.
suite_begin() {
    suite_daemons=("$@")
    mkdir -p /var/lib/cni
    mount -t tmpfs -o mode=755 tmpfs /run
    mount -t tmpfs -o mode=755 tmpfs /var/lib/cni
    mount --make-rshared /
    ip link set lo up
    mkdir -p "$LAB/tmp"
    export TMPDIR=$LAB/tmp PATH=$E2E_TOOLS:$PATH BATS_TEST_TIMEOUT=300
    lab_point_crictl "$LAB/containerd.sock"
    trap suite_finish EXIT
    trap 'exit 143' TERM INT HUP
}

suite_finish() {
    local status=$? name
    trap - EXIT
    cp "$LAB"/*.log "$E2E_LOGS"
    find "$LAB" -maxdepth 1 -name '*.tap' -exec cp -t "$E2E_LOGS" {} + # none before the first variant
    if [ "$status" != 0 ]; then
        for name in "${suite_daemons[@]}"; do
            [ ! -e "$LAB/$name.log" ] || { echo "==> $name.log <==" && tail -n 40 "$LAB/$name.log"; }
        done
    fi
    lab_end
    exit "$status"
}

# suite_run: runs the variants that the environment names, each made by the function `variant` of the suite. It sets `folders`.
suite_run() {
    local failed=0 name
    for name in $E2E_VARIANTS; do
        variant "$name"
        test_variant "$name" || failed=1
        end_variant || failed=1
    done
    exit "$failed"
}

# end_variant: a gateway that is told to end must do so cleanly, and take its socket with it.
end_variant() {
    [ -e "$LAB/crigate.pid" ] || return 0
    if ! lab_stop crigate || [ -e "$LAB/crigate.sock" ]; then
        echo "crigate did not end cleanly on SIGTERM: status $(cat "$LAB/crigate.status" 2>/dev/null || echo none)"
        return 1
    fi
}

# test_variant NAME: runs its tests. A terminal is shown each of them as it ends; a file is told how many passed, and all of what failed,
# so that this stands out in the output of many tests.
test_variant() {
    local tap=$LAB/$1.tap status=0
    if [ -t 1 ]; then
        bats --timing --print-output-on-failure "${folders[@]}" | tee "$tap" || status=1
        return "$status"
    fi
    bats --timing --print-output-on-failure --tap "${folders[@]}" >"$tap" 2>&1 || status=1
    echo "$(grep -c '^ok' "$tap") of $(sed -n 's/^1\.\.//p' "$tap") tests passed"
    if [ "$status" != 0 ]; then
        awk '/^ok/ { failed = 0 } /^not ok/ { failed = 1 } failed || !/^(ok|not ok|#|1\.\.)/' "$tap"
    fi
    return "$status"
}
