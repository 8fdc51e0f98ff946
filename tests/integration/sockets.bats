#!/usr/bin/env bats
# More sockets to listen on, and what callers may do on each.

load gateway

BUSYBOX=registry.example/busybox:1.36

# two_sockets [KEY...]: a map with a socket for agents beside the usual one; the keys are more of its entry.
two_sockets() {
    local keys=""
    [ $# -eq 0 ] || keys=$(printf ', %s' "$@")
    write_map main
    sed "s|^listen: .*|listen: [\"$PWD/crigate.sock\", {address: \"$PWD/agents.sock\", access: read-only$keys}]|" crigate.yaml >map.new
    mv map.new crigate.yaml
}

# agent [OPTION...] METHOD [JSON]: as `call`, on the agents' socket.
agent() {
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/agents.sock" --api "${API:-v1}" --compact --timeout 60s "$@"
}

reload() {
    local before
    before=$(grep -c "runtime map was " crigate.log) || true
    kill -HUP "${PIDS[crigate]}"
    eventually 10 at_least $((before + 1)) "runtime map was " crigate.log
}

@test "a read-only socket takes what changes nothing, in each package, and refuses the rest by name" {
    local pod container config
    start_runtime main v1
    two_sockets
    start_node
    config=$(pod web)
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    for API in v1 v1alpha2 v1_9; do
        expect ".items | map(.id) == [\"$pod\"]" "$(agent ListPodSandbox)"
        expect ".status.id == \"$container\"" "$(agent ContainerStatus "{\"containerId\": \"$container\"}")"
        expect '.images | length >= 1' "$(agent ListImages)"
        run -7 agent StopContainer "{\"containerId\": \"$container\"}"
        [[ $output == *"crigate: StopContainer may change something, and the socket $PWD/agents.sock is read-only"* ]]
        run -7 agent RemoveImage '{"image": {"image": "x"}}'
    done
    API=v1
    run -7 agent ExecSync "{\"containerId\": \"$container\", \"cmd\": [\"id\"]}"
    run -7 agent PullImage '{"image": {"image": "x"}}'
    run -7 agent UpdateRuntimeConfig '{}'
    : >request
    run -7 agent --raw --raw-request request /runtime.v1.RuntimeService/BrandNew
    [[ $output == *"an RPC that this crigate does not know may change something"* ]]
    [ "$(asked main StopContainer) $(asked main ExecSync) $(asked main RemoveImage)" = "0 0 0" ]
    # The other socket takes all of it.
    call StopContainer "{\"containerId\": \"$container\"}"
    [ "$(asked main StopContainer)" = 1 ]
}

@test "verbose answers of a read-only socket have nothing that may be secret" {
    local pod container config
    start_runtime main v1
    two_sockets
    start_node
    config=$(pod web)
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    expect '.info | length > 0' "$(call ContainerStatus "{\"containerId\": \"$container\", \"verbose\": true}")"
    expect '.info // {} == {}' "$(agent ContainerStatus "{\"containerId\": \"$container\", \"verbose\": true}")"
    expect ".status.id == \"$container\"" "$(agent ContainerStatus "{\"containerId\": \"$container\", \"verbose\": true}")"
    expect '.info // {} == {}' "$(agent PodSandboxStatus "{\"podSandboxId\": \"$pod\", \"verbose\": true}")"
    expect '.info // {} == {}' "$(agent Status '{"verbose": true}')"
    expect '.info // {} == {}' "$(agent ImageStatus "{\"image\": {\"image\": \"$BUSYBOX\"}, \"verbose\": true}")"
    expect '.info | length > 0' "$(call Status '{"verbose": true}')"
    # The flag twice, and before what is cut off, so that bytes behind it would be taken for its rest.
    for bytes in '\x10\x01\x10\x01' '\x10\x00\x10\x01' '\x10\x01\x4a\x02' '\x10\x01\x4a' '\x12\x01\x01' '\x10\x81\x80\x00'; do
        printf "\\x0a\\x$(printf %02x "${#pod}")$pod$bytes" >request
        "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/agents.sock" --raw --raw-request request /runtime.v1.RuntimeService/PodSandboxStatus >answer || true
        run ! grep -a -q runtimeSpec answer
    done
    run ! grep 'PodSandboxStatus".*"verbose":true' main.journal
    [ "$(asked main PodSandboxStatus)" -ge 3 ]
}

@test "agents that flood their socket have limits of their own" {
    start_runtime main v1 --slow ListImages=3000
    two_sockets "limits: {calls: 5, streams: 2, connections: 3}"
    start_node
    "$CRIGATE_BUILD/crowd" "unix://$PWD/agents.sock" ListImages '{}' 50 30000 >crowd.out
    grep -qx "5 OK" crowd.out
    grep -qx "45 RESOURCE_EXHAUSTED" crowd.out
    start ears "$CRIGATE_BUILD/event_counter" "unix://$PWD/agents.sock" 10 never
    eventually 10 grep -q events ears.log
    eventually 10 eval 'kill -USR1 "${PIDS[ears]}"; [ "$(tail -n 1 ears.log | jq .ended)" = 8 ]'
    # Beside them, the other socket has all that it had.
    start listener "$CRIGATE_BUILD/event_counter" "unix://$PWD/crigate.sock" 100 never
    eventually 10 eval '[ "$(field .calls "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json)")" = 102 ]'
    kill -USR1 "${PIDS[listener]}"
    eventually 10 at_least 2 events listener.log
    expect '.ended == 0' "$(tail -n 1 listener.log)"
    stop ears
    stop listener
}

@test "calls of agents do not count towards those of the kubelet's socket" {
    start_runtime main v1 --slow ListImages=3000
    two_sockets
    add_to_map "limits: {calls: 20, startup_grace: 10s}"
    start_node
    start flood "$CRIGATE_BUILD/crowd" "unix://$PWD/agents.sock" ListImages '{}' 60 30000
    eventually 10 calls_show ".calls | length == 20"
    call Version
    call ListPodSandbox
    finish flood
    grep -qx "60 OK" flood.log
}

@test "agents that use up their connections leave the kubelet's" {
    start_runtime main v1
    two_sockets "limits: {connections: 5000}"
    start crigate bash -c 'ulimit -n 300; exec "$CRIGATE_BUILD/crigate" --config crigate.yaml'
    eventually 15 serves
    eventually 15 runtime_ready main
    start agents "$CRIGATE_BUILD/raw_peer" "$PWD/agents.sock" connections 300
    eventually 15 grep -q "refused a connection: .* callers are connected" crigate.log
    call Version
    call ListPodSandbox
    crash agents
}

@test "a socket whose file is gone or replaced does not stand in the way of a reload" {
    start_runtime main v1
    two_sockets
    start_node
    rm agents.sock
    touch victim
    chmod 600 victim
    ln -s victim agents.sock
    sed -i "s|^listen: .*|listen: [\"$PWD/crigate.sock\", {address: \"$PWD/agents.sock\", access: read-only, mode: \"0644\"}, \"$PWD/third.sock\"]|" crigate.yaml
    reload
    [ "$(stat -c %a victim)" = 600 ]
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/third.sock" --timeout 5s Version
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"$PWD/agents.sock was removed or replaced; restart crigate"* ]]
}

@test "status, metrics and --print-config name each socket" {
    start_runtime main v1
    two_sockets
    start_node
    start callers "$CRIGATE_BUILD/steady_caller" "unix://$PWD/agents.sock" 50
    eventually 10 eval '[ "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq ".sockets[1].calls")" -ge 2 ]'
    run "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"sockets:"*"unix://$PWD/crigate.sock   full"*"unix://$PWD/agents.sock    read-only"*"connections of callers:"*"SOCKET"*" $PWD/agents.sock"* ]]
    run "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o prometheus
    grep -q "^crigate_socket_connections{socket=\".*\"} 1$" <<<"$output"
    [ "$(grep -c '^crigate_socket_calls_total{' <<<"$output")" = 2 ]
    "$CRIGATE_BUILD/crigate" --config crigate.yaml --print-config >printed.yaml
    "$CRIGATE_BUILD/crigate" --config printed.yaml --print-config | grep -v ^# | diff - <(grep -v ^# printed.yaml)
    stop callers
}

@test "events reach a read-only socket" {
    start_runtime main v1
    two_sockets
    start_node
    start ear "$CRIGATE_BUILD/event_counter" "unix://$PWD/agents.sock" 1
    eventually 10 grep -q events ear.log
    eventually 10 eval '[ "$(asked main GetContainerEvents)" -ge 1 ]'
    run_pod "$(pod web)" >/dev/null
    eventually 10 eval 'kill -USR1 "${PIDS[ear]}"; [ "$(tail -n 1 ear.log | jq .events)" -ge 1 ]'
    stop ear
}

@test "a reload opens a socket, changes what it grants, and closes it with its callers" {
    start_runtime main v1
    write_map main
    start_node
    start listener "$CRIGATE_BUILD/event_counter" "unix://$PWD/crigate.sock" 1
    run ! test -e agents.sock
    two_sockets
    reload
    [ "$(stat -c %a agents.sock)" = 660 ]
    agent Version >/dev/null
    run -7 agent StopContainer '{"containerId": "x"}'
    two_sockets 'mode: "0600"'
    reload
    [ "$(stat -c %a agents.sock)" = 600 ]
    sed -i 's/read-only/full/' crigate.yaml
    reload
    run -5 agent ContainerStatus '{"containerId": "x"}'
    agent UpdateRuntimeConfig '{}' >/dev/null
    two_sockets
    reload
    run -7 agent UpdateRuntimeConfig '{}'
    start ear "$CRIGATE_BUILD/event_counter" "unix://$PWD/agents.sock" 1
    eventually 10 eval '[ "$("$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json | jq ".callers | length")" -ge 2 ]'
    write_map main
    reload
    eventually 10 ended ear
    finish ear
    run ! test -e agents.sock
    expect '.ended == 0' "$(tail -n 1 listener.log)"
    stop listener
}

@test "a socket that cannot be opened: the map is refused, and the one before stays" {
    start_runtime main v1
    write_map main
    start_node
    start other "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/agents.sock" --api v1
    eventually 10 grep -q "listening on" other.log
    two_sockets
    reload
    grep -q "another program listens on $PWD/agents.sock; stop it, or listen elsewhere" crigate.log
    call Version >/dev/null
    stop other
    reload
    agent Version >/dev/null
    stop crigate
    run ! test -e agents.sock
    # At the start as well.
    start other "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/agents.sock" --api v1
    eventually 10 eval '[ "$(grep -c "listening on" other.log)" = 2 ]'
    run -1 "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output == *"another program listens on $PWD/agents.sock"* ]]
    run ! test -e crigate.sock
}

@test "a takeover hands over each socket, with nobody refused" {
    start_runtime main v1
    two_sockets
    start_node
    inode=$(stat -c %i agents.sock)
    start agents_calls "$CRIGATE_BUILD/steady_caller" "unix://$PWD/agents.sock" 50
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    finish crigate
    [ "$(stat -c %i agents.sock)" = "$inode" ]
    agent Version >/dev/null
    run -7 agent StopContainer '{"containerId": "x"}'
    stop agents_calls
    expect '.failed == 0 and .calls > 10' "$(tail -n 1 agents_calls.log)"
    stop next
    run ! test -e agents.sock
    run ! test -e crigate.sock
}

@test "a takeover by a process whose map has other sockets" {
    start_runtime main v1
    two_sockets
    start_node
    sed -i "s/agents.sock/others.sock/" crigate.yaml
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    finish crigate
    eventually 10 test -S others.sock
    run ! test -e agents.sock
    stop next
}

@test "a takeover applies modes, and opens what it can" {
    start_runtime main v1
    two_sockets
    start_node
    start other "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/taken.sock" --api v1
    eventually 10 grep -q "listening on" other.log
    sed -i "s|^listen: .*|listen: [\"$PWD/crigate.sock\", {address: \"$PWD/agents.sock\", access: read-only, mode: \"0600\"}, \"$PWD/taken.sock\", \"$PWD/third.sock\"]|" crigate.yaml
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    finish crigate
    eventually 10 grep -q "another program listens on $PWD/taken.sock; .*callers of that socket are not served" next.log
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/third.sock" --timeout 5s Version
    [ "$(stat -c %a agents.sock)" = 600 ]
    stop next
}

@test "the service manager passes one socket, or both" {
    needs systemd-socket-activate command -v systemd-socket-activate
    start_runtime main v1
    two_sockets
    start crigate systemd-socket-activate --listen "$PWD/agents.sock" --listen "$PWD/crigate.sock" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 agent Version
    call Version
    stop crigate
    [ -S agents.sock ] && [ -S crigate.sock ]
    rm agents.sock crigate.sock
    start crigate systemd-socket-activate --listen "$PWD/crigate.sock" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 call Version
    agent Version
    run -7 agent StopContainer '{"containerId": "x"}'
    stop crigate
    [ -S crigate.sock ]
    run ! test -e agents.sock
}
