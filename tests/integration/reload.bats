#!/usr/bin/env bats
# A changed runtime map takes effect without a restart: what it means for runtimes, their pods, and calls under way.

load gateway

# reloads [COUNT]: whether the map was reloaded that many times by now.
reloads() {
    [ "$(grep -c "the runtime map was reloaded" crigate.log)" -ge "${1:-1}" ]
}

# change_map RUNTIME...: writes another map and waits until it is in force.
change_map() {
    local count
    count=$(grep -c "the runtime map was reloaded" crigate.log || true)
    write_map "$@"
    eventually 10 reloads $((count + 1))
}

# refused [COUNT]: whether the map was refused that many times by now.
refused() {
    [ "$(grep -c "the runtime map was not reloaded; the previous one stays in force" crigate.log)" -ge "${1:-1}" ]
}

# ---- what appears and changes ----

@test "a new runtime is used as soon as it is in the map" {
    start_runtime main v1
    start_runtime vm.local v1_9 --containers 3
    write_map main
    start_node
    [ "$(call ListContainers)" = "{}" ]
    change_map main vm.local
    eventually 10 runtime_ready vm.local
    expect '.containers | length == 3' "$(call ListContainers)"
    [[ $(run_pod "$(pod web "$(to vm.local)")") =~ ^vm.local__ ]]
    # Those that stay keep their connections.
    [ "$(grep -c "runtime main: ready" crigate.log)" = 1 ]
    [ "$(grep -c "runtime main: connection" crigate.log)" = 0 ]
}

# in_force NAME: whether the map in force has that runtime.
in_force() {
    "$CRIGATE_BUILD/crigate" status -o json --config crigate.yaml | jq -e --arg name "$1" 'any(.runtimes[]; .name == $name)'
}

@test "a map that changes while a process starts or takes over comes into force" {
    local delay next=0
    start_runtime main v1
    start_runtime late v1
    for delay in 0 0.005 0.015; do
        write_map main
        print_map main late >next.yaml
        start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
        sleep "$delay"
        mv next.yaml crigate.yaml
        eventually 15 in_force late
        write_map main
        eventually 15 eval '! in_force late'
        print_map main late >next.yaml
        next=$((next + 1))
        start "next$next" "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
        sleep "$delay"
        mv next.yaml crigate.yaml
        finish crigate
        eventually 15 in_force late
        stop "next$next"
    done
}

@test "SIGHUP does the same where files cannot be watched" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main
    start_node
    write_map main vm.local
    kill -HUP "${PIDS[crigate]}"
    eventually 10 runtime_ready vm.local
    run_pod "$(pod web "$(to vm.local)")"
}

@test "roles change: default, draining, primary" {
    start_runtime main v1 --name first
    start_runtime next v1 --name second
    write_map main "next, ids: plain"
    start_node
    run_pod "$(pod one)"
    [ "$(asked main RunPodSandbox) $(asked next RunPodSandbox)" = "1 0" ]
    change_map "main, new_pods: false" "next, ids: plain, default: true"
    run_pod "$(pod two)"
    [ "$(asked main RunPodSandbox) $(asked next RunPodSandbox)" = "1 1" ]
    run -9 run_pod "$(pod three "$(to main)")"
    expect '.runtimeName == "first"' "$(call Version)"
    expect '.items | length == 2' "$(call ListPodSandbox)"
    change_map "next" "main, ids: plain, new_pods: false"
    expect '.runtimeName == "second"' "$(call Version)"
    # Pods keep their ids and are where they were.
    expect '.items | length == 2 and all(.id | test("^[0-9a-f]{64}$"))' "$(call ListPodSandbox)"
    local id
    for id in $(call ListPodSandbox | jq -r '.items[].id'); do
        call StopPodSandbox "{\"podSandboxId\":\"$id\"}"
        call RemovePodSandbox "{\"podSandboxId\":\"$id\"}"
    done
    [ "$(call ListPodSandbox)" = "{}" ]
    # And empty, the old one can go.
    change_map next
    expect '.runtimeName == "second"' "$(call Version)"
}

@test "a runtime that comes with plain ids is known with what it holds already" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 3
    write_map main
    start_node
    local id
    id=$(ask vm.local v1 ListPodSandbox | jq -r '.items[0].id')
    change_map main "vm.local, ids: plain"
    eventually 10 runtime_ready vm.local 1
    expect ".items | length == 1 and .[0].id == \"$id\"" "$(call ListPodSandbox)"
    call PodSandboxStatus "{\"podSandboxId\":\"$id\"}" >/dev/null
    [ "$(asked main PodSandboxStatus) $(asked vm.local PodSandboxStatus)" = "0 1" ]
}

@test "ids of pods do not change under a kubelet that manages them" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    local id
    id=$(field '.items[0].id' "$(call ListPodSandbox)")
    write_map main "vm.local, ids: plain"
    eventually 10 grep -q "the ids of runtime vm.local would change under the 1 pods that it owns; set ids: prefixed for it" crigate.log
    expect ".items | length == 1 and .[0].id == \"$id\"" "$(call ListPodSandbox)"
}

@test "a runtime that moves to another socket is a different one" {
    start_runtime main v1
    start_runtime vm.local v1
    start_runtime vm2 v1 --containers 3
    write_map main vm.local
    start_node
    sed "s|$PWD/vm.local.sock|$PWD/vm2.sock|" crigate.yaml >crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 1
    eventually 10 runtime_ready vm.local 2
    expect '.containers | length == 3' "$(call ListContainers)"
}

# knows_or_fails ID...: whether the list of pods has all of them, or fails.
knows_or_fails() {
    local answer id
    answer=$(call ListPodSandbox) || return 0
    for id in "$@"; do
        grep -q "$id" <<<"$answer" || {
            echo "a list without $id: $answer"
            return 1
        }
    done
}

@test "lists that are kept only from now on are no short lists" {
    local one two
    start_runtime main v1
    start_runtime vm.local v1 --state vm.state
    write_map main "vm.local, when_away: fail"
    start_node
    one=$(run_pod "$(pod one "$(to vm.local)")")
    call ListPodSandbox >/dev/null
    kill -STOP "${PIDS[vm.local]}"
    change_map main vm.local
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    knows_or_fails "$one"
    start_runtime vm.local v1 --state vm.state
    eventually 20 runtime_ready vm.local 2
    eventually 10 eval 'call ListPodSandbox | grep -q "$one"'
    # Kept, not kept, and kept again: what was made in between is not forgotten.
    change_map main "vm.local, when_away: fail"
    two=$(run_pod "$(pod two "$(to vm.local)")")
    kill -STOP "${PIDS[vm.local]}"
    change_map main vm.local
    crash vm.local
    eventually 10 eval '[ "$(grep -c "runtime vm.local: connection to .* lost" crigate.log)" = 2 ]'
    knows_or_fails "$one" "$two"
    # Nor by another process.
    stop crigate
    rm crigate.log
    start_crigate
    eventually 10 runtime_ready main
    knows_or_fails "$one" "$two"
}

# ---- what goes ----

@test "a runtime that still owns pods is not taken away, and told with their number; force takes it" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    run_pod "$(pod one "$(to vm.local)")"
    run_pod "$(pod two "$(to vm.local)")"
    write_map main
    eventually 10 refused 1
    grep -q "runtime vm.local would be removed, but still owns 2 pods; remove them first, or set {name: vm.local, force: true}" crigate.log
    expect '.items | length == 2' "$(call ListPodSandbox)"
    run_pod "$(pod three "$(to vm.local)")"
    # Renaming it is the same.
    start_runtime kvm.local v1
    write_map main kvm.local
    eventually 10 refused 2
    grep -q "runtime vm.local would be removed, but still owns 3 pods" crigate.log
    eventually 10 test -s state/vm.local.lists
    print_map main >crigate.new
    echo '  - {name: vm.local, force: true}' >>crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 1
    [ "$(call ListPodSandbox)" = "{}" ]
    [ ! -e state/vm.local.lists ]
    run -3 run_pod "$(pod four "$(to vm.local)")"
    [[ $output =~ "names runtime \"vm.local\", which is not in the runtime map; it has main" ]]
}

@test "a map that was refused because of pods is tried again by itself, quietly, and status says so" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    local one two lines
    one=$(run_pod "$(pod one "$(to vm.local)")")
    two=$(run_pod "$(pod two "$(to vm.local)")")
    write_map main
    eventually 10 refused 1
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output =~ "runtime vm.local would be removed, but still owns 2 pods" ]]
    [[ $output =~ "crigate tries this map again every 5 s until it can be applied" ]]
    lines=$(wc -l <crigate.log)
    call RemovePodSandbox "{\"podSandboxId\":\"$one\"}"
    eventually 10 eval '"$CRIGATE_BUILD/crigate" status --config crigate.yaml | grep -q "still owns 1 pods"'
    [ "$(wc -l <crigate.log)" = "$lines" ]
    call RemovePodSandbox "{\"podSandboxId\":\"$two\"}"
    eventually 10 reloads 1
    run -0 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ ! $output =~ "tried again" ]]
    [ "$(grep -c "the runtime map was not reloaded" crigate.log)" = 1 ]
    [ "$(grep -c "the runtime map was reloaded" crigate.log)" = 1 ]
}

@test "a map with an error is not said to be tried again" {
    start_runtime main v1
    write_map main
    start_node
    echo 'nonsense: 1' >>crigate.yaml
    eventually 10 refused 1
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml --control state/control.sock
    [[ $output =~ "nonsense" ]]
    [[ ! $output =~ "tried again" ]]
}

@test "a runtime that is away still owns its pods" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    run_pod "$(pod one "$(to vm.local)")"
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    write_map main
    eventually 10 refused 1
    grep -q "runtime vm.local would be removed, but still owns 1 pods" crigate.log
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

@test "a runtime whose pods are not kept for lists owns them, too" {
    start_runtime main v1
    start_runtime vm.local v1
    write_map main "vm.local, when_away: fail"
    start_node
    run_pod "$(pod one "$(to vm.local)")"
    call ListPodSandbox >/dev/null
    write_map main
    eventually 10 refused 1
    grep -q "runtime vm.local would be removed, but still owns 1 pods" crigate.log
}

@test "a primary that still owns pods is not taken away" {
    start_runtime main v1
    start_runtime next v1
    write_map main next
    start_node
    run_pod "$(pod one)"
    call ListPodSandbox >/dev/null
    write_map next
    eventually 10 refused 1
    grep -q "runtime main would be removed, but still owns 1 pods" crigate.log
}

@test "an empty runtime goes, and its last calls end" {
    start_runtime main v1
    start_runtime vm.local v1 --hold PodSandboxStatus=go
    write_map main vm.local
    start_node
    start_call running PodSandboxStatus '{"podSandboxId":"vm.local__x"}'
    eventually 15 calls_show '.calls[0].state == "asking"'
    change_map main
    run -5 "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" PodSandboxStatus '{"podSandboxId":"vm.local__x"}'
    [ "$(asked main PodSandboxStatus)" = 1 ]
    run ! ended running
    touch go
    finish running 5
    expect '.request.podSandboxId == "x" and .code == "NOT_FOUND"' "$(arrived vm.local PodSandboxStatus)"
}

# ---- mistakes ----

@test "a bad map keeps the last good one, and says file, line and column" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    cp crigate.yaml good.yaml
    { cat good.yaml && echo '  - {name: kata.local, endpont: /run/kata.sock}'; } >crigate.new
    mv crigate.new crigate.yaml
    eventually 10 refused 1
    grep -q 'crigate.yaml:[0-9]*:[0-9]*: .*"endpont"' crigate.log # quoted as it is, without a backslash
    expect '.containers | length == 3' "$(call ListContainers)"
    # Truncated while it is written, gone, a folder, and garbage.
    head -c 60 good.yaml >crigate.new
    mv crigate.new crigate.yaml
    eventually 10 refused 2
    rm crigate.yaml
    kill -HUP "${PIDS[crigate]}"
    eventually 10 refused 3
    head -c 5000 /dev/urandom >crigate.yaml
    eventually 10 refused 4
    expect '.containers | length == 3' "$(call ListContainers)"
    [ "$(grep -c "the runtime map was reloaded" crigate.log)" = 0 ]
    mv good.yaml crigate.yaml
    eventually 10 reloads 1
    expect '.containers | length == 3' "$(call ListContainers)"
}

# ---- calls under way ----

@test "a message size that waits for a restart is told of" {
    start_runtime main v1
    write_map main
    start_node
    sed 's/^limits: .*/limits: {startup_grace: 10s, message_size: 1MiB}/' crigate.yaml >crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 1
    grep -q "limits.message_size: 1048576 bytes apply to the runtimes that this reload adds; callers and the other runtimes keep" crigate.log
    sed 's/^routing: .*//' crigate.yaml >crigate.new
    echo 'routing: {annotation: example.org/a}' >>crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 2
    [ "$(grep -c "limits.message_size" crigate.log)" = 1 ]
}

@test "calls under way finish under the map that they began with" {
    start_runtime main v1
    start_runtime vm.local v1 --hold RunPodSandbox=go --hold ListPodSandbox=go
    write_map main "vm.local, handlers: [kvm], budget: 1m"
    touch go
    start_node
    eventually 15 eval '[ "$(asked vm.local ListPodSandbox)" -ge 1 ]'
    rm go
    start_call pod RunPodSandbox "{\"config\":$(pod web "$(to vm.local)")}"
    start_call list ListPodSandbox
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    change_map main "vm.local, new_pods: false, budget: 30s"
    run ! ended pod
    run ! ended list
    touch go
    finish pod
    finish list
    expect '.podSandboxId | startswith("vm.local__")' "$(cat pod.log)"
    run -9 run_pod "$(pod other "$(to vm.local)")"
}

@test "a call lives through several maps, until its runtime is out of them" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    local id
    id=$(field '[.containers[].id | select(startswith("vm.local__"))][0]' "$(call ListContainers)")
    start_call long ExecSync "{\"containerId\":\"$id\",\"cmd\":[\"sleep\",\"3\"]}"
    start_call lost ExecSync "{\"containerId\":\"$id\",\"cmd\":[\"sleep\",\"30\"]}"
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    change_map main "vm.local, budget: 3s"
    change_map main "vm.local, budget: 4s"
    print_map main >crigate.new
    echo '  - {name: vm.local, force: true}' >>crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 3
    change_map main
    finish long
    expect '(.exitCode // 0) == 0' "$(cat long.log)"
    # A call that fails now has to say so with the runtime's name.
    crash vm.local
    finish lost 14
    grep -q "UNAVAILABLE: crigate: the connection to runtime vm.local at .* was lost during the call" lost.log
    call Version >/dev/null
}

@test "what a runtime still tells after a reload took its place disputes nothing" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 6 --hold ListPodSandbox=go --hold ListContainers=go
    write_map main "vm.local, ids: plain, budget: 1m"
    touch go
    start_node
    eventually 10 runtime_ready vm.local
    expect '.containers | length == 6' "$(call ListContainers)"
    ln -s vm.local.sock moved.sock
    rm go
    start_call pods ListPodSandbox
    start_call containers ListContainers
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    print_map main "vm.local, ids: plain, budget: 1m" >crigate.new
    sed -i 's,/vm.local.sock,/moved.sock,' crigate.new
    mv crigate.new crigate.yaml
    eventually 10 reloads 1
    touch go
    finish pods
    finish containers
    expect '.containers | length == 6' "$(cat containers.log)"
    eventually 10 runtime_ready vm.local
    for _ in 1 2 3; do
        expect '.containers | length == 6' "$(call ListContainers)"
        expect '.items | length == 2' "$(call ListPodSandbox)"
    done
    local id
    id=$(field '.containers[0].id' "$(call ListContainers)")
    call ContainerStatus "{\"containerId\":\"$id\"}" >/dev/null
}

# search_during_reload [SIGNAL]: a search for a container of `next` begins under a map without that runtime, and ends, when vm.local answers, under
# one with it. The signal is for `next`, before the reload. Sets id.
search_during_reload() {
    start_runtime main v1
    start_runtime vm.local v1
    start_runtime next v1 --containers 3
    write_map main "vm.local, ids: plain, budget: 1m"
    start_node
    kill -STOP "${PIDS[vm.local]}"
    id=$(field '.containers[0].id' "$("$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/next.sock" ListContainers)")
    start_call searched ContainerStatus "{\"containerId\":\"$id\"}"
    eventually 10 eval '"$CRIGATE_BUILD/crigate" calls -o json --config crigate.yaml | jq -e ".calls[0].state == \"finding the owner\""'
    [ $# = 0 ] || kill "$1" "${PIDS[next]}"
    change_map main "vm.local, ids: plain, budget: 1m" "next, ids: plain"
    kill -CONT "${PIDS[vm.local]}"
    finish searched 14
    grep -q "the runtime map was reloaded during the search" searched.log
}

@test "a search under the map before ends when a reload brings the runtime that holds the id" {
    local id
    search_during_reload
    call ContainerStatus "{\"containerId\":\"$id\"}" >/dev/null
}

@test "nothing is not found by a search under the map before: the runtime that a reload brings may not have told its ids yet" {
    local id
    search_during_reload -STOP
    kill -CONT "${PIDS[next]}"
    eventually 10 runtime_ready next
    call ContainerStatus "{\"containerId\":\"$id\"}" >/dev/null
}

@test "a runtime goes while it is being asked what it holds, and while it hangs" {
    start_runtime main v1
    start_runtime slow.local v1 --hang ListPodSandbox
    start_runtime vm.local v1
    write_map main slow.local "vm.local, budget: 300ms"
    start_node
    kill -STOP "${PIDS[vm.local]}"
    call ListContainers >/dev/null || true
    grep -q "runtime vm.local: has not answered" crigate.log
    change_map main
    kill -CONT "${PIDS[vm.local]}"
    [ "$(call ListContainers)" = "{}" ]
    change_map main slow.local vm.local
    eventually 10 runtime_ready vm.local 2
    run_pod "$(pod web "$(to vm.local)")"
}

@test "calls from all sides while the map changes all the time" {
    start_runtime main v1 --containers 6
    start_runtime vm.local v1alpha2 --containers 6
    write_map main vm.local
    start_node
    local n
    call ListContainers >/dev/null
    (
        for n in {1..60}; do
            call ListContainers | jq -e '.containers | length == 12' >/dev/null || echo "list $n is short or failed"
        done
    ) >lists.log 2>&1 &
    local lists=$!
    for n in {1..20}; do
        write_map main "vm.local, budget: ${n}s, handlers: [h$n]"
        "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    done
    wait "$lists"
    [ ! -s lists.log ]
    reloads 20
}
