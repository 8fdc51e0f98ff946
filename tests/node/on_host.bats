#!/usr/bin/env bats
# `crigate install --host` and `crigate uninstall --host`: what the init containers of deploy/kubernetes do on a node, with the program of
# the image, in a container's namespaces.

load node

REPOSITORY=$BATS_TEST_DIRNAME/../..

# make_image NAME PROGRAM: packs it, and unpacks it on the node as a container runtime would.
make_image() {
    local root=$BATS_FILE_TMPDIR/$1 manifest layer
    install -D -m 0755 "$2" "$root/usr/bin/crigate"
    install -D -m 0644 "$REPOSITORY/LICENSE" "$root/usr/share/doc/crigate/copyright"
    "$REPOSITORY/packaging/make-image" "$root" "$root/image.tar"
    mkdir "$root/layout"
    tar --extract --directory "$root/layout" --file "$root/image.tar"
    manifest=$(gojq -r '.manifests[0].digest' "$root/layout/index.json")
    layer=$(gojq -r '.layers[0].digest' "$root/layout/blobs/sha256/${manifest#sha256:}")
    inside mkdir -p "/root/$1"
    inside tar --extract --gzip --directory "/root/$1" <"$root/layout/blobs/sha256/${layer#sha256:}"
}

# container IMAGE ARGUMENT...
container() {
    inside /root/container "/root/$1" "${@:2}"
}

setup_file() {
    load node
    boot kubeadm-1.31
    inside tee /root/container <"$HERE/container" >/dev/null
    inside chmod +x /root/container
    strip -o "$BATS_FILE_TMPDIR/crigate" "$NODE_BUILD/crigate"
    make_image image "$BATS_FILE_TMPDIR/crigate"
    # The next version: another file that does the same.
    echo next >>"$BATS_FILE_TMPDIR/crigate"
    make_image next "$BATS_FILE_TMPDIR/crigate"
}

setup() {
    set +T # see eventually.bash
    NODE=$BATS_FILE_TMPDIR/node
    describe kubeadm-1.31
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
}

teardown_file() {
    load node
    NODE=$BATS_FILE_TMPDIR/node
    halt
}

# is_verified: whether the pod's main container would be Ready: as nobody, with nothing but the report.
is_verified() {
    inside unshare --mount --propagation private --pid --fork --kill-child sh -c '
        mkdir -p /root/image/run/crigate-report
        mount --bind /run/crigate-report /root/image/run/crigate-report
        mount -o remount,bind,ro /root/image/run/crigate-report
        exec chroot --userspec=65532:65532 /root/image /usr/bin/crigate watch --ready' 2>&1
}

# remove_packaged: there is none on a node that no package has touched; a boot of the fixture brings it back.
remove_packaged() {
    inside umount /usr/bin/crigate
    inside rm /usr/bin/crigate
}

# main_pid
main_pid() {
    inside systemctl show --property MainPID --value crigate.service
}

has_no_transient_unit() {
    [ -z "$(inside systemctl list-units --all --plain --no-legend 'crigate-install*' 'crigate-verify*')" ]
}

@test "a node that has a package's crigate keeps its program" {
    snapshot >"$BATS_FILE_TMPDIR/packaged"
    run -0 container image install --host /host
    has "This node has /usr/bin/crigate"
    eventually 20 calls_through
    inside test ! -e /opt/crigate
    run -0 container image uninstall --host /host
    eventually 20 calls_directly
    inside test -e /usr/bin/crigate
    unchanged "$BATS_FILE_TMPDIR/packaged"
}

@test "refused: a folder without the host's /proc, or with that of the container" {
    run -2 container image install --host /nowhere
    has "/nowhere/proc/1/ns/mnt"
    run -2 container image install --host /
    has "leads to this container itself"
    run -64 container image install --host /host --dry-run
    run -64 container image uninstall --host /host --check
    inside test ! -e /opt/crigate
}

@test "killed in the middle: the work gets to its end; the next container waits for it, and finds nothing to do" {
    inside sh -c 'rm -r /usr/lib/systemd/system/crigate.* /etc/crigate /usr/lib/tmpfiles.d/crigate.conf && systemctl daemon-reload'
    remove_packaged
    snapshot >"$BATS_FILE_TMPDIR/before"
    container image install --host /host >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    local installs=$!
    eventually 20 grep -q 'write the runtime map' "$BATS_TEST_TMPDIR/out"
    inside pkill --signal KILL --full '^unshare .*/root/container /root/image install'
    wait "$installs" || true
    run -0 container image install --host /host
    has "Already installed"
    eventually 20 calls_through
    inside cmp /opt/crigate/bin/crigate /root/image/usr/bin/crigate
    inside grep -q '^ExecStart=/opt/crigate/bin/crigate ' /etc/systemd/system/crigate.service
}

@test "asked to end: it says that the work continues, and it does" {
    run -0 container image uninstall --host /host
    container image install --host /host >"$BATS_TEST_TMPDIR/out" 2>&1 3>&- &
    local installs=$! status=0
    eventually 20 grep -q 'write the runtime map' "$BATS_TEST_TMPDIR/out"
    inside pkill --signal TERM --full '^/usr/bin/crigate install --host'
    wait "$installs" || status=$?
    [ "$status" = 2 ]
    grep -q 'SIGTERM; the work continues on the node' "$BATS_TEST_TMPDIR/out"
    eventually 30 calls_through
}

@test "again: nothing changes" {
    local pid kubelet
    run -0 container image install --host /host
    pid=$(main_pid) kubelet=$(kubelet_pid)
    snapshot >"$BATS_FILE_TMPDIR/installed"
    run -0 container image install --host /host
    has "Already installed"
    [ "$(main_pid) $(kubelet_pid)" = "$pid $kubelet" ]
    unchanged "$BATS_FILE_TMPDIR/installed"
}

@test "the pod without rights gets Ready by the report alone, and is not while a bypass is on" {
    eventually 60 is_verified
    inside /opt/crigate/bin/crigate bypass on
    inside systemctl start crigate-verify.service
    eventually 60 eval '! is_verified'
    run is_verified
    has "bypass"
    inside /opt/crigate/bin/crigate bypass off
    eventually 60 is_verified
}

@test "the next image's program takes over from the running one; the kubelet sees nothing of it" {
    local pid kubelet failed
    pid=$(main_pid) kubelet=$(kubelet_pid)
    failed=$(inside grep -c 'calls failed' /run/kubelet.log || true)
    run -0 container next install --host /host
    has "has taken over from process $pid"
    has "Already installed"
    [ "$(main_pid)" != "$pid" ]
    inside cmp /opt/crigate/bin/crigate /root/next/usr/bin/crigate
    inside cmp "/proc/$(main_pid)/exe" /root/next/usr/bin/crigate
    [ "$(kubelet_pid) $(inside grep -c 'calls failed' /run/kubelet.log || true)" = "$kubelet $failed" ]
    unchanged "$BATS_FILE_TMPDIR/installed"
}

@test "after a reboot crigate serves, and the container has the node verified again" {
    "$HERE/node" reboot "$NODE"
    eventually 30 calls_through
    inside test ! -e /run/crigate-report/verify.json
    run -0 container next install --host /host
    has "Already installed"
    eventually 60 is_verified
    # The fixture has a package's program again; it does not serve.
    run ! has "This node has"
    remove_packaged
}

@test "the second runtime of deploy/kubernetes/second-runtime: a pod with its RuntimeClass goes there, and uninstall is refused meanwhile" {
    local manifests=$REPOSITORY/deploy/kubernetes/second-runtime endpoint=unix:///run/crigate/crigate.sock handler socket pod
    handler=$(gojq --yaml-input -r .handler "$manifests/runtime-class.yaml")
    socket=$(gojq --yaml-input -r '.spec.template.spec.containers[0].args[1]' "$manifests/daemonset.yaml")
    inside mkdir -p /etc/crigate/crigate.d
    gojq --yaml-input -r '.data["50-second.yaml"]' "$manifests/drop-in.yaml" | write /etc/crigate/crigate.d/50-second.yaml
    inside systemd-run --quiet --unit=second --property=RuntimeDirectory=second-runtime /usr/bin/crisim --listen "$socket" --api v1 --name second --handler "$handler" --containers 0
    eventually 20 eval 'inside /opt/crigate/bin/crigate status | grep -q "second .*ready"'
    run -0 inside /opt/crigate/bin/crigate call --endpoint "$endpoint" RunPodSandbox \
        "{\"config\":{\"metadata\":{\"name\":\"a\",\"uid\":\"1\",\"namespace\":\"b\"}},\"runtime_handler\":\"$handler\"}"
    pod=$(gojq -r .podSandboxId <<<"$output")
    [[ $pod == second* ]]
    run container next uninstall --host /host
    [ "$status" = 2 ]
    has second
    inside test -x /opt/crigate/bin/crigate
    eventually 20 calls_through
    inside /opt/crigate/bin/crigate call --endpoint "$endpoint" RemovePodSandbox "{\"podSandboxId\":\"$pod\"}"
    inside systemctl stop second
    inside rm -r /etc/crigate/crigate.d
}

@test "uninstall: all files are as before, and nothing of crigate is left" {
    eventually 20 eval '! inside /opt/crigate/bin/crigate status | grep -q second'
    run -0 container next uninstall --host /host
    has "crigate is uninstalled"
    eventually 20 calls_directly
    unchanged "$BATS_FILE_TMPDIR/before"
    inside test ! -e /opt/crigate
    inside test ! -e /run/crigate-report/verify.json
    eventually 20 has_no_transient_unit
    run -0 container next uninstall --host /host
    has "crigate is not installed on this node"
}
