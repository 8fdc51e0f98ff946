#!/usr/bin/env bats
# install and uninstall are killed at each step on a node whose kubelet has Docker built in.

KILL_FIXTURE=docker-1.22

load killed

@test "install, killed as it replaces a file" {
    kill_install "$RENAME" 10
}

@test "install, killed as it has another program do something" {
    kill_install "$AWAIT" 5 7
}

@test "uninstall, killed as it replaces or removes a file" {
    kill_uninstall "$RENAME,$REMOVE" 5
}

@test "uninstall, killed as it has another program do something" {
    kill_uninstall "$AWAIT" 5 7
}
