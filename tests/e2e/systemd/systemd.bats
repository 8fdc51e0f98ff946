#!/usr/bin/env bats
# The units of deploy/ under a systemd: started by the socket, ready when the runtime is, reloaded, taken over, watched, restarted.
# Each test goes on where the one before it stopped.

FOLDER=$LAB/systemd
SOCKET=/run/crigate/crigate.sock

setup_file() {
    load ../terminal.bash
    mkdir -p "$FOLDER"/{units/crigate.service.d,map}
    map >"$FOLDER/map/crigate.yaml"
    units
    lab_point_crictl "$SOCKET"
    start_systemd
}

setup() {
    load ../terminal.bash
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || within systemctl status crigate.service crigate.socket --no-pager || true
}

teardown_file() {
    load ../terminal.bash
    remove_pods
    lab_stop systemd KILL || true
    find "$LAB/cgroup$LAB_CGROUP/systemd" -depth -type d -exec rmdir {} +
    cp "$FOLDER/crigate.log" "$LAB/crigate.log"
}

# map: without a primary, crigate is not ready for longer than a test takes.
map() {
    printf 'listen: unix://%s\nlimits: {startup_grace: 100s}\nruntimes:\n%s\n' "$SOCKET" "$(lab_containerd_in_map auto)"
}

# units: those of deploy/ as they are, what the tests add to them, and what stands for the units of a whole system.
# The watchdog is fed twice in its time: a service that is only slow has half of it.
# LeakSanitizer would trace the process, which the unit forbids.
units() {
    local target
    cp "$BATS_TEST_DIRNAME"/../../../deploy/{crigate,crigate-docker,crigate-dockershim}.service "$BATS_TEST_DIRNAME"/../../../deploy/crigate.socket \
        "$FOLDER/units"
    for target in basic multi-user shutdown sockets sysinit umount; do
        printf '[Unit]\nDefaultDependencies=no\n' >"$FOLDER/units/$target.target"
    done
    cat >"$FOLDER/units/crigate.service.d/tests.conf" <<END
[Service]
WatchdogSec=12
StandardOutput=append:$FOLDER/crigate.log
StandardError=append:$FOLDER/crigate.log
ExecStopPost=+/bin/sh -c 'echo \$SERVICE_RESULT >>$FOLDER/results'
Environment=ASAN_OPTIONS=detect_leaks=0
END
}

# start_systemd: in a cgroup of its own, which it takes for the root of all.
start_systemd() {
    mkdir -p "$LAB/cgroup"
    mount -t cgroup2 cgroup2 "$LAB/cgroup"
    mkdir -p "$LAB/cgroup$LAB_CGROUP/systemd"
    lab_daemon systemd sh -c "echo \$\$ >'$LAB/cgroup$LAB_CGROUP/systemd/cgroup.procs' &&
        exec unshare --mount --pid --cgroup --uts --fork --kill-child --mount-proc '$BATS_TEST_DIRNAME/boot' '$FOLDER'"
    lab_wait 30 within systemctl is-active --quiet multi-user.target
}

# within COMMAND...: runs it where systemd is the first process. It does not listen to others.
within() {
    nsenter --target "$(pgrep --parent "$(cat "$LAB/systemd.pid")")" --mount --pid "$@"
}

# inside COMMAND...: runs it with the view of files that the service has, and root's powers.
inside() {
    within nsenter --target "$(service MainPID)" --mount "$@"
}

# drop_in TEXT: has the service started with these lines in a drop-in; without, with none.
drop_in() {
    rm -f "$FOLDER/units/crigate.service.d/needed.conf"
    [ -z "${1:-}" ] || printf '[Service]\n%s\n' "$1" >"$FOLDER/units/crigate.service.d/needed.conf"
    within systemctl daemon-reload
    within systemctl restart crigate.service
}

# documented WORDS: the drop-in that docs/operations.md names in the row that begins with these words.
documented() {
    sed -nE "s/^\| $1[^|]*\| \`([^\`]*)\`.*/\1/p" "$BATS_TEST_DIRNAME/../../../docs/operations.md"
}

# ready RUNTIME: whether crigate has it ready.
ready() {
    "$E2E_BUILD/crigate" status -o json --config "$FOLDER/map/crigate.yaml" |
        jq -e --arg name "$1" 'any(.runtimes[]; .name == $name and .state == "ready")'
}

# service PROPERTY: of crigate.service, as systemd has it.
service() {
    within systemctl show --property "$1" --value crigate.service
}

# service_is PROPERTY VALUE
service_is() {
    [ "$(service "$1")" = "$2" ]
}

# call METHOD [REQUEST]: waits for the answer, as who connects to a socket that nobody accepts from does.
call() {
    "$E2E_BUILD/crigate" call --endpoint "unix://$SOCKET" --timeout 60s "$@"
}

# another_process PID: whether the service runs as a process that is not that one.
another_process() {
    service_is SubState running && ! service_is MainPID "$1"
}

# fed_after TIME: whether the watchdog was, in what systemd counts.
fed_after() {
    [ "$(service WatchdogTimestampMonotonic)" -gt "$1" ]
}

# is_up: whether crigate answers at its control socket, ready or not.
is_up() {
    "$E2E_BUILD/crigate" status --config "$FOLDER/map/crigate.yaml" | grep -q containerd
}

# results: how processes of the service have ended, a word each.
results() {
    [ ! -e "$FOLDER/results" ] || xargs <"$FOLDER/results"
}

@test "systemd has nothing to say against the units" {
    run -0 within env SYSTEMD_UNIT_PATH="$FOLDER/units" systemd-analyze verify --man=no "$FOLDER"/units/crigate*.{service,socket}
    [ -z "$output" ]
}

@test "the first call to the socket starts the service, and is answered" {
    within systemctl start crigate.socket
    service_is ActiveState inactive
    [ "$(call Version | jq -r .runtimeName)" = containerd ]
    service_is ActiveState active
    [ "$(stat -c '%a %U:%G' "$SOCKET")" = "660 root:root" ]
}

@test "the service carries crictl's calls, and is confined as its unit says" {
    crictl pull "$BUSYBOX"
    pod=$(run_pod watched)
    run_container "$pod" watched 'sleep 600'
    [[ $(within cat "/proc/$(service MainPID)/cgroup") =~ /system.slice/crigate.service ]]
    process=$(service MainPID)
    for line in NoNewPrivs:.1 CapEff:.0000000000000001 CapBnd:.0000000000000001 Seccomp:.2; do
        within grep -qx "$line" "/proc/$process/status"
    done
    within grep -Eq '^Max core file size +0 +0 ' "/proc/$process/limits"
    run ! inside touch /etc/crigate/mine /usr/mine /run/mine
    [ "$(grep -c 'Read-only file system' <<<"$output")" = 3 ]
    inside sh -c 'touch /run/crigate/mine && rm /run/crigate/mine'
}

# Without powers, as the service: what it reads of containers' cgroups is open to all, if it sees them.
@test "the service sees the node's cgroups, and changes none" {
    [ "$(inside stat --file-system --format %T /sys/fs/cgroup)" = cgroup2fs ]
    run -0 inside setpriv --bounding-set -all --inh-caps -all cat /sys/fs/cgroup/init.scope/cgroup.stat
    [[ $output =~ nr_descendants ]]
    run ! inside mkdir /sys/fs/cgroup/mine
}

@test "a reload is one for systemd, and its errors fail it" {
    process=$(service MainPID)
    within systemctl reload crigate.service
    echo 'mistake: true' >>"$FOLDER/map/crigate.yaml"
    run ! within systemctl reload crigate.service
    service_is ActiveState active
    map >"$FOLDER/map/crigate.yaml"
    within systemctl reload crigate.service
    service_is MainPID "$process"
    crictl version
}

# journald is started for this test alone: the others read the log as a file.
@test "journalctl finds what is wrong by its priority, and calls by their fields" {
    cp /lib/systemd/system/systemd-journald{.service,.socket,-dev-log.socket} "$FOLDER/units"
    printf '[Service]\nStandardError=journal\n' >"$FOLDER/units/crigate.service.d/to_journal.conf"
    within systemctl daemon-reload
    within systemctl start systemd-journald.service
    within systemctl restart crigate.service
    run -5 call ContainerStatus '{"containerId":"nowhere"}'
    within journalctl --sync
    # What is as it should be is there, and is no warning.
    within journalctl -u crigate.service -p notice -o cat | grep -q 'runtime containerd: ready'
    within journalctl -u crigate.service -p warning -o cat >"$FOLDER/warnings"
    run ! grep -qE 'serves unix|: ready' "$FOLDER/warnings"
    grep -q '^ContainerStatus .*code=NOT_FOUND' "$FOLDER/warnings"
    [ "$(within journalctl -u crigate.service CRIGATE_METHOD=ContainerStatus CRIGATE_RUNTIME=containerd -o json |
        jq -r '[.PRIORITY, .CRIGATE_CODE, .SYSLOG_IDENTIFIER] | join(" ")')" = "4 NOT_FOUND crigate" ]
    rm "$FOLDER/units/crigate.service.d/to_journal.conf"
    within systemctl daemon-reload
    within systemctl restart crigate.service
    within systemctl stop systemd-journald.service systemd-journald.socket systemd-journald-dev-log.socket
    rm "$FOLDER"/units/systemd-journald*
    within systemctl daemon-reload
    rm "$FOLDER/results" # of the two restarts
}

@test "systemctl status shows the health and the runtimes in one line" {
    lab_wait 20 service_is StatusText 'well: containerd ready (primary)'
}

@test "with the drop-in of docs/takeover.md, a reload replaces the process and fails no call" {
    sed -n '/^    \[Service\]$/,/^$/ s/^    //p' "$BATS_TEST_DIRNAME/../../../docs/takeover.md" >"$FOLDER/units/crigate.service.d/takeover.conf"
    grep -q -- '--takeover' "$FOLDER/units/crigate.service.d/takeover.conf"
    within systemctl daemon-reload
    process=$(service MainPID)
    container=$(crictl ps --quiet --label container=watched)
    crictl exec --sync "$container" sh -c 'sleep 3; echo to the end' >"$FOLDER/long" &
    long=$!
    lab_wait 10 crictl exec --sync "$container" pgrep sleep

    within systemctl reload crigate.service
    lab_wait 30 another_process "$process"
    crictl exec --sync "$container" echo here
    wait "$long"
    [ "$(cat "$FOLDER/long")" = "to the end" ]
    # systemd does not tell this process that there is a watchdog, and yet it must be fed.
    for time in first second; do
        echo "to be fed for the $time time"
        fed=$(service WatchdogTimestampMonotonic)
        lab_wait 20 fed_after "$fed"
    done
    service_is NRestarts 0
    [ -z "$(results)" ]
    rm "$FOLDER/units/crigate.service.d/takeover.conf"
    within systemctl daemon-reload
}

@test "a process that hangs is ended by the watchdog and replaced" {
    process=$(service MainPID)
    within systemctl kill --kill-whom=main --signal=STOP crigate.service
    lab_wait 40 another_process "$process"
    crictl version
    [ "$(results)" = watchdog ]
    service_is NRestarts 1
    [ "$(crictl ps --quiet --label container=watched | wc -l)" = 1 ]
}

@test "a process that is killed is replaced; who calls meanwhile waits, and is answered" {
    process=$(service MainPID)
    within systemctl kill --kill-whom=main --signal=KILL crigate.service
    [ "$(call Version | jq -r .runtimeName)" = containerd ]
    lab_wait 30 another_process "$process"
    [ "$(results)" = "watchdog signal" ]
    service_is NRestarts 2
}

@test "it is not ready before the runtime is" {
    within systemctl stop crigate.socket crigate.service
    [ "$(results)" = "watchdog signal success" ]
    lab_stop containerd
    within systemctl start --no-block crigate.service
    lab_wait 20 is_up
    service_is ActiveState activating
    lab_containerd
    lab_wait 30 service_is ActiveState active
}

@test "without its socket unit it makes the socket itself, and takes it away" {
    [ -S "$SOCKET" ]
    crictl version
    within systemctl stop crigate.service
    [ ! -e "$SOCKET" ]
    [ "$(results)" = "watchdog signal success success" ]
    within systemctl start crigate.service
    crictl version
}

@test "the socket gets the group that the map says" {
    map | sed "s,^listen: .*,listen: {address: \"unix://$SOCKET\"\, group: \"1\"}," >"$FOLDER/map/crigate.yaml"
    within systemctl restart crigate.service
    [ "$(stat -c '%a %u:%g' "$SOCKET")" = "660 0:1" ]
    map >"$FOLDER/map/crigate.yaml"
    within systemctl restart crigate.service
}

@test "bare paths of an old runtime lead to the address of the default route" {
    ip address add 192.0.2.7/24 dev lo
    ip route add default via 192.0.2.1 dev lo
    lab_daemon bare "$E2E_BUILD/crisim" --listen "unix://$LAB/bare.sock" --api v1_9 --name bare --containers 1 --stream-url-style path
    { map; printf '  - name: bare\n    endpoint: unix://%s/bare.sock\n' "$LAB"; } >"$FOLDER/map/crigate.yaml"
    within systemctl reload crigate.service
    lab_wait 20 ready bare
    id=$(call ListContainers '{"filter": {"state": {"state": "CONTAINER_RUNNING"}}}' | jq -r '.containers[].id | select(startswith("bare__"))')
    [[ $(call Exec "{\"containerId\": \"$id\", \"cmd\": [\"sh\"], \"stdout\": true}" | jq -r .url) == http://192.0.2.7:11250/* ]]
}

@test "a socket of another user's needs the drop-in that --check-config and the manual name" {
    chown 1 "$LAB/bare.sock"
    chmod 0600 "$LAB/bare.sock"
    within systemctl restart crigate.service
    lab_wait 20 is_up
    run ! ready bare
    lab_wait 20 grep -q "runtime bare: nothing answers at .*bare.sock yet: crigate has no permission to use it (see crigate --check-config)" "$FOLDER/crigate.log"
    run -0 "$E2E_BUILD/crigate" --check-config "$FOLDER/map/crigate.yaml"
    line=$(documented "the socket of a runtime that is another user's")
    [ -n "$line" ]
    [[ $output =~ "for runtime bare, crigate.service needs a drop-in with $line in [Service]" ]]
    drop_in "$line"
    lab_wait 20 ready bare
}

@test "a socket elsewhere needs the drop-in that --check-config and the manual name" {
    mkdir -p "$LAB/elsewhere"
    map | sed "s,^listen: .*,listen: \"unix://$LAB/elsewhere/crigate.sock\"," >"$FOLDER/map/crigate.yaml"
    run ! drop_in
    grep -q "cannot start: .*elsewhere.*Read-only file system; .*ReadWritePaths=" "$FOLDER/crigate.log"
    run -0 "$E2E_BUILD/crigate" --check-config "$FOLDER/map/crigate.yaml"
    line=$(documented '`listen` in another folder')
    line=${line/FOLDER/$LAB/elsewhere}
    [[ $output =~ "for listen it needs a drop-in with $line in [Service]" ]]
    drop_in "$line"
    lab_answers "$LAB/elsewhere/crigate.sock"
    map >"$FOLDER/map/crigate.yaml"
    drop_in
}

# metrics: what crigate serves at its port.
metrics() (
    exec 9<>/dev/tcp/127.0.0.1/9464
    printf 'GET /metrics HTTP/1.0\r\n\r\n' >&9
    cat <&9
)

@test "a port for metrics needs the drop-in that --check-config, the log and the status name" {
    local drop_ins=$BATS_TEST_DIRNAME/../../../deploy/drop-ins commands
    { map; echo 'metrics: {listen: "127.0.0.1:9464"}'; } >"$FOLDER/map/crigate.yaml"
    drop_in
    lab_wait 20 grep -q "metrics: cannot create a socket for 127.0.0.1:9464: .* without metrics.conf, see crigate --check-config" "$FOLDER/crigate.log"
    run -0 "$E2E_BUILD/crigate" status --config "$FOLDER/map/crigate.yaml"
    [[ $output =~ "metrics: not served: cannot create a socket for 127.0.0.1:9464: " ]]
    run ! metrics
    # The command writes what the file has.
    run -0 "$E2E_BUILD/crigate" --check-config "$FOLDER/map/crigate.yaml"
    commands=$(sed -n 's/^.* note: crigate.service has no network: .* in \[Service\]: //p' <<<"$output")
    [[ $commands =~ ^printf\ [^|]+\|\ install\ .*/crigate.service.d/metrics.conf\ \&\&\ systemctl\ daemon-reload\ \&\&\ systemctl\ restart\ crigate$ ]]
    diff <(eval "${commands%%|*}") <(grep -v '^#' "$drop_ins/metrics.conf")
    drop_in "$(grep -v -e '^#' -e '^\[' "$drop_ins/metrics.conf")"
    lab_wait 20 eval 'metrics | grep -q "^crigate_worker_up 1"'
    "$E2E_BUILD/crigate" status --config "$FOLDER/map/crigate.yaml" | (! grep "not served")
    map >"$FOLDER/map/crigate.yaml"
    drop_in
}

@test "a Unix socket for metrics in /run/crigate needs no drop-in" {
    { map; echo 'metrics: {listen: "unix:///run/crigate/metrics.sock"}'; } >"$FOLDER/map/crigate.yaml"
    within systemctl reload crigate.service
    lab_wait 20 test -S /run/crigate/metrics.sock
    run -0 "$E2E_BUILD/crigate" --check-config "$FOLDER/map/crigate.yaml"
    [[ ! $output =~ metrics ]]
    map >"$FOLDER/map/crigate.yaml"
    within systemctl reload crigate.service
}

# audited NAME FILE: whether the file has the line of that pod.
audited() {
    within jq -se --arg name "$1" 'any(.[]; .method == "RunPodSandbox" and .metadata.name == $name and .code == "OK")' "/var/log/crigate/$2"
}

# lost: how many lines of the audit file are.
lost() {
    "$E2E_BUILD/crigate" status -o json --config "$FOLDER/map/crigate.yaml" | jq .audit.lost
}

@test "the audit file needs the drop-in that --check-config and the manual name, and is written" {
    { map; echo 'audit: {path: /var/log/crigate/audit.log}'; } >"$FOLDER/map/crigate.yaml"
    drop_in
    lab_wait 20 grep -q "audit: cannot open /var/log/crigate/audit.log: " "$FOLDER/crigate.log"
    lab_wait 20 crictl version
    run -0 "$E2E_BUILD/crigate" --check-config "$FOLDER/map/crigate.yaml"
    line=$(documented '`audit.path` in `')
    [[ $output =~ "for audit.path, crigate.service needs a drop-in with $line in [Service]" ]]
    grep -qx "$line" "$BATS_TEST_DIRNAME/../../../deploy/drop-ins/audit.conf"
    drop_in "$(grep -v -e '^#' -e '^\[' "$BATS_TEST_DIRNAME/../../../deploy/drop-ins/audit.conf")"
    lab_wait 20 crictl version
    run_pod noted
    lab_wait 20 audited noted audit.log
    [ "$(within stat -c '%a %U:%G' /var/log/crigate /var/log/crigate/audit.log)" = $'750 root:root\n600 root:root' ]
    # The unit hides other processes: who called has no name.
    within jq -se 'all(.[]; .caller.uid == 0 and (.caller | has("pid")) and (.caller | has("program") | not))' /var/log/crigate/audit.log
    [ "$(lost)" = 0 ]
}

@test "what logrotate does has the audit file made again" {
    local rotation
    rotation=$(sed -n '/postrotate/,/endscript/{//!p}' "$BATS_TEST_DIRNAME/../../../deploy/logrotate/crigate")
    within mv /var/log/crigate/audit.log /var/log/crigate/audit.log.1
    within sh -ec "$rotation"
    lab_wait 20 within test -e /var/log/crigate/audit.log
    run_pod rotated
    lab_wait 20 audited rotated audit.log
    run ! audited rotated audit.log.1
    audited noted audit.log.1
    [ "$(within stat -c %a /var/log/crigate/audit.log)" = 600 ]
}

@test "a full disk below the audit file fails no call; what is lost is counted, and written again is what comes when there is room" {
    within mount -t tmpfs -o size=4k,mode=750 tmpfs /var/log/crigate
    within systemctl kill --signal=USR1 crigate.service
    lab_wait 20 within test -e /var/log/crigate/audit.log
    for number in {1..60}; do
        run -5 call StartContainer '{"containerId": "there-is-none"}'
    done
    # A thread of its own writes: calls do not wait for it.
    lab_wait 20 eval '[ "$(lost)" -gt 0 ]'
    [ "$(within stat -c %s /var/log/crigate/audit.log)" = 4096 ]
    "$E2E_BUILD/crigate" status --config "$FOLDER/map/crigate.yaml" | grep -q "^audit: /var/log/crigate/audit.log, [1-9][0-9]* lines lost$"
    [ "$(grep -c "audit: cannot write to /var/log/crigate/audit.log: No space left on device\|: no space left" "$FOLDER/crigate.log")" -ge 1 ]
    within mount -o remount,size=1m /var/log/crigate
    known=$(lost)
    run_pod roomy
    lab_wait 20 eval 'within grep -q roomy /var/log/crigate/audit.log'
    [ "$(lost)" = "$known" ]
    map >"$FOLDER/map/crigate.yaml"
    drop_in
    within umount /var/log/crigate
}

# logged TEXT COUNT: whether the log has that text COUNT times.
logged() {
    [ "$(grep -cF -- "$1" "$FOLDER/crigate.log")" = "$2" ]
}

# koordlet_file: the file with which koordlet names itself, as it writes it.
koordlet_file() {
    printf '{\n\t"remote-endpoint": "/var/run/koordlet/koordlet.sock",\n\t"failure-policy": "Ignore",\n\t"runtime-hooks": [\n\t\t"PreRunPodSandbox"\n\t]\n}'
}

@test "the folder of plugins need not exist; the service cannot make it, and sees it appear" {
    { map; echo 'hooks: true'; } >"$FOLDER/map/crigate.yaml"
    within systemctl restart crigate.service
    within test ! -e /etc/runtime
    service_is ActiveState active
    run -0 within /usr/bin/crigate --check-config /etc/crigate/crigate.yaml
    [[ $output =~ "/etc/runtime/hookserver.d does not exist, and crigate.service may not create it: " ]]

    within systemd-tmpfiles --create "$BATS_TEST_DIRNAME/../../../deploy/crigate.tmpfiles.conf"
    [ "$(within stat -c '%a %U:%G' /etc/runtime/hookserver.d)" = "755 root:root" ]
    run ! inside touch /etc/runtime/hookserver.d/mine
    within sh -c 'cat >/etc/runtime/hookserver.d/koordlet.json' < <(koordlet_file)
    lab_wait 20 logged "plugin koordlet.json: registered: PreRunPodSandbox at unix:///var/run/koordlet/koordlet.sock, " 1
    # With inotify, and not only because a missing folder is looked for.
    within rm /etc/runtime/hookserver.d/koordlet.json
    lab_wait 20 logged "plugin koordlet.json: removed: " 1
    within sh -c 'umask 077; cat >/etc/runtime/hookserver.d/koordlet.json' < <(koordlet_file)
    lab_wait 20 logged "plugin koordlet.json: registered: " 2
}

@test "a file of another user's is told, since the service has not root's powers" {
    # In one piece, lest it be seen while it is still root's.
    within sh -c 'cat >/etc/runtime/other.json; chown 1 /etc/runtime/other.json; mv /etc/runtime/other.json /etc/runtime/hookserver.d' \
        < <(koordlet_file)
    lab_wait 20 logged "plugin other.json: not used: it belongs to user 1; give it to root (chown root)" 1
    within chown 0 /etc/runtime/hookserver.d/other.json
    lab_wait 20 logged "plugin other.json: registered: " 1
    within chmod 0 /etc/runtime/hookserver.d/other.json
    lab_wait 20 logged "plugin other.json: cannot be read: Permission denied" 1
    logged "plugin other.json: the file's previous content stays in force until it is corrected" 1
    within rm /etc/runtime/hookserver.d/other.json
    lab_wait 20 logged "plugin other.json: removed: " 1
}

@test "what is mounted there later, with the folder in it, is seen" {
    within rm -r /etc/runtime/hookserver.d
    lab_wait 20 logged "plugin koordlet.json: removed: " 2
    within mount -t tmpfs -o mode=755 tmpfs /etc/runtime
    within mkdir -m 755 /etc/runtime/hookserver.d
    within sh -c 'cat >/etc/runtime/hookserver.d/koordlet.json' < <(koordlet_file)
    inside test -e /etc/runtime/hookserver.d/koordlet.json
    lab_wait 20 logged "plugin koordlet.json: registered: " 3
}

# plugin_is FILTER: whether jq's filter is true of the plugin, as crigate has it.
plugin_is() {
    "$E2E_BUILD/crigate" hooks -o json --config "$FOLDER/map/crigate.yaml" | jq -e ".plugins[0] | .name == \"koordlet.json\" and ($1)"
}

@test "a plugin whose socket comes later is in reach of the service, and is called" {
    inside test ! -e /var/run/koordlet
    mkdir /run/koordlet
    lab_daemon koordlet "$E2E_BUILD/hooksim" --listen unix:///run/koordlet/koordlet.sock \
        --set 'PreRunPodSandbox:annotations[seen.by]=koordlet'
    lab_wait 30 plugin_is '.state == "ready"'
    pod=$(run_pod hooked)
    plugin_is '.calls == 1 and .failures == 0'
    [ "$(crictl inspectp "$pod" | jq -r '.status.annotations["seen.by"]')" = koordlet ]
}

# stand_in: for cri-dockerd and kubelet: says in `arguments` how it was started, and serves the socket that it is to. It says that it is
# ready in another process than its own.
stand_in() {
    cat >"$FOLDER/stand-in" <<END
#!/bin/sh
printf '%s\\n' "\$@" >$FOLDER/arguments
for option; do
    case \$option in --container-runtime-endpoint=*) endpoint=\${option#*=} ;; esac
done
systemd-notify --ready
exec "$E2E_BUILD/crisim" --listen "\$endpoint" --api v1 --name stand-in
END
    chmod +x "$FOLDER/stand-in"
    mkdir -p "$FOLDER/units/crigate-docker.service.d"
    printf '[Service]\nNotifyAccess=all\nEnvironment=ASAN_OPTIONS=detect_leaks=0\n' >"$FOLDER/units/crigate-docker.service.d/tests.conf"
    within systemctl daemon-reload
}

# docker_is ENDPOINT: whether crigate has the runtime ready there.
docker_is() {
    "$E2E_BUILD/crigate" status -o json --config "$FOLDER/map/crigate.yaml" |
        jq -e --arg endpoint "unix://$1" '.runtimes[0] | .state == "ready" and .resolvedEndpoint == $endpoint and .runtimeName == "stand-in"'
}

@test "crigate-docker.service runs cri-dockerd with options of its own and the operator's, where docker finds it" {
    stand_in
    printf 'listen: unix://%s\nlimits: {startup_grace: 1s}\nruntimes: [{name: docker, endpoint: docker, primary: true}]\n' "$SOCKET" \
        >"$FOLDER/map/crigate.yaml"
    printf 'CRI_DOCKERD=%s\nCRI_DOCKERD_FLAGS="--cni-bin-dir=/usr/lib/cni --container-runtime-endpoint=unix:///run/other.sock"\n' "$FOLDER/stand-in" \
        >"$FOLDER/map/docker.env"
    within systemctl restart crigate.service
    within systemctl start crigate-docker.service
    lab_wait 30 docker_is /run/crigate-docker/cri-dockerd.sock
    diff "$FOLDER/arguments" - <<END
--cri-dockerd-root-directory=/var/lib/cri-dockerd
--network-plugin=cni
--streaming-bind-addr=127.0.0.1
--cni-bin-dir=/usr/lib/cni
--container-runtime-endpoint=unix:///run/other.sock
--container-runtime-endpoint=unix:///run/crigate-docker/cri-dockerd.sock
END
    [ "$(within stat -c '%a %U:%G' /run/crigate-docker)" = "700 root:root" ]
    within systemctl kill --signal=KILL crigate-docker.service
    lab_wait 30 docker_is /run/crigate-docker/cri-dockerd.sock
    # A stop leaves no socket behind.
    within systemctl stop crigate-docker.service
    within test ! -e /run/crigate-docker
}

@test "crigate-dockershim.service runs a kubelet's dockershim; a whole kubelet's options take neither its port nor its socket" {
    printf 'KUBELET=%s\nDOCKERSHIM_FLAGS="--cgroup-driver=systemd --port=10250 --container-runtime-endpoint=unix://%s"\n' "$FOLDER/stand-in" "$SOCKET" \
        >"$FOLDER/map/docker.env"
    within systemctl start crigate-dockershim.service
    lab_wait 30 docker_is /run/dockershim.sock
    diff "$FOLDER/arguments" - <<END
--cgroup-driver=systemd
--port=10250
--container-runtime-endpoint=unix://$SOCKET
--experimental-dockershim
--port=11250
--container-runtime-endpoint=unix:///var/run/dockershim.sock
END
    # Without an environment file, it is the kubelet of the node.
    rm "$FOLDER/map/docker.env" "$FOLDER/arguments"
    within cp "$FOLDER/stand-in" /usr/bin/kubelet
    within systemctl restart crigate-dockershim.service
    # The status may still be that of the process before.
    lab_wait 30 grep -qxF -- --container-runtime-endpoint=unix:///var/run/dockershim.sock "$FOLDER/arguments"
    lab_wait 30 docker_is /run/dockershim.sock
    diff "$FOLDER/arguments" - <<END
--experimental-dockershim
--port=11250
--container-runtime-endpoint=unix:///var/run/dockershim.sock
END
    within systemctl stop crigate-dockershim.service
}
