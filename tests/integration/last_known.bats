#!/usr/bin/env bats
# A runtime that is away is told of as it was last seen; what is not known is no answer.

load gateway

# A primary, and a runtime of another time with pods of several kinds.
node_with_pods() {
    start_runtime main v1 --containers 3
    start_vm --state vm.state
    write_map main "vm.local${1:-}"
    start_node
    eventually 10 eval '[ "$(asked vm.local ListContainers)" -ge 1 ]'
    fill_vm
}

start_vm() {
    start_runtime vm.local "${VM_API:-v1alpha2}" "$@"
}

# fill_vm: a pod that runs, one that has ended, and containers of theirs: created, running, exited.
fill_vm() {
    local config
    config=$(pod web "$(to vm.local) | .labels = {app: \"shop\", tier: \"front\"}")
    WEB=$(run_pod "$config")
    pull vm.local/app:1 >/dev/null
    CREATED=$(create_container "$WEB" "$config" vm.local/app:1 '.metadata.name = "created" | .labels = {app: "shop"}')
    RUNNING=$(create_container "$WEB" "$config" vm.local/app:1 '.metadata.name = "running" | .labels = {app: "db"}')
    call StartContainer "{\"containerId\":\"$RUNNING\"}"
    config=$(pod ended "$(to vm.local) | .labels = {app: \"ended\"}")
    ENDED=$(run_pod "$config")
    EXITED=$(create_container "$ENDED" "$config" vm.local/app:1)
    call StartContainer "{\"containerId\":\"$EXITED\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$ENDED\"}"
}

lose_vm() {
    crash vm.local
    eventually 10 lost vm.local
}

lost() {
    [ "$(grep -c "runtime $1: connection to .* lost" crigate.log)" -ge "${2:-1}" ]
}

# in_order JSON: with items in an order of their own.
in_order() {
    jq '(.items, .containers) |= (. // [] | sort_by(.id))' <<<"$1"
}

# ids_of JSON: the ids of what it lists.
ids_of() {
    jq -r '(.items // .containers // [])[].id' <<<"$1" | sort
}

# lines WORD...: one a line, in order.
lines() {
    printf '%s\n' "$@" | sort
}

# ---- what was seen ----

@test "lists are the same before and after a runtime was killed, for callers of any time" {
    local api method answer
    local -A before
    node_with_pods
    for api in v1 v1alpha2 v1_9; do
        for method in ListPodSandbox ListContainers; do
            before[$api-$method]=$(API=$api call "$method")
        done
    done
    expect '.items | length == 3' "${before[v1-ListPodSandbox]}"
    expect '.containers | length == 6' "${before[v1-ListContainers]}"
    lose_vm
    for api in v1 v1alpha2 v1_9; do
        for method in ListPodSandbox ListContainers; do
            answer=$(API=$api call "$method")
            [ "$(in_order "$answer")" = "$(in_order "${before[$api-$method]}")" ] || {
                diff <(in_order "${before[$api-$method]}") <(in_order "$answer")
                false
            }
        done
    done
    # It is told once.
    [ "$(grep -c "runtime vm.local: unavailable; serving its last-known state (first affected call: " crigate.log)" = 1 ]
}

@test "a runtime of 1.9's time is told of to newer callers" {
    local before
    VM_API=v1_9 node_with_pods
    before=$(call ListContainers)
    lose_vm
    [ "$(in_order "$(call ListContainers)")" = "$(in_order "$before")" ]
}

@test "filters choose from what was last seen as the runtime would" {
    local json n=0
    node_with_pods
    call ListPodSandbox >/dev/null
    call ListContainers >/dev/null
    local filters=(
        "ListPodSandbox {\"labelSelector\":{\"app\":\"shop\"}}"
        "ListPodSandbox {\"labelSelector\":{\"app\":\"shop\",\"tier\":\"back\"}}"
        "ListPodSandbox {\"state\":{\"state\":\"SANDBOX_NOTREADY\"}}"
        "ListPodSandbox {\"state\":{\"state\":\"SANDBOX_READY\"}}"
        "ListPodSandbox {\"id\":\"$WEB\"}"
        "ListPodSandbox {\"id\":\"${WEB:0:20}\"}"
        "ListPodSandbox {\"id\":\"vm.local__nothing\"}"
        "ListContainers {\"labelSelector\":{\"app\":\"shop\"}}"
        "ListContainers {\"state\":{\"state\":\"CONTAINER_RUNNING\"}}"
        "ListContainers {\"state\":{\"state\":\"CONTAINER_CREATED\"}}"
        "ListContainers {\"state\":{\"state\":\"CONTAINER_EXITED\"}}"
        "ListContainers {\"id\":\"$RUNNING\"}"
        "ListContainers {\"podSandboxId\":\"$WEB\"}"
        "ListContainers {\"podSandboxId\":\"$WEB\",\"state\":{\"state\":\"CONTAINER_RUNNING\"}}"
        "ListContainers {\"id\":\"$RUNNING\",\"podSandboxId\":\"$ENDED\"}"
    )
    local -a before
    for json in "${filters[@]}"; do
        before+=("$(ids_of "$(call "${json%% *}" "{\"filter\":${json#* }}")")")
    done
    [ "${before[0]}" = "$WEB" ]
    [ "${before[2]}" = "$ENDED" ]
    [ "${before[12]}" = "$(lines "$CREATED" "$RUNNING")" ]
    lose_vm
    for json in "${filters[@]}"; do
        local after
        after=$(ids_of "$(call "${json%% *}" "{\"filter\":${json#* }}")")
        [ "$after" = "${before[$n]}" ] || {
            echo "$json: before: ${before[$n]} after: $after"
            return 1
        }
        n=$((n + 1))
    done
}

@test "statuses that were seen are told again, others are unavailable" {
    local api before container
    local -A seen
    node_with_pods
    call ListPodSandbox >/dev/null
    call ListContainers >/dev/null
    for api in v1 v1alpha2 v1_9; do
        seen[$api-pod]=$(API=$api call PodSandboxStatus "{\"podSandboxId\":\"$WEB\"}")
        seen[$api-container]=$(API=$api call ContainerStatus "{\"containerId\":\"$RUNNING\"}")
    done
    lose_vm
    for api in v1 v1alpha2 v1_9; do
        [ "$(API=$api call PodSandboxStatus "{\"podSandboxId\":\"$WEB\"}" | jq 'del(.timestamp)')" = \
            "$(jq 'del(.timestamp)' <<<"${seen[$api-pod]}")" ]
        # The image's id is what crigate adds to a live answer by asking further.
        [ "$(API=$api call ContainerStatus "{\"containerId\":\"$RUNNING\"}" | jq 'del(.status.imageId)')" = \
            "$(jq 'del(.status.imageId)' <<<"${seen[$api-container]}")" ]
    done
    run -14 call PodSandboxStatus "{\"podSandboxId\":\"$ENDED\"}"
    [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has been unavailable" ]]
    run -14 call ContainerStatus "{\"containerId\":\"$EXITED\"}"
    run -14 call PodSandboxStatus '{"podSandboxId":"vm.local__nothing"}'
}

@test "stats leave the runtime out, and changing calls are unavailable" {
    node_with_pods
    lose_vm
    expect '[.stats[].attributes.id | startswith("vm.local__")] | length == 3 and (any | not)' "$(call ListContainerStats)"
    expect '.stats | length == 1' "$(call ListPodSandboxStats)"
    run -14 call ContainerStats "{\"containerId\":\"$RUNNING\"}"
    run -14 call PodSandboxStats "{\"podSandboxId\":\"$WEB\"}"
    local method
    for method in StopPodSandbox RemovePodSandbox PortForward; do
        run -14 call "$method" "{\"podSandboxId\":\"$WEB\"}"
        [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has been unavailable for "[0-9]+" s: " ]]
    done
    for method in StartContainer StopContainer RemoveContainer UpdateContainerResources ReopenContainerLog ExecSync Exec Attach; do
        run -14 call "$method" "{\"containerId\":\"$RUNNING\"}"
    done
    run -14 run_pod "$(pod new "$(to vm.local)")"
    run -14 create_container "$WEB" "$(pod web)" vm.local/app:1
    run -14 pull vm.local/app:2
    [ "$(asked main StopPodSandbox) $(asked main RunPodSandbox) $(asked main PullImage)" = "0 0 0" ]
}

@test "a filter for images or statistics of a runtime that is away finds nothing, as the list without it has nothing of it" {
    node_with_pods
    local filter='{"filter":{"image":{"image":"vm.local/app:1"}}}'
    expect '.images | length == 1' "$(call ListImages "$filter")"
    lose_vm
    [ "$(call ListImages "$filter")" = "{}" ]
    [ "$(API=v1alpha2 call ListImages "$filter")" = "{}" ]
    [ "$(call StreamImages "$filter")" = "" ]
    [ "$(call ListContainerStats "{\"filter\":{\"id\":\"$RUNNING\"}}")" = "{}" ]
    [ "$(grep -c "runtime vm.local: unavailable; omitted" crigate.log)" = 1 ]
    # What a runtime says itself is the answer, also when it is an error.
    start_runtime vm.local v1 --state vm.state --fail ListImages=INTERNAL
    eventually 20 runtime_ready vm.local 2
    run -13 call ListImages "$filter"
    # And the primary is never left out.
    crash main
    eventually 10 lost main
    run -14 call ListImages '{"filter":{"image":{"image":"app:1"}}}'
}

@test "what was made right before is in the list, what was removed is not" {
    local config pod container
    node_with_pods
    call ListPodSandbox >/dev/null
    call ListContainers >/dev/null
    config=$(pod late "$(to vm.local) | .labels = {app: \"late\"}")
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" vm.local/app:1 '.labels = {app: "late"} | .annotations = {note: "x"}')
    call RemoveContainer "{\"containerId\":\"$CREATED\"}"
    call RemovePodSandbox "{\"podSandboxId\":\"$ENDED\"}"
    lose_vm
    local pods containers
    pods=$(call ListPodSandbox)
    containers=$(call ListContainers)
    [ "$(ids_of "$pods" | grep vm.local)" = "$(lines "$WEB" "$pod")" ]
    [ "$(ids_of "$containers" | grep vm.local)" = "$(lines "$RUNNING" "$container")" ]
    expect ".items[] | select(.id == \"$pod\") | .metadata.name == \"late\" and .labels.app == \"late\" and .state == \"SANDBOX_READY\"
        and .metadata.uid == \"uid-late\"" "$(jq '.items |= map(.state //= "SANDBOX_READY")' <<<"$pods")"
    expect ".containers[] | select(.id == \"$container\") | .podSandboxId == \"$pod\" and .labels.app == \"late\" and
        .annotations.note == \"x\" and (.state // \"CONTAINER_CREATED\") == \"CONTAINER_CREATED\"" "$containers"
}

@test "a runtime that comes back is asked again" {
    node_with_pods
    local before
    before=$(call ListContainers)
    lose_vm
    call ListContainers >/dev/null
    start_vm --state vm.state
    eventually 20 runtime_ready vm.local 2
    ask vm.local v1alpha2 RemovePodSandbox "{\"podSandboxId\":\"${WEB#vm.local__}\"}"
    [ "$(ids_of "$(call ListContainers)" | grep vm.local)" = "$EXITED" ]
    [ "$(ids_of "$(call ListPodSandbox)" | grep vm.local)" = "$ENDED" ]
    # And what was seen then is what is told now.
    crash vm.local
    eventually 10 lost vm.local 2
    [ "$(ids_of "$(call ListContainers)" | grep vm.local)" = "$EXITED" ]
    [ "$(ids_of "$(call ListPodSandbox)" | grep vm.local)" = "$ENDED" ]
}

# ---- over a restart of the gateway ----

# restart_gateway: kills the gateway while vm.local is away, and starts it again.
restart_gateway() {
    crash crigate
    mv crigate.log crigate-before.log
    start_crigate
    eventually 10 runtime_ready main
}

# saved: waits until what was last seen is on disk, where it is a fifth of a second after the last change.
saved() {
    eventually 10 grep -qF -- "${WEB#vm.local__}" state/vm.local.lists
    eventually 10 eval '[ $(($(date +%s%N) - $(date -r state/vm.local.lists +%s%N))) -gt 1000000000 ]'
}

@test "what was last seen survives kill -9 of the gateway" {
    node_with_pods
    local pods containers status
    pods=$(call ListPodSandbox)
    containers=$(call ListContainers)
    status=$(call ContainerStatus "{\"containerId\":\"$RUNNING\"}")
    saved
    lose_vm
    restart_gateway
    [ "$(in_order "$(call ListPodSandbox)")" = "$(in_order "$pods")" ]
    [ "$(in_order "$(call ListContainers)")" = "$(in_order "$containers")" ]
    [ "$(API=v1_9 call ListContainers | ids_of "$(cat)")" = "$(ids_of "$containers")" ]
    run -14 call StopPodSandbox "{\"podSandboxId\":\"$WEB\"}"
    [ "$(stat -c %a state/vm.local.lists)" = 600 ]
    # And once more.
    restart_gateway
    [ "$(in_order "$(call ListPodSandbox)")" = "$(in_order "$pods")" ]
}

@test "what was last seen survives a restart of the gateway that is asked for" {
    node_with_pods
    local containers
    containers=$(call ListContainers)
    lose_vm
    stop crigate
    rm crigate.log
    start_crigate
    eventually 10 runtime_ready main
    [ "$(in_order "$(call ListContainers)")" = "$(in_order "$containers")" ]
}

@test "a pod made just before both were killed is in the list, or the list fails" {
    node_with_pods
    local round id answer
    for round in 1 2 3 4 5; do
        id=$(run_pod "$(pod "round-$round" "$(to vm.local)")")
        sleep "0.$((round - 1))"
        crash crigate
        crash vm.local
        rm crigate.log
        start_crigate
        eventually 10 runtime_ready main
        if answer=$(call ListPodSandbox); then
            grep -q "$id" <<<"$answer" || {
                echo "round $round: the list lacks the newest pod"
                return 1
            }
        fi
        start_vm --state vm.state
        eventually 20 runtime_ready vm.local
        eventually 10 eval 'call ListPodSandbox | grep -q "$id"'
    done
}

# refuses_file NAME: the gateway does not believe the file of vm.local, says so once, and lists fail until the runtime is back.
refuses_file() {
    restart_gateway
    [ "$(grep -c "runtime vm.local: ignoring its saved state: " crigate.log)" = 1 ] || {
        echo "$1: not told once"
        return 1
    }
    local method
    for method in ListPodSandbox ListContainers; do
        run -14 call "$method"
        [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has been " ]]
    done
    run -14 call PodSandboxStatus "{\"podSandboxId\":\"$WEB\"}"
    expect '.status.conditions | length > 0' "$(call Status)"
}

@test "a state file that is damaged or of another version is refused, and the list fails rather than being short" {
    node_with_pods
    local pods size
    pods=$(call ListPodSandbox)
    saved
    lose_vm
    cp state/vm.local.lists good
    size=$(stat -c %s good)
    for cut in 0 5 20 $((size / 2)) $((size - 1)); do
        head -c "$cut" good >state/vm.local.lists
        refuses_file "cut to $cut"
    done
    head -c "$size" /dev/urandom >state/vm.local.lists
    refuses_file garbage
    { head -c 8 good && printf '\002' && tail -c +10 good; } >state/vm.local.lists
    refuses_file "another version"
    { cat good && echo more; } >state/vm.local.lists
    refuses_file "something behind"
    { head -c $((size / 2)) good && printf '\377' && tail -c +$((size / 2 + 2)) good; } >state/vm.local.lists
    refuses_file "a byte changed"
    truncate -s 200M state/vm.local.lists
    refuses_file "far too big"
    cp good state/vm.local.lists
    restart_gateway
    [ "$(in_order "$(call ListPodSandbox)")" = "$(in_order "$pods")" ]
    # When the runtime is back, all is well, and the file good again.
    echo garbage >state/vm.local.lists
    restart_gateway
    start_vm --state vm.state
    eventually 20 runtime_ready vm.local
    eventually 10 call ListPodSandbox
    [ "$(in_order "$(call ListPodSandbox)")" = "$(in_order "$pods")" ]
    saved
    lose_vm
    restart_gateway
    [ "$(in_order "$(call ListPodSandbox)")" = "$(in_order "$pods")" ]
}

@test "a state folder that cannot be written is told of, and nothing fails for it" {
    start_runtime main v1 --containers 3
    start_vm --containers 3
    write_map main vm.local
    sed -i 's|^state: .*|state: /proc/crigate|' crigate.yaml
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
    if ! eventually 5 serves; then
        # Refusing to start is an answer, too, when it is said.
        grep -q "/proc/crigate" crigate.log
        wait "${PIDS[crigate]}" || true
        unset "PIDS[crigate]"
        return
    fi
    eventually 10 runtime_ready vm.local
    expect '.containers | length == 6' "$(call ListContainers)"
    run_pod "$(pod web "$(to vm.local)")"
    lose_vm
    expect '.containers | length == 6' "$(call ListContainers)"
}

# ---- other words for it ----

@test "when_away: fail makes lists fail while the runtime is away" {
    node_with_pods ", when_away: fail"
    call ListPodSandbox >/dev/null
    lose_vm
    for method in ListPodSandbox ListContainers; do
        run -14 call "$method"
        [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has been unavailable" ]]
    done
    run -14 call PodSandboxStatus "{\"podSandboxId\":\"$WEB\"}"
    # Stats are left out all the same, and what is not its own is not touched.
    expect '.stats | length == 3' "$(call ListContainerStats)"
    call PodSandboxStatus "{\"podSandboxId\":\"$(ask main v1 ListPodSandbox | jq -r '.items[0].id')\"}" >/dev/null
    [ -e state/vm.local.lists ] && [ ! -s state/vm.local.lists ] # nothing of it is kept
}

# restart_with MORE_KEYS: another gateway, which has vm.local in its map so.
restart_with() {
    stop crigate
    rm crigate.log
    write_map main "vm.local$1"
    start_crigate
    eventually 10 runtime_ready main
}

@test "when_away that changed across restarts makes no short lists" {
    start_runtime main v1
    start_vm --state vm.state
    # Kept, not kept, and kept again.
    write_map main vm.local
    start_node
    run_pod "$(pod one "$(to vm.local)")"
    restart_with ", when_away: fail"
    eventually 10 runtime_ready vm.local
    run_pod "$(pod two "$(to vm.local)")"
    crash vm.local
    restart_with ""
    run -14 call ListPodSandbox
    grep -q "runtime vm.local: ignoring its saved state: the file is empty" crigate.log
    start_vm --state vm.state
    eventually 20 runtime_ready vm.local
    eventually 10 eval 'call ListPodSandbox | jq -e ".items | length == 2"'
    # Never kept until now.
    stop crigate
    rm -r state crigate.log
    write_map main "vm.local, when_away: omit"
    start_node
    crash vm.local
    restart_with ""
    run -14 call ListPodSandbox
}

@test "a runtime that was met is not taken for one that was never seen, however soon both are killed" {
    start_runtime main v1
    start_vm --containers 3 --fail ListPodSandbox=UNKNOWN --fail ListContainers=UNKNOWN
    write_map main vm.local
    start_node
    eventually 10 grep -q "runtime vm.local: cannot list what it holds: ListContainers" crigate.log
    crash crigate
    crash vm.local
    rm crigate.log
    start_crigate
    eventually 10 runtime_ready main
    run -14 call ListPodSandbox
}

@test "when_away: omit leaves the runtime out of lists while it is away" {
    node_with_pods ", when_away: omit"
    expect '.items | length == 3' "$(call ListPodSandbox)"
    lose_vm
    expect '.items | length == 1' "$(call ListPodSandbox)"
    expect '.containers | length == 3' "$(call ListContainers)"
    [ "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"$WEB\"}}")" = "{}" ]
    run -14 call PodSandboxStatus "{\"podSandboxId\":\"$WEB\"}"
    [ "$(grep -c "runtime vm.local: unavailable; omitted" crigate.log)" = 1 ]
}

@test "when_away: last-known for the primary keeps lists while it is away" {
    start_runtime main v1 --containers 3
    write_map "main, when_away: last-known"
    start_node
    local containers
    containers=$(call ListContainers)
    crash main
    eventually 10 lost main
    [ "$(in_order "$(call ListContainers)")" = "$(in_order "$containers")" ]
    run -14 call Status
    run -14 call RunPodSandbox "{\"config\":$(pod web)}"
}

@test "a runtime that has told of its pods, but never of its containers, is not left out of lists of containers" {
    start_runtime main v1 --containers 3
    start_vm --containers 3 --fail ListContainers=UNKNOWN
    write_map main vm.local
    start_node
    eventually 10 grep -q "runtime vm.local: cannot list what it holds: ListContainers" crigate.log
    run -2 call ListContainers
    expect '.items | length == 2' "$(call ListPodSandbox)"
    lose_vm
    expect '.items | length == 2' "$(call ListPodSandbox)"
    run -14 call ListContainers
    [[ $output =~ "UNAVAILABLE: crigate: runtime vm.local has been unavailable" ]]
}

@test "a runtime that was never seen holds nothing" {
    start_runtime main v1 --containers 3
    write_map main gone.local
    start_crigate
    eventually 10 runtime_ready main
    expect '.containers | length == 3' "$(call ListContainers)"
    expect '.items | length == 1' "$(call ListPodSandbox)"
    run -14 call PodSandboxStatus '{"podSandboxId":"gone.local__x"}'
}
