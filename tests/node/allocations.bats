#!/usr/bin/env bats
# One allocation of install, or of uninstall, fails: the command says so, or does without, and the next one brings the node back.

load killed

setup_file() {
    mkdir "$BATS_FILE_TMPDIR/build"
    ln -s "$NODE_BUILD"/{crisim,stand_in} "$BATS_FILE_TMPDIR/build"
    ln -s "$NODE_BUILD/crigate_failing" "$BATS_FILE_TMPDIR/build/crigate"
    export NODE_BUILD=$BATS_FILE_TMPDIR/build
}

# without NUMBER ARGUMENT...: runs crigate, whose allocation of that number fails. Fails if crigate had none of that number.
without() {
    inside python3 -c 'import struct, sys; open("/run/counter", "wb").write(struct.pack("QQ", int(sys.argv[1]), 0))' "$1"
    run inside env CRIGATE_ALLOCATIONS=/run/counter crigate "${@:2}"
    echo "without allocation $1, crigate ${*:2} ended with $status: $output"
    if ((status >= 128)) || [ "$status" != 0 ] && ! has memory; then
        exit 1
    fi
    ALLOCATIONS=$(inside python3 -c 'import struct; print(struct.unpack("QQ", open("/run/counter", "rb").read())[1])')
    ((ALLOCATIONS >= $1))
}

# `make test` lets one allocation in a thousand fail, `make test-killed` (KILL_STRIDE=1) one in a hundred.
STRIDE=$((KILL_STRIDE * 101))

@test "install lacks memory" {
    local number=1
    while without "$number" install; do
        run -0 crigate uninstall
        brought_back
        number=$((number + STRIDE))
    done
    ((number > 5 * STRIDE))
    eventually 20 calls_through
}

@test "uninstall lacks memory" {
    local number=1
    run -0 crigate install
    while without "$number" uninstall; do
        run -0 crigate uninstall
        brought_back
        run -0 crigate install
        number=$((number + STRIDE))
    done
    ((number > 3 * STRIDE))
    brought_back
}
