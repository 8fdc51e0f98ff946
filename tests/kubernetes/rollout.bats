#!/usr/bin/env bats
# deploy/kubernetes/rollout, with a stand-in for kubectl: one node after the other, and none after one that is not well.

bats_require_minimum_version 1.5.0

setup() {
    CLUSTER=$BATS_TEST_TMPDIR/cluster
    export CLUSTER ROLLOUT_PAUSE=0.05
    mkdir -p "$CLUSTER"/{nodes,fate,bin}
    ln -s "$BATS_TEST_DIRNAME/kubectl" "$CLUSTER/bin/kubectl"
    PATH=$CLUSTER/bin:$PATH
    rollout=$BATS_TEST_DIRNAME/../../deploy/kubernetes/rollout
}

# node NAME FATE [LABEL]
node() {
    echo "$2" >"$CLUSTER/fate/$1"
    printf 'ready=True\n%s' "${3:+label=$3$'\n'}" >"$CLUSTER/nodes/$1"
}

label_of() {
    sed -n 's/^label=//p' "$CLUSTER/nodes/$1"
}

# begun NODE: whether it was ever labelled.
begun() {
    grep -q "^label node $1 .*crigate.io/enabled=true" "$CLUSTER/calls"
}

has() {
    [[ $output == *"$1"* ]]
}

@test "two nodes that become well: the second is begun after the first is ready" {
    node a good
    node b good
    touch "$CLUSTER/going"
    run -0 "$rollout" a b
    has "crigate is installed on all 2 nodes"
    [ "$(label_of a) $(label_of b)" = "true true" ]
    local looked labelled
    looked=$(grep -n '^--namespace crigate-system get pod crigate-a --output jsonpath={.status.conditions' "$CLUSTER/calls" | tail -n 1 | cut -d : -f 1)
    labelled=$(grep -n '^label node b ' "$CLUSTER/calls" | cut -d : -f 1)
    [ "$looked" -lt "$labelled" ]
}

@test "the first is not ready in time: the second is not begun, and the first is not tried again" {
    node a sick
    node b good
    run -1 "$rollout" --timeout 1 a b
    has "stopped at a: its pod is not Ready after 1 s"
    has "log of crigate-a, container watch"
    begun a
    run ! begun b
    [ -z "$(label_of a)" ]
}

@test "crigate install fails on the first: it is not waited for, and the second is not begun" {
    node a failed
    node b good
    run -1 "$rollout" a b
    has "stopped at a: crigate install failed"
    has "log of crigate-a, container install"
    run ! begun b
    [ -z "$(label_of a)" ]
}

@test "the first node gets NotReady, although its pod is Ready: the second is not begun" {
    node a lost
    node b good
    run -1 "$rollout" a b
    has "stopped at a: the node is not Ready"
    run ! begun b
}

@test "a node that is not Ready before, or that does not exist, is not begun" {
    node a good
    echo ready=False >"$CLUSTER/nodes/a"
    node b good
    run -1 "$rollout" a b
    has "stopped before a: the node is not Ready"
    run ! begun a
    run ! begun b
    run -1 "$rollout" nowhere
    has "stopped before nowhere: kubectl get node nowhere failed"
}

@test "without an API server, that is the reason" {
    node a good
    printf '#!/bin/sh\necho "The connection to the server localhost:8080 was refused" >&2\nexit 1\n' >"$CLUSTER/refused"
    chmod +x "$CLUSTER/refused"
    ln -sf "$CLUSTER/refused" "$CLUSTER/bin/kubectl"
    run -1 "$rollout" a
    has "stopped before a: kubectl get node a failed"
    run -1 "$rollout" --all
    has "kubectl get nodes failed; no node was changed"
}

@test "--all: by name, without those that crigate is taken out of; the same command goes on where it stopped" {
    node a good
    node b sick
    node c good uninstall
    node d good
    run -1 "$rollout" --timeout 1 --all
    has "stopped at b"
    run ! begun d
    echo good >"$CLUSTER/fate/b"
    run -0 "$rollout" --all
    has "crigate is installed on all 3 nodes"
    [ "$(label_of a) $(label_of b) $(label_of c) $(label_of d)" = "true true uninstall true" ]
}

@test "wrong arguments" {
    run -64 "$rollout"
    run -64 "$rollout" --timeout 0 a
    run -64 "$rollout" --all a
    run -64 "$rollout" --everything
    [ ! -e "$CLUSTER/calls" ]
}
