#!/usr/bin/env bats
# crigate compare: the images of two runtimes.

load gateway

compare() {
    "$CRIGATE_BUILD/crigate" compare "$@"
}

@test "images of one runtime alone are named, with the disk that both take" {
    start_runtime docker v1 --name docker --runtime-version 20.10.24 --containers 4 --images 3
    start_runtime containerd v1,v1alpha2 --name containerd --images 2 --image-fs-mountpoint /var/lib/containerd
    run -1 compare -o json "$PWD/docker.sock" "unix://$PWD/containerd.sock"
    expect '.same | not' "$output"
    expect '[.runtimes[] | [.runtimeName, .images, .problem]] == [["docker", 3, null], ["containerd", 2, null]]' "$output"
    expect '[.runtimes[].onlyHere | map(.name)] == [["registry.example.com/shop/queue:1.2"], []]' "$output"
    expect '.runtimes[0].onlyHere[0] | .size > 0 and .pulled and .usedBy == 1 and (.other | not)' "$output"
    expect '.runtimes[1].filesystems | length == 1 and .[0].place == "/var/lib/containerd" and .[0].usedBytes > 0' "$output"
    expect '.runtimes | .[0].imageBytes > .[1].imageBytes' "$output"
    run -1 compare "$PWD/docker.sock" "$PWD/containerd.sock"
    [[ ${lines[0]} == "IMAGES ONLY IN unix://$PWD/docker.sock" && ${lines[2]} == "registry.example.com/shop/queue:1.2 "*" MiB   yes "* ]]
    [[ $output == *"IMAGES ONLY IN unix://$PWD/containerd.sock"$'\n'"none"* ]]
}

@test "runtimes of any dialect are compared, and one without ImageFsInfo says so" {
    start_runtime old v1_9 --images 2 --not-implemented ImageFsInfo
    start_runtime new v1 --images 2
    run -0 compare -o json "$PWD/old.sock" "$PWD/new.sock"
    expect '.same and .runtimes[0].filesystems == null and (.runtimes[0].problem | test("not implemented"))' "$output"
    run -0 compare "$PWD/old.sock" "$PWD/new.sock"
    [[ $output == *"not implemented"* ]]
}

@test "a runtime that does not answer, or with garbage, is named" {
    start_runtime good v1 --images 1
    start_runtime bad v1 --images 1 --garbage ListImages
    start_runtime hung v1 --images 1 --hang ListImages
    run -2 compare "$PWD/good.sock" "$PWD/none.sock"
    [[ $output == "crigate compare: unix://$PWD/none.sock does not answer: there is no such socket" ]]
    run -2 compare "$PWD/good.sock" "$PWD/bad.sock"
    [[ $output == *"ListImages of unix://$PWD/bad.sock"* ]]
    run -2 compare --timeout 3s "$PWD/hung.sock" "$PWD/good.sock"
    [[ $output == *"ListImages of unix://$PWD/hung.sock"* ]]
}

@test "wrong arguments are refused" {
    run -64 compare
    run -64 compare /a
    run -64 compare /a /b /c
    run -64 compare -o yaml /a /b
    run -64 compare --timeout 0s /a /b
    run -64 compare whatever /b
    [[ $output == *"whatever is neither a socket nor a runtime that crigate knows"* ]]
    run -0 compare --help
    [[ $output == *"crigate compare [-o text|json]"* ]]
}
