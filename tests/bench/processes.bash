# What takes part in a run of the bench: starting it, waiting for it, ending it. Sourced by `run`, which sets build and work.

declare -A pids=()

address() {
    echo "unix://$work/$1.sock"
}

# start NAME COMMAND…: in the background, its log beside its socket.
start() {
    local name=$1
    shift
    "$@" >"$work/$name.log" 2>&1 &
    pids[$name]=$!
}

# wait_for NAME: until it has made its socket. Whether it answers is seen by the bench.
wait_for() {
    for _ in $(seq 100); do
        if [ -S "$work/$1.sock" ]; then
            return
        fi
        if ! kill -0 "${pids[$1]}" 2>/dev/null; then
            break
        fi
        sleep 0.1
    done
    echo "$1 did not start" >&2
    return 1
}

wait_for_all() {
    local name
    for name in "${!pids[@]}"; do
        if [ "$name" != haproxy ]; then
            wait_for "$name"
        fi
    done
}

# start_runtime NAME DIALECTS CONTAINERS [OPTION…]. Containers are created once for each different request, however often that comes.
start_runtime() {
    start "$1" "$build/crisim" --listen "$(address "$1")" --api "$2" --containers "$3" --repeat CreateContainer "${@:4}"
    wait_for "$1"
}

# write_map NAME RUNTIME[=DIALECT]…: the first one is the primary.
write_map() {
    local name=$1 runtime primary=true
    shift
    printf 'listen: %s\nstate: %s\nruntimes:\n' "$(address "$name")" "$work/$name.state"
    for runtime in "$@"; do
        printf '  - name: %s\n    endpoint: %s\n' "${runtime%%=*}" "$(address "${runtime%%=*}")"
        if [ "$runtime" != "${runtime%%=*}" ]; then
            printf '    api: %s\n' "${runtime#*=}"
        fi
        if $primary; then
            printf '    primary: true\n'
        else
            printf '    budget: 200ms\n'
        fi
        primary=false
    done
    if [ -n "${more_of_map-}" ]; then
        echo "$more_of_map"
    fi
}

# start_crigates NAME COUNT RUNTIME[=DIALECT]…: that many gateways, called NAME_1 and so on. Of another build: crigate=PROGRAM in front;
# with more lines in the map: more_of_map=LINES.
start_crigates() {
    local name=$1 count=$2 i
    shift 2
    for i in $(seq "$count"); do
        write_map "${name}_$i" "$@" >"$work/${name}_$i.yaml"
        start "${name}_$i" "${crigate:-$build/crigate}" --config "$work/${name}_$i.yaml"
    done
}

# start_passthroughs COUNT RUNTIME
start_passthroughs() {
    start_fanouts "passthrough_$2" "$@"
}

# start_fanouts NAME COUNT RUNTIME…: pass-throughs that ask all of them, called NAME_1 and so on. Of another build, and with options:
# passthrough="PROGRAM OPTION…" in front.
start_fanouts() {
    local name=$1 count=$2 i runtime
    local -a runtimes=()
    shift 2
    for runtime in "$@"; do
        runtimes+=("$(address "$runtime")")
    done
    for i in $(seq "$count"); do
        start "${name}_$i" ${passthrough:-"$build/passthrough"} "$(address "${name}_$i")" "${runtimes[@]}"
    done
}

# start_haproxy RUNTIME…: HTTP/2 on both sides, one thread. Without it the run goes on.
start_haproxy() {
    if ! command -v haproxy >/dev/null; then
        return
    fi
    local runtime
    {
        printf 'global\n    nbthread 1\ndefaults\n    mode http\n'
        printf '    timeout connect 5s\n    timeout client 1m\n    timeout server 1m\n'
        for runtime in "$@"; do
            printf 'listen haproxy_%s\n    bind unix@%s proto h2\n    http-reuse always\n    server runtime unix@%s proto h2\n' \
                "$runtime" "$work/haproxy_$runtime.sock" "$work/$runtime.sock"
        done
    } >"$work/haproxy.cfg"
    start haproxy haproxy -db -q -f "$work/haproxy.cfg"
}

# Says which processes are gone that should be there, and what they had to say.
print_failure() {
    local name status
    echo "The bench failed." >&2
    for name in "${!pids[@]}"; do
        if ! kill -0 "${pids[$name]}" 2>/dev/null; then
            status=0
            wait "${pids[$name]}" || status=$?
            echo "$name has ended with status $status:" >&2
            tail -n 5 "$work/$name.log" >&2
        fi
    done
}

stop_all() {
    if [ "${#pids[@]}" -eq 0 ]; then
        return
    fi
    kill -CONT "${pids[@]}" 2>/dev/null || true
    kill "${pids[@]}" 2>/dev/null || true
    (sleep 5 && kill -KILL "${pids[@]}") 2>/dev/null &
    local watchdog=$!
    wait "${pids[@]}" 2>/dev/null || true
    kill "$watchdog" 2>/dev/null || true
    pids=()
    rm -f "$work"/*.sock
}
