"""Compares alerts, dashboard, runbooks and the table of metrics with each other: check.py FOLDER WHAT

Ends with 1 after it has printed what does not fit.
"""

import json
import re
import sys
from pathlib import Path

TOP = Path(sys.argv[1])
PAGE = (TOP / "docs/observability.md").read_text()
RULES = (TOP / "deploy/prometheus/rules.yaml").read_text()
TESTS = (TOP / "tests/monitoring/rules_test.yaml").read_text()
DASHBOARD = json.loads((TOP / "deploy/grafana/crigate.json").read_text())

# Labels that Prometheus adds, and those that queries make themselves.
OTHER_LABELS = {"job", "instance", "le", "config_hash"}

problems = []


def require(true, text):
    if not true:
        problems.append(text)


def metrics():
    """The labels of each metric in the table, by its name."""
    rows = re.findall(r"^\| `(\w+)` \| (gauge|counter|histogram) \| ([^|]*) \|", PAGE, re.M)
    table = {}
    for name, kind, labels in rows:
        for end in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            table[name + end] = set(re.findall(r"`(\w+)`", labels))
    return table


def alerts():
    return re.findall(r"^      - alert: (\w+)$", RULES, re.M)


def rule_expressions():
    return re.findall(r"^        expr: (?:>-\n((?:          .*\n)+)|(.*)\n)", RULES, re.M)


def panels():
    return [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def queries():
    """All queries of the dashboard."""
    for panel in panels():
        for target in panel["targets"]:
            yield panel["title"], target["expr"]
    for annotation in DASHBOARD["annotations"]["list"]:
        yield annotation["name"], annotation["expr"]


def check_alerts():
    names = alerts()
    runbooks = re.findall(r"^### (Crigate\w+)$", PAGE.split("## Runbooks", 1)[1], re.M)
    require(len(names) >= 9 and len(set(names)) == len(names), "alerts are missing or repeated")
    require(sorted(names) == sorted(runbooks), f"alerts and runbooks differ: {set(names) ^ set(runbooks)}")
    for text in re.split(r"(?m)^      - alert: ", RULES)[1:]:
        name = text.split("\n", 1)[0]
        require(f"runbook: docs/observability.md#{name.lower()}\n" in text, f"{name} does not name its runbook")
        require("severity: " in text and "summary: " in text and "description: " in text, f"{name} lacks a label or annotation")
        fires = re.search(rf"alertname: {name}\n +exp_alerts:\n +- exp_labels", TESTS)
        clear = re.search(rf"\{{eval_time: \w+, alertname: {name}\}}", TESTS)
        require(fires and clear, f"{name} is not tested both firing and clear")


def check_metrics():
    table = metrics()
    require(len(table) > 30, "docs/observability.md has no table of metrics")
    used = [("rules", first or second) for first, second in rule_expressions()] + list(queries())
    used += [("variable", variable["definition"]) for variable in DASHBOARD["templating"]["list"] if variable["type"] == "query"]
    require(len(used) > 30, "rules or queries were not found")
    for where, expression in used:
        names = re.findall(r"\b((?:crigate|process)_\w+)", expression)
        require(names, f"{where}: no metric: {expression}")
        labels = OTHER_LABELS.union(*(table.get(name, set()) for name in names))
        for name in names:
            require(name in table, f"{where}: there is no metric {name}")
        for selector in re.findall(r"\{([^}]*)\}", expression):
            for label in re.findall(r"(\w+) *[!=]", selector):
                require(label in labels, f"{where}: no metric of it has the label {label}: {expression}")
        for group in re.findall(r"\b(?:by|on) \(([^)]*)\)", expression):
            for label in group.split(","):
                require(label.strip() in labels, f"{where}: no metric of it has the label {label}: {expression}")


def check_methods():
    rows = (TOP / "translate/methods.yaml").read_text()
    lasting = re.findall(r"^  (\w+): +\{.*\bmay_last: true", rows, re.M)
    left_out = re.search(r'crigate_rpc_oldest_seconds\{method!~"([\w|]+)"\}', RULES).group(1).split("|")
    require(sorted(lasting) == sorted(left_out), f"these differ: {set(lasting) ^ set(left_out)}")


def check_dashboard():
    for key in ("title", "uid", "schemaVersion", "panels", "templating", "time", "annotations", "refresh"):
        require(DASHBOARD.get(key), f"{key} is missing")
    variables = {variable["name"] for variable in DASHBOARD["templating"]["list"]}
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    require(len(set(ids)) == len(ids), "two panels have one id")
    taken = {}
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        require(place["x"] >= 0 and place["w"] > 0 and place["h"] > 0 and place["x"] + place["w"] <= 24, f"{panel['title']} is too wide")
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                other = taken.setdefault((x, y), panel["title"])
                require(other == panel["title"], f"{panel['title']} is on top of {other}")
    for panel in panels():
        letters = [target["refId"] for target in panel["targets"]]
        require(letters and len(set(letters)) == len(letters), f"{panel['title']}: its queries have no letters of their own")
        require(panel["type"] in ("stat", "table", "timeseries", "state-timeline"), f"{panel['title']}: {panel['type']} is unknown")
        require(panel["description"] and panel["title"] and panel["fieldConfig"]["defaults"]["unit"], f"{panel['title']} lacks a text or unit")
        for source in [panel] + panel["targets"]:
            require(source["datasource"] == {"type": "prometheus", "uid": "${datasource}"}, f"{panel['title']}: another datasource")
    for where, expression in queries():
        for variable in re.findall(r"\$(\w+)", expression):
            require(variable in variables | {"__rate_interval"}, f"{where}: there is no variable {variable}")


def print_queries():
    print("groups:\n  - name: dashboard\n    rules:")
    for number, (_, expression) in enumerate(queries()):
        plain = expression.replace("$__rate_interval", "1m")
        print(f"      - record: query:{number}\n        expr: {json.dumps(plain)}")


{
    "alerts": check_alerts,
    "metrics": check_metrics,
    "methods": check_methods,
    "dashboard": check_dashboard,
    "queries": print_queries,
}[sys.argv[2]]()

for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
