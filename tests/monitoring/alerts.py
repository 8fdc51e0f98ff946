"""Each alert of deploy/prometheus/rules.yaml live: it fires in a real Prometheus when what it is for happens to a crigate, for no
other reason, and clears when that is over: alerts.py BUILD

Each node has a story of its own, all run at once. Prometheus scrapes each node twice: every 5 s, and every 30 s, which is the
longest that the rules allow. CrigateRestarts clears a quarter of an hour after the last start; only promtool's test waits for that.
"""

import contextlib
import signal
import sys
import tempfile
import time
from pathlib import Path

from live_node import LiveNode
from prometheus import Failure, Prometheus, require

RULES = Path(__file__).resolve().parents[2] / "deploy/prometheus/rules.yaml"
JOBS = {"often": 5, "seldom": 30}
DEADLINE_SECONDS = 1200

V1 = ["--api", "v1"]
OLD = ["--api", "v1_9"]
WITH_PODS = ["--containers", "3"]
POD = '{"config": {"metadata": {"name": "a", "uid": "a", "namespace": "default"}}}'
USER_NAMESPACE = (
    '{"config": {"metadata": {"name": "a", "uid": "a", "namespace": "default"},'
    ' "linux": {"securityContext": {"namespaceOptions": {"usernsOptions": {"mode": "POD"}}}}}}'
)


class Fires:
    """To wait for: both jobs have these alerts."""

    def __init__(self, *alerts):
        self.alerts = alerts

    def holds(self, instance, firing):
        return all((alert, job, instance) in firing for alert in self.alerts for job in JOBS)


class Clear(Fires):
    """No job has them any more."""

    def holds(self, instance, firing):
        return not any((alert, job, instance) in firing for alert in self.alerts for job in JOBS)


class Pause:
    """That many seconds have passed."""

    def __init__(self, seconds):
        self.end = time.monotonic() + seconds
        self.alerts = ()

    def holds(self, _instance, _firing):
        return time.monotonic() >= self.end


# ---- stories: what happens to a node; what is waited for ----


def primary_away(node):
    node.stop("main")
    yield Fires("CrigatePrimaryAway")
    node.start_runtime("main")
    yield Clear("CrigatePrimaryAway")


def secondary_away(node):
    node.stop("vm")
    yield Fires("CrigateListsStale")
    yield Fires("CrigateSecondaryAway")
    node.start_runtime("vm")
    yield Clear("CrigateSecondaryAway", "CrigateListsStale")


def images_away(node):
    node.move_images()
    yield Fires("CrigateImagesAway")
    node.write_map(node.map)
    yield Clear("CrigateImagesAway")


def secondary_hangs(node):
    node.send("vm", signal.SIGSTOP)
    yield Fires("CrigateRuntimeHanging")
    node.send("vm", signal.SIGCONT)
    yield Clear("CrigateRuntimeHanging", "CrigateListsStale")


def only_runtime_hangs(node):
    """The kubelet's calls for the status hang for two minutes each. It is there all the same: CrigateBypassed must not fire."""
    node.send("main", signal.SIGSTOP)
    yield Fires("CrigateRuntimeHanging", "CrigatePrimaryAway", "CrigateCallOld")
    yield Pause(240)
    node.send("main", signal.SIGCONT)
    yield Clear("CrigateRuntimeHanging", "CrigatePrimaryAway", "CrigateCallOld", "CrigateListsStale")


def call_old(node):
    node.call("caller", "StartContainer", '{"containerId": "a"}', "20m")
    yield Fires("CrigateCallOld")
    node.stop("caller")
    yield Clear("CrigateCallOld")


def refused(node):
    node.call("caller", "RunPodSandbox", USER_NAMESPACE)
    yield Fires("CrigateTranslationRefused")
    yield Clear("CrigateTranslationRefused")


def map_refused(node):
    node.write_map(node.map + "nonsense: 1\n")
    yield Fires("CrigateMapRefused")
    node.write_map(node.map)
    yield Clear("CrigateMapRefused")


def plugin_away(node):
    node.start_plugin()
    yield Pause(60)
    node.stop("plugin")
    yield Fires("CrigatePluginAway")
    node.start_plugin()
    yield Clear("CrigatePluginAway")


def hooks_failing(node):
    node.start_plugin("--fail", "PreRunPodSandbox=INTERNAL:1")
    yield Pause(60)
    node.call("caller", "RunPodSandbox", POD)
    yield Fires("CrigateHooksFailing")
    yield Clear("CrigateHooksFailing")


def bypassed(node):
    """Somebody looks at the status once a minute meanwhile: that is no kubelet."""
    node.kubelet = False
    for _ in range(5):
        yield Pause(60)
        node.call("somebody", "Status")
    yield Fires("CrigateBypassed")
    node.kubelet = True
    yield Clear("CrigateBypassed")


def restarts(node):
    for _ in range(2):
        yield Pause(70)
        node.stop("crigate")
        node.start_crigate()
    yield Pause(70)
    node.take_over()
    yield Fires("CrigateRestarts")


def stuck(node):
    node.hang_thread_of_calls()
    yield Fires("CrigateStuck")
    node.release_thread_of_calls()
    yield Clear("CrigateStuck")


def well(_node):
    yield Pause(540)


# Name, what happens, its runtimes, and alerts that may fire besides those that the story waits for.
STORIES = [
    ("primary-away", primary_away, {"main": V1, "vm": V1}, ()),
    ("secondary-away", secondary_away, {"main": V1, "vm": V1 + WITH_PODS}, ()),
    ("images-away", images_away, {"main": V1}, ()),
    ("secondary-hangs", secondary_hangs, {"main": V1, "vm": V1}, ("CrigateListsStale",)),
    ("only-hangs", only_runtime_hangs, {"main": V1}, ("CrigateListsStale",)),
    ("call-old", call_old, {"main": [*V1, "--hang", "StartContainer"]}, ()),
    ("refused", refused, {"main": OLD}, ()),
    ("map-refused", map_refused, {"main": V1}, ()),
    ("plugin-away", plugin_away, {"main": V1}, ()),
    ("hooks-failing", hooks_failing, {"main": V1}, ()),
    ("bypassed", bypassed, {"main": V1}, ("CrigateBypassed",)),
    ("restarts", restarts, {"main": V1}, ()),
    ("stuck", stuck, {"main": V1}, ()),
    ("well", well, {"main": V1, "vm": OLD + WITH_PODS}, ()),
]


class Story:
    """A node to which something happens, step by step."""

    def __init__(self, node, steps, besides):
        self.node = node
        self.steps = steps(node)
        self.awaited = None
        self.over = False
        self.expected = set(besides)
        self.fired = {job: set() for job in JOBS}

    def note(self, firing):
        """Nothing fires that does not belong to the story."""
        for alert, job, instance in firing:
            if instance == self.node.name:
                self.fired[job].add(alert)
                require(alert in self.expected, f"{instance}: {alert} fires in {job}: {firing[alert, job, instance]}")

    def advance(self, firing):
        """Takes the next step if what it waits for has come. Returns whether it has."""
        if self.over or (self.awaited and not self.awaited.holds(self.node.name, firing)):
            return False
        self.awaited = next(self.steps, None)
        self.over = self.awaited is None
        self.expected |= set(self.awaited.alerts) if self.awaited else set()
        return True

    def text(self):
        if self.over:
            return "over"
        return f"{type(self.awaited).__name__} {' '.join(self.awaited.alerts)}"


def play(prometheus, stories):
    began = time.monotonic()
    while not all(story.over for story in stories):
        firing = prometheus.alerts()
        for story in stories:
            story.node.live()
            story.note(firing)
            if story.advance(firing):
                print(f"{time.monotonic() - began:4.0f} s {story.node.name}: {story.text()}", flush=True)
        waiting = [f"{story.node.name}: {story.text()}" for story in stories if not story.over]
        require(time.monotonic() - began < DEADLINE_SECONDS, f"never came true: {waiting}")
        time.sleep(0.5)


def check_all_fired(prometheus, stories):
    names = {rule["name"] for group in prometheus.ask("/api/v1/rules")["groups"] for rule in group["rules"]}
    require(len(names) >= 12, f"these rules only: {names}")
    for job in JOBS:
        fired = set().union(*(story.fired[job] for story in stories))
        require(fired == names, f"{job}: these did not fire: {names - fired}")


def run(build, folder, cleanup):
    nodes = []
    for name, _, runtimes, _ in STORIES:
        nodes.append(LiveNode(build, folder, name, runtimes))
        cleanup.callback(nodes[-1].kill)
    for node in nodes:
        node.wait_until_served()
        node.live()
    targets = {node.name: node.port for node in nodes}
    prometheus = Prometheus(f"{folder}/prometheus", {job: (seconds, targets) for job, seconds in JOBS.items()}, RULES)
    cleanup.callback(prometheus.kill)
    began = time.monotonic()
    while time.monotonic() - began < 2 * max(JOBS.values()):
        for node in nodes:
            node.live()
        require(not prometheus.alerts(), f"fires at the start: {prometheus.alerts()}")
        time.sleep(0.5)
    stories = [Story(node, steps, besides) for node, (_, steps, _, besides) in zip(nodes, STORIES)]
    play(prometheus, stories)
    check_all_fired(prometheus, stories)
    prometheus.check_complaints()


def main():
    if len(sys.argv) != 2:
        print("usage: alerts.py BUILD", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(prefix="crigate-alerts-") as folder, contextlib.ExitStack() as cleanup:
        try:
            run(sys.argv[1], folder, cleanup)
        except Failure as failure:
            print(f"FAILED: {failure}")
            return 1
    print("each alert fired for its reason, and cleared")
    return 0


if __name__ == "__main__":
    sys.exit(main())
