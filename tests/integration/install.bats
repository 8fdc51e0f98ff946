#!/usr/bin/env bats
# What README says to type: trying it out, and installing it.

load gateway

REPOSITORY=$BATS_TEST_DIRNAME/../..

# make_install OPTION...: `make install` of what was built.
make_install() {
    make --no-print-directory -C "$REPOSITORY" install DESTDIR="$PWD/root" PREFIX=/usr "$@"
}

@test "make install puts everything into place, and builds nothing" {
    local package
    make_install BUILD="$CRIGATE_BUILD"
    [[ $(root/usr/bin/crigate --version) =~ ^crigate ]]
    [ -s root/usr/share/doc/crigate/crigate.yaml ]
    [ -s root/usr/share/doc/crigate/copyright.libxxhash-dev ]
    for package in $(root/usr/bin/crigate version -v | sed -n 's/^package \([^:]*\):.*/\1/p'); do
        [ -s "root/usr/share/doc/crigate/copyright.$package" ]
    done
    grep -q '^ExecStart=/usr/bin/crigate ' root/usr/lib/systemd/system/crigate.service
    [ -s root/usr/lib/systemd/system/crigate.socket ]
    [ -s root/usr/lib/systemd/system/crigate-docker.service ]
    [ -s root/usr/lib/systemd/system/crigate-dockershim.service ]
    grep -q '^ExecStart=/usr/bin/crigate docker-proxy ' root/usr/lib/systemd/system/crigate-docker-proxy.service
    [ "$(stat -c %a root/etc/runtime/hookserver.d)" = 755 ]
    # Pages and completion go along if they were made, the same bytes each time.
    make_install BUILD="$CRIGATE_BUILD" DESTDIR="$PWD/again"
    diff -r root/usr/share again/usr/share
    if [ -d "$CRIGATE_BUILD/man" ]; then
        gunzip -c root/usr/share/man/man8/crigate.8.gz | cmp - "$CRIGATE_BUILD/man/crigate.8"
        [ -s root/usr/share/man/man5/crigate.yaml.5.gz ]
        [ ! -e root/usr/share/man/man1/crisim.1.gz ]
    fi
    if [ -d "$CRIGATE_BUILD/completion" ]; then
        cmp root/usr/share/bash-completion/completions/crigate <(root/usr/bin/crigate completion bash)
        cmp root/usr/share/zsh/site-functions/_crigate <(root/usr/bin/crigate completion zsh)
    fi
    # What is there stays as it is.
    chmod 0700 root/etc/runtime/hookserver.d
    make_install BUILD="$CRIGATE_BUILD"
    [ "$(stat -c %a root/etc/runtime/hookserver.d)" = 700 ]
    run -2 make_install BUILD="$PWD/not-built"
    [[ $output =~ "there is no $PWD/not-built/crigate; build it first, as yourself: make" ]]
    [ ! -e not-built ]
}

@test "systemd-tmpfiles makes the folder of plugins from what is installed" {
    needs "systemd-tmpfiles, as root" eval '[ "$(id -u)" = 0 ] && command -v systemd-tmpfiles'
    make_install BUILD="$CRIGATE_BUILD"
    rm -r root/etc
    mkdir -p root/etc
    cp /etc/passwd /etc/group root/etc
    systemd-tmpfiles --root="$PWD/root" --create crigate.conf
    [ "$(stat -c '%a %u:%g' root/etc/runtime/hookserver.d)" = "755 0:0" ]
}

@test "the units of crigate itself expose little, as systemd sees it" {
    local unit
    for unit in crigate crigate-docker-proxy; do
        run systemd-analyze security --offline=true --no-pager --threshold=20 "$REPOSITORY/deploy/$unit.service"
        [ "$status" = 0 ] || {
            grep -v '^✓' <<<"$output"
            return 1
        }
        [[ $output =~ "Overall exposure level" ]]
    done
}

@test "systemd reads the units for Docker without a complaint, and they keep from cri-dockerd what it does not need" {
    local unit
    for unit in crigate-docker crigate-dockershim; do
        run -0 --separate-stderr systemd-analyze verify --man=no "$REPOSITORY/deploy/$unit.service"
        # Nothing but what is missing on this machine.
        [ -z "$(grep "$unit" <<<"$output$stderr")" ]
        run -0 systemd-analyze security --offline=true --no-pager --threshold=80 "$REPOSITORY/deploy/$unit.service"
        [[ $output =~ "Overall exposure level" ]]
    done
}

# try_it [FILTER]: does what README's "Try it" says to do by hand, with the programs that are built, in this folder.
try_it() {
    # They are built.
    "$REPOSITORY"/tests/docs/commands README.md "Try it" | sed -e '/^make/d' -e "s,/tmp/try,$PWD/try,g" -e "s,build/,$CRIGATE_BUILD/,g" |
        ${1:-cat} >try.bash
    grep -q 'crigate status' try.bash
    rm -f try.log # what runs since the last time writes to that file, wherever it stopped
    timeout 60 bash try.bash >try.log 2>&1 3>&-
}

@test "what README says to try works as it is written, and again" {
    local time
    for time in first second; do
        echo "tried for the $time time"
        try_it
        grep -q 'UNIMPLEMENTED: unknown service runtime.v1.RuntimeService' try.log
        grep -q '"runtimeName": "crisim"' try.log
        grep -q '^old  *primary  *v1_9  *ready ' try.log
        [ ! -S try/crigate.sock ]
    done
}

@test "what README says to try works also where it was not stopped the last time" {
    local pids
    try_it "grep -v ^kill"
    # Of the second two, one finds the socket taken, and the other its lock.
    try_it "grep -v ^kill"
    grep -q '"runtimeName": "crisim"' try.log
    grep -q '^old  *primary  *v1_9  *ready ' try.log
    pids=$(pgrep -f "^$CRIGATE_BUILD/(crisim|crigate) .*$PWD/try/")
    [ "$(wc -w <<<"$pids")" = 2 ]
    # shellcheck disable=SC2086
    kill $pids
    eventually 20 eval '[ ! -S try/crigate.sock ]'
}
