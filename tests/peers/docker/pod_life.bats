#!/usr/bin/env bats
# The life of one pod with one container: crictl, crigate, cri-dockerd and Docker Engine. Each test goes on where the one before it stopped.

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

teardown_file() {
    load ../../e2e/terminal.bash
    remove_pods
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    echo "$1=$2" >>"$BATS_FILE_TMPDIR/ids"
}

@test "status names Docker Engine's version, which cri-dockerd reports as its own" {
    run -0 "$E2E_BUILD/crigate" status --config "$LAB/crigate.yaml" -o json
    [ "$(field '.runtimes[0] | .name, .state, .dialect' "$output" | tr '\n' ' ')" = "docker ready v1 " ]
    run -0 crictl version
    [[ $output =~ RuntimeName:\ +docker ]]
    [[ $output =~ RuntimeVersion:\ +"$(docker version --format '{{.Server.Version}}')" ]]
}

@test "pull brings the image to Docker Engine" {
    run -0 crictl pull "$BUSYBOX"
    run -0 docker image inspect --format '{{.Id}}' "$BUSYBOX"
    remember image "$output"
    run -0 crictl inspecti "$BUSYBOX"
    [ "$(field .status.id "$output")" = "$(docker image inspect --format '{{.Id}}' "$BUSYBOX")" ]
}

@test "runp starts a sandbox with an address of its own" {
    run -0 crictl runp "$(pod_config web '.port_mappings = [{protocol: 0, container_port: 8080, host_port: 18080}]')"
    [[ $output =~ ^[0-9a-f]{64}$ ]]
    remember pod "$output"
    run -0 crictl inspectp "$output"
    [ "$(field .status.state "$output")" = SANDBOX_READY ]
    [[ $(field .status.network.ip "$output") =~ ^10\.203\.0\.[0-9]+$ ]]
    remember address "$(field .status.network.ip "$output")"
}

@test "pods shows the sandbox with its labels and annotations" {
    run -0 crictl pods --output json --label pod=web
    [ "$(field '.items | length' "$output")" = 1 ]
    [ "$(field '.items[0].id' "$output")" = "$pod" ]
    [ "$(field '.items[0].metadata.uid' "$output")" = uid-of-web ]
    [ "$(field '.items[0].annotations.note' "$output")" = "a note on web" ]
    [ "$(readlink "/proc/$(docker_process "$pod")/exe")" = /pause ]
}

@test "create makes a container, start makes it run" {
    container=$(crictl create "$pod" \
        "$(container_config server 'echo out; echo err >&2; exec httpd -f -p 8080 -h /www' '.envs = [{key: "COLOUR", value: "blue"}]')" \
        "$BATS_FILE_TMPDIR/pod-web.json")
    [[ $container =~ ^[0-9a-f]{64}$ ]]
    remember container "$container"
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_CREATED ]
    run -0 crictl start "$container"
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_RUNNING ]
    [ "$(field .status.logPath "$output")" = "$LAB/logs/web/server.log" ]
    run -0 crictl ps --quiet --no-trunc --pod "$pod"
    [ "$output" = "$container" ]
}

@test "the container's process is a real one, in the pod's cgroup" {
    pid=$(docker_process "$container")
    [[ $(tr '\0' ' ' <"/proc/$pid/cmdline") =~ "httpd -f -p 8080" ]]
    [[ $(cat "/proc/$pid/cgroup") =~ $LAB_CGROUP/web/$container ]]
    [ "$(readlink "/proc/$pid/ns/net")" = "$(readlink "/proc/$(docker_process "$pod")/ns/net")" ]
    [ "$(readlink "/proc/$pid/ns/net")" != "$(readlink /proc/self/ns/net)" ]
}

@test "what it serves is reached at the pod's address and at the host's port" {
    run -0 busybox wget -q -O - "http://$address:8080/"
    [ "$output" = "served from a pod" ]
    run -0 busybox wget -q -O - http://10.203.0.1:18080/
    [ "$output" = "served from a pod" ]
}

@test "logs shows what it wrote to both streams" {
    run -0 --separate-stderr crictl logs "$container"
    [ "$output" = out ]
    [ "$stderr" = err ]
}

@test "exec --sync returns output, errors and exit status" {
    run -0 crictl exec --sync "$container" sh -c 'echo "$COLOUR"; echo oops >&2'
    [ "${lines[0]}" = blue ]
    [ "${lines[1]}" = oops ]
    run ! crictl exec --sync "$container" sh -c 'exit 3'
    [[ $output =~ "exited with 3" ]]
}

@test "exec, attach and port-forward over cri-dockerd's streaming server" {
    run -0 --separate-stderr crictl exec "$container" sh -c 'echo fine; echo oops >&2'
    [ "$output $stderr" = "fine oops" ]
    head -c 1048576 /dev/urandom >"$BATS_TEST_TMPDIR/there"
    crictl exec -i "$container" cat <"$BATS_TEST_TMPDIR/there" >"$BATS_TEST_TMPDIR/back"
    cmp "$BATS_TEST_TMPDIR/there" "$BATS_TEST_TMPDIR/back"
    shell=$(run_container "$pod" shell 'exec sh' '.stdin = true | .stdin_once = true')
    run -0 crictl attach -i "$shell" <<<'echo "I am process $$"; exit'
    [[ $output =~ "I am process 1" ]]
    crictl port-forward "$pod" 18081:8080 >"$BATS_TEST_TMPDIR/forward" 2>&1 3>&- &
    forwarder=$!
    lab_wait 10 grep --quiet "Forwarding from 127.0.0.1:18081" "$BATS_TEST_TMPDIR/forward"
    run -0 busybox wget -q -O - http://127.0.0.1:18081/
    kill "$forwarder"
    [ "$output" = "served from a pod" ]
}

# streams VERB RPC REQUEST [OPTION...]: what kubectl's library gets by SPDY at the URL that the RPC answers, as kubelets from 1.36 on do for their
# callers. Standard input is sent.
streams() {
    local url
    url=$("$E2E_BUILD/crigate" call --endpoint "unix://$LAB/crigate.sock" --compact "$2" "$3" | jq -r .url)
    [[ $url == http://127.0.0.1:* ]] || return 1
    stream-client spdy "$1" "${@:4}" "$url"
}

@test "exec, attach and port-forward by the library that kubelets from 1.36 on reach the runtime with" {
    local said
    said=$(streams exec Exec "{\"containerId\": \"$container\", \"cmd\": [\"sh\", \"-c\", \"read word; echo got \$word; echo oops >&2; exit 3\"],
        \"stdin\": true, \"stdout\": true, \"stderr\": true}" <<<word)
    [ "$(field '.out == "got word\n" and .err == "oops\n" and .error.exit == 3' "$said")" = true ]
    shell=$(run_container "$pod" listener 'while read line; do echo heard $line; done' '.stdin = true')
    said=$(streams exec Attach "{\"containerId\": \"$shell\", \"stdin\": true, \"stdout\": true, \"stderr\": true}" -until "heard it" <<<it)
    [ "$(field '.out == "heard it\n" and .error == null' "$said")" = true ]
    said=$(printf 'GET / HTTP/1.0\r\n\r\n' |
        streams forward PortForward "{\"podSandboxId\": \"$pod\", \"port\": [8080]}" -port 8080 -until "served from a pod")
    [ "$(field '.err == "" and .error == null and (.out | endswith("served from a pod\n"))' "$said")" = true ]
}

@test "update changes the container's share of the processor" {
    run -0 crictl update --cpu-share 333 "$container"
    run -0 crictl exec --sync "$container" sh -c 'cat /sys/fs/cgroup/cpu/cpu.shares 2>/dev/null || cat /sys/fs/cgroup/cpu.weight'
    [ "$output" = 333 ] || [ "$output" -lt 30 ]
}

@test "stats and statsp, which cri-dockerd lacks, show what is used" {
    run -0 crictl stats --output json --id "$container"
    [ "$(field '.stats[0].attributes.id' "$output")" = "$container" ]
    [ "$(field '.stats[0] | (.cpu.usageCoreNanoSeconds.value, .memory.workingSetBytes.value) | tonumber > 0' "$output" | sort -u)" = true ]
    run -0 crictl statsp --output json --id "$pod"
    [ "$(field '.stats[0].attributes.id' "$output")" = "$pod" ]
}

@test "stop ends the process, rm removes the container" {
    pid=$(docker_process "$container")
    run -0 crictl stop --timeout 1 "$container"
    [ ! -e "/proc/$pid" ]
    run -0 crictl inspect "$container"
    [ "$(field .status.state "$output")" = CONTAINER_EXITED ]
    run -0 crictl rm "$container"
    run ! crictl inspect "$container"
    [[ $output =~ NotFound ]]
    run ! docker inspect "$container"
}

@test "stopp takes the sandbox's process and address away, rmp removes it" {
    pid=$(docker_process "$pod")
    run -0 crictl stopp "$pod"
    [ ! -e "/proc/$pid" ]
    run ! busybox ping -c 1 -W 1 "$address"
    run -0 crictl pods --output json --id "$pod"
    [ "$(field '.items[0].state' "$output")" = SANDBOX_NOTREADY ]
    run -0 crictl rmp "$pod"
    run ! crictl inspectp "$pod"
    [ -z "$(docker ps --all --quiet)" ]
}

# As kubelets do it: cri-dockerd removes nothing by name.
@test "an image that is removed by its id is gone from Docker Engine" {
    run -0 crictl rmi "$image"
    run ! docker image inspect "$BUSYBOX"
}
