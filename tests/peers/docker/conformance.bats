#!/usr/bin/env bats
# critest's specs pass on real runtimes through the gateway as they do without it. tests/e2e/conformance does the same with containerd 1.6.

setup_file() {
    load_all
    lab_docker_registries
    lab_start_crio
    lab_start_gateway "  - {name: node, endpoint: 'unix://$LAB/crio.sock', primary: true}" through-crio
}

setup() {
    load_all
}

teardown_file() {
    load_all
    lab_stop through-crio
}

load_all() {
    load ../../e2e/terminal.bash
    load docker.bash
    load others.bash
}

# critest SOCKET FILE [SPECS]: runs critest there, and writes the names of the specs that passed to the file.
critest() {
    "$BATS_TEST_DIRNAME/../../e2e/conformance/critest" "$LAB/$1.sock" "${@:2}"
}

# alike RUNTIME GATEWAY MINIMUM: at least that many specs pass against the runtime itself, and the same through that gateway. What passed without
# the gateway and not with it gets two more tries: some specs fail now and then on a busy machine, with a gateway or without, but what a gateway
# breaks fails each time.
alike() {
    local try lost direct=$LAB/specs-$1 through=$LAB/specs-$1-gateway
    critest "$1" "$direct"
    wc -l "$direct"
    [ "$(wc -l <"$direct")" -ge "$3" ]
    critest "$2" "$through"
    for try in 1 2; do
        lost=$(comm -23 "$direct" "$through")
        [ -n "$lost" ] || break
        printf 'failed, and tried again:\n%s\n' "$lost"
        critest "$2" "$through-$try" "$lost"
        sort -u -o "$through" "$through" "$through-$try"
    done
    lost=$(comm -23 "$direct" "$through")
    [ -z "$lost" ]
}

@test "cri-dockerd: the same specs pass through the gateway" {
    alike cri-dockerd crigate 65
}

# Without the specs of namespaces: CRI-O waits for minutes until it ends what they leave.
@test "CRI-O: the same specs pass through the gateway" {
    export CRITEST_SKIP="NamespaceOption runtime should support"
    alike crio through-crio 70
}
