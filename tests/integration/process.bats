#!/usr/bin/env bats
# crigate as a program: its options, its socket, and how it ends.

load gateway

crigate() {
    "$CRIGATE_BUILD/crigate" "$@"
}

# ---- options ----

@test "--help and --version answer on standard output" {
    run -0 --separate-stderr crigate --help
    [[ $output =~ "Usage: crigate" && -z $stderr ]]
    run -0 --separate-stderr crigate --version
    [[ $output =~ ^crigate\ [0-9]+\.[0-9]+\.[0-9]+$ && -z $stderr ]]
}

@test "version -v prints what runs in the program: the libraries' versions and, if it is static, the packages'" {
    local library packages=0 name version
    run -0 --separate-stderr crigate version
    [ "$output" = "$(crigate --version)" ]
    run -0 --separate-stderr crigate version -v
    [[ ${lines[0]} = "$(crigate --version)" && -z $stderr ]]
    for library in libprotobuf-c=protobuf-c yaml-0.1=libyaml json-c=json-c libxxhash=xxHash gpr="C core"; do
        grep -qx "${library#*=}: $(pkg-config --modversion "${library%%=*}")" <<<"$output"
    done
    grep -qE "^abseil: $(pkg-config --modversion absl_base)\.[0-9]+$" <<<"$output"
    grep -qx "glibc: $(getconf GNU_LIBC_VERSION | cut -d' ' -f2)" <<<"$output"
    while read -r name version; do
        [ "$version" = "$(dpkg-query --show --showformat='${Version}' "$name")" ]
        packages=$((packages + 1))
    done < <(sed -n 's/^package \(.*\): /\1 /p' <<<"$output")
    if readelf --program-headers "$CRIGATE_BUILD/crigate" | grep -q INTERP; then
        grep -qx "linked: dynamic" <<<"$output"
        [ "$packages" = 0 ]
    else
        grep -qx "linked: static" <<<"$output"
        ! command -v dpkg-query || [ "$packages" -ge 9 ]
    fi
    run -64 crigate version stray
    [[ $output =~ "crigate version: unexpected argument: stray; see crigate version --help" ]]
    run -1 --separate-stderr bash -c "'$CRIGATE_BUILD/crigate' version -v >/dev/full"
}

@test "wrong arguments are reported, and the exit status is 64" {
    run -64 crigate --no-such-option
    run -64 crigate stray
    [[ $output == "crigate: no command 'stray'; see crigate --help" ]]
    run -64 crigate statsu
    [[ $output == "crigate: no command 'statsu'; did you mean 'status'? See crigate --help" ]]
    run -64 crigate --print-config stray
    [[ $output == "crigate: unexpected argument: stray; see crigate --help" ]]
    run -64 crigate --print-confgi
    [[ $output == "crigate: unknown option --print-confgi; did you mean --print-config? See crigate --help" ]]
    run -64 crigate status --control
    [[ $output == "crigate status: --control needs a value: PATH; see crigate status --help" ]]
    # An option that another subcommand has.
    run -64 crigate reload -o json
    [[ $output == "crigate reload: unknown option -o; see crigate reload --help" ]]
    run -64 crigate -v 6
    [[ $output =~ "the verbosity must be a number from 0 to 5: 6" ]]
    run -64 crigate -v -1
    run -64 crigate -v ''
    run -64 crigate --log-format xml
    [[ $output =~ "the log format must be text or json: xml" ]]
    run -64 crigate --config
}

@test "a good map is reported as good" {
    write_map main "vm.local, handlers: [kvm]"
    run -0 crigate --check-config crigate.yaml
    [[ $output =~ "crigate.yaml: good, 2 runtimes, primary main" ]]
    run -0 crigate --check-config "$BATS_TEST_DIRNAME/../../deploy/crigate.yaml"
}

@test "--check-config reports what a good map needs beyond the unit" {
    write_map main
    run -0 crigate --check-config crigate.yaml
    [[ $output =~ "crigate.service may write to /run/crigate only: for listen it needs a drop-in with ReadWritePaths=$PWD in [Service]" ]]
    [[ $output =~ "for state it needs a drop-in with ReadWritePaths=$PWD/state in [Service]" ]]
    # The unit has ReadOnlyPaths=/run, which would win.
    sed "s,unix://$PWD/crigate.sock,unix:///run/other.sock," crigate.yaml >run.yaml
    run -0 crigate --check-config run.yaml
    [[ $output =~ "for listen it needs a drop-in with ReadOnlyPaths= and ReadWritePaths=/run in [Service]" ]]
    [[ ! $output =~ CAP_DAC_OVERRIDE ]]
    [[ ! $output =~ audit ]]
    { cat crigate.yaml; echo 'audit: {path: /var/log/crigate/audit.log}'; } >audit.yaml
    run -0 crigate --check-config audit.yaml
    [[ $output =~ "for audit.path, crigate.service needs a drop-in with LogsDirectory=crigate in [Service]" ]]
    sed -i 's,/var/log/crigate,/srv/audits,' audit.yaml
    run -0 crigate --check-config audit.yaml
    [[ $output =~ "for audit.path it needs a drop-in with ReadWritePaths=/srv/audits in [Service]" ]]
    start_runtime main v1
    [ "$(id -u)" != 0 ] || chown 1 main.sock
    chmod 0600 main.sock
    run -0 crigate --check-config crigate.yaml
    # Without root's powers, the tests' folder itself may be in the way.
    [ "$(id -u)" != 0 ] || [[ $output =~ "main.sock belongs to user 1 and has mode 0600" ]]
    [[ $output =~ "for runtime main, crigate.service needs a drop-in with CapabilityBoundingSet=CAP_DAC_OVERRIDE" ]]
    chmod 0666 main.sock
    run -0 crigate --check-config crigate.yaml
    [ "$(id -u)" != 0 ] || [[ ! $output =~ CAP_DAC_OVERRIDE ]]
    # What needs nothing is told nothing.
    run -0 crigate --check-config "$BATS_TEST_DIRNAME/../../deploy/crigate.yaml"
    [ "${#lines[@]}" = 1 ]
}

@test "all errors in the map are reported by file, line and column, and the exit status is 78" {
    cat >crigate.yaml <<'END'
listen: unix:///run/x.sock
runtimes:
  - name: main
    endpoint: unix:///run/main.sock
    primry: true
  - name: bad__name
    endpoint: run/relative.sock
END
    for option in --check-config --config; do
        run -78 crigate $option crigate.yaml
        [[ $output =~ "crigate.yaml:5:5: ".*"did you mean \"primary\"?" ]]
        [[ $output =~ "crigate.yaml:6:11: ".*"bad__name" ]]
        [[ $output =~ "crigate.yaml:7:15: ".*"relative path" ]]
        [[ $output =~ "primary" ]]
    done
}

@test "a map that is missing, not YAML, or a folder is reported" {
    run -78 crigate --config nowhere.yaml
    [[ $output =~ "nowhere.yaml".*"No such file" ]]
    printf 'listen: [' >crigate.yaml
    run -78 crigate --check-config crigate.yaml
    [[ $output =~ "crigate.yaml:"[0-9]+:[0-9]+: ]]
    run -78 crigate --check-config .
    head -c 100000 /dev/urandom >crigate.yaml
    run -78 crigate --check-config crigate.yaml
}

@test "a map that is not a file is reported at once" {
    mkfifo crigate.yaml
    for option in --check-config --config; do
        run -78 timeout 20 "$CRIGATE_BUILD/crigate" $option crigate.yaml
        [[ $output =~ "crigate.yaml: cannot be read: it is a FIFO" ]]
    done
}

@test "what --print-config prints is the map in force, and means the same when read again" {
    write_map main 'vm.local, handlers: {kvm: qemu, plain: ""}, stream_url: "http://127.0.0.1:1/", api: v1_12'
    run -0 --separate-stderr crigate --config crigate.yaml --print-config
    echo "$output" >printed.yaml
    [ -z "$stderr" ]
    grep -q 'mode: "0660"' printed.yaml
    grep -q 'annotation: kubernetes.io/target-runtime' printed.yaml
    grep -q 'message_size: 64MiB' printed.yaml
    run -0 --separate-stderr crigate --config printed.yaml --print-config
    [ "$(grep -v '^#' <<<"$output")" = "$(grep -v '^#' printed.yaml)" ]
}

# ---- the socket ----

@test "the socket is for its owner and group by default" {
    write_map main
    start_crigate
    [ "$(stat -c '%a %F' crigate.sock)" = "660 socket" ]
    stop crigate
    # Only root may give a file to a group that is not its own.
    local group
    group=$(id -g)
    [ "$(id -u)" != 0 ] || group=1
    sed -i "s/^listen: {/&mode: \"0600\", group: \"$group\", /" crigate.yaml
    start_crigate
    [ "$(stat -c '%a %g' crigate.sock)" = "600 $group" ]
}

@test "a group that it may not give the socket to is reported, with advice" {
    local group=0 powerless=()
    if [ "$(id -u)" = 0 ]; then
        group=1
        powerless=(setpriv --bounding-set=-chown --inh-caps=-chown --clear-groups)
    fi
    write_map main
    sed -i "s/^listen: {/&group: \"$group\", /" crigate.yaml
    run -1 timeout 20 "${powerless[@]}" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output =~ "cannot start: cannot give $PWD/crigate.sock to the group $group of listen.group: Operation not permitted" ]]
    [[ $output =~ "it needs CAP_CHOWN, or must be in that group: ".*"SocketGroup= in crigate.socket" ]]
    # A group of its own needs nothing.
    sed -i "s/group: \"$group\"/group: \"$(id -g)\"/" crigate.yaml
    start crigate "${powerless[@]}" "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 15 serves
}

@test "a second instance refuses to start, and leaves the first alone" {
    start_runtime main v1
    write_map main
    start_node
    run -1 timeout 10 "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output =~ "cannot start: another crigate owns ".*"crigate.sock" ]]
    call Version
}

@test "a socket that another program listens on is left alone" {
    start_runtime main v1
    write_map main
    start other "$CRIGATE_BUILD/crisim" --listen "unix://$PWD/crigate.sock" --api v1 --name other
    eventually 15 grep -q "listening on" other.log
    run -1 timeout 10 "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output =~ "cannot start: another program listens on ".*"crigate.sock" ]]
    expect '.runtimeName == "other"' "$(call Version)"
}

@test "limits that leave no room to work are reported at the start" {
    write_map main
    run -71 timeout 20 bash -c 'ulimit -n 8; exec "$0" --config crigate.yaml' "$CRIGATE_BUILD/crigate"
    [[ $output == "crigate: the process may open only 8 files; it needs 32: raise ulimit -n, or LimitNOFILE= of the unit" ]]
    if plain_build; then
        run -71 timeout 20 bash -c 'ulimit -v 60000; exec "$0" call Version' "$CRIGATE_BUILD/crigate"
        [[ $output == "crigate: the process may use too little memory; "*": raise ulimit -v, or LimitAS= of the unit" ]]
    fi
}

@test "a socket of another program is left alone, whatever its type and however full its queue is" {
    local type
    write_map main
    for type in SOCK_STREAM SOCK_SEQPACKET SOCK_DGRAM; do
        rm -f crigate.sock ready
        start other python3 -c "
import signal, socket
own = socket.socket(socket.AF_UNIX, socket.$type)
own.bind('crigate.sock')
callers = []
if socket.$type != socket.SOCK_DGRAM:
    own.listen(0)
    try:
        while True:
            callers.append(socket.socket(socket.AF_UNIX, socket.$type))
            callers[-1].setblocking(False)
            callers[-1].connect('crigate.sock')
    except BlockingIOError:
        pass
open('ready', 'w').close()
signal.pause()"
        eventually 15 test -e ready
        run -1 timeout 10 "$CRIGATE_BUILD/crigate" --config crigate.yaml
        [[ $output =~ "cannot start: another program listens on ".*"crigate.sock" ]]
        [ -S crigate.sock ]
        crash other
    done
}

@test "a socket file that was left over is replaced, anything else is not" {
    start_runtime main v1
    write_map main
    start_node
    crash crigate
    [ -S crigate.sock ]
    rm crigate.log
    start_node
    call Version
    stop crigate
    echo precious >crigate.sock
    run -1 timeout 10 "$CRIGATE_BUILD/crigate" --config crigate.yaml
    [[ $output =~ "crigate.sock exists and is not a socket" ]]
    [ "$(cat crigate.sock)" = precious ]
}

@test "a link in the place of the socket, as a bypass makes it, is left alone and explained" {
    write_map main
    start_runtime main v1
    ln -s main.sock crigate.sock
    run -1 crigate --config crigate.yaml
    [[ $output =~ "crigate.sock is a symbolic link, such as \`crigate bypass on\` creates; run \`crigate bypass off\`, or remove it" ]]
    [ "$(readlink crigate.sock)" = main.sock ]
}

@test "the folder of the socket is made" {
    write_map main
    sed -i "s|unix://$PWD/crigate.sock|unix://$PWD/new/crigate.sock|" crigate.yaml
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 test -S new/crigate.sock
}

# ---- signals, from the beginning ----

# waits PID: whether it is crigate by now, and sleeps.
waits() {
    [ "/proc/$1/exe" -ef "$CRIGATE_BUILD/crigate" ] && grep -q '^State:.S' "/proc/$1/status"
}

# The map is warned of on a pipe that is full, so that crigate is still about to read it.
@test "a signal that comes while the map is read counts as soon as it can" {
    start_runtime main v1
    write_map main
    sed -i 's/^listen: {/&mode: "0666", /' crigate.yaml
    for signal in HUP TERM; do
        rm -f said reader.log
        mkfifo said
        exec 7<>said
        dd if=/dev/zero of=said bs=64k count=1 iflag=fullblock oflag=nonblock status=none
        "$CRIGATE_BUILD/crigate" --config crigate.yaml 2>&7 3>&- 7>&- &
        PIDS[crigate]=$!
        eventually 15 waits "${PIDS[crigate]}"
        kill -"$signal" "${PIDS[crigate]}"
        start reader cat said 7>&-
        exec 7>&-
        if [ "$signal" = HUP ]; then
            eventually 15 grep -qa "the runtime map was reloaded" reader.log
            stop crigate
        else
            finish crigate
            grep -qa "signal: Terminated" reader.log
        fi
        finish reader
    done
}

# ---- the end ----

@test "SIGTERM lets running calls finish, takes no new ones, removes the socket, and ends with 0" {
    start_runtime main v1 --containers 3
    start_runtime slow.local v1 --containers 3 --hang ListContainers --hang ListPodSandbox
    write_map main slow.local
    start_node
    # The list has the primary's part at once, and waits for the other's.
    start_call running ListContainers
    eventually 10 eval '[ "$(asked slow.local ListContainers)" -ge 1 ]' # the gateway itself is still waiting for the list of pods
    kill -TERM "${PIDS[crigate]}"
    eventually 10 grep -q "stopping; 1 calls in flight" crigate.log
    run -14 call --timeout 10s Version
    finish running
    expect '.containers | length == 3' "$(cat running.log)"
    finish crigate
    [ ! -e crigate.sock ]
}

@test "a call that does not finish within the shutdown grace is cancelled" {
    start_runtime main v1 --hang StopPodSandbox
    write_map main
    add_to_map 'limits: {shutdown_grace: 300ms}'
    start_node
    start_call hanging StopPodSandbox '{"podSandboxId":"x"}'
    eventually 10 eval '[ "$(asked main StopPodSandbox)" = 1 ]'
    stop crigate
    grep -q "1 calls did not end in time; cancelling them" crigate.log
    eventually 10 ended hanging
    run wait "${PIDS[hanging]}"
    unset "PIDS[hanging]"
    eventually 10 eval '[ "$(arrived main StopPodSandbox | jq -r .code)" = CANCELLED ]'
}

@test "SIGTERM right after the start, and with idle connections, ends well" {
    start_runtime main v1
    write_map main gone.local
    for _ in 1 2 3; do
        start_crigate
        stop crigate
    done
    start crigate "$CRIGATE_BUILD/crigate" --config crigate.yaml
    eventually 10 test -S crigate.sock
    stop crigate
    start_crigate
    start idle socat -u UNIX-CONNECT:crigate.sock -
    eventually 5 test -e "/proc/${PIDS[idle]}/fd/5" || true
    stop crigate
    eventually 10 ended idle
    unset "PIDS[idle]"
}
