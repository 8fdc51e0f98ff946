# What the tests of hooks share: simulated plugins, and what the kernel holds for a container.
# shellcheck shell=bash

source "${BASH_SOURCE[0]%/*}/../terminal.bash"

# Where the plugin puts the pods. Callers ask for $LAB_CGROUP/NAME.
PLUGIN_PARENT=$LAB_CGROUP/batch
# What callers ask for: all CPUs, and other limits than the plugin. The plugin gives one CPU of them.
CPUS=$(sed -nE 's/^Cpus_allowed_list:\s*//p' /proc/self/status)
CPU=${CPUS##*[-,]}
ASKED=".linux.resources = {cpuset_cpus: \"$CPUS\", cpu_period: 100000, cpu_quota: 20000, cpu_shares: 512,
    memory_limit_in_bytes: 134217728} |
    .envs = [{key: \"COLOUR\", value: \"red\"}, {key: \"SIZE\", value: \"big\"}, {key: \"SHAPE\", value: \"round\"}] |
    .annotations = {a: \"1\"}"
LIMITS_ASKED="cpus $CPUS quota 20000 period 100000 shares 512 memory 134217728"
# shares of 2 and 262144 are weights of 1 and 10000, whichever way a runtime turns one into the other.
LIMITS_GIVEN="cpus $CPU quota 30000 period 50000 shares 262144 memory 67108864"
LIMITS_UPDATED="cpus $CPU quota 45000 period 50000 shares 2 memory 67108864"

# start_plugin [OPTION...]: starts a plugin that changes pods, containers and updates.
start_plugin() {
    lab_daemon plugin "$E2E_BUILD/hooksim" --listen "unix://$LAB/plugin.sock" --name plugin --journal "$LAB/plugin.journal" \
        --write-file "$LAB/plugins" \
        --set "PreRunPodSandbox:cgroup_parent=$PLUGIN_PARENT" \
        --set 'PreRunPodSandbox:labels[tier]=batch' --set 'PreRunPodSandbox:annotations[seen]=yes' \
        --set "PreCreateContainer:container_resources.cpuset_cpus=$CPU" \
        --set PreCreateContainer:container_resources.cpu_period=50000 \
        --set PreCreateContainer:container_resources.cpu_quota=30000 \
        --set PreCreateContainer:container_resources.cpu_shares=262144 \
        --set PreCreateContainer:container_resources.memory_limit_in_bytes=67108864 \
        --set 'PreCreateContainer:container_annotations[b]=2' \
        --set 'PreCreateContainer:container_envs[GPU]=7' --set 'PreCreateContainer:container_envs[COLOUR]=blue' \
        --remove 'PreCreateContainer:container_envs[SIZE]' \
        --set PreUpdateContainerResources:container_resources.cpu_quota=45000 "$@"
    lab_wait 10 knows plugin ready
}

# stop_plugin [SIGNAL]: ends it, and takes its file away.
stop_plugin() {
    remove_plugin plugin
    [ ! -e "$LAB/plugin.pid" ] || lab_stop plugin "$@"
    rm -f "$LAB/plugin.journal"
}

# add_absent NAME POLICY HOOK...: a plugin that is not there wants these hooks.
add_absent() {
    local name=$1 policy=$2
    shift 2
    jq -n --arg endpoint "$LAB/$name.sock" --arg policy "$policy" \
        '{"remote-endpoint": $endpoint, "failure-policy": $policy, "runtime-hooks": $ARGS.positional}' --args "$@" \
        >"$LAB/plugins/$name.new"
    mv "$LAB/plugins/$name.new" "$LAB/plugins/$name.json"
    lab_wait 10 knows "$name" away
}

# remove_plugin NAME: takes the plugin's file away, and waits until the gateway has noticed.
remove_plugin() {
    rm -f "$LAB/plugins/$1.json"
    lab_wait 10 forgets "$1"
}

# plugins FILTER: what `crigate hooks` prints.
plugins() {
    "$E2E_BUILD/crigate" hooks --config "$LAB/crigate.yaml" -o json | jq -r "$1"
}

knows() {
    [ "$(plugins ".plugins[] | select(.name == \"$1.json\") | .state")" = "$2" ]
}

forgets() {
    [ "$(plugins "any(.plugins[]; .name == \"$1.json\")")" = false ]
}

# settled: whether no hook after a call waits or runs.
settled() {
    [ "$(plugins '.after.waiting + .after.running')" = 0 ]
}

# hooked HOOK NAME: the last request of that hook about the pod of that name, as the plugin decoded it.
hooked() {
    jq -c --arg hook "$1" --arg name "$2" 'select(.hook == $hook and .request.podMeta.name == $name) | .request' \
        "$LAB/plugin.journal" | tail -n 1
}

# times_hooked NAME: how often the plugin was called about the pod of that name.
times_hooked() {
    jq -c --arg name "$1" 'select(.request.podMeta.name == $name)' "$LAB/plugin.journal" | wc -l
}

# was_hooked HOOK NAME: for lab_wait.
was_hooked() {
    [ -n "$(hooked "$@")" ]
}

# expect FILTER JSON: whether jq's filter is true of it. Prints it if not.
expect() {
    jq -e "$1" <<<"$2" >/dev/null && return
    printf 'not true: %s\nof: %s\n' "$1" "$2"
    return 1
}

# remember NAME VALUE: makes a variable for the tests that follow, which `recall` sets.
remember() {
    printf '%s=%q\n' "$1" "$2" >>"$BATS_FILE_TMPDIR/remembered"
}

recall() {
    [ ! -e "$BATS_FILE_TMPDIR/remembered" ] || source "$BATS_FILE_TMPDIR/remembered"
}

# at_runtime ARGUMENTS...: crictl, asking containerd itself.
at_runtime() {
    crictl --runtime-endpoint "unix://$LAB/containerd.sock" --image-endpoint "unix://$LAB/containerd.sock" "$@"
}

# make_container POD NAME [JQ_FILTER]: makes a container with $ASKED in the pod called NAME, and prints its id.
make_container() {
    crictl create "$1" "$(container_config "$2" 'exec sleep 6000' "$ASKED | ${3:-.}")" "$BATS_FILE_TMPDIR/pod-$2.json"
}

# process CONTAINER: the pid of its process.
process() {
    at_runtime inspect "$1" | jq .info.pid
}

# ---- what the kernel has ----

# cgroup_of PID CONTROLLER: the process's cgroup, below the root of cgroups of version 1 or 2.
cgroup_of() {
    awk -F : -v controller="$2" '$2 == "" { unified = $3 } index("," $2 ",", "," controller ",") { own = $3 }
        END { print own ? own : unified }' "/proc/$1/cgroup"
}

# cgroup_value PID CONTROLLER FILE: what a file of the process's cgroup holds.
cgroup_value() {
    local root=/sys/fs/cgroup
    [ -e "$root/cgroup.controllers" ] || root+=/$2
    cat "$root$(cgroup_of "$1" "$2")/$3"
}

# limits CONTAINER: the limits of its process, as the kernel holds them, in one line.
limits() {
    local pid quota period shares memory
    pid=$(process "$1")
    if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
        read -r quota period <<<"$(cgroup_value "$pid" cpu cpu.max)"
        case $(cgroup_value "$pid" cpu cpu.weight) in
        1) shares=2 ;;
        10000) shares=262144 ;;
        *) shares=512 ;; # what callers ask for; runtimes differ in the weight that this is
        esac
        memory=$(cgroup_value "$pid" memory memory.max)
    else
        quota=$(cgroup_value "$pid" cpu cpu.cfs_quota_us)
        period=$(cgroup_value "$pid" cpu cpu.cfs_period_us)
        shares=$(cgroup_value "$pid" cpu cpu.shares)
        memory=$(cgroup_value "$pid" memory memory.limit_in_bytes)
    fi
    echo "cpus $(cgroup_value "$pid" cpuset cpuset.cpus) quota $quota period $period shares $shares memory $memory"
}

# environment CONTAINER: the variables of its process that callers and plugin set, sorted, in one line.
environment() {
    tr '\0' '\n' <"/proc/$(process "$1")/environ" | grep -E '^(COLOUR|SIZE|SHAPE|GPU)=' | sort | xargs
}

# in_cgroup CONTAINER PARENT: whether its process is in its cgroup below that parent, for each controller.
in_cgroup() {
    local pid controller
    pid=$(process "$1")
    for controller in cpu cpuset memory; do
        [ "$(cgroup_of "$pid" "$controller")" = "$2/$1" ] || return 1
    done
}

# as_given CONTAINER [LIMITS]: whether the kernel has for it what the plugin gave.
as_given() {
    [ "$(limits "$1")" = "${2:-$LIMITS_GIVEN}" ]
    [ "$(environment "$1")" = "COLOUR=blue GPU=7 SHAPE=round" ]
    in_cgroup "$1" "$PLUGIN_PARENT"
}

# as_asked CONTAINER NAME: whether the kernel has for it what the caller asked for.
as_asked() {
    [ "$(limits "$1")" = "$LIMITS_ASKED" ]
    [ "$(environment "$1")" = "COLOUR=red SHAPE=round SIZE=big" ]
    in_cgroup "$1" "$LAB_CGROUP/$2"
}
