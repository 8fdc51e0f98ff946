#!/usr/bin/env bats
# What README says to type: trying it out, and installing it.

load gateway

REPOSITORY=$BATS_TEST_DIRNAME/../..

# make_install OPTION...: `make install` of what was built.
make_install() {
    make --no-print-directory -C "$REPOSITORY" install DESTDIR="$PWD/root" PREFIX=/usr "$@"
}

@test "make install puts everything into place, and builds nothing" {
    make_install BUILD="$CRIGATE_BUILD"
    [[ $(root/usr/bin/crigate --version) =~ ^crigate ]]
    [ -s root/usr/share/doc/crigate/crigate.yaml ]
    grep -q '^ExecStart=/usr/bin/crigate ' root/usr/lib/systemd/system/crigate.service
    [ -s root/usr/lib/systemd/system/crigate.socket ]
    run -2 make_install BUILD="$PWD/not-built"
    [[ $output =~ "there is no $PWD/not-built/crigate; build it first, as yourself: make" ]]
    [ ! -e not-built ]
}
