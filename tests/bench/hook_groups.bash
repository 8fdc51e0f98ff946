# What plugins cost: the groups `hooks` and `known`. Sourced by `run`, as groups.bash is.

# start_plugin NAME HOOK,…: a simulated plugin that echoes, with its file in a folder of its own.
start_plugin() {
    mkdir -p -m 755 "$work/$1.plugins"
    start "$1" "$build/hooksim" --listen "$(address "$1")" --name "$1" --hooks "$2" --write-file "$work/$1.plugins" "${@:3}"
    wait_for "$1"
}

# start_go_plugin NAME HOOK,…: the same on grpc-go, as koordlet is.
start_go_plugin() {
    mkdir -p -m 755 "$work/$1.plugins"
    start "$1" "$build/bench-plugin" "$work/$1.sock"
    wait_for "$1"
    jq -n --arg socket "$work/$1.sock" --arg hooks "$2" \
        '{"remote-endpoint": $socket, "failure-policy": "Ignore", "runtime-hooks": ($hooks | split(","))}' >"$work/$1.plugins/$1.json"
    chmod 644 "$work/$1.plugins/$1.json"
}

# start_hooked NAME COUNT FOLDER LIMITS RUNTIME…: as start_crigates, with hooks on and that folder of plugins. LIMITS may be "".
start_hooked() {
    local name=$1 count=$2 folder=$3 limits=$4
    mkdir -p -m 755 "$folder"
    more_of_map="hooks: {folder: \"$folder\"}"$'\n'${limits:+"limits: {$limits}"} start_crigates "$name" "$count" "${@:5}"
}

# plugins_of CRIGATE COUNT: whether it calls that many plugins.
plugins_of() {
    "$build/crigate" hooks --control "$work/$1.state/control.sock" -o json 2>/dev/null | jq -e ".plugins | length == $2" >/dev/null
}

# wait_for_plugins CRIGATE COUNT
wait_for_plugins() {
    local i
    for i in $(seq 100); do
        if plugins_of "$1" "$2"; then
            return
        fi
        sleep 0.1
    done
    echo "$1 does not call $2 plugins" >&2
    return 1
}

# The stages for which a koordlet registers.
koordlets_hooks=PreRunPodSandbox,PreCreateContainer,PreUpdateContainerResources

# hook_ways RUNTIME TITLE CONTAINERS: gateways without hooks, with hooks but no plugin (on), and with one that echoes (echo); with
# --before also another build (before).
hook_ways() {
    local runtime=$1
    echo "scenario hooks_$3 $3 $2" >>"$plan"
    way target direct runtime.v1 "$runtime"
    way target passthrough runtime.v1 $(numbered "passthrough_$runtime" 3)
    if [ -n "${before-}" ]; then
        way target before runtime.v1 $(numbered "before_$runtime" 3)
    fi
    way target crigate runtime.v1 $(numbered "off_$runtime" 3)
    way target on runtime.v1 $(numbered "on_$runtime" 3)
    way target echo runtime.v1 $(numbered "echo_$runtime" 3)
}

create_hook=/runtime.v1alpha1.RuntimeHookService/PreCreateContainerHook

# start_hooked_passthroughs NAME COUNT PLUGIN: pass-throughs to the runtime `made` that call the plugin first, called NAME_1 and so on.
start_hooked_passthroughs() {
    local name=$1 count=$2 plugin=$3 i
    for i in $(seq "$count"); do
        start "${name}_$i" "$build/passthrough" --plugin "$(address "$plugin")" "$create_hook" "$work/hook.request" \
            "$(address "${name}_$i")" "$(address made)"
    done
}

# plugin_ways BARE PLUGIN: a caller that calls the plugin itself and then the runtime, the bare hook, and calls of the plugin alone.
plugin_ways() {
    way target by_hand runtime.v1 made
    echo "before $create_hook $work/hook.request $(address "$2")" >>"$plan"
    way target bare runtime.v1 $(numbered "$1" 3)
    echo "plugin $create_hook $work/hook.request $(address "$2") ${pids[$2]}" >>"$plan"
}

# What hooks cost with a plugin on grpc-go. A call of such a plugin takes longer than one of hooksim.
go_plugin_scenario() {
    echo "scenario hooks_go 3 v1 caller, v1 runtime, a plugin on grpc-go" >>"$plan"
    way target direct runtime.v1 made
    way target passthrough runtime.v1 $(numbered passthrough_made 3)
    way target crigate runtime.v1 $(numbered off_made 3)
    way target echo runtime.v1 $(numbered echo_go 3)
    plugin_ways bare_go going
    rpc CreateContainer 1,8
}

# What crigate sends the plugin before it creates the container of the sample, as the file hook.request.
record_hook_request() {
    local pod request
    start_plugin recorder PreCreateContainer --journal "$work/recorder.journal"
    start_hooked recording 1 "$work/recorder.plugins" "" made
    wait_for recording_1
    wait_for_plugins recording_1 1
    pod=$("$build/crigate" call --endpoint "$(address made)" ListContainers | jq -r '.containers[0].podSandboxId')
    request=$(jq -c --arg pod "$pod" '.podSandboxId = $pod | .config.metadata.attempt = 199' "$here/samples/create_container.json")
    "$build/crigate" call --endpoint "$(address recording_1)" CreateContainer "$request" >"$work/recording.answer"
    jq -r '.request_base64' "$work/recorder.journal" | tail -n 1 | base64 -d >"$work/hook.request"
}

# One runtime, and one plugin that is there for a koordlet's stages and echoes. The container that is created has labels, annotations,
# 20 variables and resources. After tests/bench/plugin/build, the same with a plugin on grpc-go.
group_hooks() {
    local runtime i
    start_runtime many v1 500
    start_runtime made v1 3
    start_plugin echoing "$koordlets_hooks"
    record_hook_request
    for runtime in many made; do
        start_passthroughs 3 "$runtime"
        if [ -n "${before-}" ]; then
            crigate=$before start_crigates "before_$runtime" 3 "$runtime"
        fi
        start_crigates "off_$runtime" 3 "$runtime"
        start_hooked "on_$runtime" 3 "$work/no.plugins" "" "$runtime"
        start_hooked "echo_$runtime" 3 "$work/echoing.plugins" "" "$runtime"
    done
    start_hooked_passthroughs bare 3 echoing
    if [ -x "$build/bench-plugin" ]; then
        start_go_plugin going "$koordlets_hooks"
        start_hooked echo_go 3 "$work/going.plugins" "" made
        start_hooked_passthroughs bare_go 3 going
    fi
    wait_for_all
    for i in 1 2 3; do
        wait_for_plugins "echo_many_$i" 1
        wait_for_plugins "echo_made_$i" 1
        if [ -x "$build/bench-plugin" ]; then
            wait_for_plugins "echo_go_$i" 1
        fi
    done
    hook_ways many "v1 caller, v1 runtime with 500 containers, hooks" 500
    rpc Version 1,8
    rpc ContainerStatus 1,8
    rpc ListContainers 1
    hook_ways made "v1 caller, v1 runtime, hooks" 3
    plugin_ways bare echoing
    rpc CreateContainer 1,8
    if [ -x "$build/bench-plugin" ]; then
        go_plugin_scenario
    fi
}

# ---- what is known of many pods ----

# MiB KIB
mib() {
    awk -v kib="$1" 'BEGIN { printf "%.1f", kib / 1024 }'
}

status_kib() {
    awk -v key="$2:" '$1 == key { print $2 }' "/proc/${pids[$1]}/status"
}

# make_pods CRIGATE OPTION…: has pods made there; sets $made to what bench-pods prints.
make_pods() {
    made=$("$build/bench-pods" "$(address "$1")" --samples "$here/samples" --watch "${pids[$1]}" "${@:2}")
}

# known_row LABEL CRIGATE: a row of the table, and an object of the JSON.
known_row() {
    local before after peak
    before=$(jq .before_kib <<<"$made") after=$(jq .after_kib <<<"$made") peak=$(status_kib "$2" VmHWM)
    printf '  %-44s %9s %9s %9s %9s\n' "$1" "$(mib "$before")" "$(mib "$after")" "$(mib $((after - before)))" "$(mib "$peak")" |
        tee -a "$build/bench.txt"
    jq -c --arg name "$1" --argjson peak "$peak" '{name: $name, peak_kib: $peak} + .' <<<"$made" >>"$work/known.rows"
}

group_known() {
    local name
    for name in off on echo large churn; do
        start_runtime "known_$name" v1 3 --verbose-info containerd
    done
    start_plugin starting PreStartContainer
    start_plugin all "PreRunPodSandbox,PreCreateContainer,PreStartContainer,PostStartContainer,PostStopContainer,PostStopPodSandbox"
    start_crigates off 1 known_off
    start_hooked on 1 "$work/no.plugins" "" known_on
    start_hooked echo 1 "$work/starting.plugins" "" known_echo
    start_hooked large 1 "$work/starting.plugins" "memory: 128MiB" known_large
    start_hooked churn 1 "$work/all.plugins" "" known_churn
    wait_for_all
    wait_for_plugins echo_1 1
    wait_for_plugins large_1 1
    wait_for_plugins churn_1 1
}

# Memory with many pods, and after many that are gone.
measure_known() {
    local step
    printf '\nResident memory in MiB, %d pods with %d containers\n  %-44s %9s %9s %9s %9s\n' "$known_pods" $((known_pods * 5)) "" \
        before after grown peak | tee -a "$build/bench.txt"
    make_pods off_1 --pods "$known_pods"
    known_row "hooks off" off_1
    make_pods on_1 --pods "$known_pods"
    known_row "no plugin" on_1
    make_pods echo_1 --pods "$known_pods"
    known_row "plugin, environments of 500 bytes" echo_1
    make_pods large_1 --pods "$known_pods" --environment 40960
    known_row "plugin, 40 KiB each, limits.memory 128 MiB" large_1
    for step in 1 2 3 4; do
        make_pods churn_1 --pods $((known_pods * 5)) --containers 1 --remove
        known_row "$((known_pods * 5 * step)) pods made and removed, facts $(stat -c %s "$work"/churn_1.state/*.facts) bytes" churn_1
    done
}
