#!/usr/bin/env bats
# crigate from its Debian package onto a clean Debian 12 with containerd, and off it again; a pod runs on all the time. Each test goes
# on where the one before it stopped. MACHINE_FORM is `real`, or `stand_in` for a kubelet that only calls.

load machine

setup_file() {
    load machine
    local architecture
    architecture=$(dpkg --print-architecture)
    start_machine
    cp "$MACHINE_DEBS"/crigate_[0-9]*_"$architecture".deb "$(path /srv)"
    mkdir "$(path /srv/next)"
    next_package "$(path /srv)"/crigate_*.deb "$(path /srv/next)/crigate_next_$architecture.deb"
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || explain_failure
}

teardown_file() {
    load machine
    stop_machine
}

# next_package PACKAGE RESULT: the same as its next version, which the program says of itself, too.
next_package() {
    local folder version next
    folder=$BATS_FILE_TMPDIR/next
    version=$(dpkg-deb --field "$1" Version)
    next=${version%?}$(((${version: -1} + 1) % 10))
    dpkg-deb --raw-extract "$1" "$folder"
    sed -i "s/${version//./\\.}/$next/g" "$folder/usr/bin/crigate"
    sed -i "s/^Version: .*/Version: $next/" "$folder/DEBIAN/control"
    dpkg-deb --build "$folder" "$2" >/dev/null
    [ "$("$folder/usr/bin/crigate" --version)" = "crigate $next" ]
    rm -r "$folder"
}

# readme NUMBER: that line of how README.md says to put crigate on a node.
readme() {
    "$BATS_TEST_DIRNAME/../docs/commands" README.md "Put it on a node" | sed -n "$1p"
}

# not_packaged: of a list, what is not the package's.
not_packaged() {
    grep -vE '^/?(usr|var/lib/systemd/deb-systemd-helper)'
}

# cgroups_of_pod
cgroups_of_pod() {
    local pid
    pid=$(inside ctr --namespace k8s.io tasks list | awk -v id="$(cut -d' ' -f5 "$MACHINE.containers")" '$1 == id { print $2 }')
    inside cat "/proc/$pid/cgroup"
}

# runs: the version of the running crigate.
runs() {
    inside sh -c '/proc/$(systemctl show --property MainPID --value crigate.service)/exe --version'
}

@test "a pod runs on a clean machine" {
    start_pod
    eventually 60 lines
    eventually 30 eval "containers /run/containerd/containerd.sock | grep -q ' main 0 CONTAINER_RUNNING '"
    containers /run/containerd/containerd.sock >"$MACHINE.containers"
    [ "$(wc -l <"$MACHINE.containers")" = 1 ]
    [ "$MACHINE_FORM" != real ] || cgroups_of_pod | grep -q '/kubepods.slice/kubepods-besteffort.slice/'
    lives_on
    keep clean
}

@test "apt puts the package in, which changes nothing else" {
    [[ $(readme 1) == "apt install "* ]]
    run inside sh -c "cd /srv && $(readme 1)"
    [ "$status" = 0 ]
    [ "$(inside systemctl is-active crigate.service)" = inactive ]
    keep packaged
    lives_on
}

@test "preflight finds the kubelet and containerd, and the machine fit" {
    run crigate preflight
    # With a warning where cgroups have version 1.
    [ "$status" -le 1 ]
    has /run/containerd/containerd.sock
    [[ $output =~ cgroup\ driver\ +$MACHINE_DRIVER, ]]
    has "containerRuntimeEndpoint in /var/lib/kubelet/config.yaml"
    as_kept packaged
}

@test "install puts crigate in; verify says so" {
    run inside sh -c "$(readme 2)"
    [ "$status" = 0 ]
    has "crigate is in"
    run inside sh -c "$(readme 3)"
    [ "$status" = 0 ]
    has "kubelet's calls"
    healthy
    [ "$(containers /run/crigate/crigate.sock)" = "$(cat "$MACHINE.containers")" ]
    lives_on
}

@test "an upgrade of the package fails no call" {
    begin_calls
    run inside sh -c 'apt-get install --yes /srv/next/crigate_*.deb'
    end_calls
    [ "$status" = 0 ]
    has "no call failed"
    [ "$(runs)" = "$(inside crigate --version)" ]
    run crigate verify
    [ "$status" = 0 ]
    healthy
    lives_on
}

@test "apt does not remove it while the kubelet needs it" {
    run inside apt-get remove --yes crigate
    [ "$status" != 0 ]
    has "crigate uninstall"
    run crigate verify
    [ "$status" = 0 ]
}

@test "a bypass leads the kubelet past crigate, and back" {
    run crigate bypass on
    [ "$status" = 0 ]
    [ "$(inside readlink --canonicalize /run/crigate/crigate.sock)" = /run/containerd/containerd.sock ]
    [ "$(inside systemctl is-active crigate.service)" = inactive ]
    run crigate verify
    [ "$status" = 1 ]
    has bypass
    lives_on
    run crigate bypass off
    [ "$status" = 0 ]
    eventually 30 crigate verify
    healthy
    lives_on
}

@test "uninstall takes it out: each file is as before" {
    run crigate uninstall
    [ "$status" = 0 ]
    has "crigate is uninstalled"
    inside dpkg-query --show crigate
    files_as_kept packaged
    # The package is the next one by now, in /usr and in what Debian's scripts for units note.
    diff <(not_packaged <"$MACHINE.packaged.list") <(list | not_packaged)
    healthy
    lives_on
}

@test "removed and purged, nothing of it is left" {
    inside apt-get remove --yes crigate
    inside test -e /etc/crigate/crigate.yaml
    inside apt-get purge --yes crigate
    as_kept clean
    [ -z "$(inside find /run -xdev -name '*crigate*')" ]
    healthy
    lives_on
}
