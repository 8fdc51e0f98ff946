#!/usr/bin/env bats
# The commands that README and docs/ tell people to type: a test runs each of them. Those that need a node are in tests/node/docs.bats.

bats_require_minimum_version 1.5.0

: "${CRIGATE_BUILD:?names the folder of the programs}"
REPOSITORY=$BATS_TEST_DIRNAME/../..

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "a test runs every command" {
    run "$REPOSITORY"/tests/docs/commands --check
    [ "$status:$output" = 0: ]
}

@test "a command that no test runs is reported, and one that is gone" {
    mkdir -p tests/docs
    cp -r "$REPOSITORY"/{docs,README.md} .
    cp "$REPOSITORY"/tests/docs/commands tests/docs
    cp -r "$REPOSITORY"/tests/{node,integration,peers} tests
    cp "$BATS_TEST_FILENAME" tests/docs
    cat >>README.md <<'END'

## New section

1. In a list:

       sudo crigate frobnicate | sudo tee /tmp/a

2. As a session, with what it prints:

   ```sh
   $ crigate frobnicate --twice
   frobnicated
   ```

```yaml
not: a command
```
END
    run -1 tests/docs/commands --check
    [ "$output" = 'README.md, section "New section": no test runs its 2 lines, the first of which is: crigate frobnicate | tee /tmp/a' ]
    [ "$(tests/docs/commands README.md New\ section)" = "crigate frobnicate | tee /tmp/a
crigate frobnicate --twice" ]
    sed -i '/^## New section/,$d; s/^## What to expect/## What else/' README.md
    run -1 tests/docs/commands --check
    [[ $output == *'README.md, section "What else": no test runs its 2 lines'* ]]
    [[ $output == *'commands.bats: README.md has no commands in a section "What to expect"' ]]
}

@test "README: what translation loses" {
    PATH=$CRIGATE_BUILD:$PATH
    echo '{"config": {"metadata": {"name": "web", "uid": "1", "namespace": "default"}, "logDirectory": "/var/log/pods"}}' >pod.json
    "$REPOSITORY"/tests/docs/commands README.md "What to expect" >script
    run -0 bash -euo pipefail script
    [[ $output == *"RPCs THAT v1alpha2 LACKS"* ]]
    [[ ${lines[-1]} == "RunPodSandbox from kubelet 1.31 (v1) to containerd 1.5 (v1alpha2): passes whole"* ]]
}

@test "each message that crigate logs at level 1 is in a manual page" {
    "$BATS_TEST_DIRNAME/messages"
}
