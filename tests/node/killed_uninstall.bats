#!/usr/bin/env bats
# uninstall is killed at each step.

load killed

@test "uninstall, killed as it replaces a file" {
    kill_uninstall "$RENAME" 3
}

@test "uninstall, killed as it removes a file" {
    kill_uninstall "$REMOVE" 3
}

@test "uninstall, killed as it has another program do something" {
    kill_uninstall "$AWAIT" 3 11
}
