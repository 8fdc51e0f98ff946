# The group `kubelet`: calls of a kubelet-like client to a runtime, both on grpc-go. Sourced by `run`, as groups.bash is.

# Of each way: two processes of one program can differ for as long as they live.
kubelet_processes=3

# The pass-throughs: what they are called in the table, and the program with its options.
kubelet_passthroughs() {
    echo "passthrough $build/passthrough"
    echo "connected $build/passthrough --connected"
    if [ -x "$build/passthrough-static" ]; then
        echo "static $build/passthrough-static --connected"
        echo "lean $build/passthrough-static --connected --no-deadlock-search"
    fi
}

# start_kubelet_ways: everything between the caller and the runtime kubelets_runtime.
start_kubelet_ways() {
    local name program
    while read -r name program; do
        passthrough=$program start_fanouts "$name" $kubelet_processes kubelets_runtime
    done < <(kubelet_passthroughs)
    start_crigates crigate $kubelet_processes kubelets_runtime
    start_crigates remembering 1 kubelets_runtime
    if [ -n "${before-}" ]; then
        crigate=$before start_crigates before $kubelet_processes kubelets_runtime
        crigate=$before start_crigates before_remembering 1 kubelets_runtime
    fi
    start_haproxy kubelets_runtime
}

# kubelet_scenario CONTAINERS TITLE
kubelet_scenario() {
    local name program
    echo "scenario kubelet_$1 $1 $2" >>"$plan"
    way target direct runtime.v1 kubelets_runtime
    while read -r name program; do
        way target "$name" runtime.v1 $(numbered "$name" $kubelet_processes)
    done < <(kubelet_passthroughs)
    if [ -n "${pids[haproxy]-}" ]; then
        echo "foreign haproxy runtime.v1 $(address haproxy_kubelets_runtime) ${pids[haproxy]}" >>"$plan"
    fi
    if [ -n "${before-}" ]; then
        way target before runtime.v1 $(numbered before $kubelet_processes)
    fi
    way target crigate runtime.v1 $(numbered crigate $kubelet_processes)
}

# kubelet_start NAME COMMAND…: LISTEN in the command becomes the address at which it listens.
kubelet_start() {
    local name=$1 listen
    shift
    listen=$(address "begun_$name")
    echo "start $name runtime.v1 $listen ${*//LISTEN/$listen}" >>"$plan"
}

# kubelet_starts: everything that is started to measure how long that takes.
kubelet_starts() {
    local name program
    while read -r name program; do
        kubelet_start "$name" $program LISTEN "$(address kubelets_runtime)"
    done < <(kubelet_passthroughs)
    for name in before crigate; do
        program=$build/crigate
        [ "$name" = crigate ] || program=${before-}
        if [ -n "$program" ]; then
            write_map "begun_$name" kubelets_runtime >"$work/begun_$name.yaml"
            kubelet_start "$name" "$program" --config "$work/begun_$name.yaml"
        fi
    done
}

# A changing list is here for its place among the goals, if the group `merged` does not measure it in the same run.
group_kubelet() {
    "$here/kubelet/build" "$build"
    if [[ " ${groups[*]} " != *" merged "* ]]; then
        merged_changing 5000
    fi
    start_runtime asked v1 100
    start kubelets_runtime "$build/bench-runtime" "$(address kubelets_runtime)" "$(address asked)"
    wait_for kubelets_runtime
    start_kubelet_ways
    wait_for_all
    echo "caller $build/bench-caller" >>"$plan"
    kubelet_scenario 100 "kubelet-like caller, runtime on grpc-go"
    rpc Version 1,8,32
    rpc ContainerStatus 8
    rpc ListContainers 1
    if [ -n "${before-}" ]; then
        way memory before runtime.v1 before_remembering_1
    fi
    way memory crigate runtime.v1 remembering_1
    kubelet_starts
}
