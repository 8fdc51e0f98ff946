#!/usr/bin/env bats
# The Debian packages in a Debian: nothing starts with them, a running crigate is replaced without a failed call, and nothing is left
# when they are purged. Each test goes on where the one before it stopped.

LAB=$PACKAGES_LAB
ROOT=$LAB/root
SOCKET=$ROOT/run/crigate/crigate.sock

bats_require_minimum_version 1.5.0

load ../eventually

setup_file() {
    local architecture
    architecture=$(dpkg --print-architecture)
    new_root
    mkdir "$LAB/debs"
    cp "$PACKAGES_FOLDER/crigate_$(version_here)_$architecture.deb" "$LAB/debs/now.deb"
    cp "$PACKAGES_FOLDER"/before/crigate_0.0.9_"$architecture".deb "$LAB/debs/before.deb"
    other_deb
}

teardown() {
    [ -n "${BATS_TEST_COMPLETED:-}" ] || {
        [ -z "${output:-}" ] || echo "$output"
        [ ! -e "$LAB/systemd.pid" ] || within journalctl --no-pager --unit crigate.service --lines 50 || true
    }
}

teardown_file() {
    [ ! -e "$LAB/systemd.pid" ] || kill -KILL "$(cat "$LAB/systemd.pid")"
}

# ---- the Debian ----

# new_root: an untouched one.
new_root() {
    ! mountpoint --quiet "$ROOT" || umount --recursive "$ROOT"
    rm -rf "$LAB/upper" "$LAB/work"
    mkdir -p "$LAB/upper" "$LAB/work" "$ROOT"
    mount -t overlay -o "lowerdir=$PACKAGES_FOLDER/root,upperdir=$LAB/upper,workdir=$LAB/work" overlay "$ROOT"
    mount -t tmpfs -o mode=755 tmpfs "$ROOT/run"
    cp "$PACKAGES_BUILD/crisim" "$ROOT/usr/local/bin"
    # As piuparts does; dpkg's own records of what it did are no concern of a package.
    echo force-unsafe-io >"$ROOT/etc/dpkg/dpkg.cfg.d/unsafe-io"
    mkdir -p "$ROOT/debs"
}

version_here() {
    sed -nE '1s/^crigate \(([^)]*)\).*/\1/p' "$BATS_TEST_DIRNAME/../../debian/changelog"
}

# other_deb: today's package with a program that speaks another version of the takeover.
other_deb() {
    dpkg-deb --raw-extract "$LAB/debs/now.deb" "$LAB/other"
    cp "$PACKAGES_BUILD/crigate_other_takeover" "$LAB/other/usr/bin/crigate"
    sed -i 's/^Version: .*/&+other/' "$LAB/other/DEBIAN/control"
    dpkg-deb --build "$LAB/other" "$LAB/debs/other.deb" >/dev/null
    rm -r "$LAB/other"
}

# inside COMMAND...: in the Debian as a folder, without a systemd.
inside() {
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive "$(command -v chroot)" "$ROOT" "$@"
}

# within COMMAND...: in the booted one.
within() {
    nsenter --target "$(pgrep --parent "$(cat "$LAB/systemd.pid")")" --mount --pid --uts --root --wd \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive CRIGATE_REMOVE="${CRIGATE_REMOVE:-}" "$@"
}

# install_in HOW NAME: installs that package. A map that was edited stays, as with the default answer to dpkg's question.
install_in() {
    cp "$LAB/debs/$2.deb" "$ROOT/debs/crigate.deb"
    "$1" dpkg --force-confold --install /debs/crigate.deb
}

# all_files: of the Debian, with owner, mode and content; without those in which dpkg writes down what it did.
all_files() {
    (cd "$ROOT" && find . -xdev \( -path ./var/lib/dpkg -o -path ./var/log -o -path ./debs -o -path ./var/cache -o -path ./run \) -prune -o \
        \( -printf '%P %u:%g %m %l\n' -type f -fprint0 "$LAB/files" \) && xargs --null sha256sum <"$LAB/files") | sort
}

start_systemd() {
    mkdir -p "$LAB/cgroup$PACKAGES_CGROUP"
    cat >"$ROOT/etc/systemd/system/containerd.service" <<-'UNIT'
		[Service]
		ExecStart=/usr/local/bin/crisim --listen unix:///run/containerd/containerd.sock --api v1 --name containerd --containers 3 --slow RunPodSandbox=15000
		RuntimeDirectory=containerd
		[Install]
		WantedBy=multi-user.target
	UNIT
    ln -s ../containerd.service "$ROOT/etc/systemd/system/multi-user.target.wants/containerd.service"
    sh -c "echo \$\$ >'$LAB/cgroup$PACKAGES_CGROUP/cgroup.procs' &&
        exec unshare --mount --pid --cgroup --uts --fork --kill-child --mount-proc '$BATS_TEST_DIRNAME/boot' '$LAB'" \
        >"$LAB/systemd.log" 2>&1 3>&- </dev/null &
    echo $! >"$LAB/systemd.pid"
    eventually 60 within systemctl is-active --quiet multi-user.target
}

# ---- the service ----

# service PROPERTY: of crigate.service, as systemd has it.
service() {
    within systemctl show --property "$1" --value crigate.service
}

# runs: the version of the program that the service runs.
runs() {
    within "/proc/$(service MainPID)/exe" --version
}

# call METHOD [REQUEST]
call() {
    "$PACKAGES_BUILD/crigate" call --endpoint "unix://$SOCKET" --timeout 60s "$@"
}

containers() {
    call ListContainers | jq -r '.containers[].id' | sort
}

# begin_calls: two callers as kubelets are, which keep their connections; their results are in calls.1 and calls.2.
begin_calls() {
    "$PACKAGES_BUILD/steady_caller" "unix://$SOCKET" 50 ListContainers >"$LAB/calls.1" 3>&- &
    CALLERS=$!
    "$PACKAGES_BUILD/steady_caller" "unix://$SOCKET" 50 >"$LAB/calls.2" 3>&- &
    CALLERS="$CALLERS $!"
    sleep 0.5
}

# end_calls [MOST]: fails if more calls of one of them failed than that, or any.
end_calls() {
    sleep 0.5
    # shellcheck disable=SC2086
    kill $CALLERS
    # shellcheck disable=SC2086
    wait $CALLERS || return 1
    cat "$LAB/calls.1" "$LAB/calls.2"
    jq -es --argjson most "${1:-0}" 'length == 2 and all(.[]; .calls > 10 and .failed <= $most)' "$LAB/calls.1" "$LAB/calls.2"
}

# ---- as a folder ----

@test "the package has what it says, and nothing is enabled" {
    dpkg-deb --info "$LAB/debs/now.deb" | grep -q '^ Provides: criproxy$'
    dpkg-deb --info "$LAB/debs/now.deb" | grep -q '^ Conflicts: criproxy, criproxy-nodeps$'
    [ -z "$(dpkg-deb --contents "$LAB/debs/now.deb" | grep ' \./lib/')" ] # which is a link
    dpkg-deb --info "$LAB/debs/now.deb" | grep -q '^ Built-Using: .*glibc (= '
    run ! eval 'dpkg-deb --info "$LAB/debs/now.deb" | grep "^ Depends:"'
    all_files >"$LAB/untouched"
    [ "$(wc -l <"$LAB/untouched")" -gt 1000 ]
    install_in inside now
    inside /usr/bin/crigate --check-config /etc/crigate/crigate.yaml
    [[ $(inside /usr/bin/criproxy -help) =~ "crigate criproxy" ]]
    [ "$(stat -c '%a %U:%G' "$ROOT/var/lib/crigate")" = "755 root:root" ]
    [ "$(stat -c '%a %U:%G' "$ROOT/etc/crigate/crigate.yaml")" = "644 root:root" ]
    inside dpkg-query --show --showformat='${Conffiles}' crigate | grep -q /etc/crigate/crigate.yaml
    inside test -f /etc/apparmor.d/crigate -a -f /usr/lib/systemd/system/crigate.service -a -f /usr/lib/systemd/system/crigate.socket
    inside test -f /usr/lib/systemd/system/crigate-docker.service -a -f /usr/lib/systemd/system/crigate-dockershim.service \
        -a -f /usr/lib/systemd/system/crigate-docker-proxy.service
    [ -z "$(inside find /etc/systemd -name 'crigate*')" ]
    inside test -s /usr/share/man/man8/crigate.8.gz -a -s /usr/share/man/man5/crigate.yaml.5.gz
    [ -z "$(inside find /usr/share/man -name 'crisim*')" ]
    inside test -s /usr/share/bash-completion/completions/crigate -a -s /usr/share/zsh/vendor-completions/_crigate
    inside test -x /usr/libexec/crigate/crigate-problem -a -s /usr/share/crigate/prometheus/rules.yaml -a -s /usr/share/crigate/grafana/crigate.json \
        -a -s /usr/share/crigate/drop-ins/metrics.conf -a -s /usr/share/crigate/drop-ins/audit.conf -a -s /usr/share/crigate/logrotate/crigate
    local path
    for path in $(jq -r '.rules[].path' "$ROOT/usr/share/crigate/node-problem-detector/crigate-monitor.json"); do
        inside test -x "$path"
    done
    local package
    for package in $(inside crigate version -v | sed -n 's/^package \([^:]*\):.*/\1/p'); do
        inside test -s "/usr/share/doc/crigate/copyright.$package"
    done
}

@test "removed, its configuration stays; purged, nothing does" {
    inside dpkg --remove crigate
    [ -e "$ROOT/etc/crigate/crigate.yaml" ]
    [ ! -e "$ROOT/usr/bin/crigate" ]
    inside dpkg --purge crigate
    diff "$LAB/untouched" <(all_files)
}

@test "upgraded, downgraded and purged, nothing stays" {
    install_in inside before
    [[ $(inside crigate --version) = "crigate 0.0.9" ]]
    echo "# edited" >>"$ROOT/etc/crigate/crigate.yaml"
    install_in inside now
    grep -qx "# edited" "$ROOT/etc/crigate/crigate.yaml"
    install_in inside before
    grep -qx "# edited" "$ROOT/etc/crigate/crigate.yaml"
    # The package before does not know all units of this one, whose state systemd's helper keeps.
    install_in inside now
    inside dpkg --purge crigate
    diff "$LAB/untouched" <(all_files)
}

@test "beside criproxy, dpkg does not install it" {
    mkdir -p "$LAB/criproxy/DEBIAN"
    printf '%s\n' 'Package: criproxy' 'Version: 1' 'Architecture: all' 'Maintainer: Nobody <nobody@crigate.example>' 'Description: stand-in' >"$LAB/criproxy/DEBIAN/control"
    dpkg-deb --build "$LAB/criproxy" "$ROOT/debs/criproxy.deb"
    inside dpkg --install /debs/criproxy.deb
    run ! install_in inside now
    [[ $output =~ conflict ]]
    inside dpkg --purge criproxy
    rm "$ROOT/debs/criproxy.deb"
    inside dpkg --purge crigate
}

@test "apt installs it as README says" {
    local typed
    typed=$("$BATS_TEST_DIRNAME"/../docs/commands README.md "Put it on a node" | grep '^apt ')
    cp "$LAB/debs/now.deb" "$ROOT/root/crigate_0_any.deb"
    inside sh -c "cd /root && $typed"
    inside crigate --check-config /etc/crigate/crigate.yaml
    inside apt-get --yes purge crigate
}

# ---- booted ----

@test "installed on a running node, it changes nothing there" {
    new_root
    start_systemd
    all_files >"$LAB/untouched"
    install_in within before
    [ "$(service LoadState) $(service ActiveState) $(service UnitFileState)" = "loaded inactive disabled" ]
    [ "$(within systemctl is-active crigate.socket)" = inactive ]
    [ ! -e "$ROOT/run/crigate" ]
    [ "$(within stat -c '%a %U:%G' /etc/runtime/hookserver.d)" = "755 root:root" ]
}

@test "an upgrade while it is not running starts nothing" {
    install_in within now
    [ "$(service ActiveState)" = inactive ]
    install_in within before
    [ "$(service ActiveState)" = inactive ]
}

@test "an upgrade takes over without a failed call, and knows the containers" {
    within systemctl enable --now crigate.service
    before=$(service MainPID)
    known=$(containers)
    [ "$(wc -l <<<"$known")" = 3 ]
    [ "$(runs)" = "crigate 0.0.9" ]
    begin_calls
    run install_in within now
    end_calls
    [ "$status" = 0 ]
    [[ $output =~ "version $(version_here), has taken over from process $before, version 0.0.9; no call failed" ]]
    [ "$(runs)" = "crigate $(version_here)" ]
    [ "$(service MainPID)" != "$before" ]
    [ "$(service NRestarts)" = 0 ]
    [ "$(containers)" = "$known" ]
    # What the reload was for the takeover is what it was before.
    [[ $(service ExecReload) =~ "crigate reload --config" ]]
    [[ ! $(service ExecReload) =~ take-over ]]
    eventually 60 eval '! within test -e /proc/'"$before"
}

@test "a downgrade to the package before does, too" {
    before=$(service MainPID)
    begin_calls
    run install_in within before
    end_calls
    [ "$status" = 0 ]
    [[ $output =~ "version 0.0.9, has taken over from process $before, version $(version_here); no call failed" ]]
    [ "$(runs)" = "crigate 0.0.9" ]
    eventually 60 eval '! within test -e /proc/'"$before"
}

@test "if the new version refuses the map, the old process keeps serving, and the reason is printed" {
    before=$(service MainPID)
    cp "$ROOT/etc/crigate/crigate.yaml" "$LAB/map"
    echo 'mistake: true' >>"$ROOT/etc/crigate/crigate.yaml"
    begin_calls
    run install_in within now
    end_calls
    [ "$status" != 0 ]
    [[ $output =~ "mistake" ]]
    [[ $output =~ "version $(version_here) refuses the runtime map; process $before, version 0.0.9, keeps serving" ]]
    [ "$(service MainPID)" = "$before" ]
    [ "$(runs)" = "crigate 0.0.9" ]

    cp "$LAB/map" "$ROOT/etc/crigate/crigate.yaml"
    begin_calls
    within dpkg --force-confold --configure crigate
    end_calls
    [ "$(runs)" = "crigate $(version_here)" ]
}

@test "while the runtime is away, it takes over as well" {
    known=$(containers)
    before=$(service MainPID)
    within systemctl stop containerd.service
    run install_in within before
    within systemctl start containerd.service
    [ "$status" = 0 ]
    [[ $output =~ "version 0.0.9, has taken over from process $before" ]]
    eventually 30 call Version
    [ "$(containers)" = "$known" ]
}

@test "while the process before is still creating a pod, the next upgrade waits" {
    call RunPodSandbox '{"config": {"metadata": {"name": "slow", "uid": "1", "namespace": "default"}}}' >"$LAB/created" 3>&- &
    creation=$!
    sleep 0.5
    install_in within now
    before=$(service MainPID)
    run install_in within before
    [ "$status" = 0 ]
    [[ $output =~ "version 0.0.9, has taken over from process $before" ]]
    wait "$creation"
    jq -e .podSandboxId "$LAB/created"
    [ "$(runs)" = "crigate 0.0.9" ]
    within journalctl --no-pager --unit crigate.service | grep -q "cannot take over: .*still creating"
    install_in within now
}

@test "without a common version of the takeover, the service is restarted" {
    before=$(service MainPID)
    run install_in within other
    [ "$status" = 0 ]
    [[ $output =~ "cannot take over from version $(version_here): the running crigate $(version_here) speaks takeover version 1, not 1000" ]]
    [[ $output =~ "connections are refused for a moment, as crigate.socket is not active" ]]
    [ "$(service MainPID)" != "$before" ]
    within cat "/proc/$(service MainPID)/exe" | cmp - "$PACKAGES_BUILD/crigate_other_takeover"
    [ "$(containers | wc -l)" = 3 ]
}

# call_anew: until a file `enough` appears, calls over a new connection each; prints how calls failed.
call_anew() {
    while [ ! -e "$LAB/enough" ]; do
        call --compact Version 2>&1 >/dev/null || true
    done
}

@test "with crigate.socket, new connections wait during that restart" {
    within systemctl stop crigate.service
    within systemctl enable --now crigate.socket
    call Version
    before=$(service MainPID)
    call_anew >"$LAB/failures" 3>&- &
    anew=$!
    begin_calls
    install_in within now >"$LAB/installed"
    grep -q "new connections wait in crigate.socket meanwhile" "$LAB/installed"
    # A call that is under way when the old process ends is cancelled.
    end_calls 1
    touch "$LAB/enough"
    wait "$anew"
    cat "$LAB/failures"
    run ! grep -E 'refused|no such' "$LAB/failures"
    run ! grep -v CANCELLED "$LAB/failures"
    [ "$(service MainPID)" != "$before" ]
    [ "$(runs)" = "crigate $(version_here)" ]
}

@test "with crigate.socket, an upgrade takes over as well" {
    before=$(service MainPID)
    install_in within before
    [ "$(service MainPID)" != "$before" ]
    begin_calls
    run install_in within now
    end_calls
    [[ $output =~ "no call failed" ]]
}

@test "it is not removed while 'crigate install' is in force, unless somebody insists" {
    local process
    process=$(service MainPID)
    within mkdir -p -m 700 /var/lib/crigate/install
    within sh -c 'echo installed >/var/lib/crigate/install/journal'
    run ! within dpkg --remove crigate
    [[ $output =~ "not removed: 'crigate install' pointed this node's kubelet at it" ]]
    [[ $output =~ "Run 'crigate uninstall'" ]]
    [ "$(service MainPID)" = "$process" ]
    call Version

    CRIGATE_REMOVE=anyway within dpkg --remove crigate
    run ! call Version
    run within dpkg --purge crigate
    [ "$status" = 0 ]
    [[ $output =~ "/var/lib/crigate stays" ]]
    within test -s /var/lib/crigate/install/journal
    within rm -r /var/lib/crigate
}

# has_callers COUNT
has_callers() {
    within crigate status --output json | gojq -e --argjson count "$1" '.callers | length == $count'
}

@test "it is not removed while a kubelet calls it that was pointed at it by hand" {
    local process
    install_in within now
    within systemctl start crigate.service
    process=$(service MainPID)
    # A program of that name that keeps its connection.
    cp "$PACKAGES_BUILD/crigate" "$ROOT/usr/local/bin/kubelet"
    within /usr/local/bin/kubelet call --endpoint unix:///run/crigate/crigate.sock GetContainerEvents >"$LAB/kubelet.log" 2>&1 3>&- &
    kubelet=$!
    eventually 10 has_callers 1
    run ! within dpkg --remove crigate
    [[ $output =~ "not removed: this node's kubelet, process "([0-9]+)", calls it" ]]
    [ "$(service MainPID)" = "$process" ]
    # Its number in there: who started it is only its parent.
    within sh -c "kill ${BASH_REMATCH[1]}"
    wait "$kubelet" || true
    eventually 10 has_callers 0
    rm "$ROOT/usr/local/bin/kubelet"
    within dpkg --purge crigate
}

@test "removed and purged on a running node, nothing stays" {
    install_in within now
    within systemctl enable --now crigate.socket
    within systemctl enable --now crigate.service
    call Version
    within dpkg --remove crigate
    [ "$(service LoadState)" != loaded ] || [ "$(service ActiveState)" = inactive ]
    run ! call Version
    within dpkg --purge crigate
    [ ! -e "$ROOT/run/crigate" ]
    diff "$LAB/untouched" <(all_files)
}

# ---- the tarball ----

@test "the tarball installs below its prefix, and starts nothing" {
    tar --extract --gzip --file "$PACKAGES_FOLDER/crigate-$(version_here)-linux-$(dpkg --print-architecture).tar.gz" --directory "$ROOT/opt"
    all_files >"$LAB/untouched"
    within sh -c '/opt/crigate-*/install.sh'
    [[ $(within /usr/local/bin/crigate --version) =~ ^crigate ]]
    [ "$(service LoadState) $(service ActiveState) $(service UnitFileState)" = "loaded inactive disabled" ]
    [[ $(service ExecStart) =~ path=/usr/local/bin/crigate ]]
    [ "$(within stat -c '%a %U:%G' /var/lib/crigate)" = "755 root:root" ]
}

@test "installed over a running crigate, it takes over without a failed call" {
    within systemctl enable --now crigate.service
    before=$(service MainPID)
    begin_calls
    run within sh -c '/opt/crigate-*/install.sh'
    end_calls
    [ "$status" = 0 ]
    [[ $output =~ "has taken over from process $before".*"no call failed" ]]
    [ "$(service MainPID)" != "$before" ]
}

@test "removed, it leaves the runtime map alone" {
    within sh -c 'echo installed >/var/lib/crigate/journal && mkdir /var/lib/crigate/install && mv /var/lib/crigate/journal /var/lib/crigate/install'
    run ! within sh -c '/opt/crigate-*/install.sh --uninstall'
    [[ $output =~ "Run 'crigate uninstall'" ]]
    call Version
    within rm -r /var/lib/crigate/install
    within sh -c '/opt/crigate-*/install.sh --uninstall'
    run ! call Version
    [ "$(service LoadState)" = not-found ]
    within rm -r /etc/crigate /var/lib/crigate
    within rmdir /etc/runtime/hookserver.d /etc/runtime
    diff "$LAB/untouched" <(all_files)
}
