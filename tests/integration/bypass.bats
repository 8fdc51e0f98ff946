#!/usr/bin/env bats
# `crigate bypass` and `crigate verify` on a node without a kubelet and without systemd: a namespace whose /etc, /run and /var/lib are empty.
# With both: tests/node.

load gateway

is_root() {
    [ "$(id -u)" = 0 ]
}

# on_node SCRIPT: runs it as the first process of such a node. The test's folder is there, with a runtime that listens at main.sock.
on_node() {
    unshare --mount --pid --fork --kill-child --mount-proc bash -eu -c "
        for folder in /etc /run /var/lib; do mount -t tmpfs -o mode=755 tmpfs \$folder; done
        mkdir /etc/crigate
        cp crigate.yaml /etc/crigate
        crigate() { '$CRIGATE_BUILD/crigate' \"\$@\"; }
        status=0
        $1" 3>&-
}

# node_map: the node's crigate listens where it does by default; its runtimes are the tests'.
node_map() {
    write_map "$@"
    sed -i "s|^listen: .*|listen: unix:///run/crigate/crigate.sock|; s|^state: .*|state: /run/crigate|" crigate.yaml
}

@test "bypass and verify report wrong arguments, and want root" {
    run -64 "$CRIGATE_BUILD/crigate" bypass
    [[ $output =~ "on, off or status is missing" ]]
    run -64 "$CRIGATE_BUILD/crigate" bypass sideways
    run -64 "$CRIGATE_BUILD/crigate" bypass on off
    run -64 "$CRIGATE_BUILD/crigate" bypass on --no-such-option
    run -64 "$CRIGATE_BUILD/crigate" verify stray
    run -64 "$CRIGATE_BUILD/crigate" verify --wait 5
    [[ $output =~ "a time must be a number followed by s or m" ]]
    run -64 "$CRIGATE_BUILD/crigate" verify --wait 61m
    run -64 "$CRIGATE_BUILD/crigate" verify --kubelet 0
    run -64 "$CRIGATE_BUILD/crigate" verify -o xml
    run -0 "$CRIGATE_BUILD/crigate" bypass --help
    run -0 "$CRIGATE_BUILD/crigate" verify --help
    needs root is_root
    run -2 setpriv --reuid 65534 --regid 65534 --clear-groups "$CRIGATE_BUILD/crigate" bypass on
    [[ $output =~ "only root" ]]
    run -2 setpriv --reuid 65534 --regid 65534 --clear-groups "$CRIGATE_BUILD/crigate" verify
    [[ $output =~ "only root" ]]
}

@test "where crigate is not installed, verify says so, and there is no bypass to end" {
    needs root is_root
    start_runtime main v1
    node_map main
    run -2 on_node 'rm /etc/crigate/crigate.yaml; crigate verify'
    [ "$output" = "crigate verify: crigate is not installed on this node, and so not in use; to install it: crigate install" ]
    # The package alone is there.
    run -2 on_node 'crigate verify'
    [ "$output" = "crigate verify: crigate is not in use on this node; to install it: crigate install" ]
    run -2 on_node 'crigate verify -o json 2>verify.err'
    expect '.ok == false and (.checks | length == 1) and .checks[0].next == "crigate install"' "$output"
    run -0 on_node 'crigate bypass off; crigate bypass status'
    [[ $output =~ "no bypass is on"$'\n'off$ ]]
}

@test "without a kubelet, on is refused and changes nothing, unless it is forced" {
    needs root is_root
    start_runtime main v1
    node_map main
    run -2 on_node 'crigate bypass on'
    [[ $output =~ "cannot check which CRI version the kubelet speaks" && $output =~ "nothing was changed; use --force" ]]
    run -0 on_node 'crigate bypass on || test ! -e /run/crigate/crigate.sock -a ! -L /run/crigate/crigate.sock -a ! -e /var/lib/crigate/bypass'
    run -0 on_node '
        crigate bypass on --force || [ $? = 1 ]
        [ "$(readlink /run/crigate/crigate.sock)" = "$PWD/main.sock" ]
        grep -qx "L /run/crigate/crigate.sock - - - - $PWD/main.sock" /etc/tmpfiles.d/crigate-bypass.conf
        crigate call Version | grep -q runtimeName
        crigate bypass status && exit 1 || [ $? = 1 ]
        crigate status 2>status.err && exit 2 || [ $? = 1 ]
        [ ! -s status.err ]
        crigate status -o json >status.json && exit 2 || [ $? = 1 ]
        crigate verify >verify.txt && exit 3 || [ $? = 1 ]
        crigate --config /etc/crigate/crigate.yaml && exit 4 || [ $? = 1 ]
        crigate bypass off || [ $? = 1 ]
        [ ! -L /run/crigate/crigate.sock -a ! -e /var/lib/crigate/bypass -a ! -e /etc/tmpfiles.d/crigate-bypass.conf ]
        crigate bypass status'
    [[ $output =~ "bypassed since 20"[0-9-]+T[0-9:]+Z": /run/crigate/crigate.sock leads to $PWD/main.sock; to end the bypass: crigate bypass off" ]]
    [[ $output == *$'\n'"crigate is bypassed. To end the bypass: crigate bypass off"$'\n'* ]]
    [[ $output =~ "is a symbolic link" && $output =~ "crigate is not a systemd service here" ]]
    expect ".health == \"degraded\" and (.bypass | .link == \"/run/crigate/crigate.sock\" and .target == \"$PWD/main.sock\")" "$(cat status.json)"
    grep -q "^warning  bypass: on since" verify.txt
}

# is_on FILE: where a bypass is written down besides the link; nothing is elsewhere.
IS_ON='is_on() {
    [ "$(readlink /run/crigate/crigate.sock)" = "$PWD/main.sock" ]
    for file in /run/crigate.bypass /var/lib/crigate/bypass /etc/tmpfiles.d/crigate-bypass.conf; do
        case " $* " in *" $file "*) [ -e $file ] ;; *) [ ! -e $file ] ;; esac
    done
}'

@test "on helps while the disk is full or read-only, and is made to last later" {
    local broken
    needs root is_root
    start_runtime main v1
    node_map main
    for broken in "mount -t tmpfs -o mode=755,size=8k tmpfs /var/lib && head -c 8k /dev/zero >/var/lib/filler 2>fill.err || true" \
        "mount -t tmpfs -o mode=755,ro tmpfs /var/lib" "mount -o remount,ro /etc"; do
        echo "$broken"
        run -0 on_node "$IS_ON"'
            mkdir -p /var/lib/crigate /etc/tmpfiles.d
            '"$broken"'
            crigate bypass on --force && exit 1 || [ $? = 1 ]
            is_on /run/crigate.bypass
            crigate call Version | grep -q runtimeName
            crigate bypass status && exit 2 || [ $? = 1 ]
            umount /var/lib; mount -o remount,rw /etc
            crigate bypass on && exit 3 || [ $? = 1 ]
            is_on /var/lib/crigate/bypass /etc/tmpfiles.d/crigate-bypass.conf
            crigate bypass off || [ $? = 1 ]'
        [[ $output =~ "only until the node reboots: once that is fixed, run crigate bypass on again" ]]
        [[ $output =~ "until the node reboots; run crigate bypass on again to make it permanent" ]]
    done
}

@test "off leaves the link where the record cannot be removed" {
    needs root is_root
    start_runtime main v1
    node_map main
    run -0 on_node "$IS_ON"'
        crigate bypass on --force || [ $? = 1 ]
        mount -o remount,ro /var/lib
        crigate bypass off && exit 1 || [ $? = 2 ]
        is_on /var/lib/crigate/bypass /etc/tmpfiles.d/crigate-bypass.conf'
    [[ $output =~ "the bypass stays on" ]]
}

@test "on is refused where the map cannot say what happens to pods" {
    needs root is_root
    start_runtime main v1
    start_runtime vm.local v1 --containers 2
    node_map main vm.local
    run -2 on_node 'crigate bypass on'
    [[ $output =~ "runtime vm.local holds pods (1), which the kubelet would lose" ]]
    run -2 on_node 'crigate bypass on --runtime vm.local'
    [[ $output =~ "the kubelet knows the pods of $PWD/vm.local.sock by prefixed ids" ]]
    run -2 on_node 'crigate bypass on --runtime no.such'
    [[ $output =~ "no.such is neither a runtime of the map nor a socket" ]]
    run -2 on_node 'crigate bypass on --runtime /run/crigate/crigate.sock'
    [[ $output =~ "is crigate's own socket" ]]
    stop vm.local
    run -2 on_node 'crigate bypass on'
    [[ $output =~ "cannot ask runtime vm.local whether it holds pods" ]]
    stop main
    run -2 on_node 'crigate bypass on'
    [[ $output =~ "the runtime at $PWD/main.sock does not answer" ]]
}

@test "with a map that has errors, on wants the runtime's socket, and off refuses" {
    needs root is_root
    start_runtime main v1
    node_map main
    echo "mistake: true" >>crigate.yaml
    run -2 on_node 'crigate bypass on'
    [[ $output =~ "the runtime map cannot be read" && $output =~ "name the runtime's socket" ]]
    run -2 on_node 'crigate bypass on --runtime main.sock'
    run -2 on_node "crigate bypass on --force --runtime '$PWD/main.sock'"
    [[ $output =~ "cannot determine which socket the kubelet uses" ]]
    # One that is on already says where it is.
    run -0 on_node "
        mkdir /var/lib/crigate
        printf 'link /run/crigate/crigate.sock\ntarget $PWD/main.sock\n' >/var/lib/crigate/bypass
        crigate bypass on || [ \$? = 1 ]
        [ \"\$(readlink /run/crigate/crigate.sock)\" = '$PWD/main.sock' ]
        crigate bypass off && exit 1 || [ \$? = 2 ]
        [ -L /run/crigate/crigate.sock -a -e /var/lib/crigate/bypass ]"
    [[ $output =~ "crigate would not start with this runtime map; nothing was changed" ]]
}

@test "two at once are refused" {
    needs root is_root
    start_runtime main v1
    node_map main
    run -2 on_node 'exec 9>/run/crigate.lock; flock 9; crigate bypass on'
    [[ $output =~ "another crigate install, uninstall or bypass is running" ]]
}

@test "a folder that others may write to is no place for the record" {
    needs root is_root
    start_runtime main v1
    node_map main
    run -2 on_node 'mkdir -m 777 /var/lib/crigate; crigate bypass on --force'
    [[ $output =~ "/var/lib/crigate" ]]
    run -0 on_node 'mkdir -m 777 /var/lib/crigate; crigate bypass on --force || [ ! -L /run/crigate/crigate.sock -a ! -e /etc/tmpfiles.d/crigate-bypass.conf ]'
}
