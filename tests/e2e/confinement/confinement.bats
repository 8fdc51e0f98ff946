#!/usr/bin/env bats
# Whether a container that comes through the gateway is as confined as it was meant to be. The same containers are asked for by
# callers of all ages, with containerd spoken to in both of its packages; what their processes see is held against a table
# (`expected`) and against the same container asked for in v1 from containerd itself.

setup_file() {
    load confined.bash
    mkdir -m 1777 "$LAB/given"
    no_mkdir >"$LAB/no-mkdir.json"
    expected >"$BATS_FILE_TMPDIR/expected"
    crictl pull "$BUSYBOX"
    lab_start_gateway "$(lab_containerd_in_map auto)" newer
    mkdir -p "$LAB/older.d"
    echo 'listen: {callers: "1.10"}' >"$LAB/older.d/callers.yaml"
    lab_start_gateway "$(lab_containerd_in_map v1alpha2)" older
    way v1 containerd
    see_all
}

setup() {
    load confined.bash
    DIRECT=$BATS_FILE_TMPDIR/containerd-v1
}

teardown_file() {
    load confined.bash
    local gateway
    for gateway in newer older; do
        [ ! -e "$LAB/$gateway.pid" ] || lab_stop "$gateway"
    done
    remove_pods
}

# recorded METHOD NUMBER [POD_ID]: a recorded request of a client of 1.9, its names and paths made to fit the laboratory.
recorded() {
    local apis=$BATS_TEST_DIRNAME/../../../apis/v1_9 message=runtime.$1Request pod=/^sandbox_config/
    [ "$1" = CreateContainer ] || pod=1
    protoc --proto_path "$apis" --decode "$message" api.proto \
        <"$BATS_TEST_DIRNAME/../../corpus/1.9-caller/runtime.RuntimeService.$1/$2.req" |
        sed -e "s|pod_sandbox_id: .*|pod_sandbox_id: \"${3:-}\"|" -e "s|image: \".*\"|image: \"$BUSYBOX\"|" \
            -e 's|args: "trap .*"|args: "sh /mnt/observe"|' -e "s|host_path: \"/tmp\"|host_path: \"$LAB/recorded\"|" \
            -e "s|log_directory: .*|log_directory: \"$LAB/logs/recorded\"|" -e "s|log_path: .*|log_path: \"$2.log\"|" \
            -e "s|key: \"app\"|key: \"suite\"|" -e 's|value: "x"|value: "e2e"|' \
            -e "$pod,\$ s|^  linux {|& cgroup_parent: \"$LAB_CGROUP/recorded-$2\"|" |
        protoc --proto_path "$apis" --encode "$message" api.proto
}

# without RULE: the complaints about a v1_9 caller's plain container when it comes through a crigate without that rule.
without() {
    lab_start_gateway "$(lab_containerd_in_map auto)" "without_$1" "crigate_without_$1"
    way v1_9 "without_$1"
    see_all plain
    lab_stop "without_$1"
    run ! as_expected "$SEEN/plain"
}

@test "containerd itself, in v1, confines as expected" {
    echo "# this node has: $(node | xargs)" >&3
    way v1 containerd
    [ "$(ls "$SEEN")" = "$(words 'containers + (pods | with_entries(.key |= "pod_" + .)) | keys[]')" ]
    confined_as_expected
}

@test "a v1_9 caller's containers are as confined, through v1" {
    confined_alike v1_9 newer
}

@test "a v1_9 caller's containers are as confined, through v1alpha2" {
    confined_alike v1_9 older
}

@test "a v1alpha2 caller's containers are as confined, through v1" {
    confined_alike v1alpha2 newer
}

@test "a v1alpha2 caller's containers are as confined, through v1alpha2" {
    confined_alike v1alpha2 older
}

@test "a v1 caller's containers are as confined, through v1" {
    confined_alike v1 newer
}

@test "a v1 caller's containers are as confined, through v1alpha2" {
    confined_alike v1 older
}

@test "a kubelet of 1.10, of which the map tells, gets the paths that it cannot ask for" {
    way v1_10 older
    see_all plain restricted
    confined_as_expected
    diff "$DIRECT/plain" "$SEEN/plain"
    diff "$DIRECT/restricted" "$SEEN/restricted"
}

@test "a v1alpha2 caller that asks for no masked paths has none" {
    way v1_10 newer
    see_all plain
    run ! as_expected "$SEEN/plain"
    [[ $output == *"masked./proc/keys is \"open\""* ]]
    [[ $output == *"protected./proc/sys is \"writable\""* ]]
}

@test "requests as clients of 1.9 sent them" {
    local number pod container
    way v1_9 newer recorded
    mkdir "$LAB/recorded"
    cp "$BATS_TEST_DIRNAME/observe" "$LAB/recorded"
    for number in 00 01 02; do
        pod=$(make RunPodSandbox --raw-request <(recorded RunPodSandbox "$number"))
        container=$(make CreateContainer --raw-request <(recorded CreateContainer "$number" "$pod"))
        ask StartContainer "{\"container_id\": \"$container\"}"
        keep "recorded_$number" "$(pod_process "$pod")" "$LAB/logs/recorded/$number.log"
        told_to_run "$container" | cut -d ' ' -f 2- >>"$SEEN/recorded_$number"
    done
    confined_as_expected
}

@test "without the rule of the default paths, an old caller's container would be open, and these tests fail" {
    without masked_paths_default
    [[ $output == *"plain: masked./proc/keys is \"open\""* ]]
    [[ $output == *"plain: masked./sys/firmware is \"open\""* ]]
    [[ $output == *"plain: protected./proc/sys is \"writable\""* ]]
    [[ $output == *"plain: write.sysctl is \"done\""* ]]
    [[ $output == *"plain: told.masked is \"null\""* ]]
    run ! grep -vE 'masked|protected|write\.sysctl' <<<"$output"
}

@test "without the rule of absent namespaces, an old caller's container would share its pod's processes, and these tests fail" {
    without namespaces_said
    [[ $output == *"plain: namespace.pid is \"pod\""* ]]
    [[ $output == *"plain: pause is \"seen\""* ]]
}
