#!/usr/bin/env bats
# `crigate explain`: what becomes of calls between two dialects, or two releases, and of one request. It needs no gateway.

load gateway

TOP=$BATS_TEST_DIRNAME/../..

# explain FROM TO ...
explain() {
    "$CRIGATE_BUILD/crigate" explain --from "$1" --to "$2" "${@:3}"
}

# rows WAY FILTER JSON: the subjects of the rows of requests or answers that the filter of jq takes.
rows() {
    jq -r ".$1[] | select($2) | .subject" <<<"$3"
}

# A pod that says much that older dialects lack.
much='{"config": {
    "metadata": {"name": "a"},
    "portMappings": [{"protocol": "TCP"}, {"protocol": "SCTP", "containerPort": 3, "hostPort": 3}],
    "linux": {
        "overhead": {"cpuShares": 3},
        "securityContext": {
            "namespaceOptions": {"network": "NODE", "pid": "POD", "usernsOptions": {"mode": "POD"}},
            "runAsUser": {"value": 5},
            "runAsGroup": {"value": 6}}}},
  "runtimeHandler": "kata"}'

@test "a pair of dialects: what the runtime lacks, what is refused, left out and carried, each with its reason" {
    local text json
    text=$(explain v1 v1_9)
    grep -Eq '^UNIMPLEMENTED +CheckpointContainer +such a runtime cannot write' <<<"$text"
    grep -Eq '^composed, or UNIMPLEMENTED +RuntimeConfig +crigate takes the cgroup driver' <<<"$text"
    grep -Eq '^refused +Mount.image +the runtime would not mount the image as a volume$' <<<"$text"
    grep -Eq '^normalised +pid_namespace +' <<<"$text"
    json=$(explain v1 v1_9 -o json)
    expect '.caller == "v1" and .runtime == "v1_9"' "$json"
    expect '.lackingRpcs | map(.rpc) | index("RuntimeConfig")' "$json"
    expect '.requests | map(select(.subject == "Mount.recursive_read_only"))[0] |
        .verdict == "refused" and .rpcs == ["CreateContainer"] and (.why | length > 10)' "$json"
    expect '.answers | map(.verdict) | unique == ["carried"]' "$json"
    expect '[.requests[], .answers[]] | all(.why | length > 10)' "$json"
}

@test "the worst is listed first" {
    local listed sorted
    listed=$(explain v1 v1_9 | sed -n '/^IN REQUESTS/,/^$/p' | grep -Eo '^(refused|judged|carried|normalised|left out)' | uniq | tr '\n' ,)
    [ "$listed" = "refused,judged,carried,normalised,left out," ]
}

@test "one RPC: only what concerns it" {
    local json
    json=$(explain v1 v1_9 -o json RemovePodSandbox)
    expect '.requests == [] and .answers == [] and .lackingRpcs == []' "$json"
    json=$(explain v1 v1_9 -o json RunPodSandbox)
    [ -n "$(rows requests '.subject == "RunPodSandboxRequest.runtime_handler"' "$json")" ]
    [ -z "$(rows requests '.subject == "Mount.image"' "$json")" ]
    json=$(explain v1 v1_9 -o json /runtime.v1.RuntimeService/RuntimeConfig)
    expect '.lackingRpcs | length == 1' "$json"
}

@test "a package stands for the dialect that reads its calls" {
    diff <(explain runtime.v1 runtime) <(explain v1 v1_9)
    diff <(explain runtime.v1alpha2 v1) <(explain v1alpha2 v1)
}

@test "the page and the command tell the same for every pair" {
    local caller runtime requests answers lacking
    # A row of the page, made from what the command says.
    local row='def counts: . as $rows | ["refused", "judged", "carried", "normalised", "left out", "same bytes"]
        | map(. as $verdict | ($rows | map(select(.verdict == $verdict)) | length) as $n | select($n > 0) | "\($n) \($verdict)")
        | join(", ");
        "| `\(.caller)` | `\(.runtime)` | \(.requests | counts) | \(.answers | counts) | \(.lackingRpcs | length) |"'
    sed -n '/^## Pairs/,/^## RPCs/p' "$TOP/docs/translation.md" | grep '^| `' >page
    while IFS='|' read -r _ caller runtime _; do
        explain "${caller//[\` ]/}" "${runtime//[\` ]/}" -o json
    done <page | jq -r "$row" >command
    diff page command
    [ "$(wc -l <page)" -ge 12 ]
}

@test "a request that is refused: every reason, with its path" {
    local status=0 text json
    text=$(explain v1 v1_9 RunPodSandbox "$much") || status=$?
    [ "$status" = 2 ]
    [ "$(head -n 1 <<<"$text")" = "RunPodSandbox from a v1 caller to a v1_9 runtime: refused" ]
    grep -Eq '^refused +config.linux.security_context.namespace_options.pid +the runtime.s dialect v1_9 has only NODE' <<<"$text"
    json=$(explain v1 v1_9 -o json RunPodSandbox "$much") || true
    expect '.verdict == "refused" and .translated == null' "$json"
    expect '.rpc == "RunPodSandbox" and .caller == "v1" and .runtime == "v1_9"' "$json"
    expect '[.findings[] | select(.what == "refused") | .path] | sort == [
        "config.linux.security_context.namespace_options.pid",
        "config.linux.security_context.namespace_options.userns_options.mode",
        "config.linux.security_context.run_as_group",
        "config.port_mappings[1].protocol",
        "runtime_handler"]' "$json"
    expect '[.findings[] | select(.what == "left out") | .path] == ["config.linux.overhead"]' "$json"
    expect '.findings[] | select(.path == "config.linux.security_context.namespace_options.network") | .what == "carried" and
        (.text | test("host_network: true"))' "$json"
}

@test "what explain says of the first refusal is what the gateway says" {
    local refusal
    start_runtime main v1_9
    write_map main
    start_node
    refusal=$(call RunPodSandbox "$much" 2>&1) && return 1
    while IFS=$'\t' read -r path text; do
        if [[ $refusal == *"$path: $text"* ]]; then
            return 0
        fi
    done < <(explain v1 v1_9 -o json RunPodSandbox "$much" | jq -r '.findings[] | select(.what == "refused") | [.path, .text] | @tsv')
    echo "not told by explain: $refusal"
    return 1
}

@test "a request that passes: what is left out, added, and said otherwise, and the request that the runtime gets" {
    local status=0 json
    json=$(explain v1_9 v1 -o json CreateContainer \
        '{"podSandboxId": "p", "config": {"linux": {"securityContext": {"seccompProfilePath": "unconfined"}}}}') || status=$?
    [ "$status" = 0 ]
    expect '.verdict == "passes whole"' "$json"
    expect '.translated.config.linux.securityContext | .seccomp.profileType == "Unconfined" and (.maskedPaths | index("/proc/kcore"))' "$json"
    expect '[.findings[] | select(.what == "added") | .path] | index("config.linux.security_context.masked_paths")' "$json"
    json=$(explain v1 v1alpha2 -o json PullImage '{"image": {"image": "busybox", "userSpecifiedImage": "docker.io/busybox"}}') || status=$?
    [ "$status" = 1 ]
    expect '.verdict == "passes with losses" and .findings == [{"what": "left out", "path": "image.user_specified_image",
        "text": "such a runtime finds the image by the other fields; only newer ones verify signatures under this name"}]' "$json"
    expect '.translated == {"image": {"image": "busybox"}}' "$json"
}

@test "an RPC that the runtime lacks is refused, whatever is in the request" {
    local status=0
    explain v1 v1_9 CheckpointContainer '{"containerId": "c"}' >text || status=$?
    [ "$status" = 2 ]
    grep -q 'cannot write a container' text
}

@test "an RPC that the runtime lacks and crigate composes is not refused" {
    local text
    text=$(explain v1 v1_9 RuntimeConfig '{}')
    grep -q '^carried .*cgroup driver' <<<"$text"
    grep -Eq '^composed, or UNIMPLEMENTED +RuntimeConfig ' <<<"$(explain v1 v1_9)"
    grep -Eq '^composed, or UNIMPLEMENTED +GetContainerEvents ' <<<"$(explain v1 v1_9)"
    explain v1 v1_9 GetContainerEvents '{}' | grep -q '^carried .*composes events from lists'
}

@test "the request comes from a file, standard input, or the arguments" {
    echo "$much" >request.json
    local status=0
    explain v1 v1_9 RunPodSandbox "$much" >inline || status=$?
    explain v1 v1_9 RunPodSandbox request.json >file || true
    explain v1 v1_9 RunPodSandbox @request.json >at || true
    explain v1 v1_9 RunPodSandbox - <request.json >stdin || true
    [ "$status" = 2 ]
    cmp inline file && cmp inline at && cmp inline stdin
}

@test "recorded requests of real clients, to every dialect" {
    local request method era from to status
    for request in "$TOP"/tests/corpus/*/*Service.*/00.req; do
        era=${request%/*/*} era=${era##*/}
        method=${request%/*} method=${method##*.}
        case $era in
        1.9-*) from=v1_9 ;;
        1.12-*) from=v1_12 ;;
        1.26-*) from=v1 ;;
        *) false ;;
        esac
        for to in v1_9 v1_12 v1alpha2 v1; do
            status=0
            explain "$from" "$to" -o json --raw-request "$request" "$method" >one.json || status=$?
            printf '{"status": %s, "to": "%s", "method": "%s", "said": %s}\n' "$status" "$to" "$method" "$(<one.json)" >>all.json
        done
    done
    expect 'length >= 200' "$(jq -s . all.json)"
    expect 'all(.said.verdict == ["passes whole", "passes with losses", "refused"][.status])' "$(jq -s . all.json)"
    expect 'all((.said.translated == null) == (.status == 2))' "$(jq -s . all.json)"
    expect '(map(select(.status == 2)) | length >= 1) and (map(select(.said.findings | length > 0)) | length >= 10)' \
        "$(jq -s . all.json)"
    # What the runtime gets is a request of its own dialect.
    jq -r 'select(.method == "CreateContainer" and .status != 2) | .to, (.said.translated | tojson)' all.json >translated
    [ -s translated ]
    while read -r to && read -r request; do
        explain "$to" "$to" CreateContainer - <<<"$request" >/dev/null
    done <translated
}

# wrong MESSAGE ARGUMENTS...: the arguments are wrong, and the message says what to do.
wrong() {
    local message=$1 status=0
    shift
    "$CRIGATE_BUILD/crigate" explain "$@" >out 2>err || status=$?
    [ "$status" = 64 ] && [ ! -s out ] && grep -Fq -- "$message" err || {
        echo "status $status for: $*"
        cat out err
        return 1
    }
}

@test "wrong arguments: 64, and what to do" {
    wrong "--from is missing; name a kubelet, such as kubelet-1.36, or a dialect such as v1" --to v1
    wrong "--to is missing; name a runtime" --from v1
    wrong "--to v3: no such dialect or release; use v1_9, v1_12, v1alpha2, v1, a package" --from v1 --to v3
    wrong "no such RPC in any dialect: RunPod" --from v1 --to v1_9 RunPod
    wrong "v1_9 has no RuntimeConfig, so such a caller cannot call it" --from v1_9 --to v1 RuntimeConfig
    wrong "nothing.json: No such file or directory" --from v1 --to v1_9 RunPodSandbox nothing.json
    wrong "RunPodSandboxRequest: config.metadata: PodSandboxMetadata has no field \"names\"" --from v1 --to v1_9 RunPodSandbox '{"config": {"metadata": {"names": 1}}}'
    wrong "the output must be text or json: yaml" --from v1 --to v1_9 -o yaml
    wrong "unexpected argument: more" --from v1 --to v1_9 RunPodSandbox '{}' more
    wrong "--raw-request needs an RPC" --from v1 --to v1_9 --raw-request /dev/null
    wrong "see crigate explain --help" --nonsense
}

@test "names of sides: what is near, what is missing, and what is on the other side" {
    wrong "--to contianerd-1.6: no such dialect or release; did you mean containerd-1.6?" --from v1 --to contianerd-1.6
    wrong "--to crio-1.24.6: no such dialect or release; did you mean cri-o-1.24.6?" --from v1 --to crio-1.24.6
    wrong "--to docker: no such dialect or release; did you mean cri-dockerd?" --from v1 --to docker
    wrong "--from kublet-1.36: no such dialect or release; did you mean kubelet-1.36?" --from kublet-1.36 --to v1
    wrong "--from v1alpha: no such dialect or release; did you mean v1alpha2?" --from v1alpha --to v1
    wrong "--from containerd-1.6: containerd is a runtime: name a kubelet" --from containerd-1.6 --to v1
    wrong "--to kubelet-1.36: kubelet is a caller: name a runtime" --from v1 --to kubelet-1.36
    wrong "--to containerd: write the release with two or three numbers, such as containerd-1.1" --from v1 --to containerd
    wrong "--to containerd-1: write the release with two or three numbers" --from v1 --to containerd-1
    wrong "--to containerd-1.0: the first release that crigate knows is containerd-1.1" --from v1 --to containerd-1.0
    wrong "--from kubelet-1.8: the first release that crigate knows is kubelet-1.9" --from kubelet-1.8 --to v1
    # Escape sequences of a terminal are not printed, whatever the name has.
    wrong "no such dialect or release" --from v1 --to $'\033[31mred'
    ! grep -q $'\033' err
    wrong "no such dialect or release" --from v1 --to "$(head -c 300 /dev/zero | tr '\0' x)"
}

@test "releases stand for their dialects" {
    local release dialect json
    while read -r release dialect; do
        json=$(explain "$release" v1 -o json)
        expect ".caller == \"$dialect\" and .callerRelease == \"$release\" and .ignored == []" "$json"
    done <<'KUBELETS'
kubelet-1.9 v1_9
kubelet-1.10 v1_12
kubelet-1.12.10 v1_12
kubelet-1.13 v1alpha2
kubelet-v1.22.17+k3s1 v1alpha2
kubelet-1.23 v1
kubelet-1.99 v1
KUBELETS
    while read -r release dialect; do
        json=$(explain v1 "$release" -o json)
        expect ".runtime == \"$dialect\" and .runtimeRelease == \"$release\"" "$json"
        # But for what the release ignores, it is the pair of dialects.
        diff <(jq 'del(.runtimeRelease) | .ignored = []' <<<"$json") <(explain v1 "$dialect" -o json | jq .)
    done <<'RUNTIMES'
containerd-1.1.8 v1_12
containerd-1.5 v1alpha2
containerd-1.6 v1
containerd-9.9 v1
cri-o-1.9.16 v1_9
cri-o-1.12 v1_12
cri-o-1.19 v1alpha2
cri-o-1.20 v1alpha2
cri-o-1.21 v1
cri-dockerd v1
cri-dockerd-0.2.6 v1alpha2
dockershim v1alpha2
dockershim-1.9 v1_9
RUNTIMES
}

# ignored RUNTIME FIELD [CALLER]: what becomes of a request that asks that runtime for the field: "refused", "ignored", or nothing.
ignored() {
    explain "${3:-v1}" "$1" -o json | jq -r --arg field "$2" '[.ignored[] | select(.subject == $field) | .verdict] | unique | join(",")'
}

@test "what a release accepts but ignores, with the reason and where it is known from" {
    local json text
    json=$(explain kubelet-1.36 containerd-1.6 -o json)
    expect '.ignored | map(select(.subject == "Mount.recursive_read_only"))[0] | .verdict == "refused" and
        .rpcs == ["CreateContainer"] and .why == "mounts below the volume would stay writable" and
        .unlessReported == "recursive_read_only_mounts" and (.source | test("containerd v[0-9]"))' "$json"
    expect '[.ignored[] | select((.why | length < 10) or (.source | length < 10) or .rpcs == [])] == []' "$json"
    text=$(explain kubelet-1.36 containerd-1.6)
    [ "$(head -n 1 <<<"$text")" = "Calls from kubelet 1.36 (v1) to containerd 1.6 (v1). Everything else passes unchanged." ]
    grep -q '^ACCEPTED BUT IGNORED BY containerd 1.6$' <<<"$text"
    grep -Eq '^refused +NamespaceOption.userns_options +the pod would run as the node.s root; not if its Status reports user_namespaces \(' <<<"$text"
    grep -Eq '^ignored +ContainerConfig.stop_signal +' <<<"$text"
    # One RPC, and a caller without the fields.
    [ "$(explain v1 containerd-1.6 -o json RunPodSandbox | jq -c '.ignored | map(.subject) | index("Mount.uidMappings")')" = null ]
    [ "$(explain kubelet-1.9 containerd-1.6 -o json | jq -c .ignored)" = "[]" ]
    explain v1 v1 | grep -q 'ACCEPTED BUT IGNORED' && return 1
    [ "$(explain v1 v1 -o json | jq -c .ignored)" = "[]" ]
}

@test "fixes within a line of releases count: without its last number, a release has all of them" {
    [ "$(ignored containerd-1.7.1 ContainerConfig.CDI_devices)" = ignored ]
    [ "$(ignored containerd-1.7.2 ContainerConfig.CDI_devices)" = "" ]
    [ "$(ignored containerd-1.7 ContainerConfig.CDI_devices)" = "" ]
    [ "$(ignored containerd-1.7.0-rc.1 Mount.uidMappings)" = refused ]
    [ "$(ignored containerd-1.7.1 Mount.uidMappings)" = "" ]
    [ "$(ignored containerd-2.1 Mount.image_sub_path)" = refused ]
    [ "$(ignored containerd-2.2 Mount.image_sub_path)" = "" ]
    [ "$(ignored cri-o-1.24.6 NamespaceOption.userns_options)" = refused ]
    [ "$(ignored cri-o-1.25 NamespaceOption.userns_options)" = "" ]
    [ "$(ignored cri-o-1.10.1 LinuxContainerSecurityContext.run_as_group)" = refused ]
    [ "$(ignored cri-o-1.10 LinuxContainerSecurityContext.run_as_group)" = "" ]
    [ "$(ignored containerd-1.1 RunPodSandboxRequest.runtime_handler)" = refused ]
    [ "$(ignored cri-dockerd LinuxContainerResources.hugepage_limits)" = ignored ]
    [ "$(ignored dockershim LinuxContainerResources.unified)" = ignored ]
    [ "$(ignored containerd-99.0 LinuxContainerResources.unified)" = "" ]
}

@test "a request to a release: what it ignores is refused or passes, as the gateway does it" {
    local status=0 json
    json=$(explain v1 cri-dockerd -o json CreateContainer '{"podSandboxId": "p", "config": {"mounts": [{"containerPath": "/a",
        "hostPath": "/b", "uidMappings": [{"hostId": 1, "containerId": 0, "length": 1}]}], "stopSignal": "SIGNAL_SIGUSR1"}}') || status=$?
    [ "$status" = 2 ]
    expect '.verdict == "refused" and .translated == null and .runtimeRelease == "cri-dockerd"' "$json"
    expect '.findings | map({what, path, text}) | index({"what": "refused", "path": "config.mounts[0].uidMappings[0]",
        "text": "the runtime cri-dockerd ignores it: files of the volume would belong to other users"}) != null' "$json"
    expect '.findings | map(select(.what == "ignored") | .path) == ["config.stop_signal"]' "$json"
    # What kubelets send by default asks for nothing.
    status=0
    json=$(explain v1 cri-dockerd -o json CreateContainer '{"podSandboxId": "p", "config": {"linux": {
        "resources": {"memoryLimitInBytes": 9, "memorySwapLimitInBytes": 9, "unified": {"memory.oom.group": "1"},
            "hugepageLimits": [{"pageSize": "2MB"}, {"pageSize": "1GB"}]},
        "securityContext": {"namespaceOptions": {"pid": "CONTAINER", "usernsOptions": {"mode": "NODE"}}}}}}') || status=$?
    [ "$status" = 0 ]
    expect '[.findings[] | select(.what == "ignored" or .what == "refused")] == []' "$json"
    # Tuning alone passes, as it was.
    status=0
    json=$(explain v1 cri-o-1.17 -o json UpdateContainerResources '{"containerId": "c", "linux": {"hugepageLimits": [{"pageSize": "2MB", "limit": 5}]}}') ||
        status=$?
    [ "$status" = 1 ]
    expect '.verdict == "passes with losses" and .translated.linux.hugepageLimits[0].limit == "5"' "$json"
}

@test "fields that crigate does not know: kept within a package, told where they are taken out" {
    local status=0
    printf '\xfa\x07\x01x' >request
    explain v1 v1 --raw-request request RemovePodSandbox
    explain v1 v1_9 --raw-request request RemovePodSandbox >text || status=$?
    [ "$status" = 1 ]
    grep -q '^left out .*1 fields that crigate does not know' text
}

@test "what could not be written is told by the exit status" {
    local output status
    for output in text json; do
        status=0
        explain v1 v1_9 -o "$output" >/dev/full || status=$?
        [ "$status" = 74 ]
        status=0
        explain v1 v1_9 -o "$output" StopContainer '{}' >/dev/full || status=$?
        [ "$status" = 74 ]
    done
}

@test "bytes that are no message are refused, as the gateway would" {
    local status=0
    printf '\x0a\xff' >request
    explain v1 v1_9 --raw-request request RunPodSandbox >text || status=$?
    [ "$status" = 2 ]
    grep -Fq 'malformed bytes' text
}
