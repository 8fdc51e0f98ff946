#!/usr/bin/env bats
# `endpoint: docker`: where it leads, and what becomes of what is known of pods when it leads elsewhere. The programs run in a mount
# namespace in which /run is empty at first.

load gateway
load plugins

eval "stop_all() $(declare -f teardown | tail -n +2)"

# Where cri-dockerd, dockershim and cri-dockerd of crigate-docker.service listen.
declare -gA SOCKETS=([first]=/run/cri-dockerd.sock [second]=/run/dockershim.sock [third]=/run/crigate-docker/cri-dockerd.sock)

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    needs root eval '[ "$(id -u)" = 0 ]'
    start keeper unshare --mount sh -c 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/crigate-docker && echo made && exec sleep infinity'
    eventually 10 grep -q made keeper.log
}

teardown() {
    [ -z "${PIDS[keeper]:-}" ] || crash keeper
    stop_all
}

# inside COMMAND...: in that namespace.
inside() {
    exec nsenter --mount="/proc/${PIDS[keeper]}/ns/mnt" --wd="$PWD" "$@"
}

on_node() {
    (inside "$@")
}

# start_docker NAME [OPTION...]: a runtime at one of the three places. Without options it keeps its pods when it is started again.
start_docker() {
    local name=$1
    shift
    rm -f "$name.log"
    [ $# != 0 ] || set -- --state "$name.state"
    start "$name" inside "$CRIGATE_BUILD/crisim" --listen "unix://${SOCKETS[$name]}" --api v1 --name "$name" --journal "$name.journal" "$@"
    eventually 15 grep -q "listening on" "$name.log"
}

# docker_map [KEYS]: docker is the primary.
docker_map() {
    GRACE=1s write_map docker "vm.local"
    sed -i "s|{name: docker, endpoint: \"[^\"]*\"|{name: docker, endpoint: docker${1:-}|; /vm.local/d" crigate.yaml
}

start_gateway() {
    rm -f crigate.log
    start crigate inside "$CRIGATE_BUILD/crigate" --config crigate.yaml "$@"
    eventually 15 serves
}

status() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock "$@"
}

# at NAME: whether docker is ready, at that one.
at() {
    status -o json | jq -e --arg endpoint "unix://${SOCKETS[$1]}" --arg name "$1" '.runtimes[0] | .endpoint == "docker" and
        .resolvedEndpoint == $endpoint and .state == "ready" and .runtimeName == $name'
}

# noted TEXT: whether docker is not ready, for that reason.
noted() {
    status -o json | jq -e --arg text "$1" '.runtimes[0] | .state != "ready" and (.note | contains($text))'
}

# holds COUNT: whether that many pods are known.
holds() {
    status -o json | jq -e --argjson count "$1" '.runtimes[0].pods == $count'
}

remove_pod() {
    call StopPodSandbox "{\"podSandboxId\":\"$1\"}" && call RemovePodSandbox "{\"podSandboxId\":\"$1\"}"
}

check() {
    on_node "$CRIGATE_BUILD/crigate" --check-config crigate.yaml
}

@test "docker is the first that is there; status and --check-config say which" {
    local name
    docker_map
    for name in third second first; do
        start_docker "$name"
        start_gateway
        eventually 15 at "$name"
        expect ".runtimeName == \"$name\"" "$(call Version)"
        [[ $(status) =~ "docker: endpoint docker is unix://${SOCKETS[$name]}" ]]
        [[ $(check) =~ "note: runtime docker: endpoint docker is unix://${SOCKETS[$name]} (" ]]
        grep -q "runtime docker: ready, $name " crigate.log
        stop crigate
    done
    # Images come from there as well.
    start_gateway
    eventually 15 at first
    pull docker.io/library/busybox:latest
    [ "$(asked first PullImage)" = 1 ]
    # What is printed can be read again.
    on_node "$CRIGATE_BUILD/crigate" --config crigate.yaml --print-config >printed.yaml
    grep -qx "    endpoint: docker" printed.yaml
    grep -qx "    image_endpoint: docker" printed.yaml
    "$CRIGATE_BUILD/crigate" --config printed.yaml --print-config | grep -v ^# | diff - <(grep -v ^# printed.yaml)
}

@test "without any of them, it is said how to get one, and what comes is taken" {
    docker_map
    start_gateway
    eventually 15 noted "nothing answers at docker: no program that speaks CRI for Docker was found"
    noted "nor was Docker Engine (/run/docker.sock)"
    [[ $(check) =~ "note: runtime docker: endpoint docker: no program that speaks CRI for Docker was found (/run/cri-dockerd.sock, " ]]
    stop crigate
    on_node touch /run/docker.sock
    start_gateway
    eventually 15 noted "Docker Engine itself was found: install cri-dockerd and enable its service, or crigate-docker.service"
    [[ $(check) =~ "Docker Engine itself was found: install cri-dockerd" ]]
    [[ $(status || true) =~ "docker: endpoint docker is nowhere yet: "[^$'\n']*"install cri-dockerd and enable its service, or crigate-docker.service" ]]
    run call Version
    [[ $output =~ "install cri-dockerd and enable its service" ]]
    expect '.runtimes[0] | .endpoint == "docker" and (has("resolvedEndpoint") | not)' "$(status -o json || true)"
    start_docker second
    eventually 15 at second
}

@test "a file that no program is listening on does not hide a socket behind it" {
    docker_map
    start_docker first
    start_docker second
    crash first
    crash second
    on_node test -S "${SOCKETS[first]}" -a -S "${SOCKETS[second]}"
    start_gateway
    eventually 15 noted "no program is listening on /run/cri-dockerd.sock; start cri-dockerd, or crigate-docker.service"
    [[ $(check) =~ "endpoint docker: no program is listening on /run/cri-dockerd.sock; start cri-dockerd" ]]
    start_docker third
    eventually 15 at third
    [[ $(check) =~ "endpoint docker is unix://${SOCKETS[third]} (crigate-docker.service) now" ]]
    # It is found out at each connection, and while there is one, nothing moves.
    start_docker first
    call Version
    at third
    crash third
    eventually 15 at first
}

@test "without pods, docker leads elsewhere after a reconnect, and nothing of the one before is left" {
    local pod container image=docker.io/library/busybox:latest
    docker_map ", when_away: last-known"
    start_docker second --containers 3
    start_gateway
    eventually 15 at second
    eventually 15 holds 1
    for pod in $(call ListPodSandbox | jq -r '.items[].id'); do
        remove_pod "$pod"
    done
    eventually 15 holds 0
    start_docker third --containers 6
    crash second
    eventually 15 at third
    grep -q "runtime docker: docker leads to unix://${SOCKETS[third]} now, no longer to unix://${SOCKETS[second]}" crigate.log
    expect '.items | length == 2' "$(call ListPodSandbox)"
    eventually 15 holds 2
    # The next process knows it, too, while the runtime is away.
    eventually 15 test -s state/docker.lists
    stop crigate
    crash third
    start_gateway
    expect '.items | length == 2' "$(call ListPodSandbox)"
    stop crigate
    run ! grep -q "ignoring its saved state" crigate.log
}

# lost NAME: the line of log with which the connection to it was lost.
lost() {
    grep -n "runtime docker: connection to unix://${SOCKETS[$1]} lost" crigate.log
}

@test "the log has the place that was lost, and then the one that docker leads to" {
    local before after
    docker_map
    start_docker third
    start_gateway
    eventually 15 at third
    # A connection that has lasted for a second is made again at once.
    eventually 10 eval '[ "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq ".runtimes[0].sinceMilliseconds")" -gt 1200 ]'
    start_docker first
    crash third
    eventually 15 at first
    before=$(lost third)
    after=$(grep -n "docker leads to unix://${SOCKETS[first]} now, no longer to unix://${SOCKETS[third]}" crigate.log)
    ((${before%%:*} < ${after%%:*}))
    ! lost first
}

@test "what one place reports that it honours does not count at another" {
    local userns
    userns=$(pod web '.linux.securityContext.namespaceOptions = {pid: "CONTAINER", usernsOptions: {mode: "POD"}}')
    docker_map
    start_docker third --name docker --runtime-version 27.3.1
    start_gateway
    eventually 15 eval 'status -o json | jq -e ".runtimes[0].state == \"ready\""'
    eventually 15 eval '[ "$(asked third Status)" -ge 1 ]'
    remove_pod "$(run_pod "$userns")"
    start_docker first --name docker --runtime-version 27.3.1 --fail Status=INTERNAL
    crash third
    eventually 15 eval 'status -o json | jq -e ".runtimes[0] | .state == \"ready\" and .resolvedEndpoint == \"unix:///run/cri-dockerd.sock\""'
    run -3 call RunPodSandbox "{\"config\":$userns}"
    [[ $output =~ "the runtime cri-dockerd ignores it: the pod would run as the node's root" ]]
}

@test "with pods, it stays where it was: away until that is back, or the pods are gone" {
    local pod
    docker_map
    start_docker third
    start_gateway
    eventually 15 at third
    pod=$(run_pod "$(pod web)")
    start_docker first --containers 3
    crash third
    eventually 15 noted "docker leads to unix://${SOCKETS[first]} now, but the runtime at unix://${SOCKETS[third]} still holds 1 pods; start crigate-docker.service again"
    run call ListPodSandbox
    [[ $output =~ "set endpoint to unix://${SOCKETS[first]} in the runtime map" ]]
    eventually 5 eval '[ "$(grep -c "runtime docker: nothing answers at docker yet: docker leads to" crigate.log)" = 1 ]'
    start_docker third
    eventually 15 at third
    grep -q "endpoint docker: crigate stays at unix://${SOCKETS[third]}: docker leads to unix://${SOCKETS[first]} now, but" crigate.log
    expect ".items | length == 1 and .[0].id == \"$pod\"" "$(call ListPodSandbox)"
    remove_pod "$pod"
    crash third
    eventually 15 at first
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

@test "the way on, with pods: the address in the map" {
    docker_map
    start_docker second
    start_gateway
    eventually 15 at second
    run_pod "$(pod web)"
    start_docker first --containers 3
    crash second
    eventually 15 noted "still holds 1 pods"
    sed -i "s|endpoint: docker|endpoint: \"unix://${SOCKETS[first]}\"|" crigate.yaml
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    eventually 15 runtime_ready docker 2
    expect '.items | length == 1' "$(call ListPodSandbox)"
    expect '.runtimes[0] | .endpoint == "unix:///run/cri-dockerd.sock" and (has("resolvedEndpoint") | not)' "$(status -o json)"
    [ ! -e state/docker.place ]
    # And back: it begins anew.
    sed -i "s|endpoint: \"unix://${SOCKETS[first]}\"|endpoint: docker|" crigate.yaml
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    eventually 15 at first
}

# restarted_elsewhere: where docker was, there is nobody when crigate comes back, but somewhere else there is.
restarted_elsewhere() {
    stop crigate
    crash third
    start_docker first --containers 3
    start_gateway
    eventually 15 noted "$1"
    start_docker third
    eventually 15 at third
}

@test "a restart does not forget where the pods are" {
    local pod keys
    for keys in "" ", when_away: last-known"; do
        rm -rf state ./*.state
        docker_map "$keys"
        start_docker third
        start_gateway
        eventually 15 at third
        pod=$(run_pod "$(pod web)")
        # Of a primary that keeps no lists, it is not known how many.
        restarted_elsewhere "but the runtime at unix://${SOCKETS[third]} $([ -z "$keys" ] && echo "may still hold pods" || echo "still holds 1 pods")"
        crash first
        remove_pod "$pod"
        stop crigate
        crash third
        # Without pods it does.
        start_docker first --containers 3
        start_gateway
        eventually 15 at first
        stop crigate
        crash first
    done
}

@test "if its place cannot be read, its lists say where it was; if they cannot either, it leads nowhere" {
    docker_map ", when_away: last-known"
    start_docker third
    start_gateway
    eventually 15 at third
    run_pod "$(pod web)" >pod
    eventually 10 grep -q "$(<pod)" state/docker.lists
    crash crigate
    crash third
    start_docker first
    for damage in 'rm state/docker.place' 'echo garbage >state/docker.place' ': >state/docker.lists; : >state/docker.place'; do
        eval "$damage"
        start_gateway
        if [ -s state/docker.lists ]; then
            eventually 15 noted "unix://${SOCKETS[third]} still holds 1 pods"
            call ListPodSandbox | grep -q "$(<pod)"
        else
            eventually 15 noted "it is not known where it led before"
            run ! call ListPodSandbox
        fi
        crash crigate
    done
}

@test "neither does a crash, even in the middle of a creation" {
    docker_map
    start_docker third --slow RunPodSandbox=60000
    start_gateway
    eventually 15 at third
    start_call running RunPodSandbox "{\"config\":$(pod web)}"
    eventually 15 eval 'status -o json | jq -e ".runtimes[0].calls == 1"'
    crash crigate
    crash running
    crash third
    start_docker first
    start_gateway
    eventually 15 noted "may still hold pods"
    start_docker third
    eventually 15 at third
    # It holds none, as its list shows.
    crash third
    eventually 15 at first
}

@test "a creation that ended without an answer may have made a pod" {
    docker_map
    start_docker third --slow RunPodSandbox=60000
    start_gateway
    eventually 15 at third
    start_call running RunPodSandbox "{\"config\":$(pod web)}"
    eventually 15 eval 'status -o json | jq -e ".runtimes[0].calls == 1"'
    start_docker first
    crash third
    finish running 14
    eventually 15 noted "the runtime at unix://${SOCKETS[third]} may still hold pods"
    start_docker third
    eventually 15 at third
    crash third
    eventually 15 at first
}

@test "a process that takes over goes on where the one before is" {
    local pod old
    docker_map
    start_docker third
    start_gateway
    eventually 15 at third
    pod=$(run_pod "$(pod web)")
    start_docker first --containers 3
    old=${PIDS[crigate]}
    start next inside "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 20 eval '! kill -0 '"$old"
    wait "$old" || true
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
    eventually 15 at third
    expect ".items | length == 1 and .[0].id == \"$pod\"" "$(call ListPodSandbox)"
    grep -q "endpoint docker: crigate stays at unix://${SOCKETS[third]}" next.log
    remove_pod "$pod"
    crash third
    eventually 15 at first
}

@test "docker leads nowhere else while one process takes over from another" {
    docker_map
    start_docker third
    start_gateway
    eventually 15 at third
    eventually 15 holds 0
    start_docker first
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered '"takeover":1,'
    crash third
    eventually 10 noted "while one crigate takes over from another, unix://${SOCKETS[third]} is kept"
    close_talk
    eventually 15 at first
}

@test "what plugins must know of pods belongs to the place, too" {
    local pod
    docker_map
    hooks_on
    start_plugin koordlet
    start_docker third
    start_gateway
    eventually 15 at third
    eventually 15 knows_plugins koordlet
    pod=$(run_pod "$(pod web)")
    eventually 15 grep -q "unix://${SOCKETS[third]}" state/docker.facts
    stop crigate
    start_gateway
    eventually 15 at third
    eventually 15 knows_plugins koordlet
    run ! grep -q "reading its pod data for plugins again" crigate.log
    remove_pod "$pod"
    start_docker first
    crash third
    eventually 15 at first
    run_pod "$(pod web)"
    eventually 15 grep -q "unix://${SOCKETS[first]}" state/docker.facts
    run ! grep -q "unix://${SOCKETS[third]}" state/docker.facts
}

@test "criproxy -connect docker" {
    start_docker second
    start_docker first
    ln -s "$(realpath "$CRIGATE_BUILD/crigate")" criproxy
    run -0 ./criproxy -connect "docker,virtlet.cloud:$PWD/virtlet.sock" -print-config
    [[ $output =~ "name: primary"$'\n'"    endpoint: docker"$'\n' ]]
    start crigate inside ./criproxy -connect "docker,virtlet.cloud:$PWD/virtlet.sock" -listen "$PWD/crigate.sock" -logtostderr
    eventually 15 serves
    eventually 15 runtime_ready primary
    expect '.runtimeName == "first"' "$(call Version)"
    run -0 ./criproxy -connect "$PWD/main.sock,shim:docker" -print-config
    [[ $output =~ "name: shim"$'\n'"    endpoint: docker"$'\n' ]]
    run -78 ./criproxy -connect docker,shim:docker -print-config
    [[ $output =~ "\"docker\" is already taken" ]]
    run -64 ./criproxy -connect "$PWD/main.sock,docker" -print-config
    [[ $output =~ "every socket after the first needs a name" ]]
}
