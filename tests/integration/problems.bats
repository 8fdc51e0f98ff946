#!/usr/bin/env bats
# The custom plugin of node-problem-detector: which conditions crigate's state leads to, by exit status and text.

load gateway
load plugins

DEPLOY=$BATS_TEST_DIRNAME/../../deploy/node-problem-detector

# problem CONDITION
problem() {
    CRIGATE="$CRIGATE_BUILD/crigate" "$DEPLOY/crigate-problem" "$1" --config crigate.yaml
}

# has CONDITION STATUS TEXT: whether the plugin says so.
has() {
    local said status=0
    said=$(problem "$1") || status=$?
    [ "$status" = "$2" ] && [[ $said == *"$3"* ]]
}

@test "a node that is well has none of the problems" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    for condition in unresponsive primary runtimes map; do
        run -0 problem "$condition"
        [ "$output" = "no problem" ]
    done
    rm crigate.sock
    run -1 problem unresponsive
    [[ $output == "callers cannot connect: $PWD/crigate.sock was removed"* ]]
}

@test "a runtime that is away is a problem of its own, the primary another" {
    start_runtime main v1
    start_runtime vm.local v1
    start_runtime metal v1
    write_map main "vm.local, new_pods: false" metal
    start_node
    stop vm.local
    stop metal
    eventually 20 has runtimes 1 "runtimes are not ready: vm.local (away), metal (away)"
    run -0 problem primary
    run -0 problem unresponsive
    stop main
    eventually 20 has primary 1 "the primary runtime is not ready: main (away)"
    run -0 problem unresponsive
    start_runtime main v1
    eventually 20 has primary 0 "no problem"
}

@test "a runtime that is ready, but fails the lists of the whole node, is a problem" {
    start_runtime main v1
    start_runtime vm.local v1 --fail ListContainers=INTERNAL
    write_map main vm.local
    start_node
    run -13 call ListContainers
    run -1 problem runtimes
    [ "$output" = "vm.local: ListContainers fails there, and so for the whole node" ]
}

@test "a map that was refused is a problem until a good one is in force" {
    start_runtime main v1
    write_map main
    start_node
    cp crigate.yaml good.yaml
    echo "nonsense: 1" >>crigate.yaml
    # The script reads the map, too, for the state folder: it is named here.
    eventually 20 eval 'CRIGATE="$CRIGATE_BUILD/crigate" "$DEPLOY/crigate-problem" map --control state/control.sock; [ $? = 1 ]'
    cp good.yaml crigate.yaml
    eventually 20 has map 0 "no problem"
}

@test "what a runtime says of itself makes no other problem" {
    cat >crigate <<'EOF'
#!/bin/sh
echo "NAME       ROLE      DIALECT   STATE   SINCE   PODS   CALLS   OLDEST   LISTS   NOTE"
echo "main       primary   v1        ready      1s      0       0       0s       -   -"
echo "vm.local   -         v1        away       1s      0       0       0s      1s   The newest runtime map was refused;   x   primary   y"
echo
exit 1
EOF
    chmod +x crigate
    for condition in unresponsive primary map; do
        CRIGATE=$PWD/crigate run -0 "$DEPLOY/crigate-problem" "$condition"
        [ "$output" = "no problem" ]
    done
    CRIGATE=$PWD/crigate run -1 "$DEPLOY/crigate-problem" runtimes
    [ "$output" = "runtimes are not ready: vm.local (away)" ]
}

@test "of crigate that is bypassed, or that this user may not ask, nothing is known" {
    printf '#!/bin/sh\necho "bypassed since 2026-11-22T03:10:00Z: /a leads to /b; to end the bypass: crigate bypass off"\nexit 1\n' >bypassed
    printf '#!/bin/sh\necho "crigate status: only root and crigate'"'"'s user may connect to /a" >&2\nexit 77\n' >forbidden
    chmod +x bypassed forbidden
    for condition in unresponsive primary runtimes map plugins; do
        CRIGATE=$PWD/bypassed run -2 "$DEPLOY/crigate-problem" "$condition"
        [ "$output" = "crigate is bypassed" ]
        CRIGATE=$PWD/forbidden run -2 "$DEPLOY/crigate-problem" "$condition"
        [ "$output" = "only root and crigate's user may query crigate" ]
    done
}

@test "on a node with the package alone, nothing is a problem, and nothing is known" {
    cat >crigate <<'EOF'
#!/bin/sh
echo "crigate $1: no crigate is listening" >&2
[ "$1" = status ] || echo "crigate verify: crigate is not in use on this node; to install it: crigate install" >&2
exit 2
EOF
    chmod +x crigate
    CRIGATE=$PWD/crigate run -2 "$DEPLOY/crigate-problem" unresponsive
    [ "$output" = "crigate is not in use on this node" ]
    # Another crigate than the node's.
    CRIGATE=$PWD/crigate run -1 "$DEPLOY/crigate-problem" unresponsive --control state/control.sock
    [ "$output" = "crigate does not answer: crigate status: no crigate is listening" ]
}

@test "a plugin because of which calls are refused is a problem" {
    start_runtime main v1
    write_map main
    hooks_on
    start_plugin koordlet --policy Fail
    start_crigate
    eventually 20 has plugins 0 "no problem"
    crash koordlet
    eventually 20 has plugins 1 "calls are refused because of plugins (policy Fail): koordlet.json"
}

@test "without crigate, one condition is true and the others are unknown" {
    write_map main
    run -1 problem unresponsive
    [[ $output == "crigate does not answer: crigate status: no crigate is listening at "* ]]
    for condition in primary runtimes map plugins; do
        run -2 problem "$condition"
        [ "$output" = "crigate does not answer" ]
    done
    run -2 problem other
    [[ $output == usage:* ]]
    CRIGATE=/nowhere/crigate run -2 "$DEPLOY/crigate-problem" primary
    [ "$output" = "there is no program /nowhere/crigate" ]
}

@test "each rule of the monitor has a condition, an argument that the script knows, and time enough" {
    local monitor=$DEPLOY/crigate-monitor.json argument
    jq -e '.plugin == "custom" and .source == "crigate-monitor" and ([.rules[].condition] | sort) == ([.conditions[].type] | sort)
        and ([.conditions[].type] | unique | length) == 5 and all(.rules[]; .type == "permanent" and (.path | endswith("/crigate-problem")))
        and all(.rules[]; .timeout == "20s") and .pluginConfig.timeout == "20s"' "$monitor"
    write_map main
    for argument in $(jq -r '.rules[].args[]' "$monitor"); do
        [[ "$(problem "$argument" || true)" != usage:* ]]
    done
}
