#!/usr/bin/env bats
# Images come from a real registry, whose name is docker.io to the runtime.

setup_file() {
    load ../terminal.bash
    crictl rmi "$BUSYBOX" || true
}

setup() {
    load ../terminal.bash
}

@test "an image that is not there is not found" {
    run ! crictl inspecti docker.io/library/absent:e2e
    [[ $output =~ "no such image" ]]
}

@test "pull fetches an image and tells its id" {
    run -0 crictl pull "$BUSYBOX"
    [[ $output =~ "Image is up to date for sha256:" ]]
    id=${output##* }
    run -0 crictl inspecti "$BUSYBOX"
    [ "$(field .status.id "$output")" = "$id" ]
}

@test "pull by a digest fetches the same image" {
    digest=$(crictl inspecti "$BUSYBOX" | jq -r '.status.repoDigests[0]')
    [[ $digest =~ ^docker.io/library/busybox@sha256:[0-9a-f]{64}$ ]]
    run -0 crictl pull "$digest"
    run -0 crictl inspecti "$digest"
    [ "$(field '.status.repoTags[0]' "$output")" = "$BUSYBOX" ]
}

@test "pull of what the registry lacks fails with the registry's words" {
    run ! crictl pull docker.io/library/busybox:absent
    [[ $output =~ "docker.io/library/busybox:absent: not found" ]]
}

@test "images lists what was pulled, with its size" {
    run -0 crictl images --output json
    image=$(field ".images[] | select(.repoTags[] == \"$BUSYBOX\")" "$output")
    [ "$(field .size "$image")" -gt 100000 ]
}

@test "images with a filter lists that image" {
    run -0 crictl images --quiet "$BUSYBOX"
    [[ $output =~ $(crictl inspecti "$BUSYBOX" | jq -r .status.id) ]]
}

@test "an image is found by its id, and by the id's beginning" {
    id=$(crictl inspecti "$BUSYBOX" | jq -r .status.id)
    run -0 crictl inspecti "$id"
    [ "$(field '.status.repoTags[0]' "$output")" = "$BUSYBOX" ]
    id=${id#sha256:}
    run -0 crictl inspecti "${id:0:13}"
    [ "$(field '.status.repoTags[0]' "$output")" = "$BUSYBOX" ]
}

@test "rmi removes an image" {
    run -0 crictl rmi "$BUSYBOX"
    run ! crictl inspecti "$BUSYBOX"
}

@test "pull with credentials works and leaves no trace of them in a log" {
    run -0 crictl pull --creds somebody:a-secret-of-the-tests "$BUSYBOX"
    coded=$(printf 'somebody:a-secret-of-the-tests' | base64)
    run ! grep --recursive --include '*.log' --fixed-strings --regexp a-secret-of-the-tests --regexp "$coded" "$LAB"
}
