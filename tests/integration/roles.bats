#!/usr/bin/env bats
# Roles that the map gives apart: who takes new pods, and whose ids carry no prefix.

load gateway

# two_plain [MORE_KEYS]: two runtimes that keep what they hold in a file, both with plain ids.
two_plain() {
    start_main
    start_other
    write_map main "other, ids: plain${1:-}"
    start_node
    eventually 10 knows_all
}

start_main() {
    start_runtime main v1 --state main.state
}

start_other() {
    start_runtime other v1alpha2 --state other.state
}

# knows_all: whether both runtimes have told what they hold since the gateway started.
knows_all() {
    [ "$(asked main ListContainers)" -ge 1 ] && [ "$(asked other ListContainers)" -ge 1 ]
}

# goes_to RUNTIME METHOD JSON: the call goes to that runtime, and to no other.
goes_to() {
    local before after runtime=$1 method=$2
    before=$(asked main "$method")-$(asked other "$method")
    call "$method" "$3" >/dev/null
    after=$(asked main "$method")-$(asked other "$method")
    case $runtime in
        main) [ "$after" = "$((${before%-*} + 1))-${before#*-}" ] ;;
        other) [ "$after" = "${before%-*}-$((${before#*-} + 1))" ] ;;
    esac || {
        echo "$method $3: from $before to $after calls of main-other"
        return 1
    }
}

# pod_with_container NAME RUNTIME: makes both and sets POD and CONTAINER.
pod_with_container() {
    local config
    config=$(pod "$1" "$(to "$2")")
    POD=$(run_pod "$config")
    pull app:1 "$config" >/dev/null
    CONTAINER=$(create_container "$POD" "$config" app:1)
}

# lost RUNTIME: whether the gateway has noticed that it is away.
lost() {
    grep -q "runtime $1: connection to .* lost" crigate.log
}

# ---- new pods ----

@test "the default runtime takes new pods that nothing else claims, the primary still speaks for the node" {
    start_runtime main v1 --name primary
    start_runtime vm.local v1 --name default --handler kvm
    write_map main "vm.local, default: true"
    start_node
    [[ $(run_pod "$(pod web)") =~ ^vm.local__ ]]
    [[ $(run_pod "$(pod fast)" kvm) =~ ^vm.local__ ]]
    [[ $(run_pod "$(pod asked "$(to main)")") =~ ^[0-9a-f]{64}$ ]]
    expect '.runtimeName == "primary"' "$(call Version)"
    [ "$(asked vm.local Status)" = 0 ]
    call Status
    [ "$(asked vm.local Version) $(asked main Status)" = "1 1" ]
}

@test "a draining runtime takes no new pods, and keeps what it has" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 3 --handler kvm
    write_map main "vm.local, new_pods: false, handlers: [kvm]"
    start_node
    run -9 run_pod "$(pod web "$(to vm.local)")"
    [[ $output =~ "FAILED_PRECONDITION: crigate: runtime vm.local takes no new pods (new_pods: false in the runtime map)" ]]
    run -9 run_pod "$(pod web)" kvm
    [[ $output =~ "runtime vm.local takes no new pods" ]]
    [ "$(asked vm.local RunPodSandbox) $(asked main RunPodSandbox)" = "0 0" ]
    [[ $(run_pod "$(pod web)") =~ ^[0-9a-f]{64}$ ]]
    local id container
    id=$(field '.items[] | .id | select(startswith("vm.local__"))' "$(call ListPodSandbox)")
    pull vm.local/app:1
    container=$(create_container "$id" "$(pod kept)" vm.local/app:1)
    call StartContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$id\"}"
    call RemovePodSandbox "{\"podSandboxId\":\"$id\"}"
    expect '[.items[].id | startswith("vm.local__")] | any | not' "$(call ListPodSandbox)"
}

@test "a draining primary gives its pods to the default" {
    start_runtime main v1
    start_runtime next v1
    write_map "main, new_pods: false" "next, default: true, ids: plain"
    start_node
    run_pod "$(pod web)"
    [ "$(asked main RunPodSandbox) $(asked next RunPodSandbox)" = "0 1" ]
    run -9 run_pod "$(pod other "$(to main)")"
}

# ---- plain ids ----

@test "with plain ids everywhere no id has a prefix, and every call by id reaches its owner" {
    two_plain
    local runtime method pods=() containers=()
    for runtime in main other; do
        pod_with_container "on-$runtime" "$runtime"
        [[ $POD =~ ^[0-9a-f]{64}$ && $CONTAINER =~ ^[0-9a-f]{64}$ ]]
        pods+=("$POD") containers+=("$CONTAINER")
        for method in StartContainer ContainerStatus ContainerStats ReopenContainerLog; do
            goes_to "$runtime" "$method" "{\"containerId\":\"$CONTAINER\"}"
        done
        goes_to "$runtime" ExecSync "{\"containerId\":\"$CONTAINER\",\"cmd\":[\"true\"]}"
        goes_to "$runtime" Exec "{\"containerId\":\"$CONTAINER\",\"cmd\":[\"sh\"],\"stdout\":true}"
        goes_to "$runtime" Attach "{\"containerId\":\"$CONTAINER\",\"stdout\":true}"
        goes_to "$runtime" UpdateContainerResources "{\"containerId\":\"$CONTAINER\",\"linux\":{\"cpuShares\":\"512\"}}"
        goes_to "$runtime" PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
        goes_to "$runtime" PodSandboxStats "{\"podSandboxId\":\"$POD\"}"
        goes_to "$runtime" PortForward "{\"podSandboxId\":\"$POD\",\"port\":[80]}"
    done
    [ "$(call ListPodSandbox | jq -r '.items[].id' | sort)" = "$(printf '%s\n' "${pods[@]}" | sort)" ]
    [ "$(call ListContainers | jq -r '.containers[].id' | sort)" = "$(printf '%s\n' "${containers[@]}" | sort)" ]
    expect ".containers | length == 1 and .[0].id == \"${containers[1]}\"" \
        "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"${pods[1]}\"}}")"
    for runtime in 0 1; do
        local name=(main other)
        goes_to "${name[$runtime]}" StopContainer "{\"containerId\":\"${containers[$runtime]}\"}"
        goes_to "${name[$runtime]}" RemoveContainer "{\"containerId\":\"${containers[$runtime]}\"}"
        goes_to "${name[$runtime]}" StopPodSandbox "{\"podSandboxId\":\"${pods[$runtime]}\"}"
        goes_to "${name[$runtime]}" RemovePodSandbox "{\"podSandboxId\":\"${pods[$runtime]}\"}"
    done
    [ "$(call ListPodSandbox)" = "{}" ]
}

@test "who holds an id is known again after the gateway was killed" {
    two_plain
    local pods=() containers=()
    for runtime in main other; do
        pod_with_container "on-$runtime" "$runtime"
        pods+=("$POD") containers+=("$CONTAINER")
    done
    crash crigate
    rm crigate.log main.journal other.journal
    stop main
    stop other
    start_main
    start_other
    start_node
    eventually 10 knows_all
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"${pods[0]}\"}"
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"${pods[1]}\"}"
    goes_to main ContainerStatus "{\"containerId\":\"${containers[0]}\"}"
    goes_to other ContainerStatus "{\"containerId\":\"${containers[1]}\"}"
    # They were known: nobody was asked whose they are.
    [ "$(journal main ListPodSandbox | grep -c '"filter"')" = 0 ]
}

@test "an id that was never seen is searched for, once, and goes to its owner" {
    two_plain
    local mine theirs
    mine=$(ask main v1 RunPodSandbox "{\"config\":$(pod mine)}" | jq -r .podSandboxId)
    theirs=$(ask other v1alpha2 RunPodSandbox "{\"config\":$(pod theirs)}" | jq -r .podSandboxId)
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$theirs\"}"
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"$mine\"}"
    local searches
    searches=$(journal main ListPodSandbox | grep -c "$theirs")
    [ "$searches" = 1 ]
    expect ".request.filter.id == \"$theirs\"" "$(journal other ListPodSandbox | grep "$theirs")"
    goes_to other StopPodSandbox "{\"podSandboxId\":\"$theirs\"}"
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$theirs\"}"
    [ "$(journal main ListPodSandbox | grep -c "$theirs")" = 1 ]
}

@test "an id that nobody holds is not found, as the primary says it" {
    two_plain
    run -5 ask main v1 PodSandboxStatus '{"podSandboxId":"nothing"}'
    local direct=$output
    run -5 call PodSandboxStatus '{"podSandboxId":"nothing"}'
    [ "$output" = "$direct" ]
    run -5 call ContainerStatus '{"containerId":"nothing"}'
    [ "$(asked other PodSandboxStatus) $(asked other ContainerStatus)" = "0 0" ]
}

# whole_id METHOD JSON: the id in the status that a call answers.
whole_id() {
    call "$1" "$2" | jq -r .status.id
}

@test "the beginning of an id finds its owner, whether it was seen before or not" {
    two_plain
    local runtime theirs short
    for runtime in main other; do
        pod_with_container "on-$runtime" "$runtime"
        goes_to "$runtime" ContainerStatus "{\"containerId\":\"${CONTAINER:0:12}\"}"
        goes_to "$runtime" StartContainer "{\"containerId\":\"${CONTAINER:0:13}\"}"
        goes_to "$runtime" ExecSync "{\"containerId\":\"${CONTAINER:0:12}\",\"cmd\":[\"true\"]}"
        goes_to "$runtime" PodSandboxStatus "{\"podSandboxId\":\"${POD:0:12}\"}"
        [ "$(whole_id PodSandboxStatus "{\"podSandboxId\":\"${POD:0:12}\"}")" = "$POD" ]
        [ "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"${POD:0:12}\"}}" | jq -r '.containers[].id')" = "$CONTAINER" ]
    done
    theirs=$(ask other v1alpha2 RunPodSandbox "{\"config\":$(pod theirs)}" | jq -r .podSandboxId)
    short=${theirs:0:12}
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$short\"}"
    # It is not taken for an id from now on, while the whole one is known.
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$theirs\"}"
    run -1 "$CRIGATE_BUILD/crigate" owner --control state/control.sock "$short"
    [ "$("$CRIGATE_BUILD/crigate" owner --control state/control.sock "$theirs")" = other ]
    goes_to other StopPodSandbox "{\"podSandboxId\":\"$short\"}"
    goes_to other RemovePodSandbox "{\"podSandboxId\":\"$short\"}"
    eventually 10 eval '! call ListPodSandbox | grep -q "$theirs"'
    eventually 10 eval 'status=0; call PodSandboxStatus "{\"podSandboxId\":\"$short\"}" || status=$?; [ "$status" = 5 ]'
}

@test "a beginning that several ids have is refused, and one that could be elsewhere is not guessed" {
    two_plain
    local mine theirs i
    local -A ours=()
    # Ids are random: soon two of them have their first character in common, on two runtimes.
    for i in {1..40}; do
        mine=$(ask main v1 RunPodSandbox "{\"config\":$(pod "mine-$i")}" | jq -r .podSandboxId)
        ours[${mine:0:1}]=$mine
        theirs=$(ask other v1alpha2 RunPodSandbox "{\"config\":$(pod "theirs-$i")}" | jq -r .podSandboxId)
        mine=${ours[${theirs:0:1}]:-}
        [ -z "$mine" ] || break
    done
    [ "${mine:0:1}" = "${theirs:0:1}" ]
    for method in PodSandboxStatus StopPodSandbox RemovePodSandbox; do
        run -3 call "$method" "{\"podSandboxId\":\"${mine:0:1}\"}"
        [[ $output =~ "INVALID_ARGUMENT: crigate: several ids begin with ${mine:0:1}: give more characters of the id" ]]
    done
    [ "$(asked main StopPodSandbox) $(asked other StopPodSandbox)" = "0 0" ]
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"${mine:0:16}\"}"
    # A runtime that is away could have another id that begins with that.
    crash other
    eventually 10 lost other
    for id in "${mine:0:16}" "${theirs:0:16}"; do
        run -14 call PodSandboxStatus "{\"podSandboxId\":\"$id\"}"
        [[ $output =~ "UNAVAILABLE: crigate: runtime other, which could hold $id, cannot be queried: " ]]
    done
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"$mine\"}"
}

@test "while a runtime that could hold an id is away, nothing is not found" {
    two_plain
    pod_with_container on-main main
    local mine=$POD
    pod_with_container on-other other
    crash other
    eventually 10 lost other
    local method
    for method in PodSandboxStatus StopPodSandbox RemovePodSandbox PodSandboxStats; do
        run -14 call "$method" '{"podSandboxId":"nothing"}'
        [[ $output =~ "UNAVAILABLE: crigate: runtime other, which could hold nothing, cannot be queried: " ]]
    done
    for method in ContainerStatus StopContainer RemoveContainer ExecSync; do
        run -14 call "$method" '{"containerId":"nothing"}'
    done
    # What it is known to hold is not asked of the others.
    for method in StopPodSandbox RemovePodSandbox PodSandboxStats PodSandboxStatus; do
        run -14 call "$method" "{\"podSandboxId\":\"$POD\"}"
        [[ $output =~ "UNAVAILABLE: crigate: runtime other has been unavailable" ]]
    done
    for method in StartContainer StopContainer RemoveContainer ExecSync ContainerStatus; do
        run -14 call "$method" "{\"containerId\":\"$CONTAINER\"}"
    done
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"$mine\"}"
    # What is new on the primary is found in spite of it.
    goes_to main PodSandboxStatus "$(ask main v1 RunPodSandbox "{\"config\":$(pod new)}")"
    start_other
    eventually 20 runtime_ready other 2
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    run -5 call PodSandboxStatus '{"podSandboxId":"nothing"}'
}

@test "while a runtime is away from the gateway's start on, nothing is not found either" {
    two_plain
    pod_with_container on-other other
    call ListPodSandbox >/dev/null
    eventually 10 grep -qF -- "$POD" state/other.lists
    crash crigate
    crash other
    rm crigate.log
    start_crigate
    eventually 10 runtime_ready main
    run -14 call StopPodSandbox "{\"podSandboxId\":\"$POD\"}"
    run -14 call StopPodSandbox '{"podSandboxId":"nothing"}'
    [ "$(asked main StopPodSandbox)" = 0 ]
    expect ".items | length == 1 and .[0].id == \"$POD\"" "$(call ListPodSandbox)"
}

@test "when one runtime alone has plain ids, it is asked for all of them, whoever the primary is" {
    start_runtime main v1
    start_runtime other v1 --containers 3
    write_map "main, ids: prefixed" "other, ids: plain"
    start_node
    local id
    id=$(field '.items[0].id' "$(call ListPodSandbox)")
    [[ $id =~ ^[0-9a-f]{64}$ ]]
    call PodSandboxStatus "{\"podSandboxId\":\"$id\"}" >/dev/null
    run -5 call PodSandboxStatus '{"podSandboxId":"nothing"}'
    [ "$(asked main PodSandboxStatus) $(asked other PodSandboxStatus)" = "0 2" ]
    [[ $(run_pod "$(pod web)") =~ ^main__ ]]
    run -0 "$CRIGATE_BUILD/crigate" owner --control state/control.sock "$id"
    [[ $output =~ other ]]
    run -0 "$CRIGATE_BUILD/crigate" owner --control state/control.sock main__x
    [[ $output =~ main ]]
}

# ---- two that claim one id ----

@test "an id that two runtimes claim is refused and told of, and nothing else is disturbed" {
    # What they start with has the same ids.
    start_runtime main v1 --containers 3
    start_runtime other v1 --containers 3
    write_map main "other, ids: plain"
    start_node
    eventually 10 knows_all
    eventually 10 grep -q "runtime .*: 1 ids in its list of pods belong to others and are ignored, the first: runtime .* holds [0-9a-f]\{64\}" crigate.log
    local id container
    id=$(ask main v1 ListPodSandbox | jq -r '.items[0].id')
    container=$(ask main v1 ListContainers | jq -r '.containers[0].id')
    for method in StopPodSandbox RemovePodSandbox PodSandboxStatus; do
        run -9 call "$method" "{\"podSandboxId\":\"$id\"}"
        [[ $output =~ "FAILED_PRECONDITION: crigate: two runtimes claim $id; neither is asked" ]]
    done
    run -9 call StopContainer "{\"containerId\":\"$container\"}"
    [ "$(asked main StopPodSandbox) $(asked other StopPodSandbox)" = "0 0" ]
    # Others than those ids go on.
    pod_with_container on-main main
    goes_to main PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    pod_with_container on-other other
    goes_to other PodSandboxStatus "{\"podSandboxId\":\"$POD\"}"
    goes_to other StartContainer "{\"containerId\":\"$CONTAINER\"}"
    call Status >/dev/null
    # Nor does it fill the log.
    local lines
    lines=$(wc -l <crigate.log)
    for _ in 1 2 3 4 5; do
        call ListPodSandbox >/dev/null || true
        call ListContainers >/dev/null || true
    done
    [ "$(wc -l <crigate.log)" -le "$((lines + 2))" ]
    # What is left of it, once one of them has removed it, is good again.
    ask other v1 RemovePodSandbox "{\"podSandboxId\":\"$id\"}"
    crash other
    start_runtime other v1
    eventually 20 runtime_ready other 2
    eventually 10 goes_to main PodSandboxStatus "{\"podSandboxId\":\"$id\"}"
}

@test "lists that hold an id of two runtimes" {
    start_runtime main v1 --containers 3
    start_runtime other v1 --containers 6
    write_map main "other, ids: plain"
    start_node
    eventually 10 knows_all
    pod_with_container on-main main
    # Each id once, and those that only one has are all there.
    expect '[.items[].id] | length == (unique | length) and length == 3' "$(call ListPodSandbox)"
    expect '[.containers[].id] | length == (unique | length) and length == 7' "$(call ListContainers)"
}
