#!/usr/bin/env bats
# `crigate watch`: what a container without rights says of its node, from a report alone.

bats_require_minimum_version 1.5.0

load ../eventually

: "${CRIGATE_BUILD:?names the folder of crigate}"

setup() {
    REPORT=$BATS_TEST_TMPDIR/verify.json
    crigate=$CRIGATE_BUILD/crigate
}

# uptime_ms [LESS]: since boot, in milliseconds, less some.
uptime_ms() {
    awk -v less="${1:-0}" '{printf "%d", $1 * 1000 - less}' /proc/uptime
}

# report OK STATE [LESS]: one that `crigate verify` might have written, that many milliseconds ago.
report() {
    cat >"$REPORT.new" <<END
{"ok": $1, "version": "0.1.0", "uptime_ms": $(uptime_ms "${3:-0}"), "checks": [
 {"name": "unit", "state": "ok", "detail": "crigate.service is active", "next": null},
 {"name": "kubelet", "state": "$2", "detail": "process 1\u001b[31m is there", "next": "look at it"}]}
END
    mv "$REPORT.new" "$REPORT"
}

@test "ready: a good and new report" {
    report true ok
    run -0 "$crigate" watch --ready --report "$REPORT"
    [[ $output == "ready: "* ]]
}

@test "not ready: a bad report, with what is wrong, and without what a terminal would obey" {
    report false wrong
    run -1 "$crigate" watch --ready --report "$REPORT"
    [[ $output == *"wrong  kubelet: process 1"*"; next: look at it"* ]]
    [[ $output != *$'\e'* ]]
}

@test "not ready: an old report, one from the future, and one of which the age is asked for" {
    report true ok 130000
    run -1 "$crigate" watch --ready --report "$REPORT"
    [[ $output == *"older than 120 s"* ]]
    run -0 "$crigate" watch --ready --report "$REPORT" --max-age 10m
    report true ok -600000
    run -1 "$crigate" watch --ready --report "$REPORT"
}

@test "not ready: no report, and what is none" {
    run -1 "$crigate" watch --ready --report "$REPORT"
    [[ $output == *"does not exist yet"* ]]
    local text
    for text in '' '{' '[]' '{"ok": true}' '{"ok": 1, "uptime_ms": 0, "checks": []}' '{"ok": true, "uptime_ms": 0, "checks": [{}]}' \
        '{"ok": true, "uptime_ms": 0, "checks": [{"name": "a", "state": 1, "detail": "b"}]}'; do
        printf '%s' "$text" >"$REPORT"
        run -1 "$crigate" watch --ready --report "$REPORT"
        [[ $output == *"is not a report of crigate verify"* ]]
    done
    rm "$REPORT"
    ln -s /proc/uptime "$REPORT"
    run -1 "$crigate" watch --ready --report "$REPORT"
    head -c 2000000 /dev/zero >"$REPORT.big"
    run -1 "$crigate" watch --ready --report "$REPORT.big"
}

@test "watching: all checks first, then each change once, until SIGTERM" {
    report true ok
    "$crigate" watch --report "$REPORT" >"$BATS_TEST_TMPDIR/out" 3>&- &
    local pid=$!
    eventually 20 grep -q '^ready: ' "$BATS_TEST_TMPDIR/out"
    [ "$(grep -c '^ok  ' "$BATS_TEST_TMPDIR/out")" = 2 ]
    report false wrong
    eventually 20 grep -q '^not ready: ' "$BATS_TEST_TMPDIR/out"
    report true ok
    eventually 20 eval '[ "$(grep -c "^ready: " "$BATS_TEST_TMPDIR/out")" = 2 ]'
    rm "$REPORT"
    eventually 20 grep -q 'does not exist yet' "$BATS_TEST_TMPDIR/out"
    kill "$pid"
    wait "$pid"
    [ "$(grep -c '  unit: ' "$BATS_TEST_TMPDIR/out")" = 1 ]
    [ "$(grep -c '  kubelet: ' "$BATS_TEST_TMPDIR/out")" = 3 ]
}

@test "wrong arguments" {
    run -64 "$crigate" watch --max-age 2h
    run -64 "$crigate" watch --max-age 0s
    run -64 "$crigate" watch it
}
