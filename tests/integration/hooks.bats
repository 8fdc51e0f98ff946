#!/usr/bin/env bats
# Plugins see and change pods and containers: at each stage, for every package that callers speak and every dialect that runtimes
# speak.

load gateway
load plugins

IMAGE=docker.io/library/busybox:latest

# The life of a pod with one container; sets $pod and $container. The caller has the cgroup parent /kubepods/pod1.
live() {
    local config
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1" | .labels = {app: "web"}')
    pod=$(run_pod "$config")
    container=$(create_container "$pod" "$config" "$IMAGE" \
        '.envs = [{key: "COLOUR", value: "red"}, {key: "SIZE", value: "big"}] | .annotations = {a: "1"} |
         .linux.resources = {cpuShares: "512", cpuQuota: "20000", cpuPeriod: "100000"}')
    call StartContainer "{\"containerId\":\"$container\"}"
    call UpdateContainerResources "{\"containerId\":\"$container\",\"linux\":{\"cpuShares\":\"1024\"}}"
}

end() {
    call StopContainer "{\"containerId\":\"$container\"}"
    call RemoveContainer "{\"containerId\":\"$container\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    call RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
}

prepare() {
    pull "$IMAGE" >/dev/null
}

# one_plugin [OPTION...]: a node of one runtime, and a plugin that is known.
one_plugin() {
    start_runtime node "${RUNTIME_API:-v1}"
    write_map node
    hooks_on "${HOOK_KEYS:-}"
    start_plugin koordlet "$@"
    start_node -v 3
    eventually 10 knows_plugins koordlet
    prepare
}

# life_with_changes CALLER RUNTIME: a plugin changes something at each stage, and the runtime gets it.
life_with_changes() {
    local request
    API=$1 RUNTIME_API=$2
    one_plugin \
        --set 'PreRunPodSandbox:labels[tier]=batch' --set 'PreRunPodSandbox:annotations[seen]=yes' \
        --set PreRunPodSandbox:cgroup_parent=/kubepods/besteffort/pod1 \
        --set PreCreateContainer:container_resources.cpu_quota=-1 \
        --set PreCreateContainer:container_resources.cpuset_cpus=0-1 \
        --set 'PreCreateContainer:container_annotations[b]=2' \
        --set 'PreCreateContainer:container_envs[GPU]=7' --remove 'PreCreateContainer:container_envs[SIZE]' \
        --set PreUpdateContainerResources:container_resources.memory_limit_in_bytes=1000000
    live
    request=$(arrived node RunPodSandbox)
    expect '.request.config | .labels == {app: "web", tier: "batch"} and .annotations == {seen: "yes"}' "$request"
    expect '.request.config.linux.cgroupParent == "/kubepods/besteffort/pod1"' "$request"
    request=$(arrived node CreateContainer)
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/besteffort/pod1"' "$request"
    expect '.request.sandboxConfig.labels == {app: "web"}' "$request"
    expect '.request.config | .annotations == {a: "1", b: "2"} and [.envs[].key] == ["COLOUR", "GPU"]' "$request"
    expect '.request.config.linux.resources ==
        {cpuShares: "512", cpuQuota: "-1", cpuPeriod: "100000", cpusetCpus: "0-1"}' "$request"
    expect '.request.linux == {cpuShares: "1024", memoryLimitInBytes: "1000000"}' "$(arrived node UpdateContainerResources)"
    end
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
    expect '.podMeta == {name: "web", uid: "uid-web", namespace: "shop"} and .cgroupParent == "/kubepods/pod1"' \
        "$(hooked koordlet PreRunPodSandbox)"
    request=$(hooked koordlet PreStartContainer)
    expect ".containerMeta == {name: \"main\", id: \"$container\"} and .podLabels == {app: \"web\", tier: \"batch\"}" "$request"
    expect '.containerEnvs | has("GPU") and has("COLOUR")' "$request"
    expect '.podCgroupParent == "/kubepods/besteffort/pod1" and .containerResources.cpuQuota == "-1"' "$request"
    expect '.containerResources | .cpuShares == "1024" and .cpuQuota == "-1"' "$(hooked koordlet PreUpdateContainerResources)"
    for hook in PostStartContainer PostStopContainer; do
        expect ".containerMeta.id == \"$container\"" "$(hooked koordlet $hook)"
    done
    ! grep -q 'big' crigate.log
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1" {
    life_with_changes v1 v1
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1alpha2" {
    life_with_changes v1 v1alpha2
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1_12" {
    life_with_changes v1 v1_12
}

@test "a plugin changes what a caller of v1 has sent to a runtime of v1_9" {
    life_with_changes v1 v1_9
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1" {
    life_with_changes v1alpha2 v1
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1alpha2" {
    life_with_changes v1alpha2 v1alpha2
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1_12" {
    life_with_changes v1alpha2 v1_12
}

@test "a plugin changes what a caller of v1alpha2 has sent to a runtime of v1_9" {
    life_with_changes v1alpha2 v1_9
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1" {
    life_with_changes v1_9 v1
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1alpha2" {
    life_with_changes v1_9 v1alpha2
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1_12" {
    life_with_changes v1_9 v1_12
}

@test "a plugin changes what a caller of v1_9 has sent to a runtime of v1_9" {
    life_with_changes v1_9 v1_9
}

# ---- several plugins ----

@test "each plugin sees what those before it made of a request, and of two that set one field the later wins" {
    start_runtime node v1
    write_map node
    hooks_on
    start_plugin b --set PreCreateContainer:container_resources.cpu_quota=2000 --set 'PreCreateContainer:container_envs[B]=b'
    start_plugin a --set PreCreateContainer:container_resources.cpu_quota=1000 --set 'PreCreateContainer:container_envs[A]=a'
    start_node -v 3
    eventually 10 knows_plugins a b
    prepare
    live
    live_again=$(create_container "$pod" "$(pod web)" "$IMAGE" '.metadata.name = "second"')
    [ -n "$live_again" ]
    expect '.containerResources.cpuQuota == "20000"' "$(jq -c 'select(.hook == "PreCreateContainer") | .request' a.journal | head -n 1)"
    expect '.containerResources.cpuQuota == "1000" and .containerEnvs.A == "a"' \
        "$(jq -c 'select(.hook == "PreCreateContainer") | .request' b.journal | head -n 1)"
    expect '.request.config | .linux.resources.cpuQuota == "2000" and ([.envs[].key] | contains(["A", "B"]))' \
        "$(arrived node CreateContainer)"
    [ "$(grep -c 'plugin b.json overrides what an earlier plugin changed' crigate.log)" = 1 ]
    grep -q 'plugin b.json overrides .*cpu_quota' crigate.log
}

@test "an answer changes only what the call has a place for" {
    one_plugin --set 'PreStartContainer:container_envs[X]=x' --set PreStartContainer:pod_cgroup_parent=/elsewhere \
        --set 'PreUpdateContainerResources:container_annotations[y]=y' \
        --set PreUpdateContainerResources:container_resources.cpu_shares=2048
    live
    expect '.request | .linux == {cpuShares: "2048"} and (has("annotations") | not)' "$(arrived node UpdateContainerResources)"
    run ! grep -E 'changed .*(envs|annotations|cgroup_parent)' crigate.log
    eventually 5 test "$(times_hooked koordlet PostStartContainer)" = 1
    expect '(.containerEnvs | has("X") | not) and .podCgroupParent == "/kubepods/pod1"' "$(hooked koordlet PostStartContainer)"
}

# ---- who has no hooks ----

@test "a pod with the skip label has no hooks, nor have its containers" {
    local config skipped made
    one_plugin --set 'PreCreateContainer:container_annotations[b]=2'
    config=$(pod own '.labels = {"runtimeproxy.koordinator.sh/skip-hookserver": "true"}')
    skipped=$(run_pod "$config")
    made=$(create_container "$skipped" "$config" "$IMAGE")
    call StartContainer "{\"containerId\":\"$made\"}"
    call StopContainer "{\"containerId\":\"$made\"}"
    call StopPodSandbox "{\"podSandboxId\":\"$skipped\"}"
    live
    expect '.podMeta.name == "web"' "$(hooked koordlet PreCreateContainer)"
    [ "$(jq -c 'select(.request.podMeta.name == "own")' koordlet.journal | wc -l)" = 0 ]
}

@test "the runtime map names another label, and excepts a runtime" {
    local config
    start_runtime node v1
    start_runtime vm v1 --handler kvm
    write_map node "vm, image_prefix: vm.local, handlers: [kvm], hooks: false"
    hooks_on 'skip: {label: "example.org/alone", value: "yes"}'
    start_plugin koordlet
    start_node -v 3
    eventually 10 knows_plugins koordlet
    run_pod "$(pod one '.labels = {"example.org/alone": "yes"}')"
    run_pod "$(pod two)" kvm
    run_pod "$(pod three '.labels = {"runtimeproxy.koordinator.sh/skip-hookserver": "true"}')"
    [ "$(jq -r 'select(.hook == "PreRunPodSandbox") | .request.podMeta.name' koordlet.journal)" = three ]
}

@test "without hooks in the runtime map no plugin is called" {
    start_runtime node v1
    write_map node
    mkdir -m 755 plugins
    start_plugin koordlet
    start_node
    prepare
    live
    end
    [ ! -s koordlet.journal ]
    run -0 "$CRIGATE_BUILD/crigate" hooks --config crigate.yaml
    [[ $output == *"hooks are off"* ]]
}

# ---- plugins that fail ----

# fails_as POLICY MESSAGE: with that policy the call fails with that message, or goes on; the runtime gets it only then.
fails_as() {
    local status=0 config
    config=$(pod web)
    call --timeout "${CALL_TIMEOUT:-20s}" RunPodSandbox "{\"config\":$config}" >answer 2>failure || status=$?
    if [ "$1" = Fail ]; then
        [ "$status" != 0 ] && grep -q 'FAILED_PRECONDITION' failure && grep -Eq "plugin koordlet.json.*$2" failure || {
            cat failure
            return 1
        }
        [ "$(asked node RunPodSandbox)" = "${asked_before:-0}" ]
    else
        [ "$status" = 0 ]
        expect '.request.config | has("labels") | not' "$(arrived node RunPodSandbox)"
    fi
    eventually 5 grep -Eq "plugin koordlet.json.*$2" crigate.log
}

failing() {
    local policy=$1 message=$2
    shift 2
    one_plugin --policy "$policy" "$@"
    fails_as "$policy" "$message"
}

@test "Fail: a plugin that answers an error" {
    failing Fail 'INTERNAL' --fail PreRunPodSandbox=INTERNAL
}

@test "Ignore: a plugin that answers an error" {
    failing Ignore 'INTERNAL' --fail PreRunPodSandbox=INTERNAL
}

@test "Fail: a plugin that answers garbage" {
    failing Fail 'not used' --garbage PreRunPodSandbox
}

@test "Ignore: a plugin that answers garbage" {
    failing Ignore 'not used' --garbage PreRunPodSandbox
}

@test "Fail: a plugin that answers too much" {
    HOOK_KEYS='timeout: 60s' CALL_TIMEOUT=150s failing Fail 'RESOURCE_EXHAUSTED' --oversize PreRunPodSandbox=2000000
}

@test "Ignore: a plugin that answers too much" {
    HOOK_KEYS='timeout: 60s' CALL_TIMEOUT=150s failing Ignore 'RESOURCE_EXHAUSTED' --oversize PreRunPodSandbox=2000000
}

@test "Fail: a plugin that answers not at all" {
    failing Fail 'no message' --messages PreRunPodSandbox=0
}

@test "Ignore: a plugin that answers twice" {
    failing Ignore '' --messages PreRunPodSandbox=2
}

@test "Fail: a plugin that dies in the call" {
    one_plugin --policy Fail --die PreRunPodSandbox
    fails_as Fail 'UNAVAILABLE'
    finish koordlet 3
    asked_before=0 fails_as Fail 'UNAVAILABLE'
    start_plugin koordlet --policy Fail
    eventually 10 run_pod "$(pod late)"
    grep -q 'plugin koordlet.json: is available again' crigate.log
}

# health_is STATUS WORD: the exit status of crigate status, and the health that it names.
health_is() {
    run "-$1" "$CRIGATE_BUILD/crigate" status --config crigate.yaml -o json
    [ "$(jq -r .health <<<"$output")" = "$2" ]
}

@test "while calls are refused because of a plugin, status is degraded and names it" {
    one_plugin --policy Fail --fail PreRunPodSandbox=INTERNAL:1
    health_is 0 well
    fails_as Fail 'INTERNAL'
    health_is 1 degraded
    [ "$(jq -r '.hooks.refusing[]' <<<"$output")" = koordlet.json ]
    run -1 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"Calls are refused because of plugins (policy Fail): koordlet.json; crigate hooks prints their last errors"* ]]
    run -1 "$CRIGATE_BUILD/crigate" hooks --config crigate.yaml
    [[ $output =~ koordlet.json\ +failing\ +Fail ]]
    run_pod "$(pod good)"
    health_is 0 well
    crash koordlet
    eventually 10 health_is 1 degraded
}

@test "Ignore: a plugin that is not there" {
    one_plugin
    stop koordlet
    fails_as Ignore 'UNAVAILABLE'
    plugins_state '.plugins[0] | .state == "away" and .failures == 1 and (.lastError | length > 0)'
    run -0 "$CRIGATE_BUILD/crigate" status --config crigate.yaml
    [[ $output == *"hooks: 1 plugins, 1 not ready; 1 calls, 1 failures; see crigate hooks"* ]]
    rm -f koordlet.sock
    eventually 10 plugins_state '.plugins[0].reason | test("nothing answers at .*koordlet.sock: there is no such socket")'
}

@test "a plugin changes what it must not: nothing of its answer is used" {
    one_plugin --policy Fail --set 'PreRunPodSandbox:labels[io.kubernetes.pod.uid]=other'
    fails_as Fail 'io.kubernetes.pod.uid'
}

@test "a cgroup parent with .. is refused" {
    one_plugin --policy Fail --set PreRunPodSandbox:cgroup_parent=/kubepods/../system.slice
    fails_as Fail 'cgroup_parent'
}

@test "a plugin that hangs is left out until it answers a probe" {
    HOOK_KEYS='timeout: 2s' one_plugin --hang PreRunPodSandbox=1 --set 'PreRunPodSandbox:labels[tier]=batch'
    fails_as Ignore 'no answer within 2000 ms'
    grep -q 'plugin koordlet.json: hangs; its hooks are skipped until it answers a probe' crigate.log
    eventually 10 grep -q 'plugin koordlet.json: it answers again' crigate.log
    run_pod "$(pod second)"
    expect '.request.config.labels == {tier: "batch"}' "$(arrived node RunPodSandbox)"
}

@test "a plugin that is stopped hangs, fails at once, and comes back" {
    local asked_before
    HOOK_KEYS='timeout: 2s' one_plugin --policy Fail
    kill -STOP "${PIDS[koordlet]}"
    fails_as Fail 'no answer within 2000 ms'
    fails_as Fail 'hangs'
    plugins_state '.plugins[0] | .state == "hanging" and .calls == 1 and .skipped == 1'
    kill -CONT "${PIDS[koordlet]}"
    eventually 10 grep -q 'plugin koordlet.json: it answers again' crigate.log
    run_pod "$(pod second)"
}

@test "a plugin takes at most half of the caller's time" {
    local status=0
    HOOK_KEYS='timeout: 20s' one_plugin --hang PreRunPodSandbox
    "$CRIGATE_BUILD/crigate" call --endpoint "unix://$PWD/crigate.sock" --compact --timeout 6s \
        RunPodSandbox "{\"config\":$(pod web)}"
    [ "$(asked node RunPodSandbox)" = 1 ]
    plugins_state '.plugins[0].state != "hanging"'
}

@test "a caller that gives up while plugins run ends the call: nothing reaches the runtime" {
    HOOK_KEYS='timeout: 20s' one_plugin --hang PreRunPodSandbox
    start_call slow RunPodSandbox "{\"config\":$(pod web)}"
    eventually 5 grep -q PENDING koordlet.journal
    crash slow
    eventually 5 plugins_state '.after.running == 0'
    call Version
    [ "$(asked node RunPodSandbox)" = 0 ]
}

# ---- plugins come and go ----

@test "a plugin that comes late gets the facts of what is already running, once its first hook is due" {
    start_runtime node v1 --verbose-info containerd
    write_map node
    hooks_on
    start_node -v 3
    prepare
    live
    start_plugin koordlet
    eventually 10 knows_plugins koordlet
    [ "$(asked node PodSandboxStatus)" = 0 ]
    call StopContainer "{\"containerId\":\"$container\"}"
    eventually 5 hooked_with PostStopContainer \
        '.podCgroupParent == "/kubepods/pod1" and .containerEnvs.COLOUR == "red" and .containerAnnotations.a == "1"'
    expect '.podLabels.app == "web"' "$(hooked koordlet PostStopContainer)"
}

hooked_with() {
    expect "$2" "$(hooked koordlet "$1")"
}

@test "an id that is not written in full: hooks get the whole of it" {
    one_plugin
    live
    call StopContainer "{\"containerId\":\"${container:0:12}\"}"
    eventually 5 hooked_with PostStopContainer ".containerMeta.id == \"$container\""
}

@test "a plugin whose file goes is called no more, at once; and a changed cgroup parent stays" {
    local config
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1"')
    pod=$(run_pod "$config")
    rm plugins/koordlet.json
    eventually 5 plugins_state '.plugins == []'
    create_container "$pod" "$config" "$IMAGE"
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/other"' "$(arrived node CreateContainer)"
    [ "$(times_hooked koordlet PreCreateContainer)" = 0 ]
    plugins_state '.known | .pods == 1 and .containers == 0'
}

# ---- after the answer ----

@test "hooks after a call do not delay it, run in the order of the calls, and once for a stop" {
    HOOK_KEYS='timeout: 20s' one_plugin --delay PostStartContainer=10000
    live
    end
    call StopContainer "{\"containerId\":\"$container\"}" || true
    call StopPodSandbox "{\"podSandboxId\":\"$pod\"}" || true
    [ "$(times_hooked koordlet PostStopPodSandbox)" = 0 ]
    eventually 20 hooked_with PostStopPodSandbox '.podMeta.name == "web"'
    [ "$(jq -r 'select(.hook | startswith("Post")) | .hook' koordlet.journal | tr '\n' ' ')" = \
        "PostStartContainer PostStopContainer PostStopPodSandbox " ]
}

@test "a stop waits for hooks after calls" {
    HOOK_KEYS='timeout: 10s' one_plugin --delay PostStartContainer=1500
    live
    stop crigate
    [ "$(times_hooked koordlet PostStartContainer)" = 1 ]
    expect '.code == "OK"' "$(jq -c 'select(.hook == "PostStartContainer")' koordlet.journal)"
}

@test "a hook after a call that fails is not called" {
    start_runtime node v1 --fail StartContainer=INTERNAL
    write_map node
    hooks_on
    start_plugin koordlet
    start_node -v 3
    eventually 10 knows_plugins koordlet
    prepare
    run live
    call RemovePodSandbox '{"podSandboxId":"none"}' || true
    [ "$(times_hooked koordlet PreStartContainer)" = 1 ]
    [ "$(times_hooked koordlet PostStartContainer)" = 0 ]
}

# ---- restarts ----

# survives DIALECT INFO FILTER COMMAND...: after the command, hooks still see what the filter says.
survives() {
    local config api=$1 info=$2 filter=$3
    shift 3
    start_runtime node "$api" --verbose-info "$info"
    write_map node
    hooks_on
    start_plugin koordlet --set PreRunPodSandbox:cgroup_parent=/kubepods/other --set 'PreRunPodSandbox:labels[tier]=batch' \
        --set PreCreateContainer:container_resources.cpu_quota=-1
    start_node -v 3
    eventually 10 knows_plugins koordlet
    prepare
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1" | .labels = {app: "web"}')
    pod=$(run_pod "$config")
    "$@"
    eventually 10 knows_plugins koordlet
    container=$(create_container "$pod" "$config" "$IMAGE" '.envs = [{key: "COLOUR", value: "red"}]')
    expect '.request.sandboxConfig.linux.cgroupParent == "/kubepods/other"' "$(arrived node CreateContainer)"
    "$@"
    eventually 10 knows_plugins koordlet
    call StartContainer "{\"containerId\":\"$container\"}"
    expect '.podLabels.tier == "batch" and .podCgroupParent == "/kubepods/other" and .containerResources.cpuQuota == "-1"' \
        "$(hooked koordlet PreStartContainer)"
    expect "$filter" "$(hooked koordlet PreStartContainer)"
    ! grep -rq red state
}

kill_and_start() {
    crash crigate
    start_node -v 3
}

kill_forget_and_start() {
    crash crigate
    rm -f state/*
    start_node -v 3
}

take_over() {
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3 --takeover
    finish crigate
    cat next.log >>crigate.log
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
}

@test "kill -9: nothing is forgotten if the runtime reports it" {
    survives v1 containerd '.containerEnvs.COLOUR == "red"' kill_and_start
}

@test "kill -9: all but the environment is known of a runtime that does not report it" {
    survives v1alpha2 none '.containerEnvs == null' kill_and_start
    [ "$(grep -c 'does not report everything that plugins need.*environment' crigate.log)" = 1 ]
}

@test "kill -9 and no state folder: the runtime's word is enough" {
    survives v1 containerd '.containerEnvs.COLOUR == "red"' kill_forget_and_start
}

@test "a takeover forgets nothing, also of a runtime that reports little" {
    survives v1_9 none '.containerEnvs.COLOUR == "red"' take_over
}

@test "a takeover from a process that has not met the runtime yet: its last calls know what its file has" {
    local pod
    start_runtime node v1 --verbose-info none --state node.state
    write_map node
    hooks_on
    start_plugin koordlet --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    start_node -v 3
    eventually 10 knows_plugins koordlet
    pod=$(run_pod "$(pod web '.linux.cgroupParent = "/kubepods/pod1"')")
    stop crigate
    stop node
    sed 's/startup_grace: 10s/startup_grace: 100ms/' crigate.yaml >quick.yaml
    sed -i 's/startup_grace: 10s/startup_grace: 60s/' crigate.yaml
    start_crigate -v 3
    eventually 10 knows_plugins koordlet
    start_call waiting StopPodSandbox "{\"podSandboxId\":\"$pod\"}"
    eventually 15 calls_show '.calls[0].state == "waiting for the primary"'
    start next "$CRIGATE_BUILD/crigate" --config quick.yaml -v 3 --takeover
    eventually 15 grep -q "this process now serves the socket" next.log
    start_runtime node v1 --verbose-info none --state node.state
    finish waiting
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
    expect '.cgroupParent == "/kubepods/other"' "$(hooked koordlet PostStopPodSandbox)"
    finish crigate
    cat next.log >>crigate.log
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
}

# in_background FILE COMMAND...: FILE appears, with what it prints, when the command has ended.
in_background() {
    local file=$1
    shift
    { "$@" >"$file.draft" && mv "$file.draft" "$file"; } 3>&- &
}

# taken_over_while_busy: another process has the socket, and the old one still makes a pod and a container, until there are the files
# pod.go and container.go. The files pod.id and container.id appear when they are made.
taken_over_while_busy() {
    local config
    start_runtime node v1 --verbose-info none --hold RunPodSandbox=pod.go --hold CreateContainer=container.go
    write_map node
    hooks_on
    start_plugin koordlet --set PreRunPodSandbox:cgroup_parent=/kubepods/other
    start_node -v 3
    eventually 10 knows_plugins koordlet
    prepare
    config=$(pod busy)
    touch pod.go
    pod=$(run_pod "$config")
    rm pod.go
    in_background container.id create_container "$pod" "$config" "$IMAGE"
    config=$(pod web '.linux.cgroupParent = "/kubepods/pod1"')
    in_background pod.id run_pod "$config"
    eventually 10 eval '[ "$(times_hooked koordlet PreRunPodSandbox)" = 2 ]'
    eventually 15 calls_show '[.calls[].state] == ["asking", "asking"]'
    start next "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3 --takeover
    eventually 10 grep -q "this process now serves the socket" next.log
}

# parent_is_known: whether plugins see the cgroup parent that one of them gave that pod. Whoever asks the runtime does not find it.
parent_is_known() {
    call StopPodSandbox "{\"podSandboxId\":\"$(cat pod.id)\"}"
    eventually 10 eval '[ "$(times_hooked koordlet PostStopPodSandbox)" = 1 ]'
    expect '.cgroupParent == "/kubepods/other"' "$(hooked koordlet PostStopPodSandbox)"
}

@test "a takeover forgets nothing of a pod that the old process makes while it still makes another" {
    taken_over_while_busy
    touch pod.go
    eventually 10 test -e pod.id
    [ ! -e container.id ]
    parent_is_known
    [ ! -e container.id ]
    touch container.go
    finish crigate
    cat next.log >>crigate.log
    PIDS[crigate]=${PIDS[next]}
    unset "PIDS[next]"
}

@test "a takeover whose new process is killed: the next one knows what the old process made since" {
    taken_over_while_busy
    crash next
    [ ! -e pod.id ]
    eventually 20 grep -q "the process that took over has ended" crigate.log
    touch pod.go
    eventually 10 test -e pod.id
    start third "$CRIGATE_BUILD/crigate" --config crigate.yaml -v 3
    eventually 15 serves
    parent_is_known
    touch container.go
}
