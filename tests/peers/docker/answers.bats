#!/usr/bin/env bats
# What crigate answers better than cri-dockerd, against Docker Engine's and the kernel's own numbers: docs/composed-answers.md.

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
}

teardown_file() {
    load ../../e2e/terminal.bash
    remove_pods
    rm -f "$E2E_LOGS"/much.*
}

# ask METHOD [REQUEST]: asks crigate. ask_docker: the same of cri-dockerd.
ask() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/crigate.sock" --api "${API:-v1}" --timeout 60s --compact "$@"
}

ask_docker() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$LAB/cri-dockerd.sock" --api v1 --timeout 60s --compact "$@"
}

# much: a file of 48 MiB on a disk, of which nothing is in the page cache. The laboratory's own folders are in memory.
much() {
    local file
    file=$(mktemp "$E2E_LOGS/much.XXXXXX")
    dd if=/dev/zero of="$file" bs=1M count=48 conv=fsync status=none
    dd of="$file" oflag=nocache conv=notrunc,fdatasync count=0 status=none
    echo "$file"
}

# run_reader NAME [JQ_FILTER]: a container that has read such a file, in a pod of that name. By one call: what is read twice counts as used
# lately, and the kernel may keep it in pieces of any size.
run_reader() {
    local id pod
    pod=$(run_pod "$1")
    id=$(run_container "$pod" "$1" 'dd if=/much of=/dev/null bs=64M; echo read; exec sleep 600' \
        ".mounts = [{host_path: \"$(much)\", container_path: \"/much\", readonly: true}] | ${2:-.}")
    lab_wait 30 grep --quiet read "$LAB/logs/$1/$1.log" || return
    echo "$id"
}

# kernel_counts CONTAINER: sets USAGE and CACHE from its process's cgroup.
kernel_counts() {
    local pid path
    pid=$(docker_process "$1")
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        path=/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
        USAGE=$(cat "$path/memory.current")
        CACHE=$(sed -n 's/^inactive_file //p' "$path/memory.stat")
    else
        path=/sys/fs/cgroup/memory$(sed -n 's/^[0-9]*:memory://p' "/proc/$pid/cgroup")
        USAGE=$(cat "$path/memory.usage_in_bytes")
        CACHE=$(sed -n 's/^total_inactive_file //p' "$path/memory.stat")
    fi
}

# near A B: whether they differ by less than two mebibytes: neither number is of the same moment.
near() {
    local difference=$(($1 - $2))
    ((difference > -2097152 && difference < 2097152)) || {
        echo "$1 is not near $2"
        return 1
    }
}

# working_set CONTAINER STATISTICS: its number in a list.
working_set() {
    jq --arg id "$1" '.. | objects | select(.attributes.id == $id) | .memory.workingSetBytes.value | tonumber' <<<"$2"
}

@test "a container that has read much has the working set that the kernel counts, not cri-dockerd's" {
    crictl pull "$BUSYBOX"
    container=$(run_reader reads '.labels["io.kubernetes.pod.uid"] = "uid-of-reads"')
    kernel_counts "$container"
    ((CACHE > 32 * 1048576))

    direct=$(working_set "$container" "$(ask_docker ListContainerStats)")
    near "$direct" "$USAGE"
    near "$(working_set "$container" "$(ask ListContainerStats)")" $((USAGE - CACHE))
    near "$(working_set "$container" "$(ask ContainerStats "{\"containerId\": \"$container\"}")")" $((USAGE - CACHE))
    near "$(working_set "$container" "$(ask ListPodSandboxStats)")" $((USAGE - CACHE))
    API=v1alpha2
    near "$(working_set "$container" "$(ask ListContainerStats)")" $((USAGE - CACHE))

    # What `docker stats` shows is without cache as well.
    shown=$(docker stats --no-stream --format '{{.MemUsage}}' "$container")
    shown=$(numfmt --from=iec-i --suffix=B "${shown%% *}")
    near "${shown%B}" $((USAGE - CACHE))
}

@test "of a container whose cgroup nobody names, cri-dockerd's number stays" {
    container=$(run_reader unnamed)
    kernel_counts "$container"
    ((CACHE > 32 * 1048576))
    near "$(working_set "$container" "$(ask ListContainerStats)")" "$USAGE"
}

@test "a log that is to be reopened: the refusal says what to set" {
    pod=$(run_pod logs)
    container=$(run_container "$pod" logs 'exec sleep 600')
    run -2 ask_docker ReopenContainerLog "{\"containerId\": \"$container\"}"
    [[ $output =~ "UNKNOWN: docker does not support reopening container log files" ]]
    run -2 ask ReopenContainerLog "{\"containerId\": \"$container\"}"
    [[ $output =~ "docker does not support reopening container log files: Docker itself rotates them: set max-size and max-file" ]]
}

@test "cri-dockerd streams no events, and many scrapes at once are answered alike" {
    run -12 ask_docker GetContainerEvents
    for i in $(seq 10); do
        ask ListContainerStats >"$BATS_TEST_TMPDIR/$i.json" 3>&- &
        scrapes+=($!)
    done
    wait "${scrapes[@]}"
    for i in $(seq 10); do
        [ "$(jq '[.stats[].attributes.id] | sort' "$BATS_TEST_TMPDIR/$i.json")" = \
            "$(jq '[.stats[].attributes.id] | sort' "$BATS_TEST_TMPDIR/1.json")" ]
    done
    [ "$(jq '.stats | length' "$BATS_TEST_TMPDIR/1.json")" -ge 1 ]
}
