#!/usr/bin/env bats
# critest's specs pass through the gateway exactly as they do without it.

setup_file() {
    load ../terminal.bash
    "$BATS_TEST_DIRNAME/critest" "$LAB/containerd.sock" "$LAB/specs-direct"
}

setup() {
    load ../terminal.bash
}

# through_gateway API: runs critest through a gateway that speaks that API to containerd, and compares.
through_gateway() {
    lab_start_gateway "$(lab_containerd_in_map "$1")"
    "$BATS_TEST_DIRNAME/critest" "$LAB/crigate.sock" "$LAB/specs-$1"
    lab_stop crigate
    diff "$LAB/specs-direct" "$LAB/specs-$1"
}

@test "nearly all specs pass against containerd itself" {
    [ "$(wc -l <"$LAB/specs-direct")" -ge 80 ]
}

@test "the same specs pass through the gateway" {
    through_gateway auto
}

@test "the same specs pass through the gateway when it speaks v1alpha2 to containerd" {
    through_gateway v1alpha2
}
