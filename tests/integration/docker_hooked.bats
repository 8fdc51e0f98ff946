#!/usr/bin/env bats
# crigate docker-proxy with plugins: how requests that they see are held, framed anew and passed on. docker_hooks.bats has what they see.

load docker
load plugins

POD_NAME=k8s_POD_web_default_11111111-2222-3333-4444-555555555555_0
CONTAINER_NAME=k8s_app_web_default_11111111-2222-3333-4444-555555555555_0
POD=0000000000000000000000000000000000000000000000000000000000000001
CONTAINER=0000000000000000000000000000000000000000000000000000000000000002

node() {
    mkdir -p -m 755 plugins
    start_docker
    HOOKS=$PWD/plugins start_proxy "$@"
}

# plugin NAME [OPTION...]: starts a plugin, and waits until the proxy knows it.
plugin() {
    start_plugin "$@"
    eventually 15 grep -q "$1.json" proxy.log
}

# post TARGET [BODY] [FIELDS]: prints the status and the body of the answer.
post() {
    printf '%s' "${2:-}" >body
    printf 'POST %s HTTP/1.1\r\nHost: d\r\nConnection: close\r\nX-Kept: yes\r\n%bContent-Length: %s\r\n\r\n' "$1" "${3:-}" \
        "$(wc -c <body)" | cat - body >request
    talk proxy file:request rest | tr -d '\r' | sed -n '1s/^HTTP[^ ]* \([0-9]*\).*/\1/p; $p'
}

pod_body() {
    echo '{"Image": "pause", "Labels": {"io.kubernetes.docker.type": "podsandbox", "io.kubernetes.pod.name": "web",
        "io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.uid": "11111111-2222-3333-4444-555555555555"},
        "HostConfig": {"CgroupParent": "/kubepods/pod1", "CpuShares": 2}}'
}

container_body() {
    echo '{"Image": "app", "Env": ["A=b"], "Unknown": {"kept": [1]}, "Labels": {"io.kubernetes.docker.type": "container",
        "io.kubernetes.container.name": "app", "io.kubernetes.sandbox.id": "'$POD'", "io.kubernetes.pod.name": "web",
        "io.kubernetes.pod.namespace": "default", "io.kubernetes.pod.uid": "11111111-2222-3333-4444-555555555555"},
        "HostConfig": {"CgroupParent": "/kubepods/pod1", "CpuShares": 1024}}'
}

# make: a pod and a container as dockershim makes them.
make() {
    [ "$(post "/v1.40/containers/create?name=$POD_NAME" "$(pod_body)" | head -n 1)" = 201 ]
    [ "$(post "/v1.40/containers/create?name=$CONTAINER_NAME" "$(container_body)" | head -n 1)" = 201 ]
}

@test "a container as dockershim makes it gets what a plugin says, and keeps all else" {
    node
    plugin one --set PreCreateContainer:container_resources.cpu_shares=512
    make
    was_hooked one PreRunPodSandbox 1
    was_hooked one PreCreateContainer 1
    [ "$(jq .HostConfig.CpuShares "docker.in/created.$CONTAINER_NAME")" = 512 ]
    [ "$(jq -c '[.Unknown, .Env, .Image]' "docker.in/created.$CONTAINER_NAME")" = '[{"kept":[1]},["A=b"],"app"]' ]
    grep -qa 'X-Kept: yes' docker.in/*.in
}

@test "the hooks of start, update and stop are called for what was made" {
    node
    plugin one --set PreUpdateContainerResources:container_resources.cpu_quota=5000
    make
    [ "$(post "/containers/$CONTAINER/start")" = 204 ]
    eventually 5 was_hooked one PostStartContainer 1
    was_hooked one PreStartContainer 1
    [ "$(post "/v1.40/containers/$CONTAINER/update" '{"CpuShares": 7}' | head -n 1)" = 200 ]
    [ "$(jq -c '[.CpuShares, .CpuQuota]' "docker.in/update.$CONTAINER")" = "[7,5000]" ]
    [ "$(post "/containers/$CONTAINER/stop?t=1")" = 204 ]
    eventually 5 was_hooked one PostStopContainer 1
    [ "$(post "/containers/$POD/stop")" = 204 ]
    eventually 5 was_hooked one PostStopPodSandbox 1
}

@test "a body in chunks and one that awaits 100 Continue are framed anew" {
    node
    plugin one --set PreRunPodSandbox:cgroup_parent=/other
    pod_body >pod.json
    { printf 'POST /containers/create?name=%s HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n%x\r\n' \
        "$POD_NAME" "$(wc -c <pod.json)"; cat pod.json; printf '\r\n0\r\nX-Sum: 1\r\n\r\n'; } >request
    run -0 talk proxy file:request rest
    [[ ${lines[0]} =~ 201 ]]
    run -1 grep -aiE 'chunked|X-Sum' docker.in/*.in
    grep -qa "Content-Length: $(wc -c <"docker.in/created.$POD_NAME")" docker.in/*.in
    [ "$(jq -r .HostConfig.CgroupParent "docker.in/created.$POD_NAME")" = /other ]
    run -0 talk proxy "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\nContent-Length: $(wc -c <pod.json)\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n" \
        'expect:100 Continue\r\n\r\n' file:pod.json rest
    [[ $output =~ 201 ]]
    run -1 grep -ai 'Expect' docker.in/*.in
}

@test "however the path is written, the hook is called" {
    node
    plugin one
    local number=0 path
    for path in /containers/create /v1.41/containers/create /v1.41//containers/create /containers/%63reate /v9.99/./containers/create; do
        number=$((number + 1))
        post "$path?name=$POD_NAME" "$(pod_body)" >/dev/null
        was_hooked one PreRunPodSandbox "$number"
    done
}

@test "names that are not Kubernetes' pass untouched, and so does everything else" {
    node
    plugin one --set '*:cgroup_parent=/other'
    printf '{"Image":  "x" }' >asked
    [ "$(post '/containers/create?name=mine' "$(cat asked)" | head -n 1)" = 201 ]
    cmp asked docker.in/created.mine
    [ "$(post '/containers/create' "$(cat asked)" | head -n 1)" = 201 ]
    cmp asked docker.in/created.none
    [ "$(post /containers/nobody/stop | head -n 1)" = 404 ]
    [ "$(post /_ping | tail -n 1)" = OK ]
    [ "$(post /until-close | tail -n 1)" = 'the rest' ]
    [ ! -s one.journal ]
}

@test "a plugin that fails the request: the caller gets 500 with its words, and Docker nothing" {
    node
    plugin one --policy Fail --fail PreRunPodSandbox=UNAVAILABLE
    run -0 post "/containers/create?name=$POD_NAME" "$(pod_body)"
    [[ ${lines[0]} = 500 && ${lines[1]} =~ ^'{"message":"' && ${lines[1]} =~ "one.json" ]]
    run -1 grep -qa create docker.in/*.in
}

@test "a caller that leaves while a plugin works, and one that ends its side" {
    node --hooks-timeout 120s
    plugin one --hang PreRunPodSandbox
    pod_body >pod.json
    local head="POST /containers/create?name=$POD_NAME HTTP/1.1\r\nContent-Length: $(wc -c <pod.json)\r\n\r\n"
    start leaving python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock "send:$head" file:pod.json pause:60000
    eventually 10 grep -q PENDING one.journal
    crash leaving
    eventually 10 grep -q CANCELLED one.journal
    run -0 post /containers/create?name=mine "$(pod_body)"
    [ -e docker.in/created.mine ]
    [ ! -e "docker.in/created.$POD_NAME" ]
    stop one
    plugin one
    run -0 talk proxy "send:$head" file:pod.json shut rest
    [[ ${lines[0]} =~ 201 ]]
}

@test "requests behind a hooked one wait for it, and those of others do not" {
    node --hooks-timeout 30s
    plugin one
    pod_body >pod.json
    kill -STOP "${PIDS[one]}"
    start slow python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\nContent-Length: $(wc -c <pod.json)\r\n\r\n" \
        file:pod.json 'send:GET /_ping HTTP/1.1\r\nConnection: close\r\n\r\n' rest
    [ "$(post /_ping | tail -n 1)" = OK ]
    [ ! -e "docker.in/created.$POD_NAME" ]
    run ! ended slow
    kill -CONT "${PIDS[one]}"
    finish slow
    [[ $(head -n 1 slow.log) =~ 201 && $(tail -n 1 slow.log) =~ OK ]]
}

@test "Docker that ends while a plugin works is asked on another connection" {
    node --hooks-timeout 8s
    plugin one --hang PreRunPodSandbox
    pod_body >pod.json
    start slow python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\nContent-Length: $(wc -c <pod.json)\r\nConnection: close\r\n\r\n" \
        file:pod.json rest
    eventually 10 grep -q PENDING one.journal
    crash docker
    start_docker
    finish slow
    [[ $(head -n 1 slow.log) =~ 201 ]]
}

# ---- what is too much ----

@test "a body over 4 MiB: refused if a plugin must see it, else it passes without hooks, byte for byte" {
    node
    plugin one
    { printf '{"Image": "'; head -c 5000000 /dev/zero | tr '\0' a; printf '"}'; } >big
    post "/containers/create?name=$POD_NAME" "$(cat big)" >answer
    [ "$(head -n 1 answer)" = 201 ]
    cmp big "docker.in/created.$POD_NAME"
    grep -q 'passes without hooks' proxy.log
    # In chunks of 100,000 bytes: what was held becomes one chunk.
    rm "docker.in/created.$POD_NAME"
    { printf 'POST /containers/create?name=%s HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n' "$POD_NAME"
        split -b 100000 --filter 'printf "186a0\r\n"; cat; printf "\r\n"' <(head -c 5000000 big)
        printf '%x\r\n' "$(($(wc -c <big) - 5000000))"; tail -c +5000001 big; printf '\r\n0\r\n\r\n'; } >request
    run -0 talk proxy file:request rest
    [[ ${lines[0]} =~ 201 ]]
    cmp big "docker.in/created.$POD_NAME"
    [ ! -s one.journal ]
    stop one
    rm plugins/one.json
    plugin two --policy Fail
    eventually 10 grep -q 'two.json' proxy.log
    run -0 post "/containers/create?name=$POD_NAME" "$(cat big)"
    [[ ${lines[0]} = 413 && ${lines[1]} =~ "too long" ]]
    run -0 talk proxy file:request rest
    [[ $output =~ 413 ]]
}

@test "a start with a body too long to be shown fails, too, if a plugin must see what is made" {
    node
    plugin one --policy Fail --hooks PreCreateContainer
    run -0 post "/v1.23/containers/$CONTAINER/start" "$(head -c 5000000 /dev/zero | tr '\0' ' ')"
    [[ ${lines[0]} = 413 ]]
    [ ! -e "docker.in/start.$CONTAINER" ]
}

@test "doubtful requests for hooked routes are refused, and no plugin and no Docker sees them" {
    node
    plugin one
    local fields
    for fields in 'Content-Length: 5\r\nTransfer-Encoding: chunked' 'Content-Length: 5\r\nContent-Length: 6' \
        'Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2'; do
        run -0 talk proxy "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\n$fields\r\n\r\n{}" rest
        [[ ${lines[0]} =~ 400 ]]
    done
    run -0 talk proxy "send:POST /containers/create?name=$POD_NAME&name=mine HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}" rest
    [[ ${lines[0]} =~ 400 ]]
    run -0 talk proxy "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\n{}\n0\n\n" rest
    [[ ${lines[0]} =~ 400 ]]
    run -0 post "/containers/create?name=$POD_NAME" '{"Image": '
    [[ ${lines[0]} = 400 ]]
    [ ! -s one.journal ]
    run -1 grep -qa create docker.in/*.in
}

@test "a head that does not end in time gets 408, and so does a body that is held; a body that passes may take as long as it likes" {
    node
    start head python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock patience:100 'send:GET /_ping HTTP/1.1\r\nHo' rest
    start body python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock patience:100 \
        "send:POST /containers/create?name=$POD_NAME HTTP/1.1\r\nContent-Length: 9\r\n\r\n{" rest
    start passing python3 "$BATS_TEST_DIRNAME/http_talk.py" proxy.sock 'send:POST /echo HTTP/1.1\r\nContent-Length: 2\r\n\r\na' pause:63000 send:b expect:ab
    eventually 100 ended head
    finish head
    finish body
    eventually 20 ended passing
    finish passing
    [[ $(cat head.log) =~ "408 Request Timeout" && $(cat body.log) =~ "408 Request Timeout" ]]
    run -1 grep -qa create docker.in/*.in
}

@test "plugins are found while it runs, and hooks end before it does" {
    node
    make
    plugin one --delay PostStartContainer=700
    [ "$(post "/containers/$CONTAINER/start")" = 204 ]
    kill -TERM "${PIDS[proxy]}"
    finish proxy
    was_hooked one PostStartContainer 1
}
