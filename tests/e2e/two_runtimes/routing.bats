#!/usr/bin/env bats
# A second runtime, virtlet.cloud, of CRI 1.9's time: pods go there by annotation, its ids carry its name, lists are merged.
# Each test goes on where the one before it stopped.

VM_IMAGE=virtlet.cloud/images.example/cirros:e2e
ON_VIRTLET='.annotations["kubernetes.io/target-runtime"] = "virtlet.cloud"'
WITH_VM_IMAGE=".image.image = \"$VM_IMAGE\""
# What kubelets say for an ordinary container. A runtime of 1.9's time masks these on its own; crictl says nothing by itself.
MASKED='.linux.security_context += {
    masked_paths: ["/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list",
        "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware"],
    readonly_paths: ["/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"]}'
VM="$WITH_VM_IMAGE | $MASKED"

setup_file() {
    load ../terminal.bash
    crictl pull "$BUSYBOX"
}

setup() {
    load ../terminal.bash
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

teardown_file() {
    load ../terminal.bash
    remove_pods
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    echo "$1=$2" >>"$BATS_FILE_TMPDIR/ids"
}

@test "version is the primary's" {
    run -0 crictl version
    [[ $output =~ "RuntimeName:  containerd" ]]
}

@test "info tells about the second runtime, too" {
    run -0 crictl info
    [[ $output =~ virtlet.cloud ]]
}

@test "pull under the second runtime's name goes there" {
    run -0 crictl pull "$VM_IMAGE"
    run -0 ctr --address "$LAB/containerd.sock" --namespace k8s.io images list --quiet
    [[ ! $output =~ cirros ]]
}

@test "images lists those of both, and an image id is never prefixed" {
    run -0 crictl images --output json
    [ "$(field "[.images[].repoTags[]] | contains([\"$BUSYBOX\", \"$VM_IMAGE\"])" "$output")" = true ]
    run -0 crictl inspecti "$VM_IMAGE"
    [[ $(field .status.id "$output") =~ ^(sha256:)?[0-9a-f]{64}$ ]]
}

@test "an image is found by a digest, whichever runtime has it" {
    id=$(crictl inspecti "$VM_IMAGE" | jq -r .status.id)
    run -0 crictl inspecti "$id"
    [ "$(field '.status.repoTags[0]' "$output")" = "$VM_IMAGE" ]
}

@test "runp with the annotation goes to the second runtime, and the id says so" {
    vm_pod=$(run_pod vm "$ON_VIRTLET")
    [[ $vm_pod =~ ^virtlet\.cloud__. ]]
    remember vm_pod "$vm_pod"
}

@test "runp without it goes to the primary, with a plain id" {
    plain_pod=$(run_pod plain)
    [[ $plain_pod =~ ^[0-9a-f]{64}$ ]]
    remember plain_pod "$plain_pod"
}

@test "runp for a runtime that there is not is refused" {
    run ! run_pod nowhere '.annotations["kubernetes.io/target-runtime"] = "nowhere"'
    [[ $output =~ "crigate: " ]]
    [[ $output =~ nowhere ]]
}

@test "pods lists both" {
    run -0 crictl pods --quiet --no-trunc
    [[ $output =~ $vm_pod ]]
    [[ $output =~ $plain_pod ]]
}

@test "pods by id asks the one that owns it" {
    run -0 crictl pods --quiet --no-trunc --id "$vm_pod"
    [ "$output" = "$vm_pod" ]
    run -0 crictl pods --quiet --no-trunc --id "$plain_pod"
    [ "$output" = "$plain_pod" ]
}

@test "a container of the second runtime is created and started there" {
    vm=$(run_container "$vm_pod" vm 'sleep 60' "$VM")
    [[ $vm =~ ^virtlet\.cloud__. ]]
    remember vm "$vm"
    run -0 crictl inspect "$vm"
    [ "$(field .status.id "$output")" = "$vm" ]
    [ "$(field .status.state "$output")" = CONTAINER_RUNNING ]
    [ "$(field .status.image.image "$output")" = "$VM_IMAGE" ]
}

@test "a container whose /proc is to be unmasked cannot be had from a runtime of that time" {
    run ! crictl create "$vm_pod" "$(container_config unmasked 'true' "$WITH_VM_IMAGE")" "$BATS_FILE_TMPDIR/pod-vm.json"
    [[ $output =~ "code = InvalidArgument desc = crigate: config.linux.security_context.masked_paths" ]]
}

@test "a container of the primary lives beside it" {
    plain=$(run_container "$plain_pod" plain 'sleep 600')
    remember plain "$plain"
    run -0 crictl ps --output json
    [ "$(field "[.containers[] | {id, podSandboxId}] | sort_by(.id)" "$output")" = \
        "$(jq -n "[{id: \"$vm\", podSandboxId: \"$vm_pod\"}, {id: \"$plain\", podSandboxId: \"$plain_pod\"}] | sort_by(.id)")" ]
}

@test "a container in one runtime cannot have the other's image" {
    run ! crictl create "$plain_pod" "$(container_config mixed 'true' "$WITH_VM_IMAGE")" "$BATS_FILE_TMPDIR/pod-plain.json"
    [[ $output =~ "code = FailedPrecondition desc = crigate:" ]]
}

@test "stats lists the containers of both" {
    lab_wait 10 sh -c "crictl stats --output json | grep --quiet $plain"
    run -0 crictl stats --output json
    [ "$(field '[.stats[].attributes.id] | sort' "$output")" = "$(jq -n "[\"$vm\", \"$plain\"] | sort")" ]
}

@test "exec --sync reaches the second runtime" {
    run -0 crictl exec --sync "$vm" echo hello
}

@test "the second runtime ends: its pods are listed as they were last seen, but nothing can be done to them" {
    lab_stop crisim KILL || true
    run -0 crictl pods --quiet --no-trunc
    [[ $output =~ $plain_pod ]]
    [[ $output =~ $vm_pod ]]
    run -0 crictl inspectp "$vm_pod"
    [ "$(field .status.state "$output")" = SANDBOX_READY ]
    for call in "exec --sync $vm true" "stop $vm" "stopp $vm_pod"; do
        # shellcheck disable=SC2086
        run ! crictl $call
        [[ $output =~ "code = Unavailable desc = crigate:" ]]
    done
    run -0 crictl exec --sync "$plain" true
}

@test "the second runtime comes back and takes pods again" {
    lab_start_crisim
    lab_wait 30 crictl pull "$VM_IMAGE"
    vm_pod=$(run_pod again "$ON_VIRTLET")
    vm=$(run_container "$vm_pod" again 'sleep 60' "$VM")
    remember vm_pod "$vm_pod"
    remember vm "$vm"
}

@test "stop, rm, stopp and rmp end the second runtime's pod and leave the other alone" {
    run -0 crictl stop --timeout 1 "$vm"
    run -0 crictl rm "$vm"
    run -0 crictl stopp "$vm_pod"
    run -0 crictl rmp "$vm_pod"
    run ! crictl inspectp "$vm_pod"
    [[ $output =~ NotFound ]]
    run -0 crictl ps --quiet --no-trunc
    [ "$output" = "$plain" ]
}

@test "rmi takes the second runtime's image away" {
    run -0 crictl rmi "$VM_IMAGE"
    run -0 crictl images --output json
    [[ ! $output =~ cirros ]]
}
