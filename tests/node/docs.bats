#!/usr/bin/env bats
# What README and the pages of docs/ tell the owner of a node to type, typed on a node. tests/docs/commands takes it from the pages.

load node

REPOSITORY=$BATS_TEST_DIRNAME/../..

setup() {
    cd "$REPOSITORY" || return 1
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
    halt
}

# typed [FILTER]: runs the script on standard input on the node, after that filter; stops at the first command that fails.
typed() {
    ${1:-cat} | inside bash -euo pipefail -c "cd '$REPOSITORY' && eval \"\$(cat)\""
}

# is_there: a filter; the node is as the package leaves it. tests/packages installs the package itself.
is_there() {
    sed '/^apt install/d'
}

# is_built: a filter; the programs are in a folder of their own.
is_built() {
    sed -e '/^make$/d' -e "s,^make ,&BUILD='$NODE_BUILD' ,"
}

# may_warn: a filter; preflight may warn, as of a crigate that is there already.
may_warn() {
    sed '/^crigate preflight/{s/ *#.*//;s/$/ || [ $? = 1 ]/}'
}

# may_be_early: a filter; a second runtime may not be connected yet.
may_be_early() {
    sed '/^crigate status/s/$/ || [ $? = 1 ]/'
}

# comes_through: the kubelet's calls.
comes_through() {
    eventually 20 calls_through
    crigate verify
}

@test "README: with the package" {
    boot kubeadm-1.34
    run -0 typed is_there < <(tests/docs/commands README.md "Put it on a node")
    has "crigate is in"
    has "the last call of process"
    comes_through
    run -0 typed < <(tests/docs/commands README.md "The runtime map")
    has "crigate.yaml: good, 1 runtime, primary containerd"
    has "ready"
}

@test "README: from sources" {
    boot kubeadm-1.26
    inside umount /usr/bin/crigate
    inside rm -rf /usr/bin/crigate /usr/lib/systemd/system/crigate.service /usr/lib/systemd/system/crigate.socket /etc/crigate
    run -0 typed is_built < <(tests/docs/commands README.md "From source")
    has "crigate is in"
    comes_through
    inside test -s /usr/share/doc/crigate/docs/install.md
}

@test "docs/install.md: in, and out again" {
    local before=$BATS_TEST_TMPDIR/before
    boot kubeadm-1.31
    snapshot >"$before"
    run -0 typed < <(tests/docs/commands docs/install.md "Installing and uninstalling crigate on a node")
    has "crigate is in"
    comes_through
    run -0 typed < <(tests/docs/commands docs/install.md "Install")
    run -0 typed < <(tests/docs/commands docs/install.md "Uninstall")
    eventually 20 calls_directly
    unchanged "$before"
}

@test "docs/preflight.md and docs/bypass.md: as they say" {
    boot kubeadm-1.31
    run -0 typed may_warn < <(tests/docs/commands docs/preflight.md "Example")
    has "kubelet.service"
    run -0 typed may_warn < <(tests/docs/commands docs/preflight.md "As JSON")
    has "containerd 2"
    inside crigate install
    run -0 typed < <(tests/docs/commands docs/bypass.md "Bypass: when crigate itself is in the way")
    comes_through
}

@test "docs/install.md: a kubelet with Docker built in" {
    boot docker-1.22
    run -0 typed < <(tests/docs/commands docs/install.md "Where the kubelet has Docker built in")
    has "enable and start crigate-docker.service, and wait until it answers ... ok"
    comes_through
}

# may_differ: a filter; two runtimes may have other images.
may_differ() {
    sed 's/^crigate compare [^|]*/{ & || [ $? = 1 ]; } /'
}

@test "docs/preflight.md: two runtimes are compared" {
    boot cri-dockerd-1.28
    inside mkdir /run/containerd
    inside systemd-run --quiet --unit=containerd /usr/bin/crisim --listen unix:///run/containerd/containerd.sock --api v1 --name containerd --images 2
    eventually 10 inside test -S /run/containerd/containerd.sock
    run -0 typed may_differ < <(tests/docs/commands docs/preflight.md "Two runtimes compared")
    has "IMAGES ONLY IN unix:///run/cri-dockerd.sock"
    has "shop/queue:1.2"
    has "/var/lib/crisim/images"
}

@test "docs/kubelet.md: a kubelet is pointed at crigate by hand, and is restarted" {
    boot kubeadm-1.27
    inside systemctl start crigate
    inside sed -i "s,$socket,/run/crigate/crigate.sock," /var/lib/kubelet/kubeadm-flags.env
    typed < <(tests/docs/commands docs/kubelet.md "Pointing a kubelet at crigate by hand")
    eventually 20 calls_through
    # And back.
    inside sed -i "s,/run/crigate/crigate.sock,$socket," /var/lib/kubelet/kubeadm-flags.env
    inside systemctl restart kubelet
    eventually 20 calls_directly
}

@test "docs/upgrade-window.md: a kubelet of 1.26 before a runtime that it cannot call, checked before and after" {
    boot kubeadm-1.26
    inside crigate install
    run -0 typed may_warn < <(tests/docs/commands docs/upgrade-window.md "Upgrading kubelet and runtime in any order")
    has "the last call of process"
    # The runtime is an older one now.
    inside sed -i -E "s/--api [^ ]+/--api v1alpha2/" "/usr/lib/systemd/system/$runtime.service"
    inside systemctl daemon-reload
    inside systemctl restart "$runtime"
    typed < <(tests/docs/commands docs/upgrade-window.md "Kubelet first") >"$BATS_TEST_TMPDIR/lost"
    grep -q "^RPCs THAT v1alpha2 LACKS" "$BATS_TEST_TMPDIR/lost"
    typed < <(tests/docs/commands docs/upgrade-window.md "Runtime first")
    eventually 20 healthy
    run -0 typed < <(tests/docs/commands docs/upgrade-window.md "Before and after")
    has "v1alpha2"
    run -0 crigate verify
}

@test "docs/from-criproxy.md: the map, the replacement and the second runtime" {
    local pod
    boot kubeadm-1.12
    # A node as criproxy leaves it: its file, its unit, and a runtime for virtual machines.
    printf 'CRI_PRIMARY=%s\nCRI_OTHER=virtlet.cloud:/run/virtlet.sock\n' "$socket" | write /etc/default/criproxy
    printf '[Service]\nExecStart=/usr/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n' | write /etc/systemd/system/criproxy.service
    inside systemctl enable --now criproxy
    inside systemd-run --quiet --unit virtlet "$NODE_BUILD/crisim" --listen unix:///run/virtlet.sock --api v1_9 --name virtlet
    typed < <(tests/docs/commands docs/from-criproxy.md "The map from /etc/default/criproxy")
    typed may_be_early < <(tests/docs/commands docs/from-criproxy.md "Replace criproxy")
    eventually 20 crigate status
    run -3 inside systemctl is-active criproxy
    run -0 crigate status
    [[ $output =~ primary\ +primary\ +v1_12\ +ready ]]
    [[ $output =~ virtlet.cloud\ +-\ +v1_9\ +ready ]]
    # The pod of the page goes where its RuntimeClass says.
    inside mkdir -p /etc/crigate/crigate.d
    sed -n '/^runtimes:$/,/^```$/p' docs/from-criproxy.md | grep -v '```' | write /etc/crigate/crigate.d/virtlet.yaml
    run -0 crigate reload
    pod=$(inside crigate call --endpoint unix:///run/criproxy.sock --compact RunPodSandbox \
        '{"runtimeHandler": "virtlet", "config": {"metadata": {"name": "cirros-vm", "uid": "1", "namespace": "default"}, "logDirectory": "/tmp"}}')
    [[ $pod == *'"virtlet.cloud__'* ]]
}
