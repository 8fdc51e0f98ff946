#!/usr/bin/env bats
# What other users of the node, broken programs and unlucky moments do to the commands.

load own_node

@test "any number of processes that call themselves kubelet leaves the kubelet to be found" {
    take_node kubeadm-1.31
    # Each of another user, and the first half older than the kubelet.
    printf '%s\n' 'import os' 'for i in range(100):' '    if os.fork() == 0:' '        os.setuid(12)' \
        '        os.execv("/usr/bin/sleep", ["kubelet", "600"] + ["0" * 1000])' | inside python3 -
    restart_kubelet
    run crigate preflight -o json
    jq -e --argjson pid "$(kubelet_pid)" '.kubelet.pid == $pid' <<<"$output"
    run -0 crigate install
    eventually 10 calls_through
    run -0 crigate uninstall
    as_before
}

# second_kubelet: one more, beside that of the unit, with the same configuration file.
second_kubelet() {
    inside cp /usr/bin/kubelet /usr/local/bin/kubelet
    inside systemd-run --quiet --unit=other /usr/local/bin/kubelet --config=/var/lib/kubelet/config.yaml --healthz-port=10333 \
        --container-runtime-endpoint=unix:///run/containerd/containerd.sock
}

@test "a second kubelet does not keep crigate from being taken out" {
    take_node kubeadm-1.31
    run -0 crigate install
    second_kubelet
    run -0 crigate uninstall --check
    run -0 crigate uninstall
    inside systemctl stop other
    inside rm /usr/local/bin/kubelet
    as_before
}

@test "another user's process with root privileges, by a set-user-ID program, is not the node's kubelet" {
    take_node kubeadm-1.31
    inside systemctl disable --now kubelet
    inside rm -r /usr/lib/systemd/system/kubelet.service{,.d}
    # As exec leaves it: the real uid is the caller's.
    inside cp /usr/bin/sleep /usr/local/bin/kubelet
    printf '%s\n' 'import os' 'if os.fork() == 0:' '    os.setresuid(12, 0, 0)' \
        '    os.execv("/usr/local/bin/kubelet", ["kubelet", "600"])' | inside python3 -
    note_files
    eventually 5 inside pgrep -U 12 -x kubelet
    refuses "uid 12" install
}

@test "bypass goes through although nobody reads what it prints" {
    take_node kubeadm-1.31
    run -0 crigate install
    inside bash -c 'crigate bypass on 2>&1 | true'
    eventually 30 calls_directly_by_the_link
    inside bash -c 'crigate bypass off 2>&1 | true'
    eventually 30 inside bash -c '! test -L /run/crigate/crigate.sock && systemctl is-active crigate.service'
    eventually 30 crigate verify
    run -0 crigate uninstall
    as_before
}

calls_directly_by_the_link() {
    inside test -L /run/crigate/crigate.sock && ! inside systemctl is-active --quiet crigate.service
}

@test "pods in another runtime keep crigate in also if its map is broken or gone" {
    take_node kubeadm-1.31
    inside systemd-run --quiet --unit=second /usr/bin/crisim --listen unix:///run/second.sock --api v1 --name second --containers 1
    eventually 10 inside test -S /run/second.sock
    run -0 crigate install --runtime second=unix:///run/second.sock
    inside cp -p /etc/crigate/crigate.yaml /root/map
    echo "runtimes: [" | write /etc/crigate/crigate.yaml
    run crigate uninstall
    [ "$status" = 2 ]
    has "runtime second holds"
    inside rm /etc/crigate/crigate.yaml
    run crigate uninstall
    [ "$status" = 2 ]
    has "runtime second holds"
    # Nobody knows of it but the map.
    echo "runtimes: [" | write /etc/crigate/crigate.yaml
    inside systemctl stop crigate.service crigate.socket
    run crigate uninstall
    [ "$status" = 2 ]
    has "/etc/crigate/crigate.yaml"
    inside cp -p /root/map /etc/crigate/crigate.yaml
    run -0 crigate uninstall --force
    as_before
}

@test "bypass and install do not come between each other" {
    take_node kubeadm-1.31
    inside cp -p /etc/kubelet-stand-in /root/well
    kubelet_fault hang
    inside bash -c 'crigate install --timeout 12s >/run/install.out 2>&1 &'
    # Not before: a kubelet that has not yet read what it is to do would be well when the file is put back below.
    eventually 20 inside grep -q 'fault: hang' /run/kubelet.log
    run crigate bypass on
    [ "$status" = 2 ]
    has "is running"
    inside test ! -e /var/lib/crigate/bypass
    inside cp -p /root/well /etc/kubelet-stand-in
    eventually 120 inside bash -c '! pgrep -f "^crigate install"'
    as_before
    # And the other way round.
    run -0 crigate install
    inside bash -c 'flock /run/crigate.lock sleep 600 >/dev/null 2>&1 & echo $! >/run/flock.pid'
    eventually 20 inside bash -c '! flock --nonblock /run/crigate.lock true'
    for command in install uninstall "bypass on" "bypass off"; do
        # shellcheck disable=SC2086
        run crigate $command
        [ "$status" = 2 ]
        has "is running"
    done
    run -0 crigate verify
    inside pkill -P "$(inside cat /run/flock.pid)"
    eventually 20 inside flock --nonblock /run/crigate.lock true
    run -0 crigate uninstall
    as_before
}

@test "another user cannot take the lock" {
    take_node kubeadm-1.31
    run -0 crigate install
    inside bash -c 'setpriv --reuid 12 --regid 12 --clear-groups flock /var/lib/crigate sleep 600 >/dev/null 2>&1 &'
    run ! inside setpriv --reuid 12 --regid 12 --clear-groups flock --nonblock /run/crigate.lock true
    run ! inside setpriv --reuid 12 --regid 12 --clear-groups flock --nonblock /var/lib/crigate/install true
    run crigate bypass on
    [ "$status" -le 1 ]
    run crigate bypass off
    [ "$status" -le 1 ]
    run -0 crigate uninstall
    as_before
}

@test "a damaged journal is reported with what is left to do, and changes nothing" {
    local command
    take_node kubeadm-1.31
    run -0 crigate install
    inside cp -a /var/lib/crigate/install /root/journal
    snapshot >"$BATS_TEST_TMPDIR/installed"
    inside sed -i 's/"installed"/"removing"/' /var/lib/crigate/install/journal.json
    for command in install uninstall; do
        run crigate "$command"
        [ "$status" = 2 ]
        has "damaged"
        has "/var/lib/crigate/install/*.before"
        unchanged "$BATS_TEST_TMPDIR/installed"
    done
    inside cp -a /root/journal/. /var/lib/crigate/install
    inside bash -c 'echo x >>/var/lib/crigate/install/1.before'
    run crigate uninstall
    [ "$status" = 2 ]
    has "/var/lib/crigate/install/*.before"
    unchanged "$BATS_TEST_TMPDIR/installed"
    inside cp -a /root/journal/. /var/lib/crigate/install
    run -0 crigate uninstall
    as_before
}

@test "a name that another user chose does not control the terminal" {
    take_node kubeadm-1.31
    inside systemctl disable --now kubelet
    inside rm -r /usr/lib/systemd/system/kubelet.service{,.d}
    inside systemctl daemon-reload
    inside bash -c 'folder=$(printf "/tmp/a\302\233\302\205b\033[31mc\377d\303\251"); mkdir "$folder" && cp /usr/bin/sleep "$folder/kubelet"
        setpriv --reuid 12 "$folder/kubelet" 600 >/dev/null 2>&1 &'
    eventually 5 inside pgrep -U 12 -x kubelet
    for command in install preflight; do
        run crigate "$command"
        has '/tmp/a??b?[31mc?dé/kubelet'
        [[ $output != *$'\033'* && $output != *$'\302\233'* ]]
    done
}
