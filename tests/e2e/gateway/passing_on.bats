#!/usr/bin/env bats
# What passes through the gateway unchanged, and what stays inside.

setup() {
    load ../terminal.bash
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

# answer SOCKET ARGUMENTS...: the gRPC code and message with which a call of crictl ends there.
answer() {
    local socket=$1
    shift
    crictl --runtime-endpoint "unix://$socket" --image-endpoint "unix://$socket" "$@" 2>&1 |
        sed -n 's/.*level=[a-z]* msg=.*\(code = .*\)"$/\1/p'
}

@test "an error is the runtime's own, code and text" {
    for call in "inspect absent" "inspectp absent" "start absent" "stop absent" "stopp absent" "update --cpu-share 3 absent" \
        "exec absent true" "exec --sync absent true" "attach absent" "port-forward absent 18090:80" "pull docker.io/library/absent:e2e"; do
        # shellcheck disable=SC2086
        direct=$(answer "$LAB/containerd.sock" $call)
        [ -n "$direct" ]
        # shellcheck disable=SC2086
        [ "$(answer "$LAB/crigate.sock" $call)" = "$direct" ]
    done
}

@test "what the gateway lists is what the runtime lists" {
    local less_composed='del(.images[]?.pinned)' # composed.bats has what is said of these
    run_pod listed
    for list in "pods --output json" "ps --all --output json" "images --output json"; do
        # shellcheck disable=SC2086
        crictl $list | jq "$less_composed" >"$BATS_TEST_TMPDIR/gateway"
        # shellcheck disable=SC2086
        crictl --runtime-endpoint "unix://$LAB/containerd.sock" --image-endpoint "unix://$LAB/containerd.sock" $list |
            jq "$less_composed" >"$BATS_TEST_TMPDIR/direct"
        diff "$BATS_TEST_TMPDIR/direct" "$BATS_TEST_TMPDIR/gateway"
    done
}

@test "the values of a container's environment are in no log" {
    crictl pull "$BUSYBOX"
    pod=$(run_pod secretive)
    run_container "$pod" secretive 'sleep 60' '.envs = [{key: "PASSWORD", value: "a-value-to-keep"}]'
    run ! grep --fixed-strings a-value-to-keep "$LAB/crigate.log"
}

@test "a change of state is in the log" {
    pod=$(run_pod logged)
    run -0 grep --fixed-strings RunPodSandbox "$LAB/crigate.log"
    [[ $output =~ $pod ]] || grep --fixed-strings "$pod" "$LAB/crigate.log"
}
