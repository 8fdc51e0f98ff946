#!/usr/bin/env bats
# Endpoints that lead back to the gateway itself, by a link or by way of another gateway.

load gateway

# second_map NAME LISTEN RUNTIME...: writes NAME.yaml for another gateway: like write_map, with a socket and state folder of its own.
second_map() {
    local name=$1
    shift
    mv crigate.yaml kept.yaml
    write_map "$@"
    sed "/^listen/s,$PWD/crigate.sock,$PWD/$name.sock,; s,$PWD/state,$PWD/state-$name," crigate.yaml >"$name.yaml"
    mv kept.yaml crigate.yaml
}

# start_second NAME: starts it.
start_second() {
    start "$1" "$CRIGATE_BUILD/crigate" --config "$1.yaml"
    eventually 15 test -S "$1.sock"
}

# status_of FOLDER RUNTIME FILTER: what crigate status says of a runtime.
status_of() {
    "$CRIGATE_BUILD/crigate" status -o json --control "$1/control.sock" | jq -e --arg name "$2" ".runtimes[] | select(.name == \$name) | $3"
}

leads_back() {
    status_of "$1" "$2" '.state == "unsuitable" and (.note | test("leads back to this crigate"))'
}

@test "an endpoint that is a link to the gateway's own socket is told, and the others are served" {
    start_runtime main v1 --containers 3
    ln -s crigate.sock me.sock
    write_map main me
    start_crigate
    eventually 15 leads_back state me
    eventually 15 runtime_ready main
    expect '.containers | length == 3' "$(call ListContainers)"
    expect '.items | length == 1' "$(call ListPodSandbox)"
    call Status
    run -14 call ContainerStatus '{"containerId":"me__me__x"}'
    [[ $output =~ "leads back to this crigate" ]]
    [ "$(grep -c 'runtime me: unsuitable, .*: its endpoint leads back to this crigate' crigate.log)" = 1 ]
    run ! grep "runtime me: ready" crigate.log
    # Put right, it becomes what it should be.
    start_runtime other v1 --containers 3
    sed -i "s/me.sock/other.sock/" crigate.yaml
    eventually 15 runtime_ready me
    expect '.containers | length == 6' "$(call ListContainers)"
}

@test "a primary that is the gateway itself fails calls with what it is" {
    ln -s crigate.sock me.sock
    GRACE=0s write_map me
    start_crigate
    eventually 15 leads_back state me
    run -14 call ListContainers
    [[ $output =~ "leads back to this crigate" ]]
}

# quiet SECONDS: whether the runtime is not asked for anything for that long.
quiet() {
    local before
    before=$(wc -l <main.journal)
    sleep "$1"
    [ "$(wc -l <main.journal)" = "$before" ]
}

@test "two gateways, each a runtime of the other: the circle is cut, and both serve" {
    local before
    start_runtime main v1 --containers 3
    write_map main second
    second_map second main crigate
    start_second second
    start_node
    # One of the two has noticed, or both have; by then nothing goes round.
    eventually 15 eval 'leads_back state second || leads_back state-second crigate'
    eventually 10 quiet 1
    expect '.containers | length == 3 or length == 6' "$(call ListContainers)"
    expect '[.containers[].id] | all(test("second__crigate__") | not)' "$(call ListContainers)"
    before=$(asked main ListPodSandbox)
    call ListPodSandbox
    (($(asked main ListPodSandbox) - before <= 2))
    # Nobody goes on asking.
    eventually 10 quiet 3
    [ "$(cat crigate.log second.log | grep -c ': unsuitable, ')" -le 2 ]
}

@test "gateways in a chain are no circle, and two ways to one runtime are none" {
    local id
    start_runtime main v1 --containers 3
    write_map second
    second_map second third
    second_map third main
    start_second third
    start_second second
    start_node
    expect '.containers | length == 3' "$(call ListContainers)"
    write_map second third
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    eventually 15 runtime_ready third
    expect '.containers | length == 6' "$(call ListContainers)"
    call Status '{"verbose":true}'
    # The gateway with two runtimes has put its mark to the call, and those with one pass it on.
    expect '.metadata["crigate-passed"] | test("^[0-9a-f]{16}$")' \
        "$(call Version >/dev/null; arrived main Version)"
}

@test "a mark that a caller makes up does nothing but go along" {
    start_runtime main v1
    write_map main
    start_node
    call --metadata crigate-passed=0123456789abcdef Version
    expect '.metadata["crigate-passed"] == "0123456789abcdef"' "$(arrived main Version)"
    call --metadata crigate-passed= Version
    # A mark of this process, which its probe bore, is believed; it can only have the caller's own call refused.
    run -9 call --metadata "crigate-passed=$(journal main Version | head -n 1 | jq -r '.metadata["crigate-passed"]')" Version
    [[ $output =~ "FAILED_PRECONDITION: crigate: this call has passed here before, unix://$PWD/crigate.sock: an endpoint in the runtime map" ]]
    call Version
}
