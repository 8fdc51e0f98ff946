# What the bats files share: crictl at the endpoint under test, and configurations of pods and containers.
# shellcheck shell=bash

set +T # see tests/eventually.bash
source "${BASH_SOURCE[0]%/*}/lab.bash"

bats_require_minimum_version 1.5.0

BUSYBOX=docker.io/library/busybox:e2e

# As in the integration tests: the same language as jq's, it starts in a tenth of the time, and keys are always sorted.
jq() {
    gojq "$@"
}

# pod_config NAME [JQ_FILTER]: writes a sandbox configuration and prints its file's name. Makes the folder of the pod's logs, as kubelets do.
pod_config() {
    local file=$BATS_FILE_TMPDIR/pod-$1.json
    mkdir -p "$LAB/logs/$1"
    jq -n --arg name "$1" --arg logs "$LAB/logs/$1" --arg cgroup "$LAB_CGROUP/$1" '{
        metadata: {name: $name, namespace: "e2e", uid: ("uid-of-" + $name), attempt: 1},
        hostname: $name, log_directory: $logs, dns_config: {servers: ["127.0.0.1"]},
        labels: {suite: "e2e", pod: $name}, annotations: {note: ("a note on " + $name)},
        linux: {cgroup_parent: $cgroup, security_context: {namespace_options: {pid: 1}}}
    }' | jq "${2:-.}" >"$file"
    echo "$file"
}

# container_config NAME SHELL_COMMAND [JQ_FILTER]: the same for a container.
container_config() {
    local file=$BATS_FILE_TMPDIR/container-$1.json
    jq -n --arg name "$1" --arg command "$2" --arg image "$BUSYBOX" '{
        metadata: {name: $name, attempt: 1}, image: {image: $image}, command: ["/bin/sh", "-c", $command],
        labels: {suite: "e2e", container: $name}, log_path: ($name + ".log"),
        linux: {security_context: {namespace_options: {pid: 1}}}
    }' | jq "${3:-.}" >"$file"
    echo "$file"
}

# run_pod NAME [JQ_FILTER]: starts a pod sandbox and prints its id.
run_pod() {
    crictl runp "$(pod_config "$@")"
}

# run_container POD NAME SHELL_COMMAND [JQ_FILTER]: creates and starts a container in a pod made by run_pod and prints its id.
run_container() {
    local pod=$1 id name
    shift
    name=$(crictl inspectp "$pod" | jq -r .status.metadata.name)
    id=$(crictl create "$pod" "$(container_config "$@")" "$BATS_FILE_TMPDIR/pod-$name.json")
    crictl start "$id" >/dev/null
    echo "$id"
}

# field FILTER JSON: what jq finds in it.
field() {
    jq -r "$1" <<<"$2"
}

# remove_pods: takes away what a file's tests have started, and its logs.
remove_pods() {
    local ids
    ids=$(crictl pods --quiet --label suite=e2e)
    # shellcheck disable=SC2086
    [ -z "$ids" ] || crictl rmp --force $ids
    rm -rf "$LAB/logs"
}
