#!/usr/bin/env bats
# Alerts, dashboard and runbooks fit each other and the table of metrics. PROMTOOL is the path of Prometheus' promtool, which Debian's
# package prometheus has.

bats_require_minimum_version 1.5.0

TOP=$BATS_TEST_DIRNAME/../..

check() {
    python3 "$BATS_TEST_DIRNAME/check.py" "$TOP" "$@"
}

promtool() {
    [ -x "$PROMTOOL" ] || {
        echo "promtool is missing: make deps puts it into .cache/unpacked, see cmake/packages.txt"
        return 1
    }
    "$PROMTOOL" "$@"
}

@test "each alert fires and clears as its test says" {
    cp "$TOP/deploy/prometheus/rules.yaml" "$BATS_TEST_DIRNAME/rules_test.yaml" "$BATS_TEST_TMPDIR"
    cd "$BATS_TEST_TMPDIR"
    promtool check rules rules.yaml
    promtool test rules rules_test.yaml
}

@test "each alert is tested firing and clear, and has a runbook, which it names; no runbook is without an alert" {
    check alerts
}

@test "rules and dashboard use only metrics and labels that crigate has" {
    check metrics
}

@test "the alert for old calls leaves out the methods that may last, and no others" {
    check methods
}

@test "the dashboard has what Grafana expects of one" {
    check dashboard
}

@test "Prometheus can read each query of the dashboard" {
    check queries >"$BATS_TEST_TMPDIR/queries.yaml"
    [ "$(grep -c "record:" "$BATS_TEST_TMPDIR/queries.yaml")" -ge 20 ]
    promtool check rules "$BATS_TEST_TMPDIR/queries.yaml"
}
