#!/usr/bin/env bats
# crigate preflight on a node without a kubelet: the runtimes as they answer. And the comparison of two sockets' lists.

load gateway

# alone SCRIPT COMMAND...: runs the command where there are no other processes, no systemd, an empty /run and an /etc of its own, both
# changed by the script first.
alone() {
    local script=$1
    shift
    # shellcheck disable=SC2016
    unshare --map-root-user --mount --pid --fork --kill-child --mount-proc sh -ec '
        mkdir -p layers
        mount -t tmpfs tmpfs layers
        mkdir layers/upper layers/work
        mount -t overlay -o lowerdir=/etc,upperdir=layers/upper,workdir=layers/work overlay /etc
        mount -t tmpfs tmpfs /run
        eval "$1"
        shift
        exec "$@"' sh "$script" "$@"
}

# preflight [SCRIPT] -- OPTION...: prints the report as JSON. The node has no kubelet, so the exit status must be 2.
preflight() {
    local script="" status=0
    while [ "$1" != -- ]; do
        script=$1
        shift
    done
    shift
    alone "$script" "$CRIGATE_BUILD/crigate" preflight -o json "$@" >report.json 2>report.log || status=$?
    [ "$status" = 2 ] || {
        echo "exit status $status"
        cat report.log
        return 1
    } >&2
    cat report.json
}

# usual NAME SOCKET: a script that makes runtime NAME listen at its usual socket.
usual() {
    printf 'mkdir -p "%s"; ln -s "%s/%s.sock" "%s"; ' "${2%/*}" "$PWD" "$1" "$2"
}

@test "each dialect is recognised, and what a runtime holds is counted" {
    start_runtime old v1_9 --containers 7
    start_runtime mid v1_12 --name containerd --runtime-version v1.2.13 --containers 4
    start_runtime alpha v1alpha2
    start_runtime new v1,v1alpha2 --name containerd --runtime-version v1.7.2
    start_runtime dockerd v1alpha2,v1_9
    local report
    report=$(preflight -- --runtime "old=$PWD/old.sock" --runtime "mid=unix://$PWD/mid.sock" --runtime "alpha=$PWD/alpha.sock" \
        --runtime "new=$PWD/new.sock" --runtime "dockerd=$PWD/dockerd.sock")
    expect '[.runtimes[] | {name, dialects}] == [
        {"name": "old", "dialects": ["v1_9"]}, {"name": "mid", "dialects": ["v1_12"]}, {"name": "alpha", "dialects": ["v1alpha2"]},
        {"name": "new", "dialects": ["v1alpha2", "v1"]}, {"name": "dockerd", "dialects": ["v1_9", "v1alpha2"]}]' "$report"
    expect '[.runtimes[] | .answers and .problem == null and .cgroupDriver == "cgroupfs"] | all' "$report"
    expect '[.runtimes[] | [.pods, .containers]] == [[3, 7], [2, 4], [0, 0], [0, 0], [0, 0]]' "$report"
    expect '[.runtimes[] | .runtimeConfig] == [false, false, false, true, false]' "$report"
    expect '.runtimes[3] | .runtimeName == "containerd" and .runtimeVersion == "v1.7.2"' "$report"
    expect '.kubelet == null and .fitness == "impossible" and (.reasons | length) > 0 and (.verdict | startswith("not possible: "))' "$report"
    # For people, each reason has a line of its own.
    run -2 alone : "$CRIGATE_BUILD/crigate" preflight
    [[ $output == *$'\n\nnot possible:\n- '* ]]
    # It asks, and changes nothing.
    [ "$(jq -r '.method' <old.journal | sort -u | tr '\n' ' ')" = \
        "/runtime.RuntimeService/ListContainers /runtime.RuntimeService/ListPodSandbox /runtime.RuntimeService/Status /runtime.RuntimeService/Version /runtime.v1.RuntimeService/Version /runtime.v1alpha2.RuntimeService/Version " ]
}

@test "runtimes are found at their usual sockets, once each, also by a link, and the operator's names win" {
    start_runtime one v1 --name containerd
    start_runtime two v1 --name cri-o
    start_runtime three v1alpha2 --name docker
    local script report
    script="$(usual one /run/containerd/containerd.sock)$(usual two /run/crio/crio.sock)$(usual three /run/cri-dockerd.sock)"
    script+="ln -s cri-dockerd.sock /run/dockershim.sock; $(usual one /run/k3s/containerd/containerd.sock)"
    report=$(preflight "$script" --)
    expect '[.runtimes[] | [.name, .endpoint]] == [["containerd", "unix:///run/containerd/containerd.sock"],
        ["cri-o", "unix:///run/crio/crio.sock"], ["cri-dockerd", "unix:///run/cri-dockerd.sock"]]' "$report"
    report=$(preflight "$script" -- --runtime "mine=$PWD/two.sock" --runtime "$PWD/three.sock")
    expect '[.runtimes[].name] == ["mine", "docker", "containerd"]' "$report"
}

@test "a socket without a name gets one by what it says, and no name is there twice" {
    start_runtime one v1 --name containerd
    start_runtime two v1 --name Containerd
    start_runtime three v1 --name "not a name"
    local report
    report=$(preflight "$(usual one /run/containerd/containerd.sock)" -- --runtime "$PWD/two.sock" --runtime "$PWD/three.sock")
    expect '[.runtimes[].name] == ["containerd-2", "runtime", "containerd"]' "$report"
}

@test "crigate's own socket is no runtime, but a link from there to a runtime is no reason to leave it out" {
    start_runtime one v1 --name containerd
    local script report
    # Of the example map: crigate listens on /run/crigate/crigate.sock.
    script="mkdir -p /run/crigate /run/containerd; touch /run/containerd/a; "
    report=$(preflight "$script rm -rf /etc/crigate; mount --bind '$PWD' /run/crigate; ln -sfn one.sock crigate.sock; $(usual one /run/containerd/containerd.sock)" --)
    expect '[.runtimes[].name] == ["containerd"]' "$report"
    rm crigate.sock
    ln one.sock crigate.sock
    report=$(preflight "$script rm -rf /etc/crigate; mount --bind '$PWD' /run/crigate; $(usual one /run/containerd/containerd.sock)" --)
    rm crigate.sock
    expect '.runtimes == []' "$report"
}

@test "CRI that is disabled in containerd's configuration is reported with the line" {
    start_runtime one v1 --fail Version=UNIMPLEMENTED
    local script report
    script=$(usual one /run/containerd/containerd.sock)
    report=$(preflight "$script mkdir -p /etc/containerd; printf 'version = 2\ndisabled_plugins = [\n  # CRI\n  \"cri\",\n]\n' >/etc/containerd/config.toml" --)
    expect '.runtimes[0] | .answers == false and .problem == "CRI is disabled in /etc/containerd/config.toml:4"' "$report"
    report=$(preflight "$script mkdir -p /etc/containerd; printf 'disabled_plugins = []\n' >/etc/containerd/config.toml" --)
    expect '.runtimes[0].problem | startswith("it serves no version of CRI: ")' "$report"
}

@test "a runtime that hangs, fails or is not there is reported, and the others all the same" {
    start_runtime stuck v1 --hang Version
    start_runtime late v1 --hang ListPodSandbox --containers 3
    start_runtime failing v1 --fail Version=UNAVAILABLE
    start_runtime garbage v1 --garbage Version
    start_runtime good v1
    : >file.sock
    local report
    report=$(preflight -- --runtime "stuck=$PWD/stuck.sock" --runtime "late=$PWD/late.sock" --runtime "failing=$PWD/failing.sock" \
        --runtime "garbage=$PWD/garbage.sock" --runtime "file=$PWD/file.sock" --runtime "gone=$PWD/gone.sock" --runtime "good=$PWD/good.sock")
    expect '[.runtimes[] | select(.answers) | .name] == ["late", "good"]' "$report"
    expect '.runtimes[0].problem == "Version was not answered within 5000 ms"' "$report"
    expect '.runtimes[1] | .problem == "ListPodSandbox was not answered within 5000 ms" and (has("pods") | not)' "$report"
    expect '.runtimes[2].problem | startswith("Version failed with UNAVAILABLE: ")' "$report"
    expect '.runtimes[3].problem | startswith("Version failed with ")' "$report"
    expect '.runtimes[4].problem == "nothing listens" and .runtimes[5].problem == "there is no such socket"' "$report"
    # After the first call that takes too long there is no other.
    [ "$(asked stuck Version)" = 2 ]
    [ "$(asked late ListContainers)" = 0 ]
}

@test "nothing that a runtime says controls the terminal" {
    start_runtime one v1 --name $'\e[2Jname' --runtime-version $'1\n2\xc2\x9b3m'
    run -2 alone "" "$CRIGATE_BUILD/crigate" preflight --runtime "one=$PWD/one.sock"
    [[ $output == *"?[2Jname"*"1?2?3m"* ]]
    [[ $output != *$'\e'* && $output != *$'\xc2\x9b'* ]]
}

@test "an answer of a status that is too big ends that call alone" {
    start_runtime one v1 --oversize Status=1100000
    local report
    report=$(preflight -- --runtime "one=$PWD/one.sock")
    expect '.runtimes[0] | .answers and (.problem | startswith("Status failed with RESOURCE_EXHAUSTED: ")) and .pods == 0' "$report"
}

@test "the cgroup driver and NRI come from what the runtime says of itself" {
    start_runtime two v1alpha2 --status-config '{"containerd":{"defaultRuntimeName":"runc","runtimes":{"runc":{"options":{"SystemdCgroup":true}}}},"nri":{"disable":false}}'
    start_runtime none v1alpha2 --status-config ''
    # CRI-O is asked by HTTP, too, which this one does not speak.
    start_runtime crio v1alpha2 --name cri-o --status-config ''
    local report
    report=$(preflight -- --runtime "two=$PWD/two.sock" --runtime "none=$PWD/none.sock" --runtime "crio=$PWD/crio.sock")
    expect '[.runtimes[] | [.cgroupDriver, .nri, .problem]] == [["systemd", true, null], [null, false, null], [null, false, null]]' "$report"
}

@test "a runtime that listens for plugins of NRI has it on, whatever it says" {
    mkdir nri
    # A socket that listens there, in the runtime's process.
    start one python3 -c 'import os, socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(os.getcwd() + "/nri/nri.sock")
s.listen()
s.set_inheritable(True)
os.execv(sys.argv[1], sys.argv[1:])' "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/one.sock" --api v1
    eventually 15 grep -q "listening on" one.log
    start_runtime two v1
    # Other processes are seen from their own namespaces only.
    "$CRIGATE_BUILD/crigate" preflight -o json --runtime "one=$PWD/one.sock" --runtime "two=$PWD/two.sock" >report.json || [ $? -le 2 ]
    expect '[.runtimes[] | select(.name == "one" or .name == "two") | .nri] == [true, false]' "$(cat report.json)"
}

@test "wrong arguments are refused" {
    run -64 "$CRIGATE_BUILD/crigate" preflight --runtime "a__b=/run/x.sock"
    [[ $output == *"cannot be the prefix of an id"* ]]
    run -64 "$CRIGATE_BUILD/crigate" preflight --runtime "a=x.sock"
    run -64 "$CRIGATE_BUILD/crigate" preflight --runtime "a=tcp://127.0.0.1:80"
    run -64 "$CRIGATE_BUILD/crigate" preflight --runtime "a=/run/x.sock" --runtime "a=/run/y.sock"
    [[ $output == *"two runtimes have the name a"* ]]
    run -64 "$CRIGATE_BUILD/crigate" preflight --kubelet 0
    run -64 "$CRIGATE_BUILD/crigate" preflight --kubelet kubelet
    run -64 "$CRIGATE_BUILD/crigate" preflight -o yaml
    run -64 "$CRIGATE_BUILD/crigate" preflight something
    run -0 "$CRIGATE_BUILD/crigate" preflight --help
    [[ $output == *"--runtime NAME=SOCKET"*"Exit status: 0 fit"* ]]
}

# ---- lists ----

# compare DIRECT THROUGH [DIALECT [ROUNDS]]
compare() {
    "$CRIGATE_BUILD/list_comparison" "unix://$PWD/$1.sock" "unix://$PWD/$2.sock" "${3:-v1}" "${4:-1}"
}

@test "lists direct and through crigate are equal, in each dialect, in whatever order" {
    start_runtime main v1 --containers 10 --images 4 --shuffle ListContainers --shuffle ListPodSandbox --shuffle ListImages
    write_map main
    start_node
    compare main crigate
    local api
    for api in v1_9 v1_12 v1alpha2; do
        start_runtime "$api" "$api" --containers 10 --images 4
        stop crigate
        write_map "$api"
        start_node
        compare "$api" crigate "$api"
    done
}

@test "pods of another runtime behind crigate are no difference" {
    start_runtime main v1 --containers 4 --images 2
    start_runtime other v1 --containers 4 --images 5
    write_map main other
    start_node
    compare main crigate
}

# What dockershim and cri-dockerd list of pods that were removed behind their back: {id: "gone", metadata: {name: "web"}}.
@test "a pod of which only the name is left is no difference, on either side" {
    start_runtime kept v1 --state state --containers 4
    start_runtime left v1 --state state --append ListPodSandbox=0a0d0a04676f6e6512050a03776562
    for pair in "kept left" "left kept"; do
        # shellcheck disable=SC2086
        set -- $pair
        run -0 "$CRIGATE_BUILD/list_comparison" "unix://$PWD/$1.sock" "unix://$PWD/$2.sock" v1 1
        [ "$output" = equal ]
    done
    # With a time it counts.
    start_runtime more v1 --state state --append ListPodSandbox=0a0f0a04676f6e6512050a037765622001
    run -10 "$CRIGATE_BUILD/list_comparison" "unix://$PWD/kept.sock" "unix://$PWD/more.sock" v1 1
    [ "$output" = "pod gone is only in the list of unix://$PWD/more.sock" ]
    run -10 "$CRIGATE_BUILD/list_comparison" "unix://$PWD/more.sock" "unix://$PWD/kept.sock" v1 1
}

@test "the first difference is named" {
    start_runtime two v1 --containers 3 --images 2
    start_runtime empty v1
    run -10 compare two empty
    [[ $output =~ ^"pod "[0-9a-f]+" is only in the list of unix://$PWD/two.sock"$ ]]
    run -10 compare empty two
    [[ $output =~ ^"pod "[0-9a-f]+" is only in the list of unix://$PWD/two.sock"$ ]]
}

@test "a state that differs is a difference, and one that becomes equal is none" {
    start_runtime main v1 --state main.json
    write_map main
    start_node
    local config pod
    config=$(pod web)
    pod=$(run_pod "$config")
    start_runtime stale v1 --state copy.json
    stop stale
    cp main.json copy.json
    start_runtime stale v1 --state copy.json
    compare main stale
    ask main v1 StopPodSandbox "{\"podSandboxId\":\"$pod\"}" >/dev/null
    run -10 compare main stale
    [ "$output" = "pod $pod is not the same in both lists: state" ]
    # Asked again often enough.
    start patient compare main stale v1 1000
    ask stale v1 StopPodSandbox "{\"podSandboxId\":\"$pod\"}" >/dev/null
    finish patient
    grep -q equal patient.log
}

@test "a list that fails or is malformed is no equal list" {
    start_runtime main v1
    start_runtime failing v1 --fail ListImages=UNAVAILABLE
    start_runtime broken v1 --append ListContainers=0aff
    run -14 compare main failing
    [[ $output == "ListImages of unix://$PWD/failing.sock: "* ]]
    run -15 compare main broken
    [ "$output" = "ListContainers of unix://$PWD/broken.sock is malformed" ]
    run -14 compare main gone
}

@test "lists of too many items are not compared" {
    start_runtime main v1
    start_runtime huge v1 --append "ListPodSandbox=0a030a0161*50001"
    run -8 compare main huge
    [[ $output == *"has more than 50000 items" ]]
}
