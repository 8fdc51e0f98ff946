"""Metrics as a scrape has them: parsed, and which series there may be."""

import re
import subprocess
from pathlib import Path

from prometheus import get, require

TOP = Path(__file__).resolve().parents[2]

OPENMETRICS = "application/openmetrics-text;version=1.0.0"

LINE = re.compile(r'^([a-z_]+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')

CODES = set(
    "OK CANCELLED UNKNOWN INVALID_ARGUMENT DEADLINE_EXCEEDED NOT_FOUND ALREADY_EXISTS PERMISSION_DENIED RESOURCE_EXHAUSTED"
    " FAILED_PRECONDITION ABORTED OUT_OF_RANGE UNIMPLEMENTED INTERNAL UNAVAILABLE DATA_LOSS UNAUTHENTICATED".split()
)
DIALECTS = {"v1_9", "v1_12", "v1alpha2", "v1"}


def methods():
    rows = (TOP / "translate/methods.yaml").read_text()
    found = set(re.findall(r"^  (\w+): +\{route:", rows, re.M))
    require(len(found) > 30, "the methods were not found")
    return found


def scrape(port):
    """The text format."""
    status, kind, text = get(f"http://127.0.0.1:{port}/metrics")
    require(status == 200 and kind.startswith("text/plain; version=0.0.4"), f"/metrics answered {status}, {kind}")
    return text


def parse(text):
    """{(name, ((label, value)...)): value}; each series may be there once."""
    samples = {}
    for line in text.splitlines():
        if line.startswith("#") or not line:
            continue
        match = LINE.match(line)
        require(match, f"this is no sample: {line}")
        key = match[1], tuple(sorted(LABEL.findall(match[2] or "")))
        require(key not in samples, f"twice in one scrape: {line}")
        samples[key] = float(match[3])
    return samples


def total(samples, name, by, **wanted):
    """{values of the labels in `by`: sum} over the series with that name and those labels."""
    sums = {}
    for (metric, pairs), value in samples.items():
        labels = dict(pairs)
        if metric == name and all(labels.get(label) == text for label, text in wanted.items()):
            key = tuple(labels[label] for label in by)
            sums[key] = sums.get(key, 0) + value
    return sums


def check_formats(port):
    """promtool takes the text format. OpenMetrics is what Prometheus asks for; the same series are in both."""
    text = scrape(port)
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    require(checked.returncode == 0, f"promtool check metrics: {checked.stdout}{checked.stderr}")
    status, kind, other = get(f"http://127.0.0.1:{port}/metrics", OPENMETRICS)
    require(status == 200 and kind.startswith(OPENMETRICS.split(";", maxsplit=1)[0]), f"OpenMetrics: {status}, {kind}")
    require(other.endswith("# EOF\n"), "OpenMetrics does not end with # EOF")
    require(set(parse(text)) == set(parse(other)), "the two formats differ in their series")


def check_labels(series, runtimes, plugins, stages):
    """All values of labels are from sets that do not grow. `series`: [{label: value}], with the name as __name__."""
    closed = {
        "method": methods() | {"other"},
        "runtime": set(runtimes) | {"*", ""},
        "caller_api": DIALECTS | {""},
        "runtime_api": DIALECTS | {"*", ""},
        "api": DIALECTS | {""},
        "code": CODES,
        "plugin": {f"{plugin}.json" for plugin in plugins},
        "stage": set(stages),
        "result": {"ok", "failed", "timeout"},
        "name": set(runtimes) | {""},
    }
    shapes = {
        "field": r"[A-Z][A-Za-z]+(\.[a-z_]+)+|[A-Z][A-Za-z]+|unknown",
        "le": r"[0-9.e+-]+|\+Inf",
        "version": r"[0-9a-z.+~-]{0,64}",
    }
    for labels in series:
        for label, value in labels.items():
            if label in closed:
                require(value in closed[label], f"{label}={value!r} is none of its values: {labels}")
            elif label in shapes:
                require(re.fullmatch(shapes[label], value), f"{label}={value!r} looks odd: {labels}")
            else:
                require(label in ("__name__", "job", "instance"), f"{label} is no label of crigate: {labels}")
