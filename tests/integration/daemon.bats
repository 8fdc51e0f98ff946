#!/usr/bin/env bats
# The process as a service: who may call, socket activation, reload, status, and takeover.

load gateway

NOBODY=65534

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    start_runtime main v1
}

is_root() {
    [ "$(id -u)" = 0 ]
}

# listen_for LINE: sets more of `listen` than the address.
listen_for() {
    sed -i "s|^listen: .*|listen: {address: \"unix://$PWD/crigate.sock\", $1}|" crigate.yaml
}

# open_folders: lets other users reach the socket.
open_folders() {
    chmod a+x "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR/test" "$PWD" 2>/dev/null || true
}

# call_as OPTIONS_OF_SETPRIV...: whether such a user's call is answered.
call_as() {
    setpriv --reuid "$NOBODY" "$@" "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --timeout 20s Version
}

# status [OPTION...]: asks the running gateway.
status() {
    "$CRIGATE_BUILD/crigate" status --control state/control.sock "$@"
}

# take_over: starts another gateway in place of the running one, waits until it serves, and goes on with that one as `crigate`.
take_over() {
    local before=${PIDS[crigate]} count
    count=$(grep -c "taken over: this process now serves" crigate.log || true)
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    PIDS[old]=$before
    eventually 15 at_least "$((count + 1))" "taken over: this process now serves" crigate.log
}

# gone NAME: waits until a program has ended by itself, well.
gone() {
    eventually 20 ended "$1"
    local pid=${PIDS[$1]}
    unset "PIDS[$1]"
    wait "$pid"
}

# ---- who may call ----

@test "a user that the map does not name is refused and logged" {
    needs root is_root
    open_folders
    write_map main
    listen_for 'mode: "0666"'
    start_node
    run -14 call_as --regid "$NOBODY" --clear-groups
    grep -q "refused a connection: its user is not allowed to connect socket=$PWD/crigate.sock pid=[0-9]* uid=65534 gid=65534" crigate.log
    call Version
}

@test "many refusals make few log lines, with their count" {
    needs root is_root
    open_folders
    write_map main
    listen_for 'mode: "0666"'
    start_node
    # A line a second may come: all at once, so that a slow machine does not need seconds for them.
    python3 -c '
import os, socket, sys
nobody = int(sys.argv[1])
os.setgroups([])
os.setgid(nobody)
os.setuid(nobody)
for _ in range(100):
    with socket.socket(socket.AF_UNIX) as one:
        one.connect("crigate.sock")' "$NOBODY"
    counted() {
        run -14 call_as --regid "$NOBODY" --clear-groups
        grep "refused a connection" crigate.log | grep "refused_before=[1-9]"
    }
    eventually 10 counted
    [ "$(grep -c "refused a connection" crigate.log)" -le 8 ]
}

@test "users and groups that the map names may call, also by a supplementary group" {
    needs root is_root
    open_folders
    write_map main
    listen_for 'mode: "0666", uids: [65534]'
    start_node
    call_as --regid "$NOBODY" --clear-groups
    listen_for 'mode: "0666", gids: [4242]'
    eventually 5 grep -q "map was reloaded" crigate.log
    run -14 call_as --regid "$NOBODY" --clear-groups
    call_as --regid 4242 --clear-groups
    call_as --regid "$NOBODY" --groups 4241,4242
    listen_for 'mode: "0666", group: "4243"'
    eventually 5 at_least 2 "map was reloaded" crigate.log
    run -14 call_as --regid 4242 --clear-groups
    call_as --regid "$NOBODY" --groups 4243
    [ "$(stat -c %g crigate.sock)" = 4243 ]
}

# ---- socket activation ----

@test "a socket that systemd passes is used, and its file is kept" {
    needs systemd-socket-activate command -v systemd-socket-activate
    write_map main
    listen_for 'mode: "0600"'
    start crigate systemd-socket-activate --listen "$PWD/crigate.sock" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 5 grep -q "Listening on $PWD/crigate.sock" crigate.log
    local mode inode
    mode=$(stat -c %a crigate.sock) inode=$(stat -c %i crigate.sock)
    call Version
    [ "$(stat -c %a:%i crigate.sock)" = "$mode:$inode" ]
    [ "$mode" != 600 ]
    stop crigate
    [ "$(stat -c %i crigate.sock)" = "$inode" ]
}

@test "a passed socket other than the map's is refused, with both names" {
    needs systemd-socket-activate command -v systemd-socket-activate
    write_map main
    start crigate systemd-socket-activate --listen "$PWD/other.sock" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 5 grep -q "Listening on $PWD/other.sock" crigate.log
    run -14 "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/other.sock" --timeout 30s Version
    eventually 5 grep -q "unix://$PWD/other.sock, but the runtime map has unix://$PWD/crigate.sock" crigate.log
    unset "PIDS[crigate]"
}

# ---- status and owner ----

@test "status: well, degraded, down" {
    start_runtime second.local v1alpha2
    write_map main second.local
    start_node
    run -0 status
    [[ ${lines[0]} =~ ^NAME\ +ROLE\ +DIALECT\ +STATE\ +SINCE\ +PODS\ +CALLS\ +OLDEST\ +LISTS\ +NOTE$ ]]
    [[ ${lines[1]} =~ ^main\ +primary\ +v1\ +ready\ +[0-9]+s\  ]]
    [[ ${lines[2]} =~ ^second.local\ +-\ +v1alpha2\ +ready\  ]]
    expect '.health == "well" and .pid > 1 and (.runtimes | length == 2)' "$(status -o json)"

    stop second.local
    eventually 10 grep -q "runtime second.local: connection to .* lost" crigate.log
    run -1 status
    [[ ${lines[2]} =~ second.local.*away ]]
    run -1 status -o json
    expect '.health == "degraded"' "$output"

    stop main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    run -2 status
    stop crigate
    run -2 status
    [[ $output == *"no crigate is listening at state/control.sock"* ]]
}

@test "status: well, too, where another runtime than the primary is the default" {
    start_runtime second.local v1alpha2
    write_map main "second.local, default: true"
    start_node
    eventually 10 grep -q "runtime second.local: ready" crigate.log
    run -0 status
    [[ ${lines[1]} =~ ^main\ +primary,\ not\ default\  && ${lines[2]} =~ ^second.local\ +default\  ]]
    stop main
    eventually 10 grep -q "runtime main: connection to .* lost" crigate.log
    run -2 status
}

# caller NAME: what the running gateway says of the connection of that program.
caller() {
    status -o json | jq -c --argjson pid "${PIDS[$1]}" '.callers[] | select(.pid == $pid)'
}

# caller_has NAME FILTER: whether there is one, and the filter is true of it.
caller_has() {
    caller "$1" | jq -e "$2"
}

@test "status: who is connected, and who calls" {
    write_map main
    start_node
    start steady "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 200
    mkfifo silence
    exec 8<>silence
    "$CRIGATE_BUILD/control_talk" crigate.sock <&8 >silent.log 2>&1 3>&- &
    PIDS[silent]=$!
    exec 8>&-
    eventually 10 caller_has steady ".calls > 50 and .uid == $(id -u) and .program == \"steady_caller\" and .last_call_ms >= 0"
    eventually 10 caller_has silent '.calls == 0 and .program == "control_talk" and (has("last_call_ms") | not)'
    local calls
    calls=$(field .calls "$(caller steady)")
    eventually 10 caller_has steady ".calls > $calls"
    # The one that calls comes first.
    run -0 status
    [[ $output =~ "connections of callers:"$'\n'\ *PID\ +UID\ +PROGRAM\ +CALLS\ +LAST$'\n'\ *${PIDS[steady]}\ +$(id -u)\ +steady_caller\ +[0-9]+\ +[0-9]+s$'\n'\ *${PIDS[silent]}\ +$(id -u)\ +control_talk\ +0\ +- ]]

    # A descriptor that another connection gets begins anew.
    stop steady
    eventually 10 eval '[ -z "$(caller steady)" ]'
    start again "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 1
    eventually 10 caller_has again ".calls >= 1 and .calls < $calls"
    stop again
    crash silent
    eventually 10 eval '[ "$(status -o json | jq -c .callers)" = "[]" ]'
}

@test "status: a process that is stopped is named, with what to do" {
    write_map main
    start_node
    kill -STOP "${PIDS[crigate]}"
    start owner "$CRIGATE_BUILD/crigate" owner --config crigate.yaml an-id
    run -2 timeout 14 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    finish owner 2 # 1 would say that there is no such id
    kill -CONT "${PIDS[crigate]}"
    [[ $output == *"the running crigate did not answer within 5 s; process ${PIDS[crigate]} is stopped; continue it with kill -CONT ${PIDS[crigate]}"* ]]
}

@test "status: a socket that was removed or replaced is not well, though connections to it go on" {
    write_map main
    start_node
    run -0 status
    mv crigate.sock aside.sock
    run -1 status
    [[ $output == *"Callers cannot connect: $PWD/crigate.sock was removed or replaced; restart crigate"* ]]
    run -0 "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/aside.sock" Version
    ln -s main.sock crigate.sock
    expect ".health == \"degraded\" and .unreachable != null" "$(status -o json)"
    mv aside.sock crigate.sock
    run -0 status
}

@test "status: callers outside of the gateway's PID namespace have no number and no name" {
    needs root is_root
    write_map main
    start crigate unshare --pid --fork "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 15 serves
    start steady "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 20
    eventually 10 eval 'status -o json | jq -e ".pid == 1 and any(.callers[]; .pid == 0 and .program == \"\" and .calls > 1)"'
    run -0 status
    [[ $output == *"PID 0: a process outside of crigate's PID namespace"* ]]
    stop steady
    kill -TERM "$(pgrep --parent "${PIDS[crigate]}")"
    finish crigate
}

@test "a map with errors still says where its crigate is" {
    write_map main
    start_node
    echo 'endpiont: oops' >>crigate.yaml
    eventually 10 eval 'status | grep -q "The newest runtime map was refused"'
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"crigate.yaml has errors (run crigate --check-config); trying its state folder"* && $output =~ main\ +primary ]]
    run -1 "$CRIGATE_BUILD/crigate" reload --config crigate.yaml
    [[ $output =~ "the previous runtime map stays in force" ]]
    run -0 "$CRIGATE_BUILD/crigate" calls --config crigate.yaml
    # It is no YAML at all any more.
    echo '  - [' >>crigate.yaml
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output =~ main\ +primary ]]
    run -0 "$CRIGATE_BUILD/crigate" hooks --config crigate.yaml
}

@test "who may not ask is told so, and where nobody listens, what to do" {
    write_map main
    start_node
    run -2 "$CRIGATE_BUILD/crigate" status --control no.sock
    [[ $output == *"no crigate is listening at no.sock: No such file or directory; start that crigate, or correct --control" ]]
    run -2 env -i "$CRIGATE_BUILD/crigate" owner --control no.sock 0123
    needs root is_root
    local command
    for command in status hooks calls reload "owner 0123" "top -n 1" log; do
        # shellcheck disable=SC2086
        run -77 setpriv --reuid 65534 --regid 65534 --clear-groups "$CRIGATE_BUILD/crigate" $command --control "$PWD/state/control.sock"
        [[ $output == *"only root and crigate's user may "* ]]
    done
    # Nor is a map that may not be read a reason to say that nobody listens.
    chmod 0600 crigate.yaml
    run -77 setpriv --reuid 65534 --regid 65534 --clear-groups "$CRIGATE_BUILD/crigate" status --config "$PWD/crigate.yaml"
    [[ $output == *"only root and crigate's user may query crigate; this user may not read $PWD/crigate.yaml" ]]
}

@test "owner prints the runtime of an id, by the map's state folder" {
    start_runtime second.local v1alpha2
    write_map main second.local
    start_node
    local pod
    pod=$(run_pod "$(pod web "$(to second.local)")")
    [ "$("$CRIGATE_BUILD/crigate" owner --config crigate.yaml "$pod")" = second.local ]
    # An id of the right form that nothing has.
    run -1 "$CRIGATE_BUILD/crigate" owner --config crigate.yaml second.local__0123
    [ "$output" = "second.local"$'\n'"crigate owner: by its prefix; not known to exist" ]
    [ "$("$CRIGATE_BUILD/crigate" owner --config crigate.yaml -o json second.local__0123 | jq -c '[.runtime, .held]')" = '["second.local",false]' ]
    # Of the primary, no lists are kept.
    [ "$("$CRIGATE_BUILD/crigate" owner --config crigate.yaml 0123)" = main ]
    run -64 "$CRIGATE_BUILD/crigate" owner --config crigate.yaml
    run -64 "$CRIGATE_BUILD/crigate" owner --config crigate.yaml ""
    run -2 "$CRIGATE_BUILD/crigate" owner --control no.sock 0123
}

@test "hooks: that they are off, that there are no plugins, and that nobody answers" {
    write_map main
    start_node
    hooks() {
        "$CRIGATE_BUILD/crigate" hooks --control state/control.sock "$@"
    }
    run -0 --separate-stderr hooks
    [[ -z $stderr && $output == "hooks are off; \`hooks: true\` in the runtime map switches them on" ]]
    expect '.on == false and .health == "well"' "$(hooks -o json)"
    mkdir plugins
    add_to_map "hooks: {folder: $PWD/plugins}"
    eventually 10 eval 'hooks -o json | jq -e ".on == true"'
    run -0 hooks --output text
    [[ $output == "there are no plugins: no valid file in $PWD/plugins names one" ]]
    run -64 hooks stray
    [[ $output =~ "crigate hooks: unexpected argument: stray; see crigate hooks --help" ]]
    run -0 hooks --help
    [[ $output =~ "Usage: crigate hooks" ]]
    stop crigate
    run -2 hooks
}

@test "status with a missing or bad map reports which one" {
    run "$CRIGATE_BUILD/crigate" status --config nowhere.yaml
    [[ $output =~ "nowhere.yaml: cannot be read: No such file or directory" && ! $output =~ mistakes ]]
    echo nonsense >crigate.yaml
    run "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output =~ "crigate.yaml has errors (run crigate --check-config)" ]]
}

@test "the control socket is for root and the gateway's own user" {
    needs root is_root
    open_folders
    write_map main
    start_node
    [ "$(stat -c %a state/control.sock)" = 600 ]
    chmod 666 state/control.sock
    run -2 setpriv --reuid "$NOBODY" --regid "$NOBODY" --clear-groups "$CRIGATE_BUILD/crigate" status --control "$PWD/state/control.sock"
    grep -q "refused a connection.*control.sock.*uid=65534" crigate.log
    run -0 status
}

@test "the control socket refuses endless lines and unknown requests" {
    write_map main
    start_node
    talk
    ask_control "make me a sandwich"
    answered '"code":"UNIMPLEMENTED"'
    ask_control "$(printf 'x%.0s' {1..2000})"
    answered closed
    exec 7>&-
    gone talk
    run -0 status
}

# ---- reload ----

@test "a changed file and SIGHUP reload the map; a bad one keeps the last good one" {
    write_map main
    start_node
    echo 'routing: {annotation: example.org/a}' >>crigate.yaml
    eventually 5 at_least 1 "map was reloaded" crigate.log

    sed 's/a}/b}/' crigate.yaml >new.yaml
    mv new.yaml crigate.yaml
    eventually 5 at_least 2 "map was reloaded" crigate.log

    kill -HUP "${PIDS[crigate]}"
    eventually 5 at_least 3 "map was reloaded" crigate.log

    echo 'nonsense: 1' >>crigate.yaml
    eventually 5 grep -q "crigate.yaml:[0-9]*:1: .*nonsense" crigate.log
    run -1 "$CRIGATE_BUILD/crigate" reload --control state/control.sock
    [[ $output =~ crigate.yaml:[0-9]+:1: ]]
    call Version
    run -1 status
    [[ $output == *"The newest runtime map was refused"*nonsense* ]]
    sed -i '$d' crigate.yaml
    eventually 5 at_least 4 "map was reloaded" crigate.log
    run -0 status
    run -0 "$CRIGATE_BUILD/crigate" reload --control state/control.sock
}

@test "drop-ins that come and go, and a config map's links, are noticed" {
    write_map main
    mkdir ..v1 ..v2
    mv crigate.yaml ..v1/crigate.yaml
    cp ..v1/crigate.yaml ..v2/crigate.yaml
    ln -s ..v1 ..data
    ln -s ..data/crigate.yaml crigate.yaml
    start_node
    ln -s ..v2 ..new
    mv -T ..new ..data
    eventually 5 at_least 1 "map was reloaded" crigate.log
    mkdir crigate.d
    eventually 5 at_least 2 "map was reloaded" crigate.log
    echo 'routing: {annotation: example.org/a}' >crigate.d/10-a.yaml
    eventually 5 at_least 3 "map was reloaded" crigate.log
    rm crigate.d/10-a.yaml
    eventually 5 at_least 4 "map was reloaded" crigate.log
}

@test "the address cannot change by a reload" {
    write_map main
    start_node
    sed -i "s|crigate.sock|elsewhere.sock|" crigate.yaml
    eventually 5 grep -q "listen: cannot change from unix://$PWD/crigate.sock to unix://$PWD/elsewhere.sock without a restart" crigate.log
    call Version
}

# ---- one process after another ----

@test "takeover: no call of new callers fails" {
    write_map main
    start_node
    (
        while [ ! -e enough ]; do
            call Version >/dev/null || echo failed
            echo called
        done
    ) >calls.txt 2>&1 3>&- &
    local callers=$!
    take_over
    gone old
    take_over
    gone old
    touch enough
    wait "$callers"
    [ "$(grep -c called calls.txt)" -ge 5 ]
    run ! grep -v called calls.txt
    run -0 status
    [ "$(status -o json | jq .pid)" = "${PIDS[crigate]}" ]
}

@test "takeover: no call on a connection that is kept fails, and there is no gap" {
    write_map main
    start_node
    # What else the machine does may hold a call up, in some rounds. A gap is there in all of them. Sanitizers hold up each.
    local i round before longest=100
    plain_build || longest=1000
    for round in {1..5}; do
        rm -f steady.log
        start steady "$CRIGATE_BUILD/steady_caller" "unix://$PWD/crigate.sock" 1000
        for i in {1..4}; do
            before=$(asked main Version)
            eventually 10 eval '[ "$(asked main Version)" -gt $((before + 50)) ]'
            take_over
            gone old
        done
        stop steady
        cat steady.log
        expect '.failed == 0 and .calls > 50' "$(cat steady.log)"
        ! expect ".longest_ms < $longest" "$(cat steady.log)" || return 0
    done
    return 1
}

# outlives_grace NAME: whether a process that was taken over runs on for longer than a grace of 10 ms from when it began to stop.
outlives_grace() {
    local i
    eventually 15 grep "stopping; 1 calls in flight" crigate.log
    for i in {1..10}; do call Version; done
    ! ended "$1"
}

@test "takeover: a long call ends in the old process, which is gone afterwards, without the socket" {
    stop main
    start_runtime main v1 --hold PullImage=go
    write_map main
    add_to_map 'limits: {startup_grace: 10s, shutdown_grace: 10ms}'
    start_node
    (pull docker.io/library/busybox:latest >pulled) 3>&- &
    local puller=$!
    eventually 15 calls_show '.calls[0].state == "asking"'
    take_over
    outlives_grace old
    touch go
    wait "$puller"
    [[ $(cat pulled) =~ ^sha256: ]]
    gone old
    [ -S crigate.sock ]
    [ -S state/control.sock ]
    run -0 status
}

@test "takeover: SIGTERM ends the old process within its grace, and nothing else" {
    stop main
    start_runtime main v1 --hang PullImage
    write_map main
    add_to_map 'limits: {startup_grace: 10s, shutdown_grace: 10ms}'
    start_node
    (pull docker.io/library/busybox:latest) >/dev/null 2>&1 3>&- &
    eventually 15 eval '[ "$(asked main PullImage)" = 1 ]'
    take_over
    outlives_grace old
    stop old
    call Version
    [ -S crigate.sock ]
}

# of_vm FILTER: whether it is true of what `crigate status` tells of vm.local.
of_vm() {
    status -o json | jq -e ".runtimes[] | select(.name == \"vm.local\") | $1"
}

# start_making NAME: a pod on vm.local, which takes its time.
start_making() {
    start_call "$1" RunPodSandbox "{\"config\":$(pod "$1" "$(to vm.local)")}"
    eventually 10 of_vm '.calls == 1'
}

@test "takeover: the new process never misses a pod that the old one is still making" {
    start_runtime vm.local v1 --state vm.state --hold RunPodSandbox=go
    write_map main vm.local
    start_node
    start_making slow
    take_over
    # It has seen lists that lack the pod.
    eventually 10 eval '[ "$(asked vm.local ListContainers)" -ge 2 ]'
    [ "$(asked vm.local RunPodSandbox)" = 0 ]
    [ "$(call ListPodSandbox)" = "{}" ]
    of_vm '.inDoubt'
    run -1 "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    [[ $output == *"the process before the running crigate is still creating pods or containers; try again when it has ended"* ]]
    kill -STOP "${PIDS[old]}"
    touch go
    eventually 10 eval '[ "$(asked vm.local RunPodSandbox)" = 1 ]'
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    run -14 call ListPodSandbox
    [[ $output =~ "it may hold something that crigate has not seen" ]]
    # Whether its answer was still heard is nobody's concern.
    kill -CONT "${PIDS[old]}"
    eventually 20 ended slow
    unset "PIDS[slow]"
    gone old
    run -14 call ListPodSandbox
    start_runtime vm.local v1 --state vm.state
    eventually 20 of_vm '.state == "ready" and (.inDoubt | not)'
    crash vm.local
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

@test "takeover: lists of a runtime that only the old process can reach, and make pods on, are stale" {
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    eventually 10 eval '[ -s state/vm.local.lists ]'
    # The connection that is there stays; there is no way to a new one.
    mv vm.local.sock hidden.sock
    take_over
    run -14 call ListPodSandbox
    [[ $output =~ "it may hold something that crigate has not seen" ]]
    gone old
    run -14 call ListPodSandbox
    mv hidden.sock vm.local.sock
    eventually 20 of_vm '.state == "ready" and (.inDoubt | not)'
    expect '.items | length == 1' "$(call ListPodSandbox)"
}

@test "takeover: after a failed takeover the last known lists still count" {
    start_runtime vm.local v1 --containers 3
    write_map main vm.local
    start_node
    eventually 10 eval '[ -s state/vm.local.lists ]'
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered '"takeover":1,'
    [ ! -s state/vm.local.lists ]
    close_talk
    eventually 15 eval '[ -s state/vm.local.lists ]'
}

@test "takeover: a long pull in the old process makes no list stale, and a runtime that is away is reported throughout" {
    local container
    start_runtime vm.local v1 --containers 3
    start_runtime gone.local v1 --containers 3
    stop main
    start_runtime main v1 --hang PullImage
    write_map main vm.local gone.local
    add_to_map 'limits: {startup_grace: 10s, shutdown_grace: 1s}'
    start_node
    eventually 10 eval '[ "$(asked gone.local ListContainers)" -ge 1 ]'
    expect '.items | length == 2' "$(call ListPodSandbox)"
    crash gone.local
    eventually 10 grep -q "runtime gone.local: connection to .* lost" crigate.log
    start_call pull PullImage '{"image":{"image":"busybox"}}'
    eventually 10 eval 'status -o json | jq -e ".runtimes[0].calls == 1"'
    take_over
    expect '.items | length == 2' "$(call ListPodSandbox)"
    eventually 10 of_vm '.inDoubt | not'
    run ! ended old
    crash vm.local
    eventually 10 grep -q "runtime vm.local: connection to .* lost" crigate.log
    expect '.items | length == 2' "$(call ListPodSandbox)"
    stop old
    finish pull 14
    expect '.items | length == 2' "$(call ListPodSandbox)"
    expect '.containers | length == 6' "$(call ListContainers)"
}

@test "takeover of nothing, of another address or by another user reports why" {
    write_map main
    run -1 "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    [[ $output == *"cannot take over: no crigate is listening at $PWD/state/control.sock"* ]]
    start_node
    run -1 "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output == *"another crigate owns $PWD/crigate.sock"*--takeover* ]]
    sed 's/crigate.sock/elsewhere.sock/' crigate.yaml >other.yaml
    run -1 "$CRIGATE_BUILD/crigate" --config other.yaml --takeover
    [[ $output == *"the running crigate listens on unix://$PWD/crigate.sock, not on unix://$PWD/elsewhere.sock"* ]]
    [ ! -e elsewhere.sock ]
    call Version
}

# elsewhere: starts a second gateway with another socket and the same state folder, which fails.
elsewhere() {
    sed 's/crigate.sock/elsewhere.sock/' crigate.yaml >other.yaml
    run -1 timeout 10 "$CRIGATE_BUILD/crigate" --config other.yaml
    [[ $output == *"cannot start: $1 keeps its state in $PWD/state; give each crigate its own folder"* ]]
    [ ! -e elsewhere.sock ]
}

@test "a state folder has one owner, also after a takeover and a crash" {
    local first
    write_map main
    start_node
    first=${PIDS[crigate]}
    elsewhere "process $first"
    [ "$(status -o json | jq .pid)" = "$first" ]
    take_over
    [ "${PIDS[crigate]}" != "$first" ]
    elsewhere "process ${PIDS[crigate]}"
    gone old
    elsewhere "process ${PIDS[crigate]}"
    [ "$(status -o json | jq .pid)" = "${PIDS[crigate]}" ]
    # One that gives up a takeover takes nothing along.
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered 'descriptors=3'
    close_talk
    elsewhere "process ${PIDS[crigate]}"
    # What is written in the file is no lock, and need not be a number.
    crash crigate
    echo "; rm -rf" >state/state.lock
    rm crigate.log
    start_node
    elsewhere "process ${PIDS[crigate]}"
    echo nonsense >state/state.lock
    elsewhere "another process"
    stop crigate
    rm crigate.log
    start_node
}

@test "takeover: another process that gives up, is silent, or has another version changes nothing" {
    write_map main
    start_node
    talk
    ask_control "takeover 99 $PWD/crigate.sock"
    answered "speaks takeover version 1, not 99"
    ask_control "serving"
    answered "nothing was handed over on this connection"
    ask_control "takeover 1 $PWD/crigate.sock"
    answered '"takeover":1,.* descriptors=3'
    call Version
    close_talk
    eventually 5 grep -q "the takeover failed: the other process did not become ready" crigate.log

    rm talk.log
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered 'descriptors=3'
    answered closed 8
    eventually 5 at_least 2 "the takeover failed: the other process did not become ready" crigate.log
    exec 7>&-
    gone talk
    call Version
    take_over
    gone old
    call Version
}

@test "takeover: SIGTERM in the middle waits for its end, so that the socket has an owner" {
    write_map main
    start_node
    talk
    ask_control "takeover 1 $PWD/crigate.sock"
    answered 'descriptors=3'
    kill -TERM "${PIDS[crigate]}"
    eventually 5 took_signals crigate
    call Version
    ask_control "serving"
    answered '"leaving":true'
    gone crigate
    # Whoever took over owns it; the file is not the old one's to remove.
    [ -S crigate.sock ]
    close_talk
}
