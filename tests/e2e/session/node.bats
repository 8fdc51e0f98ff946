#!/usr/bin/env bats
# What a person asks first on a node.

setup() {
    load ../terminal.bash
}

@test "version tells the runtime's name and version" {
    run -0 crictl version
    [[ $output =~ "RuntimeName:  containerd" ]]
    [[ $output =~ "RuntimeVersion:  $(containerd --version | cut -d' ' -f3)" ]]
    [[ $output =~ "RuntimeApiVersion:  v1" ]]
}

@test "info tells that runtime and network are ready" {
    run -0 crictl info
    [ "$(field '.status.conditions[] | select(.type == "RuntimeReady") | .status' "$output")" = true ]
    [ "$(field '.status.conditions[] | select(.type == "NetworkReady") | .status' "$output")" = true ]
}

@test "info carries the runtime's own configuration" {
    run -0 crictl info
    [ "$(field .config.sandboxImage "$output")" = registry.k8s.io/pause:e2e ]
    [ "$(field .config.restrictOOMScoreAdj "$output")" = true ]
}

@test "imagefsinfo names a directory of the runtime that exists" {
    run -0 crictl imagefsinfo
    directory=$(field '.status.imageFilesystems[0].fsId.mountpoint' "$output")
    [ "$directory" = "$LAB/containerd/root/io.containerd.snapshotter.v1.overlayfs" ]
    [ -d "$directory" ]
}
