#!/usr/bin/env bats
# The life of one pod with one container, from pull to removal. Each test goes on where the one before it stopped.

setup_file() {
    load ../terminal.bash
    crictl rmi "$BUSYBOX" || true
}

setup() {
    load ../terminal.bash
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    echo "$1=$2" >>"$BATS_FILE_TMPDIR/ids"
}

# pod_process: the pid of the container's process, as the runtime tells it.
pod_process() {
    crictl inspect "$container" | jq .info.pid
}

@test "pull brings the image" {
    run -0 crictl pull "$BUSYBOX"
}

@test "runp starts a sandbox with an address of its own" {
    run -0 crictl runp "$(pod_config web '.port_mappings = [{protocol: 0, container_port: 8080, host_port: 18080}]')"
    [[ $output =~ ^[0-9a-f]{64}$ ]]
    remember pod "$output"
    run -0 crictl inspectp "$output"
    [ "$(field .status.state "$output")" = SANDBOX_READY ]
    [[ $(field .status.network.ip "$output") =~ ^10\.201\.0\.[0-9]+$ ]]
    remember address "$(field .status.network.ip "$output")"
}

@test "pods shows the sandbox with its labels and annotations" {
    run -0 crictl pods --output json --label pod=web
    [ "$(field '.items | length' "$output")" = 1 ]
    [ "$(field '.items[0].id' "$output")" = "$pod" ]
    [ "$(field '.items[0].metadata.uid' "$output")" = uid-of-web ]
    [ "$(field '.items[0].annotations.note' "$output")" = "a note on web" ]
    run -0 crictl pods --quiet --id "$pod"
    [ "$output" = "$pod" ]
}

@test "the sandbox's process is there" {
    pid=$(crictl inspectp "$pod" | jq .info.pid)
    [ "$(readlink "/proc/$pid/exe")" = /pause ]
}

@test "create makes a container that does not run yet" {
    container=$(crictl create "$pod" \
        "$(container_config server 'echo out; echo err >&2; exec httpd -f -p 8080 -h /www' '.envs = [{key: "COLOUR", value: "blue"}]')" \
        "$BATS_FILE_TMPDIR/pod-web.json")
    [[ $container =~ ^[0-9a-f]{64}$ ]]
    remember container "$container"
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_CREATED ]
    run -0 crictl ps --quiet --id "$container"
    [ -z "$output" ]
}

@test "start makes it run" {
    run -0 crictl start "$container"
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_RUNNING ]
    [ "$(field .status.image.image "$output")" = "$BUSYBOX" ]
    [ "$(field .status.logPath "$output")" = "$LAB/logs/web/server.log" ]
    # The tests that follow look at httpd. What runs may be the shell still.
    lab_wait 20 busybox wget -q -O /dev/null "http://$address:8080/"
}

@test "ps lists it, by pod, by label and by the beginning of its id" {
    run -0 crictl ps --quiet --pod "$pod"
    [ "$output" = "$container" ]
    run -0 crictl ps --quiet --label container=server
    [ "$output" = "$container" ]
    run -0 crictl ps --quiet --id "${container:0:13}"
    [ "$output" = "$container" ]
}

@test "the container's process is a real one, in the pod's cgroup" {
    pid=$(pod_process)
    [[ $(tr '\0' ' ' <"/proc/$pid/cmdline") =~ "httpd -f -p 8080" ]]
    [[ $(cat "/proc/$pid/cgroup") =~ $LAB_CGROUP/web/$container ]]
    [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

@test "the container does not see its sandbox's processes" {
    run -0 crictl exec --sync "$container" cat /proc/1/cmdline
    [[ $output =~ ^httpd ]]
}

@test "what it serves is reached at the pod's address and at the host's port" {
    run -0 busybox wget -q -O - "http://$address:8080/"
    [ "$output" = "served from a pod" ]
    run -0 busybox wget -q -O - http://10.201.0.1:18080/
    [ "$output" = "served from a pod" ]
}

@test "logs shows what it wrote to both streams" {
    run -0 --separate-stderr crictl logs "$container"
    [ "$output" = out ]
    [ "$stderr" = err ]
}

@test "logs goes on after the log was moved away" {
    mv "$LAB/logs/web/server.log" "$LAB/logs/web/server.log.1"
    run -0 crictl logs --reopen "$container"
    [ -e "$LAB/logs/web/server.log" ]
}

@test "exec --sync returns output, errors and exit status" {
    run -0 crictl exec --sync "$container" sh -c 'echo "$COLOUR"; echo oops >&2'
    [ "${lines[0]}" = blue ]
    [ "${lines[1]}" = oops ]
    run ! crictl exec --sync "$container" sh -c 'exit 3'
    [[ $output =~ "exited with 3" ]]
}

@test "exec --sync gives up after its timeout" {
    run ! crictl exec --sync --timeout 1 "$container" sleep 20
    [[ $output =~ DeadlineExceeded ]]
}

@test "update changes the container's share of the processor" {
    run -0 crictl update --cpu-share 333 "$container"
    run -0 crictl exec --sync "$container" sh -c 'cat /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/cpu.weight'
    [ "$output" = 333 ] || [ "$output" -lt 30 ]
}

@test "stats tells what the container uses" {
    lab_wait 10 sh -c "crictl stats --output json --id $container | jq --exit-status '.stats[0].memory.workingSetBytes.value | tonumber > 0'"
    run -0 crictl stats --output json --id "$container"
    [ "$(field '.stats | length' "$output")" = 1 ]
    [ "$(field '.stats[0].attributes.id' "$output")" = "$container" ]
    [ "$(field '.stats[0].cpu.usageCoreNanoSeconds.value | tonumber > 0' "$output")" = true ]
}

@test "statsp tells what the pod uses" {
    run -0 crictl statsp --output json --id "$pod"
    [ "$(field '.stats[0].attributes.id' "$output")" = "$pod" ]
    [ "$(field '.stats[0].linux.network.defaultInterface.name' "$output")" = eth0 ]
}

@test "a container that runs cannot be removed" {
    run ! crictl rm "$container"
    [[ $output =~ "is running, please stop it first" ]]
}

@test "stop ends the process" {
    pid=$(pod_process)
    run -0 crictl stop --timeout 1 "$container"
    [ ! -e "/proc/$pid" ]
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_EXITED ]
    run -0 crictl ps --quiet --state exited --pod "$pod"
    [ "$output" = "$container" ]
}

@test "rm removes the container" {
    run -0 crictl rm "$container"
    run ! crictl inspect "$container"
    [[ $output =~ NotFound ]]
}

@test "stopp takes the sandbox's process and address away" {
    pid=$(crictl inspectp "$pod" | jq .info.pid)
    run -0 crictl stopp "$pod"
    [ ! -e "/proc/$pid" ]
    run ! busybox ping -c 1 -W 1 "$address"
    run -0 crictl pods --output json --id "$pod"
    [ "$(field '.items[0].state' "$output")" = SANDBOX_NOTREADY ]
}

@test "rmp removes the sandbox" {
    run -0 crictl rmp "$pod"
    run ! crictl inspectp "$pod"
    [[ $output =~ NotFound ]]
    run -0 crictl pods --quiet
    [[ ! $output =~ $pod ]]
}
