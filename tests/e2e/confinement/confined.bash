# What the confinement tests share: the same containers, asked for by callers of all ages, and what their processes see.
# shellcheck shell=bash
#
# A *way* is how a container comes to be: its caller's dialect, and the socket that is called. `way` says which one is gone; what
# was seen goes to $BATS_FILE_TMPDIR/WAY/CONTAINER, a line for each observation (see `observe`).

CONFINEMENT=$(readlink -f "${BASH_SOURCE[0]%/*}")
source "$CONFINEMENT/../terminal.bash"

# way DIALECT SOCKET [NAME]: the one that is gone from now on.
way() {
    DIALECT=$1 SOCKET=$LAB/$2.sock WAY=${3:-$2-$1}
    WAY=${WAY//_/-}
    SEEN=$BATS_FILE_TMPDIR/$WAY
    mkdir -p "$SEEN" "$LAB/logs/$WAY"
}

# words FILTER: what requests.jq says there, in the dialect of the way.
words() {
    # In the order in which they stand there.
    command jq --null-input --compact-output --raw-output --arg lab "$LAB" --arg cgroup "$LAB_CGROUP" --arg way "$WAY" \
        --arg dialect "$DIALECT" --arg image "$BUSYBOX" --rawfile observe "$CONFINEMENT/observe" \
        "$(cat "$CONFINEMENT/requests.jq") $1"
}

# ask METHOD [REQUEST]: makes the call with that request, from standard input for -.
ask() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$SOCKET" --api "${DIALECT/v1_10/v1alpha2}" --timeout 60s --compact "$@"
}

# make METHOD [REQUEST]: the same, and prints the id in the answer.
make() {
    local answer
    answer=$(ask "$@") || return
    [[ $answer =~ Id\":\"([0-9a-f]+)\" ]] && echo "${BASH_REMATCH[1]}"
}

# pod_process ID: the sandbox's first process, as containerd tells it.
pod_process() {
    crictl inspectp "$1" | jq .info.pid
}

# name_namespaces PID: turns the links of namespaces into whose they are: the node's, those of that process of the pod, or others.
name_namespaces() {
    local line space link owner
    while read -r line; do
        if [[ $line =~ ^namespace\.([a-z]+)\ (.*) ]]; then
            space=${BASH_REMATCH[1]} link=${BASH_REMATCH[2]} owner=own
            [ "$link" != "$(readlink "/proc/$1/ns/$space")" ] || owner=pod
            [ "$link" != "$(readlink "/proc/self/ns/$space")" ] || owner=node
            line="namespace.$space $owner"
        fi
        echo "$line"
    done
}

# runs_its_program PROCESS: runc has become the program of the container. Until then it has other capabilities.
runs_its_program() {
    [[ $(cat "/proc/$1/comm") != runc:* ]]
}

# keep_pod NAME PROCESS: keeps how the pod's own process is confined.
keep_pod() {
    lab_wait 20 runs_its_program "$2" || return
    {
        sed -nE 's/^(Uid|Groups|NoNewPrivs|Seccomp|CapEff|CapBnd):\s*/\1 /p' "/proc/$2/status" | tr '\t' ' ' | sed 's/ *$//'
        awk '$5 == "/" { print "mount./", $6 }' "/proc/$2/mountinfo"
        for space in ipc net pid; do
            echo "namespace.$space $(readlink "/proc/$2/ns/$space")"
        done | name_namespaces self
    } >"$SEEN/pod_$1"
}

# told_of NAME: what an OCI runtime was told about that container (its specification, from standard input), as far as it is about
# confinement: lines with the name in front. What a kernel lacks can be seen here all the same.
told_of() {
    jq --raw-output --arg name "$1" '{
            user: (.process.user | .additionalGids |= (. // [] | sort)), capabilities: .process.capabilities, no_new_privileges: .process.noNewPrivileges,
            oom_score_adj: .process.oomScoreAdj, apparmor: .process.apparmorProfile, seccomp: .linux.seccomp,
            masked: .linux.maskedPaths, protected: .linux.readonlyPaths, resources: .linux.resources, root: .root.readonly,
            mounts: ([.mounts[] | del(.source)] | sort_by(.destination)), namespaces: [.linux.namespaces[].type]
        } | to_entries[] | "\($name) told.\(.key) \(.value | tojson)"'
}

# told_to_run ID...: that about containers of containerd.
told_to_run() {
    local name specification
    while IFS=$'\t' read -r name specification; do
        told_of "${name//-/_}" <<<"$specification"
    done < <(crictl inspect "$@" | jq --raw-output 'if type == "array" then .[] else . end |
        "\(.status.metadata.name)\t\(.info.runtimeSpec | tojson)"')
}

# said LOG: what the container has written, as containerd keeps it.
said() {
    cut -d ' ' -f 4- "$1"
}

has_said_all() {
    said "$1" | grep -qx 'end \.'
}

# keep NAME PROCESS LOG: once the container has told all, keeps what its process saw. PROCESS is the first one of its pod.
keep() {
    lab_wait 20 has_said_all "$3" || return
    said "$3" | name_namespaces "$2" >"$SEEN/$1"
}

# see NAME POD_ID PROCESS REQUEST: makes the container in the pod of that first process, runs it, and keeps what its own process
# sees, or why there is none. Adds its id to $made.
see() {
    local id
    if ! { id=$(make CreateContainer "${4/POD_ID/$2}") && ask StartContainer "{\"container_id\": \"$id\"}" >/dev/null; } 2>"$SEEN/$1"; then
        sed -i 's/^/refused /' "$SEEN/$1"
        return
    fi
    keep "$1" "$3" "$LAB/logs/$WAY/$1.log" && made+=("$id")
}

# keep_told ID...: adds to what is kept of containers what their OCI runtime was told.
keep_told() {
    local name line
    while read -r name line; do
        echo "$line" >>"$SEEN/$name"
    done < <(told_to_run "$@")
}

# see_all [CONTAINER...]: makes all containers, or these, with their pods.
see_all() {
    local kind name request pod='' process='' made=()
    while IFS=$'\t' read -r kind name request; do
        if [ "$kind" = pod ]; then
            pod=$(make RunPodSandbox "$request") || return
            process=$(pod_process "$pod")
            keep_pod "$name" "$process" || return
        else
            see "$name" "$pod" "$process" "$request" || return
        fi
    done < <(words "requests([$(printf '"%s",' "$@" | sed 's/"",//; s/,$//')])")
    [ "${#made[@]}" -gt 0 ] && keep_told "${made[@]}"
}

# The table of what must be seen: see there.
EXPECTED=$CONFINEMENT/expected

# node: what this node has, or has not, that nodes differ in, a word each.
node() {
    local path
    [ -e /sys/fs/cgroup/cgroup.controllers ] && echo cgroup-v2 || echo cgroup-v1
    grep -qsx Y /sys/module/apparmor/parameters/enabled && echo apparmor || echo no-apparmor
    for path in $(sed -n 's/.* \(masked\|protected\)\.\([^ ]*\).*/\2/p' "$EXPECTED" | sort -u); do
        [ -e "$path" ] || echo "no-$path"
    done
}

# expected: the rows of the table that are for this node.
expected() {
    local word
    for word in $(node); do
        set -- "$@" -e "s|^?$word  *||"
    done
    sed "$@" -e '/^?/d' -e '/^#/d' -e '/^$/d' -e "s/CAPABILITIES_OF_THE_NODE/$(sed -n 's/^CapBnd:\t//p' /proc/self/status)/" \
        -e "s/SCORE_OF_CONTAINERD/$(cat "/proc/$(cat "$LAB/containerd.pid")/oom_score_adj")/" "$EXPECTED"
}

# as_expected FILE: whether all rows of $BATS_FILE_TMPDIR/expected that are for this container hold for what was seen. Tells each
# that does not.
as_expected() {
    local -A seen=()
    local container name value rows=0 failed=0 whose=" ${1##*/} "
    while read -r name value; do
        seen[$name]=$value
    done <"$1"
    [[ $whose == *" pod_"* || $whose == " privileged " || -n ${seen[refused]:-} ]] || whose+="unprivileged "
    while read -r container name value; do
        [[ $whose == *" $container "* ]] || continue
        rows=$((rows + 1))
        [[ $name != masked.* && $name != protected.* ]] || [ -e "${name#*.}" ] || value=absent
        # shellcheck disable=SC2053
        if [[ ${seen[$name]:-} != $value ]]; then
            echo "$WAY, ${1##*/}: $name is \"${seen[$name]:-}\", expected: $value"
            failed=1
        fi
    done <"$BATS_FILE_TMPDIR/expected"
    [ "$failed" = 0 ] && [ "$rows" -gt 0 ]
}

# no_mkdir: a seccomp profile that forbids making folders.
no_mkdir() {
    jq --null-input '{
        defaultAction: "SCMP_ACT_ALLOW",
        syscalls: [{names: ["mkdir", "mkdirat"], action: "SCMP_ACT_ERRNO"}]
    }'
}

# confined_as_expected: what the process of each container saw on this way, against the table.
confined_as_expected() {
    local file failed=0
    for file in "$SEEN"/*; do
        as_expected "$file" || failed=1
    done
    [ "$failed" = 0 ]
}

# confined_alike DIALECT SOCKET: whether containers of that way are confined as expected, and exactly as those made without gateway.
confined_alike() {
    way "$1" "$2"
    see_all
    confined_as_expected
    diff --recursive "$DIRECT" "$SEEN"
}
