# What the integration tests share: a gateway and simulated runtimes that live as long as one test.
# shellcheck shell=bash
#
# A test runs in a folder of its own. Runtime NAME listens on NAME.sock there and writes NAME.journal and NAME.log; the gateway
# listens on crigate.sock and writes crigate.log. CRIGATE_BUILD names the folder of the programs, sanitized or not.

bats_require_minimum_version 1.5.0

# shellcheck source=tests/eventually.bash
source "${BASH_SOURCE[0]%/*}/../eventually.bash"

: "${CRIGATE_BUILD:?names the folder of the programs}"

# The same language as jq's, and it starts in a tenth of the time: jq 1.6 burns 17 ms before it reads anything, and these tests ask it some
# ten thousand times. Keys are always sorted; it knows no -S.
jq() {
    gojq "$@"
}

declare -gA PIDS=()

# Who `call` is: the dialect of the caller.
API=v1

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
}

# Every program has to end well when asked to, and no sanitizer may have complained.
teardown() {
    local name failed=0
    for name in crigate "${!PIDS[@]}"; do
        if [ -n "${PIDS[$name]:-}" ]; then
            stop "$name" || failed=1
        fi
    done
    if grep -lE 'ERROR: AddressSanitizer|runtime error:|LeakSanitizer|ThreadSanitizer' ./*.log; then
        failed=1
    fi
    if [ "$failed" = 1 ] || [ -z "${BATS_TEST_COMPLETED:-}" ]; then
        tail -n 60 ./*.log | cut -c -600
    fi
    return "$failed"
}

# ---- programs ----

# start NAME COMMAND...: starts a program in the background.
start() {
    local name=$1
    shift
    "$@" >>"$name.log" 2>&1 3>&- &
    PIDS[$name]=$!
}

# ended NAME: whether the program is gone.
ended() {
    ! kill -0 "${PIDS[$1]}" 2>/dev/null
}

# at_least COUNT PATTERN FILE: whether at least that many lines match.
at_least() {
    [ "$(grep -c "$2" "$3")" -ge "$1" ]
}

# took_signals NAME: whether no signal waits for the program.
took_signals() {
    ! grep -qE '^(Sig|Shd)Pnd:.*[1-9a-f]' "/proc/${PIDS[$1]}/status"
}

# at_rest NAME: whether the program has not read or written a byte since this was asked last.
at_rest() {
    local before=${BYTES:-}
    BYTES=$(grep '^.char' "/proc/${PIDS[$1]}/io")
    [ "$BYTES" = "$before" ]
}

# finish NAME [STATUS]: waits for the program to end; fails when it does not, or does so with another exit status than 0.
finish() {
    local pid=${PIDS[$1]} status=0
    if ! eventually 20 ended "$1"; then
        echo "$1 did not end within a minute"
        kill -KILL "$pid"
    fi
    unset "PIDS[$1]"
    wait "$pid" || status=$?
    [ "$status" = "${2:-0}" ] || {
        echo "$1 ended with status $status"
        return 1
    }
}

# stop NAME: asks the program to end, which it has to do well.
stop() {
    kill -TERM "${PIDS[$1]}" 2>/dev/null || true
    finish "$1"
}

# crash NAME: ends the program, if it has not ended yet, without asking. Its socket file stays.
crash() {
    local pid=${PIDS[$1]}
    unset "PIDS[$1]"
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" || true
}

# start_runtime NAME DIALECT [OPTION...]: starts a simulated runtime and waits until it takes calls.
start_runtime() {
    local name=$1 api=$2
    shift 2
    rm -f "$name.log"
    start "$name" "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/$name.sock" --api "$api" --journal "$name.journal" "$@"
    eventually 15 grep -q "listening on" "$name.log"
}

# print_map RUNTIME...: a runtime map. The first runtime is the primary. A runtime is its name, or its name and more keys:
# "vm.local, handlers: [kvm]".
print_map() {
    local runtime name primary=true
    printf 'listen: {address: "unix://%s/crigate.sock"}\nstate: "%s/state"\nlimits: {startup_grace: %s}\nruntimes:\n' \
        "$PWD" "$PWD" "${GRACE:-10s}"
    for runtime in "$@"; do
        name=${runtime%%,*}
        printf '  - {name: %s, endpoint: "unix://%s/%s.sock", primary: %s%s}\n' \
            "$name" "$PWD" "$name" "$primary" "${runtime#"$name"}"
        primary=false
    done
}

# write_map RUNTIME...: writes such a map to crigate.yaml, at once: a gateway that runs sees no half of it, however slow the machine is.
write_map() {
    print_map "$@" >map.new
    mv map.new crigate.yaml
}

# add_to_map LINE: for what is not said of a runtime. A limit replaces the limits of write_map.
add_to_map() {
    if [[ $1 == limits:* ]]; then
        sed '/^limits:/d' crigate.yaml >map.new
        echo "$1" >>map.new
        mv map.new crigate.yaml
    else
        echo "$1" >>crigate.yaml
    fi
}

# start_crigate [OPTION...]: starts the gateway and waits until it takes calls.
start_crigate() {
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml "$@"
    eventually 15 serves || {
        cat crigate.log
        return 1
    }
}

# serves: whether the gateway answers anything at all.
serves() {
    local status=0
    [ -S crigate.sock ] || return 1
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --timeout 2s --no-message --raw /is.anybody/There ||
        status=$?
    [ "$status" = 3 ]
}

# runtime_ready NAME [COUNT]: whether the gateway has found the runtime's dialect, that many times by now.
runtime_ready() {
    [ "$(grep -c "runtime $1: ready" crigate.log)" -ge "${2:-1}" ]
}

# start_node [OPTION...]: starts the gateway and waits until all runtimes of its map are ready.
start_node() {
    local name
    start_crigate "$@"
    for name in $(sed -n 's/^  - {name: \([^,]*\),.*/\1/p' crigate.yaml); do
        eventually 15 runtime_ready "$name"
    done
}

plain_build() {
    ! grep -q '^CRIGATE_SANITIZE:[A-Z]*=.' "$CRIGATE_BUILD/CMakeCache.txt"
}

# needs WHAT COMMAND... : skips the test where it cannot run, unless CI says that everything has to.
needs() {
    local what=$1
    shift
    "$@" || {
        [ "${CI:-}" != true ] || return 1
        skip "needs $what"
    }
}

# ---- calls ----

# call [OPTION...] METHOD [JSON]: asks the gateway in the caller's dialect.
call() {
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api "$API" --compact --timeout 60s "$@"
}

# start_call NAME [OPTION...] METHOD [JSON]: a call that may last; NAME.log gets its answer, `finish NAME` its status.
start_call() {
    local name=$1
    shift
    start "$name" "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --api "$API" --compact --timeout 60s "$@"
}

# calls_show FILTER: whether jq's filter is true of what `crigate calls` prints of the calls under way.
calls_show() {
    "$CRIGATE_BUILD/crigate" calls -o json --config crigate.yaml | jq -e "$1" >/dev/null
}

# call_raw PATH BYTES: sends bytes, written as printf does, as the request. The response is thrown away.
call_raw() {
    printf '%b' "$2" >request
    call --raw --raw-request request "$1" >/dev/null
}

# ask RUNTIME DIALECT METHOD [JSON]: asks a runtime behind the gateway's back.
ask() {
    local runtime=$1 api=$2
    shift 2
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/$runtime.sock" --api "$api" --compact --timeout 20s "$@"
}

# journal RUNTIME METHOD: what the runtime was asked by that name, an entry a line.
journal() {
    jq -c --arg name "/$2" 'select(.method // "" | endswith($name))' "$1.journal"
}

# arrived RUNTIME METHOD: the last of them.
arrived() {
    journal "$1" "$2" | tail -n 1
}

# asked RUNTIME METHOD: how many there are.
asked() {
    grep -c "^{\"method\":\"[^\"]*/$2\"" "$1.journal" || true
}

# expect FILTER JSON: fails, and shows the JSON, unless there is one and jq's filter is true of it.
expect() {
    [ -n "$2" ] && jq -e "$1" <<<"$2" >/dev/null || {
        echo "not true of what came: $1"
        jq . <<<"$2" || echo "$2"
        return 1
    } >&2
}

# field FILTER JSON: what jq finds in it, as text.
field() {
    jq -r "$1" <<<"$2"
}

# ---- the control socket ----

# talk: connects to the control socket; see ask_control and answered.
talk() {
    rm -f requests
    mkfifo requests
    exec 7<>requests # both ways, so that it does not wait for the other side
    "$CRIGATE_BUILD/control_talk" state/control.sock <requests >>talk.log 2>&1 3>&- 7>&- &
    PIDS[talk]=$!
}

ask_control() {
    echo "$1" >&7
}

answered() {
    eventually "${2:-10}" grep -q -- "$1" talk.log
}

close_talk() {
    exec 7>&-
    finish talk
}

# ---- pods ----

# pod NAME [FILTER]: a sandbox configuration, changed by a filter of jq.
pod() {
    jq -nc --arg name "$1" "{metadata: {name: \$name, uid: (\"uid-\" + \$name), namespace: \"shop\"},
        logDirectory: (\"/var/log/pods/\" + \$name)} | ${2:-.}"
}

# to RUNTIME: the filter that adds the annotation by which a pod asks for a runtime.
to() {
    printf '.annotations["kubernetes.io/target-runtime"] = "%s"' "$1"
}

# run_pod CONFIG [HANDLER]: runs a pod and prints its id.
run_pod() {
    local id
    id=$(call RunPodSandbox "$(jq -nc --argjson config "$1" --arg handler "${2:-}" \
        '{config: $config} + if $handler == "" then {} else {runtimeHandler: $handler} end')") || return
    field .podSandboxId "$id"
}

# create_container POD CONFIG IMAGE [FILTER]: creates a container in a pod and prints its id.
create_container() {
    local id
    id=$(call CreateContainer "$(jq -nc --arg pod "$1" --argjson config "$2" --arg image "$3" \
        "{podSandboxId: \$pod, sandboxConfig: \$config,
          config: ({metadata: {name: \"main\"}, image: {image: \$image}, logPath: \"main.log\"} | ${4:-.})}")") || return
    field .containerId "$id"
}

# pull IMAGE [CONFIG]: pulls an image, for a pod, and prints the reference that comes back.
pull() {
    local reference
    reference=$(call PullImage "$(jq -nc --arg image "$1" --argjson config "${2:-null}" \
        '{image: {image: $image}} + if $config then {sandboxConfig: $config} else {} end')") || return
    field .imageRef "$reference"
}
