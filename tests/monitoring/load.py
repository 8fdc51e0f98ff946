"""A real Prometheus scrapes crigates on nodes of the fault test, and every count is compared: load.py BUILD SECONDS

Three nodes at once. `gentle`: runtimes answer late, so that every call can be compared. `rough`: runtimes are killed, stopped,
replaced, and their sockets deleted and filled. `takeovers`: gateways follow each other, and no scrape may fail.
"""

import contextlib
import sys
import tempfile
import time

import counts
from exposition import check_formats, check_labels
from nodes_under_faults import PLUGINS, RUNTIMES, STAGES, NodeUnderFaults
from prometheus import Failure, Prometheus, eventually, get, patiently, require

# It is also the time that a scrape may take, and none may fail: a process that does not get the processor for some seconds is no failure.
SCRAPE_SECONDS = 6


def check_scrapes(prometheus, start, end):
    """Each scrape succeeded, and all of it was taken."""
    span = f"{end - start:.0f}s"
    for target in prometheus.targets():
        require(target["health"] == "up" and not target["lastError"], f"{target['scrapeUrl']}: {target['lastError']}")
    for metric, up in prometheus.query(f"min_over_time(up[{span}])", end):
        require(up == 1, f"a scrape of {metric['instance']} failed")
    scrapes = prometheus.query(f"count_over_time(up[{span}])", end)
    require(len(scrapes) == 3, "Prometheus does not know all instances")
    for metric, number in scrapes:
        require(number > (end - start) / SCRAPE_SECONDS / 2, f"{metric['instance']} was scraped {number:g} times only")
    lost = "scrape_samples_scraped - scrape_samples_post_metric_relabeling"
    for metric, number in prometheus.query(f"max_over_time(({lost})[{span}:{SCRAPE_SECONDS}s])", end):
        require(number == 0, f"{metric['instance']}: {number:g} samples of a scrape were left out")
    changes = prometheus.value(f'changes(process_start_time_seconds{{instance="takeovers"}}[{span}])', end)
    require(changes >= 3, f"Prometheus saw {changes:g} takeovers only")
    print(f"scrapes: {scrapes}; takeovers seen: {changes:g}")
    prometheus.check_complaints()


def check_series(prometheus, start, early, end):
    """Their number has a bound: labels have no values but those known before. What grew since `early` is printed. The most until then and since
    are compared: a process that has just taken over has few, and one that serves for longer has more."""
    for instance in ("gentle", "rough", "takeovers"):
        series = prometheus.series(f'{{__name__=~"crigate_.*",instance="{instance}"}}', start, end)
        require(len(series) > 300, f"{instance}: {len(series)} series only")
        check_labels(series, RUNTIMES, PLUGINS, STAGES)
        most = f'max_over_time(scrape_samples_scraped{{instance="{instance}"}}'
        before, after = prometheus.value(f"{most}[{early - start:.0f}s])", early), prometheus.value(f"{most}[{end - early:.0f}s])", end)
        print(f"{instance}: {before:g} samples a scrape at most in {early - start:.0f} s, {after:g} in {end - early:.0f} s after that")
        require(after <= 2 * before, f"{instance}: samples grow from {before:g} to {after:g}")


def check_values(prometheus, node, samples):
    """What Prometheus has of the node is what the node said: nothing counts any more."""
    stored = {}
    for metric, value in prometheus.query(f'{{__name__=~"crigate_(rpc|upstream|hook).*",instance="{node.name}"}}'):
        name = metric["__name__"]
        pairs = tuple(sorted((k, v) for k, v in metric.items() if k not in ("__name__", "instance", "job")))
        stored[name, pairs] = value
    said = {key: value for key, value in samples.items() if key[0].startswith(("crigate_rpc", "crigate_upstream", "crigate_hook"))}
    counts.compare(f"what Prometheus has of {node.name}", plain(stored), plain(said))


def plain(samples):
    """Bounds as Prometheus writes them, and no empty labels, which it leaves out."""
    result = {}
    for (name, pairs), value in samples.items():
        bounds = [(label, str(float(text)) if label == "le" else text) for label, text in pairs if text]
        result[name, tuple(bounds)] = value
    return result


def run(build, seconds, folder, cleanup):
    nodes = []
    for name, gentle, takeovers in (("gentle", True, False), ("rough", False, False), ("takeovers", True, True)):
        nodes.append(NodeUnderFaults(build, name, seconds, gentle, takeovers))
        cleanup.callback(nodes[-1].kill)
    for node in nodes:
        eventually(60, f"{node.name} serves metrics", lambda port=node.port: get(f"http://127.0.0.1:{port}/metrics")[0] == 200)
    prometheus = Prometheus(f"{folder}/prometheus", {"load": (SCRAPE_SECONDS, {node.name: node.port for node in nodes})})
    cleanup.callback(prometheus.kill)
    eventually(60, "all are scraped", lambda: len(prometheus.query("up == 1")) == len(nodes))
    start = time.time()
    for node in nodes:
        node.wait_for_rest()
    end = time.time()
    for node in nodes[:2]:
        # The last replies, and hooks after calls, may end after the client has. Counts only grow: they are equal soon, or never.
        samples, calls = patiently(20, lambda node=node: counts.check_node(node, node.name == "gentle"))
        patiently(60, lambda node=node, samples=samples: check_values(prometheus, node, samples))
        print(f"{node.name}: {calls} calls compared, in {len(samples)} samples")
    for node in nodes:
        check_formats(node.port)
    check_series(prometheus, start, min(start + 60, (start + end) / 2), end)
    check_scrapes(prometheus, start, time.time())
    for node in nodes:
        node.end()


def main():
    if len(sys.argv) != 3:
        print("usage: load.py BUILD SECONDS", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="crigate-prometheus-") as folder, contextlib.ExitStack() as cleanup:
        try:
            run(sys.argv[1], int(sys.argv[2]), folder, cleanup)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    print("nothing was lost, and every count is right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
