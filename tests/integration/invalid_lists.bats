#!/usr/bin/env bats
# What one runtime tells does not spoil the node's lists: strings that are no text, and names that are another runtime's.

load gateway

# string NUMBER TEXT: a field of a message, in hex. TEXT as printf's %b has it; up to 127 bytes.
string() {
    local hex
    hex=$(printf '%b' "$2" | od -An -v -tx1 | tr -d ' \n')
    printf '%02x%02x%s' $(($1 * 8 + 2)) $((${#hex} / 2)) "$hex"
}

# message NUMBER HEX...: a sub-message of these fields, in hex.
message() {
    local number=$1 hex
    shift
    hex=$(printf '%s' "$@")
    printf '%02x%02x%s' $((number * 8 + 2)) $((${#hex} / 2)) "$hex"
}

# container ID POD [LABEL]: an item of ListContainers.
container() {
    message 1 "$(string 1 "$1")" "$(string 2 "$2")" ${3:+"$(message 8 "$(string 1 key)" "$(string 2 "$3")")"}
}

# Items that are no text in an id, a reference, the key of a label, its value; and one whose label is other text than ASCII.
spoilt() {
    container 'bad\xff' pod
    container bad pod '\xc3\x28'
    container worse 'pod\x80'
    message 1 "$(string 1 worst)" "$(message 8 "$(string 1 '\xed\xa0\x80')" "$(string 2 value)")"
    message 1 "$(string 1 bold)" "$(message 3 "$(string 1 '\xf5')")"
    container fine pod 'h\xc3\xa4\xc3\x9flich \xe2\x82\xac'
}

# ids ANSWER: the last parts of the ids of a list that are short.
ids() {
    field '[.containers[].id | sub(".*__"; "") | select(length < 20)] | join(" ")' "$1"
}

# left_out RUNTIME: how many items crigate status counts.
left_out() {
    "$CRIGATE_BUILD/crigate" status -o json --control state/control.sock |
        jq --arg name "$1" '.runtimes[] | select(.name == $name) | .itemsLeftOut'
}

# told RUNTIME: how many lines of log there are about it.
told() {
    grep -c "runtime $1: items were left out of its answers" crigate.log
}

@test "an item with a string that is no text is left out of the node's list, counted, and logged once" {
    local api list
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --append "ListContainers=$(spoilt)" --append "StreamContainers=$(spoilt)"
    write_map main vm.local
    start_node
    for api in v1 v1alpha2 v1_9 v1 v1; do
        list=$(API=$api call ListContainers)
        expect '.containers | length == 7' "$list"
        [ "$(ids "$list")" = fine ]
    done
    expect '[.containers[] | .labels.key // empty] == ["häßlich €"]' "$list"
    list=$(call StreamContainers | jq -cs '{containers: [.[].containers // [] | .[]]}')
    expect '.containers | length >= 7' "$list"
    [ "$(ids "$list")" = fine ]
    [ "$(told vm.local)" = 1 ]
    grep 'runtime vm.local: items were left out of its answers (5 in this one; crigate status counts them all); the first: containers\[3\].id: the string is not valid UTF-8' crigate.log
    [ "$(left_out main)" = 0 ]
    [ "$(left_out vm.local)" -ge 25 ]
    "$CRIGATE_BUILD/crigate" status --control state/control.sock | grep '^vm.local: items left out of its answers: [0-9]* so far; the first: containers'
    # What was last seen stands for it, without them.
    stop vm.local
    eventually 10 grep "runtime vm.local: connection to .* lost" crigate.log
    list=$(call ListContainers)
    expect '.containers | length == 7' "$list"
    [ "$(ids "$list")" = fine ]
}

@test "the primary's own list of pods or containers goes on as it is, and nothing of others is left out for it" {
    local list
    start_runtime main v1 --containers 3 --append "ListContainers=$(spoilt)"
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    list=$(call ListContainers)
    expect '.containers | length == 12' "$list"
    [ "$(left_out main)" = 0 ]
}

@test "what one runtime alone answers goes on as it is" {
    start_runtime main v1 --containers 3 --append "ListContainers=$(spoilt)"
    write_map main
    start_node
    expect '.containers | length == 9' "$(call ListContainers)"
    [ "$(left_out main)" = 0 ]
}

@test "a runtime with plain ids that lists ids of another is not believed" {
    local id pod list claimant
    start_runtime vm.local v1 --containers 3
    id=$(ask vm.local v1 ListContainers | jq -r '.containers[0].id')
    pod=$(ask vm.local v1 ListContainers | jq -r '.containers[0].podSandboxId')
    start_runtime main v1 --containers 3
    # A container, one in a pod of the other, and a pod; and one that nobody has.
    start_runtime evil v1 --append "ListContainers=$(container "vm.local__$id" p)$(container mine "vm.local__$pod")$(container fine p)" \
        --append "ListPodSandbox=$(message 1 "$(string 1 "vm.local__$pod")")$(message 1 "$(string 1 vm.local__none)")"
    for claimant in second primary; do
        rm -rf state crigate.log
        if [ $claimant = second ]; then
            write_map main vm.local 'evil, ids: plain'
        else
            write_map evil vm.local
        fi
        start_node
        for _ in 1 2 3; do
            list=$(call ListContainers)
            expect '[.containers[].id] | length == (unique | length)' "$list"
            [ "$(ids "$list")" = fine ]
            expect "[.containers[] | select(.id == \"vm.local__$id\")] | length == 1 and .[0].podSandboxId != \"p\"" "$list"
            expect "[.items[].id] | map(select(startswith(\"vm.local__\"))) == [\"vm.local__$pod\"]" "$(call ListPodSandbox)"
        done
        [ "$(told evil)" = 1 ]
        grep -q "runtime evil: items were left out of its answers ([12] in this one; crigate status counts them all); the first: vm.local__.* is a name of runtime vm.local" crigate.log
        [ "$(left_out evil)" -ge 12 ]
        # Calls for it go to its owner.
        call ContainerStatus "{\"containerId\":\"vm.local__$id\"}"
        call StopContainer "{\"containerId\":\"vm.local__$id\"}"
        [ "$(asked evil StopContainer)" = 0 ]
        stop crigate
    done
    [ "$(asked vm.local StopContainer)" = 2 ]
}

@test "an answer that takes too much memory is that runtime's own failure, and the others answer" {
    start_runtime main v1 --images 3
    # As many empty images as make a decoder take a hundred times their bytes.
    start_runtime vm.local v1 --images 3 --append 'ListImages=0a00*1000000'
    write_map main "vm.local, budget: 60s"
    add_to_map 'limits: {list_items: 10000000}'
    start_node
    for _ in 1 2; do
        expect '.images | length == 3' "$(call ListImages)"
    done
    [ "$(grep -c 'runtime vm.local: left out of ListImages, which fails there: RESOURCE_EXHAUSTED: the answer of runtime vm.local cannot be read: the message exceeds the memory limit of a call' crigate.log)" = 1 ]
}

# heard TEXT: whether an event says so.
heard() {
    grep -q -- "$1" ear.log
}

# listed_again: waits until the lists of `evil` were compared twice more.
listed_again() {
    local before
    before=$(asked evil ListContainers)
    eventually 10 eval '[ "$(asked evil ListContainers)" -ge '$((before + 3))' ]'
}

@test "events of another runtime's names, and of what is no text, are not told, and no reason to ask again" {
    start_runtime main v1
    start_runtime vm.local v1
    start_runtime evil v1 --no-events
    write_map main vm.local 'evil, ids: plain'
    add_to_map 'events: {compose: always, interval: 100ms}'
    start_node
    start_call ear GetContainerEvents '{}'
    eventually 15 calls_show 'any(.calls[]; .state == "streaming")'
    listed_again
    crash evil
    start_runtime evil v1 --no-events \
        --append "ListPodSandbox=$(message 1 "$(string 1 pod)")" \
        --append "ListContainers=$(container vm.local__stolen pod)$(container 'bad\xff' pod)$(container fine pod)"
    eventually 15 heard '"containerId":"fine"'
    listed_again
    run ! heard 'stolen'
    run ! heard 'bad'
    run ! grep "cannot report what its lists show" crigate.log
    [ "$(told evil)" = 1 ]
    crash ear
}

@test "a list of more items than limits.list_items is that runtime's own failure, and others answer" {
    local method
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --append "ListContainers=0a00*2000" --append "ListPodSandbox=0a00*2000" \
        --append "ListImages=0a00*2000"
    write_map main vm.local
    add_to_map 'limits: {list_items: 1000}'
    start_node
    for method in ListPodSandbox ListContainers; do
        eventually 10 grep -qF "runtime vm.local: cannot list what it holds: $method: RESOURCE_EXHAUSTED: runtime vm.local lists more than 1000 items" crigate.log
    done
    expect '[.containers[].id | startswith("vm.local__")] | length == 3 and (any | not)' "$(call ListContainers)"
    call ListImages
    grep -qF "runtime vm.local: left out of ListImages, which fails there: RESOURCE_EXHAUSTED: the answer of runtime vm.local cannot be read: runtime vm.local lists more than 1000 items" crigate.log
    # With as many as it may have, its items are there.
    add_to_map 'limits: {list_items: 3000}'
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    expect '[.containers[].id | select(. and startswith("vm.local__"))] | length == 3' "$(call ListContainers)"
}
