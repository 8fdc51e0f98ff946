"""A real Prometheus for a test: started on a folder, asked through its HTTP API, and what it complained of."""

import ctypes
import json
import random
import re
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

# Prometheus' own counters of what it did not take, or took twice.
COMPLAINTS = [
    "prometheus_target_scrapes_sample_duplicate_timestamp_total",
    "prometheus_target_scrapes_sample_out_of_order_total",
    "prometheus_target_scrapes_sample_out_of_bounds_total",
    "prometheus_target_scrapes_exceeded_sample_limit_total",
    "prometheus_target_scrapes_exceeded_body_size_limit_total",
    "prometheus_target_scrape_pool_exceeded_label_limits_total",
    "prometheus_tsdb_out_of_order_samples_total",
    "prometheus_tsdb_head_series_not_found_total",
]
COMPLAINTS_OF_RULES = ["prometheus_rule_evaluation_failures_total"]


LIBRARY = ctypes.CDLL(None, use_errno=True)
PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """What the test found to be wrong."""


def require(true, text):
    if not true:
        raise Failure(text)


def eventually(seconds, what, condition):
    """Waits until the condition is true, and returns what it returned."""
    end = time.monotonic() + seconds
    while True:
        result = condition()
        if result:
            return result
        require(time.monotonic() < end, f"never came true in {seconds} s: {what}")
        time.sleep(0.2)


def patiently(seconds, check):
    """Repeats the check until it finds nothing wrong, and returns what it returned."""
    end = time.monotonic() + seconds
    while True:
        try:
            return check()
        except Failure:
            if time.monotonic() >= end:
                raise
        time.sleep(0.5)


def die_with_parent():
    """For a new process: a test that is killed leaves nothing behind."""
    LIBRARY.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port():
    """A port of this machine that nobody has, and that the kernel gives to nobody else as the port of a client."""
    for _ in range(1000):
        port = random.randint(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise Failure("no port is free")


def get(url, accept=None, timeout=20):
    """Status, type and text of an answer; None instead of the status if there is none."""
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    try:
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.status, answer.headers.get("Content-Type", ""), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, "", error.read().decode(errors="replace")
    except OSError:
        return None, "", ""


class Prometheus:
    """`jobs`: {name: (seconds between two scrapes, {instance: port})}. `rules`: a file, or None."""

    def __init__(self, folder, jobs, rules=None, evaluation=5):
        program = shutil.which("prometheus")
        require(program, "prometheus is missing: install what cmake/packages.txt lists")
        self.folder = Path(folder)
        self.folder.mkdir()
        self.rules = rules
        self.port = free_port()
        self.log = self.folder / "log"
        (self.folder / "config.json").write_text(json.dumps(self._config(jobs, rules, evaluation)))
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    program,
                    f"--config.file={self.folder / 'config.json'}",
                    f"--storage.tsdb.path={self.folder / 'data'}",
                    f"--web.listen-address=127.0.0.1:{self.port}",
                    "--log.format=json",
                ],
                cwd=self.folder,
                preexec_fn=die_with_parent,
                stdout=log,
                stderr=log,
            )
        eventually(60, "Prometheus is ready", lambda: get(self.url("/-/ready"))[0] == 200)

    @staticmethod
    def _config(jobs, rules, evaluation):
        """As JSON, which is YAML as well."""
        scrapes = []
        for job, (seconds, targets) in jobs.items():
            configs = [
                {"targets": [f"127.0.0.1:{port}"], "labels": {"instance": instance}} for instance, port in targets.items()
            ]
            scrapes.append({
                "job_name": job,
                "scrape_interval": f"{seconds}s",
                "scrape_timeout": f"{min(seconds, 10)}s",
                "static_configs": configs,
            })
        config = {"global": {"evaluation_interval": f"{evaluation}s"}, "scrape_configs": scrapes}
        if rules:
            config["rule_files"] = [str(rules)]
        return config

    def url(self, path, **arguments):
        query = f"?{urllib.parse.urlencode(arguments)}" if arguments else ""
        return f"http://127.0.0.1:{self.port}{path}{query}"

    def ask(self, path, **arguments):
        status, _, text = get(self.url(path, **arguments))
        require(status == 200, f"Prometheus answered {status} to {path} {arguments}: {text}")
        return json.loads(text)["data"]

    def query(self, expression, at=None):
        """[(labels, value)] of an instant query."""
        data = self.ask("/api/v1/query", query=expression, **({"time": at} if at else {}))
        return [(sample["metric"], float(sample["value"][1])) for sample in data["result"]]

    def value(self, expression, at=None):
        """The only value."""
        found = self.query(expression, at)
        require(len(found) == 1, f"{expression} has {len(found)} values")
        return found[0][1]

    def series(self, selector, start, end):
        """The labels of all series that had a sample in that time."""
        return self.ask("/api/v1/series", **{"match[]": selector, "start": start, "end": end})

    def alerts(self):
        """{(alert, job, instance): labels} of those that fire."""
        found = {}
        for alert in self.ask("/api/v1/alerts")["alerts"]:
            if alert["state"] == "firing":
                labels = alert["labels"]
                found[labels["alertname"], labels["job"], labels["instance"]] = labels
        return found

    def targets(self):
        return self.ask("/api/v1/targets")["activeTargets"]

    def check_complaints(self):
        """It took every sample: neither its counters nor its log say otherwise."""
        text = get(self.url("/metrics"))[2]
        for name in COMPLAINTS + (COMPLAINTS_OF_RULES if self.rules else []):
            values = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", text, re.M)
            require(values, f"Prometheus has no {name}")
            require(all(float(value) == 0 for value in values), f"{name}: {values}")
        for line in self.log.read_text().splitlines():
            require('"level":"warn"' not in line and '"level":"error"' not in line, f"Prometheus logged {line}")

    def kill(self):
        self.process.kill()
        self.process.wait()
