#!/usr/bin/env bats
# Every RPC of CRI, from every package that callers speak, in front of every dialect of a runtime: answered, or refused as documented.

load gateway

BUSYBOX=docker.io/library/busybox:latest

# What each RPC is asked, in an order in which all of them can be had: METHOD REQUEST, with POD, CONTAINER, IMAGE and CONFIG to be
# filled in. What a caller's package lacks is left out for that caller.
requests() {
    cat <<'LIST'
Version {}
Status {"verbose":true}
RuntimeConfig {}
UpdateRuntimeConfig {"runtimeConfig":{"networkConfig":{"podCidr":"10.0.0.0/24"}}}
PullImage {"image":{"image":"BUSYBOX"},"sandboxConfig":CONFIG}
ImageStatus {"image":{"image":"BUSYBOX"}}
ListImages {}
ImageFsInfo {}
RunPodSandbox {"config":CONFIG}
PodSandboxStatus {"podSandboxId":"POD"}
ListPodSandbox {"filter":{"id":"POD"}}
PodSandboxStats {"podSandboxId":"POD"}
ListPodSandboxStats {}
UpdatePodSandboxResources {"podSandboxId":"POD","resources":{"cpuShares":"512"}}
PortForward {"podSandboxId":"POD","port":[80]}
CreateContainer {"podSandboxId":"POD","sandboxConfig":CONFIG,"config":{"metadata":{"name":"main"},"image":{"image":"IMAGE"},"logPath":"main.log"}}
StartContainer {"containerId":"CONTAINER"}
ContainerStatus {"containerId":"CONTAINER"}
ListContainers {"filter":{"podSandboxId":"POD"}}
ContainerStats {"containerId":"CONTAINER"}
ListContainerStats {}
ListMetricDescriptors {}
ListPodSandboxMetrics {}
StreamPodSandboxes {"filter":{"id":"POD"}}
StreamContainers {}
StreamContainerStats {}
StreamPodSandboxStats {}
StreamPodSandboxMetrics {}
StreamImages {}
UpdateContainerResources {"containerId":"CONTAINER","linux":{"cpuShares":"512"}}
ReopenContainerLog {"containerId":"CONTAINER"}
ExecSync {"containerId":"CONTAINER","cmd":["true"],"timeout":"5"}
Exec {"containerId":"CONTAINER","cmd":["sh"],"stdout":true}
Attach {"containerId":"CONTAINER","stdout":true}
CheckpointContainer {"containerId":"CONTAINER","location":"/tmp/c.tar"}
CheckpointPod {"podSandboxId":"POD","outputPath":"/tmp/p.tar"}
RestorePod {"checkpointPath":"/tmp/p.tar","config":OTHER}
StopContainer {"containerId":"CONTAINER"}
RemoveContainer {"containerId":"CONTAINER"}
StopPodSandbox {"podSandboxId":"POD"}
RemovePodSandbox {"podSandboxId":"POD"}
RemoveImage {"image":{"image":"BUSYBOX"}}
LIST
}

# has DIALECT METHOD: whether the dialect has the RPC, by crigate's own list.
has() {
    [ -e "rpcs.$1" ] || "$CRIGATE_BUILD/crigate" call --api "$1" --list >"rpcs.$1"
    grep -q "^$2 " "rpcs.$1"
}

# composes DIALECT METHOD: whether crigate makes up the answer that such a runtime lacks. crisim says nothing of cgroups in its
# status, so a RuntimeConfig needs the map's word, which is there.
composes() {
    case $2 in
    RuntimeConfig | ListPodSandboxStats) return 0 ;;
    StreamPodSandboxes | StreamContainers | StreamContainerStats | StreamPodSandboxStats | StreamImages) return 0 ;;
    *) return 1 ;;
    esac
}

# A streamed list is refused for want of the list that it could be made of.
# try RUNTIME_DIALECT METHOD REQUEST: makes the call; what it made is kept in POD, CONTAINER and IMAGE.
try() {
    local api=$1 method=$2 status=0
    call "$method" "$3" >answer 2>refusal || status=$?
    if has "$api" "$method" || composes "$api" "$method"; then
        [ "$status" = 0 ] || {
            echo "$method from $API to $api: $(cat refusal)"
            return 1
        }
    else
        [ "$status" = 12 ] && grep -q "runtime main speaks $api, which has no ${method/#Stream/List}$" refusal || {
            echo "$method from $API to $api should be refused, and it ended with $status: $(cat answer refusal)"
            return 1
        }
        return 0
    fi
    case $method in
    PullImage) IMAGE=$(jq -r .imageRef answer) ;;
    RunPodSandbox) POD=$(jq -r .podSandboxId answer) ;;
    CreateContainer) CONTAINER=$(jq -r .containerId answer) ;;
    esac
}

@test "the requests are of all RPCs but GetContainerEvents, which never ends and has tests of its own" {
    diff <(requests | cut -d' ' -f1 | sort) <("$CRIGATE_BUILD/crigate" call --list | grep -v GetContainerEvents | cut -d' ' -f1 | sort)
}

# try_all RUNTIME_DIALECT: a runtime of that dialect, and every caller before it.
try_all() {
    local api=$1 method request web other POD CONTAINER IMAGE tried=0
    web=$(pod web)
    other=$(pod other)
    start_runtime main "$api"
    write_map "main, api: $api, cgroup_driver: systemd"
    start_node
    for API in v1_9 v1alpha2 v1; do
        while read -r method request; do
            has "$API" "$method" || continue
            request=${request//CONFIG/$web}
            request=${request//OTHER/$other}
            request=${request//BUSYBOX/$BUSYBOX}
            request=${request//POD/${POD:-}}
            request=${request//CONTAINER/${CONTAINER:-}}
            try "$api" "$method" "${request//IMAGE/${IMAGE:-}}"
            tried=$((tried + 1))
        done < <(requests)
    done
    [ "$tried" -gt 80 ]
}

@test "every RPC in front of a runtime that speaks v1_9" {
    try_all v1_9
}

@test "every RPC in front of a runtime that speaks v1_12" {
    try_all v1_12
}

@test "every RPC in front of a runtime that speaks v1alpha2" {
    try_all v1alpha2
}

@test "every RPC in front of a runtime that speaks v1" {
    try_all v1
}
