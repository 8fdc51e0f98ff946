#!/usr/bin/env bats
# Whether a container that comes to Docker Engine through the gateway is as confined as it was meant to be: the same containers as in
# tests/e2e/confinement, asked for by callers of all ages. What their processes see is held against a table (`confined`), and against the
# same container asked for in v1 from cri-dockerd itself.

setup_file() {
    load_all
    mkdir -p -m 1777 "$LAB/given"
    no_mkdir >"$LAB/no-mkdir.json"
    expected >"$BATS_FILE_TMPDIR/expected"
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/cri-dockerd.sock" PullImage "{\"image\": {\"image\": \"$BUSYBOX\"}}"
    way v1 cri-dockerd
    see_all
}

setup() {
    load_all
    DIRECT=$BATS_FILE_TMPDIR/cri-dockerd-v1
}

teardown_file() {
    load_all
    remove_pods
}

# load_all: what differs from the tests with containerd is where Docker Engine keeps what.
load_all() {
    load ../../e2e/confinement/confined.bash
    load docker.bash
    EXPECTED=$BATS_TEST_DIRNAME/confined

    pod_process() {
        docker_process "$1"
    }

    said() {
        command jq --join-output .log "$1"
    }

    told_to_run() {
        local id name
        for id in "$@"; do
            name=$(crictl inspect "$id" | jq -r .status.metadata.name)
            told_of "${name//-/_}" <"$LAB/specs/$id.json"
        done
    }
}

@test "containers of a caller without the gateway are as the table says" {
    way v1 cri-dockerd
    confined_as_expected
}

@test "a v1_9 caller's containers are as confined" {
    confined_alike v1_9 crigate
}

@test "a v1alpha2 caller's containers are as confined" {
    confined_alike v1alpha2 crigate
}

@test "a v1 caller's containers are as confined" {
    confined_alike v1 crigate
}
