#!/usr/bin/env bats
# Processes end and come back; pods stay.

setup() {
    load ../terminal.bash
}

teardown() {
    [ -e "$LAB/containerd.pid" ] || lab_containerd
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

@test "a second gateway does not take over a socket that is in use" {
    run ! timeout 10 "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml"
    [ "$status" -ne 124 ]
    crictl version
}

@test "containerd ends and comes back: calls are refused meanwhile, and its pods are there again" {
    crictl pull "$BUSYBOX"
    pod=$(run_pod survivor)
    container=$(run_container "$pod" survivor 'sleep 600')

    lab_stop containerd
    run ! crictl pods
    [[ $output =~ "code = Unavailable desc = crigate:" ]]

    lab_containerd
    lab_wait 30 crictl pods
    run -0 crictl pods --quiet --label pod=survivor
    [ "$output" = "$pod" ]
    run -0 crictl exec --sync "$container" echo still here
    [ "${lines[0]}" = "still here" ]
}

@test "a gateway that was killed leaves a socket behind, which the next one replaces" {
    pod=$(run_pod witness)
    lab_stop crigate KILL || true
    [ -S "$LAB/crigate.sock" ]
    lab_daemon crigate "$E2E_BUILD/crigate" --config "$LAB/crigate.yaml" -v 5
    lab_wait 15 crictl version
    run -0 crictl pods --quiet --label pod=witness
    [ "$output" = "$pod" ]
}
