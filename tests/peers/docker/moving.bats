#!/usr/bin/env bats
# A node moves from Docker Engine to containerd as docs/from-docker.md says, and some of the way back: no container restarts. The commands are
# those of the page. Each test goes on where the one before it stopped.

LAB_MOVE=/run/crigate-e2e/move
TESTS=$BATS_TEST_DIRNAME/../..
SERVE='echo started; exec httpd -f -p 8080 -h /www'

setup_file() {
    load ../../e2e/terminal.bash
    load docker.bash
    mkdir -p "$LAB_MOVE/bin" "$LAB_MOVE/etc" "$LAB_MOVE/work" /run/containerd
    # A /etc of its own, and sockets and programs at their usual places.
    mount -t overlay overlay -o "lowerdir=/etc,upperdir=$LAB_MOVE/etc,workdir=$LAB_MOVE/work" /etc
    mkdir -p /etc/containerd
    ln -s "$LAB/containerd.sock" /run/containerd/containerd.sock
    ln -s "$E2E_BUILD/crigate" "$BATS_TEST_DIRNAME/systemctl" "$LAB_MOVE/bin"
    # containerd as Docker's own package has it.
    { echo 'disabled_plugins = ["io.containerd.grpc.v1.cri"]' && cat "$LAB/containerd.toml"; } >/etc/containerd/config.toml
    lab_stop containerd
    lab_daemon containerd containerd --config /etc/containerd/config.toml
    lab_wait 30 ctr version
    lab_point_crictl /run/cri-dockerd.sock
    docker load --quiet --input "$E2E_IMAGES/different-1.tar"
    skopeo copy --quiet --insecure-policy --dest-tls-verify=false "docker-archive:$E2E_IMAGES/different-2.tar" docker://127.0.0.1:5000/different-2:e2e
}

setup() {
    load ../../e2e/terminal.bash
    load docker.bash
    PATH=$LAB_MOVE/bin:$PATH
    cd "$LAB_MOVE" || return 1
    if [ -e "$BATS_FILE_TMPDIR/ids" ]; then
        source "$BATS_FILE_TMPDIR/ids"
    fi
}

teardown_file() {
    load ../../e2e/terminal.bash
    lab_point_crictl /run/crigate/crigate.sock
    remove_pods
    lab_stop crigate
}

# remember NAME VALUE: makes a variable for the tests that follow.
remember() {
    printf '%s=%q\n' "$1" "$2" >>"$BATS_FILE_TMPDIR/ids"
}

# typed: types the commands on standard input, and stops at the first that fails.
typed() {
    bash -euo pipefail
}

# may_differ: a filter; crigate compare reports differences by its exit status, too.
may_differ() {
    sed 's/^crigate compare [^|]*$/& || [ $? = 1 ]/'
}

# identities: a line for each process of a pod or container on Docker Engine: its id, its process, and when that began by Docker Engine's account
# and by the kernel's.
identities() {
    local id pid started
    docker inspect --format '{{.Id}} {{.State.Pid}} {{.State.StartedAt}}' $(docker ps --quiet) | sort | while read -r id pid started; do
        echo "$id $pid $started $(cut -d ' ' -f 22 "/proc/$pid/stat")"
    done
}

# same: whether what ran on Docker Engine runs on.
same() {
    identities | diff "$BATS_FILE_TMPDIR/before" -
}

# on_containerd: the pods there, asked directly.
on_containerd() {
    crictl --runtime-endpoint unix:///run/containerd/containerd.sock pods --quiet --no-trunc
}

# serves CONTAINER: whether it has started once only, and takes commands. One that is new needs a moment.
serves() {
    lab_wait 10 runs_httpd "$1"
    [ "$(crictl logs "$1")" = started ]
}

runs_httpd() {
    [ "$(crictl exec --sync "$1" cat /proc/1/comm)" = httpd ]
}

is_ready() {
    [ "$(crigate status -o json | jq -r ".runtimes[] | select(.name == \"$1\") | .state")" = ready ]
}

@test "pods run on Docker Engine, and a container that is not of Kubernetes" {
    local name pod
    crictl pull "$BUSYBOX"
    for name in keeper first; do
        pod=$(run_pod "$name")
        remember "$name" "$pod"
        remember "${name}_web" "$(run_container "$pod" "$name-web" "$SERVE")"
    done
    docker run --detach --name aside --network none "$BUSYBOX" sleep 6000
    identities >"$BATS_FILE_TMPDIR/before"
    [ "$(wc -l <"$BATS_FILE_TMPDIR/before")" = 5 ]
}

@test "what to know before" {
    run -0 typed < <("$TESTS"/docs/commands docs/from-docker.md "Before you begin")
    [ "$output" = $'cgroupfs\naside' ]
}

@test "containerd gets its CRI back, and no container of Docker's stops" {
    run ! lab_answers /run/containerd/containerd.sock
    typed < <("$TESTS"/docs/commands docs/from-docker.md "Switch CRI on in containerd")
    lab_wait 30 lab_answers /run/containerd/containerd.sock
    same
    # Docker Engine has found containerd again.
    lab_wait 30 docker exec aside true
    serves "$keeper_web"
}

@test "crigate comes in front of Docker: same ids and processes" {
    local list before
    for list in "pods --output json" "ps --all --output json"; do
        # shellcheck disable=SC2086
        crictl $list | jq 'del(.. | .imageId?)' >>"$BATS_FILE_TMPDIR/listed"
    done
    run -0 typed < <("$TESTS"/docs/commands docs/from-docker.md "Put crigate in front of Docker")
    [[ $output == *"endpoint docker is unix:///run/cri-dockerd.sock"* ]]
    lab_point_crictl /run/crigate/crigate.sock
    for list in "pods --output json" "ps --all --output json"; do
        # shellcheck disable=SC2086
        crictl $list | jq 'del(.. | .imageId?)'
    done | diff "$BATS_FILE_TMPDIR/listed" -
    same
    serves "$keeper_web"
}

@test "containerd is added, and gets new pods" {
    local fresh
    # It may not be connected at once.
    sed "s/^crigate status/timeout 30 sh -c 'until crigate status; do sleep 0.2; done'/" <("$TESTS"/docs/commands docs/from-docker.md "Add containerd") |
        typed
    fresh=$(run_pod fresh)
    remember fresh "$fresh"
    [ "$(crigate owner "$fresh")" = containerd ]
    [ "$(on_containerd)" = "$fresh" ]
    crictl pull --pod-config "$BATS_FILE_TMPDIR/pod-fresh.json" "$BUSYBOX"
    fresh_web=$(run_container "$fresh" fresh-web "$SERVE")
    remember fresh_web "$fresh_web"
    serves "$fresh_web"
    remember fresh_pid "$(crictl inspect "$fresh_web" | jq .info.pid)"
    [ "$(crigate owner "$keeper_web")" = docker ]
    serves "$keeper_web"
    same
}

@test "the image that only Docker has is named, and copied" {
    local image container
    image=$(docker image inspect --format '{{.Id}}' registry.k8s.io/different-1:e2e)
    docker pull --quiet 127.0.0.1:5000/different-2:e2e
    "$TESTS"/docs/commands docs/from-docker.md "Images that only Docker has" | may_differ >script
    run -0 bash -euo pipefail <(head -n 1 script)
    [[ $output =~ registry.k8s.io/different-1:e2e\ +[0-9.]+\ MiB\ +no\ .*"$image" ]]
    [[ $output =~ 127.0.0.1:5000/different-2:e2e\ +[0-9.]+\ MiB\ +yes\  ]]
    # The first command of a pipe may fail.
    bash -eu script
    run -0 bash -euo pipefail <(head -n 1 script)
    [[ $output != *different-1* && $output == *different-2* ]]
    # A container is created from it on containerd, without a pull.
    container=$(crictl create --no-pull "$fresh" "$(container_config copied "echo copied" ".image.image = \"$image\"")" "$BATS_FILE_TMPDIR/pod-fresh.json")
    crictl start "$container"
    lab_wait 10 sh -c "crictl logs $container | grep copied"
    crictl rm --force "$container"
}

@test "the disk use of both is shown" {
    "$TESTS"/docs/commands docs/from-docker.md "Disk" | may_differ >script
    run -0 typed < <(sed /prune/d script)
    [[ $output == *"Local Volumes"* ]]
    [[ $output =~ unix:///run/cri-dockerd.sock\ +docker\ .*" $LAB/docker "\ *[0-9.]+\ MiB ]]
    [[ $output =~ unix:///run/containerd/containerd.sock\ +containerd\ .*" $LAB/containerd/root/" ]]
    docker image inspect registry.k8s.io/different-1:e2e
    typed <script
    # What containers use has stayed.
    run ! docker image inspect registry.k8s.io/different-1:e2e
    docker image inspect "$BUSYBOX"
    same
}

@test "back again: new pods go to Docker, those on containerd run on" {
    local back
    typed < <("$TESTS"/docs/commands docs/from-docker.md "Go back")
    back=$(run_pod back)
    [ "$(crigate owner "$back")" = docker ]
    serves "$fresh_web"
    serves "$keeper_web"
    [ -e "/proc/$fresh_pid" ]
    crictl stopp "$back"
    crictl rmp "$back"
    same
    typed < <("$TESTS"/docs/commands docs/from-docker.md "Add containerd")
    back=$(run_pod again)
    [ "$(crigate owner "$back")" = containerd ]
    crictl rmp --force "$back"
}

@test "Docker stays in the map while it owns pods" {
    "$TESTS"/docs/commands docs/from-docker.md "Remove Docker" >script
    sed -i /^systemctl/d script
    run -1 bash -euo pipefail script
    [[ $output == *"runtime docker would be removed, but still owns 2 pods"* ]]
    same
    serves "$keeper_web"
    for pod in "$keeper" "$first"; do
        crictl stopp "$pod"
        crictl rmp "$pod"
    done
}

@test "empty, it is removed, and ends; pods on containerd run on" {
    touch /etc/crigate/crigate.d/50-containerd.yaml
    docker rm --force aside
    typed < <("$TESTS"/docs/commands docs/from-docker.md "Remove Docker")
    [ "$(crigate status -o json | jq -c '[.runtimes[].name]')" = '["containerd"]' ]
    run ! docker version
    serves "$fresh_web"
    [ "$(crictl inspect "$fresh_web" | jq .info.pid)" = "$fresh_pid" ]
    run -0 crictl version
    [[ $output =~ RuntimeName:\ +containerd ]]
}
