#!/usr/bin/env bats
# critest's specs pass on cri-dockerd through the gateway as they do without it.

setup_file() {
    load ../../e2e/terminal.bash
    load docker.bash
    lab_docker_registries
    critest "$LAB/cri-dockerd.sock" "$LAB/specs-direct"
}

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
}

# critest SOCKET FILE [SPECS]: runs critest there, and writes the names of the specs that passed to the file.
critest() {
    "$BATS_TEST_DIRNAME/../../e2e/conformance/critest" "$@"
}

@test "most specs pass against cri-dockerd itself" {
    [ "$(wc -l <"$LAB/specs-direct")" -ge 65 ]
}

# What passed without the gateway and not with it gets two more tries: some specs fail now and then on a busy machine, with a gateway or
# without, but what a gateway breaks fails each time.
@test "the same specs pass through the gateway" {
    local try lost
    critest "$LAB/crigate.sock" "$LAB/specs-gateway"
    for try in 1 2; do
        lost=$(comm -23 "$LAB/specs-direct" "$LAB/specs-gateway")
        [ -n "$lost" ] || break
        printf 'failed, and tried again:\n%s\n' "$lost"
        critest "$LAB/crigate.sock" "$LAB/specs-gateway-$try" "$lost"
        sort -u -o "$LAB/specs-gateway" "$LAB/specs-gateway" "$LAB/specs-gateway-$try"
    done
    comm -13 "$LAB/specs-direct" "$LAB/specs-gateway"
    lost=$(comm -23 "$LAB/specs-direct" "$LAB/specs-gateway")
    [ -z "$lost" ]
}
