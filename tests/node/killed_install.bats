#!/usr/bin/env bats
# install is killed at each step.

load killed

@test "install, killed as it replaces a file" {
    kill_install "$RENAME" 10
}

@test "install, killed as it has another program do something" {
    kill_install "$AWAIT" 5 7
}
