#!/usr/bin/env bats
# Hooks of `crigate docker-proxy`: a kubelet that has Docker built in, a stand-in for Docker Engine that keeps containers, and simulated plugins.

load gateway
load plugins

SKIP=runtimeproxy.koordinator.sh/skip-hookserver

# start_engine: starts the stand-in for Docker Engine on docker.sock, and waits until it takes connections.
start_engine() {
    start engine python3 "$BATS_TEST_DIRNAME/docker_engine.py" docker.sock engine.journal
    eventually 15 grep -q listening engine.log
}

# start_proxy [OPTION...]: starts the proxy before it on proxy.sock.
start_proxy() {
    rm -f proxy.log
    start proxy "$CRIGATE_BUILD/crigate" docker-proxy --listen "unix://$PWD/proxy.sock" --docker "unix://$PWD/docker.sock" \
        --hooks "$PWD/plugins" -v 4 "$@"
    eventually 15 grep -q 'serves unix' proxy.log
}

# registered NAME: whether the proxy has read the plugin's file.
registered() {
    grep -q "plugin $1.json: registered" proxy.log
}

# one_plugin [OPTION...]: an engine, a plugin, and a proxy that knows it, which gives it HOOKS_TIME.
one_plugin() {
    mkdir -p -m 755 plugins
    start_engine
    start_plugin koordlet "$@"
    start_proxy ${HOOKS_TIME:+--hooks-timeout "$HOOKS_TIME"}
    eventually 10 registered koordlet
    eventually 10 rebuilt 1
}

# rebuilt COUNT: whether the proxy has asked for all containers that many times.
rebuilt() {
    [ "$(grep -c 'Kubernetes containers; ' proxy.log)" -ge "$1" ]
}

# send SOCKET METHOD TARGET [BODY]: sends a request. $status is the answer's status then, and $answer its body.
send() {
    local body=()
    [ $# -lt 4 ] || body=(-H 'Content-Type: application/json' --data-binary "$4")
    answer=$(curl -sS -m 30 --path-as-is --unix-socket "$1.sock" -X "$2" "${body[@]}" -w '\n%{http_code}' "http://docker$3")
    status=${answer##*$'\n'}
    answer=${answer%$'\n'*}
}

# api STATUS METHOD TARGET [BODY]: sends it through the proxy; fails unless it is answered with that status.
api() {
    local wanted=$1
    shift
    send proxy "$@"
    [ "$status" = "$wanted" ] || {
        echo "$* was answered $status: $answer"
        return 1
    }
}

# last FILTER: the last request that the engine got and jq's filter is true of.
last() {
    jq -c "select($1)" engine.journal | tail -n 1
}

# made: the body of the last create, as the engine got it.
made() {
    field .raw "$(last '.method == "POST" and (.target | test("/containers/create"))')"
}

# inspected ID|NAME: how often the engine was asked for it.
inspected() {
    jq -c --arg target "/containers/$1/json" 'select(.target == $target)' engine.journal | wc -l
}

# sandbox NAME [FILTER]: the body by which dockershim makes a pod's sandbox, changed by a filter of jq.
sandbox() {
    jq -cn --arg name "$1" '{Image: "k8s.gcr.io/pause:3.2", Hostname: $name,
        Labels: {app: "shop", "annotation.team": "blue", "io.kubernetes.docker.type": "podsandbox", "io.kubernetes.pod.name": $name,
            "io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.uid": ("uid-" + $name), "io.kubernetes.container.name": "POD"},
        HostConfig: {CgroupParent: ("/kubepods/burstable/pod" + $name), CpuShares: 2, OomScoreAdj: -998, Memory: 0, MemorySwap: 0},
        NetworkingConfig: null} | '"${2:-.}"
}

# container POD SANDBOX [FILTER]: the body by which dockershim makes a container of it.
container() {
    jq -cn --arg name "$1" --arg sandbox "$2" '{Image: "busybox", Env: ["COLOUR=crimson", "SIZE=big"],
        Labels: {"annotation.hash": "a1", "io.kubernetes.docker.type": "container", "io.kubernetes.sandbox.id": $sandbox,
            "io.kubernetes.pod.name": $name, "io.kubernetes.container.name": "main", "io.kubernetes.container.logpath": "/var/log/x"},
        HostConfig: {CgroupParent: ("/kubepods/burstable/pod" + $name), CpuPeriod: 100000, CpuQuota: 20000, CpuShares: 512,
            Memory: 1048576, MemorySwap: 1048576, OomScoreAdj: 999, CpusetCpus: "", CpusetMems: "", Big: 123456789012345678901}} | '"${3:-.}"
}

# run_sandbox NAME [FILTER]: makes and starts it; sets $pod.
run_sandbox() {
    api 201 POST "/v1.40/containers/create?name=k8s_POD_$1_default_uid-$1_0" "$(sandbox "$@")"
    pod=$(field .Id "$answer")
    api 204 POST "/v1.40/containers/$pod/start"
}

# make_container NAME [FILTER]: makes one in $pod; sets $container.
make_container() {
    api 201 POST "/v1.40/containers/create?name=k8s_main_$1_default_uid-$1_0" "$(container "$1" "$pod" "${2:-.}")"
    container=$(field .Id "$answer")
}

# ---- what plugins see and change ----

@test "a plugin changes what a kubelet asks of Docker, from create to stop" {
    one_plugin --set 'PreRunPodSandbox:labels[tier]=batch' --set 'PreRunPodSandbox:annotations[seen]=yes' \
        --set PreRunPodSandbox:cgroup_parent=/kubepods/besteffort/podweb \
        --set PreCreateContainer:container_resources.cpu_quota=-1 --set PreCreateContainer:container_resources.cpuset_cpus=0-1 \
        --set 'PreCreateContainer:container_annotations[b]=2' --set 'PreCreateContainer:container_envs[GPU]=7' \
        --remove 'PreCreateContainer:container_envs[SIZE]' \
        --set PreUpdateContainerResources:container_resources.memory_limit_in_bytes=4194304
    run_sandbox web
    expect '.Labels | .tier == "batch" and .["annotation.seen"] == "yes" and .["annotation.team"] == "blue"' "$(made)"
    expect '.HostConfig == {CgroupParent: "/kubepods/besteffort/podweb", CpuShares: 2, OomScoreAdj: -998, Memory: 0, MemorySwap: 0}' \
        "$(made)"
    make_container web
    expect '.HostConfig | .CgroupParent == "/kubepods/besteffort/podweb" and .CpuQuota == -1 and .CpusetCpus == "0-1"' "$(made)"
    expect '.HostConfig | .CpuPeriod == 100000 and .CpuShares == 512 and .Memory == 1048576 and .OomScoreAdj == 999' "$(made)"
    expect '.Env == ["COLOUR=crimson", "GPU=7"] and .Labels["annotation.b"] == "2"' "$(made)"
    [[ $(made) == *'"Big":123456789012345678901'* ]]
    api 204 POST "/v1.40/containers/$container/start"
    api 200 POST "/v1.40/containers/$container/update" '{"CpuShares":1024,"Other":[1.50]}'
    [ "$(field .raw "$(last '.target | test("/update")')")" = '{"Memory":4194304,"CpuShares":1024,"Other":[1.50]}' ]
    api 204 POST "/v1.40/containers/$container/stop?t=10"
    api 204 POST "/v1.40/containers/$pod/stop?t=10"
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
    expect '.podMeta == {name: "web", uid: "uid-web", namespace: "default"} and .runtimeHandler == "docker"' \
        "$(hooked koordlet PreRunPodSandbox)"
    expect '.cgroupParent == "/kubepods/burstable/podweb" and .annotations == {team: "blue"} and .labels.app == "shop"' \
        "$(hooked koordlet PreRunPodSandbox)"
    expect '.labels | has("io.kubernetes.docker.type") or has("io.kubernetes.container.name") | not' "$(hooked koordlet PreRunPodSandbox)"
    expect '.podCgroupParent == "/kubepods/besteffort/podweb" and .podLabels.tier == "batch" and .containerMeta.name == "main"' \
        "$(hooked koordlet PreCreateContainer)"
    expect '.containerEnvs == {COLOUR: "crimson", SIZE: "big"} and .containerAnnotations == {hash: "a1"}' \
        "$(hooked koordlet PreCreateContainer)"
    expect ".containerMeta.id == \"$container\" and .containerEnvs == {COLOUR: \"crimson\", GPU: \"7\"}" "$(hooked koordlet PreStartContainer)"
    expect '.containerResources | .cpuShares == "1024" and .cpuQuota == "-1" and .memoryLimitInBytes == "1048576"' \
        "$(hooked koordlet PreUpdateContainerResources)"
    for hook in PreStartContainer PostStartContainer PostStopContainer; do
        was_hooked koordlet "$hook" 1
        expect ".containerMeta.id == \"$container\"" "$(hooked koordlet $hook)"
    done
    ! grep -q 'crimson' proxy.log
}

@test "what no plugin changes passes byte for byte" {
    local body
    one_plugin
    body=" $(sandbox web '. + {Unknown: {"hostconfig": [1.0, 1e2]}}') "
    api 201 POST "/containers/create?name=k8s_POD_web_default_uid-web_0" "$body"
    pod=$(field .Id "$answer")
    [ "$(made)" = "$body" ]
    body=$(container web "$pod")
    api 201 POST "/v1.52/containers/create?name=k8s_main_web_default_uid-web_0" "$body"
    [ "$(made)" = "$body" ]
    was_hooked koordlet PreRunPodSandbox 1
    was_hooked koordlet PreCreateContainer 1
}

@test "slices of systemd are paths for plugins, and names for Docker" {
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods.slice/kubepods-best.slice
    run_sandbox web '.HostConfig.CgroupParent = "kubepods-burstable-podweb.slice"'
    expect '.HostConfig.CgroupParent == "kubepods-best.slice"' "$(made)"
    expect '.cgroupParent == "/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-podweb.slice"' \
        "$(hooked koordlet PreRunPodSandbox)"
    make_container web '.HostConfig.CgroupParent = "kubepods-burstable-podweb.slice"'
    expect '.HostConfig.CgroupParent == "kubepods-best.slice"' "$(made)"
}

@test "an answer that says nothing of the cgroup parent leaves it" {
    one_plugin --empty
    run_sandbox web
    make_container web
    expect '.HostConfig | .CgroupParent == "/kubepods/burstable/podweb" and .OomScoreAdj == 999' "$(made)"
}

@test "pods with the label that skips hooks get none, and neither do their containers" {
    one_plugin --set 'PreRunPodSandbox:labels[tier]=batch'
    run_sandbox web ".Labels[\"$SKIP\"] = \"true\""
    expect '.Labels | has("tier") | not' "$(made)"
    make_container web
    api 204 POST "/containers/$container/start"
    api 204 POST "/containers/$container/stop"
    api 204 POST "/containers/$pod/stop"
    run_sandbox other
    eventually 10 was_hooked koordlet PreRunPodSandbox 1
    was_hooked koordlet PreCreateContainer 0
    was_hooked koordlet PostStopContainer 0
    was_hooked koordlet PostStopPodSandbox 0
}

@test "a name that is longer than any that kubelets give passes, and Docker answers" {
    local name
    one_plugin --policy Fail
    name=$(head -c 3000 /dev/zero | tr '\0' n)
    api 404 POST "/containers/$name/stop"
    api 201 POST "/containers/create?name=$name" '{}'
    api 204 POST "/containers/$name/start"
}

@test "what is not Kubernetes' passes, whatever it is" {
    one_plugin --policy Fail --fail '*=INTERNAL'
    api 201 POST "/containers/create?name=web" '{"hostconfig":{"Memory":1},"HostConfig":{}}'
    container=$(field .Id "$answer")
    api 400 POST "/containers/create?name=web2" 'no JSON'
    api 201 POST "/containers/create" '{}'
    api 201 POST "/containers/create?name=k8s_a_b" '{"Labels":{"io.kubernetes.docker.type":"podsandbox"}}'
    api 204 POST "/containers/web/start"
    api 200 POST "/containers/$container/update" '{"memory":5}'
    api 204 POST "/containers/${container:0:12}/stop"
    api 204 DELETE "/containers/web"
    [ ! -s koordlet.journal ]
}

@test "a stop, a start and an update of a container that Docker does not have pass, and Docker answers" {
    one_plugin --policy Fail
    for target in start stop update; do
        api 404 POST "/containers/nothing/$target" '{}'
        [[ $answer == *"No such container"* ]]
        api 404 POST "/containers/$(printf '%064d' 7)/$target" '{}'
    done
    [ ! -s koordlet.journal ]
}

@test "paths that Docker's router would clean or decode have hooks, too" {
    one_plugin --set 'PreRunPodSandbox:labels[tier]=batch'
    send proxy POST "/v1.41//containers/%63reate?n%61me=k8s_POD_web_default_uid-web_0" "$(sandbox web)"
    was_hooked koordlet PreRunPodSandbox 1
    send proxy POST "/./containers/create?name=k8s_POD_web_default_uid-web_1" "$(sandbox web)"
    was_hooked koordlet PreRunPodSandbox 2
}

# ---- what could be read differently ----

@test "bodies that Docker could read differently are refused, and never reach it" {
    local name=k8s_main_web_default_uid-web_0 body
    one_plugin
    run_sandbox web
    body=$(container web "$pod")
    : >engine.journal
    api 400 POST "/containers/create?name=$name" "${body%\}},\"hostconfig\":{\"Memory\":0}}"
    [[ $(field .message "$answer") == *"the key HostConfig occurs twice"* ]]
    api 400 POST "/containers/create?name=$name" "${body/\"Memory\"/\"memory\"}"
    api 400 POST "/containers/create?name=$name" "${body/\"HostConfig\"/\"Ho\\u017ftConfig\"}"
    api 400 POST "/containers/create?name=$name" "$body{}"
    api 400 POST "/containers/create?name=$name" "no JSON"
    api 400 POST "/containers/create?name=$name&name=web" "$body"
    api 400 POST "/containers/create?name=web;name=$name" "$body"
    ! grep -q create engine.journal
    make_container web
    api 400 POST "/containers/$container/update" '{"Memory":4096,"memory":8192}'
    api 400 POST "/v1.23/containers/$container/start" '{"Memory":4096}'
    ! grep -Eq 'update|/start' engine.journal
}

# ---- failures of plugins ----

@test "a plugin that fails fails the request under Fail, and is left out under Ignore" {
    one_plugin --policy Fail --fail PreRunPodSandbox=INTERNAL:1 --fail PreCreateContainer=INTERNAL:1 \
        --fail PreStartContainer=INTERNAL:1 --fail PreUpdateContainerResources=INTERNAL:1
    api 500 POST "/containers/create?name=k8s_POD_web_default_uid-web_0" "$(sandbox web)"
    [[ $(field .message "$answer") == *"plugin koordlet.json: INTERNAL: koordlet was told to fail PreRunPodSandbox"* ]]
    run_sandbox web
    api 500 POST "/containers/create?name=k8s_main_web_default_uid-web_0" "$(container web "$pod")"
    make_container web
    api 500 POST "/containers/$container/start"
    api 204 POST "/containers/$container/start"
    api 500 POST "/containers/$container/update" '{}'
    api 200 POST "/containers/$container/update" '{}'
}

@test "what a plugin changes and Docker has no place for is the plugin's failure" {
    one_plugin --set 'PreCreateContainer:container_resources.unified[memory.high]=1'
    run_sandbox web
    make_container web
    grep -q "plugin koordlet.json: its answer to Docker's create is not used: .*linux.resources.unified: Docker has no such setting" \
        proxy.log
    [ "$(made)" = "$(container web "$pod")" ]
}

@test "what a plugin changes in an update and Docker cannot change is the plugin's failure" {
    one_plugin --set PreUpdateContainerResources:container_resources.oom_score_adj=5
    run_sandbox web
    make_container web
    api 200 POST "/containers/$container/update" '{"CpuShares":7}'
    [ "$(field .raw "$(last '.target | test("/update")')")" = '{"CpuShares":7}' ]
    grep -q "oom_score_adj: Docker cannot change it" proxy.log
}

@test "two plugins: each sees what the one before made of it, and the later wins" {
    mkdir -p -m 755 plugins
    start_engine
    start_plugin a --set PreCreateContainer:container_resources.cpu_shares=100 --set 'PreCreateContainer:container_envs[A]=1'
    start_plugin b --set PreCreateContainer:container_resources.cpu_shares=200
    start_proxy
    eventually 10 registered b
    run_sandbox web
    make_container web
    expect '.HostConfig.CpuShares == 200 and .Env == ["COLOUR=crimson", "SIZE=big", "A=1"]' "$(made)"
    expect '.containerResources.cpuShares == "100" and .containerEnvs.A == "1"' "$(hooked b PreCreateContainer)"
    grep -q "plugin b.json overrides what an earlier plugin changed: linux.resources.cpu_shares" proxy.log
}

@test "a caller that gives up while a plugin works: Docker does not get the request" {
    HOOKS_TIME=30s one_plugin --hang PreRunPodSandbox=1
    run -28 curl -sS -m 4 --unix-socket proxy.sock -X POST --data-binary "$(sandbox web)" -H 'Content-Type: application/json' \
        "http://docker/containers/create?name=k8s_POD_web_default_uid-web_0"
    eventually 10 grep -q CANCELLED koordlet.journal
    ! grep -q create engine.journal
}

# ---- hooks after requests ----

@test "hooks after a stop are called once, also if the container had ended by itself" {
    one_plugin
    run_sandbox web
    make_container web
    api 204 POST "/containers/$container/start"
    send docker POST "/containers/$container/stop"
    api 304 POST "/containers/$container/stop"
    eventually 10 was_hooked koordlet PostStopContainer 1
    api 304 POST "/containers/$container/stop"
    api 204 POST "/containers/$pod/stop"
    api 304 POST "/containers/$pod/stop"
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
    api 204 POST "/containers/$container/start"
    api 304 POST "/containers/$container/start"
    api 204 POST "/containers/$container/stop"
    eventually 10 was_hooked koordlet PostStopContainer 2
    was_hooked koordlet PostStartContainer 2
    was_hooked koordlet PostStopPodSandbox 1
    run_sandbox other
    send docker POST "/containers/$pod/stop"
    api 304 POST "/containers/$pod/stop"
    eventually 10 was_hooked koordlet PostStopPodSandbox 2
}

# ---- what is known ----

@test "after a restart, what is known is asked of Docker" {
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods/besteffort/podweb
    run_sandbox web
    make_container web
    api 204 POST "/containers/$container/start"
    stop proxy
    start_proxy
    eventually 10 rebuilt 1
    : >engine.journal
    api 200 POST "/containers/$container/update" '{"CpuShares":7}'
    [ "$(inspected "$container")" = 0 ]
    expect ".podMeta.name == \"web\" and .podLabels.app == \"shop\" and .podAnnotations == {team: \"blue\"} and
        .podCgroupParent == \"/kubepods/besteffort/podweb\" and .containerMeta == {name: \"main\", id: \"$container\"} and
        .containerResources.cpuShares == \"7\" and .containerResources.cpuQuota == \"20000\" and .containerEnvs.COLOUR == \"crimson\"" \
        "$(hooked koordlet PreUpdateContainerResources)"
    make_container web2
    expect '.HostConfig.CgroupParent == "/kubepods/besteffort/podweb"' "$(made)"
}

@test "Docker away at the start: what is known is asked for when it comes" {
    mkdir -p -m 755 plugins
    start_plugin koordlet
    start_proxy
    eventually 10 registered koordlet
    eventually 10 grep -q "cannot yet read the data that plugins need about" proxy.log
    start_engine
    eventually 10 rebuilt 1
    run_sandbox web
    was_hooked koordlet PreRunPodSandbox 1
}

@test "a plugin that comes late: containers that run get hooks, by name and by the beginning of their ids as well" {
    mkdir -p -m 755 plugins
    start_engine
    start_proxy
    run_sandbox web
    make_container web
    start_plugin koordlet
    eventually 10 registered koordlet
    api 204 POST "/containers/k8s_main_web_default_uid-web_0/start"
    expect ".containerMeta.id == \"$container\" and .podLabels.app == \"shop\"" "$(hooked koordlet PreStartContainer)"
    api 200 POST "/containers/${container:0:10}/update" '{}'
    expect ".containerMeta.id == \"$container\"" "$(hooked koordlet PreUpdateContainerResources)"
    api 204 POST "/containers/${pod:0:12}/stop"
    eventually 10 was_hooked koordlet PostStopPodSandbox 1
}

@test "Docker cannot be reached: Fail fails, Ignore goes on" {
    one_plugin --policy Fail
    run_sandbox web
    make_container web
    touch engine.journal.refuse
    stop proxy
    start_proxy
    eventually 10 registered koordlet
    api 500 POST "/containers/$container/start"
    [[ $(field .message "$answer") == *"cannot find the data that plugins need about this "*"Docker answered 500: told to refuse"* ]]
    api 500 POST "/containers/create?name=k8s_other_web_default_uid-web_0" "$(container web "$pod")"
    rm engine.journal.refuse
    api 204 POST "/containers/$container/start"
    stop koordlet
    rm -f plugins/koordlet.json
    start_plugin lenient
    eventually 10 registered lenient
    touch engine.journal.refuse
    stop proxy
    start_proxy
    eventually 10 grep -q "lenient.json: registered" proxy.log
    api 201 POST "/containers/create?name=k8s_other_web_default_uid-web_0" "$(container web "$pod")"
    expect '.podMeta.name == "web" and .podCgroupParent == "/kubepods/burstable/podweb"' "$(hooked lenient PreCreateContainer)"
    api 204 POST "/containers/$container/stop"
}

@test "Docker hangs when it is asked: other requests go on, and that one does at last under Ignore" {
    mkdir -p -m 755 plugins
    start_engine
    start_proxy
    run_sandbox web
    make_container web
    touch engine.journal.hang
    start_plugin koordlet
    eventually 10 registered koordlet
    send proxy POST "/containers/$container/start" >late.log &
    local late=$!
    run_sandbox other
    was_hooked koordlet PreRunPodSandbox 1
    api 204 DELETE "/containers/$pod"
    wait "$late"
    [ "$(last '.target | test("/start")' | jq -r .status)" = 204 ]
    grep -q "Docker did not answer in time" proxy.log
    was_hooked koordlet PreStartContainer 0
}

@test "what was removed is forgotten, and its name may be another's" {
    one_plugin
    run_sandbox web
    make_container web
    api 204 DELETE "/containers/$container?v=1"
    make_container web
    api 204 POST "/containers/$container/start"
    expect ".containerMeta.id == \"$container\"" "$(hooked koordlet PreStartContainer)"
    send docker DELETE "/containers/$container"
    api 404 POST "/containers/$container/start"
    : >engine.journal
    api 404 POST "/containers/$container/start"
    [ "$(inspected "$container")" = 1 ]
}

@test "without plugins, nothing is asked and nothing is changed" {
    mkdir -p -m 755 plugins
    start_engine
    start_proxy
    run_sandbox web
    make_container web
    api 204 POST "/containers/$container/start"
    api 204 POST "/containers/$container/stop"
    [ "$(jq -c 'select(.method == "GET")' engine.journal | wc -l)" = 0 ]
    [ "$(made)" = "$(container web "$pod")" ]
}

@test "the last plugin goes: containers of a pod whose cgroup parent it changed still go there" {
    one_plugin --set PreRunPodSandbox:cgroup_parent=/kubepods/besteffort/podweb
    run_sandbox web
    stop koordlet
    rm -f plugins/koordlet.json
    eventually 10 grep -q "plugin koordlet.json: removed" proxy.log
    make_container web
    expect '.HostConfig.CgroupParent == "/kubepods/besteffort/podweb"' "$(made)"
}
