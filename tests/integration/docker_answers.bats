#!/usr/bin/env bats
# What callers get of Docker beyond what cri-dockerd and dockershim answer, by a simulated runtime that reports their name; and equal
# scrapes, which any runtime may have.

load gateway
load plugins

REFUSAL="docker does not support reopening container log files"

# docker API [OPTION...]: a node whose only runtime reports what cri-dockerd (v1) and dockershim (the others) do.
docker() {
    start_runtime main "$1" --name docker "${@:2}"
    write_map "main, api: $1"
    start_node
}

# scrape METHOD JSON GROUP...: calls at once; how each of them ended is in `scraped`.
scrape() {
    "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" "$@" >scraped
}

# held_scrape COUNT METHOD JSON GROUP...: the same, of a runtime that holds that method until there is the file `go`: there is none before so
# many calls are under way.
held_scrape() {
    rm -f go scrapes.log
    start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" "${@:2}"
    eventually 15 calls_show ".total == $1"
    touch go
    finish scrapes
    cp scrapes.log scraped
}

# ended_as PATTERN COUNT: fails, and shows them, unless that many calls ended like that.
ended_as() {
    [ "$(grep -cE "^$1" scraped)" = "$2" ] || {
        sort scraped | uniq -c
        return 1
    } >&2
}

# answers: how many different lengths the answers have.
answers() {
    grep " OK " scraped | cut -d ' ' -f 3 | sort -u | wc -l
}

# ---- ReopenContainerLog ----

@test "a log that Docker does not reopen: the refusal says what to set" {
    local api id
    for api in v1_12 v1; do
        docker "$api" --containers 1 --fail ReopenContainerLog=UNKNOWN --fail-text "$REFUSAL"
        id=$(field '.containers[0].id' "$(call ListContainers)")
        run -2 call ReopenContainerLog "{\"containerId\": \"$id\"}"
        [[ $output =~ "UNKNOWN: crigate: runtime main: $REFUSAL: Docker itself rotates them: set max-size and max-file" ]]
        [[ $output =~ "/etc/docker/daemon.json" ]]
        [ "$(asked main ReopenContainerLog)" = 1 ]
        stop crigate
        stop main
        rm -rf crigate.sock main.sock main.journal crigate.log state
    done
}

@test "any other failure of it passes, and so does that of any other runtime" {
    docker v1 --containers 1 --fail ReopenContainerLog=UNKNOWN
    local id
    id=$(field '.containers[0].id' "$(call ListContainers)")
    run -2 call ReopenContainerLog "{\"containerId\": \"$id\"}"
    [[ $output =~ "UNKNOWN: ReopenContainerLog was told to fail" ]]
    stop crigate
    stop main
    rm -rf crigate.sock main.sock main.journal crigate.log state
    start_runtime main v1 --containers 1 --fail ReopenContainerLog=UNKNOWN --fail-text "$REFUSAL"
    write_map main
    start_node
    run -2 call ReopenContainerLog "{\"containerId\": \"$id\"}"
    [[ $output =~ "UNKNOWN: $REFUSAL" ]]
}

# ---- events ----

# told TYPE ID: whether the caller of events was told so.
told() {
    grep '^{' events.log | jq -e --arg type "CONTAINER_$1_EVENT" --arg id "$2" \
        'select(.containerId == $id and (.containerEventType // "CONTAINER_CREATED_EVENT") == $type)'
}

# watched COUNT: whether that many lists of Docker have been compared with what was told.
watched() {
    [ "$(asked main ListContainers)" -ge "$1" ]
}

# live NAME [FILTER]: a pod with a container from beginning to end, of which each step is told.
live() {
    local config pod id
    config=$(pod "$1" "${2:-.}")
    pull docker.io/library/busybox:latest "$config" >/dev/null
    pod=$(run_pod "$config")
    eventually 15 told CREATED "$pod"
    id=$(create_container "$pod" "$config" docker.io/library/busybox:latest)
    eventually 15 told CREATED "$id"
    call StartContainer "{\"containerId\": \"$id\"}"
    eventually 15 told STARTED "$id"
    call StopContainer "{\"containerId\": \"$id\"}"
    eventually 15 told STOPPED "$id"
    call RemoveContainer "{\"containerId\": \"$id\"}"
    eventually 15 told DELETED "$id"
}

@test "events of Docker, which streams none, are composed of its lists, if the map says so" {
    start_runtime main v1 --name docker --fail GetContainerEvents=UNIMPLEMENTED
    write_map "main, api: v1"
    add_to_map "events: {compose: always, interval: 100ms}"
    start_node
    start_call events GetContainerEvents
    eventually 15 watched 2
    live two
    crash events
}

@test "so they are beside a runtime that streams them, and both come as one stream" {
    start_runtime other v1
    start_runtime main v1 --name docker --fail GetContainerEvents=UNIMPLEMENTED
    write_map other "main, api: v1"
    add_to_map "events: {interval: 100ms}"
    start_node
    start_call events GetContainerEvents
    eventually 15 watched 2
    live one "$(to main)"
    live two
    crash events
}

@test "a kubelet with Docker alone compares lists itself, unless the map says otherwise" {
    docker v1 --fail GetContainerEvents=UNIMPLEMENTED
    run -12 call GetContainerEvents
    [[ $output =~ UNIMPLEMENTED ]]
}

# ---- statistics ----

@test "the statistics of a container without a known cgroup are the runtime's" {
    docker v1 --containers 7
    local stats
    stats=$(call ListContainerStats)
    expect '.stats | length == 7' "$stats"
    # The simulated numbers: some mebibytes, and one more for each second.
    expect 'all(.stats[]; .memory | (.usageBytes.value | tonumber) - (.workingSetBytes.value | tonumber) == 1048576)' "$stats"
}

is_root() {
    [ "$(id -u)" = 0 ]
}

# make_cgroup PATH: a cgroup in which the kernel counts memory, in CGROUP. What was made for it goes with `remove_cgroup`.
make_cgroup() {
    local part
    CGROUP=/sys/fs/cgroup
    if [ ! -e "$CGROUP/cgroup.controllers" ]; then
        CGROUP+=/memory
    fi
    for part in ${1//\// }; do
        [ ! -e "$CGROUP/cgroup.subtree_control" ] || echo +memory >"$CGROUP/cgroup.subtree_control"
        CGROUP+=/$part
        mkdir -p "$CGROUP"
    done
}

remove_cgroup() {
    rmdir "$CGROUP" "${CGROUP%/*}"
}

# fill FILE: a process in the cgroup that has read a file of 32 MiB.
fill() {
    dd if=/dev/zero of="$1" bs=1M count=32 status=none
    sync "$1"
    dd of="$1" oflag=nocache conv=notrunc,fdatasync count=0 status=none
    # shellcheck disable=SC2016
    start filler bash -c 'echo $$ >"$1/cgroup.procs"; dd if="$2" of=/dev/null bs=64M status=none; echo read; exec sleep 600' _ "$CGROUP" "$1"
    eventually 15 grep -q read filler.log
}

# kernel_counts: sets USAGE and CACHE of the cgroup.
kernel_counts() {
    if [ -e "$CGROUP/memory.current" ]; then
        USAGE=$(cat "$CGROUP/memory.current")
        CACHE=$(sed -n 's/^inactive_file //p' "$CGROUP/memory.stat")
    else
        USAGE=$(cat "$CGROUP/memory.usage_in_bytes")
        CACHE=$(sed -n 's/^total_inactive_file //p' "$CGROUP/memory.stat")
    fi
}

# is_kernels WORKING_SET: whether it is what the kernel counts without cache, to some pages.
is_kernels() {
    local difference=$(($1 - USAGE + CACHE))
    ((difference > -1048576 && difference < 1048576)) || {
        echo "working set $1, usage $USAGE, cache $CACHE"
        return 1
    }
}

@test "the working set of a container is the kernel's, without page cache" {
    needs root is_root
    local api pod id config file sets
    file=$(mktemp "$CRIGATE_BUILD/cache.XXXXXX")
    for api in v1_12 v1alpha2 v1; do
        docker "$api" --fail ListPodSandboxStats=UNIMPLEMENTED
        config=$(pod web '.linux = {cgroupParent: "/crigate_'$$'"}')
        pull docker.io/library/busybox:latest >/dev/null
        pod=$(run_pod "$config")
        id=$(create_container "$pod" "$config" docker.io/library/busybox:latest '.labels = {"io.kubernetes.pod.uid": "uid-web"}')
        call StartContainer "{\"containerId\": \"$id\"}"
        make_cgroup "crigate_$$/$id"
        fill "$file"
        kernel_counts
        ((CACHE > 16 * 1048576))
        sets=$(call ListContainerStats | jq '.stats[].memory.workingSetBytes.value | tonumber')
        is_kernels "$sets"
        sets=$(call ContainerStats "{\"containerId\": \"$id\"}" | jq '.stats.memory.workingSetBytes.value | tonumber')
        is_kernels "$sets"
        sets=$(call ListPodSandboxStats | jq '.stats[].linux.containers[].memory.workingSetBytes.value | tonumber')
        is_kernels "$sets"
        crash filler
        eventually 15 remove_cgroup
        # A cgroup that is gone, as that of a container that has ended: the runtime's own number.
        sets=$(call ListContainerStats | jq '.stats[].memory.workingSetBytes.value | tonumber')
        run -1 is_kernels "$sets"
        stop crigate
        stop main
        rm -rf crigate.sock main.sock main.journal crigate.log state filler.log
    done
    rm "$file"
}

@test "a container is looked for where a plugin has put its pod" {
    needs root is_root
    local pod id config file sets
    file=$(mktemp "$CRIGATE_BUILD/cache.XXXXXX")
    start_runtime main v1 --name docker
    write_map main
    hooks_on
    start_plugin koordlet --policy Fail --hooks PreRunPodSandbox --set "PreRunPodSandbox:cgroup_parent=/crigate_moved_$$"
    start_node -v 3
    eventually 10 knows_plugins koordlet
    config=$(pod web '.linux = {cgroupParent: "/crigate_'$$'"}')
    pull docker.io/library/busybox:latest >/dev/null
    pod=$(run_pod "$config")
    id=$(create_container "$pod" "$config" docker.io/library/busybox:latest '.labels = {"io.kubernetes.pod.uid": "uid-web"}')
    call StartContainer "{\"containerId\": \"$id\"}"
    make_cgroup "crigate_moved_$$/$id"
    fill "$file"
    kernel_counts
    sets=$(call ListContainerStats | jq '.stats[].memory.workingSetBytes.value | tonumber')
    crash filler
    eventually 15 remove_cgroup
    rm "$file"
    is_kernels "$sets"
}

# ---- equal scrapes ----

# hangs: whether the runtime has such a call now.
hangs() {
    [ "$(asked main ListContainerStats)" -ge 1 ]
}

@test "equal scrapes at once are one call to the runtime" {
    local row
    for row in 'ListContainerStats {}' 'ListPodSandboxStats {}' 'ImageFsInfo {}' \
        'ListContainerStats {"filter":{"labelSelector":{"a":"b"}}}'; do
        start_runtime main v1 --containers 7 --hold "${row%% *}=go"
        write_map main
        start_node
        held_scrape 40 "${row%% *}" "${row#* }" 40:60000
        ended_as '0 OK ' 40
        [ "$(answers)" = 1 ]
        [ "$(asked main "${row%% *}")" -le 3 ]
        stop crigate
        stop main
        rm -rf crigate.sock main.sock main.journal crigate.log state
    done
}

@test "scrapes of one container share by container" {
    start_runtime main v1 --containers 2 --hold ContainerStats=go
    write_map main
    start_node
    local id
    id=$(field '.containers[0].id' "$(call ListContainers)")
    held_scrape 20 ContainerStats "{\"containerId\": \"$id\"}" 20:60000
    ended_as '0 OK ' 20
    [ "$(asked main ContainerStats)" -le 3 ]
}

@test "calls that are not scrapes each go to the runtime" {
    start_runtime main v1 --containers 2 --slow ListContainers=500
    write_map main
    start_node
    local before
    before=$(asked main ListContainers)
    scrape ListContainers '{}' 20:60000
    ended_as '0 OK ' 20
    [ "$(asked main ListContainers)" -ge $((before + 20)) ]
}

@test "a call with other metadata is a different call; one with another trace is not" {
    start_runtime main v1 --containers 2 --hold ListContainerStats=go
    write_map main
    start_node
    held_scrape 4 ListContainerStats '{}' 1:60000:x-a=1 1:60000:x-a=2 1:60000 1:60000:x-b=1
    ended_as '[0-3] OK ' 4
    [ "$(asked main ListContainerStats)" = 4 ]
    held_scrape 40 ListContainerStats '{}' 10:60000:traceparent=a 10:60000:traceparent=b 10:60000 10:60000:tracestate=c
    ended_as '[0-3] OK ' 40
    [ "$(asked main ListContainerStats)" -le 8 ]
}

@test "a scrape that ends by its own deadline takes no other along" {
    start_runtime main v1 --containers 2 --slow ListContainerStats=2000
    write_map main
    start_node
    scrape ListContainerStats '{}' 1:500 10:60000 1:700
    ended_as '0 DEADLINE_EXCEEDED ' 1
    ended_as '1 OK ' 10
    ended_as '2 DEADLINE_EXCEEDED ' 1
    [ "$(asked main ListContainerStats)" -le 5 ]
}

@test "a scrape that is cancelled takes no other along" {
    start_runtime main v1 --containers 2 --slow ListContainerStats=2000
    write_map main
    start_node
    scrape ListContainerStats '{}' 1:60000:cancel=300 5:60000 3:60000:cancel=400 5:60000
    ended_as '[02] CANCELLED ' 4
    ended_as '[13] OK ' 10
    [ "$(asked main ListContainerStats)" -le 5 ]
}

@test "all of them may go" {
    start_runtime main v1 --containers 2 --slow ListContainerStats=2000
    write_map main
    start_node
    scrape ListContainerStats '{}' 5:60000:cancel=300 5:400
    ended_as '0 CANCELLED ' 5
    ended_as '1 DEADLINE_EXCEEDED ' 5
    call ListContainerStats >/dev/null
}

@test "a failure of the runtime is that of all" {
    start_runtime main v1 --containers 2 --hold ListContainerStats=go --fail ListContainerStats=INTERNAL
    write_map main
    start_node
    held_scrape 20 ListContainerStats '{}' 20:60000
    ended_as '0 INTERNAL ' 20
    [ "$(asked main ListContainerStats)" -le 3 ]
}

@test "a runtime that dies under them fails them all, and serves the next" {
    start_runtime main v1 --containers 2 --hang ListContainerStats
    write_map main
    start_node
    start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListContainerStats '{}' 20:60000
    eventually 15 hangs
    crash main
    finish scrapes
    cp scrapes.log scraped
    ended_as '0 UNAVAILABLE ' 20
    start_runtime main v1 --containers 2
    eventually 15 runtime_ready main 2
    scrape ListContainerStats '{}' 20:60000
    ended_as '0 OK ' 20
}

@test "a runtime that hangs under them is left out of all, beside another" {
    start_runtime main v1 --containers 3
    start_runtime vm.local v1 --containers 3 --hang ListContainerStats
    write_map main "vm.local, budget: 500ms"
    start_node
    scrape ListContainerStats '{}' 20:60000
    ended_as '0 OK ' 20
    [ "$(answers)" = 1 ]
    grep -q "vm.local: has not answered" crigate.log
}

@test "who has started a container sees it in the statistics" {
    start_runtime main v1 --slow ListContainerStats=900
    write_map main
    start_node
    local config pod id i
    config=$(pod web)
    pod=$(run_pod "$config")
    pull busybox >/dev/null
    for i in 1 2 3; do
        start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListContainerStats '{}' 5:60000
        id=$(create_container "$pod" "$config" busybox ".metadata.name = \"c$i\"")
        call StartContainer "{\"containerId\": \"$id\"}"
        expect "[.stats[].attributes.id] | index(\"$id\") != null" "$(call ListContainerStats)"
        finish scrapes
    done
}

# composing API [OPTION...]: a runtime of which statistics of pods are composed, with slow statistics of containers.
composing() {
    start_runtime main "$1" --containers 7 --fail ListPodSandboxStats=UNIMPLEMENTED "${@:2}"
    write_map main
    start_node
}

@test "so are scrapes whose answer is composed" {
    local api
    for api in v1 v1_12; do
        composing "$api" --hold ListContainerStats=go
        held_scrape 40 ListPodSandboxStats '{}' 40:60000
        ended_as '0 OK ' 40
        [ "$(answers)" = 1 ]
        [ "$(asked main ListContainerStats)" -le 3 ]
        scrape ListPodSandboxStats '{"filter": {"id": "x"}}' 5:60000
        ended_as '0 OK 0' 5
        stop crigate
        stop main
        rm -rf crigate.sock main.sock main.journal crigate.log state
    done
}

@test "a composed scrape that ends by its own deadline, or is cancelled, takes no other along" {
    composing v1 --slow ListContainerStats=2000
    scrape ListPodSandboxStats '{}' 1:500 10:60000 1:700 2:60000:cancel=300 5:60000
    ended_as '[02] DEADLINE_EXCEEDED ' 2
    ended_as '3 CANCELLED ' 2
    ended_as '[14] OK ' 15
    [ "$(asked main ListContainerStats)" -le 6 ]
    scrape ListPodSandboxStats '{}' 3:60000:cancel=300 3:400
    ended_as '0 CANCELLED ' 3
    ended_as '1 DEADLINE_EXCEEDED ' 3
    scrape ListPodSandboxStats '{}' 5:60000
    ended_as '0 OK ' 5
}

@test "a question that fails is the failure of all composed scrapes, and so is a runtime that dies" {
    composing v1 --hold ListContainerStats=go --fail ListContainerStats=INTERNAL:1
    held_scrape 20 ListPodSandboxStats '{}' 20:60000
    ended_as '0 INTERNAL ' 20
    stop crigate
    stop main
    rm -rf crigate.sock main.sock main.journal crigate.log state
    composing v1 --hang ListContainerStats
    start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListPodSandboxStats '{}' 20:60000
    eventually 15 hangs
    crash main
    finish scrapes
    cp scrapes.log scraped
    ended_as '0 UNAVAILABLE ' 20
}

# asking NAME: whether a call to that runtime is under way.
asking() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock -o json |
        jq -e --arg name "$1" '.runtimes[] | select(.name == $name) | .calls == 1'
}

@test "after a cancelled scrape, those that waited for it have the whole budget again" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 7 --slow ListContainerStats=3000
    write_map main "vm.local, budget: 4500ms"
    start_node
    start first "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListContainerStats '{}' 1:60000:cancel=2500
    eventually 15 asking vm.local
    scrape ListContainerStats '{}' 5:60000
    finish first
    ended_as '0 OK ' 5
    [ "$(answers)" = 1 ]
    ! grep -q "vm.local: has not answered" crigate.log
}

@test "a composition may take several budgets, one for each question, whoever waits for it" {
    start_runtime main v1
    start_runtime vm.local v1 --containers 7 --fail ListPodSandboxStats=UNIMPLEMENTED --slow ListPodSandbox=1800 \
        --slow ListContainers=1800 --slow ListContainerStats=1800
    write_map main "vm.local, budget: 3s"
    start_node
    scrape ListPodSandboxStats '{}' 10:60000
    ended_as '0 OK ' 10
    [ "$(answers)" = 1 ]
    ! grep -q "vm.local: has not answered" crigate.log
}

# reloaded: whether another map is in force.
reloaded() {
    grep -q "the runtime map was reloaded" crigate.log
}

@test "scrapes are shared across a reload, and outlive it" {
    start_runtime main v1 --containers 3 --hang ListContainerStats
    start_runtime vm.local v1
    write_map main vm.local
    start_node
    start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListContainerStats '{}' 20:8000
    eventually 15 hangs
    write_map main
    eventually 10 reloaded
    stop vm.local
    finish scrapes
    cp scrapes.log scraped
    ended_as '0 DEADLINE_EXCEEDED ' 20
    run -4 call --timeout 1s ListContainerStats
    expect '.containers | length == 3' "$(call ListContainers)"
}

@test "scrapes under way end in the process that is taken over" {
    start_runtime main v1 --containers 3 --hold ListContainerStats=go
    write_map main
    start_node
    start scrapes "$CRIGATE_BUILD/scrapes" "unix://$PWD/crigate.sock" ListContainerStats '{}' 20:60000
    eventually 15 calls_show '.total == 20'
    PIDS[old]=${PIDS[crigate]}
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "taken over: this process now serves" crigate.log
    touch go
    finish scrapes
    cp scrapes.log scraped
    ended_as '0 OK ' 20
    [ "$(asked main ListContainerStats)" -le 6 ]
    finish old
}
