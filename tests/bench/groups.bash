# What is measured, group by group. Each function starts what takes part and writes the plan; `run` then measures and ends it.

# way WORD NAME PACKAGE PROCESS…: a line of the plan for all processes that are such a way.
way() {
    local line="$1 $2 $3" process
    shift 3
    for process in "$@"; do
        line+=" $(address "$process") ${pids[$process]}"
    done
    echo "$line" >>"$plan"
}

numbered() {
    local i
    for i in $(seq "$2"); do
        echo "$1_$i"
    done
}

# scenario NAME RUNTIME RUNTIME_PACKAGE CALLER_PACKAGE CONTAINERS CRIGATE COUNT TITLE: the caller speaks its package to crigate, and
# the runtime's on all other ways, which cannot translate.
scenario() {
    local name=$1 runtime=$2 runtime_package=$3 caller_package=$4 containers=$5 crigate=$6 count=$7 title=$8
    echo "scenario $name $containers $title" >>"$plan"
    way target direct "$runtime_package" "$runtime"
    way target passthrough "$runtime_package" $(numbered "passthrough_$runtime" "$count")
    if [ -n "${pids[haproxy]-}" ]; then
        echo "foreign haproxy $runtime_package $(address "haproxy_$runtime") ${pids[haproxy]}" >>"$plan"
    fi
    way target crigate "$caller_package" $(numbered "$crigate" "$count")
}

# rpc NAME CALLERS: what the last scenario measures.
rpc() {
    echo "rpc $1 $2" >>"$plan"
}

declare -A package_of=([v1_9]=runtime [v1_12]=runtime.v1alpha2 [v1alpha2]=runtime.v1alpha2 [v1]=runtime.v1)

# One runtime, and a caller of its dialect.
group_same() {
    local size
    for size in 100 1000 5000; do
        start_runtime "same_$size" v1 "$size"
        start_passthroughs 3 "same_$size"
        start_crigates "crigate_$size" 3 "same_$size"
    done
    start_runtime made v1 3
    start_passthroughs 3 made
    start_crigates crigate_made 3 made
    start_haproxy same_100 same_1000 same_5000 made
    wait_for_all
    for size in 100 1000 5000; do
        scenario "v1_v1_$size" "same_$size" runtime.v1 runtime.v1 "$size" "crigate_$size" 3 \
            "v1 caller, v1 runtime with $size containers"
        if [ "$size" = 100 ]; then
            rpc Version 1,8,32
            rpc ContainerStatus 1,8,32
        fi
        rpc ListContainers 1,8
    done
    scenario v1_v1_3 made runtime.v1 runtime.v1 3 crigate_made 3 "v1 caller, v1 runtime"
    rpc CreateContainer 1,8
}

# Two runtimes with half of the containers each, beside ways to a single one that has them all. Fanout is a bare pass-through that asks
# both and puts their answers together, as bytes: what C core takes for two calls in place of one. The containers are in another order each
# time, as containerd tells them. What a list became is kept for when it repeats, so that lists which do not are measured too.
group_merged() {
    merged merged "100 1000 5000" 1,8 "two v1 runtimes with %s containers together" --shuffle ListContainers
    merged_changing "100 1000 5000"
}

# merged_changing SIZES: lists that are never the same twice.
merged_changing() {
    merged changing "$1" 1 "two v1 runtimes with %s changing containers" --vary ListContainers
}

# merged NAME SIZES CALLERS TITLE [OPTION…]: with options of the runtimes.
merged() {
    local name=$1 sizes=$2 callers=$3 title=$4 size
    shift 4
    for size in $sizes; do
        start_runtime "${name}_whole_$size" v1 "$size" "$@"
        start_runtime "${name}_first_$size" v1 $((size / 2)) "$@"
        start_runtime "${name}_second_$size" v1 $((size / 2)) "$@"
        start_passthroughs 2 "${name}_whole_$size"
        start_fanouts "${name}_fanout_$size" 2 "${name}_first_$size" "${name}_second_$size"
        start_crigates "${name}_$size" 2 "${name}_first_$size" "${name}_second_$size"
    done
    wait_for_all
    for size in $sizes; do
        scenario "${name}_$size" "${name}_whole_$size" runtime.v1 runtime.v1 "$size" "${name}_$size" 2 \
            "v1 caller, $(printf "$title" "$size")"
        way target fanout runtime.v1 $(numbered "${name}_fanout_$size" 2)
        rpc ListContainers "$callers"
    done
}

# Each caller before each runtime of another dialect. Containers are created in runtimes of which nobody counts them.
group_cross() {
    local caller runtime kind
    for runtime in v1_9 v1_12 v1alpha2 v1; do
        start_runtime "list_$runtime" "$runtime" 1000
        start_runtime "small_$runtime" "$runtime" 100
        start_runtime "made_$runtime" "$runtime" 3
        for kind in list small made; do
            start_passthroughs 2 "${kind}_$runtime"
            start_crigates "crigate_${kind}_$runtime" 2 "${kind}_$runtime=$runtime"
        done
    done
    wait_for_all
    for caller in v1 v1alpha2 v1_9; do
        for runtime in v1_9 v1_12 v1alpha2 v1; do
            if [ "$caller" != "$runtime" ]; then
                cross "$caller" "$runtime" list 1000
                rpc ListContainers 1
                cross "$caller" "$runtime" small 100
                rpc ListContainers 1
                rpc ContainerStatus 1
                cross "$caller" "$runtime" made 3
                rpc CreateContainer 1
            fi
        done
    done
}

# cross CALLER RUNTIME KIND CONTAINERS
cross() {
    scenario "$1_$2_$4" "$3_$2" "${package_of[$2]}" "${package_of[$1]}" "$4" "crigate_$3_$2" 2 \
        "$1 caller, $2 runtime with $4 containers"
}

# One that hangs must not slow the others' calls down: ways called other and stuck, by what is beside the primary.
group_hang() {
    local runtime process
    start_runtime primary v1 100
    for runtime in other stuck; do
        start_runtime "$runtime" v1 100
        start_crigates "with_$runtime" 3 primary "$runtime"
    done
    wait_for_all
    kill -STOP "${pids[stuck]}"
    # A list, well or not, lets each gateway find out.
    for process in $(numbered with_stuck 3); do
        "$build/crigate" call --endpoint "$(address "$process")" --timeout 10s ListContainers >/dev/null 2>&1 || true
        grep -q 'runtime stuck: has not answered' "$work/$process.log"
    done
    echo "scenario hang 100 v1 caller, v1 runtime with 100 containers, another runtime that is well or hangs" >>"$plan"
    way target direct runtime.v1 primary
    way target other runtime.v1 $(numbered with_other 3)
    way target stuck runtime.v1 $(numbered with_stuck 3)
    rpc Version 1,8
}

# Cost that grows as the work grows: more containers, and as many in more runtimes.
group_growth() {
    local size count i
    local -a runtimes=()
    for size in 10 100 1000 10000; do
        start_runtime "grown_$size" v1 "$size"
        start_passthroughs 1 "grown_$size"
        start_crigates "growing_$size" 1 "grown_$size"
    done
    for i in $(seq 8); do
        start_runtime "part_$i" v1 500 --shuffle ListContainers
        runtimes+=("part_$i")
    done
    for count in 1 2 4 8; do
        start_runtime "all_$count" v1 $((500 * count)) --shuffle ListContainers
        start_passthroughs 1 "all_$count"
        start_fanouts "fanout_of_$count" 1 "${runtimes[@]:0:count}"
        start_crigates "of_$count" 1 "${runtimes[@]:0:count}"
    done
    wait_for_all
    for size in 10 100 1000 10000; do
        scenario "growth_containers_$size" "grown_$size" runtime.v1 runtime.v1 "$size" "growing_$size" 1 \
            "v1 caller, one v1 runtime with $size containers"
        rpc ListContainers 1
    done
    for count in 1 2 4 8; do
        scenario "growth_runtimes_$count" "all_$count" runtime.v1 runtime.v1 $((500 * count)) "of_$count" 1 \
            "v1 caller, $count v1 runtimes with 500 containers each"
        way target fanout runtime.v1 "fanout_of_${count}_1"
        rpc ListContainers 1
    done
}

# Memory after many calls.
group_memory() {
    start_runtime remembered v1 100
    start_passthroughs 1 remembered
    start_crigates crigate_remembered 1 remembered
    wait_for_all
    echo "memory passthrough runtime.v1 $(address passthrough_remembered_1) ${pids[passthrough_remembered_1]}" >>"$plan"
    echo "memory crigate runtime.v1 $(address crigate_remembered_1) ${pids[crigate_remembered_1]}" >>"$plan"
}

# From the start of the program to its first answer.
group_start() {
    start_runtime there v1 100
    write_map begun there >"$work/begun.yaml"
    echo "start passthrough runtime.v1 $(address passed) $build/passthrough $(address passed) $(address there)" >>"$plan"
    echo "start crigate runtime.v1 $(address begun) $build/crigate --config $work/begun.yaml" >>"$plan"
}
