#!/usr/bin/env bats
# crigate in place of criproxy and of koord-runtime-proxy: their options, what these mean, and nodes that they leave behind.

load gateway

# The kubelets that criproxy served.
API=v1_12

setup() {
    set +T # see eventually.bash
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -s "$(realpath "$CRIGATE_BUILD/crigate")" criproxy
    ln -s "$(realpath "$CRIGATE_BUILD/crigate")" koord-runtime-proxy
}

crigate() {
    "$CRIGATE_BUILD/crigate" "$@"
}

# criproxy_starts [OPTION...]: in front of both runtimes, as `crigate`, and waits until it takes calls.
criproxy_starts() {
    rm -f crigate.log
    start crigate ./criproxy -connect "$PWD/dockershim.sock,virtlet.cloud:$PWD/virtlet.sock" -listen "$PWD/crigate.sock" \
        -streamUrl http://192.0.2.1:11250/ -logtostderr "$@"
    eventually 15 serves
}

# without_etc COMMAND...: runs it where /etc has nothing of this machine: the folder of plugins is there, which a proxy makes and reads.
without_etc() {
    if [ "$(id -u)" = 0 ]; then
        exec unshare --mount sh -c 'mount -t tmpfs tmpfs /etc && exec "$@"' sh "$@"
    fi
    exec "$@"
}

# koord_runtime_proxy_starts [OPTION...]: in front of one runtime.
koord_runtime_proxy_starts() {
    rm -f crigate.log
    start crigate without_etc ./koord-runtime-proxy --koord-runtimeproxy-endpoint "$PWD/crigate.sock" \
        --remote-runtime-service-endpoint="$PWD/main.sock" "$@"
    eventually 15 serves
    eventually 15 runtime_ready primary
}

all_ready() {
    runtime_ready primary && runtime_ready virtlet.cloud
}

# refuses PROGRAM TEXT OPTION...: whether wrong options end with 64 and that text.
refuses() {
    local program=$1 text=$2
    shift 2
    run -64 crigate "$program" "$@"
    [[ $output == "crigate $program: "*"$text"*"; see crigate $program --help" ]] || {
        echo "$*: $output"
        return 1
    }
}

# ---- options ----

@test "criproxy: the defaults are criproxy's" {
    run -0 --separate-stderr crigate criproxy -streamUrl http://192.0.2.1:11250 --print-config
    [[ -z $stderr && ${lines[0]} == "# from options of criproxy" ]]
    [[ $output =~ "address: unix:///run/criproxy.sock" ]]
    [[ $output =~ "  - name: primary
    endpoint: unix:///var/run/dockershim.sock" ]]
    [[ $output =~ "ids: plain" && ! $output =~ "ids: prefixed" ]]
    [[ $output =~ "annotation: kubernetes.io/target-runtime" ]]
    [[ $output =~ "hooks: false" ]]
    [[ $output =~ "state: /run/criproxy" ]]
}

@test "criproxy: its options become a runtime map, which means the same when it is read as a file" {
    run -0 --separate-stderr ./criproxy -v 3 -alsologtostderr -connect /run/a.sock,virtlet.cloud:/run/v.sock,vm.local:/run/vm.sock \
        --listen=/run/other/cri.socket -streamPort 1 -streamUrl "http://192.0.2.1:12000/gone/" -print-config
    [ -z "$stderr" ]
    [[ $output =~ "address: unix:///run/other/cri.socket" ]]
    [[ $output =~ "state: /run/other/cri.socket.state" ]]
    [[ $output =~ "  - name: virtlet.cloud
    endpoint: unix:///run/v.sock" ]]
    [ "$(grep -c 'ids: prefixed' <<<"$output")" = 2 ]
    [ "$(grep -cF 'stream_url: "http://192.0.2.1:12000"' <<<"$output")" = 3 ]
    [[ $output =~ "image_prefix: virtlet.cloud" && $output =~ "image_prefix: vm.local" ]]
    local printed=$output
    echo "$printed" >printed.yaml
    run -0 crigate --config printed.yaml --print-config
    [ "$(tail -n +2 <<<"$output")" = "$(tail -n +2 <<<"$printed")" ]
}

@test "criproxy: -streamPort is a port of this node, if that has an address" {
    run -0 --separate-stderr crigate criproxy -streamPort 12000 -print-config
    if [[ $stderr =~ "no address for -streamPort" ]]; then
        [[ ! $output =~ stream_url ]]
    else
        [[ -z $stderr && $output =~ stream_url:\ \"http://[^/]+:12000\" ]]
    fi
}

@test "criproxy: the primary's name is no other runtime's" {
    run -0 crigate criproxy -connect /run/a.sock,primary:/run/b.sock,primary-1:/run/c.sock -print-config
    [[ $output =~ "name: primary-2
    endpoint: unix:///run/a.sock" ]]
    [[ $output =~ "name: primary
    endpoint: unix:///run/b.sock" ]]
}

@test "criproxy: wrong options are reported, and the exit status is 64" {
    refuses criproxy "unknown option: -no-such-option" -no-such-option
    refuses criproxy "unexpected argument: stray" -v 3 stray
    refuses criproxy "unexpected argument: -" -
    refuses criproxy "-listen needs a value" -listen
    refuses criproxy "-v must be a number: high" -v high
    refuses criproxy "-logtostderr must be true or false: maybe" -logtostderr=maybe
    refuses criproxy "-streamPort must be a number from 1 to 65535: 0" -streamPort 0
    refuses criproxy "-streamPort must be a number from 1 to 65535: 65536" -streamPort=65536
    refuses criproxy "the first socket is the primary's and has no name" -connect vm.local:/run/a.sock
    refuses criproxy "every socket after the first needs a name" -connect /run/a.sock,/run/b.sock
    refuses criproxy "a socket is missing" -connect /run/a.sock,
    refuses criproxy "a socket is missing" -connect ""
    refuses criproxy "without unix://" -connect unix:///run/a.sock
}

@test "criproxy: what is gone ends with what replaces it" {
    refuses criproxy "every socket after the first needs a name" -connect /run/a.sock,docker
    refuses criproxy "the first socket is the primary's and has no name" -connect shim:docker
    local option
    for option in -install -grab; do
        refuses criproxy "--container-runtime-endpoint" "$option"
        refuses criproxy '`crigate preflight`' "$option"
        refuses criproxy '`crigate install`' "$option"
    done
    refuses criproxy "leave this option out" -apiserver http://192.0.2.1:8080
    refuses criproxy "leave this option out" -nodeinfo=/etc/criproxy/node.conf
    refuses criproxy "leave this option out" -apiVersion 1.8
}

@test "errors that only a runtime map shows are reported as such, and the exit status is 78" {
    run -78 crigate criproxy -connect '/run/a.sock,vm"local:/run/b.sock' -streamUrl http://192.0.2.1:1
    [[ $output =~ "options of criproxy:"[0-9]+:[0-9]+": name: \"vm\"local\" cannot be the prefix of an id" ]]
    run -78 crigate criproxy -listen run/relative.sock
    [[ $output =~ "options of criproxy:"[0-9]+:[0-9]+": listen: \"run/relative.sock\" is a relative path" ]]
    run -78 crigate criproxy -streamUrl http://192.0.2.1:1 -listen $'/run/a.sock"\nstate: "/tmp'
    [[ ${lines[0]} == "options of criproxy:1:9: listen: only printable ASCII characters are allowed" ]]
    run -78 crigate koord-runtime-proxy --runtime-hook-server-key "two words"
    [[ $output =~ "options of koord-runtime-proxy:"[0-9]+:[0-9]+": label: " ]]
}

@test "koord-runtime-proxy: the defaults are koord-runtime-proxy's, and hooks are on" {
    run -0 --separate-stderr ./koord-runtime-proxy --print-config
    [[ -z $stderr && ${lines[0]} == "# from options of koord-runtime-proxy" ]]
    [[ $output =~ "address: unix:///var/run/koord-runtimeproxy/runtimeproxy.sock" ]]
    [[ $output =~ "    endpoint: unix:///var/run/containerd/containerd.sock
    image_endpoint: unix:///var/run/containerd/containerd.sock" ]]
    [[ $output =~ "ids: plain" ]]
    [[ $output =~ "hooks:
  folder: /etc/runtime/hookserver.d
  timeout: 2s
  skip:
    label: runtimeproxy.koordinator.sh/skip-hookserver
    value: \"true\"" ]]
    [[ $output =~ "state: /var/run/koord-runtimeproxy/runtimeproxy" ]]
}

@test "koord-runtime-proxy: its options become a runtime map" {
    run -0 --separate-stderr crigate koord-runtime-proxy --koord-runtimeproxy-endpoint=/run/k/proxy.sock \
        --remote-runtime-service-endpoint unix:///run/crio/crio.sock --remote-image-service-endpoint /run/crio/images.sock \
        --backend-runtime-mode=Containerd --runtime-hook-server-key example.com/skip --runtime-hook-server-val=yes -v4 --print-config
    [ -z "$stderr" ]
    [[ $output =~ "address: unix:///run/k/proxy.sock" ]]
    [[ $output =~ "    endpoint: unix:///run/crio/crio.sock
    image_endpoint: unix:///run/crio/images.sock" ]]
    [[ $output =~ "label: example.com/skip
    value: \"yes\"" ]]
    [[ $output =~ "state: /run/k/proxy" ]]
}

@test "koord-runtime-proxy: in Docker mode its options become those of docker-proxy" {
    run -0 --separate-stderr ./koord-runtime-proxy --backend-runtime-mode=Docker --print-config
    [[ -z $stderr ]]
    [ "$output" = "crigate docker-proxy --listen /var/run/koord-runtimeproxy/runtimeproxy.sock --docker /var/run/docker.sock \
--skip-label runtimeproxy.koordinator.sh/skip-hookserver --skip-value true --verbosity 1" ]
    run -0 --separate-stderr crigate koord-runtime-proxy --backend-runtime-mode Docker --koord-runtimeproxy-endpoint unix:///run/k.sock \
        --remote-runtime-service-endpoint=unix:///run/d.sock --runtime-hook-server-key "it's" --runtime-hook-server-val= -v=4 \
        --remote-image-service-endpoint /run/i.sock --print-config
    [[ $stderr =~ "-remote-image-service-endpoint has no meaning with Docker" ]]
    [ "$output" = "crigate docker-proxy --listen unix:///run/k.sock --docker unix:///run/d.sock --skip-label 'it'\\''s' \
--skip-value '' --verbosity 4" ]
    run -64 crigate koord-runtime-proxy --backend-runtime-mode=Docker --koord-runtimeproxy-endpoint relative.sock
    [[ $output =~ "crigate docker-proxy: " && $output =~ "relative.sock" ]]
}

@test "koord-runtime-proxy: wrong options are reported" {
    refuses koord-runtime-proxy "-backend-runtime-mode must be Containerd or Docker: podman" --backend-runtime-mode=podman
    refuses koord-runtime-proxy "unknown option: --connect" --connect /run/a.sock
}

@test "options of their logs are accepted, with a warning if they mean nothing" {
    run -0 --separate-stderr crigate criproxy -streamUrl http://192.0.2.1:1 -vmodule proxy=4 -stderrthreshold=INFO -log_dir /tmp \
        -logtostderr=true -alsologtostderr=F -print-config
    [[ $output =~ "state: /run/criproxy" && ${#stderr_lines[@]} = 3 ]]
    [[ ${stderr_lines[0]} =~ "-vmodule has no meaning for crigate, and is ignored" ]]
    [[ $stderr =~ "-stderrthreshold has no meaning" && $stderr =~ "-log_dir has no meaning" ]]
    run -0 --separate-stderr crigate koord-runtime-proxy --skip_headers --one_output=true --logtostderr=false --print-config
    [[ ${#stderr_lines[@]} = 3 && $stderr =~ "logs to standard error only" ]]
}

@test "each has its own --help" {
    local program
    for program in criproxy koord-runtime-proxy; do
        run -0 --separate-stderr crigate "$program" --help
        [[ -z $stderr && $output =~ ^"Usage: crigate $program" ]]
        run -0 "./$program" -h
        [[ $output =~ ^"Usage: crigate $program" ]]
    done
}

# ---- as programs ----

@test "criproxy: a link of that name serves, at the level of -v" {
    start_runtime dockershim v1_12
    start_runtime virtlet v1_9
    criproxy_starts -v 3
    eventually 15 all_ready
    expect '.runtimeName == "crisim"' "$(call Version)"
    [[ $(run_pod "$(pod vm "$(to virtlet.cloud)")") == virtlet.cloud__* ]]
    [[ $(run_pod "$(pod web)") != *__* ]]
    grep -q "^[^ ]* 3 RunPodSandbox " crigate.log
    run -0 crigate status --control "$PWD/crigate/control.sock"
    [[ $output =~ virtlet.cloud ]]
}

@test "criproxy: bare paths of streams lead to -streamUrl, also those of a runtime that is newer than 1.9" {
    start_runtime dockershim v1_12 --stream-url-style path
    start_runtime virtlet v1_9
    criproxy_starts
    eventually 15 all_ready
    POD=$(run_pod "$(pod web)")
    expect '.url | startswith("http://192.0.2.1:11250/")' "$(call PortForward "{\"podSandboxId\":\"$POD\"}")"
}

# creates_masked AGENT: whether a container of a caller whose gRPC has that name has masked paths when it is created.
creates_masked() {
    "$BATS_TEST_DIRNAME/create_as.py" crigate.sock "$1" "$POD" || return 2
    jq -e '.request.config | .metadata.name == "old" and (.linux.securityContext.maskedPaths // [] | index("/proc/kcore"))' \
        <<<"$(arrived dockershim CreateContainer)" >/dev/null
}

@test "criproxy: containers of kubelets 1.10 and 1.11 are masked, which their gRPC tells from 1.13 and later" {
    start_runtime dockershim v1alpha2
    start_runtime virtlet v1_9
    criproxy_starts
    eventually 15 all_ready
    call PullImage '{"image":{"image":"busybox"}}'
    POD=$(run_pod "$(pod web)")
    creates_masked grpc-go/1.7.5
    run -1 creates_masked grpc-go/1.13.0
    run -1 creates_masked grpc-go/2.0
    run ! grep -q "sees all of /proc" crigate.log
    run -1 creates_masked grpc-c/29.0.0
    run -1 creates_masked grpc-go/x
    [ "$(grep -c "runtime primary: a container sees all of /proc and /sys, .* set callers under listen" crigate.log)" = 1 ]
    kill "${PIDS[crigate]}"
    wait "${PIDS[crigate]}" || true
    ./criproxy -connect "$PWD/dockershim.sock" -listen "$PWD/crigate.sock" -print-config | sed 's/^listen:/&\n  callers: "1.12"/' >crigate.yaml
    start_crigate
    eventually 15 runtime_ready primary
    run -1 creates_masked grpc-go/1.7.5
}

@test "koord-runtime-proxy: a link of that name serves one runtime, with that runtime's own ids" {
    API=v1
    start_runtime main v1
    koord_runtime_proxy_starts -v=3
    POD=$(run_pod "$(pod web)")
    expect ".items | map(.id) == [\"$POD\"]" "$(ask main v1 ListPodSandbox)"
    grep -q "^[^ ]* 3 RunPodSandbox " crigate.log
}

@test "a reload has the same options, and changes nothing" {
    API=v1
    start_runtime main v1
    koord_runtime_proxy_starts
    POD=$(run_pod "$(pod web)")
    kill -HUP "${PIDS[crigate]}"
    eventually 10 grep -q "the runtime map was reloaded" crigate.log
    run -0 crigate reload --control "$PWD/crigate/control.sock"
    expect ".items | map(.id) == [\"$POD\"]" "$(call ListPodSandbox)"
}

@test "the printed map takes over from a start with options" {
    start_runtime dockershim v1_12
    start_runtime virtlet v1_9
    criproxy_starts
    eventually 15 all_ready
    POD=$(run_pod "$(pod vm "$(to virtlet.cloud)")")
    ./criproxy -connect "$PWD/dockershim.sock,virtlet.cloud:$PWD/virtlet.sock" -listen "$PWD/crigate.sock" \
        -streamUrl http://192.0.2.1:11250/ -print-config >crigate.yaml
    PIDS[old]=${PIDS[crigate]}
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml --takeover
    eventually 15 grep -q "taken over: this process now serves" crigate.log
    eventually 20 ended old
    finish old
    expect ".items | map(.id) == [\"$POD\"]" "$(call ListPodSandbox)"
}

@test "a socket that was left over is replaced, one on which somebody listens is not" {
    API=v1
    start_runtime main v1
    koord_runtime_proxy_starts
    run -1 timeout 10 ./criproxy -connect "$PWD/main.sock" -listen "$PWD/crigate.sock"
    [[ $output =~ "cannot start: another crigate owns $PWD/crigate.sock" ]]
    call Version
    crash crigate
    [ -S crigate.sock ]
    koord_runtime_proxy_starts
    call Version
    stop crigate
    start other "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/crigate.sock" --api v1 --name other
    eventually 15 grep -q "listening on" other.log
    run -1 timeout 10 ./koord-runtime-proxy --koord-runtimeproxy-endpoint "$PWD/crigate.sock"
    [[ $output =~ "cannot start: another program listens on $PWD/crigate.sock" ]]
    run -1 timeout 10 ./criproxy -listen "$PWD/crigate.sock"
    [[ $output =~ "cannot start: another program listens on $PWD/crigate.sock" ]]
    expect '.runtimeName == "other"' "$(call Version)"
}

# ---- a node that criproxy leaves behind ----

# made_before RUNTIME DIALECT NAME IMAGE: a pod with a running container, made while another gateway was in front; sets POD and
# CONTAINER, the runtime's own ids.
made_before() {
    local config made
    config=$(pod "$3")
    ask "$1" "$2" PullImage "{\"image\":{\"image\":\"$4\"}}" >/dev/null
    made=$(ask "$1" "$2" RunPodSandbox "{\"config\":$config}")
    POD=$(field .podSandboxId "$made")
    made=$(ask "$1" "$2" CreateContainer "{\"podSandboxId\":\"$POD\",\"sandboxConfig\":$config,
        \"config\":{\"metadata\":{\"name\":\"main\"},\"image\":{\"image\":\"$4\"},\"logPath\":\"main.log\"}}")
    CONTAINER=$(field .containerId "$made")
    ask "$1" "$2" StartContainer "{\"containerId\":\"$CONTAINER\"}" >/dev/null
}

# old_node: two runtimes with pods from criproxy's time, started again. Sets ids as criproxy's callers know them.
old_node() {
    start_runtime dockershim v1_12 --state dockershim.state
    start_runtime virtlet v1_9 --state virtlet.state
    made_before dockershim v1_12 web busybox
    WEB=$POD WEB_MAIN=$CONTAINER
    made_before virtlet v1_9 vm image-service/cirros
    VM=virtlet.cloud__$POD VM_MAIN=virtlet.cloud__$CONTAINER VM_MAIN_OWN=$CONTAINER
    stop dockershim
    stop virtlet
    start_runtime dockershim v1_12 --state dockershim.state
    start_runtime virtlet v1_9 --state virtlet.state
}

@test "criproxy: callers find every pod, container and image of a node by the names that criproxy gave them" {
    old_node
    criproxy_starts
    eventually 15 all_ready
    for API in v1_9 v1_12; do
        expect ".items | map(.id) | sort == ([\"$WEB\", \"$VM\"] | sort)" "$(call ListPodSandbox)"
        expect ".containers | map([.id, .podSandboxId]) | sort == ([[\"$WEB_MAIN\", \"$WEB\"], [\"$VM_MAIN\", \"$VM\"]] | sort)" \
            "$(call ListContainers)"
        expect ".containers | map(select(.id == \"$VM_MAIN\"))[0].image.image | startswith(\"virtlet.cloud/\")" "$(call ListContainers)"
        expect '[.images[].repoTags[]] | map(select(startswith("virtlet.cloud/"))) | length == 1' "$(call ListImages)"
        expect '[.images[].repoTags[]] | map(select(contains("busybox"))) | length == 1' "$(call ListImages)"
        expect '.image.repoTags[0] | startswith("virtlet.cloud/")' \
            "$(call ImageStatus '{"image":{"image":"virtlet.cloud/image-service/cirros"}}')"
        expect '.image.repoTags[0] | contains("busybox")' "$(call ImageStatus '{"image":{"image":"busybox"}}')"
        local id
        for id in "$WEB" "$VM"; do
            expect ".status.id == \"$id\" and (.status.state // \"SANDBOX_READY\") == \"SANDBOX_READY\"" "$(call PodSandboxStatus "{\"podSandboxId\":\"$id\"}")"
            expect ".items | map(.id) == [\"$id\"]" "$(call ListPodSandbox "{\"filter\":{\"id\":\"$id\"}}")"
        done
        for id in "$WEB_MAIN" "$VM_MAIN"; do
            expect ".status.id == \"$id\" and .status.state == \"CONTAINER_RUNNING\"" "$(call ContainerStatus "{\"containerId\":\"$id\"}")"
        done
        expect ".containers | map(.id) == [\"$VM_MAIN\"]" "$(call ListContainers "{\"filter\":{\"podSandboxId\":\"$VM\"}}")"
    done
}

@test "criproxy: a pod of criproxy's time gets a new container, and is stopped and removed" {
    old_node
    criproxy_starts
    eventually 15 all_ready
    local id
    call StopContainer "{\"containerId\":\"$VM_MAIN\"}"
    expect ".request.containerId == \"$VM_MAIN_OWN\" and .code == \"OK\"" "$(arrived virtlet StopContainer)"
    id=$(create_container "$VM" "$(pod vm)" virtlet.cloud/image-service/cirros '.metadata.attempt = 1')
    [[ $id == virtlet.cloud__* ]]
    expect '.request.config.image.image == "image-service/cirros"' "$(arrived virtlet CreateContainer)"
    for id in "$WEB" "$VM"; do
        call StopPodSandbox "{\"podSandboxId\":\"$id\"}"
        call RemovePodSandbox "{\"podSandboxId\":\"$id\"}"
    done
    expect '(.items // []) == []' "$(call ListPodSandbox)"
}
