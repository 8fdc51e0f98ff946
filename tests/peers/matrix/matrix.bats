#!/usr/bin/env bats
# The matrix of real kubelets and runtimes, without any of them: how it is called, and how it compares what two sides have seen.

bats_require_minimum_version 1.5.0

RUN=$BATS_TEST_DIRNAME/run

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p build/peers/results/matrix.seen
}

# python CODE: runs it with the modules of the matrix.
python() {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$BATS_TEST_DIRNAME python3 -c "$1"
}

# seen PAIR DIRECT THROUGH: what two sides of a pair saw, as JSON lists of observations.
seen() {
    jq -n --arg pair "$1" --argjson direct "$2" --argjson through "$3" '{pair: $pair, about: {crigate: "1", commit: "abc", kubelet: "v1.37.2",
        runtime: "containerd v1.6", date: "2026-01-01", seconds: 1},
        sides: {direct: {about: {}, problem: null, observations: $direct}, through: {about: {}, problem: null, observations: $through}}}' \
        >"build/peers/results/matrix.seen/${1// /_}.json"
}

# judged PAIR: its checks, compared anew.
judged() {
    jq --arg pair "$1" '.pairs[$pair].checks' build/peers/results/matrix.json
}

@test "--list names each pair, and --only chooses by pattern" {
    run -0 "$RUN" build --list
    [ "${#lines[@]}" = 39 ]
    [ "${lines[0]}" = "kubelet-1.37 containerd-1.6" ]
    run -0 "$RUN" build --list --only 'kubelet-1.22 *' --only 'tools crio*'
    [ "${#lines[@]}" = 8 ]
    [ "${lines[6]}" = "tools crio-1.36" ]
}

@test "wrong arguments are refused" {
    run -64 "$RUN"
    run -64 "$RUN" build --wrong
    run -64 "$RUN" build --only nothing
    [[ $output == "run: no pair is like nothing"* ]]
}

@test "a crigate that is not built is refused before anything runs" {
    run -2 "$RUN" build --only 'kubelet-1.37 containerd-1.6'
    [[ $output == "run: "* ]]
}

@test "a check that both sides pass alike is the same; one that differs without a reason fails the run" {
    seen "kubelet-1.37 containerd-1.6" '[{"name": "exec", "kind": "value", "value": {"out": "a"}, "good": true}, {"name": "logs", "kind": "value", "value": "x", "good": true}]' \
        '[{"name": "exec", "kind": "value", "value": {"out": "b"}, "good": true}, {"name": "logs", "kind": "value", "value": "x", "good": true}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    [[ $output == *'out: directly "a", through crigate "b"'* ]]
    judged "kubelet-1.37 containerd-1.6" | jq -e '.[0].passed == false and .[0].same == false and .[1].same and .[1].passed'
}

@test "what is not as it should be through crigate fails, though both differ in nothing that is compared" {
    seen "kubelet-1.37 crio-1.36" '[]' '[{"name": "crigate killed", "kind": "value", "value": "restarted", "good": false}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
    [[ $output == *"crigate killed"* ]]
}

@test "what fails on both sides alike needs a reason, too: it may be the check that is wrong" {
    seen "kubelet-1.37 crio-1.36" '[{"name": "exec", "kind": "value", "value": null, "good": false}]' '[{"name": "exec", "kind": "value", "value": null, "good": false}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
}

@test "a check that is missing through crigate fails" {
    seen "kubelet-1.37 crio-1.36" '[{"name": "kubelet starts", "kind": "value", "value": "starts", "good": true}, {"name": "exec", "kind": "value", "value": 1, "good": true}]' \
        '[{"name": "kubelet starts", "kind": "value", "value": "starts", "good": true}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
    judged "kubelet-1.37 crio-1.36" | jq -e '.[] | select(.name == "exec") | .passed == false'
}

@test "a kubelet that starts only through crigate passes, with its last words" {
    seen "kubelet-1.22 crio-1.36" '[{"name": "kubelet starts", "kind": "value", "value": "does not start: Unimplemented", "good": false}]' \
        '[{"name": "kubelet starts", "kind": "value", "value": "starts", "good": true}, {"name": "exec", "kind": "value", "value": 1, "good": true}]'
    run -0 "$RUN" build --judge --only 'kubelet-1.22 crio-1.36'
    judged "kubelet-1.22 crio-1.36" | jq -e '.[0].direct == "does not start: Unimplemented" and .[1].direct == null and .[1].passed'
}

@test "a leaf of one side alone is a difference, unless it comes and goes there" {
    seen "kubelet-1.37 containerd-1.6" '[{"name": "stats", "kind": "leaves", "good": true, "value": {"samples": 4, "leaves": {"both": 4, "gone": 4, "flickers": 2}}}]' \
        '[{"name": "stats", "kind": "leaves", "good": true, "value": {"samples": 4, "leaves": {"both": 3, "new": 4}}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    judged "kubelet-1.37 containerd-1.6" | jq -e '.[0].difference | map([.what, .reason != null]) ==
        [["only directly now and then: flickers", true], ["only directly: gone", false], ["only through crigate: new", false]]'
}

@test "a leaf that is nearly always on one side and seldom or never on the other is a difference" {
    seen "kubelet-1.37 containerd-1.6" '[{"name": "stats", "kind": "leaves", "good": true, "value": {"samples": 4, "leaves": {"a": 4, "b": 3, "c": 4}}}]' \
        '[{"name": "stats", "kind": "leaves", "good": true, "value": {"samples": 4, "leaves": {"a": 1, "c": 2}}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    judged "kubelet-1.37 containerd-1.6" | jq -e '.[0].difference | map(.what) == ["only directly, on the other side seldom: a", "only directly: b"]'
}

@test "a leaf that one pod lacks is cAdvisor's doing if the others of that side have it" {
    others=$(jq -n '[range(6) | {"pods[p\(.)].network.rxBytes: number": 4}] | add')
    seen "kubelet-1.37 containerd-1.6" "$(jq -n --argjson others "$others" '[{name: "stats", kind: "leaves", good: true, value: {samples: 4, leaves: ($others + {"pods[plain].network.rxBytes: number": 4, "pods[plain].cpu: number": 4})}}]')" \
        "$(jq -n --argjson others "$others" '[{name: "stats", kind: "leaves", good: true, value: {samples: 4, leaves: $others}}]')"
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    judged "kubelet-1.37 containerd-1.6" | jq -e '.[0].difference | map([.what, .reason != null]) ==
        [["only directly: pods[plain].cpu: number", false], ["only directly: pods[plain].network.rxBytes: number", true]]'
}

@test "a line that one side logs far more often is a difference" {
    seen "kubelet-1.37 containerd-1.6" '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 2, "W b.go: y": 3}}]' \
        '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 500, "W b.go: y": 20}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    judged "kubelet-1.37 containerd-1.6" | jq -e '.[0].difference | map(.what) == ["far more often through crigate: W a.go: x"]'
}

@test "a step without a kubelet that was seen only directly fails the run" {
    seen "tools containerd-1.6" '[{"name": "crictl pull", "kind": "value", "value": 1, "good": true}]' '[]'
    run -1 "$RUN" build --judge --only 'tools containerd-1.6'
}

@test "a line that the other side of the same kubelet logs elsewhere is not crigate's" {
    seen "kubelet-1.37 containerd-1.6" '[{"name": "log lines", "kind": "lines", "good": null, "value": {}}]' '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    seen "kubelet-1.29 crio-1.36" '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]' '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
    seen "kubelet-1.37 crio-1.36" '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]' '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]'
    run -0 "$RUN" build --judge --only 'kubelet-1.37 containerd-1.6'
}

@test "lines of a kubelet that starts through crigate alone are compared with what it logs directly elsewhere" {
    seen "kubelet-1.22 containerd-1.6" '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]' '[{"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1}}]'
    seen "kubelet-1.22 containerd-2.4" '[{"name": "kubelet starts", "kind": "value", "value": "does not start: Unimplemented", "good": false}]' \
        '[{"name": "kubelet starts", "kind": "value", "value": "starts", "good": true}, {"name": "log lines", "kind": "lines", "good": null, "value": {"W a.go: x": 1, "E b.go: y": 1}}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.22 containerd-2.4'
    judged "kubelet-1.22 containerd-2.4" | jq -e '.[1].difference | map([.what, .reason != null]) == [["only through crigate: E b.go: y", false], ["only through crigate: W a.go: x", true]]'
}

@test "leaves of statistics and metrics are names and types, without values, ids and names of one run" {
    run -0 python 'import leaves
print(sorted(leaves.summary({"pods": [{"podRef": {"name": "plain-node-1"}, "network": {"interfaces": [{"name": "veth1a2b", "rxBytes": 5}]}}], "node": {"ok": True}})))'
    [ "$output" = "['node.ok: boolean', 'pods[plain].network.interfaces[veth*].name: text', 'pods[plain].network.interfaces[veth*].rxBytes: number', 'pods[plain].podRef.name: text']" ]
    run -0 python 'import leaves
text = "# HELP cpu x\n# TYPE cpu counter\ncpu{container=\"main\",image=\"\",pod=\"plain-node-1\",id=\"/a\"} 1 2\ncpu{id=\"/kubepods/poddeadbeefdeadbeefdeadbeefdeadbeef\"} 1\n"
print(sorted(leaves.metrics(text)))'
    [ "$output" = "['cpu is a counter', 'cpu{container,id,pod} of plain/main', 'cpu{id} of /kubepods/podID']" ]
}

@test "log lines are compared without ids, times and numbers" {
    run -0 python 'import loglines
print(loglines.serious("I0101 10:00:00.1 1 a.go:5] no\nE0101 10:00:00.123456   77 b.go:9] \"Failed\" pod=\"default/plain-node-1\" id=\"0123456789abcdef\" after=\"1m3.5s\" n=7 at=unix:///run/crio/crio.sock\n"))'
    [ "$output" = "{'E b.go: \"Failed\" pod=\"default/POD\" id=\"ID\" after=\"DURATION\" n=NUMBER at=SOCKET': 1}" ]
}

@test "each reason says to what it belongs, and from where it is known" {
    run -0 python 'import compare; print(len(compare.read_reasons()))'
    echo '[{"pair": "*", "check": "*", "difference": "*", "reason": "so"}]' >bad.json
    run -1 python 'import compare; compare.read_reasons("bad.json")'
    [[ $output == *"lacks source"* ]]
}

@test "a reason counts for what its patterns name, with brackets as they are" {
    run -0 python 'import compare
reasons = [{"pair": "* crio-*", "check": "stats", "difference": "only directly: pods[[]*", "reason": "r", "source": "s"}, {"pair": "*", "check": "stats", "difference": "pods[a]*", "reason": "q", "source": "s"}]
print(compare.why(reasons, "k crio-1", "stats", "pods[a].b"), compare.why(reasons, "k crio-1", "other", "pods[a].b"))'
    [ "$output" = "q (s) None" ]
    run -0 python 'import compare
reasons = [{"pair": "* crio-1.23 or tools containerd-1.*", "check": "c", "difference": "d", "reason": "r", "source": "s"}]
print([compare.why(reasons, pair, "c", "d") for pair in ["tools crio-1.23", "tools containerd-1.7", "tools containerd-2.4"]])'
    [ "$output" = "['r (s)', 'r (s)', None]" ]
}

@test "a disturbance that hits the side without crigate alone passes, and says so; any other failure there needs a reason" {
    seen "kubelet-1.37 crio-1.36" '[{"name": "runtime killed", "kind": "value", "value": {"action": "done", "containers": "restarted"}, "good": false}]' \
        '[{"name": "runtime killed", "kind": "value", "value": {"action": "done", "containers": "the same"}, "good": true}]'
    run -0 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
    judged "kubelet-1.37 crio-1.36" | jq -e '.[0].difference[0].reason == "directly it is not as it should be, and through crigate it is"'
    seen "kubelet-1.37 crio-1.36" '[{"name": "exec", "kind": "value", "value": "refused", "good": false}]' '[{"name": "exec", "kind": "value", "value": "inside", "good": true}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
}

@test "a kubelet that does not start directly for another reason than the packages of CRI fails the run" {
    seen "kubelet-1.37 crio-1.36" '[{"name": "kubelet starts", "kind": "value", "value": "does not start: too many open files", "good": false}]' \
        '[{"name": "kubelet starts", "kind": "value", "value": "starts", "good": true}]'
    run -1 "$RUN" build --judge --only 'kubelet-1.37 crio-1.36'
}
