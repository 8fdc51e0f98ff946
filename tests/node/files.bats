#!/usr/bin/env bats
# Files that crigate must not, or cannot, change.

load own_node

@test "a file that its owner changed since is never overwritten, and the difference is printed" {
    take_node kubeadm-1.31
    run -0 crigate install
    inside sed -i 's/"$/ --max-pods=50"/' "$ENV_FILE"
    inside cat "$ENV_FILE" >"$BATS_TEST_TMPDIR/edited"
    run crigate uninstall --check
    [ "$status" = 1 ]
    has "--max-pods=50"
    run crigate uninstall
    [ "$status" = 1 ]
    has "$ENV_FILE"
    has "--max-pods=50"
    inside cat "$ENV_FILE" | cmp - "$BATS_TEST_TMPDIR/edited"
    # The kubelet still calls crigate, which must go on.
    eventually 10 calls_through
    inside systemctl is-active crigate.service
    # The owner does it; then uninstall has the rest to do.
    inside sed -i 's,unix:///run/crigate/crigate.sock,unix:///run/containerd/containerd.sock,' "$ENV_FILE"
    restart_kubelet
    run crigate uninstall
    [ "$status" -le 1 ]
    eventually 10 calls_directly
    is_off
    inside grep -q -- --max-pods=50 "$ENV_FILE"
}

@test "a file with an error in it is reported with its line, and nothing is changed" {
    take_node kubeadm-1.34
    inside sed -i '5s/$/ [/' /var/lib/kubelet/config.yaml
    note_files
    refuses "/var/lib/kubelet/config.yaml:" install
    run crigate preflight
    [ "$status" = 2 ]
    has "/var/lib/kubelet/config.yaml:"
    as_before
}

@test "a file of flags with an open quote, which systemd reads as it stands, is changed and restored" {
    take_node kubeadm-1.31
    inside sed -i 's/"$//' "$ENV_FILE"
    inside truncate -s -1 "$ENV_FILE"
    note_files
    run -0 crigate install
    eventually 10 calls_through
    run -0 crigate uninstall
    as_before
}

@test "a file, or a folder, that others than root may write to is not trusted" {
    take_node kubeadm-1.31
    inside chmod 0666 "$ENV_FILE"
    note_files
    refuses "$ENV_FILE" install
    inside chmod 0640 "$ENV_FILE"
    inside chown 12 /var/lib/kubelet
    note_files
    refuses "/var/lib/kubelet" install
}

@test "a symbolic link in place of a file is not followed" {
    take_node kubeadm-1.31
    inside mv "$ENV_FILE" /etc/flags.env
    inside ln -s /etc/flags.env "$ENV_FILE"
    note_files
    refuses "$ENV_FILE" install
}

@test "on a read-only file system nothing is changed" {
    take_node kubeadm-1.31
    inside mount --bind /var/lib/kubelet /var/lib/kubelet
    inside mount -o remount,bind,ro /var/lib/kubelet
    refuses "Read-only file system" install
    eventually 20 calls_directly
}

@test "an immutable file is not changed" {
    take_node kubeadm-1.34
    inside chattr +i /var/lib/kubelet/instance-config.yaml
    refuses "/var/lib/kubelet/instance-config.yaml" install
    inside chattr -i /var/lib/kubelet/instance-config.yaml
    eventually 20 calls_directly
}

# small_disk PATH: PATH is on a file system of its own, with what was there, and full.
small_disk() {
    inside bash -c 'mkdir -p "$1" && cp -a "$1" /tmp/copy && mount -t tmpfs -o size=64k,mode=755 tmpfs "$1" &&
        cp -a /tmp/copy/. "$1" && ! cat /dev/zero >"$1/filler"' "" "$1" 2>/dev/null
}

@test "on a full disk nothing is changed, wherever it is full" {
    take_node kubeadm-1.31
    small_disk /var/lib/kubelet
    note_files
    refuses "No space left on device" install
    eventually 20 calls_directly
    inside umount /var/lib/kubelet
    small_disk /var/lib/crigate
    note_files
    refuses "No space left on device" install
    eventually 20 calls_directly
}

# fill PATH: the file system there gets full.
fill() {
    inside bash -c '! cat /dev/zero >"$1/filler"' "" "$1" 2>/dev/null
}

@test "on full disks crigate is taken out" {
    local folder
    take_node kubeadm-1.34
    inside mkdir -p /var/lib/crigate
    for folder in /var/lib/crigate /var/lib/kubelet; do
        inside bash -c 'cp -a "$1" /tmp/copy && mount -t tmpfs -o size=512k,mode=755 tmpfs "$1" && cp -a /tmp/copy/. "$1" && rm -r /tmp/copy' "" "$folder"
    done
    note_files
    run -0 crigate install
    fill /var/lib/crigate
    fill /var/lib/kubelet
    run -0 crigate uninstall
    inside rm /var/lib/kubelet/filler
    as_before
    # What an install leaves that was cut off at once.
    inside rm /var/lib/crigate/filler
    inside bash -c 'mkdir -m 700 /var/lib/crigate/install && echo half >/var/lib/crigate/install/.journal.json.crigate'
    run -0 crigate uninstall
    has "not installed"
    inside test ! -e /var/lib/crigate/install
}

@test "a runtime map of the owner's that does not fit is shown, and replaced only if that is wanted" {
    take_node kubeadm-1.31
    printf 'listen: unix:///run/other/other.sock\nruntimes:\n  - {name: other, endpoint: "unix:///run/o.sock", primary: true}\n' |
        write /etc/crigate/crigate.yaml
    note_files
    refuses "/etc/crigate/crigate.yaml" install
    has "--replace-map"
    has "+"
    run -0 crigate install --replace-map
    eventually 10 calls_through
    run -0 crigate uninstall
    as_before
}

# crictl_says TEXT: writes crictl's file, as an operator has it.
crictl_says() {
    printf '%b' "$1" | write /etc/crictl.yaml
    note_files
}

@test "crictl that names the runtime is led to crigate, and back, with every other line kept" {
    take_node kubeadm-1.31
    crictl_says '# ours\nruntime-endpoint: "unix:///run/containerd/containerd.sock"\nimage-endpoint: unix:///var/run/containerd/containerd.sock\ntimeout: 10 # seconds\n'
    run -0 crigate install --dry-run
    has "change /etc/crictl.yaml"
    has "+runtime-endpoint: \"unix:///run/crigate/crigate.sock\""
    run -0 crigate install
    [ "$(inside cat /etc/crictl.yaml)" = $'# ours\nruntime-endpoint: "unix:///run/crigate/crigate.sock"\nimage-endpoint: unix:///run/crigate/crigate.sock\ntimeout: 10 # seconds' ]
    run -0 crigate install
    has "Already installed"
    run -0 crigate uninstall --check
    has "/etc/crictl.yaml: as before"
    run -0 crigate uninstall
    as_before
}

@test "crictl's file is made on request only, and one that names another runtime, or is none, stays" {
    take_node kubeadm-1.31
    run -0 crigate install
    run ! inside test -e /etc/crictl.yaml
    run -0 crigate uninstall
    run -0 crigate install --crictl
    [ "$(inside cat /etc/crictl.yaml)" = "runtime-endpoint: unix:///run/crigate/crigate.sock" ]
    run -0 crigate uninstall
    as_before
    crictl_says 'runtime-endpoint: unix:///run/other.sock\n'
    run -0 crigate install --crictl
    [ "$(inside cat /etc/crictl.yaml)" = "runtime-endpoint: unix:///run/other.sock" ]
    run -0 crigate uninstall
    as_before
    crictl_says 'runtime-endpoint: [\n'
    run -0 crigate install
    has "Warning: crictl is left as it is: /etc/crictl.yaml"
    run -0 crigate uninstall
    as_before
    inside rm /etc/crictl.yaml
    inside ln -s /run/elsewhere /etc/crictl.yaml
    note_files
    run -0 crigate install
    has "Warning: crictl is left as it is:"
    has "/etc/crictl.yaml: it is a symbolic link"
    run -0 crigate uninstall
    as_before
}

@test "crictl's file that was changed after the installation stays, and is shown" {
    take_node kubeadm-1.31
    crictl_says 'runtime-endpoint: unix:///run/containerd/containerd.sock\n'
    run -0 crigate install
    echo 'debug: true' | inside tee -a /etc/crictl.yaml
    run -1 crigate uninstall
    has "/etc/crictl.yaml"
    [ "$(inside tail -n 1 /etc/crictl.yaml)" = "debug: true" ]
}
