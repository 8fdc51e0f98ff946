#!/usr/bin/env bats
# GetContainerEvents: the events of all runtimes as one stream, each step of each life once, whatever happens to the runtimes.

load gateway

BUSYBOX=docker.io/library/busybox:latest

# listen NAME: a caller that takes events for as long as the test lasts; NAME.log gets them, one a line.
listen() {
    start "$1" "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api v1 --compact GetContainerEvents
}

# told NAME ID: the steps in the life of a pod or container that the listener heard of, in their order.
told() {
    grep '^{' "$1.log" | jq -r --arg id "$2" 'select(.containerId == $id) | .containerEventType // "CONTAINER_CREATED_EVENT" |
        ltrimstr("CONTAINER_") | rtrimstr("_EVENT")' | tr '\n' ' '
}

# tells NAME ID STEP...: whether these, and no others, were heard of.
tells() {
    local name=$1 id=$2
    shift 2
    [ "$(told "$name" "$id")" = "${*:+$* }" ]
}

# heard NAME ID STEP...: waits for that.
heard() {
    eventually 10 tells "$@" || {
        echo "of $2, $1 heard: $(told "$1" "$2")"
        return 1
    }
}

# quiet RUNTIME: whether the runtime was not asked for its lists since the ten times before that this was asked: for some intervals.
quiet() {
    local now
    now=$(asked "$1" ListContainers)
    if [ "$now" != "${LISTED:-}" ]; then
        LISTED=$now
        LOOKS=0
    fi
    ((++LOOKS > 10))
}

# event NAME ID STEP: one event that the listener heard.
event() {
    grep '^{' "$1.log" | jq -c --arg id "$2" --arg type "CONTAINER_$3_EVENT" \
        'select(.containerId == $id and (.containerEventType // "CONTAINER_CREATED_EVENT") == $type)'
}

# watched RUNTIME [COUNT]: whether that many lists of the runtime have been compared with what was told.
watched() {
    [ "$(asked "$1" ListContainers)" -ge "${2:-1}" ]
}

# end_listening NAME: the listener goes, as an operator's Ctrl-C has it.
end_listening() {
    crash "$1"
}

# live RUNTIME LISTENER...: a pod with a container from beginning to end; every listener hears every step once.
live() {
    local runtime=$1 config pod container name
    shift
    config=$(pod "web-$RANDOM" "$(to "$runtime")")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED; done
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    for name in "$@"; do heard "$name" "$container" CREATED; done
    call StartContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED; done
    call StopContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED STOPPED; done
    call RemoveContainer "{\"containerId\":\"$container\"}"
    for name in "$@"; do heard "$name" "$container" CREATED STARTED STOPPED DELETED; done
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED STOPPED; done
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    for name in "$@"; do heard "$name" "$pod" CREATED STARTED STOPPED DELETED; done
    POD=$pod
    CONTAINER=$container
}

# node MAIN VM: two runtimes of these dialects and the gateway before them, with a listener.
node() {
    start_runtime main "$1" --state main.state
    start_runtime vm v1_9 --state vm.state
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched main 2
    eventually 10 watched vm 2
}

@test "every step of every life is told once, of a runtime that streams and of one that cannot" {
    node v1
    live main ear
    [[ $POD != vm__* ]]
    live vm ear
    [[ $POD == vm__* && $CONTAINER == vm__* ]]
    end_listening ear
}

@test "events carry what a kubelet wants of the pod and its containers" {
    node v1
    live main ear
    live vm ear
    local id=$POD container=$CONTAINER
    # While it lives: the pod's status with its uid, and all its containers, with the caller's ids.
    expect ".podSandboxStatus.metadata.uid | startswith(\"uid-web\")" "$(event ear "$container" STARTED)"
    expect ".podSandboxStatus.id == \"$id\"" "$(event ear "$container" STARTED)"
    expect ".containersStatuses | length == 1 and .[0].id == \"$container\" and .[0].state == \"CONTAINER_RUNNING\"" \
        "$(event ear "$container" STARTED)"
    expect '.containersStatuses[0].startedAt | tonumber > 0' "$(event ear "$container" STOPPED)"
    expect '.containersStatuses == null and .podSandboxStatus.state == null' "$(event ear "$container" DELETED)"
    expect '.createdAt | tonumber > 1700000000000000000' "$(event ear "$container" DELETED)"
    # When it is gone, the kubelet still has to find the pod by its uid and id.
    expect ".podSandboxStatus | .id == \"$id\" and .state == \"SANDBOX_NOTREADY\" and (.metadata.uid | startswith(\"uid-web\"))" \
        "$(event ear "$id" DELETED)"
    end_listening ear
}

@test "nothing is told of what was there before, but all that happens to it" {
    start_runtime main v1 --state main.state
    start_runtime vm v1_9 --state vm.state
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    local config pods=() name
    for name in main vm; do
        config=$(pod old "$(to "$name")")
        pull "$BUSYBOX" "$config" >/dev/null
        pods+=("$(run_pod "$config")")
    done
    listen ear
    eventually 10 watched main 3
    eventually 10 watched vm 3
    for name in "${pods[@]}"; do
        tells ear "$name"
        call RemovePodSandbox "{\"podSandboxId\":\"$name\"}"
        heard ear "$name" STOPPED DELETED
    done
    end_listening ear
}

@test "old events that a runtime keeps are not told, be they one of a life or many" {
    start_runtime main v1 --keep-events
    write_map main
    start_node
    local config pod old gone
    config=$(pod web)
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    old=$(create_container "$pod" "$config" "$BUSYBOX")
    gone=$(create_container "$pod" "$config" "$BUSYBOX" '.metadata.name = "gone"')
    for id in "$old" "$gone"; do call StartContainer "{\"containerId\":\"$id\"}"; done
    call RemoveContainer "{\"containerId\":\"$gone\"}"
    listen ear
    eventually 10 watched main 2
    call StopContainer "{\"containerId\":\"$old\"}"
    heard ear "$old" STOPPED
    live main ear
    # They come again with each stream.
    kill -HUP "${PIDS[main]}"
    eventually 10 eval '[ "$(asked main GetContainerEvents)" = 2 ]'
    live main ear
    tells ear "$gone"
    tells ear "$pod"
    tells ear "$old" STOPPED
    end_listening ear
}

@test "all who listen hear everything, over one subscription that goes with the last of them" {
    node v1
    listen other
    live main ear other
    live vm ear other
    [ "$(asked main GetContainerEvents)" = 1 ]
    end_listening ear
    live main other
    end_listening other
    # Some seconds later nothing asks the runtimes any more.
    eventually 10 quiet vm
    [ "$(asked main GetContainerEvents)" = 1 ]
}

@test "a runtime that is killed and comes back is heard of again, and what was missed is told once" {
    node v1
    local config name pod container
    for name in main vm; do
        config=$(pod "web-$name" "$(to "$name")")
        pull "$BUSYBOX" "$config" >/dev/null
        pod=$(run_pod "$config")
        container=$(create_container "$pod" "$config" "$BUSYBOX")
        call StartContainer "{\"containerId\":\"$container\"}"
        heard ear "$container" CREATED STARTED
        crash "$name"
        # While the gateway does not look, one container ends and another comes.
        start_runtime hidden "$([ "$name" = main ] && echo v1 || echo v1_9)" --state "$name.state"
        ask hidden "$([ "$name" = main ] && echo v1 || echo v1_9)" StopContainer "{\"containerId\":\"${container#vm__}\"}"
        ask hidden "$([ "$name" = main ] && echo v1 || echo v1_9)" RunPodSandbox '{"config":{"metadata":{"name":"new","uid":"n"}}}' >new
        stop hidden
        start_runtime "$name" "$([ "$name" = main ] && echo v1 || echo v1_9)" --state "$name.state"
        eventually 20 runtime_ready "$name" 2
        heard ear "$container" CREATED STARTED STOPPED
        heard ear "${pod%%[0-9a-f]*}$(jq -r .podSandboxId new)" CREATED STARTED
        heard ear "$pod" CREATED STARTED
        live "$name" ear
    done
    tells ear "$container" CREATED STARTED STOPPED
    end_listening ear
}

@test "a runtime whose stream leaves out steps and statuses is told of whole" {
    start_runtime main v1 --bare-events
    write_map main
    add_to_map "events: {interval: 100ms}"
    start_node
    local config pod old container
    config=$(pod web)
    pull "$BUSYBOX" "$config" >/dev/null
    old=$(run_pod "$(pod old)")
    call StopPodSandbox "{\"podSandboxId\":\"$old\"}"
    listen ear
    # The gateway has asked when it met the runtime, when somebody came to listen, and when the stream stood.
    eventually 10 eval '[ "$(asked main ListPodSandbox)" -ge 3 ]'
    # The stream has told nothing yet, and does not tell this.
    call RemovePodSandbox "{\"podSandboxId\":\"$old\"}"
    heard ear "$old" DELETED
    live main ear
    expect ".podSandboxStatus.metadata.uid | startswith(\"uid-web\")" "$(event ear "$CONTAINER" STARTED)"
    expect ".containersStatuses | length == 1 and .[0].id == \"$CONTAINER\" and .[0].state == \"CONTAINER_RUNNING\"" \
        "$(event ear "$CONTAINER" STARTED)"
    expect ".podSandboxStatus | .id == \"$POD\" and .state == \"SANDBOX_NOTREADY\"" "$(event ear "$POD" DELETED)"
    # What was over before lists could show it.
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    for method in StartContainer StopContainer RemoveContainer; do call "$method" "{\"containerId\":\"$container\"}"; done
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    heard ear "$container" CREATED STARTED STOPPED DELETED
    heard ear "$pod" CREATED STARTED STOPPED DELETED
    [ "$(asked main GetContainerEvents)" = 1 ]
    [ "$(grep -c "runtime main: its event stream omits steps" crigate.log)" = 1 ]
    end_listening ear
}

@test "once a stream has told that pods come and go, lists are left alone" {
    start_runtime main v1
    write_map main
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched main 4
    live main ear
    # A pod's life lasts for several intervals.
    quiet() {
        local lists
        lists=$(asked main ListContainers)
        live main ear
        [ "$(asked main ListContainers)" -le $((lists + 1)) ]
    }
    eventually 10 quiet
    quiet
    run ! grep "its event stream omits steps" crigate.log
    end_listening ear
}

@test "a stream that leaves out steps is passed on as it is where nothing is to be composed" {
    start_runtime main v1 --bare-events
    write_map main
    add_to_map "events: {compose: never, interval: 100ms}"
    start_node
    listen ear
    # The last of these lists is compared with what was known before, so it must not find the pod gone.
    eventually 10 eval '[ "$(asked main ListPodSandbox)" -ge 3 ]'
    local config pod
    config=$(pod web)
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    heard ear "$container" CREATED
    expect '.containersStatuses == null' "$(event ear "$container" CREATED)"
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    heard ear "$pod" CREATED STARTED STOPPED
    end_listening ear
}

@test "a stream that a runtime drops is opened again, and nothing is lost or told twice" {
    node v1
    local config pod container
    config=$(pod web "$(to main)")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    heard ear "$pod" CREATED STARTED
    kill -HUP "${PIDS[main]}"
    eventually 10 grep -q "runtime main: its stream of events ended" crigate.log
    # Nobody takes events of it now.
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    call StartContainer "{\"containerId\":\"$container\"}"
    heard ear "$container" CREATED STARTED
    live main ear
    tells ear "$container" CREATED STARTED
    expect ".containersStatuses[0].id == \"$container\"" "$(event ear "$container" CREATED)"
    end_listening ear
}

@test "a runtime that ends its stream at once does not stream: its events are composed" {
    start_runtime main v1 --no-events
    start_runtime vm v1
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 grep -q "runtime main: does not stream events" crigate.log
    eventually 10 watched main 2
    live main ear
    live vm ear
    [ "$(asked main GetContainerEvents)" = 1 ]
    end_listening ear
}

@test "events are composed of lists that are over the limit of a message" {
    start_runtime main v1
    start_runtime vm v1 --no-events --containers 500 --oversize ListContainers=200000 --oversize ListPodSandbox=200000
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    add_to_map "limits: {message_size: 128KiB, startup_grace: 10s}"
    start_node
    listen ear
    eventually 10 watched vm 3
    live vm ear
    run ! grep "do not show what happened" crigate.log
    end_listening ear
}

@test "where no runtime streams, the call is not implemented unless the map wants events composed" {
    start_runtime main v1_9
    start_runtime vm v1 --no-events
    write_map main vm
    start_node
    run -12 --separate-stderr call GetContainerEvents
    [[ $stderr == *"no runtime of this node streams events"* ]]
    sed -i '/^events:/d' crigate.yaml
    add_to_map "events: {compose: always, interval: 100ms}"
    kill -HUP "${PIDS[crigate]}"
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    listen ear
    eventually 10 watched main 3
    eventually 10 watched vm 3
    live main ear
    live vm ear
    end_listening ear
}

@test "events that are not to be composed are missing, and others are told" {
    start_runtime main v1
    start_runtime vm v1_9
    write_map main vm
    add_to_map "events: {compose: never}"
    start_node
    listen ear
    eventually 10 watched main 2
    live main ear
    local config
    config=$(pod web "$(to vm)")
    pod=$(run_pod "$config")
    live main ear
    tells ear "$pod"
    end_listening ear
}

@test "events that are not to be composed stay missing when the runtime comes back, of one that ends its stream at once too" {
    start_runtime main v1
    start_runtime vm v1 --no-events --state vm.state
    write_map main vm
    add_to_map "events: {compose: never}"
    start_node
    listen ear
    eventually 10 grep -q "runtime vm: does not stream events" crigate.log
    pod=$(run_pod "$(pod web "$(to vm)")")
    crash vm
    start_runtime vm v1 --no-events --state vm.state
    eventually 20 eval '[ "$(grep -c "runtime vm: does not stream events" crigate.log)" = 2 ]'
    live main ear
    live main ear
    tells ear "$pod"
    end_listening ear
}

# newer_without ID NANOSECONDS OTHER: events of the one, of a later time, in which the other container is missing.
newer_without() {
    grep '^{' ear.log | jq -c --arg id "$1" --argjson since "$2" --arg other "$3" \
        'select(.containerId == $id and (.createdAt | tonumber) > $since and all(.containersStatuses[]?; .id != $other))'
}

@test "a composed event is older than a container that it lacks" {
    start_runtime main v1
    start_runtime vm v1_9 --latency 300
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched vm 2
    local config pod first second since lists
    config=$(pod web "$(to vm)")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    first=$(create_container "$pod" "$config" "$BUSYBOX")
    # The next list has it. While its pod is asked for, another one comes.
    lists=$(asked vm ListContainers)
    eventually 10 watched vm $((lists + 1))
    second=$(create_container "$pod" "$config" "$BUSYBOX" '.metadata.name = "other"')
    heard ear "$first" CREATED
    heard ear "$second" CREATED
    since=$(field '.status.createdAt' "$(call ContainerStatus "{\"containerId\":\"$second\"}")")
    [ "$since" -gt 0 ]
    [ -z "$(newer_without "$first" "$since" "$second")" ]
    end_listening ear
}

@test "a message that is no event does not end the stream, and lists tell what it was" {
    start_runtime main v1 --garbage GetContainerEvents
    start_runtime vm v1
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 grep -q "runtime main: cannot read one of its events" crigate.log
    eventually 10 watched vm 2
    live vm ear
    live main ear
    end_listening ear
}

@test "a runtime that never answers the call for events keeps nobody else waiting" {
    start_runtime main v1 --hang GetContainerEvents
    start_runtime vm v1
    write_map main vm
    start_node
    listen ear
    eventually 10 watched vm 2
    live vm ear
    end_listening ear
}

# hears NAME COUNT: whether those ears have heard that many events.
hears() {
    local lines
    lines=$(grep -c '^{' "$1.log") || true
    kill -USR1 "${PIDS[$1]}"
    eventually 5 at_least $((lines + 1)) '^{' "$1.log"
    [ "$(grep '^{' "$1.log" | tail -n 1 | jq .events)" -ge "$2" ]
}

# ears NAME STREAMS [PAUSE]: callers that count events.
ears() {
    local name=$1
    shift
    start "$name" "$CRIGATE_BUILD/event_counter" "unix://$PWD/crigate.sock" "$@"
    eventually 10 grep -q events "$name.log"
}

# made_up: how many events both runtimes have made up, once they have ended.
made_up() {
    jq -s 'map(.made_up // empty) | add' main.events vm.events
}

# flooded_node RATE [MOST]: two runtimes that make up RATE events a second each, and MOST in all, and a caller that takes them.
flooded_node() {
    start_runtime main v1 --events-rate "$1" --events-most "${2:-0}" --event-journal main.events
    start_runtime vm v1 --events-rate "$1" --events-most "${2:-0}" --event-journal vm.events
    write_map main vm
    start_node
    ears quick 1
}

@test "a flood of two runtimes reaches the caller whole" {
    flooded_node 1000 3000
    # Made-up lives are not in lists: one that was under way when lists were looked at may have been told to its end.
    eventually 30 hears quick 5990
    stop main
    stop vm
    [ "$(made_up)" = 6000 ]
    eventually 10 eval '[ "$(grep -c "connection to .* lost" crigate.log)" = 2 ]'
    stop quick
    heard=$(tail -n 1 quick.log | jq .events)
    echo "heard $heard of $(made_up)"
    [ "$heard" -le 6000 ] && [ "$heard" -ge 5990 ]
}

@test "a caller that takes no events holds others up for a bounded time, and its stream ends" {
    flooded_node 1000
    ears stalled 1 never
    eventually 20 hears quick 3000
    eventually 20 grep -q "a caller reads its events too slowly" crigate.log
    eventually 20 hears quick 9000
    stop stalled
    expect '.ended == 0' "$(tail -n 1 quick.log)"
    stop quick
}

@test "a caller that takes events too slowly for the others is cut off too" {
    local pause=2000
    # Under a sanitizer, fewer events arrive in that time than such a caller takes.
    plain_build || pause=10000
    flooded_node 2000
    ears slow 1 "$pause"
    eventually 30 grep -q "a caller reads its events too slowly" crigate.log
    eventually 10 hears quick 1
    eventually 20 hears quick "$(($(tail -n 1 quick.log | jq .events) + 8000))"
    # It takes what had left for it, and then hears why there is no more.
    finish slow
    expect '.ended == 1 and .code == 8' "$(tail -n 1 slow.log)"
    stop quick
}

@test "a caller that opens many streams and reads none is bounded, and others are served" {
    start_runtime main v1
    write_map main
    add_to_map "limits: {streams: 50, startup_grace: 10s}"
    start_node
    listen ear
    eventually 10 watched main 2
    ears many 1000 never
    eventually 10 eval 'kill -USR1 "${PIDS[many]}"; [ "$(tail -n 1 many.log | jq .ended)" = 951 ]'
    expect '.code == 8' "$(tail -n 1 many.log)"
    live main ear
    stop many
    # Their places are free again.
    eventually 10 eval 'timeout 1 "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api v1 GetContainerEvents; [ $? = 124 ]'
    end_listening ear
}

# ---- told against what happened ----

# listed_since_stream RUNTIME STREAMS: whether its stream of events was asked for more often than that, and containers listed after.
listed_since_stream() {
    [ "$(asked "$1" GetContainerEvents)" -gt "$2" ] &&
        sed -n 's/^{"method":"[^"]*\/\(GetContainerEvents\|ListContainers\)".*/\1/p' "$1.journal" |
        tail -n 1 | grep -qx ListContainers
}

# settled RUNTIME STREAMS: waits until its lists show what happened while it had no stream. What began and ended before that,
# nobody can tell.
settled() {
    eventually 20 listed_since_stream "$@"
}

@test "what lists show that happened without a stream is told, also if the end comes while crigate asks for statuses" {
    local config pod container streams
    start_runtime main v1 --slow PodSandboxStatus=3000 --slow ContainerStatus=3000
    write_map main
    start_node
    config=$(pod web "$(to main)")
    pull "$BUSYBOX" "$config" >/dev/null
    listen ear
    eventually 10 watched main 2
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    heard ear "$container" CREATED
    streams=$(asked main GetContainerEvents)
    kill -HUP "${PIDS[main]}"
    eventually 10 grep -q "runtime main: its stream of events ended" crigate.log
    call StartContainer "{\"containerId\":\"$container\"}"
    call StopContainer "{\"containerId\":\"$container\"}"
    settled main "$streams"
    call RemoveContainer "{\"containerId\":\"$container\"}"
    heard ear "$container" CREATED STARTED STOPPED DELETED
    end_listening ear
}

# happened RUNTIME: every step that its journal of events shows, "ID STEP" a line. A program that is killed may have kept a state
# that it did not come to write about: what it holds when it starts again, and what it does not, tells.
happened() {
    jq -rs 'def upto($last): ["CREATED", "STARTED", "STOPPED", "DELETED"] | .[:index($last) + 1][];
        def note($id; $step): .things[$id][$step] = true;
        reduce .[] as $line ({things: {}, held: {}};
            if $line.held then
                .held[$line.id] = true |
                reduce ($line.held | ltrimstr("CONTAINER_") | rtrimstr("_EVENT") | upto(.)) as $step (.;
                    if $step == "STARTED" and $line.never_started then . else note($line.id; $step) end)
            elif $line.type then
                note($line.id; $line.type | ltrimstr("CONTAINER_") | rtrimstr("_EVENT"))
            elif $line.start then
                .held as $held | reduce (.things | to_entries[] | select($held[.key] or .value.DELETED | not)) as $thing (.;
                    note($thing.key; "DELETED") | if $thing.value.STARTED then note($thing.key; "STOPPED") else . end) |
                .held = {}
            else . end) |
        .things | to_entries[] | .key as $id | .value | keys[] | "\($id) \(.)"' "$1.events"
}

# all_that_happened, all_that_was_told: the same of both runtimes, and of the listener.
all_that_happened() {
    { happened main && happened vm; } | sort
}

all_that_was_told() {
    grep '^{' ear.log | jq -r '"\(.containerId | ltrimstr("vm__")) \(.containerEventType // "CONTAINER_CREATED_EVENT" |
        ltrimstr("CONTAINER_") | rtrimstr("_EVENT"))"' | sort
}

all_was_told() {
    diff <(all_that_happened) <(all_that_was_told) >difference
}

# looked_at RUNTIME: waits until lists of it have been compared that were asked for after now.
looked_at() {
    eventually 20 watched "$1" $(($(asked "$1" ListContainers) + 3))
}

# any LIST: one line of the list, or nothing.
any() {
    [ -z "$1" ] || sed -n "$((RANDOM % $(wc -l <<<"$1") + 1))p" <<<"$1"
}

# something_of RUNTIME: does something to a pod or container of the runtime, or makes one. It may fail: the runtime may be dead.
something_of() {
    local pods containers pod container config
    local mine='select((.id | startswith("vm__")) == ($runtime == "vm"))'
    pods=$(call ListPodSandbox | jq -r --arg runtime "$1" ".items[]? | $mine | .id")
    containers=$(call ListContainers | jq -r --arg runtime "$1" ".containers[]? | $mine | .id")
    pod=$(any "$pods")
    container=$(any "$containers")
    case $((RANDOM % 9)) in
    0 | 1) config=$(pod "web-$RANDOM$RANDOM" "$(to "$1")") && run_pod "$config" ;;
    2 | 3) [ -z "$pod" ] || create_container "$pod" "$(pod "x" "$(to "$1")")" "$BUSYBOX" ".metadata.name = \"c$RANDOM$RANDOM\"" ;;
    4 | 5) [ -z "$container" ] || call StartContainer "{\"containerId\":\"$container\"}" ;;
    6) [ -z "$container" ] || call StopContainer "{\"containerId\":\"$container\"}" ;;
    7) [ -z "$container" ] || call RemoveContainer "{\"containerId\":\"$container\"}" ;;
    8) [ -z "$pod" ] || call $([ $((RANDOM % 2)) = 0 ] && echo StopPodSandbox || echo RemovePodSandbox) "{\"podSandboxId\":\"$pod\"}" ;;
    esac >/dev/null 2>&1 || true
}

# enough_happens: whether there is enough to compare; does something more if there is not.
enough_happens() {
    [ "$(all_that_happened | wc -l)" -gt 20 ] || { something_of main && false; }
}

# kill_and_restart RUNTIME DIALECT: while something is being done to it.
kill_and_restart() {
    local ready
    ready=$(grep -c "runtime $1: ready" crigate.log)
    something_of "$1" &
    sleep "0.0$((RANDOM % 9))"
    crash "$1"
    wait $!
    start_runtime "$1" "$2" --state "$1.state" --event-journal "$1.events"
    eventually 20 runtime_ready "$1" $((ready + 1))
}

@test "what is told equals what happened, while runtimes are killed and streams are dropped at random" {
    local seed=${CRIGATE_SEED:-$RANDOM}
    echo "CRIGATE_SEED=$seed"
    start_runtime main v1 --state main.state --event-journal main.events
    start_runtime vm v1_9 --state vm.state --event-journal vm.events
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    pull "$BUSYBOX" "$(pod x "$(to main)")" >/dev/null
    pull "$BUSYBOX" "$(pod x "$(to vm)")" >/dev/null
    listen ear
    eventually 10 watched main 3
    eventually 10 watched vm 3
    RANDOM=$seed
    for _ in $(seq "${CRIGATE_STEPS:-60}"); do
        case $((RANDOM % 12)) in
        0)
            streams=$(asked main GetContainerEvents)
            kill_and_restart main v1
            settled main "$streams"
            ;;
        1)
            kill_and_restart vm v1_9
            looked_at vm
            ;;
        2)
            streams=$(asked main GetContainerEvents)
            kill -HUP "${PIDS[main]}"
            something_of main
            settled main "$streams"
            ;;
        3 | 4 | 5 | 6 | 7)
            something_of vm
            looked_at vm
            ;;
        *)
            something_of main
            ;;
        esac
    done
    # By some seeds the steps fail most of the time, and a comparison of next to nothing says nothing.
    eventually 20 enough_happens
    eventually 10 all_was_told || {
        cat difference
        mv difference what-differs.log # the last that a failed test prints
        return 1
    }
    end_listening ear
}

# ---- the gateway itself ----

# reloaded COUNT: whether the map has been read anew COUNT times.
reloaded() {
    [ "$(grep -c "the runtime map was reloaded" crigate.log)" -ge "$1" ]
}

@test "streams live on over reloads: new runtimes join, removed ones leave, kept ones keep their subscription" {
    start_runtime main v1
    start_runtime vm v1_9
    start_runtime late v1
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched vm 3
    live vm ear
    local before=$POD
    write_map main late
    kill -HUP "${PIDS[crigate]}"
    eventually 10 reloaded 1
    eventually 10 runtime_ready late
    eventually 10 watched late 2
    live late ear
    live main ear
    [[ $POD != "$before" ]]
    [ "$(asked main GetContainerEvents)" = 1 ]
    # The runtime that went is asked no more.
    local asked
    asked=$(asked vm ListContainers)
    live main ear
    [ "$(asked vm ListContainers)" = "$asked" ]
    # And what was told is not told again when it comes back.
    write_map main late vm
    kill -HUP "${PIDS[crigate]}"
    eventually 10 reloaded 2
    eventually 10 watched vm $((asked + 2))
    live vm ear
    tells ear "$before" CREATED STARTED STOPPED DELETED
    end_listening ear
}

@test "a gateway that is told to end, ends its streams of events with UNAVAILABLE" {
    start_runtime main v1
    write_map main
    start_node
    listen ear
    eventually 10 watched main 2
    stop crigate
    finish ear 14
    grep -q "the gateway is stopping" ear.log
}

@test "the caller's deadline ends its stream" {
    start_runtime main v1
    write_map main
    start_node
    run -4 --separate-stderr call --timeout 500ms GetContainerEvents
}

@test "a caller that comes while a runtime is away hears of it when it is there" {
    start_runtime main v1
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_crigate
    eventually 10 runtime_ready main
    listen ear
    eventually 10 watched main 2
    live main ear
    start_runtime vm v1_9
    eventually 20 runtime_ready vm
    eventually 10 watched vm 3
    live vm ear
    end_listening ear
}

@test "a runtime that hangs is heard of again when it answers, and what happened is told once" {
    start_runtime main v1
    start_runtime vm v1
    write_map main "vm, budget: 2s"
    start_node
    listen ear
    eventually 10 watched vm 2
    live vm ear
    kill -STOP "${PIDS[vm]}"
    call ListPodSandbox
    grep -q "runtime vm: has not answered" crigate.log
    live main ear
    kill -CONT "${PIDS[vm]}"
    eventually 20 runtime_ready vm 2
    live vm ear
    end_listening ear
}

@test "what became of the last pod of a runtime is told before the runtime leaves the map" {
    start_runtime main v1
    start_runtime vm v1_9
    write_map main vm
    add_to_map "events: {interval: 1m}"
    start_node
    local config pod container
    config=$(pod web "$(to vm)")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    call StartContainer "{\"containerId\":\"$container\"}"
    listen ear
    # The gateway has asked when it met the runtime, and when somebody came to listen; within the minute it does not again.
    eventually 10 eval '[ "$(asked vm ListPodSandbox)" -ge 2 ]'
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    write_map main
    kill -HUP "${PIDS[crigate]}"
    heard ear "$container" STOPPED DELETED
    heard ear "$pod" STOPPED DELETED
    expect ".podSandboxStatus | .id == \"$pod\" and .state == \"SANDBOX_NOTREADY\" and .metadata.uid == \"uid-web\"" \
        "$(event ear "$pod" DELETED)"
    end_listening ear
}

@test "pods that a runtime takes along when it is removed by force are not told deleted" {
    start_runtime main v1
    start_runtime vm v1_9
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    listen ear
    eventually 10 watched vm 2
    pod=$(run_pod "$(pod web "$(to vm)")")
    heard ear "$pod" CREATED STARTED
    write_map main
    sed -i '/^runtimes:/a\  - {name: vm, force: true}' crigate.yaml
    kill -HUP "${PIDS[crigate]}"
    eventually 10 reloaded 1
    live main ear
    tells ear "$pod" CREATED STARTED
    end_listening ear
}

@test "what happened to a runtime that was away when the caller came is told against what lists showed meanwhile" {
    start_runtime main v1
    start_runtime vm v1_9 --state vm.state
    write_map main vm
    add_to_map "events: {interval: 100ms}"
    start_node
    local config pod container
    config=$(pod web "$(to vm)")
    pull "$BUSYBOX" "$config" >/dev/null
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$BUSYBOX")
    call StartContainer "{\"containerId\":\"$container\"}"
    expect '.containers[0].state == "CONTAINER_RUNNING"' "$(call ListContainers)"
    crash vm
    eventually 10 grep -q "runtime vm: connection to .* lost" crigate.log
    listen ear
    eventually 10 watched main 2
    start_runtime hidden v1_9 --state vm.state
    ask hidden v1_9 StopContainer "{\"containerId\":\"${container#vm__}\"}"
    ask hidden v1_9 RunPodSandbox '{"config":{"metadata":{"name":"new","uid":"n"}}}' >new
    stop hidden
    start_runtime vm v1_9 --state vm.state
    eventually 20 runtime_ready vm 2
    heard ear "$container" STOPPED
    heard ear "vm__$(jq -r .podSandboxId new)" CREATED STARTED
    tells ear "$pod"
    live vm ear
    end_listening ear
}

@test "a runtime whose stream is being listened to may leave the map" {
    start_runtime main v1
    start_runtime vm.local v1
    sockets() { find "/proc/${PIDS[vm.local]}/fd" -lname 'socket:*' | wc -l; }
    local alone
    alone=$(sockets)
    write_map main vm.local
    start_node
    listen ear
    subscribed() { [ "$(journal "$1" GetContainerEvents | wc -l)" -ge 1 ]; }
    eventually 10 subscribed vm.local
    write_map main
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    # What is left of the stream ends after the map that it came from.
    eventually 10 eval '[ "$(sockets)" = "$alone" ]'
    call ListPodSandbox
    write_map main vm.local
    "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    eventually 10 runtime_ready vm.local 2
    crash ear
}
