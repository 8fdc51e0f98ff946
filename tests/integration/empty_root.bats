#!/usr/bin/env bats
# The static program where there is nothing else: a root folder with the file, its map, and what it makes there itself. No /etc, no
# /proc, no /dev, no libraries. crisim runs outside; its socket is in that folder.

load gateway

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    needs "root, to change the root folder" may_change_root
    mkdir root
    cp "$CRIGATE_BUILD/crigate" root/crigate
    cat >root/crigate.yaml <<-END
		listen: unix:///crigate.sock
		state: /state
		runtimes:
		  - {name: main, endpoint: "unix:///main.sock", primary: true}
	END
    # What the helpers of all tests look for.
    ln -s root/crigate.sock crigate.sock
}

may_change_root() {
    [ "$(id -u)" = 0 ] && chroot / true 2>/dev/null
}

# The program in its root, without any of this environment.
ALONE=(env -i "$(command -v chroot)" root /crigate)

alone() {
    "${ALONE[@]}" "$@"
}

start_main() {
    start main "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/root/main.sock" --api v1 --journal main.journal
    eventually 15 grep -q "listening on" main.log
}

start_alone() {
    start_main
    start crigate "${ALONE[@]}" --config /crigate.yaml
    eventually 15 runtime_ready main
    eventually 15 serves
}

# reloaded COUNT
reloaded() {
    [ "$(grep -c "the runtime map was reloaded" crigate.log)" = "$1" ]
}

@test "in an empty root, a pod lives its life" {
    local config pod container image=docker.io/library/busybox:latest
    start_alone
    config=$(pod web)
    pull "$image" "$config"
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$image")
    call StartContainer "{\"containerId\":\"$container\"}"
    expect '.status.state == "CONTAINER_RUNNING"' "$(call ContainerStatus "{\"containerId\":\"$container\"}")"
    expect '.containers | length == 1' "$(call ListContainers)"
    expect '.stdout | @base64d == "hello\n"' "$(call ExecSync "{\"containerId\":\"$container\",\"cmd\":[\"echo\",\"hello\"]}")"
    call StopContainer "{\"containerId\":\"$container\"}"
    call RemoveContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    expect '.items // [] | length == 0' "$(call ListPodSandbox)"
    call RemoveImage "{\"image\":{\"image\":\"$image\"}}"
    # What is missing there shows once, at the start, and nothing was made but what belongs there.
    [ "$(grep -c "cannot" crigate.log)" = 1 ]
    grep -q "cannot open /proc/self/statm: No such file or directory; limits.memory has no effect" crigate.log
    [ "$(find root -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | xargs)" = \
        "crigate crigate.sock crigate.sock.lock crigate.yaml main.sock state" ]
    stop crigate
    [ ! -e root/crigate.sock ]
}

@test "in an empty root, the commands of the same file work" {
    start_alone
    [ "$(alone --version)" = "$("$CRIGATE_BUILD/crigate" --version)" ]
    alone version -v | grep -qx "linked: static"
    [[ $(alone --check-config /crigate.yaml) =~ "/crigate.yaml: good, 1 runtime, primary main" ]]
    alone --config /crigate.yaml --print-config | grep -q "unix:///main.sock"
    alone status --config /crigate.yaml | grep -qE '^main +primary +v1 +ready'
    expect '.runtimeName == "crisim"' "$(alone call --endpoint unix:///crigate.sock Version)"
    [[ $(alone explain --from v1 --to v1_9) =~ "RunPodSandbox" ]]
}

@test "in an empty root, it reloads and takes over" {
    start_alone
    echo '  - {name: second, endpoint: "unix:///second.sock"}' >>root/crigate.yaml
    alone reload --config /crigate.yaml
    expect '[.runtimes[].name] == ["main", "second"]' "$(alone status --config /crigate.yaml -o json)"
    # The changed file makes it reload once more.
    eventually 15 reloaded 2
    kill -HUP "${PIDS[crigate]}"
    eventually 15 reloaded 3

    PIDS[old]=${PIDS[crigate]}
    start crigate "${ALONE[@]}" --config /crigate.yaml --takeover
    finish old
    eventually 15 grep -q "taken over: this process now serves" crigate.log
    expect '.runtimeName == "crisim"' "$(call Version)"
    alone status --config /crigate.yaml | grep -qE '^main +primary +v1 +ready'
}

@test "in an empty root, a group's name is an error that says why" {
    sed -i 's,^listen: .*,listen: {address: "unix:///crigate.sock"\, group: crigate},' root/crigate.yaml
    run -78 alone --check-config /crigate.yaml
    [[ $output =~ /etc/group ]]
    sed -i 's/group: crigate/group: 4711/' root/crigate.yaml
    run -0 alone --check-config /crigate.yaml
    start_alone
    [ "$(stat -c %g root/crigate.sock)" = 4711 ]
}
