#!/usr/bin/env bats
# The page of what ran with real kubelets and runtimes: docs/tested-with.md.

bats_require_minimum_version 1.5.0

REPOSITORY=$BATS_TEST_DIRNAME/../..
PAGE=$REPOSITORY/tests/peers/page

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p docs tests/peers build/peers/results
    cp "$REPOSITORY/docs/pairs.toml" docs
}

# results PAIR DIRECT COMMIT...: results of a matrix; DIRECT is what the kubelet did without crigate.
results() {
    local all='{"pairs": {}}'
    while [ $# != 0 ]; do
        all=$(jq --arg pair "$1" --arg direct "$2" --arg commit "$3" '.pairs[$pair] = {
            about: {crigate: "1.0", commit: $commit, kubelet: "v\($pair | split(" ")[0] | split("-")[1]).2", runtime: "containerd 1.6.20", date: "2026-01-01", seconds: 9},
            checks: [
                {name: "kubelet starts", direct: $direct, through: "starts", same: ($direct == "starts"), difference: [], reason: null, passed: true},
                {name: "log lines", direct: "1 lines", through: "2 lines", same: false, difference: [{what: "only through crigate: E x.go: a|b", reason: "because"}], reason: null, passed: true}]}' <<<"$all")
        shift 3
    done
    echo "$all" >build/peers/results/matrix.json
}

page() {
    "$PAGE" --top . "$@"
}

@test "the page that is committed is what it must be" {
    run -0 "$PAGE" --check
}

@test "the page has a row for each pair, what differs and why, and what was not tried" {
    results "kubelet-1.37 containerd-1.6" starts abc
    run -0 page build
    run -0 page --check
    grep -q '^| 1.37.2 | containerd 1.6.20 | starts | starts | 2 of 2 | 1 of 2 | none |$' docs/tested-with.md
    grep -qF '| because | log lines (1) |' docs/tested-with.md
    # shellcheck disable=SC2016
    grep -q 'sources of commit `abc`, on 2026-01-01' docs/tested-with.md
    grep -q '^| cgroup v2 ' docs/tested-with.md
    grep -q '^| .*kubelet-1.22 cri-dockerd.* | .*kubelet-1.22: it is not built' docs/tested-with.md
}

@test "a peer that was not built stands there with the compiler's error" {
    results "kubelet-1.37 containerd-1.6" starts abc
    mkdir -p build/peers/crio-1.23
    # shellcheck disable=SC2028
    echo '{"peer": "crio-1.23", "version": "v1.23.0", "error": "x.go:1: no | yes\nmore", "known": "too old"}' >build/peers/crio-1.23/build.json
    run -0 page build
    # shellcheck disable=SC2016
    grep -qF '| crio-1.23 | v1.23.0 | `x.go:1: no \| yes` | too old |' docs/tested-with.md
}

@test "results of a cluster are a section" {
    results "kubelet-1.37 containerd-1.6" starts abc
    echo '{"about": {"commit": "abc", "kubernetes": "v1.37.2", "runtimes": ["containerd 1.6", "CRI-O 1.36"], "date": "2026-01-01"}, "checks": [{"name": "a Job", "passed": true, "detail": "200 pods"}]}' >build/peers/results/cluster.json
    run -0 page build
    # shellcheck disable=SC2016
    grep -qF '| a Job | passed | `200 pods` |' docs/tested-with.md
    run -0 page --check
}

# cluster_of CHECK DETAIL...: results of a cluster
cluster_of() {
    local all='{"about": {"commit": "abc", "kubernetes": "v1.37.2", "runtimes": ["containerd 1.6", "CRI-O 1.36"], "date": "2026-01-01"}, "checks": []}'
    while [ $# != 0 ]; do
        all=$(jq --arg name "$1" --arg detail "$2" '.checks += [{name: $name, passed: true, detail: $detail}]' <<<"$all")
        shift 2
    done
    echo "$all" >build/peers/results/cluster.json
}

@test "what of the cluster did not run is named" {
    results "kubelet-1.37 containerd-1.6" starts abc
    run -0 page build
    grep -qx 'The cluster of one node did not run.' docs/tested-with.md
    cluster_of "A Job of 200 pods completes, none of them a second time." "200 pods" "DaemonSet: The DaemonSet is deleted: crigate serves on." ""
    run -0 page build
    run -1 grep -x 'The cluster of one node did not run.' docs/tested-with.md
    grep -qx -- "- The Node is Ready through crigate, and its status has the handlers of both runtimes." docs/tested-with.md
    grep -qx -- "- DaemonSet: The DaemonSet's pod comes again, and changes nothing on the node." docs/tested-with.md
    run -1 grep -- '^- \(A Job of\|DaemonSet: The DaemonSet is deleted\)' docs/tested-with.md
    run -0 page --check
}

@test "a cluster whose Deployments rolled for less than ten minutes is named" {
    local rolling="Deployments on both runtimes roll, again and again, while crigate is taken over every ten seconds: no pod is restarted, and the Node is never NotReady."
    results "kubelet-1.37 containerd-1.6" starts abc
    cluster_of "$rolling" "0.5 minutes: 3 takeovers"
    run -0 page build
    grep -qx -- "- $rolling (ran for 0.5 minutes, not for 10)" docs/tested-with.md
    cluster_of "$rolling" "10 minutes: 50 takeovers"
    run -0 page build
    run -1 grep -F -- "- $rolling" docs/tested-with.md
}

@test "checks that failed for a known reason are counted apart" {
    results "kubelet-1.37 containerd-1.6" starts abc "tools containerd-1.6" starts abc
    jq '.pairs["kubelet-1.37 containerd-1.6"].checks[1].reason = "old" | .pairs["tools containerd-1.6"].checks = [
        {name: "crictl pull", direct: 1, through: 1, same: true, difference: [], reason: null, passed: true},
        {name: "crictl logs", direct: 1, through: 1, same: true, difference: [], reason: "old", passed: true},
        {name: "crictl stop", direct: 1, through: 1, same: true, difference: [], reason: null, passed: false}]' build/peers/results/matrix.json >other
    mv other build/peers/results/matrix.json
    run -0 page build
    grep -q '^| 1.37.2 | containerd 1.6.20 | starts | starts | 1 of 2, 1 explained | 1 of 2 | none |$' docs/tested-with.md
    grep -q '^| containerd 1.6.20 | 1 of 3, 1 explained | not seen | not seen | 0 of 0 | crictl stop |$' docs/tested-with.md
}

@test "a side that was not seen is not one that stops" {
    results "kubelet-1.37 containerd-1.6" starts abc "kubelet-1.36 containerd-1.6" starts abc "kubelet-1.35 containerd-1.6" starts abc
    jq '.pairs["kubelet-1.37 containerd-1.6"].checks[0].through = null | .pairs["kubelet-1.36 containerd-1.6"].checks[0].through = "does not start: x"
        | .pairs["kubelet-1.35 containerd-1.6"].checks |= .[1:]' build/peers/results/matrix.json >other
    mv other build/peers/results/matrix.json
    run -0 page build
    grep -q '^| 1.37.2 | containerd 1.6.20 | starts | not seen |' docs/tested-with.md
    grep -q '^| 1.36.2 | containerd 1.6.20 | starts | \*\*stops\*\* |' docs/tested-with.md
    grep -q '^| 1.35.2 | containerd 1.6.20 | not seen | not seen |' docs/tested-with.md
}

@test "results of a run with --checks are refused" {
    results "kubelet-1.37 containerd-1.6" starts abc "kubelet-1.36 containerd-1.6" starts abc
    jq '.pairs["kubelet-1.37 containerd-1.6"].about.checks = ["running"] | .pairs["kubelet-1.36 containerd-1.6"].about.checks = []' \
        build/peers/results/matrix.json >other
    mv other build/peers/results/matrix.json
    run -2 page build
    [ "$output" = "page: of kubelet-1.37 containerd-1.6, only some checks ran (--checks): run them again without that option" ]
    [ ! -e docs/tested-with.md ]
}

@test "results of several commits are not one page" {
    results "kubelet-1.37 containerd-1.6" starts abc "kubelet-1.29 containerd-1.6" starts def
    run -2 page build
    [[ $output == *"of different commits"*def*abc* ]]
    [ ! -e docs/tested-with.md ]
    results "kubelet-1.37 containerd-1.6" starts abc
    echo '{"about": {"commit": "def"}, "checks": []}' >build/peers/results/cluster.json
    run -2 page build
    [[ $output == *"the cluster"* ]]
}

@test "a page that names another commit than its results is refused" {
    results "kubelet-1.37 containerd-1.6" starts abc
    run -0 page build
    # shellcheck disable=SC2016
    sed -i 's/commit `abc`/commit `def`/' docs/tested-with.md
    run -1 page --check
    [ "$output" = "tested-with.md names commit def, but was made from results of abc" ]
    run -0 page --render
    jq '.pairs[].about.commit = "fed"' tests/peers/tested-with.json >other && mv other tests/peers/tested-with.json
    run -1 page --check
    [ "$output" = "tested-with.json names commit abc, and has results of fed" ]
}

@test "results in another form than the page's program writes are refused" {
    results "kubelet-1.37 containerd-1.6" starts abc
    run -0 page build
    jq . tests/peers/tested-with.json >other && mv other tests/peers/tested-with.json
    run -1 page --check
    [ "$output" = "tested-with.json is not as tests/peers/page writes it" ]
}

@test "a page that was changed by hand is refused" {
    results "kubelet-1.37 containerd-1.6" starts abc
    run -0 page build
    sed -i 's/2 of 2/3 of 3/' docs/tested-with.md
    run -1 page --check
    [[ $output == *"is not what tested-with.json says"* ]]
}

@test "a run that contradicts docs/pairs.toml is reported" {
    results "kubelet-1.37 containerd-1.6" "does not start: Unimplemented" abc "kubelet-1.9 containerd-1.6" starts abc
    run -0 page build
    run -1 page --check
    [ "${#lines[@]}" = 2 ]
    [ "${lines[0]}" = "kubelet-1.37 containerd-1.6: docs/pairs.toml says that it starts without crigate, and the run that it does not" ]
    [ "${lines[1]}" = "kubelet-1.9 containerd-1.6: docs/pairs.toml says that it stops without crigate, and the run that it does not" ]
}

@test "wrong arguments and missing results are reported" {
    run -64 page
    run -2 page build
    [[ $output == *"matrix.json is missing" ]]
}
